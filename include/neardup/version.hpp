#pragma once

/// \file
/// The version of neardup. This is the one place that holds it: the build files read these lines.

/// Changes with every incompatible interface (from 1.0 on).
#define NEARDUP_VERSION_MAJOR 0
/// Changes with every addition; while the major number is 0, also with every incompatible interface.
#define NEARDUP_VERSION_MINOR 1
/// Changes with every correction.
#define NEARDUP_VERSION_PATCH 0
/// The three numbers as "major.minor.patch".
#define NEARDUP_VERSION_STRING "0.1.0"

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
// A file that is missing ends the compilation: one sentence, and no errors behind it, as #error would have them.
#define NEARDUP_NEEDS "neardup needs C++20: compile with -std=c++20, or /std:c++20"
#include NEARDUP_NEEDS
#endif
