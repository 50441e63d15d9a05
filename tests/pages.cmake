# The C++ in README.md and docs/*.md is compiled as printed; complete programs run. tools/readme_code.py
# says which block becomes what.
file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/docs/*.md")
set(extract "${PROJECT_SOURCE_DIR}/tools/readme_code.py")
set(folder "${CMAKE_CURRENT_BINARY_DIR}/readme_code")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pages} "${extract}")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" "${extract}" --out "${folder}" ${pages} COMMAND_ERROR_IS_FATAL ANY
)

file(GLOB programs "${folder}/*_program.cpp")
foreach(source IN LISTS programs)
  cmake_path(GET source STEM name)
  add_executable(neardup_page_${name} "${source}")
  neardup_own_target(neardup_page_${name})
  neardup_test_options(neardup_page_${name})
  target_link_libraries(neardup_page_${name} PRIVATE Threads::Threads)
  add_test(
    NAME pages/${name}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:neardup_page_${name}> "-DSOURCE=${source}" -P
            "${PROJECT_SOURCE_DIR}/cmake/check_prints.cmake"
  )
endforeach()

file(GLOB fragments "${folder}/*_fragment.cpp" "${folder}/*_fragments.cpp")
if(fragments)
  # Compiled only, all in one.
  add_library(neardup_page_fragments OBJECT ${fragments})
  neardup_own_target(neardup_page_fragments)
  set_target_properties(neardup_page_fragments PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  if(NOT MSVC)
    target_compile_options(
      neardup_page_fragments
      PRIVATE -O0
              # A sketch of a call may leave its result unused.
              -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-function
    )
  endif()
endif()
