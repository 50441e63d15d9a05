// Which contents share enough features with another one to be similar to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <neardup/dedup/join/feature_candidates.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../stores/stores.hpp"

namespace docid {

/// The contents of documents, in postings of their rare features: of what has a Jaccard similarity of at least a
/// threshold, nothing is missed. In memory, as memory_index is: at the start it knows nothing, and is given all that the
/// mapping has.
///
/// What a transaction adds is apart until the commit. Then features may be asked for, of any documents: the order of
/// features is learnt anew when there are twice as many, see feature_candidates.
/// Memory: that of feature_candidates, and 8 bytes for each number of a document.
class feature_index {
  using source = neardup::detail::feature_candidates<fingerprint>;

 public:
  /// Gives the features of the content of a document that was committed, none if it is gone; valid until the next call.
  using feature_reader = std::function<std::span<const std::uint32_t>(doc_number)>;

  feature_index(double similarity, feature_reader features_of)
      : features_of_(std::move(features_of)), committed_(similarity), added_(similarity) {}

  [[nodiscard]] std::uint64_t known() const { return known_; }

  /// Says which documents will be inserted, so that the order of features need not be learnt while they are.
  /// Precondition: there are none.
  void expect(std::span<const doc_number> documents) { committed_.learn_from(documents, features_of_); }

  /// Has a document that was committed before the transaction, or has this content since then.
  void take(doc_number document, const fingerprint& print, std::span<const std::uint32_t> features) {
    const struct { std::span<const std::uint32_t> features; } content{features};
    committed_.insert(content, document, features_of_);
    set_print(document, print);
  }

  /// The documents that may be similar enough, what the transaction added included: by the distance of the fingerprints,
  /// then age. One that is gone may be among them.
  [[nodiscard]] std::vector<candidate> near(const description& content) {
    std::vector<candidate> result;
    const auto add = [&](doc_number document) {
      result.push_back({document, neardup::hamming_distance(*content.print, prints_[document])});
    };
    committed_.for_each(content, scratch_, add);
    if (!new_.empty()) added_.for_each(content, scratch_, [&](std::uint32_t place) { add(new_[place].first); });
    std::sort(result.begin(), result.end(), [](const candidate& a, const candidate& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.document < b.document;
    });
    const auto is_same = [](const candidate& a, const candidate& b) { return a.document == b.document; };
    result.erase(std::unique(result.begin(), result.end(), is_same), result.end());
    return result;
  }

  /// A document that is there already has this content now. Precondition: it has a fingerprint.
  void insert(doc_number document, const description& content) {
    if (new_.empty()) added_ = added_.fresh();
    const auto place = static_cast<std::uint32_t>(new_.size());
    new_.emplace_back(document, content);
    old_prints_.emplace_back(document, document < prints_.size() ? prints_[document] : fingerprint());
    added_.insert(content, place, [this](std::uint32_t other) -> std::span<const std::uint32_t> {
      return new_[other].second.features;
    });
    set_print(document, *content.print);
  }

  /// Precondition: it has this content.
  void erase(doc_number document, description content) { gone_.emplace_back(document, std::move(content)); }

  /// The mapping has committed. `known`: see known_state. If it throws, the next transaction gives again what is missing.
  void commit(std::uint64_t known) {
    for (const auto& [document, content] : gone_) committed_.erase(content, document);
    gone_.clear();
    for (const auto& [document, content] : new_) committed_.insert(content, document, features_of_);
    forget_new();
    known_ = known;
  }

  void rollback() noexcept {
    for (auto old = old_prints_.rbegin(); old != old_prints_.rend(); ++old) {
      if (old->first < prints_.size()) prints_[old->first] = old->second;
    }
    gone_.clear();
    forget_new();
  }

 private:
  void set_print(doc_number document, const fingerprint& print) {
    if (document >= prints_.size()) prints_.resize(std::size_t{document} + 1);
    prints_[document] = print;
  }

  void forget_new() noexcept {
    new_.clear();
    old_prints_.clear();
  }

  feature_reader features_of_;
  source committed_;
  std::vector<fingerprint> prints_;  // by the number of a document
  std::uint64_t known_ = 0;
  source::workspace scratch_;

  // Of the transaction.
  source added_;  // by the places of these; what it has counts if there are any
  std::vector<std::pair<doc_number, description>> new_;
  std::vector<std::pair<doc_number, fingerprint>> old_prints_;
  std::vector<std::pair<doc_number, description>> gone_;
};

}  // namespace docid
