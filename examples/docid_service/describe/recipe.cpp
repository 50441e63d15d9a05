#include "recipe.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <neardup/dedup/describer.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <span>
#include <stdexcept>

namespace docid {

namespace {

/// Returns a describer that makes fingerprints of features with `hash`, a simhasher or a minwise_hasher.
template <class Hasher>
describer describer_of(const Hasher& hash) {
  return [describe = neardup::describer<Hasher>(hash, 0)](std::string_view text) {
    thread_local typename decltype(describe)::workspace scratch;
    const auto what = describe(text, scratch);
    return description{what.fingerprint ? std::optional(fingerprint(what.fingerprint->to_uint64())) : std::nullopt,
                       {what.features.begin(), what.features.end()}};
  };
}

/// Returns a sample of the distinct pairs of a text: the `most` pairs with the smallest hashes.
feature_set pairs_of(std::string_view text, std::size_t most) {
  static const neardup::default_features<> extract;
  thread_local decltype(extract)::workspace extracting;
  const auto all = extract(text, extracting);
  const auto some = all.first(std::min(all.size(), most));
  return {some.begin(), some.end()};
}
feature_set sample_of_pairs(std::string_view text) { return pairs_of(text, max_pairs); }

constexpr std::uint32_t every_hash = std::numeric_limits<std::uint32_t>::max();

/// Returns the largest hash up to which a sample contains all pairs.
std::uint32_t last_hash(std::span<const std::uint32_t> sample) {
  return sample.size() < max_pairs ? every_hash : sample.back();
}

/// The parts of two samples up to the hash `last`. Each part contains all pairs of its text up to this hash.
struct common_part {
  common_part(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b)
      : last(std::min(last_hash(a), last_hash(b))), one(known(a)), other(known(b)) {}

  [[nodiscard]] std::span<const std::uint32_t> known(std::span<const std::uint32_t> sample) const {
    return sample.first(
        static_cast<std::size_t>(std::upper_bound(sample.begin(), sample.end(), last) - sample.begin()));
  }

  std::uint32_t last;
  std::span<const std::uint32_t> one;
  std::span<const std::uint32_t> other;
};

}  // namespace

feature_set all_pairs_of(std::string_view text) { return pairs_of(text, std::numeric_limits<std::size_t>::max()); }

bool have_similar_pairs(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other, double least) {
  constexpr double margin = 0.044;  // four standard deviations, see the header
  const common_part part(one, other);
  const bool is_estimate = part.last != every_hash;
  return neardup::jaccard_at_least(part.one, part.other, is_estimate ? std::min(least + margin, 1.0) : least)
      .has_value();
}

double similarity_of_pairs(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
  const common_part part(one, other);
  return neardup::jaccard_similarity(part.one, part.other);
}

describers make_describers(const std::string& name, const std::string& jieba) {
  using namespace neardup;
  const auto both = [](const describer& describe) { return describers{describe, describe, sample_of_pairs}; };
  if (name == "minwise")
    return {describer_of(simhasher{normalised{words{}}}), describer_of(minwise_hasher{normalised{words{}}}),
            sample_of_pairs};
  if (name == "words") return both(describer_of(simhasher{normalised{words{}}}));
  if (name == "pairs") return both(describer_of(default_simhasher<>{}));
  if (name == "dictionary") {
    const auto dictionary = std::make_shared<const word_dictionary>(word_dictionary::load(jieba + "/dict.txt"));
    const auto model = std::make_shared<const unknown_word_model>(unknown_word_model::load(jieba + "/finalseg"));
    return both(describer_of(simhasher{chinese_words{dictionary, model}, levels{5, tf{}}}));
  }
  throw std::runtime_error("no recipe \"" + name + "\"; there are minwise, words, pairs and dictionary");
}

}  // namespace docid
