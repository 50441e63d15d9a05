// Two sketches of counted tokens, merged, would count both from 1: so there is no sketch of them.
// expect: counts within one text
// errors: 1
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const neardup::minwise_hasher hash{neardup::words{}};
#else
  const neardup::minwise_hasher hash{neardup::counted{neardup::words{}}};
#endif
  return hash.sketch("text").result() ? 0 : 1;
}
