// An earlier standard than C++20 gets one sentence, and nothing behind it.
// flags: -std=c++17
// expect: neardup needs C..20
// errors: 1
#include <neardup/neardup.hpp>

int main() {
  const neardup::simhash<64> fingerprint;
  return neardup::hamming_distance(fingerprint, fingerprint);
}
