// Which kept articles have the pairs of words of a clue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../common/postings.hpp"
#include "../stores/stores.hpp"

namespace docid {

/// The features of documents, each of which has those of one text at a time. What comes is collected, and lies in parts
/// of postings, which are merged when they are of like size; a text that is replaced or gone is passed over, and leaves
/// with the next merge, or when there are more features of such texts than of others.
/// Memory: 4 bytes a feature of a document and 12 for each different feature of a part; at most twice that, and some 2 MB,
/// after texts have gone.
class clue_index {
 public:
  struct finding {
    doc_number document;
    std::size_t common;  ///< so many of the features that were asked for are its own
  };

  /// `features` ascend, each once. Complexity: amortised O(n log m) for n features and m of all documents.
  void set(doc_number document, std::span<const std::uint32_t> features);
  /// Complexity: amortised linear in its features; one call takes no more time than a merge.
  void erase(doc_number document);

  /// The documents that have at least `least` of some features, which ascend: by how many, then by number; not more than
  /// `most`. Precondition: 1 <= least <= features.size().
  [[nodiscard]] std::vector<finding> holding(std::span<const std::uint32_t> features, std::size_t least,
                                             std::size_t most);

  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  /// A text of a document; it counts if it is the last one.
  struct entry {
    doc_number document;
    std::uint32_t version;
  };
  /// Postings give the places of entries.
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
    std::uint32_t features = 0;  // of the text that counts
  };
  std::vector<version> versions_;                // by the number of a document
  std::size_t all_features_ = 0, features_ = 0;  // of all entries, and of those that count
  std::vector<part> parts_;                      // the oldest first
  std::size_t next_part_ = 0;                    // that is looked through for what counts no more
  std::vector<entry> recent_entries_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> recent_;  // features, and places of entries
};

}  // namespace docid
