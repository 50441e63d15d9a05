#pragma once

// The tests build with Catch2 2 (Debian 12) and Catch2 3 (vcpkg, Conan).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
