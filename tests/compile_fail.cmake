# Code that must not compile: a case is a namespace in tests/compile_fail/*.cpp, in two forms (compile_fail/case.hpp).
#   compile_fail/cases             The compiler refuses each case. Its errors match every "// expect: REGEX" above the case.
#                                  After a line "// errors: N", they are at most N. With -DNEARDUP_COMPILES, the compiler
#                                  accepts the other form of each case: so no mistake elsewhere in the case is refused.
#   compile_fail/earlier_standard  With an earlier standard than C++20, the only error says that neardup needs C++20.
file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/*.cpp")

if(MSVC)
  set(command "${CMAKE_CXX_COMPILER}" /nologo /std:c++20 /permissive- /utf-8 /EHsc /Zs)
else()
  set(command "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only)
endif()
foreach(folder IN LISTS xxHash_INCLUDE_DIRS)
  # The compiler's own folders are not named: naming /usr/include again would change the order of the search.
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    list(APPEND command "-I${folder}")
  endif()
endforeach()
list(APPEND command "-I${PROJECT_SOURCE_DIR}/include")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiled form of the headers instantiates less for each source: this halves the time. With little memory, g++
  # would spend a tenth of its time on collecting garbage.
  list(APPEND command -DNEARDUP_COMPILED --param ggc-min-heapsize=400000)
endif()
set(NEARDUP_CHECK_COMMAND ${command}) # for the code of the pages, too
if(MSVC)
  return()
endif()

list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN sources "" includes)
set(source "${CMAKE_CURRENT_BINARY_DIR}/compile_fail.cpp")
file(CONFIGURE OUTPUT "${source}" CONTENT "${includes}" @ONLY)
set(all_errors -w -fmax-errors=0)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(all_errors -w -ferror-limit=0 -ftemplate-backtrace-limit=0)
endif()
add_test(NAME compile_fail/cases COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/check.py"
                                         "${source}" ${NEARDUP_CHECK_COMMAND} ${all_errors}
)
set_tests_properties(compile_fail/cases PROPERTIES ENVIRONMENT LC_ALL=C COST 40)
add_test(NAME compile_fail/earlier_standard COMMAND ${NEARDUP_CHECK_COMMAND} -std=c++17 -x c++
                                                    "${PROJECT_SOURCE_DIR}/include/neardup/neardup.hpp"
)
set_tests_properties(
  compile_fail/earlier_standard PROPERTIES PASS_REGULAR_EXPRESSION "neardup needs C..20" FAIL_REGULAR_EXPRESSION
                                           "error: .*error: "
)
