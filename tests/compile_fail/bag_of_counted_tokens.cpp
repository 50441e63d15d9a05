// Two bags of counted tokens, merged, would count both from 1: so there is no bag of them.
// expect: counts within one text
// errors: 1
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const neardup::simhasher hash{neardup::normalised{neardup::words{}}};
#else
  const neardup::simhasher hash{neardup::normalised{neardup::counted{neardup::words{}}}};
#endif
  return hash.bag("text").empty() ? 1 : 0;
}
