// Finds the contents that share enough features with another one to be similar to it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <neardup/dedup/decider.hpp>
#include <span>
#include <utility>
#include <vector>

#include "../stores/stores.hpp"

namespace docid {

/// The contents of documents, in posting lists of their rare features. No content with at least the threshold's Jaccard
/// similarity is missed. Like memory_index it is in memory only: it starts empty, and is given all documents of the
/// mapping.
///
/// Additions of a transaction are found at once, and are gone after a rollback. Whenever a document is added, the
/// features of any other documents may be requested, because the order of features is learnt anew each time the number
/// of documents has doubled (see feature_candidates).
/// Memory: that of feature_candidates, and 16 bytes for each document number.
class feature_index {
  using source = neardup::feature_candidates;

 public:
  /// Returns the features of a document's current content, none if it is erased; valid until the next call.
  using feature_reader = std::function<std::span<const std::uint32_t>(doc_number)>;

  feature_index(double similarity, feature_reader features_of)
      : features_of_(std::move(features_of)), source_(similarity), differing_((1 - similarity) / (1 + similarity)) {}

  /// The argument of the last commit. 0 if there was none, or a rollback has failed, so that all documents have to be
  /// given again.
  [[nodiscard]] std::uint64_t known() {
    if (is_lost_) {
      source_ = source_.fresh();
      known_ = 0;
      is_lost_ = false;
    }
    return known_;
  }

  /// Announces documents that will be given, so that the order of features is learnt from them once. Precondition: the
  /// index is empty.
  void expect(std::span<const doc_number> documents) { source_.learn_from(documents, features_of_); }

  /// Adds a document that the mapping has committed, or replaces its content by a committed one.
  void take(doc_number document, std::span<const std::uint32_t> features) {
    const struct { std::span<const std::uint32_t> features; } content{features};
    source_.insert(content, document, features_of_);
    if (document >= marks_.size()) marks_.resize(std::size_t{document} + 1);
    marks_[document] = mark_of(features);
  }

  /// The documents that may be similar enough, by age. They may include erased ones.
  [[nodiscard]] std::vector<doc_number> near(const description& content) {
    std::vector<doc_number> result;
    const mark own = mark_of(content.features);
    source_.for_each(content, scratch_, [&](doc_number document) {
      if (may_be_similar(own, marks_[document])) result.push_back(document);
    });
    return result;
  }

  /// Precondition: the document is not in the index, and `content` has features.
  void insert(doc_number document, const description& content) { add(document, content, {}); }
  /// Replaces the content of a document. Precondition: both contents have features.
  void replace(doc_number document, description old, const description& content) {
    add(document, content, std::move(old));
  }

  /// Erases the document when the transaction commits. Precondition: the document has this content.
  void erase(doc_number document, description content) { gone_.emplace_back(document, std::move(content)); }

  /// Called when the mapping has committed. `known`: see known_state.
  void commit(std::uint64_t known) noexcept {
    for (const auto& [document, content] : gone_) source_.erase(content, document);
    gone_.clear();
    added_.clear();
    known_ = known;
  }

  void rollback() noexcept {
    for (; !added_.empty(); added_.pop_back()) {
      const addition& last = added_.back();
      source_.erase(last.content, last.document);
      if (last.old.features.empty()) continue;
      try {
        take(last.document, last.old.features);
      } catch (...) {
        is_lost_ = true;
      }
    }
    gone_.clear();
  }

 private:
  struct addition {
    doc_number document;
    description content;
    description old;  // the previous content; has no features if there was none
  };

  void add(doc_number document, const description& content, description old) {
    added_.push_back({document, content, std::move(old)});
    try {
      take(document, content.features);
    } catch (...) {
      added_.pop_back();
      throw;
    }
  }

  /// The entry of a content: bounds for comparisons. Its features are elsewhere.
  struct mark {
    std::uint64_t bitmap = 0;  // each feature flips one of its bits
    std::uint32_t size = 0;
  };
  static mark mark_of(std::span<const std::uint32_t> features) {
    mark result{0, static_cast<std::uint32_t>(features.size())};
    for (const std::uint32_t feature : features) result.bitmap ^= std::uint64_t{1} << (feature & 63U);
    return result;
  }

  /// Sets of a and b features with a Jaccard similarity of s differ in (1 - s) / (1 + s) (a + b) features, so their
  /// bitmaps differ in at most as many bits. This bitmap is independent of the bitmap by which feature_candidates
  /// discards candidates, so it discards most of the remaining candidates.
  [[nodiscard]] bool may_be_similar(const mark& a, const mark& b) const {
    constexpr double rounding = 0.001;
    const double most = differing_ * (static_cast<double>(a.size) + static_cast<double>(b.size)) + rounding;
    return std::popcount(a.bitmap ^ b.bitmap) <= most;
  }

  feature_reader features_of_;
  source source_;
  source::workspace scratch_;
  double differing_;
  std::vector<mark> marks_;  // for each document number
  std::uint64_t known_ = 0;
  bool is_lost_ = false;
  // changes of the current transaction
  std::vector<addition> added_;
  std::vector<std::pair<doc_number, description>> gone_;
};

}  // namespace docid
