include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The headers do not depend on the architecture. So the files that describe them are installed below share/.
set(NEARDUP_INSTALL_CMAKEDIR
    "${CMAKE_INSTALL_DATADIR}/cmake/neardup"
    CACHE STRING "Where the CMake package goes, relative to the prefix"
)
set(NEARDUP_INSTALL_PKGCONFIGDIR
    "${CMAKE_INSTALL_DATADIR}/pkgconfig"
    CACHE STRING "Where neardup.pc goes, relative to the prefix"
)
set(NEARDUP_INSTALL_CPSDIR
    "${CMAKE_INSTALL_DATADIR}/cps/neardup"
    CACHE STRING "Where neardup.cps goes, relative to the prefix"
)
mark_as_advanced(NEARDUP_INSTALL_CMAKEDIR NEARDUP_INSTALL_PKGCONFIGDIR NEARDUP_INSTALL_CPSDIR)

install(
  TARGETS neardup
  EXPORT neardup-targets
  FILE_SET HEADERS
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT neardup_headers
)
install(
  EXPORT neardup-targets
  NAMESPACE neardup::
  DESTINATION "${NEARDUP_INSTALL_CMAKEDIR}"
  COMPONENT neardup_headers
)

# The compiled form depends on the architecture. So it is installed below lib/, where the package looks for it.
if(NEARDUP_BUILD_COMPILED)
  install(
    TARGETS neardup_compiled
    EXPORT neardup-compiled-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT neardup_compiled
  )
  install(
    EXPORT neardup-compiled-targets
    NAMESPACE neardup::
    DESTINATION "${NEARDUP_INSTALL_CMAKEDIR}"
    COMPONENT neardup_compiled
  )
endif()

install(
  FILES LICENSE LICENSE-UNICODE
  DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/neardup"
  COMPONENT neardup_headers
)

configure_package_config_file(
  cmake/neardup-config.cmake.in "${PROJECT_BINARY_DIR}/neardup-config.cmake"
  INSTALL_DESTINATION "${NEARDUP_INSTALL_CMAKEDIR}" NO_SET_AND_CHECK_MACRO
)
# While the major version is 0, a new minor version may be incompatible. From 1.0 on, use SameMajorVersion.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/neardup-config-version.cmake" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT
)
install(
  FILES "${PROJECT_BINARY_DIR}/neardup-config.cmake"
        "${PROJECT_BINARY_DIR}/neardup-config-version.cmake" cmake/FindxxHash.cmake
  DESTINATION "${NEARDUP_INSTALL_CMAKEDIR}"
  COMPONENT neardup_headers
)

# The build folder is a CMake package, too (-Dneardup_DIR=BUILD). It has the files that lie beside the installed
# package.
configure_file(cmake/FindxxHash.cmake "${PROJECT_BINARY_DIR}/FindxxHash.cmake" COPYONLY)
export(EXPORT neardup-targets NAMESPACE neardup:: FILE "${PROJECT_BINARY_DIR}/neardup-targets.cmake")
if(NEARDUP_BUILD_COMPILED)
  export(EXPORT neardup-compiled-targets NAMESPACE neardup:: FILE "${PROJECT_BINARY_DIR}/neardup-compiled-targets.cmake")
else()
  file(REMOVE "${PROJECT_BINARY_DIR}/neardup-compiled-targets.cmake") # of an earlier configuration
endif()

# The paths are relative to the .pc file, so that the install tree can be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}" OR IS_ABSOLUTE "${NEARDUP_INSTALL_PKGCONFIGDIR}")
  set(NEARDUP_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(NEARDUP_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH _neardup_up "/${NEARDUP_INSTALL_PKGCONFIGDIR}" "/")
  string(REGEX REPLACE "/$" "" _neardup_up "${_neardup_up}")
  set(NEARDUP_PC_PREFIX "\${pcfiledir}/${_neardup_up}")
  set(NEARDUP_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/neardup.pc.in "${PROJECT_BINARY_DIR}/neardup.pc" @ONLY)
install(
  FILES "${PROJECT_BINARY_DIR}/neardup.pc"
  DESTINATION "${NEARDUP_INSTALL_PKGCONFIGDIR}"
  COMPONENT neardup_headers
)

# The Common Package Specification, which other build systems read. CMake can write it, too, but without the package that
# neardup requires. It has no form for absolute paths.
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}" AND NOT IS_ABSOLUTE "${NEARDUP_INSTALL_CPSDIR}")
  set(prefix "@prefix@") # stays as it is
  configure_file(cmake/neardup.cps.in "${PROJECT_BINARY_DIR}/neardup.cps" @ONLY)
  install(
    FILES "${PROJECT_BINARY_DIR}/neardup.cps"
    DESTINATION "${NEARDUP_INSTALL_CPSDIR}"
    COMPONENT neardup_headers
  )
endif()
