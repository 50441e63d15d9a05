// Texts made by an attacker who knows the seed, and how a secret seed or a check defeats them; giant tokens; empty
// texts.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/index/flat_index.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::no_check;
using neardup::simhash;
using neardup::simhasher;
using neardup::words;
using neardup::xxh3;

/// Returns true if NEARDUP_HUGE=1 is in the environment. Then tests have their full sizes, which take gigabytes or
/// minutes.
bool is_huge() {
  const char* wanted = std::getenv("NEARDUP_HUGE");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

auto hasher_with(std::uint64_t seed) { return simhasher{words{}, neardup::unit{}, xxh3<64>{seed}}; }

/// Returns, of 200,000 words, the `count` words whose hashes under this seed are nearest to `target`. So the
/// fingerprint of these words is `target`, or near it.
std::string words_for(std::uint64_t seed, simhash<64> target, std::size_t count) {
  std::vector<std::pair<int, std::string>> candidates;
  for (std::size_t i = 0; i < 200'000; ++i) {
    const std::string word = "v" + std::to_string(i);
    candidates.emplace_back(std::popcount(xxh3<64>{seed}(word) ^ target.to_words()[0]), word);
  }
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end());
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += candidates[i].second + ' ';
  return text;
}

/// Returns pairs of words with equal 32-bit features under this seed, found by a birthday attack.
std::vector<std::pair<std::string, std::string>> colliding_words(std::uint64_t seed, std::size_t wanted) {
  std::unordered_map<std::uint32_t, std::size_t> seen;
  std::vector<std::pair<std::string, std::string>> result;
  for (std::size_t i = 0; result.size() < wanted; ++i) {
    const auto feature = static_cast<std::uint32_t>(xxh3<64>{seed}("c" + std::to_string(i)));
    const auto [at, is_new] = seen.emplace(feature, i);
    if (!is_new) result.emplace_back("c" + std::to_string(at->second), "c" + std::to_string(i));
  }
  return result;
}

}  // namespace

TEST_CASE("a check or a secret seed defeats a text that was made for a fingerprint", "[attack]") {
  const std::string victim = "the report that somebody would rather not have in the index of this search engine today";
  const std::uint64_t secret = 0x7c3f2b6a9d10e845;
  const std::string attack = words_for(0, *hasher_with(0)(victim), 100);
  REQUIRE(hamming_distance(*hasher_with(0)(victim), *hasher_with(0)(attack)) <= 3);

  neardup::fingerprint_deduplicator by_distance{hasher_with(0), neardup::bits{3}};
  REQUIRE(by_distance.add(attack, 0).is_new());
  CHECK_FALSE(by_distance.add(victim, 1).is_new());  // the attack succeeds: the report counts as a duplicate

  neardup::deduplicator checked{neardup::feature_extractor{words{}, xxh3<64>{0}}, neardup::jaccard{0.8}};
  REQUIRE(checked.add(attack, 0).is_new());
  CHECK(checked.add(victim, 1).is_new());

  CHECK(hamming_distance(*hasher_with(secret)(victim), *hasher_with(secret)(attack)) > 16);
  neardup::fingerprint_deduplicator secretly{hasher_with(secret), neardup::bits{3}};
  REQUIRE(secretly.add(attack, 0).is_new());
  CHECK(secretly.add(victim, 1).is_new());
}

TEST_CASE("a secret seed defeats words that were made to collide", "[attack]") {
  std::string victim, attack;
  for (const auto& [a, b] : colliding_words(0, 30)) {
    victim += a + ' ';
    attack += b + ' ';
  }
  const auto similarity = [&](std::uint64_t seed) {
    const neardup::feature_extractor features{words{}, xxh3<64>{seed}};
    return neardup::jaccard_similarity(features(victim), features(attack));
  };
  CHECK(similarity(0) == 1);
  CHECK(similarity(0x7c3f2b6a9d10e845) == 0);
  // Features of 64 bits defeat the attack, too.
  const neardup::feature_extractor<words, xxh3<64>, std::uint64_t> wide{words{}};
  CHECK(neardup::jaccard_similarity(wide(victim), wide(attack)) == 0);
}

TEST_CASE("a crowd of texts with one block in common changes no answer", "[attack]") {
  // Fingerprints made for the seed: equal in their first 16 bits, so one bucket of the first table holds them all.
  oracle::random_engine random(3);
  const std::size_t count = oracle::effort(40'000, 4'000);
  std::vector<simhash<64>> crowd;
  for (std::size_t i = 0; i < count; ++i) {
    crowd.emplace_back(simhash<64>::words_type{(random() & ~std::uint64_t{0xffff}) | 0x5eed});
  }
  neardup::pigeonhole_index<64> index;
  for (std::size_t i = 0; i < count; ++i) index.insert(crowd[i], static_cast<std::uint32_t>(i));
  neardup::flat_index<64> plain;
  for (std::size_t i = 0; i < count; ++i) plain.insert(crowd[i], static_cast<std::uint32_t>(i));
  for (std::size_t i = 0; i < 100; ++i) {
    simhash<64> query = crowd[random() % count];
    for (int flips = 0; flips < 3; ++flips) query.flip(random() % 64);
    CHECK(index.search(query) == plain.search(query));
  }
  crowd.resize(2000);
  std::size_t near = 0;
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) near += hamming_distance(crowd[i], crowd[j]) <= 14 ? 1 : 0;
  }
  REQUIRE(near > 1000);
  CHECK(neardup::pairs(crowd, neardup::bits{14}).size() == near);
}

TEST_CASE("a token of many megabytes is a token", "[attack]") {
  const std::size_t size = is_huge() ? (std::size_t{1} << 30) : oracle::effort(64'000'000, 4'000'000);
  std::string text(size, 'a');
  text += " b";
  const simhasher hash{neardup::normalised{words{}}};
  const auto whole = hash(text);
  REQUIRE(whole);
  neardup::text_stream stream{hash};
  for (std::size_t at = 0; at < text.size(); at += 1'000'003) stream.feed(std::string_view(text).substr(at, 1'000'003));
  CHECK(stream.finish() == whole);
  const neardup::feature_extractor features{neardup::normalised{words{}}};
  CHECK(features(text).size() == 2);
}

TEST_CASE("very many occurrences of a token are counted", "[attack]") {
  const std::size_t count = is_huge() ? (std::size_t{1} << 31) + 1 : oracle::effort(10'000'000, 300'000);
  std::string part;
  for (int i = 0; i < 100'000; ++i) part += "a ";
  const simhasher hash{words{}, neardup::tf{}};
  neardup::text_stream stream{hash};
  std::size_t fed = 0;
  for (; fed + 100'000 <= count; fed += 100'000) stream.feed(part);
  stream.feed(std::string_view(part).substr(0, 2 * (count - fed)));
  stream.feed("b");
  // The count of "a" is 2^31 + 1 and outweighs "b". A count that wrapped around would be negative.
  CHECK(stream.finish() == hash("a a b"));
}

TEST_CASE("a million texts without a token are new, and duplicates of nothing", "[attack]") {
  const std::size_t count = oracle::effort(1'000'000, 100'000);
  const std::vector<std::string_view> texts(count, "");
  neardup::deduplicator<oracle::sample_or<neardup::feature_extractor<words>, neardup::default_features<>>> dedup{
      neardup::jaccard{0.8}};
  const auto verdicts = dedup.add_batch(texts);
  CHECK(std::all_of(verdicts.begin(), verdicts.end(), [](const auto& v) { return v.is_new() && !v.is_comparable; }));
  CHECK(dedup.size() == 0);
  CHECK(dedup.added() == count);
  CHECK(dedup.add("a text of some words", 7).is_new());
}
