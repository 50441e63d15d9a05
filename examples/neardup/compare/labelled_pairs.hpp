// Computes the precision and recall of each similarity, from pairs that a person has labelled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace command {

/// The share `part` / `all` of some cases, with its Wilson score interval at 95 %.
struct labelled_share {
  std::uint64_t part = 0, all = 0;

  /// Returns part / all, or nullopt if `all` is 0.
  [[nodiscard]] std::optional<double> value() const;
  /// low() and high() return the ends of the interval, which are 0 and 1 if `all` is 0.
  [[nodiscard]] double low() const { return end(-1); }
  [[nodiscard]] double high() const { return end(1); }

 private:
  [[nodiscard]] double end(double side) const;
};

/// A pair with its label. Its similarity is computed from one kind of features.
struct labelled_pair {
  double similarity;
  bool is_same;
};

/// A range of similarities, in hundredths. With each --similarity from `from` to `to`, the same labelled pairs are
/// near-duplicates.
struct labelled_limit {
  int from, to;
  labelled_share precision;  ///< share of the near-duplicate pairs that are labelled as the same
  labelled_share recall;     ///< share of the pairs labelled as the same that are near-duplicates

  /// Returns the harmonic mean of precision and recall, or 0 if no near-duplicate pair is labelled as the same.
  [[nodiscard]] double f1() const;
  /// Returns the middle of the range, rounded down to a multiple of .05.
  [[nodiscard]] double similarity() const {
    const int middle = from + (to - from) / 10 * 5;
    return middle / 100.0;
  }
};

/// Returns the limits for the similarities .05, .1, … 1, ascending. Adjacent similarities with the same result are one
/// limit. The first similarity is the highest at which all labelled pairs are found, or .05. Lower similarities are
/// left out, because the labels say nothing about less similar pairs.
std::vector<labelled_limit> limits_of(std::span<const labelled_pair> pairs);

/// Returns the position of the limit with the highest F1. If several limits have it, the widest range is chosen, then
/// the first.
/// Precondition: `limits` is not empty.
std::size_t best_limit(std::span<const labelled_limit> limits);

}  // namespace command
