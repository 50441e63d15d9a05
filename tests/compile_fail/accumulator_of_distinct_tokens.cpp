// Distinct tokens are no sums: two texts that share some cannot be merged in an accumulator, only in a bag.
// expect: only a weighter that weighs each occurrence by itself, as tf and tf_idf do, adds to an accumulator
// errors: 1
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const neardup::simhasher hash{neardup::words{}, neardup::tf{}};
#else
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}};
#endif
  neardup::accumulator<64> sums;
  hash.add_to(sums, "text");
  return sums.result() ? 0 : 1;
}
