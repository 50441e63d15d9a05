// An exact join of similar sets. Its pairs are the truth with which fingerprints are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace accuracy {

/// Sets of features, one for each document. A feature is the rank of its document frequency: 0 is the rarest.
class feature_sets {
 public:
  /// Makes the sets from the hashes of each document's features, which must be distinct and sorted.
  explicit feature_sets(const std::vector<std::vector<std::uint64_t>>& hashes);

  [[nodiscard]] std::size_t size() const noexcept { return offsets_.size() - 1; }

  /// The document frequency of each feature, by rank.
  [[nodiscard]] const std::vector<std::uint32_t>& frequencies() const noexcept { return frequencies_; }

  /// The features of a document, ascending.
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t document) const noexcept {
    return std::span(features_).subspan(offsets_[document], offsets_[document + 1] - offsets_[document]);
  }

 private:
  std::vector<std::uint32_t> features_;
  std::vector<std::size_t> offsets_;
  std::vector<std::uint32_t> frequencies_;
};

/// The number of features that are in both sets.
std::size_t overlap(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

/// The Jaccard similarity of two sets with these sizes and this overlap.
double jaccard(std::size_t size_a, std::size_t size_b, std::size_t common);

/// A function that is called with the number of the calling thread, two documents a < b, and the overlap of their sets.
using join_visitor = std::function<void(unsigned thread, std::uint32_t a, std::uint32_t b, std::size_t common)>;

/// Visits each pair of sets with a Jaccard similarity of at least `threshold`, which is above 0. Each pair is visited
/// once, in any order. Empty sets are in no pair. In each run, a thread makes the same visits.
/// Source: Xiao, Wang, Lin, Yu, "Efficient Similarity Joins for Near Duplicate Detection" (PPJoin), WWW 2008.
void similarity_join(const feature_sets& sets, double threshold, unsigned threads, const join_visitor& visit);

}  // namespace accuracy
