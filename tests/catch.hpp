#pragma once

// Without a try block around each check, and with none of them compiled twice, tests compile in seven eighths of the
// time. An exception out of a check then ends the test case. The second copy lets g++ warn of what is compared in a
// check; clang++, which does not spend time on it, still does.
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
