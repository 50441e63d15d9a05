// Tests the header that tools/single_header writes. This program has no other header of neardup. On every instruction
// set, it checks the fingerprints of docs/fingerprint.md, and compares searches with a plain loop.
#include "neardup/neardup.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../catch.hpp"
#include "second_source.hpp"

namespace {

constexpr std::string_view fox = "The quick brown fox jumps over the lazy dog; the quick brown fox is quick.";

template <class Simhasher>
std::string hex(const Simhasher& hash, std::string_view text) {
  const auto fingerprint = hash(text);
  return fingerprint ? fingerprint->to_hex() : "-";
}

/// Runs the test on each instruction set of this machine, and goes back to the best one.
template <class Test>
void on_each_instruction_set(Test&& test) {
  const auto best = neardup::active_instruction_set();
  for (const auto& [level, name] : neardup::detail::instruction_sets) {
    if (!neardup::is_available(level)) continue;
    neardup::set_instruction_set(level);
    CAPTURE(name);
    test();
  }
  neardup::set_instruction_set(best);
}

/// Returns fingerprints in families of 8. Members of a family are within 4 bits of each other.
std::vector<neardup::simhash<64>> random_fingerprints(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<neardup::simhash<64>> result;
  std::uint64_t word = 0;
  while (result.size() < count) {
    if (result.size() % 8 == 0) word = random();
    result.emplace_back(word ^ std::uint64_t{1} << random() % 64 ^ std::uint64_t{1} << random() % 64);
  }
  return result;
}

}  // namespace

TEST_CASE("the single header gives the documented fingerprints on every instruction set") {
  using namespace neardup;
  on_each_instruction_set([] {
    CHECK(hex(default_simhasher<>{}, fox) == "271af7f9ea8a936c");
    CHECK(hex(default_simhasher<128>{}, fox) == "b8e8e6af66a26edf271af7f9ea8a936c");
    CHECK(hex(simhasher{shingles{3, normalised{words{}}}}, fox) == "a0db940c0132f0e7");
    CHECK(hex(simhasher{byte_ngrams{2}}, fox) == "5267b4f2634055b2");
    CHECK(hex(simhasher{folded{words{}}, log_tf{}}, fox) == "820e8682085a92eb");
    CHECK(hex(default_simhasher<>{}, "?! ...") == "-");
  });
}

TEST_CASE("the single header finds the pairs and matches of a plain loop on every instruction set") {
  const auto fingerprints = random_fingerprints(3'000);
  for (const int k : {3, 10}) {
    std::vector<std::pair<std::size_t, std::size_t>> expected;
    for (std::size_t i = 0; i < fingerprints.size(); ++i) {
      for (std::size_t j = i + 1; j < fingerprints.size(); ++j) {
        if (std::popcount(fingerprints[i].to_words()[0] ^ fingerprints[j].to_words()[0]) <= k)
          expected.emplace_back(i, j);
      }
    }
    REQUIRE(expected.size() > 500);
    on_each_instruction_set([&] {
      std::vector<std::pair<std::size_t, std::size_t>> joined;
      for (const auto& pair : neardup::pairs(fingerprints, neardup::bits{k}))
        joined.emplace_back(pair.first, pair.second);
      CHECK(joined == expected);

      const neardup::frozen_index<64> index(k, k == 3 ? 4 : 5, fingerprints);
      const auto found = index.search_batch(fingerprints, k);
      CHECK(found.matches.size() == fingerprints.size() + 2 * expected.size());
    });
  }
}

TEST_CASE("the single header in two sources of one program") { CHECK(second_source(fox) == neardup::simhash_of(fox)); }
