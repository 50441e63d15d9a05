// SPDX-License-Identifier: MIT
// The description of a text: all data that a decision about the text needs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "../detail/bits.hpp"
#include "../fingerprint/feature_extractor.hpp"
#include "../runner.hpp"
#include "../text/utf8.hpp"

namespace neardup::inline v0 {

/// The digest of the set of tokens of a short text. A digest has 128 bits. So two of 2^50 different sets have the same
/// digest with a probability of about 2^-29.
using set_digest = std::array<std::uint64_t, 2>;

/// Returns the digest of a set of tokens, as the description of a short text contains it. Use this function if your
/// program hashes tokens itself.
/// Precondition: `hashes`, the full hashes of the tokens, are distinct and ascending.
template <std::size_t Words>
[[nodiscard]] set_digest digest_of_hashes(std::span<const std::array<std::uint64_t, Words>> hashes) noexcept {
  set_digest digest{hashes.size(), ~std::uint64_t{hashes.size()}};
  for (const auto& hash : hashes) {
    for (const std::uint64_t word : hash) {
      digest[0] = detail::mix(digest[0] ^ word);
      digest[1] = detail::mix(digest[1] * detail::golden_ratio + word);
    }
  }
  return digest;
}

/// The description of a text, if fingerprints are compared.
template <class Fingerprint, class Feature = std::uint32_t>
struct description {
  using fingerprint_type = Fingerprint;
  using feature_type = Feature;

  std::string_view text;  ///< the text, for a check that reads it
  /// The fingerprint; nullopt if the text has no tokens, or if all its tokens have weight 0.
  std::optional<Fingerprint> fingerprint;
  /// The features for the check, ascending. Empty if the check needs no features, or if there is no fingerprint.
  std::span<const Feature> features;
  /// The digest of a short text with a fingerprint. Equal sets of tokens have equal digests.
  std::optional<set_digest> digest;
};

/// The description of a text, if only features are compared.
template <class Feature>
struct description<void, Feature> {
  using fingerprint_type = void;
  using feature_type = Feature;

  std::string_view text;
  std::span<const Feature> features;  ///< ascending
};

namespace detail {

template <class T>
inline constexpr bool is_feature_extractor = false;
template <class Tokenizer, class Hasher, class Feature>
inline constexpr bool is_feature_extractor<feature_extractor<Tokenizer, Hasher, Feature>> = true;

/// Returns the features of a document that consists of several texts: ascending, distinct, and owned by `all`.
template <class Extractor, class Feature>
std::span<const Feature> features_of_all(const Extractor& extract, std::span<const std::string_view> texts,
                                         typename Extractor::workspace& scratch, std::vector<Feature>& all) {
  all.clear();
  for (const std::string_view text : texts) {
    const auto some = extract(text, scratch);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The descriptions of many texts. This object owns the features to which the descriptions refer.
template <class Description>
struct described_batch {
  std::vector<Description> documents;
  std::vector<std::vector<typename Description::feature_type>> features;
};

/// Computes the descriptions of many texts, in order. The descriptions refer to the texts. The runner `run` spreads the
/// work over threads. `first` is scratch memory of the first thread, which the caller may reuse in the next call. For a
/// call with few texts, allocating scratch memory would take longer than the rest of the work.
template <class Describer, text_range Texts>
[[nodiscard]] described_batch<typename Describer::description_type> describe_all(
    const Describer& describe, const Texts& texts, const any_runner& run = {},
    typename Describer::workspace* first = nullptr) {
  using description_type = typename Describer::description_type;
  using workspace = typename Describer::workspace;
  described_batch<description_type> batch;
  batch.documents.resize(texts.size());
  batch.features.resize(texts.size());
  constexpr std::size_t step = 64;
  const std::size_t parts = parts_for(run, texts.size(), step), kept = first == nullptr ? 0 : 1;
  std::vector<workspace> scratch(parts - kept);
  in_steps(run, parts, texts.size(), step, [&](std::size_t part, std::size_t begin, std::size_t end) {
    workspace& own = part < kept ? *first : scratch[part - kept];
    for (std::size_t i = begin; i < end; ++i) {
      description_type& document = batch.documents[i];
      document = describe(std::string_view(texts[i]), own);
      batch.features[i].assign(document.features.begin(), document.features.end());
      document.features = batch.features[i];
    }
    return true;
  });
  return batch;
}

}  // namespace detail

}  // namespace neardup::inline v0
