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
