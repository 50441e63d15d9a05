// Prints the test vectors of docs/fingerprint.md: the fingerprints that another program has to compute for these texts.
// "-" means that a text has no fingerprint.
#include <cstdio>
#include <neardup/neardup.hpp>
#include <string>
#include <string_view>

using namespace neardup;

template <class Simhasher>
void show(const char* name, const Simhasher& hash, std::string_view text) {
  const auto fingerprint = hash(text);
  std::printf("%s: %s\n", name, fingerprint ? fingerprint->to_hex().c_str() : "-");
}

int main() {
  // Hashes of tokens.
  std::printf("xxh3 hello: %s\n", simhash<64>(xxh3<64>{}("hello")).to_hex().c_str());
  std::printf("xxh3 hello, seed 42: %s\n", simhash<64>(xxh3<64>{.seed = 42}("hello")).to_hex().c_str());
  std::printf("xxh3 hello, 256 bits: %s\n", simhash<256>(xxh3<256>{}("hello")).to_hex().c_str());

  // The default composition.
  constexpr std::string_view fox = "The quick brown fox jumps over the lazy dog; the quick brown fox is quick.";
  const default_simhasher<> standard;
  show("empty", standard, "");
  show("no word", standard, "?! ...");
  show("one word", standard, "Hello!");          // the hash of "hello"
  show("two words", standard, "Hello, World!");  // the hash of "hello\x1fworld"
  show("fox", standard, fox);
  show("fox, 32 bits", default_simhasher<32>{}, fox);
  show("fox, 128 bits", default_simhasher<128>{}, fox);
  show("fox, seed 42", simhasher{default_tokenizer{}, unit{}, xxh3<64>{.seed = 42}}, fox);
  show("Han", standard, "你好，世界！");
  show("ill-formed", standard, "caf\xC3 au \xF0\x9F\x98lait");
  show("French capitals", standard, "L'ÉTÉ À NÎMES, les ŒUVRES");
  show("full width", standard, "ＴｉＤＢ　５．０");  // full-width letters keep their width
  show("combining marks", standard, "E\u0301TE\u0301 \u0301a");
  show("cut words", standard, "exam-\nple, co\u00ad\nop");

  // Tokenizers.
  show("words", simhasher{words{}}, fox);
  show("folded words", simhasher{folded{words{}}}, fox);
  show("three words", simhasher{shingles{3, normalised{words{}}}}, fox);
  show("two bytes", simhasher{byte_ngrams{2}}, fox);
  show("two characters", simhasher{normalised{code_point_ngrams{2}}}, "ÀÉ的 一  二! Thai ไทย");
  const simhasher canonical_words{canonical{shingles{2, words{}}}};
  show("canonical, composed", canonical_words, "TIẾNG VIỆT, Straße İ ﬁn");
  show("canonical, decomposed", canonical_words, "Tie\u0302\u0301ng Vie\u0323\u0302t stras\u00adse i fi\u200dn");
  show("canonical characters", simhasher{canonical{code_point_ngrams{2}}}, "한국어 \u1112\u1161\u11ab كـتاب");
  show("ill-formed characters", simhasher{code_point_ngrams{2}}, "a\xC0\x80z\xE4\xBD");

  // Weights of folded words.
  const folded<words> tokens;
  const auto table = idf_table::parse("the 0.5\nquick 3.25\nfox 7.123456789\ndog 6\n", "vectors");
  show("tf", simhasher{tokens, tf{}}, fox);
  show("log tf", simhasher{tokens, log_tf{}}, fox);
  show("idf", simhasher{tokens, idf{table}}, fox);
  show("tf idf", simhasher{tokens, tf_idf{table}}, fox);
  show("levels 1 to 3", simhasher{tokens, levels{3, tf_idf{table}}}, fox);
  show("top 3", simhasher{tokens, top{3, tf_idf{table}}}, fox);

  // Min-wise codes.
  show("min-wise", minwise_hasher{default_tokenizer{}}, fox);
  show("min-wise, one word", minwise_hasher{default_tokenizer{}}, "Hello!");
  show("min-wise, seed 42", minwise_hasher{default_tokenizer{}, xxh3<64>{.seed = 42}}, fox);
  show("min-wise, 16 bits", make_minwise_hasher<16>(default_tokenizer{}), fox);
  show("min-wise, 128 bits", make_minwise_hasher<128>(default_tokenizer{}), fox);
  show("min-wise, five bytes", minwise_hasher{byte_ngrams{5}}, fox);
}

// prints: xxh3 hello: 9555e8555c62dcfd
// prints: xxh3 hello, seed 42: bafa072f07db7937
// prints: xxh3 hello, 256 bits: 8c75cf815425009f4b3effd9712dc54b374683d7a79942239555e8555c62dcfd
// prints: empty: -
// prints: no word: -
// prints: one word: 9555e8555c62dcfd
// prints: two words: 5de1e93c771c082f
// prints: fox: 271af7f9ea8a936c
// prints: fox, 32 bits: ea8a936c
// prints: fox, 128 bits: b8e8e6af66a26edf271af7f9ea8a936c
// prints: fox, seed 42: d6aa69eb2940bd78
// prints: Han: 7e6cb9fa7dcba6cf
// prints: ill-formed: 4c58810086148500
// prints: French capitals: 766b14a9b956c504
// prints: full width: 01025950808002a0
// prints: combining marks: 585d187f1f3efdb8
// prints: cut words: 9579d2fa99950302
// prints: words: 820e868008121063
// prints: folded words: 820e8682085a92e3
// prints: three words: a0db940c0132f0e7
// prints: two bytes: 5267b4f2634055b2
// prints: two characters: a1340e40171229b3
// prints: canonical, composed: 90eea40725426b24
// prints: canonical, decomposed: 90eea40725426b24
// prints: canonical characters: 7d09ffd53d274c9e
// prints: ill-formed characters: 424890e106061408
// prints: tf: 820686821852936b
// prints: log tf: 820e8682085a92eb
// prints: idf: 822e8690080ad2e3
// prints: tf idf: 828ec682895a92e3
// prints: levels 1 to 3: 820e8682085a92e3
// prints: top 3: 848fc682a15a92eb
// prints: min-wise: 79109514df1a770c
// prints: min-wise, one word: 5c0ce85836bfade2
// prints: min-wise, seed 42: 56b8e28e5d37e31b
// prints: min-wise, 16 bits: 6f2c
// prints: min-wise, 128 bits: e32f1475ce4a7a6ca9119710df9a7f0c
// prints: min-wise, five bytes: 32f83d03d6ea1bb4
