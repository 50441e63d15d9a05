# An overlay port: it packages the checkout that contains it. vcpkg hashes only the files of the port, not the checkout.
# So after a change of the headers, vcpkg would install the old headers from its binary cache; see packaging/README.md.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES compiled NEARDUP_BUILD_COMPILED)
if(NOT "compiled" IN_LIST FEATURES)
  set(VCPKG_BUILD_TYPE release) # header-only
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DNEARDUP_BUILD_TESTS=OFF
    -DNEARDUP_BUILD_EXAMPLES=OFF
    -DNEARDUP_BUILD_BENCH=OFF
    -DNEARDUP_BUILD_DOCS=OFF
    -DNEARDUP_INSTALL=ON
    ${FEATURE_OPTIONS}
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/neardup)
vcpkg_fixup_pkgconfig()

# vcpkg requires the licences in share/neardup/copyright. So the second copy, from CMake's install rules, is removed.
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/LICENSE-UNICODE")
