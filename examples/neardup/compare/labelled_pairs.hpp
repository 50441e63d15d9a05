// Computes the precision and recall of each similarity, from pairs that a person has labelled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace command {

/// A share of `all` cases, with Wilson's score interval at 95 %.
struct labelled_share {
  std::uint64_t part = 0, all = 0;

  /// Returns part / all, or nullopt if there are no cases.
  [[nodiscard]] std::optional<double> value() const;
  /// low() and high() return the ends of the interval. If there are no cases, these are 0 and 1.
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

/// A range of similarities, in hundredths. `--similarity` finds the same near-duplicates with each value from `from` to
/// `to`.
struct labelled_limit {
  int from, to;
  labelled_share precision;  ///< share of the near-duplicate pairs that are labelled as the same
  labelled_share recall;     ///< share of the pairs labelled as the same that are near-duplicates

  /// Returns the harmonic mean of precision and recall, or 0 if no near-duplicate pair is labelled as the same.
  [[nodiscard]] double f1() const;
  /// Returns the similarity in the middle of the range from `from` to `to`.
  [[nodiscard]] double similarity() const {
    const int middle = from + (to - from) / 10 * 5;
    return middle / 100.0;
  }
};

/// Returns the results for the similarities .05, .1, … 1, ascending. Similarities with the same result are one limit.
/// The first similarity is the highest one that finds all labelled pairs, or .05 if there is none. A lower similarity
/// would also find pairs that are less similar than all labelled pairs.
std::vector<labelled_limit> limits_of(std::span<const labelled_pair> pairs);

/// Returns the position of the limit with the highest F1; of equal limits the one with the widest range, then the
/// first.
/// Precondition: there are limits, so there are pairs.
std::size_t best_limit(std::span<const labelled_limit> limits);

}  // namespace command
