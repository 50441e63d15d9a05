# cmake -DCOMMAND=<compiler;and;flags> -DSOURCE=<file> -P check.cmake
cmake_minimum_required(VERSION 3.23)

file(READ "${SOURCE}" source)
if(source MATCHES "// flags: ([^\n]+)")
  list(APPEND COMMAND ${CMAKE_MATCH_1})
endif()
execute_process(
  COMMAND ${COMMAND} "${SOURCE}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE errors
)
string(APPEND output "${errors}")
message("${output}")

if(status EQUAL 0)
  message(FATAL_ERROR "it compiles, and should not: ${SOURCE}")
endif()

if(source MATCHES "// errors: ([0-9]+)")
  set(most ${CMAKE_MATCH_1})
  string(REGEX MATCHALL "error:" found "${output}")
  list(LENGTH found count)
  if(count GREATER most)
    message(FATAL_ERROR "${count} errors, and should be at most ${most}: ${SOURCE}")
  endif()
endif()

set(rest "${source}")
set(checked 0)
while(TRUE)
  string(FIND "${rest}" "// expect: " at)
  if(at EQUAL -1)
    break()
  endif()
  math(EXPR at "${at} + 11")
  string(SUBSTRING "${rest}" ${at} -1 rest)
  string(FIND "${rest}" "\n" end)
  string(SUBSTRING "${rest}" 0 ${end} expected)
  string(STRIP "${expected}" expected)
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "the compiler's output does not match: ${expected}")
  endif()
  math(EXPR checked "${checked} + 1")
endwhile()
if(checked EQUAL 0)
  message(FATAL_ERROR "${SOURCE} has no line \"// expect: REGEX\"")
endif()
