// SPDX-License-Identifier: MIT
// All of neardup/edits/: from texts to pairs of similar texts.
#pragma once

#include "version.hpp"

#include "edits/edit_distance.hpp"
#include "edits/pairs.hpp"
