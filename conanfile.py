import os
import re

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy, get, load

required_conan_version = ">=2.0"


class NeardupConan(ConanFile):
    name = "neardup"
    description = "Finds near-duplicate texts: exact joins and groups of feature sets, fingerprints, and an exact Hamming index"
    license = "MIT", "Unicode-DFS-2016"  # the latter: the Unicode tables
    topics = ("near-duplicates", "deduplication", "set-similarity-join", "simhash", "minhash", "hamming", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    # compiled: also the library neardup::compiled, which makes a package of one compiler.
    options = {"compiled": [True, False], "fPIC": [True, False]}
    default_options = {"compiled": False, "fPIC": True}
    exports_sources = "include/*", "src/*", "cmake/*", "CMakeLists.txt", "LICENSE*"
    no_copy_source = True
    # For those who work on neardup itself: conan install . && cmake --preset conan-release
    generators = "CMakeDeps", "CMakeToolchain"

    # In a checkout: the version of the checkout, and its sources. In a registry, conandata.yml has the address of the
    # sources of each version; tools/registry_files writes it.
    def set_version(self):
        if self.version:
            return
        header = load(self, os.path.join(self.recipe_folder, "include", "neardup", "version.hpp"))
        parts = [re.search(rf"#define NEARDUP_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
        if not all(parts):
            raise ConanException("include/neardup/version.hpp does not define the version")
        self.version = ".".join(part.group(1) for part in parts)

    def configure(self):
        if self.options.compiled:
            self.package_type = "static-library"
        if not self.options.compiled or self.settings.os == "Windows":
            del self.options.fPIC

    def layout(self):
        cmake_layout(self, src_folder="." if not self.conan_data else "src")

    def source(self):
        if self.conan_data:
            get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def requirements(self):
        # Its header only: neardup compiles it inline, so neither neardup nor its consumers link the library.
        self.requires("xxhash/[>=0.8.0 <0.9]", headers=True, libs=False, transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        if not self.info.options.compiled:
            self.info.clear()

    def build(self):
        if self.options.compiled:
            parts = ("TESTS", "EXAMPLES", "BENCH", "FUZZ", "DOCS")
            cmake = CMake(self)
            cmake.configure(variables={f"NEARDUP_BUILD_{part}": False for part in parts} | {"NEARDUP_BUILD_COMPILED": True})
            cmake.build(target="neardup_compiled")

    def package(self):
        copy(self, "*.a", src=self.build_folder, dst=os.path.join(self.package_folder, "lib"), keep_path=False)
        copy(self, "*.lib", src=self.build_folder, dst=os.path.join(self.package_folder, "lib"), keep_path=False)
        copy(self, "LICENSE*", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        for kind in ("*.hpp", "*.inl"):
            copy(self, kind, src=os.path.join(self.source_folder, "include"), dst=os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "neardup")
        self.cpp_info.set_property("pkg_config_name", "neardup")
        headers = self.cpp_info.components["headers"]
        headers.set_property("cmake_target_name", "neardup::neardup")
        headers.requires = ["xxhash::xxhash"]
        headers.bindirs = []
        headers.libdirs = []
        if self.options.compiled:
            compiled = self.cpp_info.components["compiled"]
            compiled.set_property("cmake_target_name", "neardup::compiled")
            compiled.requires = ["headers"]
            compiled.libs = ["neardup_compiled"]
            compiled.defines = ["NEARDUP_COMPILED"]
