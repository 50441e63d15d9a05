#pragma once

// FAST_COMPILE leaves out the try block around each check: an exception out of a check ends the test case. With it, and
// without CATCH_INTERNAL_IGNORE_BUT_WARN below, tests compile in seven eighths of the time. That macro compiles each check
// a second time, so that compilers warn of its comparison; clang++, which takes no time for it, still does.
#define CATCH_CONFIG_FAST_COMPILE

// The tests build with Catch2 2 (Debian 12) and Catch2 3 (vcpkg, Conan).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#undef CATCH_INTERNAL_IGNORE_BUT_WARN
#define CATCH_INTERNAL_IGNORE_BUT_WARN(...)
#endif
