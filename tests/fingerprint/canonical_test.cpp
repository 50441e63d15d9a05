// Fingerprints of canonical text: by kernels, by streams, and frozen values.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/storage/composition_of.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::string_view_literals;
using namespace neardup;

/// Alternating runs of canonical and non-canonical text.
std::string next_text(oracle::random_texts& random) {
  static constexpr std::string_view spelt[] = {"e\u0301"sv,
                                               "I\u0307"sv,
                                               "stra\u00dfe "sv,
                                               "so\u00adft"sv,
                                               "\u1112\u1161\u11ab"sv,
                                               "\u4e2d\u0301 \u0301"sv,
                                               ". "sv,
                                               "exam-\nple"sv,
                                               "\u00f3a "sv,
                                               "h&ograve;"sv,
                                               "\u00ad\n"sv};
  std::string text;
  for (std::size_t parts = random.below(12); parts > 0; --parts) {
    text += random.below(2) == 0 ? random.next_runs(random.below(300)) : random.next(random.below(20));
    text += spelt[random.below(std::size(spelt))];
  }
  return text;
}

/// Requires that the features of a text, whole and in chunks, are those that `inner` gives for the canonical text.
template <class Tokenizer, class Inner>
void require_features_of_canonical_text(const Tokenizer& tokenize, const Inner& inner) {
  const feature_extractor<Tokenizer, xxh3<64>, std::uint64_t> features{tokenize};
  const feature_extractor<Inner, xxh3<64>, std::uint64_t> expected{inner};
  const simhasher hash{tokenize, tf{}};
  text_stream stream{hash};
  for (const instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    INFO(to_string(level));
    oracle::random_texts random(31);
    const std::size_t rounds = oracle::effort(2000, 200, 20);
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::string text = next_text(random);
      CAPTURE(support::printable(text));
      REQUIRE(features(text) == expected(canonicalise(text)));
      const std::size_t chunk = i % 3 == 0 ? 1 + random.below(7) : 1 + random.below(500);
      for (const std::string_view part : support::cut_every(text, chunk)) stream.feed(part);
      REQUIRE(stream.finish() == hash(text));
      // A discarded text leaves nothing for the next one.
      stream.feed("e"sv);
      stream.reset();
    }
  }
}

}  // namespace

TEST_CASE("features of canonical words are those of the canonical text, by every kernel and in chunks", "[canonical]") {
  require_features_of_canonical_text(canonical{shingles{2, words{}}}, shingles{2, words{}});
  require_features_of_canonical_text(shingles{3, canonical{words{}}}, shingles{3, words{}});
}

TEST_CASE("features of canonical characters are those of the canonical text, in chunks, too", "[canonical]") {
  require_features_of_canonical_text(canonical{code_point_ngrams{3}}, code_point_ngrams{3});
}

TEST_CASE("canonical text that is folded or normalised besides", "[canonical]") {
  const std::string_view text = "Cafe\u0301 STRA\u00dfE so\u00adft \ufb01n";
  const auto features = [&](const auto& tokenize) { return feature_extractor{tokenize}(text); };
  CHECK(features(canonical{normalised{words{}}}) == features(canonical{words{}}));
  CHECK(features(folded{canonical{words{}}}) == features(canonical{words{}}));
  // The outer tokenizer rewrites the text first.
  const auto normalised_first = feature_extractor{words{}}(canonicalise(normalise(text)));
  CHECK(features(normalised{canonical{words{}}}) == normalised_first);
  CHECK(normalised_first.size() == 4);
  CHECK(features(canonical{words{}}).size() == 4);
}

TEST_CASE("what canonical fingerprints are made of has a name", "[canonical]") {
  const auto made_of = composition_of(simhasher{canonical{shingles{2, words{}}}});
  CHECK(made_of.tokenizer == "canonical(shingles(2, words))");
  CHECK_FALSE(made_of == composition_of(simhasher{normalised{shingles{2, words{}}}}));
  CHECK(neardup::detail::parse_composition(to_string(made_of)) == made_of);
}

TEST_CASE("canonical fingerprints are what they were", "[canonical]") {
  // A failure here means, as in golden_test.cpp, that stored fingerprints change.
  const simhasher pairs{canonical{shingles{2, words{}}}};
  const simhasher characters{canonical{code_point_ngrams{5}}};
  const auto show = [](const auto& hash, std::string_view text) { return hash(text)->to_hex(); };
  const std::string_view spelt[] = {"Ti\u1ebfng Vi\u1ec7t c\u00f3 d\u1ea5u",
                                    "Tie\u0302\u0301ng Vie\u0323\u0302t co\u0301 da\u0302\u0301u",
                                    "TI\u1ebeNG VI\u00ca\u0323T c\u00ad\u00f3 d\u1ea5\u200bu"};
  for (const std::string_view text : spelt) {
    CHECK(show(pairs, text) == "906c61a12df2ed6c");
    CHECK(show(characters, text) == "56de497d1648bb84");
  }
  CHECK(show(pairs, "\ufb01n de la stra\u00dfe, \ud55c\uad6d\uc5b4 \u0643\u0640\u062a\u0627\u0628 \u0130stanbul") ==
        "33484ba06ab93004");
  CHECK(show(pairs, "To be, or not to be") == show(simhasher{normalised{shingles{2, words{}}}}, "To be, or not to be"));
}
