# Finds the header xxhash.h. It may come from:
#   vcpkg, Conan, xxHash's own install   a CMake package with the target xxHash::xxhash
#   Debian and other distributions       the header alone
#
# neardup compiles xxHash inline (XXH_INLINE_ALL) and needs nothing to link.
#
# Gives xxHash_FOUND, xxHash_VERSION and xxHash_INCLUDE_DIRS.

if(NOT TARGET xxHash::xxhash)
  find_package(xxHash CONFIG QUIET)
endif()

set(_xxhash_dirs "")
if(TARGET xxHash::xxhash)
  get_target_property(_xxhash_dirs xxHash::xxhash INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT _xxhash_dirs)
    set(_xxhash_dirs "")
  endif()
endif()

if(_xxhash_dirs)
  # The folders may contain generator expressions, because Conan writes one for each configuration. They are not
  # changed.
  set(xxHash_INCLUDE_DIR "${_xxhash_dirs}")
else()
  find_path(xxHash_INCLUDE_DIR NAMES xxhash.h DOC "Folder that holds xxhash.h")
  mark_as_advanced(xxHash_INCLUDE_DIR)
  if(xxHash_INCLUDE_DIR)
    file(STRINGS "${xxHash_INCLUDE_DIR}/xxhash.h" _xxhash_lines
         REGEX "^#[ \t]*define[ \t]+XXH_VERSION_(MAJOR|MINOR|RELEASE)[ \t]+[0-9]+")
    set(xxHash_VERSION "")
    foreach(_xxhash_part IN ITEMS MAJOR MINOR RELEASE)
      if("${_xxhash_lines}" MATCHES "XXH_VERSION_${_xxhash_part}[ \t]+([0-9]+)")
        list(APPEND xxHash_VERSION "${CMAKE_MATCH_1}")
      endif()
    endforeach()
    list(JOIN xxHash_VERSION "." xxHash_VERSION)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  xxHash
  REQUIRED_VARS xxHash_INCLUDE_DIR
  VERSION_VAR xxHash_VERSION
  REASON_FAILURE_MESSAGE
    "xxhash.h is missing: install libxxhash-dev (Debian, Ubuntu), xxhash (vcpkg, Homebrew) or xxhash/0.8.2 (Conan)"
)

if(xxHash_FOUND)
  set(xxHash_INCLUDE_DIRS "${xxHash_INCLUDE_DIR}")
endif()

unset(_xxhash_dirs)
unset(_xxhash_lines)
unset(_xxhash_part)
