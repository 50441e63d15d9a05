// From texts to those of an edit similarity: all of neardup/edits/.
#pragma once

#include "version.hpp"

#include "edits/edit_distance.hpp"
#include "edits/pairs.hpp"
