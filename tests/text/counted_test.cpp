// Counted tokens. A set of counted tokens is equal to a bag of the tokens.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/storage/composition_of.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::counted;
using neardup::feature_kind;
using support::cut_at;
using support::token_stream;
using support::tokens;
using support::tokens_of;
using support::tokens_of_chunks;

/// Returns each token with the number of its occurrence, by a plain loop.
tokens numbered(const tokens& plain) {
  std::map<std::string, int> counts;
  tokens result;
  for (const std::string& token : plain) result.push_back(token + "\x1f" + std::to_string(++counts[token]));
  return result;
}

double jaccard_of_bags(const tokens& a, const tokens& b) {
  std::map<std::string, std::size_t> of_a, of_b, all;
  for (const std::string& token : a) ++of_a[token], ++all[token];
  for (const std::string& token : b) ++of_b[token], ++all[token];
  std::size_t least = 0, most = 0;
  for (const auto& [token, count] : all) {
    least += std::min(of_a[token], of_b[token]);
    most += std::max(of_a[token], of_b[token]);
  }
  return most == 0 ? 0 : static_cast<double>(least) / static_cast<double>(most);
}

/// Returns a text of few different words, so that words are repeated.
std::string repetitive(oracle::random_texts& random) {
  std::string text;
  const std::size_t kinds = 1 + random.below(6);
  for (std::size_t size = random.below(30); size > 0; --size) {
    text += static_cast<char>('a' + random.below(kinds));
    text += random.below(9) == 0 ? ".\n" : " ";
  }
  return text;
}

template <class Inner>
void check_chunks(const Inner& inner) {
  oracle::random_texts random(5);
  token_stream stream{counted{inner}};
  for (std::size_t i = 0; i < oracle::effort(2000, 300, 30); ++i) {
    const std::string text = i % 3 == 0 ? random.next(random.below(40)) : repetitive(random);
    const tokens whole = tokens_of(counted{inner}, text);
    CHECK(whole == numbered(tokens_of(inner, text)));
    for (std::size_t at = 0; at <= text.size(); at += 1 + random.below(5)) {
      CHECK(tokens_of_chunks(stream, cut_at(text, at)) == whole);
    }
    CHECK(tokens_of_chunks(stream, support::cut_every(text, 1)) == whole);
  }
}

}  // namespace

TEST_CASE("the occurrences of a token are numbered", "[counted]") {
  CHECK(tokens_of(counted{neardup::words{}}, "a b a a c b") == tokens{"a\x1f"
                                                                      "1",
                                                                      "b\x1f"
                                                                      "1",
                                                                      "a\x1f"
                                                                      "2",
                                                                      "a\x1f"
                                                                      "3",
                                                                      "c\x1f"
                                                                      "1",
                                                                      "b\x1f"
                                                                      "2"});
  CHECK(tokens_of(counted{neardup::words{}}, "").empty());
  // The token "a\x1f2" must not become equal to the second "a".
  const auto lines = [](std::string_view, auto&& sink) {
    for (const char* const line : {"a", "a",
                                   "a\x1f"
                                   "2",
                                   "a\x1f", "", ""})
      sink(std::string_view(line));
  };
  tokens all = tokens_of(counted{lines}, "");
  std::sort(all.begin(), all.end());
  CHECK(all.size() == 6);
  CHECK(std::unique(all.begin(), all.end()) == all.end());
}

TEST_CASE("counts are carried across the cuts of a text in chunks", "[counted]") {
  check_chunks(neardup::words{});
  check_chunks(neardup::normalised{neardup::words{}});
  check_chunks(neardup::shingles{2, neardup::normalised{neardup::words{}}});
  check_chunks(neardup::canonical{neardup::shingles{3, neardup::words{}}});
  check_chunks(neardup::byte_ngrams{3});
  check_chunks(neardup::normalised{neardup::code_point_ngrams{2}});
  check_chunks(neardup::code_tokens{});
}

TEST_CASE("wrappers around counted tokens read chunks as they read whole texts", "[counted]") {
  oracle::random_texts random(6);
  token_stream inside{neardup::normalised{counted{neardup::words{}}}};
  token_stream shingled{neardup::shingles{2, counted{neardup::words{}}}};
  for (int i = 0; i < 200; ++i) {
    const std::string text = repetitive(random);
    CHECK(tokens_of_chunks(inside, support::cut_every(text, 3)) ==
          tokens_of(neardup::normalised{counted{neardup::words{}}}, text));
    CHECK(tokens_of_chunks(shingled, support::cut_every(text, 3)) ==
          tokens_of(neardup::shingles{2, counted{neardup::words{}}}, text));
  }
}

TEST_CASE("the similarity of sets of counted tokens is that of the bags", "[counted]") {
  oracle::random_texts random(7);
  const neardup::shingles inner{2, neardup::normalised{neardup::words{}}};
  const neardup::feature_extractor extract{counted{inner}};
  std::vector<std::string> texts;
  std::vector<std::vector<std::uint32_t>> sets;
  for (std::size_t i = 0; i < oracle::effort(400, 150, 40); ++i) {
    texts.push_back(repetitive(random));
    sets.push_back(extract(texts.back()));
  }
  std::size_t similar = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double expected = jaccard_of_bags(tokens_of(inner, texts[i]), tokens_of(inner, texts[j]));
      REQUIRE(neardup::jaccard_similarity(sets[i], sets[j]) == expected);
      similar += expected >= 0.5;
    }
  }
  // A join finds the same pairs.
  CHECK(neardup::pairs(sets, neardup::jaccard{0.5}).size() == similar);
  CHECK(similar > 10);
}

TEST_CASE("sets see repetition where tokens are counted", "[counted]") {
  const auto similarity = [](const auto& tokenize, std::string_view a, std::string_view b) {
    const neardup::feature_extractor extract{tokenize};
    return neardup::jaccard_similarity(extract(a), extract(b));
  };
  const auto times = [](int n, std::string_view row) {
    std::string result;
    while (n-- > 0) result += row;
    return result;
  };
  const neardup::shingles pairs{2, neardup::words{}};
  const std::string three = times(3, "one row of a table "), many = times(300, "one row of a table ");
  CHECK(similarity(pairs, three, many) == 1);
  CHECK(similarity(counted{pairs}, three, many) == Approx(14.0 / 1499));
  const std::string apples = times(40, "apple ") + times(2, "banana "),
                    bananas = times(2, "apple ") + times(40, "banana ");
  CHECK(similarity(neardup::words{}, apples, bananas) == 1);
  CHECK(similarity(counted{neardup::words{}}, apples, bananas) == 4.0 / 80);
}

TEST_CASE("streams, erased tokenizers and codes have the features of counted tokens", "[counted]") {
  oracle::random_texts random(8);
  const counted tokenize{neardup::normalised{neardup::shingles{2, neardup::words{}}}};
  const neardup::simhasher hash{tokenize};
  const neardup::minwise_hasher code{tokenize};
  neardup::text_stream stream{hash};
  for (int i = 0; i < 100; ++i) {
    const std::string text = repetitive(random) + repetitive(random);
    for (const std::string_view chunk : support::cut_every(text, 7)) stream.feed(chunk);
    CHECK(stream.finish() == hash(text));
    CHECK(neardup::simhasher{neardup::any_tokenizer(tokenize)}(text) == hash(text));
    // The fingerprint of the numbered tokens, by a tokenizer that does not count.
    const tokens all = numbered(tokens_of(tokenize.inner, text));
    const auto listed = [&all](std::string_view, auto&& sink) {
      for (const std::string& token : all) sink(std::string_view(token));
    };
    CHECK(neardup::simhasher{listed}(text) == hash(text));
    CHECK(neardup::minwise_hasher{listed}(text) == code(text));
  }
}

TEST_CASE("a counted choice has the tokens and the name of the counted tokenizer of the choice", "[counted]") {
  const std::string text = "One row, one ROW. 10 apples &eacute; one row! A sentence here. x<<=2; x<<=2; a b a b";
  for (const feature_kind kind :
       {feature_kind::words, feature_kind::chars, feature_kind::bytes, feature_kind::masked_words,
        feature_kind::canonical_words, feature_kind::canonical_chars, feature_kind::letters,
        feature_kind::longest_sentences, feature_kind::code, feature_kind::spaced_words}) {
    for (const std::size_t size : {1U, 2U, 5U}) {
      CAPTURE(to_string(neardup::feature_choice{kind, size}));
      std::string expected_name, name;
      tokens expected, found;
      neardup::with_tokenizer({kind, size}, [&](const auto& plain) {
        expected_name = to_string(composition_of(neardup::simhasher{counted{plain}}));
        expected = tokens_of(counted{plain}, text);
      });
      neardup::with_tokenizer({kind, size, true}, [&](const auto& chosen) {
        name = to_string(composition_of(neardup::simhasher{chosen}));
        found = tokens_of(chosen, text);
      });
      CHECK(name == expected_name);
      CHECK(found == expected);
    }
  }
}
