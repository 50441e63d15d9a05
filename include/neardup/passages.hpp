// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/passages/: from texts to the passages that occurred before.
#pragma once

#include "version.hpp"

#include "passages/passages.hpp"
