# tools/single_header writes one header of neardup and xxHash. A program with only this header is compiled, with the
# warnings with which the headers are compiled.
set(folder "${CMAKE_CURRENT_BINARY_DIR}/single_header")
set(tool "${PROJECT_SOURCE_DIR}/tools/single_header")
find_file(NEARDUP_XXHASH_H xxhash.h HINTS ${xxHash_INCLUDE_DIRS})
mark_as_advanced(NEARDUP_XXHASH_H)
list(TRANSFORM NEARDUP_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE headers)
add_custom_command(
  OUTPUT "${folder}/neardup/neardup.hpp"
  COMMAND Python3::Interpreter "${tool}" -o "${folder}/neardup/neardup.hpp" --xxhash "${NEARDUP_XXHASH_H}"
  DEPENDS "${tool}" "${NEARDUP_XXHASH_H}" ${headers}
  VERBATIM
)
add_executable(
  neardup_test_single_header single_header/single_header_test.cpp single_header/second_source.cpp
                             "${folder}/neardup/neardup.hpp"
)
neardup_own_warnings(neardup_test_single_header)
neardup_test_options(neardup_test_single_header)
target_compile_features(neardup_test_single_header PRIVATE cxx_std_20)
target_include_directories(neardup_test_single_header PRIVATE "${folder}")
target_link_libraries(neardup_test_single_header PRIVATE neardup_test_main Threads::Threads)
catch_discover_tests(
  neardup_test_single_header
  TEST_PREFIX "single_header/"
  EXTRA_ARGS --warn NoTests
  PROPERTIES TIMEOUT 600
)
