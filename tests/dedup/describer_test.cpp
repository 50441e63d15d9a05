// A describer makes fingerprint, features and digest in one pass. Each is compared with the one made by itself.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/dedup/describer.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using namespace neardup;

/// Texts of few words and of many, with repeated words and with none.
std::vector<std::string> some_texts(std::size_t count) {
  oracle::random_engine random(count);
  std::vector<std::string> texts{"", " ", "...", "a", "a a", "a b", "b a", "A b C d E f G", "h g f e d c b a"};
  while (texts.size() < count) {
    std::string text;
    const std::size_t words = random() % 4 == 0 ? random() % 3000 : random() % 20;
    const std::size_t vocabulary = 1 + random() % 500;
    for (std::size_t i = 0; i < words; ++i) text += "Word" + std::to_string(random() % vocabulary) + " ";
    texts.push_back(std::move(text));
  }
  return texts;
}

/// The expected description, from separate calls.
template <class Describer, class Hasher, class Extractor>
void check_description(const Describer& describe, const Hasher& hash, const Extractor& extract, std::string_view text,
                       typename Describer::workspace& scratch) {
  const auto made = describe(text, scratch);
  REQUIRE(made.text.data() == text.data());
  REQUIRE(made.fingerprint == hash(text));
  const bool has_any = made.fingerprint.has_value();
  std::vector<typename Extractor::feature_type> features = extract(text);
  if (!has_any) features.clear();
  REQUIRE(std::equal(made.features.begin(), made.features.end(), features.begin(), features.end()));
  const bool is_short =
      has_any && feature_extractor_of<Hasher>(hash.tokenizer, hash.hasher)(text).size() < describe.min_tokens();
  REQUIRE(made.digest.has_value() == is_short);
  if (!is_short) return;
  const auto tokens = hash.features(text);
  REQUIRE(made.digest == digest_of_hashes(std::span<const typename Hasher::hash_type>(tokens)));
  REQUIRE(std::equal(scratch.short_tokens().begin(), scratch.short_tokens().end(), tokens.begin(), tokens.end()));
}

/// Checks describers with the hasher's features, with features of 64 bits, with another tokenizer's, and with none.
template <class Hasher>
void check_hasher(const Hasher& hash, std::size_t count) {
  using tokenizer = typename Hasher::tokenizer_type;
  using hasher = typename Hasher::hasher_type;
  const auto texts = some_texts(count);
  const describer own{hash};
  const describer<Hasher, feature_extractor<tokenizer, hasher, std::uint64_t>> wide(hash, 20);
  const feature_extractor triples{byte_ngrams{3}};
  const describer other{hash, triples};
  const describer none{hash, no_check{}, 3};
  typename decltype(own)::workspace of_own;
  typename decltype(wide)::workspace of_wide;
  typename decltype(other)::workspace of_other;
  typename decltype(none)::workspace of_none;
  for (const std::string& text : texts) {
    check_description(own, hash, feature_extractor(hash.tokenizer, hash.hasher), text, of_own);
    check_description(wide, hash, feature_extractor<tokenizer, hasher, std::uint64_t>(hash.tokenizer, hash.hasher),
                      text, of_wide);
    check_description(other, hash, triples, text, of_other);
    REQUIRE(none(text, of_none).features.empty());
    REQUIRE(none(text, of_none).fingerprint == hash(text));
    REQUIRE(none(text, of_none).digest.has_value() ==
            (hash(text) && feature_extractor_of<Hasher>(hash.tokenizer, hash.hasher)(text).size() < 3));
  }

  // A document of several texts: their tokens in one bag, or in one sketch.
  oracle::random_engine random(1);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string_view> document;
    for (auto n = random() % 4; n > 0; --n) document.push_back(texts[random() % texts.size()]);
    const auto made = own(document, of_own);
    std::vector<std::uint32_t> features;
    for (const std::string_view text : document) {
      const auto some = feature_extractor(hash.tokenizer, hash.hasher)(text);
      features.insert(features.end(), some.begin(), some.end());
    }
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    if constexpr (requires { typename Hasher::bag_type; }) {
      typename Hasher::bag_type bag;
      for (const std::string_view text : document) hash.add_to(bag, text);
      REQUIRE(made.fingerprint == hash(bag));
    } else {
      typename Hasher::sketch_type all;
      for (const std::string_view text : document) all.merge(hash.sketch(text));
      REQUIRE(made.fingerprint == all.result());
    }
    if (!made.fingerprint) features.clear();
    REQUIRE(std::equal(made.features.begin(), made.features.end(), features.begin(), features.end()));
  }
}

/// A weighter that weighs each occurrence by the bytes of its token.
struct by_length {
  static weight per_occurrence(std::string_view token) { return weight::from_raw(token.size() % 3 == 0 ? 0 : 256); }
};

}  // namespace

TEST_CASE("a description is what its parts give, each by itself") {
  const std::size_t count = oracle::effort(400, 60);
  const auto table = std::make_shared<const idf_table>(
      std::vector<idf_table::term>{{"word1", weight::from_raw(300)}, {"word2", weight::from_raw(0)}});
  check_hasher(simhasher{keywords{5, normalised{words{}}, table}, tf_idf{table}}, count);
  check_hasher(minwise_hasher{words{}}, count);
  oracle::unless_sample([&](auto) {
    check_hasher(simhasher{normalised{words{}}}, count);
    check_hasher(simhasher{words{}, tf{}}, count);
    check_hasher(simhasher{normalised{words{}}, tf_idf{table}}, count);
    check_hasher(simhasher{shingles{2, words{}}, log_tf{}, xxh3<128>{7}}, count);
    check_hasher(minwise_hasher{normalised{words{}}}, count);
  });
}

TEST_CASE("a description by weighers and hashers of the user's is what its parts give") {
  const std::size_t count = oracle::effort(400, 60);
  const auto by_both = [](std::string_view token, std::uint64_t n) {
    return static_cast<double>(token.size() % 3 * n);
  };
  const auto many_equal = [](std::string_view token) { return std::uint64_t{token.size() % 10} << 40; };
  check_hasher(simhasher{words{}, by_both, many_equal}, count);
  oracle::unless_sample([&](auto) {
    check_hasher(simhasher{words{}, by_length{}}, count);
    check_hasher(simhasher{words{}, by_both}, count);
    check_hasher(simhasher{words{}, unit{}, many_equal}, count);
  });
}
