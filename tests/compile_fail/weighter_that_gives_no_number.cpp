// expect: the second part is a weighter
// errors: 1
#include <cstdint>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const auto weigh = [](std::uint64_t) { return 2; };
#else
  const auto weigh = [](std::uint64_t) { return "heavy"; };
#endif
  const neardup::simhasher hash{neardup::words{}, weigh};
  return hash("text") ? 0 : 1;
}
