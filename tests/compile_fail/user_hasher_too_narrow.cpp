// A fingerprint of 64 bits from a user's hash of 32.
// expect: the hasher is narrower than the fingerprint
// errors: 1
#include <cstdint>
#include <string_view>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
  const auto fnv = [](std::string_view token) {
    std::uint32_t hash = 2166136261U;
    for (const unsigned char c : token) hash = (hash ^ c) * 16777619U;
    return hash;
  };
#ifdef NEARDUP_COMPILES
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}, fnv};  // 32 bits
#else
  const auto hash = neardup::make_simhasher<64>(neardup::words{}, neardup::unit{}, fnv);
#endif
  return hash("text") ? 0 : 1;
}
