// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The version of neardup, defined here only: the build files read these lines.

/// From version 1.0 on, every incompatible change of the interface increments this number.
#define NEARDUP_VERSION_MAJOR 0
/// Every addition increments this number. While the major version is 0, incompatible changes increment it, too.
#define NEARDUP_VERSION_MINOR 1
/// Every correction increments this number.
#define NEARDUP_VERSION_PATCH 0
/// The version as "major.minor.patch".
#define NEARDUP_VERSION_STRING "0.1.0"

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
// Includes a file that does not exist and whose name is a message. The compiler prints the name and stops. After
// #error, the compiler would continue, and print more errors.
#define NEARDUP_NEEDS "neardup needs C++20: compile with -std=c++20, or /std:c++20"
#include NEARDUP_NEEDS
#endif
