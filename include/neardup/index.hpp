// SPDX-License-Identifier: MIT
// Includes all public headers of neardup/index/, which find the fingerprints within k bits of a fingerprint.
#pragma once

#include "version.hpp"

#include "index/cost.hpp"
#include "index/flat_index.hpp"
#include "index/frozen_index.hpp"
#include "index/layout.hpp"
#include "index/match.hpp"
#include "index/pairs.hpp"
#include "index/pigeonhole_index.hpp"
#include "index/recall.hpp"
#include "index/searchable_index.hpp"
