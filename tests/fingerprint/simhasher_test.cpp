// simhasher against the oracle: each tokenizer with each weighter, at each width, by each path.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/fingerprint.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/compositions.hpp"
#include "support/tokens.hpp"
#include "support/widths.hpp"

namespace {

using neardup::simhasher;
using neardup::xxh3;
using support::any_text_tokenizer;
using support::exact_copy;
using support::printable;

template <std::size_t Bits, class Weighter>
using hasher_of = simhasher<any_text_tokenizer, Weighter, xxh3<Bits>, Bits>;

std::vector<std::string> sample_texts() {
  std::vector<std::string> texts = {"", " ", "a", "a b", "a a b", "\xff", "\u4e2d\u6587"};
  oracle::random_texts random(6);
  for (int i = 0; i < 4; ++i) texts.push_back(random.next(5 + random.below(30)));
  oracle::unless_sample([&](auto) { texts.push_back(random.next(20'000)); });
  return texts;
}

/// Returns true if a stream gives this fingerprint: for two chunks cut at each byte, and for chunks of one and of three
/// bytes.
template <class Hash, class Fingerprint>
bool streams_to(const Hash& hash, std::string_view text, const Fingerprint& expected) {
  neardup::text_stream stream{hash};
  const auto gives = [&](const std::vector<std::string_view>& chunks) {
    for (const std::string_view chunk : chunks) stream.feed(exact_copy(chunk));
    return stream.finish() == expected;
  };
  for (std::size_t at = 0; at <= text.size() && text.size() < 100; ++at) {
    if (!gives(support::cut_at(text, at))) return false;
  }
  return gives(support::cut_every(text, 1)) && gives(support::cut_every(text, 3));
}

/// Fails, and prints the composition, the text, and the fingerprint that each way of computing gave.
template <class Fingerprint>
void report(const std::string& tokenizer, const char* weighter, const std::string& text,
            const std::optional<std::string>& expected, const std::vector<Fingerprint>& ways) {
  CAPTURE(tokenizer, weighter, printable(text));
  for (const Fingerprint& way : ways) REQUIRE(oracle::digits(way) == expected);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("each tokenizer with each weighter gives the fingerprint of the oracle", "[simhasher]",
                       ((std::size_t Bits), Bits), NEARDUP_TEST_WIDTHS) {
  const std::vector<std::string> texts = sample_texts();
  const std::uint64_t seed = 0x1234567890abcdef + Bits;
  std::size_t fingerprints = 0;
  for (const support::tokenizer_case& t : support::tokenizer_cases()) {
    std::vector<oracle::numbers> counts;
    for (const std::string& text : texts) counts.push_back(oracle::count(t.oracle(text)));
    support::for_each_weighter([&](const char* weighter_name, auto weigh, auto reference) {
      const hasher_of<Bits, decltype(weigh)> hash{t.tokenize, weigh, xxh3<Bits>{seed}};
      typename decltype(hash)::workspace scratch;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto expected = oracle::fingerprint(reference(counts[i], Bits, seed), Bits, seed);
        const exact_copy text(texts[i]);
        const auto found = hash(text);
        fingerprints += found.has_value();
        const auto bag = hash.bag(text);
        // The other ways: with a workspace that other texts have used, from the bag, and in chunks.
        const bool is_streamed = Bits != 64 || streams_to(hash, texts[i], found);
        if (oracle::digits(found) == expected && hash(text, scratch) == found && hash(bag) == found &&
            hash(bag, scratch) == found && is_streamed) {
          continue;
        }
        report(t.name, weighter_name, texts[i], expected,
               std::vector{found, hash(text, scratch), hash(bag), hash(bag, scratch)});
        REQUIRE(is_streamed);
      }
    });
  }
  CHECK(fingerprints > (oracle::is_sample ? 160 : 400));
}

TEST_CASE("a text without tokens, or whose tokens weigh 0, has no fingerprint", "[simhasher]") {
  const auto nothing = [](std::uint64_t) { return 0; };
  const auto only_long = [](std::string_view token, std::uint64_t) { return token.size() > 3 ? 1 : 0; };
  using neardup::words;
  CHECK_FALSE(simhasher{words{}}(""));
  CHECK_FALSE(simhasher{words{}}("?! \xff"));
  CHECK_FALSE(simhasher{words{}, neardup::tf{}}("?! \xff"));
  CHECK_FALSE(simhasher{words{}, nothing}("a b"));
  CHECK_FALSE(simhasher{words{}, only_long}("the cat sat"));
  CHECK(simhasher{words{}, only_long}("the cats sat") == simhasher{words{}}("cats"));
  CHECK_FALSE(simhasher{words{}, neardup::top{1, nothing}}("a b"));
  CHECK_FALSE(simhasher{words{}, neardup::levels{3, nothing}}("a b"));
  CHECK_FALSE(simhasher{words{}}(simhasher<words>::bag_type{}));
}

TEST_CASE("windows of 0 units throw when used", "[simhasher]") {
  CHECK_THROWS_AS(simhasher{neardup::byte_ngrams{0}}("a"), std::invalid_argument);
  CHECK_THROWS_AS((simhasher{neardup::shingles{0, neardup::words{}}}("a")), std::invalid_argument);
  CHECK_THROWS_AS(neardup::text_stream{simhasher{neardup::byte_ngrams{0}}}, std::invalid_argument);
}

TEST_CASE("linear weighters give the same by accumulator, by bag and by text", "[simhasher]") {
  oracle::random_texts random(7);
  const auto check = [&](const auto& hash) {
    using hash_type = std::remove_cvref_t<decltype(hash)>;
    neardup::accumulator<hash_type::bits> sums;
    typename hash_type::bag_type bag;
    std::string joined;
    for (int i = 0; i < 5; ++i) {
      const std::string text = random.next(30);
      joined += text + "\n";
      hash.add_to(sums, text);
      hash.add_to(bag, text);
      REQUIRE(sums.result() == hash(joined));
      REQUIRE(hash(bag) == hash(joined));
    }
    const std::string last = random.next(30);
    neardup::accumulator<hash_type::bits> more = sums;
    hash.add_to(more, last);
    neardup::accumulator<hash_type::bits> of_last;
    hash.add_to(of_last, last);
    more.subtract(of_last);
    CHECK(more == sums);
  };
  // Joining texts by a line break keeps their words, but not their n-grams.
  check(simhasher{neardup::words{}, neardup::tf{}});
  check(simhasher{neardup::words{}, neardup::tf_idf{support::sample_idf_table()}});
  oracle::unless_sample([&](auto) { check(neardup::make_simhasher<128>(neardup::words{}, neardup::tf{})); });
  check(neardup::make_simhasher<80>(neardup::words{}, neardup::tf_idf{support::sample_idf_table()}));
}

TEST_CASE("tf is each occurrence counted, unit each distinct token", "[simhasher]") {
  using neardup::words;
  const auto by_count = [](std::uint64_t count) { return count; };
  const std::string text = "a a a b b c d e a";
  CHECK(simhasher{words{}, neardup::tf{}}(text) == simhasher{words{}, by_count}(text));
  CHECK(simhasher{words{}}(text) == simhasher{words{}, neardup::tf{}}("a b c d e"));
  CHECK(simhasher{words{}}("e d c b a") == simhasher{words{}}(text));
}

TEST_CASE("merged bags are the fingerprint of all fields, for every weighter", "[simhasher]") {
  support::for_each_weighter([](const char* name, auto weigh, auto) {
    CAPTURE(name);
    const simhasher<neardup::words, decltype(weigh)> hash{neardup::words{}, weigh};
    auto bag = hash.bag("a b c a");
    const auto title = hash.bag("a \u4e2d b");
    bag.merge(title);
    hash.add_to(bag, "ab ab c");
    CHECK(hash(bag) == hash("a b c a / a \u4e2d b / ab ab c"));
    bag.subtract(title);
    CHECK(hash(bag) == hash("a b c a ab ab c"));
  });
}

TEST_CASE("a narrower fingerprint has the lower bits of a wider one", "[simhasher]") {
  const std::string text = "whether 'tis nobler in the mind to suffer";
  const std::string wide = *oracle::digits(neardup::simhash_of<256>(text));
  support::for_each_width(
      [&](auto bits) { CHECK(*oracle::digits(neardup::simhash_of<bits()>(text)) == wide.substr(0, bits())); });
}

TEST_CASE("features are the sorted hashes of the distinct tokens", "[simhasher]") {
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}, xxh3<128>{.seed = 42}};
  const auto features = hash.features("b a c a b a");
  std::vector<std::array<std::uint64_t, 2>> expected;
  for (const std::string_view token : {"a", "b", "c"}) expected.push_back(hash.hash(token));
  std::sort(expected.begin(), expected.end());
  CHECK(features == expected);
  CHECK(hash.features("").empty());
}

TEST_CASE("components are public, deduced, and part of the value", "[simhasher]") {
  neardup::simhasher hash{neardup::shingles{2, neardup::words{}}, neardup::unit{}, xxh3<128>{.seed = 42}};
  static_assert(decltype(hash)::bits == 128);
  CHECK(hash.tokenizer.n == 2);
  CHECK(hash.hasher.seed == 42);
  const auto before = hash("one two three");
  hash.hasher.seed = 43;
  CHECK(hash("one two three") != before);
  hash.hasher.seed = 42;
  CHECK(hash("one two three") == before);
  static_assert(std::same_as<decltype(neardup::simhasher{neardup::words{}}), neardup::simhasher<neardup::words>>);
  static_assert(decltype(neardup::make_simhasher<96>(neardup::words{}))::bits == 96);
}
