// The default hasher is XXH3 with one seed per word.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <neardup/fingerprint/hashers.hpp>

#include "catch.hpp"
#include "support/widths.hpp"

namespace {

using neardup::xxh3;

/// The words of a hash of any xxh3<Bits>.
template <class Result>
auto words_of(const Result& hash) {
  return neardup::detail::to_hash_words(hash);
}

}  // namespace

TEST_CASE("the published value of nothing", "[hashers]") {
  // xxHash, tests/sanity_test_vectors.h: XXH3_64bits of 0 bytes, seed 0.
  CHECK(xxh3<64>{}("") == 0x2d06800538d394c2);
  CHECK(xxh3<64>{}(std::string_view{}) == 0x2d06800538d394c2);
}

TEMPLATE_TEST_CASE_SIG("word j is XXH3 with the seed plus j times 2^64 / phi", "[hashers]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  static_assert(neardup::detail::hasher_width<xxh3<Bits>>() == Bits);
  static_assert(neardup::detail::hasher_words<xxh3<Bits>> == (Bits + 63) / 64);
  std::string token;
  bool same = true;
  // Above 240 bytes XXH3 uses another algorithm.
  for (std::size_t length = 0; length < 300; ++length) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
      const auto words = words_of(xxh3<Bits>{seed}(token));
      for (std::size_t j = 0; j < words.size(); ++j) {
        same = same && words[j] == XXH3_64bits_withSeed(token.data(), token.size(), seed + j * 0x9e3779b97f4a7c15);
      }
    }
    token.push_back(static_cast<char>(length * 37));
  }
  CHECK(same);
}

TEST_CASE("hashes of up to 64 bits are one whole word", "[hashers]") {
  CHECK(xxh3<16>{.seed = 7}("token") == xxh3<64>{.seed = 7}("token"));
  CHECK(xxh3<40>{.seed = 7}("token") == xxh3<64>{.seed = 7}("token"));
  CHECK(xxh3<128>{.seed = 7}("token")[0] == xxh3<64>{.seed = 7}("token"));
}

TEST_CASE("tokens and seeds tell hashes apart", "[hashers]") {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const std::string_view token : {"", "a", "b", "ab", "ba"}) hashes.insert(xxh3<64>{seed}(token));
  }
  CHECK(hashes.size() == 500);
  const std::string_view zero("\0", 1);
  CHECK(xxh3<64>{}(zero) != xxh3<64>{}(""));
}

#ifdef __SIZEOF_INT128__
TEST_CASE("an integer wider than a word is no hash", "[hashers]") {
  __extension__ using wide = unsigned __int128;
  const auto hash = [](std::string_view token) { return static_cast<wide>(token.size()); };
  CHECK_FALSE(neardup::token_hasher<decltype(hash)>);
}
#endif
