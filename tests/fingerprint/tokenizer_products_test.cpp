// Products of all tokenizers and their nestings with all kernels and all ways to collect hashes, against the model.
// Short texts are cut at every byte, long ones at random.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/storage/composition_of.hpp>
#include <neardup/text.hpp>
#include <neardup/text/chinese/chinese_words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/random_text.hpp"
#include "support/fingerprint_model.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace {

struct product_count {
  std::size_t tokenizers = 0, fingerprints = 0;
  std::set<std::string> names;
};

/// An empty text, texts of one token, some short texts, and one of more than 100 kB.
const std::vector<std::string>& product_texts() {
  static const std::vector<std::string> all = [] {
    oracle::random_texts random(32);
    std::vector<std::string> texts = {
        "", "a", "The SHIP, the ship!\nOn 2026-08-01 \u4e2d\u6587\u5b57 of the \xe4\xb8 sea \uff21 and it is 42",
        random.next_runs(70)};
    std::string large;
    while (large.size() < 110'000) large += random.next_runs(400) + ". " + texts[2] + "\n";
    texts.push_back(large);
    return texts;
  }();
  return all;
}

template <class Stream>
auto end_of(Stream& stream, const std::vector<std::string_view>& chunks) {
  for (const std::string_view chunk : chunks) stream.feed(support::exact_copy(chunk));
  return stream.finish();
}

std::vector<std::string_view> random_chunks(std::string_view text, std::mt19937& random) {
  std::vector<std::string_view> chunks;
  while (!text.empty()) {
    const std::size_t size = (std::min)(text.size(), std::size_t{1} << random() % 15);
    chunks.push_back(text.substr(0, size - random() % size));
    text.remove_prefix(chunks.back().size());
  }
  return chunks;
}

/// Checks a fingerprint of the whole text and, if the tokenizer can stream, in chunks.
template <class Hash, class Fingerprint>
void check_ways(const Hash& hash, typename Hash::workspace& scratch, std::string_view text, const Fingerprint& expected,
                product_count& count) {
  REQUIRE(hash(support::exact_copy(text), scratch) == expected);
  ++count.fingerprints;
  if constexpr (neardup::detail::streaming_tokenizer<typename Hash::tokenizer_type>) {
    neardup::text_stream<Hash> stream{hash};
    if (text.size() < 1000) {
      for (std::size_t at = 0; at <= text.size(); ++at) {
        if (end_of(stream, support::cut_at(text, at)) == expected) continue;
        CAPTURE(at);
        FAIL("cut here, the text has another fingerprint");
      }
    } else {
      std::mt19937 random(7 + oracle::seed_shift());
      for (std::size_t i = 0; i < oracle::effort(30, 2, 1); ++i) {
        REQUIRE(end_of(stream, random_chunks(text, random)) == expected);
      }
    }
    ++count.fingerprints;
  }
}

template <class Tokenizer>
void check_product(const Tokenizer& tokenize, product_count& count) {
  using namespace neardup;
  ++count.tokenizers;
  const simhasher distinct{tokenize};
  const simhasher occurrences{tokenize, tf{}};
  const simhasher counts{tokenize, log_tf{}};
  const minwise_hasher minima{tokenize};
  const std::string name = composition_of(distinct).tokenizer;
  CAPTURE(name);
  CHECK(count.names.insert(to_string(composition_of(distinct))).second);
  typename simhasher<Tokenizer>::workspace distinct_scratch;
  typename simhasher<Tokenizer, tf>::workspace occurrences_scratch;
  typename simhasher<Tokenizer, log_tf>::workspace counts_scratch;
  typename minwise_hasher<Tokenizer>::workspace minima_scratch;
  for (const std::string& text : product_texts()) {
    CAPTURE(text.size());
    const auto tokens = support::count_tokens(tokenize, xxh3<64>{}, text);
    const auto weights = [&](const auto& weigh) {
      return support::fingerprint_of_weights<64>(support::weigh_counts(tokens, weigh));
    };
    const auto of_distinct = weights([](std::uint64_t) { return 256; });
    const auto of_occurrences = weights([](std::uint64_t number) { return 256 * number; });
    const auto of_counts = weights([](std::uint64_t number) { return log_tf{}(number).raw(); });
    const auto of_minima = support::code_of_tokens<64>(tokens);
    std::vector<std::array<std::uint64_t, 1>> features;
    for (const auto& entry : tokens) features.push_back(entry.first.first);
    REQUIRE(distinct.features(text) == features);
    REQUIRE(counts(counts.bag(text)) == of_counts);
    for (const instruction_set level : support::instruction_sets()) {
      CAPTURE(to_string(level));
      const support::forced_instruction_set forced(level);
      check_ways(distinct, distinct_scratch, text, of_distinct, count);
      check_ways(occurrences, occurrences_scratch, text, of_occurrences, count);
      check_ways(counts, counts_scratch, text, of_counts, count);
      check_ways(minima, minima_scratch, text, of_minima, count);
    }
  }
}

void print_products(const char* name, const product_count& count) {
  std::printf("%s: %zu tokenizers x 4 ways to collect hashes x %zu texts x %zu instruction sets, %zu fingerprints\n",
              name, count.tokenizers, product_texts().size(), support::instruction_sets().size(), count.fingerprints);
}

}  // namespace

TEST_CASE("words in words, with each way to collect hashes", "[products]") {
  using namespace neardup;
  product_count count;
  check_product(words{}, count);
  check_product(normalised{words{}}, count);
  check_product(shingles{2, folded{words{}}}, count);
  check_product(folded<normalised<shingles<words>>>{{{3, {}}}}, count);
  check_product(masked{normalised{shingles{2, words{}}}}, count);
  check_product(shingles{2, masked{words{}}}, count);
  print_products("words", count);
}

TEST_CASE("other tokenizers, with each way to collect hashes", "[products]") {
  using namespace neardup;
  product_count count;
  const idf_table table = idf_table::parse("the 0.5\nship 3.25\nsea 7.5\nof 6\n");
  const auto dictionary =
      std::make_shared<const word_dictionary>(word_dictionary::parse("\u4e2d\u6587 9\n\u5b57 3\nship 2\n"));
  check_product(byte_ngrams{5}, count);
  check_product(code_point_ngrams{2}, count);
  check_product(canonical{code_point_ngrams{3}}, count);
  check_product(narrowed{shingles{2, code_point_ngrams{1}}}, count);
  check_product(longest{3, sentences{}}, count);
  check_product(without{stop_words({"the"}), shingles{2, without{stop_words({"of"}), words{}}}}, count);
  check_product(keywords{6, without{stop_words({"the"}), chinese_words(dictionary), 2}, table}, count);
  print_products("others", count);
}
