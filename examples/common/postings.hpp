// Which documents have a feature: what finds those that hold a clue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace common {

/// Arrays that do not fit each other, as those of a damaged file.
struct postings_error : std::runtime_error {
  postings_error() : std::runtime_error("its parts do not fit each other") {}
};

/// The documents of each feature, in arrays of somebody else.
class posting_lists {
 public:
  struct finding {
    std::uint32_t document;
    std::size_t common;  ///< so many of the features that were asked for are its own
  };

  posting_lists() = default;
  /// `features` ascend, each once; `ends`: of each one where its documents end; `documents`, of a feature ascending.
  /// Throws: postings_error if their sizes do not fit.
  posting_lists(std::span<const std::uint32_t> features, std::span<const std::uint64_t> ends,
                std::span<const std::uint32_t> documents);

  [[nodiscard]] bool empty() const noexcept { return features_.empty(); }

  /// Each document that has at least `least` of some features, which ascend: by how many, then by number. Of n features,
  /// rare first, such a document has one of the first n - least + 1, so only these give candidates.
  /// Precondition: 1 <= least <= features.size(). Throws: postings_error if a number is that of no document.
  /// Complexity: O(p log p + c n log d) for p documents of the first features, c different ones, d documents of a feature.
  [[nodiscard]] std::vector<finding> holding(std::span<const std::uint32_t> features, std::size_t least,
                                             std::size_t number_of_documents) const;

 private:
  [[nodiscard]] std::span<const std::uint32_t> documents_with(std::uint32_t feature) const;

  std::span<const std::uint32_t> features_;
  std::span<const std::uint64_t> ends_;
  std::span<const std::uint32_t> documents_;
};

/// The same, made of pairs of a feature and a document. Complexity: O(n log n), 8 bytes for each of n pairs.
struct posting_columns {
  posting_columns() = default;
  explicit posting_columns(std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs);

  [[nodiscard]] posting_lists lists() const { return {features, ends, documents}; }

  std::vector<std::uint32_t> features;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint32_t> documents;
};

/// Of all features the least number that are at least this share of them; at least 1.
[[nodiscard]] std::size_t least_of(std::size_t features, double share);

}  // namespace common
