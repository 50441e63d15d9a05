// Fingerprints as text: hexadecimal digits of fixed width.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <neardup/simhash.hpp>

#include "catch.hpp"
#include "oracle/hamming.hpp"
#include "support/widths.hpp"

using neardup::simhash;

TEST_CASE("hex is lower case, the highest bits first, leading zeros kept", "[simhash]") {
  CHECK(simhash<16>(0xab).to_hex() == "00ab");
  CHECK(simhash<24>(1).to_hex() == "000001");
  CHECK(simhash<64>(0).to_hex() == "0000000000000000");
  CHECK(simhash<64>(0xfedcba9876543210).to_hex() == "fedcba9876543210");
  CHECK(simhash<80>({1, 0xbeef}).to_hex() == "beef0000000000000001");
  CHECK(simhash<128>({0x0123456789abcdef, 0xf0}).to_hex() == "00000000000000f00123456789abcdef");
}

TEMPLATE_TEST_CASE_SIG("hex comes back as the same fingerprint", "[simhash]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  oracle::random_engine random(Bits);
  bool same = true;
  for (int i = 0; i < 100; ++i) {
    const auto value = oracle::random_fingerprint<Bits>(random);
    const std::string text = value.to_hex();
    std::string upper;
    for (const char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    same = same && text.size() == Bits / 4 && simhash<Bits>::from_hex(text) == value &&
           simhash<Bits>::from_hex(upper) == value;
  }
  CHECK(same);
  for (std::size_t i = 0; i < Bits; ++i) {
    std::string expected(Bits / 4, '0');
    expected[Bits / 4 - 1 - i / 4] = "1248"[i % 4];
    same = same && simhash<Bits>{}.set(i).to_hex() == expected;
  }
  CHECK(same);
}

TEMPLATE_TEST_CASE_SIG("from_hex takes exactly the digits of the width", "[simhash]", ((std::size_t Bits), Bits),
                       NEARDUP_TEST_WIDTHS) {
  const auto refused = [](std::string_view text) { return !simhash<Bits>::from_hex(text).has_value(); };
  const std::string good(Bits / 4, 'f');
  REQUIRE_FALSE(refused(good));
  CHECK(refused(""));
  CHECK(refused(good.substr(1)));
  CHECK(refused(good + "f"));
  CHECK(refused(" " + good));
  CHECK(refused("0x" + good));
  CHECK(refused("0x" + good.substr(2)));
  CHECK(refused(good + "\n"));
  // Any byte that is no digit, at any place.
  bool right = true;
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      std::string text = good;
      text[i] = c;
      right = right && refused(text) == (std::string_view("0123456789abcdefABCDEF").find(c) == std::string_view::npos);
    }
  }
  CHECK(right);
}
