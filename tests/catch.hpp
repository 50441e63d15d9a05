#pragma once

// FAST_COMPILE leaves out the try block around each check, so an exception that leaves a check ends the test case.
// CATCH_INTERNAL_IGNORE_BUT_WARN compiles each check a second time, so that the compiler warns of a comparison in the
// check. Without the try blocks and without that macro, g++ compiles the tests in seven eighths of the time. clang++
// keeps the macro, because there the second check takes no time.
#define CATCH_CONFIG_FAST_COMPILE

// The tests build with Catch2 2 (Debian 12) and Catch2 3 (Debian 13, vcpkg, Conan).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif

#if defined(__GNUC__) && !defined(__clang__)
#undef CATCH_INTERNAL_IGNORE_BUT_WARN
#define CATCH_INTERNAL_IGNORE_BUT_WARN(...)
#endif

// In a program of several folders (tests/CMakeLists.txt), the name of a test begins with its folder.
#if defined(NEARDUP_TEST_FOLDER)
#undef TEST_CASE
#undef TEMPLATE_TEST_CASE
#undef TEMPLATE_TEST_CASE_SIG
#define TEST_CASE(...) INTERNAL_CATCH_TESTCASE(NEARDUP_TEST_FOLDER __VA_ARGS__)
#define TEMPLATE_TEST_CASE(...) INTERNAL_CATCH_TEMPLATE_TEST_CASE(NEARDUP_TEST_FOLDER __VA_ARGS__)
#define TEMPLATE_TEST_CASE_SIG(...) INTERNAL_CATCH_TEMPLATE_TEST_CASE_SIG(NEARDUP_TEST_FOLDER __VA_ARGS__)
#endif
