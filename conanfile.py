import os
import re

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class NeardupConan(ConanFile):
    name = "neardup"
    description = "Finds near-duplicate texts: SimHash fingerprints and an exact in-memory Hamming index"
    license = "MIT", "Unicode-DFS-2016"  # the latter: the Unicode tables
    topics = ("simhash", "near-duplicates", "deduplication", "hamming", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    implements = ["auto_header_only"]
    exports_sources = "include/*", "LICENSE*"
    no_copy_source = True
    # For those who work on neardup itself: conan install . && cmake --preset conan-release
    generators = "CMakeDeps", "CMakeToolchain"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "neardup", "version.hpp"))
        parts = [re.search(rf"#define NEARDUP_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
        if not all(parts):
            raise ConanException("include/neardup/version.hpp does not define the version")
        self.version = ".".join(part.group(1) for part in parts)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # Its header only: neardup compiles it inline, so neither neardup nor its consumers link the library.
        self.requires("xxhash/[>=0.8.0 <0.9]", headers=True, libs=False, transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE*", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        copy(
            self,
            "*.hpp",
            src=os.path.join(self.source_folder, "include"),
            dst=os.path.join(self.package_folder, "include"),
        )

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "neardup")
        self.cpp_info.set_property("cmake_target_name", "neardup::neardup")
        self.cpp_info.set_property("pkg_config_name", "neardup")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
