# Code that must not compile: tests/compile_fail/NAME.cpp gives a test,
#   compile_fail/NAME          the compiler refuses it, and its output matches every
#                              "// expect: REGEX" (a CMake regular expression) in the file;
#                              with a line "// errors: N" it reports no more than N errors,
#                              with a line "// flags: OPTION" it is called with that option too
# And for all of them
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
set(NEARDUP_CHECK_COMMAND ${command})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # All of neardup, parsed once for all of these: g++ takes headers.hpp.gch for headers.hpp. In the compiled form the
  # headers instantiate less for each source, which takes half of the time.
  set(headers "${CMAKE_CURRENT_BINARY_DIR}/compile_fail/headers.hpp")
  file(CONFIGURE OUTPUT "${headers}" CONTENT "#include <neardup/neardup.hpp>\n")
  list(APPEND command -DNEARDUP_COMPILED)
  set(NEARDUP_CHECK_COMMAND ${command} -Wno-psabi -include "${headers}")
  list(REMOVE_ITEM command -fsyntax-only)
  add_test(NAME compile_fail/headers COMMAND ${command} -x c++-header "${headers}" -o "${headers}.gch")
  set_tests_properties(compile_fail/headers PROPERTIES FIXTURES_SETUP compile_fail_headers)
endif()

set(includes "")
set(bodies "")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  set(path "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  add_test(NAME compile_fail/${name} COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${NEARDUP_CHECK_COMMAND}" "-DSOURCE=${path}" -P
                                             "${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/check.cmake"
  )
  set_tests_properties(
    compile_fail/${name} PROPERTIES LABELS compile_fail ENVIRONMENT LC_ALL=C FIXTURES_REQUIRED compile_fail_headers
  )
  # Included at file scope once, they are not included again in the namespaces.
  file(STRINGS "${path}" lines REGEX "^#include <")
  list(APPEND includes ${lines})
  string(APPEND bodies "namespace ${name} {\n#include \"${path}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
set(counters "${CMAKE_CURRENT_BINARY_DIR}/compile_fail_counters.cpp")
file(CONFIGURE OUTPUT "${counters}" CONTENT "${includes}\n${bodies}" @ONLY)
add_test(NAME compile_fail/counters COMMAND ${NEARDUP_CHECK_COMMAND} -DNEARDUP_COMPILES "${counters}")
set_tests_properties(
  compile_fail/counters PROPERTIES LABELS compile_fail FIXTURES_REQUIRED compile_fail_headers
)
