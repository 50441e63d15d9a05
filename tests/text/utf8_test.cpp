// UTF-8 against a slow oracle: the rows of table 3-7, with every length tried.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/text/utf8.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::decode_one;
using neardup::decoded;

// Unicode 15, table 3-7: the well-formed sequences, as {lowest, highest} of each byte.
struct byte_range {
  unsigned low, high;
};
struct sequence_row {
  std::size_t length;
  byte_range bytes[4];
};
constexpr sequence_row table_3_7[] = {
    {1, {{0x00, 0x7f}}},
    {2, {{0xc2, 0xdf}, {0x80, 0xbf}}},
    {3, {{0xe0, 0xe0}, {0xa0, 0xbf}, {0x80, 0xbf}}},
    {3, {{0xe1, 0xec}, {0x80, 0xbf}, {0x80, 0xbf}}},
    {3, {{0xed, 0xed}, {0x80, 0x9f}, {0x80, 0xbf}}},
    {3, {{0xee, 0xef}, {0x80, 0xbf}, {0x80, 0xbf}}},
    {4, {{0xf0, 0xf0}, {0x90, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
    {4, {{0xf1, 0xf3}, {0x80, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
    {4, {{0xf4, 0xf4}, {0x80, 0x8f}, {0x80, 0xbf}, {0x80, 0xbf}}},
};

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

std::string hex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const unsigned digit : {byte_at(text, i) / 16, byte_at(text, i) % 16}) out += "0123456789ABCDEF"[digit];
    out += ' ';
  }
  return out;
}

/// Returns the length of a well-formed sequence that begins with `bytes`, or 0 if there is none.
std::size_t length_of_sequences_with_prefix(std::string_view bytes) {
  for (const sequence_row& row : table_3_7) {
    bool matches = bytes.size() <= row.length;
    for (std::size_t i = 0; matches && i < bytes.size(); ++i) {
      matches = byte_at(bytes, i) >= row.bytes[i].low && byte_at(bytes, i) <= row.bytes[i].high;
    }
    if (matches) return row.length;
  }
  return 0;
}

bool is_well_formed(std::string_view bytes) {
  return !bytes.empty() && length_of_sequences_with_prefix(bytes) == bytes.size();
}
bool is_unfinished(std::string_view bytes) {
  return !bytes.empty() && length_of_sequences_with_prefix(bytes) > bytes.size();
}

/// Returns the code point of a well-formed sequence: the bits of its bytes without the marker bits.
std::uint32_t value_of(std::string_view bytes) {
  constexpr unsigned lead_marker[] = {0, 0, 0xc0, 0xe0, 0xf0};
  std::uint32_t value = byte_at(bytes, 0) - lead_marker[bytes.size()];
  for (std::size_t i = 1; i < bytes.size(); ++i) value = value * 64 + (byte_at(bytes, i) - 0x80);
  return value;
}

decoded oracle_decode_one(std::string_view text) {
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    const std::string_view bytes = text.substr(0, length);
    if (is_well_formed(bytes)) return {value_of(bytes), static_cast<std::uint8_t>(length), true};
  }
  std::size_t longest = 1;
  for (std::size_t length = 2; length <= 3 && length <= text.size(); ++length) {
    if (is_unfinished(text.substr(0, length))) longest = length;
  }
  return {0xfffd, static_cast<std::uint8_t>(longest), false};
}

std::string oracle_encode(std::uint32_t value) {
  const auto text = [](std::initializer_list<std::uint32_t> bytes) {
    std::string out;
    for (const std::uint32_t byte : bytes) out.push_back(static_cast<char>(byte));
    return out;
  };
  if (value < 0x80) return text({value});
  if (value < 0x800) return text({0xc0 + value / 64, 0x80 + value % 64});
  if (value < 0x10000) return text({0xe0 + value / 4096, 0x80 + value / 64 % 64, 0x80 + value % 64});
  return text({0xf0 + value / 262144, 0x80 + value / 4096 % 64, 0x80 + value / 64 % 64, 0x80 + value % 64});
}

std::size_t oracle_incomplete_suffix(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    if (is_unfinished(text.substr(text.size() - length))) longest = length;
  }
  return longest;
}

void require_as_oracle(std::string_view text) {
  const decoded expected = oracle_decode_one(text);
  const decoded found = decode_one(text);
  // REQUIRE takes a microsecond, and there are millions of sequences. So it runs only if the results differ.
  if (found.code_point == expected.code_point && found.length == expected.length && found.valid == expected.valid)
    return;
  CAPTURE(hex(text));
  REQUIRE(std::uint32_t{found.code_point} == std::uint32_t{expected.code_point});
  REQUIRE(int{found.length} == int{expected.length});
  REQUIRE(found.valid == expected.valid);
}

// Both ends of every range of table 3-7, and the values just outside.
constexpr unsigned boundary_bytes[] = {0x00, 0x41, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2,
                                       0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};

class random_texts {
 public:
  std::string next() {
    std::string text;
    for (std::size_t left = generator_() % 13; left > 0; --left) {
      const std::size_t choice = generator_() % (2 * std::size(boundary_bytes));
      // Half of the bytes are continuation bytes, since long sequences would be rare otherwise.
      const unsigned byte = choice < std::size(boundary_bytes) ? boundary_bytes[choice] : 0x80U + generator_() % 64;
      text.push_back(static_cast<char>(byte));
    }
    return text;
  }

 private:
  std::mt19937 generator_{15 + oracle::seed_shift()};
};

std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> found;
  neardup::for_each_code_point(text, [&](char32_t c, std::string_view) { found.push_back(c); });
  return found;
}

void put(char& out, unsigned byte) { out = static_cast<char>(byte); }

constexpr bool is_surrogate(std::uint32_t value) { return value >= 0xd800 && value <= 0xdfff; }

}  // namespace

TEST_CASE("decode_one reads every way to begin a sequence as the oracle", "[utf8]") {
  char bytes[4] = {};
  for (unsigned first = 0; first < 256; ++first) {
    put(bytes[0], first);
    require_as_oracle({bytes, 1});
    for (unsigned second = 0; second < 256; ++second) {
      put(bytes[1], second);
      require_as_oracle({bytes, 2});
      // A third byte matters only where the first two bytes begin a sequence; the next test tries the other cases.
      if (!is_unfinished({bytes, 2})) continue;
      for (unsigned third = 0; third < 256; ++third) {
        put(bytes[2], third);
        require_as_oracle({bytes, 3});
        if (!is_unfinished({bytes, 3})) continue;
        for (const unsigned fourth : {0x00U, 0x7fU, 0x80U, 0xbfU, 0xc0U, 0xffU}) {
          put(bytes[3], fourth);
          require_as_oracle({bytes, 4});
        }
      }
    }
  }
}

TEST_CASE("decode_one stops at the first byte that does not belong, whatever follows", "[utf8]") {
  char bytes[4] = {};
  for (unsigned first = 0; first < 256; ++first) {
    put(bytes[0], first);
    for (const unsigned second : boundary_bytes) {
      put(bytes[1], second);
      for (const unsigned third : boundary_bytes) {
        put(bytes[2], third);
        for (const unsigned fourth : {0x41U, 0x80U, 0xc3U}) {
          put(bytes[3], fourth);
          require_as_oracle({bytes, 4});
        }
      }
    }
  }
}

TEST_CASE("every scalar value is encoded as the oracle does, and decodes back", "[utf8]") {
  for (std::uint32_t value = 0; value <= 0x10ffff; ++value) {
    if (is_surrogate(value)) continue;
    char bytes[4];
    const std::string_view text(bytes, neardup::encode(static_cast<char32_t>(value), bytes));
    const decoded back = decode_one(text);
    if (text == oracle_encode(value) && back.valid && back.code_point == value && back.length == text.size()) continue;
    CAPTURE(value, text.size(), std::uint32_t{back.code_point}, back.valid);
    FAIL("encoded wrongly, or not decoded back");
  }
}

TEST_CASE("what is no scalar value is encoded as U+FFFD", "[utf8]") {
  for (const std::uint32_t value : {0xd800U, 0xdbffU, 0xdc00U, 0xdfffU, 0x110000U, 0x7fffffffU, 0xffffffffU}) {
    char bytes[4];
    const std::size_t length = neardup::encode(static_cast<char32_t>(value), bytes);
    CAPTURE(value);
    REQUIRE(hex({bytes, length}) == "EF BF BD ");
  }
}

TEST_CASE("encode writes no byte beyond those it counts", "[utf8]") {
  for (const auto& [value, length] : {std::pair{U'A', 1U}, {U'\u00e9', 2U}, {U'\u4e2d', 3U}, {U'\U0001f600', 4U}}) {
    std::string bytes(4, '#');
    REQUIRE(neardup::encode(value, bytes.data()) == length);
    REQUIRE(bytes.substr(length) == std::string(4 - length, '#'));
  }
}

// Unicode 15, tables 3-8 to 3-11.
TEST_CASE("the examples of the Unicode standard", "[utf8]") {
  constexpr std::uint32_t x = 0xfffd;
  using expected = std::vector<std::uint32_t>;
  SECTION("overlong forms") {
    REQUIRE(code_points("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == expected{x, x, x, x, x, x, x, x, 0x41});
  }
  SECTION("surrogates") {
    REQUIRE(code_points("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == expected{x, x, x, x, x, x, x, x, 0x41});
  }
  SECTION("other ill-formed sequences") {
    REQUIRE(code_points("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") == expected{x, x, x, x, x, 0x41, x, x, 0x42});
  }
  SECTION("truncated sequences") {
    REQUIRE(code_points("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == expected{x, x, x, x, 0x41});
  }
}

TEST_CASE("a replacement character in the text is valid", "[utf8]") {
  REQUIRE(decode_one("\xEF\xBF\xBD").valid);
  REQUIRE(neardup::count_invalid("\xEF\xBF\xBD") == 0);
  REQUIRE(neardup::count_invalid("\xEF\xBF") == 1);
}

TEST_CASE("whole texts read as the oracle reads them", "[utf8]") {
  random_texts texts;
  for (int round = 0; round < 10000; ++round) {
    const std::string text = texts.next();
    std::vector<std::uint32_t> expected;
    std::vector<std::string> expected_bytes;
    std::size_t ill_formed = 0;
    for (std::string_view rest = text; !rest.empty();) {
      const decoded next = oracle_decode_one(rest);
      expected.push_back(next.code_point);
      expected_bytes.emplace_back(rest.substr(0, next.length));
      if (!next.valid) ++ill_formed;
      rest.remove_prefix(next.length);
    }
    std::vector<std::uint32_t> found;
    std::vector<std::string> found_bytes;
    neardup::for_each_code_point(text, [&](char32_t c, std::string_view bytes) {
      found.push_back(c);
      found_bytes.emplace_back(bytes);
    });
    if (found == expected && found_bytes == expected_bytes && neardup::count_invalid(text) == ill_formed) continue;
    CAPTURE(round, hex(text));
    REQUIRE(found == expected);
    REQUIRE(found_bytes == expected_bytes);
    REQUIRE(neardup::count_invalid(text) == ill_formed);
  }
}

TEST_CASE("incomplete_suffix counts what a later chunk could complete", "[utf8]") {
  SECTION("at every cut of every kind of sequence, whatever is before it") {
    for (std::uint32_t value = 0; value <= 0x10ffff; value += 977) {
      if (is_surrogate(value)) continue;
      const std::string sequence = oracle_encode(value);
      for (const std::string before : {"", "a", "\xC3\xA9", "\xE4\xB8\xAD", "\xE4\xB8", "\xF0\x9F", "\x80\x80\x80"}) {
        for (std::size_t cut = 1; cut <= sequence.size(); ++cut) {
          const std::size_t found = neardup::incomplete_suffix(before + sequence.substr(0, cut));
          if (found == cut % sequence.size()) continue;
          CAPTURE(value, hex(before), cut);
          REQUIRE(found == cut % sequence.size());
        }
      }
    }
  }
  SECTION("at the end of any bytes") {
    random_texts texts;
    for (int round = 0; round < 50000; ++round) {
      const std::string text = texts.next();
      if (neardup::incomplete_suffix(text) == oracle_incomplete_suffix(text)) continue;
      CAPTURE(round, hex(text));
      REQUIRE(neardup::incomplete_suffix(text) == oracle_incomplete_suffix(text));
    }
  }
}

TEST_CASE("a text cut before its incomplete suffix decodes as in one piece", "[utf8]") {
  random_texts texts;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = texts.next();
    const std::vector<std::uint32_t> whole = code_points(text);
    for (std::size_t arrived = 0; arrived <= text.size(); ++arrived) {
      const std::string_view chunk = std::string_view(text).substr(0, arrived);
      const std::size_t cut = arrived - neardup::incomplete_suffix(chunk);
      std::vector<std::uint32_t> pieces = code_points(chunk.substr(0, cut));
      for (const std::uint32_t value : code_points(std::string_view(text).substr(cut))) pieces.push_back(value);
      if (pieces == whole) continue;
      CAPTURE(round, hex(text), arrived, cut);
      REQUIRE(pieces == whole);
    }
  }
}

TEST_CASE("nothing reads past the end of a text", "[utf8]") {
  // A view that ends within a sequence: the missing bytes are in memory, but not part of the text.
  constexpr std::string_view sequence = "\xF0\x9F\x98\x80";
  for (std::size_t length = 1; length < sequence.size(); ++length) {
    REQUIRE_FALSE(decode_one(sequence.substr(0, length)).valid);
    REQUIRE(decode_one(sequence.substr(0, length)).length == length);
    REQUIRE(neardup::incomplete_suffix(sequence.substr(0, length)) == length);
  }
  REQUIRE(neardup::count_invalid("") == 0);
  REQUIRE(neardup::incomplete_suffix("") == 0);
}

// The decoder also works in constant expressions.
static_assert(decode_one("\xE4\xB8\xAD").code_point == U'\u4e2d');
static_assert(neardup::count_invalid("a\xFFz") == 1);
static_assert(neardup::incomplete_suffix("a\xE4\xB8") == 2);
static_assert([] {
  char bytes[4]{};
  return neardup::encode(U'\u4e2d', bytes) == 3 && decode_one({bytes, 3}).code_point == U'\u4e2d';
}());
