// Two accumulators of counted tokens, merged, would count both from 1: so they are not added to one.
// expect: counts within one text
// errors: 1
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const neardup::simhasher hash{neardup::words{}, neardup::tf{}};
#else
  const neardup::simhasher hash{neardup::shingles{2, neardup::counted{neardup::words{}}}, neardup::tf{}};
#endif
  neardup::accumulator<64> sums;
  hash.add_to(sums, "text");
  return sums.result() ? 0 : 1;
}
