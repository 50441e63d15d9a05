// SPDX-License-Identifier: MIT
// All of neardup/passages/: from texts to the passages that stood before.
#pragma once

#include "version.hpp"

#include "passages/passages.hpp"
