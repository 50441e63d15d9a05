// A part that stands around another says what it needs there.
// expect: shingles{n, tokenizer} needs a tokenizer, such as words{}
// expect: folded{tokenizer}, normalised{tokenizer} and their like need a tokenizer
// expect: without{list, tokenizer} needs a tokenizer
// expect: longest{n, tokenizer} needs a tokenizer
// expect: keywords{n, tokenizer, table} needs a tokenizer
// expect: levels{n, weighter} needs a weighter, such as tf{}
// expect: top{n, weighter} needs a weighter, such as tf{}
// errors: 7
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

using neardup::words;

#ifdef NEARDUP_COMPILES
using tokenizer_within = words;
using weighter_within = neardup::tf;
#else
using tokenizer_within = neardup::simhasher<words>;  // a wrapper of a text, but no tokenizer
using weighter_within = words;
#endif

int main() {
  const neardup::shingles pairs{2, tokenizer_within{}};
  const neardup::masked masks{tokenizer_within{}};
  const neardup::without kept{neardup::stop_words(), tokenizer_within{}};
  const neardup::longest three{3, tokenizer_within{}};
  const neardup::levels steps{3, weighter_within{}};
  const neardup::top heaviest{3, weighter_within{}};
  const neardup::keywords best{3, tokenizer_within{}, neardup::idf_table{}};
  return pairs.n + three.n + steps.n + heaviest.n + best.n() + kept.min_length() + sizeof masks > 0 ? 0 : 1;
}
