// Finds the kept articles that have the pairs of words of a clue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../common/postings.hpp"
#include "../stores/stores.hpp"

namespace docid {

/// An inverted index of the features of documents; each document has the features of one text at a time. New texts are
/// collected, then closed into parts, and parts of similar size are merged. The entries of a text that is replaced or
/// erased become outdated: searches skip them, and the next merge, or a clean-up when they outnumber the others,
/// removes them.
/// Memory: 4 bytes for each feature of a document and 12 for each distinct feature of a part; after many texts are
/// erased, at most twice that and some 2 MB.
class clue_index {
 public:
  struct finding {
    doc_number document;
    std::size_t common;  ///< how many of the requested features the document has
  };

  /// Sets the features of a document; they ascend, each once. Complexity: amortised O(n log m) for n features and m of
  /// all documents.
  void set(doc_number document, std::span<const std::uint32_t> features);
  /// Erases a document. Complexity: amortised linear in the number of the document's features; one call takes at most
  /// the time of a merge.
  void erase(doc_number document);

  /// The documents that have at least `least` of the features (which ascend), at most `most` of them, sorted by their
  /// number of common features, then by number. Precondition: 1 <= least <= features.size().
  [[nodiscard]] std::vector<finding> holding(std::span<const std::uint32_t> features, std::size_t least,
                                             std::size_t most);

  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  /// A text of a document. It is outdated unless `version` is the latest version of the document.
  struct entry {
    doc_number document;
    std::uint32_t version;
  };
  /// A part of the index. Its posting lists contain indices of `entries`.
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
  std::vector<version> versions_;                // for each document number
  std::size_t all_features_ = 0, features_ = 0;  // number of features of all entries, and of the entries not outdated
  std::vector<part> parts_;                      // the oldest part first
  std::size_t next_part_ = 0;                    // the next part to look through for outdated entries
  std::vector<entry> recent_entries_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> recent_;  // pairs of a feature and the index of its entry
};

}  // namespace docid
