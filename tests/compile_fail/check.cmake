# cmake -DCOMMAND=<compiler;and;flags> -DSOURCE=<file> -DCOUNTER=<ON|OFF> -P check.cmake
cmake_minimum_required(VERSION 3.23)

if(COUNTER)
  list(APPEND COMMAND -DNEARDUP_COMPILES)
endif()
execute_process(
  COMMAND ${COMMAND} "${SOURCE}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE errors
)
string(APPEND output "${errors}")
message("${output}")

if(COUNTER)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "with -DNEARDUP_COMPILES it should compile: ${SOURCE}")
  endif()
  return()
endif()

if(status EQUAL 0)
  message(FATAL_ERROR "it compiles, and should not: ${SOURCE}")
endif()

file(READ "${SOURCE}" rest)
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
