// The tokenizer comes first.
// expect: the first part is a tokenizer
// errors: 1
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}};
#else
  const neardup::simhasher hash{neardup::unit{}, neardup::words{}};
#endif
  return hash("text") ? 0 : 1;
}
