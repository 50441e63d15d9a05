// The bit masks of a block of UTF-8, against a loop over its bytes.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <catch.hpp>
#include <neardup/text/kernels/utf8_blocks.hpp>
#include <oracle/random_engine.hpp>

using neardup::detail::utf8_bits;
using neardup::detail::utf8_rare_bits;

TEST_CASE("the bits of a block are those of its bytes") {
  oracle::random_engine random(3);
  constexpr std::size_t size = neardup::detail::text_block_size;
  std::size_t wrong = 0;
  std::size_t rare_blocks = 0;
  const auto check = [&](const utf8_bits& bits, const utf8_bits& expected) {
    if (bits.tops != expected.tops || bits.seconds != expected.seconds || bits.is_rare != expected.is_rare) ++wrong;
  };
  const auto check_rare = [&](const utf8_rare_bits& bits, const utf8_rare_bits& expected) {
    if (bits.thirds != expected.thirds || bits.fourths != expected.fourths || bits.overlong != expected.overlong)
      ++wrong;
    if (bits.e0 != expected.e0 || bits.ed != expected.ed) ++wrong;
  };
  for (std::size_t round = 0; round < 5000; ++round) {
    std::string block(size, 'x');
    const std::uint64_t often = random() % 200 + 1;
    for (char& byte : block) byte = static_cast<char>(random() % often == 0 ? random() : 0xe4 + random() % 6);
    utf8_bits expected{};
    utf8_rare_bits rare{};
    for (std::size_t i = 0; i < size; ++i) {
      const unsigned byte = static_cast<unsigned char>(block[i]);
      const auto bit = [&](bool is_set) { return std::uint64_t{is_set} << i; };
      expected.tops |= bit(byte >= 0x80);
      expected.seconds |= bit((byte & 0x40) != 0);
      expected.is_rare |= byte == 0xe0 || byte == 0xed || byte >= 0xf0 || (byte >= 0xc0 && byte < 0xe0);
      rare.thirds |= bit((byte & 0x20) != 0);
      rare.fourths |= bit(byte >= 0xf0);
      rare.overlong |= bit(byte == 0xc0 || byte == 0xc1);
      rare.e0 |= bit(byte == 0xe0);
      rare.ed |= bit(byte == 0xed);
    }
    rare_blocks += expected.is_rare ? 1 : 0;
    check(neardup::detail::utf8_block_portable::bits_of(block.data()), expected);
    check_rare(neardup::detail::utf8_block_portable::rare_bits_of(block.data()), rare);
#if NEARDUP_X86_KERNELS
    check(neardup::detail::baseline::utf8_block::bits_of(block.data()), expected);
    check_rare(neardup::detail::baseline::utf8_block::rare_bits_of(block.data()), rare);
#endif
  }
  CHECK(wrong == 0);
  CHECK(rare_blocks > 500);
  CHECK(rare_blocks < 4500);
}
