// SPDX-License-Identifier: MIT
// Finds the parts of texts that occurred before, in the same text or in an earlier text. Examples are licences,
// navigation bars and signatures. No umbrella header includes this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../error.hpp"
#include "../../fingerprint/defaults.hpp"
#include "../../fingerprint/feature_extractor.hpp"
#include "../../fingerprint/hashers.hpp"
#include "../../runner.hpp"
#include "../../sets/feature_sets.hpp"
#include "../../sets/similarity.hpp"
#include "../../text/sentences.hpp"
#include "../group_sets.hpp"

namespace neardup::inline v0 {

/// The conditions under which a part counts as a repetition.
struct repeated_part_options {
  /// The least Jaccard similarity between a part and an earlier part that it repeats; above 0 and at most 1. With 1, a
  /// part repeats only equal parts.
  double similarity = 1;

  /// A part with fewer features can only repeat an equal part.
  std::size_t min_features = 8;

  /// A part is a repetition only if at least this many documents contain the part, or a similar part. The number of
  /// occurrences in each of these documents does not matter.
  std::size_t min_documents = 1;

  /// Spreads the work over threads: `threads{8}`, or a runner of your own. The runner does not change the result.
  any_runner run = {};
};

/// Collects the parts of documents, and decides which parts repeat an earlier part.
///
/// Two parts are equal if they have the same bytes after ASCII white space is removed at both ends, and each other run
/// of white space is replaced by one space. Only a 128-bit hash of a part is stored. Among n different parts, two have
/// the same hash with a probability of n^2 / 2^129.
/// Memory: 4 bytes per part, 8 bytes per document, and about 70 bytes for each distinct part. With a similarity below 1,
/// another 4 bytes per feature of the distinct parts.
/// Example:
///     part_collection collected({.min_documents = 3});
///     for (const std::string& text : documents) {
///       collected.begin_document();
///       text_parts{}(text, [&](std::string_view part) { collected.add(part); });
///     }
///     std::vector<std::uint32_t> label = collected.decide();  // part i repeats part label[i], unless that is i
template <class Tokenizer = default_tokenizer>
class part_collection {
 public:
  /// Makes an empty collection.
  /// Throws: std::invalid_argument unless 0 < similarity <= 1.
  explicit part_collection(repeated_part_options options = {}, Tokenizer tokenizer = {})
      : options_(std::move(options)), extract_(std::move(tokenizer)) {
    detail::check_similarity(options_.similarity);
  }

  /// Begins the next document, to which the following parts belong.
  void begin_document() { begins_.push_back(firsts_.size()); }

  /// Adds the next part of the current document.
  /// Returns: the number of the part, which is the number of parts added before.
  /// Throws: std::length_error if there are 2^32 - 1 parts already; std::bad_alloc.
  /// Complexity: linear in the length of the part.
  std::size_t add(std::string_view part) {
    if (firsts_.size() == (std::numeric_limits<std::uint32_t>::max)()) {
      detail::fail<std::length_error>("part_collection: more parts than 32 bits can number");
    }
    const std::size_t number = firsts_.size();
    const auto [known, is_new] = numbers_.try_emplace(digest_of(part), static_cast<std::uint32_t>(distinct_.size()));
    if (is_new) {
      distinct_.push_back(static_cast<std::uint32_t>(number));
      if (options_.similarity < 1) {
        const std::span<const std::uint32_t> features = extract_(part, scratch_);
        features_.add(features.size() < options_.min_features ? std::span<const std::uint32_t>() : features);
      }
    }
    firsts_.push_back(known->second);
    return number;
  }

  /// Returns the number of parts.
  [[nodiscard]] std::size_t size() const noexcept { return firsts_.size(); }

  /// Decides which parts stay. Of equal parts, the first part stays; all stay if fewer than `min_documents` documents
  /// have them. If the similarity is below 1, group() decides about similar parts.
  /// Returns: for each part the number of the part that it repeats, which is an earlier part that stays. The result is
  /// the number of the part itself if the part stays.
  /// Throws: the exceptions of group().
  /// Complexity: linear in the number of parts. With a similarity below 1, the complexity of group() is added.
  [[nodiscard]] std::vector<std::uint32_t> decide() const {
    std::vector<std::uint32_t> label_of_distinct(distinct_.size());
    std::iota(label_of_distinct.begin(), label_of_distinct.end(), std::uint32_t{0});
    if (options_.similarity < 1)
      label_of_distinct = group(features_, jaccard{options_.similarity}, {.run = options_.run});
    const std::vector<bool> is_frequent = frequent(label_of_distinct);
    std::vector<std::uint32_t> label(firsts_.size());
    for (std::size_t i = 0; i < label.size(); ++i) {
      const std::uint32_t stands_for = label_of_distinct[firsts_[i]];
      label[i] = is_frequent[stands_for] ? distinct_[stands_for] : static_cast<std::uint32_t>(i);
    }
    return label;
  }

  /// Returns the similarity of two parts: 1 if they are equal; otherwise the Jaccard similarity of their features, or 0
  /// if their features are not stored.
  /// Precondition: `a` and `b` are below size().
  [[nodiscard]] double similarity(std::size_t a, std::size_t b) const {
    if (firsts_[a] == firsts_[b]) return 1;
    return options_.similarity < 1 ? jaccard_similarity(features_[firsts_[a]], features_[firsts_[b]]) : 0;
  }

 private:
  using digest = std::array<std::uint64_t, 2>;
  struct digest_hash {
    std::size_t operator()(const digest& d) const noexcept { return static_cast<std::size_t>(d[0]); }
  };

  digest digest_of(std::string_view part) {
    spaced_.clear();
    bool is_between = false;
    for (const char c : part) {
      if (detail::is_space(c)) {
        is_between = true;
        continue;
      }
      if (is_between && !spaced_.empty()) spaced_ += ' ';
      is_between = false;
      spaced_ += c;
    }
    return xxh3<128>{}(spaced_);
  }

  /// Returns for each group of similar parts whether at least min_documents documents contain a part of the group.
  [[nodiscard]] std::vector<bool> frequent(const std::vector<std::uint32_t>& label_of_distinct) const {
    // last[label]: the number of the last document with a part of the group `label`, counted from 1.
    std::vector<std::uint32_t> documents(distinct_.size()), last(distinct_.size());
    std::uint32_t document = 0;
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      while (document < begins_.size() && begins_[document] <= i) ++document;
      const std::uint32_t group = label_of_distinct[firsts_[i]];
      if (documents[group] > 0 && last[group] == document) continue;
      ++documents[group];
      last[group] = document;
    }
    std::vector<bool> result;
    for (const std::uint32_t count : documents) result.push_back(count >= options_.min_documents);
    return result;
  }

  repeated_part_options options_;
  feature_extractor<Tokenizer> extract_;
  typename feature_extractor<Tokenizer>::workspace scratch_;
  std::unordered_map<digest, std::uint32_t, digest_hash> numbers_;  // hashes of distinct parts
  std::vector<std::uint32_t> distinct_;                             // the first occurrence of each distinct part
  std::vector<std::uint32_t> firsts_;                               // the distinct part that each part equals
  std::vector<std::size_t> begins_;                                 // the first part of each document
  feature_sets<> features_;                                         // features of distinct parts
  std::string spaced_;
};

}  // namespace neardup::inline v0
