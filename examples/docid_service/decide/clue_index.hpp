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
/// with the next merge. Memory: 4 bytes a feature of a document and 12 for each different feature of a part.
class clue_index {
 public:
  struct finding {
    doc_number document;
    std::size_t common;  ///< so many of the features that were asked for are its own
  };

  /// `features` ascend, each once. Complexity: amortised O(n log m) for n features and m of all documents.
  void set(doc_number document, std::span<const std::uint32_t> features);
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
  void close_recent();
  [[nodiscard]] part merged(const part& a, const part& b) const;

  struct version {
    std::uint32_t number = 0;
    bool is_there = false;
  };
  std::vector<version> versions_;  // by the number of a document
  std::size_t entries_ = 0, there_ = 0;
  std::vector<part> parts_;  // the oldest first
  std::vector<entry> recent_entries_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> recent_;  // features, and places of entries
};

}  // namespace docid
