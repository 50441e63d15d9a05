// Uses custom hashers. A hasher is any callable that converts a token to an unsigned integer.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <string_view>

namespace {

struct fnv1a {
  std::uint64_t operator()(std::string_view token) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : token) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
  }
};

struct times33 {
  std::uint64_t operator()(std::string_view token) const noexcept {
    std::uint64_t hash = 5381;
    for (const char c : token) hash = hash * 33 + static_cast<unsigned char>(c);
    return hash;
  }
};

// The two texts have no word in common, so about half of the bits should differ.
template <class Hasher>
int compare(const char* name, const Hasher& hasher) {
  const neardup::simhasher hash{neardup::folded{neardup::words{}}, neardup::unit{}, hasher};
  const auto a = hash("Rain fell on green hills while seven old sheep slept under big trees").value();
  const auto b = hash("My new phone came with two spare cables, one manual, no charger").value();
  const int distance = hamming_distance(a, b);
  const int zeros = std::countl_zero(a.to_uint64() | b.to_uint64());
  std::cout << name << ": " << distance << " of " << hash.bits << " bits differ, the highest " << zeros << " are 0\n";
  return distance;
}

}  // namespace

int main() {
  const int standard = compare("xxh3", neardup::xxh3<64>{.seed = 2024});
  const int fnv = compare("fnv1a", fnv1a{});
  const int weak = compare("times33", times33{});  // short tokens leave its high bits 0

  // The fingerprint is as wide as the hash, here 32 bits. A wider fingerprint would not compile.
  const auto hash32 = [](std::string_view token) { return static_cast<std::uint32_t>(fnv1a{}(token) >> 32); };
  const neardup::simhasher narrow{neardup::words{}, neardup::unit{}, hash32};
  std::cout << "32 bits: " << narrow("one two three").value().to_hex() << '\n';
  return narrow.bits == 32 && standard > 20 && fnv > weak ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: xxh3: 37 of 64 bits differ, the highest 0 are 0
// prints: fnv1a: 26 of 64 bits differ, the highest 4 are 0
// prints: times33: 13 of 64 bits differ, the highest 26 are 0
// prints: 32 bits: 5a10f319
