// SPDX-License-Identifier: MIT
// Computes in one pass over a text all data that a decision needs: the fingerprint, the features, and the digest of a
// short text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../fingerprint/feature_extractor.hpp"
#include "../fingerprint/kernels/checked_parts.hpp"
#include "../fingerprint/kernels/distinct_hashes.hpp"
#include "../fingerprint/kernels/hash_sort.hpp"
#include "../fingerprint/kernels/token_kernel.hpp"
#include "../fingerprint/kernels/votes.hpp"
#include "../fingerprint/minwise_hasher.hpp"
#include "../fingerprint/simhasher.hpp"
#include "../runner.hpp"
#include "checks.hpp"
#include "description.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class Simhasher>
using tokenizer_of = std::remove_cvref_t<decltype(std::declval<const Simhasher&>().tokenizer)>;
template <class Simhasher>
using hasher_of = std::remove_cvref_t<decltype(std::declval<const Simhasher&>().hasher)>;

/// Collects the tokens of a text in one pass, for the fingerprint and the feature set. The memory is reused for the
/// next text.
template <class Simhasher>
class token_collector {
  using tokenizer_type = tokenizer_of<Simhasher>;
  using hasher_type = hasher_of<Simhasher>;
  using weighter_type = typename Simhasher::weighter_type;
  static constexpr std::size_t bits = Simhasher::bits;
  static constexpr std::size_t hash_words = Simhasher::hash_words;
  static constexpr bool is_minwise = Simhasher::fingerprint_type::kind == fingerprint_kind::minwise;
  static constexpr vote_kind kind = vote_kind_of<weighter_type, hasher_type>();

 public:
  void collect(const Simhasher& hash, std::span<const std::string_view> texts) {
    distinct_.clear();
    if constexpr (is_minwise) {
      for (const std::string_view text : texts) {
        hash_tokens(hash.tokenizer, hash.hasher, text, tokens_,
                    [&](const hash_block<hash_words>& block) { distinct_.add(block); });
      }
    } else if constexpr (votes_keep_hashes) {
      if (texts.size() == 1) {
        votes_.collect(hash.tokenizer, hash.weighter, hash.hasher, texts.front(), tokens_);
      } else {
        votes_.clear();
        for (const std::string_view text : texts) {
          hash_tokens(hash.tokenizer, hash.hasher, text, tokens_,
                      [&](const hash_block<hash_words>& block) { votes_.add(block); });
        }
      }
    } else {
      votes_.clear();
      for (const std::string_view text : texts) {
        votes_.collect_more(hash.tokenizer, hash.weighter, hash.hasher, text, tokens_,
                            [&](const hash_block<hash_words>& block) { distinct_.add(block); });
      }
    }
  }

  /// Calls `use(column, stride, n)`. For i < n, column[i * stride] is the lowest word of the i-th distinct hash.
  template <class Use>
  decltype(auto) with_lowest_words(const Use& use) const {
    if constexpr (!votes_keep_hashes) {
      return use(distinct_.column(0), std::size_t{1}, distinct_.size());
    } else {
      if (votes_.are_weighed()) {
        const auto& weighted = votes_.weighted;
        return use(weighted.empty() ? nullptr : weighted.front().hash.data(), hash_words + 1, weighted.size());
      }
      return use(votes_.tokens().column(0), std::size_t{1}, votes_.tokens().size());
    }
  }

  /// Copies the distinct hashes in ascending order to `to`.
  void copy_hashes(std::vector<typename Simhasher::hash_type>& to) const {
    to.clear();
    const auto copy = [&](const auto& from) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        auto& words = to.emplace_back();
        for (std::size_t j = 0; j < hash_words; ++j) words[j] = from.column(j)[i];
      }
    };
    if constexpr (!votes_keep_hashes) {
      copy(distinct_);
    } else if (votes_.are_weighed()) {
      for (const auto& token : votes_.weighted) to.push_back(token.hash);
    } else {
      copy(votes_.tokens());
    }
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  }

  /// Returns the fingerprint. After the call, only collect() may be called.
  [[nodiscard]] std::optional<typename Simhasher::fingerprint_type> result(const Simhasher& hash) {
    if constexpr (is_minwise) {
      votes_.clear();
      for (std::size_t first = 0; first < distinct_.size(); first += max_added_hashes) {
        votes_.add(distinct_.column(0) + first, (std::min)(max_added_hashes, distinct_.size() - first));
      }
      return votes_.code();
    } else {
      return votes_.result(hash.weighter, hash.hasher);
    }
  }

 private:
  using votes_type =
      std::conditional_t<is_minwise, bin_minima<bits>, vote_collector<weighter_type, hasher_type, bits, kind>>;
  static constexpr bool votes_keep_hashes = !is_minwise && (kind == vote_kind::distinct || kind == vote_kind::counts);

  hash_scratch<tokenizer_type, hasher_type> tokens_;
  votes_type votes_;
  distinct_hashes<hash_words> distinct_;  // used if the votes do not keep the hashes
};

template <class Simhasher>
struct no_collector {};

/// Returns true if two tokenizers or two hashers of the same type are known to behave equally.
template <class Part>
bool are_same_parts(const Part& a, const Part& b) {
  static_cast<void>(a), static_cast<void>(b);
  if constexpr (std::is_empty_v<Part>) {
    return true;
  } else if constexpr (is_xxh3<Part>) {
    return a.seed == b.seed;
  } else {
    return false;
  }
}

/// Returns true if the numbers column[i * stride], i < n, have fewer than `least` distinct values in their lowest 32
/// bits.
inline bool are_fewer(const std::uint64_t* column, std::size_t stride, std::size_t n, std::size_t least,
                      std::vector<std::uint32_t>& scratch) {
  if (n < least) return true;
  const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(column[i * stride]); };
  constexpr std::size_t few = 16;
  if (least <= few) {
    // Good hashes are hardly ever equal. So comparing the first `least` numbers usually suffices.
    bool are_distinct = true;
    for (std::size_t i = 1; i < least; ++i) {
      for (std::size_t j = 0; j < i; ++j) are_distinct = are_distinct && number(i) != number(j);
    }
    if (are_distinct) return false;
  }
  scratch.clear();
  for (std::size_t i = 0; i < n; ++i) scratch.push_back(number(i));
  std::sort(scratch.begin(), scratch.end());
  return static_cast<std::size_t>(std::unique(scratch.begin(), scratch.end()) - scratch.begin()) < least;
}

}  // namespace detail

/// The type of the feature_extractor that has the tokenizer and the hasher of a simhasher or a minwise_hasher.
template <class Simhasher>
using feature_extractor_of = feature_extractor<detail::tokenizer_of<Simhasher>, detail::hasher_of<Simhasher>>;

/// Computes the descriptions of texts. A description has the fingerprint of a simhasher or a minwise_hasher, and the
/// features that `Check` extracts. A text with fewer than `min_tokens` distinct tokens is short. The description of a
/// short text with a fingerprint also has a digest.
///
/// `Check`: a feature_extractor, or no_check if no features are needed. If the fingerprint and the features come from
/// the same tokens, a text is tokenized and hashed only once.
/// Thread safety: several threads may call const members at once, each with its own workspace.
/// Example: `describer describe{simhasher{words{}}};  decltype(describe)::workspace scratch;
///          auto what = describe(text, scratch);  // what.fingerprint, what.features`
template <class Simhasher, class Check = feature_extractor_of<Simhasher>>
class describer {
  static_assert(
      !std::is_arithmetic_v<Check>,
      "neardup: a number behind the hasher of a describer is how many tokens make a text long, and has to be a "
      "std::size_t: describer{hash, std::size_t{8}}");
  static constexpr bool checks_features = detail::is_feature_extractor<Check>;
  // A class that derives from a simhasher may compute fingerprints without the tokenizer, the weighter and the hasher.
  static constexpr bool has_one_pass = detail::is_text_hasher<Simhasher>;
  using extractor_type = std::conditional_t<checks_features, Check, feature_extractor_of<Simhasher>>;
  using own_extractor = feature_extractor<detail::tokenizer_of<Simhasher>, detail::hasher_of<Simhasher>,
                                          typename extractor_type::feature_type>;
  static constexpr bool may_share_tokens = checks_features && std::is_same_v<extractor_type, own_extractor>;

 public:
  using hasher_type = Simhasher;
  using fingerprint_type = typename Simhasher::fingerprint_type;
  using hash_type = typename Simhasher::hash_type;
  using feature_type = typename extractor_type::feature_type;
  using description_type = description<fingerprint_type, feature_type>;

 private:
  struct state {
    std::conditional_t<has_one_pass, detail::token_collector<Simhasher>, detail::no_collector<Simhasher>> collector;
    detail::hash_sort_scratch<feature_type> sorting;
    std::vector<feature_type> features;
    std::vector<std::uint32_t> few;
  };

 public:
  /// Scratch memory, reused for the next text. Each thread needs its own object.
  class workspace {
    friend describer;

   public:
    /// Returns the full hashes of the distinct tokens of the last text whose description was computed, ascending. The
    /// result is empty if that text is not short.
    [[nodiscard]] std::span<const hash_type> short_tokens() const noexcept { return tokens_; }

   private:
    detail::made_when_used<state> memory_;
    typename Simhasher::workspace hashing_;  // used if fingerprint and features need two passes
    typename feature_extractor_of<Simhasher>::workspace counting_;
    typename extractor_type::workspace checking_;
    std::vector<hash_type> tokens_;
  };

  /// Makes a describer for a check that compares the features from which the fingerprint is made. A text with fewer
  /// than `min_tokens` distinct tokens is short.
  explicit describer(Simhasher hash, std::size_t min_tokens = default_min_tokens) requires may_share_tokens
      : describer(std::move(hash), min_tokens, 0) {}
  /// Makes a describer. A text with fewer than `min_tokens` distinct tokens is short.
  describer(Simhasher hash, Check check, std::size_t min_tokens = default_min_tokens)
      : hash_(std::move(hash)), check_(std::move(check)), min_tokens_(min_tokens) {
    if constexpr (may_share_tokens) {
      shares_tokens_ = detail::are_same_parts(hash_.tokenizer, check_.tokenizer) &&
                       detail::are_same_parts(hash_.hasher, check_.hasher);
    }
  }

  /// Returns the description of a text. The features of the description are valid until the next use of the workspace.
  /// Complexity: on average linear in the length of the text.
  [[nodiscard]] description_type operator()(std::string_view text, workspace& scratch) const;

  /// Returns the description of a document that consists of several texts. No token spans two texts. The description
  /// has an empty member `text`.
  [[nodiscard]] description_type operator()(std::span<const std::string_view> texts, workspace& scratch) const {
    static_assert(has_one_pass,
                  "neardup: documents of several texts are described by a simhasher or a minwise_hasher itself, not by "
                  "a class of yours");
    return describe(texts, scratch);
  }

  /// Returns the descriptions of many texts, in order. The descriptions refer to the texts. The runner `run` spreads
  /// the work over threads.
  /// `first` is scratch memory of the first thread, which the caller may reuse in the next call.
  template <text_range Texts>
  [[nodiscard]] auto describe_all(const Texts& texts, const any_runner& run = {}, workspace* first = nullptr) const {
    return detail::describe_all(*this, texts, run, first);
  }

  [[nodiscard]] const Simhasher& hash() const noexcept { return hash_; }
  [[nodiscard]] const Check& check() const noexcept { return check_; }
  [[nodiscard]] std::size_t min_tokens() const noexcept { return min_tokens_; }

 private:
  describer(Simhasher hash, std::size_t min_tokens, int)
      : hash_(std::move(hash)), check_(hash_.tokenizer, hash_.hasher), min_tokens_(min_tokens), shares_tokens_(true) {}

  description_type describe(std::span<const std::string_view> texts, workspace& scratch) const;

  std::span<const feature_type> other_features(std::span<const std::string_view> texts, workspace& scratch) const {
    if (texts.size() == 1) return check_(texts.front(), scratch.checking_);
    return detail::features_of_all(check_, texts, scratch.checking_, scratch.memory_.get().features);
  }

  /// Computes the description of a text if `Simhasher` has the interface of a simhasher, but is not a simhasher. One
  /// pass makes the fingerprint, and another pass makes the features.
  description_type describe_by_calls(std::string_view text, workspace& scratch) const {
    description_type result;
    result.text = text;
    scratch.tokens_.clear();
    result.fingerprint = hash_(text, scratch.hashing_);
    if (!result.fingerprint) return result;
    const feature_extractor_of<Simhasher> extract(hash_.tokenizer, hash_.hasher);
    if (extract(text, scratch.counting_).size() < min_tokens_) {
      hash_.features(text, scratch.hashing_, scratch.tokens_);
      result.digest = digest_of_hashes(scratch.short_tokens());
    }
    if constexpr (checks_features) result.features = check_(text, scratch.checking_);
    return result;
  }

  Simhasher hash_;
  Check check_;
  std::size_t min_tokens_;
  bool shares_tokens_ = false;
};

template <class Simhasher>
describer(Simhasher, std::size_t = default_min_tokens) -> describer<Simhasher>;
template <class Simhasher, class Check>
describer(Simhasher, Check, std::size_t = default_min_tokens) -> describer<Simhasher, Check>;

template <class Simhasher, class Check>
auto describer<Simhasher, Check>::operator()(std::string_view text, workspace& scratch) const -> description_type {
  if constexpr (has_one_pass) {
    description_type result = describe({&text, 1}, scratch);
    result.text = text;
    return result;
  } else {
    return describe_by_calls(text, scratch);
  }
}

template <class Simhasher, class Check>
auto describer<Simhasher, Check>::describe(std::span<const std::string_view> texts, workspace& scratch) const
    -> description_type {
  state& memory = scratch.memory_.get();
  auto& tokens = memory.collector;
  description_type result;
  scratch.tokens_.clear();
  tokens.collect(hash_, texts);
  const bool is_short = tokens.with_lowest_words([&](const std::uint64_t* column, std::size_t stride, std::size_t n) {
    if (checks_features && shares_tokens_) {
      memory.features.resize(n);
      for (std::size_t i = 0; i < n; ++i) memory.features[i] = static_cast<feature_type>(column[i * stride]);
    }
    return detail::are_fewer(column, stride, n, min_tokens_, memory.few);
  });
  if (is_short) tokens.copy_hashes(scratch.tokens_);
  result.fingerprint = tokens.result(hash_);
  if (!result.fingerprint) return result;
  if (is_short) result.digest = digest_of_hashes(scratch.short_tokens());
  if constexpr (checks_features) {
    if (shares_tokens_) {
      // The features are sorted and made distinct, because two hashes that differ only in their upper bits become one
      // feature.
      detail::hash_sort(memory.features, memory.sorting);
      memory.features.erase(std::unique(memory.features.begin(), memory.features.end()), memory.features.end());
      result.features = memory.features;
    } else {
      result.features = other_features(texts, scratch);
    }
  }
  return result;
}

}  // namespace neardup::inline v0
