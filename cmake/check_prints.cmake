# cmake -DCOMMAND=<program;and;arguments> -DSOURCE=<its source> -P check_prints.cmake
#
# Runs the program in an empty folder, because some programs continue with files of an earlier run. The program must exit with
# 0 and print, in order, the text after each "// prints: " in its source; anything may stand in between.
cmake_minimum_required(VERSION 3.23)

list(GET COMMAND -1 folder)
cmake_path(GET folder FILENAME folder)
set(folder "${CMAKE_CURRENT_BINARY_DIR}/prints/${folder}")
file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${folder}")
execute_process(
  COMMAND ${COMMAND}
  WORKING_DIRECTORY "${folder}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE errors
)
message("${output}${errors}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${COMMAND} ended with ${status}")
endif()

file(READ "${SOURCE}" rest)
while(TRUE)
  string(FIND "${rest}" "// prints: " at)
  if(at EQUAL -1)
    break()
  endif()
  math(EXPR at "${at} + 11")
  string(SUBSTRING "${rest}" ${at} -1 rest)
  string(FIND "${rest}" "\n" end)
  string(SUBSTRING "${rest}" 0 ${end} expected)
  string(STRIP "${expected}" expected)

  string(FIND "${output}" "${expected}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "not printed, or not in this order: ${expected}")
  endif()
  string(LENGTH "${expected}" length)
  math(EXPR found "${found} + ${length}")
  string(SUBSTRING "${output}" ${found} -1 output)
endwhile()
