# neardup::module: a program that links it writes `import neardup;`. The module is made of the public names.
if(CMAKE_VERSION VERSION_LESS 3.28)
  message(FATAL_ERROR "NEARDUP_BUILD_MODULE needs CMake 3.28 or later; this is ${CMAKE_VERSION}")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(_neardup_module "${PROJECT_BINARY_DIR}/neardup.cppm")
list(TRANSFORM NEARDUP_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE _neardup_headers)
add_custom_command(
  OUTPUT "${_neardup_module}"
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/make_module" "${_neardup_module}"
  DEPENDS "${PROJECT_SOURCE_DIR}/tools/make_module" "${PROJECT_SOURCE_DIR}/tools/declarations.py" ${_neardup_headers}
  VERBATIM
)
add_library(neardup_module STATIC)
add_library(neardup::module ALIAS neardup_module)
target_sources(neardup_module PUBLIC FILE_SET CXX_MODULES BASE_DIRS "${PROJECT_BINARY_DIR}" FILES "${_neardup_module}")
target_link_libraries(neardup_module PUBLIC neardup)
set_target_properties(neardup_module PROPERTIES CXX_SCAN_FOR_MODULES ON CXX_EXTENSIONS OFF)
