// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/edits/: from texts to pairs of similar texts.
#pragma once

#include "version.hpp"

#include "edits/edit_distance.hpp"
#include "edits/pairs.hpp"
