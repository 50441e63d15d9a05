// An inverted index: finds the documents that contain most features of a clue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace common {

/// The error for inconsistent arrays, which occur in damaged files.
struct postings_error : std::runtime_error {
  postings_error() : std::runtime_error("its parts do not fit each other") {}
};

/// Posting lists in arrays that the caller owns.
class posting_lists {
 public:
  struct finding {
    std::uint32_t document;
    std::size_t common;  ///< number of the requested features that the document has
  };

  posting_lists() = default;
  /// Makes posting lists. `features` and each list ascend. The list of features[i] ends before documents[ends[i]].
  /// Throws: postings_error if the sizes are inconsistent.
  posting_lists(std::span<const std::uint32_t> features, std::span<const std::uint64_t> ends,
                std::span<const std::uint32_t> documents);

  [[nodiscard]] bool empty() const noexcept { return features_.empty(); }

  /// Returns the documents that have at least `least` of the n ascending `features`, sorted by descending number of
  /// common features, then by document number. Prefix filter: only documents in the posting lists of the n - least + 1
  /// rarest features are candidates, because each result has at least one of these features.
  /// Precondition: 1 <= least <= features.size(). Throws: postings_error if a list contains an invalid document number.
  /// Complexity: O(p log p + c n log d) for p postings of the rarest features, c candidates, and lists of d documents.
  [[nodiscard]] std::vector<finding> holding(std::span<const std::uint32_t> features, std::size_t least,
                                             std::size_t number_of_documents) const;

 private:
  [[nodiscard]] std::span<const std::uint32_t> documents_with(std::uint32_t feature) const;

  std::span<const std::uint32_t> features_;
  std::span<const std::uint64_t> ends_;
  std::span<const std::uint32_t> documents_;
};

/// Posting lists that own their arrays. They are made from pairs of a feature and a document.
/// Complexity: O(n log n) for n pairs, with 8 bytes per pair.
struct posting_columns {
  posting_columns() = default;
  explicit posting_columns(std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs);

  [[nodiscard]] posting_lists lists() const { return {features, ends, documents}; }

  std::vector<std::uint32_t> features;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint32_t> documents;
};

/// Returns the least number of features that make up `share` of `features` features. The result is at least 1.
[[nodiscard]] std::size_t least_of(std::size_t features, double share);

}  // namespace common
