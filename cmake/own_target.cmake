# neardup_own_target(<target>): links neardup::neardup and turns on the warnings. For the programs of
# this repository only; nobody who uses neardup inherits a flag.
function(neardup_own_target target)
  target_link_libraries(${target} PRIVATE neardup::neardup)
  neardup_own_warnings(${target})
endfunction()

# neardup_own_warnings(<target>): the warnings alone.
function(neardup_own_warnings target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(MSVC)
    target_compile_options(
      ${target} PRIVATE /W4 /permissive- /utf-8 /bigobj $<$<BOOL:${NEARDUP_WERROR}>:/WX>
    )
  else()
    target_compile_options(
      ${target}
      PRIVATE -Wall
              -Wextra
              -Wconversion
              -Wshadow
              # g++ 12 takes "t" + std::string for an overlapping copy (GCC bug 105651).
              $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
              $<$<BOOL:${NEARDUP_WERROR}>:-Werror>
    )
  endif()
endfunction()

# What only tests run is compiled fast rather than made fast: g++ takes half as long with -Og as with -O1, and a third as
# long as with -O3, for tests that run for seconds.
if(MSVC)
  set(NEARDUP_TEST_OPTIONS_DEFAULT "")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(NEARDUP_TEST_OPTIONS_DEFAULT "$<$<CONFIG:Release,RelWithDebInfo>:-Og>")
else()
  set(NEARDUP_TEST_OPTIONS_DEFAULT "$<$<CONFIG:Release,RelWithDebInfo>:-O1>")
endif()
set(NEARDUP_TEST_OPTIONS
    "${NEARDUP_TEST_OPTIONS_DEFAULT}"
    CACHE STRING "Further compile options of the tests"
)

# neardup_test_options(<target>): for a program that is there to be tested.
function(neardup_test_options target)
  target_compile_options(${target} PRIVATE ${NEARDUP_TEST_OPTIONS})
endfunction()

# g++ forgets the diagnostic pragmas of a precompiled header, and immintrin.h of g++ 12 needs them. What is not
# precompiled (the benchmarks, the consumers) keeps these warnings. And it collects garbage from 128 MB on, where a
# precompiled header has more already: from 512 MB on it takes a twentieth less time.
set(NEARDUP_PRECOMPILED_OPTIONS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(NEARDUP_PRECOMPILED_OPTIONS -Wno-uninitialized -Wno-maybe-uninitialized -Wno-psabi
                                  --param=ggc-min-heapsize=524288
  )
endif()

# neardup_precompile(<target> <header>…): what all its files include is parsed once.
function(neardup_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE ${NEARDUP_PRECOMPILED_OPTIONS})
endfunction()

# neardup_share_headers(<target>): for tests, which have neardup_test_options: all headers of neardup and Catch2, parsed
# once for all of them.
function(neardup_share_headers target)
  neardup_share(neardup_shared_headers ${target} "${PROJECT_SOURCE_DIR}/tests/catch.hpp" <neardup/neardup.hpp>)
endfunction()

# neardup_share_library(<target>): for the examples and the code of the pages: neardup.hpp, parsed once for all of them.
# They have to compile as they are printed, which other compilers than g++ see to.
function(neardup_share_library target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    neardup_share(neardup_shared_library ${target} <neardup/neardup.hpp>)
  endif()
endfunction()

# neardup_share(<owner> <target> <header>…): these headers, precompiled once by the target `owner`.
function(neardup_share owner target)
  if(NOT TARGET ${owner})
    set(source "${PROJECT_BINARY_DIR}/${owner}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Only what is precompiled.\n")
    add_library(${owner} OBJECT "${source}")
    neardup_own_target(${owner})
    neardup_test_options(${owner})
    if(TARGET neardup_test_main)
      target_link_libraries(${owner} PRIVATE neardup_test_main)
    endif()
    neardup_precompile(${owner} ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(${target} PRIVATE ${NEARDUP_PRECOMPILED_OPTIONS})
endfunction()
