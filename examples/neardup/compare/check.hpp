// The exact check decides whether two documents with close fingerprints are near-duplicates.
#pragma once

#include <compare>
#include <neardup/dedup/checks.hpp>
#include <neardup/index/match.hpp>
#include <neardup/threshold.hpp>
#include <numeric>

#include "../../common/passages.hpp"
#include "../describe/readers.hpp"
#include "../describe/settings.hpp"
#include "../read/input_settings.hpp"
#include "feature_store.hpp"

namespace command {

/// Checks a candidate pair. The exact similarity that --check names decides. Without --check, two short documents match
/// only if their features are equal, and other documents always match.
neardup::check_result check_documents(const comparison_settings& settings, feature_set a, feature_set b);
inline bool are_near_duplicates(const comparison_settings& settings, feature_set a, feature_set b) {
  return check_documents(settings, a, b).accepts;
}

/// Returns the distance within which two documents are a candidate pair, and the number of blocks.
inline neardup::bits within_of(const comparison_settings& settings) {
  return neardup::bits{settings.distance}.in_blocks(settings.blocks);
}

/// The features, or the normalised texts, of all documents for the exact check.
/// Memory: see feature_store.
class document_check {
 public:
  /// Makes an empty check. `memory`: see feature_store.
  document_check(const comparison_settings& settings, std::uint64_t memory)
      : settings_(settings), features_(memory, settings.is_exact ? bytes_of_exact_join : bytes_of_join) {}

  void add(feature_set features) {
    any_short_ = any_short_ || !(features.empty() || std::ranges::equal(features, unknown_features));
    features_.add(features);
  }
  [[nodiscard]] std::size_t size() const noexcept { return features_.size(); }
  [[nodiscard]] feature_set operator[](std::size_t i) const { return features_[i]; }

  [[nodiscard]] bool is_in_memory() const noexcept { return features_.is_in_memory(); }
  [[nodiscard]] std::uint64_t feature_count() const noexcept { return features_.feature_count(); }

  /// Returns true if the check decides, or false if fingerprints alone decide.
  [[nodiscard]] bool decides() const { return settings_.min_similarity || any_short_; }

  /// Returns true if a join of features finds all pairs that the check accepts: the check uses a Jaccard similarity
  /// above 0, and all features are in memory. A join does not find the pairs of similarity 0.
  [[nodiscard]] bool can_join() const {
    return settings_.checks_jaccard() && *settings_.min_similarity > 0 && features_.is_in_memory();
  }

  /// Checks a candidate pair.
  /// Thread safety: several threads may call this function at once.
  [[nodiscard]] neardup::check_result operator()(std::size_t i, std::size_t j) const {
    return check_documents(settings_, features_[i], features_[j]);
  }

 private:
  // The bytes that a run stores for each document, without its features: for fingerprints and their join (the first
  // constant), or for a join of sets (the second).
  static constexpr std::uint64_t bytes_of_join = 60, bytes_of_exact_join = 250;

  const comparison_settings& settings_;
  feature_store features_;
  bool any_short_ = false;
};

/// The numbers of consecutive or listed documents. There is one class for the two cases, so that the joins are compiled
/// once.
class document_numbers {
 public:
  /// Selects the documents from `first` to `end` - 1.
  document_numbers(std::size_t first, std::size_t end) : first_(first), size_(end - first) {}
  /// Selects the documents of a list.
  /// Precondition: the list outlives this object.
  document_numbers(std::span<const std::uint32_t> list) : size_(list.size()), list_(list.data()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const {
    return list_ != nullptr ? list_[i] : static_cast<std::uint32_t>(first_ + i);
  }

 private:
  std::size_t first_ = 0, size_;
  const std::uint32_t* list_ = nullptr;
};

/// The sets of documents, for the exact joins of the library.
class checked_sets {
 public:
  checked_sets(const document_check& all, document_numbers numbers) : all_(all), numbers_(numbers) {}

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  [[nodiscard]] feature_set operator[](std::size_t i) const { return all_[numbers_[i]]; }

 private:
  const document_check& all_;
  document_numbers numbers_;
};

/// The normalised texts of documents, for a check by edit similarity.
class checked_texts {
 public:
  checked_texts(const document_check& all, document_numbers numbers) : all_(all), numbers_(numbers) {}

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return normalised_text(all_[numbers_[i]]); }

 private:
  const document_check& all_;
  document_numbers numbers_;
};

/// Returns the measure of similarity of an exact join.
/// Precondition: the check compares sets.
neardup::set_similarity set_measure_of(const comparison_settings& settings);

/// Returns the least similarity of two sets that match, with its measure.
/// Precondition: `settings.min_similarity` is set.
inline neardup::set_threshold set_threshold_of(const comparison_settings& settings) {
  return {set_measure_of(settings), *settings.min_similarity, settings.is_lossless ? std::size_t{1} : 0};
}

/// Returns an array of `count` elements. Element i is the first document that equals document i. `compare(a, b)` orders
/// the documents. It returns 0 for equal documents.
template <class Number, class Compare>
std::vector<Number> first_of_equal(Number count, const Compare& compare) {
  std::vector<Number> order(count);
  std::iota(order.begin(), order.end(), Number{0});
  std::sort(order.begin(), order.end(), [&](Number a, Number b) {
    const auto by_contents = compare(a, b);
    return by_contents != 0 ? by_contents < 0 : a < b;
  });
  std::vector<Number> first(count);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_copy = i > 0 && compare(order[i - 1], order[i]) == 0;
    first[order[i]] = is_copy ? first[order[i - 1]] : order[i];
  }
  return first;
}
inline std::strong_ordering compare_features(feature_set a, feature_set b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

/// Returns the similarity that is estimated from a distance: the Jaccard similarity for min-wise codes, the cosine for
/// SimHash, and the share of equal bits for codes of other programs.
double estimate_of(const fingerprint_settings& settings, int distance);

/// A passage of a document's text that contains much of another document. `offset` and `length` are in bytes. `words`
/// has the passage in square brackets, and words before and after it.
struct shown_passage {
  std::optional<std::size_t> offset;  ///< nullopt with --fold-chinese: the folded text has other positions
  std::size_t length;
  std::string words;
  std::string field = {};  ///< field of the record, if several fields are texts
};
/// Converts the passage `where` of `text` to a shown_passage. `field`: the name of the field with the text; empty if a
/// record has one text.
shown_passage shown_in(const input_settings& settings, std::string field, std::string_view text,
                       const common::passage& where);

/// A document and another document close to it, as `pairs`, `query` and `unique --dropped` print them.
struct match_line {
  const char *name, *other_name;  ///< names of both ids in JSON
  std::string id, other;
  std::optional<int> distance;               ///< set if fingerprints are compared
  std::optional<double> similarity;          ///< set if there is a check
  std::string place = {}, other_place = {};  ///< positions of both documents, if the ids are ambiguous
  std::optional<shown_passage> passage = {};
};
std::string text_of_match(const fingerprint_settings& settings, bool as_json, const match_line& match);

/// Two documents, one of which contains the other, as `pairs` prints them.
struct containment_line {
  std::string id, other;
  std::size_t size, other_size;  ///< numbers of features of both documents
  const char* other_name;        ///< name of the second id in JSON
  double containment;
};
/// Returns the line that is printed for two documents, with their containment and their overlap.
std::string text_of_containment(bool as_json, const containment_line& pair);

/// Two documents that may be near-duplicates.
struct candidate {
  std::uint32_t a;
  std::uint32_t b;
  std::optional<int> distance;  ///< distance of the fingerprints, if these are compared
};

/// Returns the similarity of each candidate, or nullopt for similarities below `least`. Uses `threads` threads.
/// Precondition: there is a check.
std::vector<std::optional<double>> similarities_of(similarity_measure measure, const document_check& check,
                                                   std::span<const candidate> candidates, double least,
                                                   unsigned threads);

}  // namespace command
