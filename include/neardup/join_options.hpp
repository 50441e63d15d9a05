// SPDX-License-Identifier: MIT
// The options of joins: pairs and visit_pairs of fingerprints, sets and texts.
#pragma once

#include "runner.hpp"

namespace neardup::inline v0 {

/// Options of pairs and visit_pairs. Only `copies_once` changes a result.
struct join_options {
  /// Reduces the pairs of copies within one corpus. Of equal inputs only the first is paired with other inputs, and
  /// each copy is paired with that first one only. A thousand copies of a text then give 999 pairs, not 499,500.
  bool copies_once = false;

  /// The runner that spreads the work over threads: `threads{8}`, or a runner of yours.
  any_runner run = {};
};

}  // namespace neardup::inline v0
