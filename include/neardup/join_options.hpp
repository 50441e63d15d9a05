// SPDX-License-Identifier: MIT
// The options of joins: of pairs() and visit_pairs() for fingerprints, sets and texts.
#pragma once

#include "runner.hpp"

namespace neardup::inline v0 {

/// Options of pairs() and visit_pairs(). Of these options, only `copies_once` changes a result.
struct join_options {
  /// If true, there are fewer pairs of equal inputs (copies) within one corpus. Only the first of equal inputs is
  /// paired with other inputs, and each copy is paired only with the first one. A thousand copies of a text then give
  /// 999 pairs, not 499,500.
  bool copies_once = false;

  /// Spreads the work over threads: `threads{8}`, or a runner of your own.
  any_runner run = {};
};

}  // namespace neardup::inline v0
