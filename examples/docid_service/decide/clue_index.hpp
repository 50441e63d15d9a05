// Finds the kept articles that contain most pairs of words of a clue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../common/postings.hpp"
#include "../stores/stores.hpp"

namespace docid {

/// An inverted index of the features of documents. Each document has the features of one text at a time. New texts are
/// collected, then closed into parts, and parts of similar size are merged. If a text is replaced or erased, its
/// entries become outdated. Searches skip outdated entries. The next merge removes the outdated entries. A clean-up
/// removes them earlier if they have more features than the other entries.
/// Memory: 4 bytes for each feature of a document and 12 for each distinct feature of a part. After many texts are
/// erased, the index takes at most twice this memory and about 2 MB.
class clue_index {
 public:
  struct finding {
    doc_number document;
    std::size_t common;  ///< number of the requested features that the document has
  };

  /// Sets the features of a document.
  /// Precondition: the features are ascending and distinct.
  /// Complexity: amortised O(n log m) for n features and m features of all documents.
  void set(doc_number document, std::span<const std::uint32_t> features);
  /// Erases a document.
  /// Complexity: amortised linear in the number of the document's features. One call takes at most the time of a merge.
  void erase(doc_number document);

  /// Returns the documents that have at least `least` of the features, at most `most` documents, sorted by descending
  /// number of common features, then by number.
  /// Precondition: 1 <= least <= features.size(); the features ascend.
  [[nodiscard]] std::vector<finding> holding(std::span<const std::uint32_t> features, std::size_t least,
                                             std::size_t most);

  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  /// A text of a document. It is outdated unless `version` is the latest version of the document.
  struct entry {
    doc_number document;
    std::uint32_t version;
  };
  /// A part of the index. Its posting lists contain indices into `entries`.
  struct part {
    std::vector<entry> entries;
    common::posting_columns postings;
  };

  [[nodiscard]] bool counts(const entry& one) const { return versions_[one.document].number == one.version; }
  void retire(doc_number document);
  void give_back();
  void close_recent();
  void forget_recent() noexcept;
  [[nodiscard]] part merged(const part& a, const part& b) const;

  struct version {
    std::uint32_t number = 0;
    std::uint32_t features = 0;  // number of features of the latest text
  };
  std::vector<version> versions_;  // by document number
  // `all_features_`: number of features of all entries. `features_`: the same without outdated entries.
  std::size_t all_features_ = 0, features_ = 0;
  std::vector<part> parts_;    // oldest part first
  std::size_t next_part_ = 0;  // the next part to search for outdated entries
  std::vector<entry> recent_entries_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> recent_;  // (feature, index of its entry)
};

}  // namespace docid
