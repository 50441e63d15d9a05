// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/passages/, which find the passages of texts that occurred before.
#pragma once

#include "version.hpp"

#include "passages/passages.hpp"
