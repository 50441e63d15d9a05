// In a hasher, the tokenizer is the first part. In shingles, it is the second part, after the number.
// expect: the first part is a tokenizer
// expect: write shingles{2, words{}}
// errors: 3
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}};
  const neardup::shingles pairs{2, neardup::words{}};
#else
  const neardup::simhasher hash{neardup::unit{}, neardup::words{}};
  const neardup::shingles pairs{neardup::words{}, 2};
#endif
  return hash("text") && pairs.n == 2 ? 0 : 1;
}
