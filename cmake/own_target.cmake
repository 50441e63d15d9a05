# neardup_own_target(<target>): links neardup::neardup and turns on the warnings. Only programs of this repository call
# it, because users of neardup must not inherit a flag.
function(neardup_own_target target)
  target_link_libraries(${target} PRIVATE neardup::neardup)
  neardup_own_warnings(${target})
endfunction()

# neardup_own_warnings(<target>): turns on the warnings, and links nothing.
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

# Tests are compiled with little optimisation, because they run for seconds only. g++ takes half as long with -Og as
# with -O1, and a third as long as with -O3.
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

# neardup_test_options(<target>): sets the compile options of the tests.
function(neardup_test_options target)
  target_compile_options(${target} PRIVATE ${NEARDUP_TEST_OPTIONS})
endfunction()

# g++ forgets the diagnostic pragmas of a precompiled header. immintrin.h of g++ 12 needs them, so these warnings are
# off where a precompiled header is used. Other targets (the benchmarks, the consumers) keep the warnings. By default
# g++ collects garbage from 128 MB on, and a precompiled header is larger. From 512 MB on, compiling takes a twentieth
# less time.
set(NEARDUP_PRECOMPILED_OPTIONS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(NEARDUP_PRECOMPILED_OPTIONS -Wno-uninitialized -Wno-maybe-uninitialized -Wno-psabi
                                  --param=ggc-min-heapsize=524288
  )
endif()

# g++ takes 12 s to write a precompiled header of 250 MB. Loading it takes a second per unit, and parsing its headers
# takes 1 to 4 s. So a build of some twenty units saves no time. It does if each file is a unit
# (-DCMAKE_UNITY_BUILD=OFF).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# neardup_precompile(<target> <header>…): precompiles the headers for all files of the target.
function(neardup_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE ${NEARDUP_PRECOMPILED_OPTIONS})
endfunction()

# neardup_share_headers(<target>): lets a test use the precompiled headers of neardup and Catch2, which all tests share.
# The target must have neardup_test_options.
function(neardup_share_headers target)
  neardup_share(neardup_shared_headers ${target} "${PROJECT_SOURCE_DIR}/tests/catch.hpp" <neardup/neardup.hpp>)
endfunction()

# neardup_share_library(<target>): lets an example, or the code of a page, use a shared precompiled header. It is the
# header of the tests, because one precompiled header takes 14 s less than two. So g++ does not notice a missing
# #include; other compilers do.
function(neardup_share_library target)
  find_package(Catch2 QUIET)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND Catch2_FOUND)
    neardup_share_headers(${target})
  endif()
endfunction()

# neardup_share(<owner> <target> <header>…): the target `owner` precompiles these headers once, and `target` uses them.
function(neardup_share owner target)
  if(NOT TARGET ${owner})
    set(source "${PROJECT_BINARY_DIR}/${owner}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Only what is precompiled.\n")
    add_library(${owner} OBJECT "${source}")
    neardup_own_target(${owner})
    neardup_test_options(${owner})
    # The target of the tests may be defined after `owner`.
    target_link_libraries(${owner} PRIVATE $<TARGET_NAME_IF_EXISTS:neardup_test_main>)
    neardup_precompile(${owner} ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(${target} PRIVATE ${NEARDUP_PRECOMPILED_OPTIONS})
endfunction()

option(NEARDUP_UNITE "Compile the tour and the pages as one program, and a sample of the tests as four: it takes less time" OFF)

# neardup_page(<test> <target> <source> [<library>…]): adds a program that people read, and a test of it. The test
# passes if the program exits with 0 and prints, in order, each text after "// prints: " in its source.
function(neardup_page test target source)
  neardup_page_program(${target} "${source}" ${ARGN})
  if(NEARDUP_BUILD_TESTS)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    neardup_page_command(command ${target})
    add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${command}" "-DSOURCE=${source}" -P
                                  "${PROJECT_SOURCE_DIR}/cmake/check_prints.cmake"
    )
  endif()
endfunction()

# neardup_page_program(<target> <source> [<library>…]): adds the program without a test. If pages are united, the
# program becomes a part of neardup_pages.
function(neardup_page_program target source)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NEARDUP_UNITE AND NEARDUP_BUILD_TESTS)
    set_property(GLOBAL APPEND PROPERTY NEARDUP_PAGES "${target}" "${source}")
    set_property(GLOBAL APPEND PROPERTY NEARDUP_PAGES_LIBRARIES ${ARGN})
    return()
  endif()
  add_executable(${target} "${source}")
  neardup_own_target(${target})
  target_link_libraries(${target} PRIVATE Threads::Threads ${ARGN})
  if(NEARDUP_BUILD_TESTS)
    neardup_test_options(${target})
    neardup_share_library(${target})
  endif()
endfunction()

# neardup_page_command(<result> <target>): sets <result> to the command that runs such a program, as a list.
function(neardup_page_command result target)
  set(command "$<TARGET_FILE:neardup_pages>" ${target})
  if(TARGET ${target})
    set(command "$<TARGET_FILE:${target}>")
  endif()
  set(${result} "${command}" PARENT_SCOPE)
endfunction()

# neardup_unite_pages(): makes one program, neardup_pages, of all pages so far. The argument of neardup_pages is the
# name of the page to run. Each page is in its own namespace. The program compiles faster, because the pages instantiate
# the same templates. A build without NEARDUP_UNITE shows whether each page compiles alone.
function(neardup_unite_pages)
  get_property(pages GLOBAL PROPERTY NEARDUP_PAGES)
  if(NOT pages)
    return()
  endif()
  set(includes "")
  set(bodies "")
  set(calls "")
  while(pages)
    list(POP_FRONT pages name source)
    # The headers are included first, outside of the namespaces. So an #include inside a namespace adds nothing.
    file(STRINGS "${source}" lines REGEX "^#include <")
    list(APPEND includes ${lines})
    # Only main() of a program returns 0 without a return statement, so one is added.
    file(READ "${source}" text)
    string(FIND "${text}" "\n}\n" end REVERSE)
    string(SUBSTRING "${text}" 0 ${end} text)
    string(APPEND bodies "namespace ${name} {\n#line 1 \"${source}\"\n${text}\n  return 0;\n}\n}\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    set(arguments "")
    file(STRINGS "${source}" lines REGEX "^int main\\(int")
    if(lines)
      set(arguments "count - 1, arguments + 1")
    endif()
    string(APPEND calls "  if (page == \"${name}\") return ${name}::main(${arguments});\n")
  endwhile()
  list(APPEND includes "#include <string_view>")
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  set(source "${PROJECT_BINARY_DIR}/neardup_pages.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
"@includes@
@bodies@
int main(int count, char** arguments) {
  const std::string_view page = count > 1 ? arguments[1] : \"\";
@calls@  return 2;
}
"
  )
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  add_executable(neardup_pages "${source}")
  neardup_own_target(neardup_pages)
  neardup_test_options(neardup_pages)
  neardup_share_library(neardup_pages)
  get_property(libraries GLOBAL PROPERTY NEARDUP_PAGES_LIBRARIES)
  target_link_libraries(neardup_pages PRIVATE Threads::Threads ${libraries})
endfunction()
