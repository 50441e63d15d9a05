# Code that must not compile: tests/compile_fail/NAME.cpp gives a test,
#   compile_fail/NAME          the compiler refuses it, and its output matches every
#                              "// expect: REGEX" (a CMake regular expression) in the file;
#                              with a line "// errors: N" it reports no more than N errors,
#                              with a line "// flags: OPTION" it is called with that option too
# In a sample of the tests (NEARDUP_TEST_SAMPLE) those without flags of their own are one test, which calls the compiler once,
#   compile_fail/together      the same of each file, with the errors that the compiler names that file with
# And for all of them (COST: ctest starts what takes longest first)
#   compile_fail/counters      with -DNEARDUP_COMPILES each file compiles, in a namespace of its own: what is refused is
#                              what the macro takes out, and not a slip elsewhere in the file
file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "compile_fail/*.cpp")

if(MSVC)
  set(command "${CMAKE_CXX_COMPILER}" /nologo /std:c++20 /permissive- /utf-8 /EHsc /Zs)
else()
  set(command "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only)
endif()
foreach(folder IN LISTS xxHash_INCLUDE_DIRS)
  # Not the compiler's own folders: naming /usr/include again would change the order of the search.
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    list(APPEND command "-I${folder}")
  endif()
endforeach()
list(APPEND command "-I${PROJECT_SOURCE_DIR}/include")

# What only checks a source, for the code of the pages, too: with what they include parsed already where the compiler can
# keep that.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # In the compiled form the headers instantiate less for each source, which takes half of the time. g++ collects garbage
  # for a tenth of its time unless it may take more memory.
  list(APPEND command -DNEARDUP_COMPILED --param ggc-min-heapsize=400000)
endif()
set(NEARDUP_CHECK_COMMAND ${command})
set(together NO)
if(NEARDUP_TEST_SAMPLE AND Python3_Interpreter_FOUND AND NOT MSVC)
  set(together YES)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT together)
  # All of neardup, parsed once for all of these: g++ takes headers.hpp.gch for headers.hpp. For the three sources of a
  # sample it takes longer than it saves.
  set(headers "${CMAKE_CURRENT_BINARY_DIR}/compile_fail/headers.hpp")
  file(CONFIGURE OUTPUT "${headers}" CONTENT "#include <neardup/neardup.hpp>\n")
  set(NEARDUP_CHECK_COMMAND ${command} -Wno-psabi -include "${headers}")
  list(REMOVE_ITEM command -fsyntax-only)
  add_test(NAME compile_fail/headers COMMAND ${command} -x c++-header "${headers}" -o "${headers}.gch")
  set_tests_properties(compile_fail/headers PROPERTIES FIXTURES_SETUP compile_fail_headers COST 40)
endif()

set(includes "")
set(bodies "")
set(refused "")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  set(path "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  set(body "namespace ${name} {\n#include \"${path}\"\n}\n")
  string(APPEND bodies "${body}")
  # Included at file scope once, they are not included again in the namespaces.
  file(STRINGS "${path}" lines REGEX "^#include <")
  list(APPEND includes ${lines})
  file(STRINGS "${path}" flags REGEX "^// flags: ")
  if(together AND flags STREQUAL "")
    string(APPEND refused "${body}")
    continue()
  endif()
  add_test(NAME compile_fail/${name} COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${NEARDUP_CHECK_COMMAND}" "-DSOURCE=${path}" -P
                                             "${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/check.cmake"
  )
  set_tests_properties(
    compile_fail/${name} PROPERTIES LABELS compile_fail ENVIRONMENT LC_ALL=C FIXTURES_REQUIRED compile_fail_headers
  )
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
if(together)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/compile_fail_together.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${includes}\n${refused}" @ONLY)
  set(all_errors -w -fmax-errors=0)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(all_errors -w -ferror-limit=0 -ftemplate-backtrace-limit=0)
  endif()
  add_test(NAME compile_fail/together COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/together.py"
                                              "${source}" ${NEARDUP_CHECK_COMMAND} ${all_errors}
  )
  set_tests_properties(compile_fail/together PROPERTIES LABELS compile_fail ENVIRONMENT LC_ALL=C COST 20)
endif()
set(counters "${CMAKE_CURRENT_BINARY_DIR}/compile_fail_counters.cpp")
file(CONFIGURE OUTPUT "${counters}" CONTENT "${includes}\n${bodies}" @ONLY)
add_test(NAME compile_fail/counters COMMAND ${NEARDUP_CHECK_COMMAND} -DNEARDUP_COMPILES "${counters}")
set_tests_properties(
  compile_fail/counters PROPERTIES LABELS compile_fail FIXTURES_REQUIRED compile_fail_headers COST 20
)
