// The bits of a block of UTF-8 against a loop over its bytes.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <catch.hpp>
#include <neardup/text/utf8_bits.hpp>

using neardup::detail::utf8_bits;

TEST_CASE("the bits of a block are those of its bytes") {
  std::mt19937_64 random(3);
  constexpr std::size_t size = neardup::detail::text_block_size;
  const auto equal = [](const utf8_bits& a, const utf8_bits& b) {
    return a.tops == b.tops && a.seconds == b.seconds && a.thirds == b.thirds && a.fourths == b.fourths &&
           a.e0 == b.e0 && a.ed == b.ed;
  };
  std::size_t wrong = 0;
  for (std::size_t round = 0; round < 5000; ++round) {
    std::string block(size, 'x');
    const std::uint64_t rare = random() % 200 + 1;
    for (char& byte : block) byte = static_cast<char>(random() % rare == 0 ? random() : 0xe4 + random() % 6);
    utf8_bits expected{};
    for (std::size_t i = 0; i < size; ++i) {
      const unsigned byte = static_cast<unsigned char>(block[i]);
      expected.tops |= std::uint64_t{byte >> 7 & 1U} << i;
      expected.seconds |= std::uint64_t{byte >> 6 & 1U} << i;
      expected.thirds |= std::uint64_t{byte >> 5 & 1U} << i;
      expected.fourths |= std::uint64_t{byte >= 0xf0} << i;
      expected.e0 |= std::uint64_t{byte == 0xe0} << i;
      expected.ed |= std::uint64_t{byte == 0xed} << i;
    }
    if (!equal(neardup::detail::utf8_bits_of(block.data()), expected)) ++wrong;
    if (!equal(neardup::detail::utf8_bits_by_words(block.data()), expected)) ++wrong;
  }
  CHECK(wrong == 0);
}
