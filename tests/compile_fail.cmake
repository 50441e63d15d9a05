# Code that must not compile: tests/compile_fail/NAME.cpp gives two tests,
#   compile_fail/NAME          the compiler refuses it, and its output matches every
#                              "// expect: REGEX" (a CMake regular expression) in the file;
#                              with a line "// errors: N" it reports no more than N errors,
#                              with a line "// flags: OPTION" it is called with that option too
#   compile_fail/NAME.counter  with -DNEARDUP_COMPILES the same file compiles: what is refused is what
#                              the macro takes out, and not a slip elsewhere in the file
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
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TARGET neardup_test_general AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  # All of neardup as the tests have parsed it; with other options g++ would read the headers themselves.
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(options NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  list(
    APPEND
    command
    ${options}
    ${NEARDUP_TEST_OPTIONS}
    "-I${CMAKE_CURRENT_SOURCE_DIR}"
    -include
    "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/neardup_test_general.dir/cmake_pch.hxx"
  )
endif()

foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  foreach(counter IN ITEMS OFF ON)
    set(test "compile_fail/${name}")
    if(counter)
      string(APPEND test ".counter")
    endif()
    add_test(
      NAME ${test} COMMAND ${CMAKE_COMMAND} -DCOUNTER=${counter} "-DCOMMAND=${command}"
                           "-DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/${source}" -P
                           "${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/check.cmake"
    )
    set_tests_properties(${test} PROPERTIES LABELS compile_fail ENVIRONMENT LC_ALL=C)
  endforeach()
endforeach()
