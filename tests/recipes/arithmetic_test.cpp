// The arithmetic of SimHash, compared with results that the articles compute by hand.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"

namespace {

/// Words with given hashes and weights, as an outside service might send them.
struct given {
  std::map<std::string, std::pair<std::string, std::uint32_t>, std::less<>> words;  // bits (highest first), weight
};

std::uint16_t number(std::string_view bits) {
  std::uint16_t value = 0;
  for (const char bit : bits) value = static_cast<std::uint16_t>(value << 1 | (bit == '1' ? 1 : 0));
  return value;
}

/// Returns the six lowest bits of the fingerprint, the highest first.
std::string fingerprint_of(const given& words, std::string_view text) {
  const auto hash = [&](std::string_view token) { return number(words.words.find(token)->second.first); };
  const auto weigh = [&](std::string_view token, std::uint64_t) { return words.words.find(token)->second.second; };
  const auto fingerprint = neardup::make_simhasher<16>(neardup::words{}, weigh, hash)(text);
  std::string result;
  for (int bit = 5; bit >= 0; --bit) result += (fingerprint.value().to_uint64() >> bit & 1) != 0 ? '1' : '0';
  return result;
}

}  // namespace

// The hashes 100101 with weight 3 and 101011 with weight 5 have the sums 8 -8 2 -2 2 8.
TEST_CASE("two weighted hashes add up as they do by hand", "[recipes]") {
  CHECK(fingerprint_of({{{"a", {"100101", 3}}, {"b", {"101011", 5}}}}, "a b") == "101011");
  // The hashes 110010 with weight 3 and 101001 with weight 5 have the sums 8 -2 2 -8 -2 2.
  CHECK(fingerprint_of({{{"a", {"110010", 3}}, {"b", {"101001", 5}}}}, "a b") == "101001");
}

TEST_CASE("the sums of weighted hashes are those by hand", "[recipes]") {
  const auto sums_of = [](std::string_view first, int first_weight, std::string_view second, int second_weight) {
    std::array<int, 6> sums{};
    for (std::size_t i = 0; i < 6; ++i) {
      sums[i] = (first[i] == '1' ? first_weight : -first_weight) + (second[i] == '1' ? second_weight : -second_weight);
    }
    return sums;
  };
  CHECK(sums_of("100101", 3, "101011", 5) == std::array<int, 6>{8, -8, 2, -2, 2, 8});
  CHECK(sums_of("110010", 3, "101001", 5) == std::array<int, 6>{8, -2, 2, -8, -2, 2});
}

TEST_CASE("the windows of \"Python is sexy\" without case and spaces are the published ones", "[recipes]") {
  const auto squeezed = [](std::string_view text, auto&& sink) {
    std::string letters;
    neardup::words{}(neardup::fold(text), [&](std::string_view word) { letters += word; });
    neardup::code_point_ngrams{4}(letters, sink);
  };
  std::vector<std::string> windows;
  squeezed("Python is sexy", [&](std::string_view window) { windows.emplace_back(window); });
  CHECK(windows == std::vector<std::string>{"pyth", "ytho", "thon", "honi", "onis", "niss", "isse", "ssex", "sexy"});
  const neardup::simhasher hash{squeezed};
  const auto features = hash.weighted_features("Python is sexy");
  CHECK(features.size() == 9);
  for (const auto& feature : features) CHECK(feature.units == neardup::weight::one);
  CHECK(hash("Python is sexy") == hash("python IS  se xy"));
}
