// Well-known hashes, each as a hasher of a few lines. The tests compare them with published vectors, and measure the
// bias of their bits.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"

namespace {

/// D. J. Bernstein's hash of comp.lang.c, times 33.
struct times33 {
  std::uint64_t operator()(std::string_view token) const noexcept {
    std::uint64_t hash = 5381;
    for (const char c : token) hash = hash * 33 + static_cast<unsigned char>(c);
    return hash;
  }
};

/// Fowler, Noll, Vo: FNV-1a, 64 bits (RFC 9923).
struct fnv1a {
  std::uint64_t operator()(std::string_view token) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : token) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
  }
};

/// Bob Jenkins's one-at-a-time, 32 bits (Dr. Dobb's Journal, 1997).
struct one_at_a_time {
  std::uint32_t operator()(std::string_view token) const noexcept {
    std::uint32_t hash = 0;
    for (const char c : token) {
      hash += static_cast<unsigned char>(c);
      hash += hash << 10;
      hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    return hash + (hash << 15);
  }
};

/// Austin Appleby's MurmurHash3_x64_128, both words.
struct murmur3 {
  std::uint64_t seed = 0;

  std::array<std::uint64_t, 2> operator()(std::string_view token) const noexcept {
    constexpr std::uint64_t c1 = 0x87c37b91114253d5U, c2 = 0x4cf5ad432745937fU;
    const auto word_at = [&](std::size_t at) {
      std::uint64_t word = 0;
      for (std::size_t i = std::min(token.size(), at + 8); i > at; --i)
        word = word << 8 | static_cast<unsigned char>(token[i - 1]);
      return word;
    };
    const auto mix1 = [](std::uint64_t k) { return std::rotl(k * c1, 31) * c2; };
    const auto mix2 = [](std::uint64_t k) { return std::rotl(k * c2, 33) * c1; };
    std::uint64_t h1 = seed, h2 = seed;
    std::size_t at = 0;
    for (; at + 16 <= token.size(); at += 16) {
      h1 = (std::rotl(h1 ^ mix1(word_at(at)), 27) + h2) * 5 + 0x52dce729;
      h2 = (std::rotl(h2 ^ mix2(word_at(at + 8)), 31) + h1) * 5 + 0x38495ab5;
    }
    h2 ^= mix2(at + 8 < token.size() ? word_at(at + 8) : 0);
    h1 ^= mix1(word_at(at));
    h1 ^= token.size();
    h2 ^= token.size();
    h1 += h2;
    h2 += h1;
    const auto finish = [](std::uint64_t k) {
      k = (k ^ k >> 33) * 0xff51afd7ed558ccdU;
      k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53U;
      return k ^ k >> 33;
    };
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    return {h1, h2 + h1};
  }
};

/// MD5 (RFC 1321): the last 64 bits as a big-endian number, which are the last 16 digits of the usual hexadecimal form.
struct md5_low {
  std::uint64_t operator()(std::string_view token) const {
    constexpr std::array<int, 16> turns = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
    std::string message(token);
    message += '\x80';
    while (message.size() % 64 != 56) message += '\0';
    for (int i = 0; i < 8; ++i) message += static_cast<char>(std::uint64_t{token.size()} * 8 >> (8 * i) & 0xff);
    std::array<std::uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (std::size_t block = 0; block < message.size(); block += 64) {
      auto [a, b, c, d] = state;
      for (unsigned i = 0; i < 64; ++i) {
        const unsigned round = i / 16;
        const std::uint32_t f = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
        const unsigned place = (round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i) % 16;
        std::uint32_t word = 0;
        for (unsigned j = 4; j-- > 0;) word = word << 8 | static_cast<unsigned char>(message[block + 4 * place + j]);
        const auto sine = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
        const std::uint32_t turned = b + std::rotl(a + f + sine + word, turns[4 * round + i % 4]);
        a = d;
        d = c;
        c = b;
        b = turned;
      }
      const std::array<std::uint32_t, 4> step = {a, b, c, d};
      for (std::size_t i = 0; i < 4; ++i) state[i] += step[i];
    }
    std::uint64_t low = 0;
    for (unsigned i = 0; i < 8; ++i) low = low << 8 | (state[2 + i / 4] >> (8 * (i % 4)) & 0xff);
    return low;
  }
};

/// Returns distinct words of a small language. They are as short and as similar as real words.
std::vector<std::string> many_words() {
  constexpr std::array<const char*, 12> beginnings = {"b", "d", "f", "gr", "k", "l", "m", "n", "p", "s", "st", "t"};
  constexpr std::array<const char*, 6> middles = {"a", "e", "i", "o", "u", "ea"};
  constexpr std::array<const char*, 8> ends = {"", "l", "n", "nd", "r", "s", "t", "ng"};
  std::vector<std::string> result;
  for (const char* a : beginnings)
    for (const char* b : middles)
      for (const char* c : ends)
        for (const char* d : middles)
          for (const char* e : ends) result.push_back(std::string(a) + b + c + d + e);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Returns the largest |share of ones - share of zeros| of all bits, over many words.
template <class Hasher>
double largest_bias(const Hasher& hash) {
  const neardup::simhasher composed{neardup::words{}, neardup::unit{}, hash};
  constexpr std::size_t bits = decltype(composed)::bits;
  std::array<double, bits> ones{};
  const std::vector<std::string> words = many_words();
  for (const std::string& word : words) {
    const auto value = composed.hash(word);
    for (std::size_t i = 0; i < bits; ++i) ones[i] += static_cast<double>(value[i / 64] >> (i % 64) & 1);
  }
  double worst = 0;
  for (const double count : ones) worst = std::max(worst, std::fabs(2 * count / static_cast<double>(words.size()) - 1));
  return worst;
}

constexpr std::string_view fox = "The quick brown fox jumps over the lazy dog";

}  // namespace

TEST_CASE("hashes of the user's give their published values", "[recipes]") {
  CHECK(static_cast<std::uint32_t>(times33{}("hello")) == 261238937);
  CHECK(fnv1a{}("") == 0xcbf29ce484222325U);
  CHECK(fnv1a{}("a") == 0xaf63dc4c8601ec8cU);
  CHECK(fnv1a{}("foobar") == 0x85944171f73967e8U);
  CHECK(one_at_a_time{}("a") == 0xca2e9442U);
  CHECK(one_at_a_time{}(fox) == 0x519e91f5U);
  CHECK(murmur3{}("") == std::array<std::uint64_t, 2>{0, 0});
  CHECK(murmur3{}("hello") == std::array<std::uint64_t, 2>{0xcbd8a7b341bd9b02U, 0x5b1e906a48ae1d19U});
  CHECK(murmur3{}(fox) == std::array<std::uint64_t, 2>{0xe34bbc7bbc071b6cU, 0x7a433ca9c49a9347U});
  CHECK(md5_low{}("") == 0xe9800998ecf8427eU);
  CHECK(md5_low{}("abc") == 0xd6963f7d28e17f72U);
}

TEST_CASE("hashes of the user's make fingerprints of their own width", "[recipes]") {
  const auto bits_of = [](const auto& hash) {
    const neardup::simhasher composed{neardup::words{}, neardup::unit{}, hash};
    REQUIRE(composed("one two three").has_value());
    return composed.bits;
  };
  CHECK(bits_of(times33{}) == 64);
  CHECK(bits_of(fnv1a{}) == 64);
  CHECK(bits_of(one_at_a_time{}) == 32);
  CHECK(bits_of(murmur3{}) == 128);
  CHECK(bits_of(md5_low{}) == 64);
}

// Over n words, the bias of a fair bit exceeds 6 / sqrt(n) once in 10^9 tries.
TEST_CASE("the bits of good hashes are even, those of weak ones are not", "[recipes]") {
  const double noise = 6 / std::sqrt(static_cast<double>(many_words().size()));
  CHECK(noise < 0.05);
  CHECK(largest_bias(neardup::xxh3<64>{}) < noise);
  CHECK(largest_bias(murmur3{}) < noise);
  CHECK(largest_bias(md5_low{}) < noise);
  CHECK(largest_bias(one_at_a_time{}) < noise);
  CHECK(largest_bias(fnv1a{}) > noise);
  CHECK(largest_bias(times33{}) > 0.9);  // a word of eight letters reaches only 48 of 64 bits
}
