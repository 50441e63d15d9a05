# The C++ code in README.md and docs/ is compiled as printed. Complete programs are also run. tools/readme_code.py says
# which block becomes a program, and which a fragment.
file(GLOB_RECURSE pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md")
list(PREPEND pages "${PROJECT_SOURCE_DIR}/README.md")
# The first example of README.zh.md must be that of README.md.
foreach(name IN ITEMS README README.zh)
  file(READ "${PROJECT_SOURCE_DIR}/${name}.md" page)
  string(REGEX MATCH "```cpp\n[^`]*```" ${name}_example "${page}")
endforeach()
if(NOT "${README_example}" STREQUAL "${README.zh_example}")
  message(FATAL_ERROR "README.zh.md: its example is not that of README.md")
endif()
set(extract "${PROJECT_SOURCE_DIR}/tools/readme_code.py")
set(folder "${CMAKE_CURRENT_BINARY_DIR}/readme_code")
set_property(
  DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pages} "${extract}" "${PROJECT_SOURCE_DIR}/README.zh.md"
)
execute_process(
  COMMAND "${Python3_EXECUTABLE}" "${extract}" --out "${folder}" ${pages} COMMAND_ERROR_IS_FATAL ANY
)

file(GLOB programs "${folder}/*_program.cpp")
foreach(source IN LISTS programs)
  cmake_path(GET source STEM name)
  neardup_page(pages/${name} neardup_page_${name} "${source}")
endforeach()

file(GLOB fragments "${folder}/*_fragment.cpp" "${folder}/*_fragments.cpp")
if(fragments)
  # The fragments are only compiled, all in one source. They are not run.
  list(TRANSFORM fragments PREPEND "#include \"")
  list(JOIN fragments "\"\n" lines)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/page_fragments.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${lines}\"\n" @ONLY)
  set(warnings "")
  if(NOT MSVC)
    # A fragment may leave the result of a call unused.
    set(warnings -Wall -Wextra -Wconversion -Wshadow -Wno-unused-variable -Wno-unused-but-set-variable
                 -Wno-unused-function
    )
    if(NEARDUP_WERROR)
      list(APPEND warnings -Werror)
    endif()
  endif()
  add_test(NAME pages/fragments COMMAND ${NEARDUP_CHECK_COMMAND} ${warnings} "${source}")
  set_tests_properties(pages/fragments PROPERTIES COST 30)
endif()
