// Distinct tokens are no sums: two texts that share some cannot be merged in an accumulator, only in a bag.
// expect: (no matching (member )?function for call to .*add_to|linear_weighter)
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
