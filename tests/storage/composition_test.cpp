// If two compositions differ in a part, a setting or a table, at any nesting, their names must differ.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/storage/composition_of.hpp>
#include <neardup/text.hpp>
#include <neardup/text/chinese/chinese_words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"

namespace {

using namespace neardup;

using any_sink = std::function<void(std::string_view)>;

/// A type-erased tokenizer, so that the fingerprint code is instantiated once.
struct unknown_tokenizer {
  void operator()(std::string_view text, const any_sink& sink) const { tokenize(text, sink); }
  std::function<void(std::string_view, const any_sink&)> tokenize;
};

struct named {
  std::string composition;
  std::vector<std::string> fingerprints;  // of the texts in `probes`
};

const std::string_view probes[] = {
    "The ship, the SHIP and a bit of salt; it is on the sea. Salt of the sea, and of the ship! 42 of 43 are 2026-08-01",
    "of the",
    "salt",
    "a ab abc abcd. ab abc abcd a; and of the and",
    "\u4e2d\u6587\u5b57\u7b26 \uff21\uff22 ab",
    "the and a b c d e f g h"};

template <class Simhasher>
std::string name_of(const Simhasher& hash) {
  return to_string(composition_of(hash));
}

class catalogue {
 public:
  template <class Tokenizer>
  void add_tokenizer(const Tokenizer& tokenize) {
    add(name_of(simhasher{tokenize}), simhasher{unknown_tokenizer{std::cref(tokenize)}});
  }
  template <class Weighter>
  void add_weighter(const Weighter& weigh) {
    add(name_of(simhasher{words{}, weigh}), simhasher{words{}, weigh});
  }
  template <class Hasher>
  void add_hasher(const Hasher& hash) {
    add(name_of(simhasher{words{}, tf{}, hash}), simhasher{words{}, tf{}, hash});
  }

  /// Requires that parts with equal names give equal fingerprints. Returns the number of pairs with different names.
  std::size_t check() const {
    std::size_t told_apart = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool have_one_name = all[i].composition == all[j].composition;
        told_apart += have_one_name ? 0 : 1;
        if (!have_one_name || all[i].fingerprints == all[j].fingerprints) continue;
        CAPTURE(i, j, all[i].composition);
        REQUIRE(all[i].fingerprints == all[j].fingerprints);
      }
    }
    return told_apart;
  }

  std::vector<named> all;

 private:
  template <class Simhasher>
  void add(const std::string& name, const Simhasher& hash) {
    std::vector<std::string> fingerprints;
    for (const std::string_view text : probes) {
      const auto fingerprint = hash(hash.bag(text));
      fingerprints.push_back(fingerprint ? fingerprint->to_hex() : "-");
    }
    const auto read_back = neardup::detail::parse_composition(name);
    REQUIRE(read_back.has_value());
    CHECK(to_string(*read_back) == name);
    all.push_back({name, fingerprints});
  }
};

/// A user's tokenizer with a dictionary.
struct own_words {
  std::uint64_t dictionary;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    words{}(text, [&](std::string_view token) {
      if (token.size() != dictionary) sink(token);
    });
  }
  [[nodiscard]] std::string description() const { return "own"; }
  [[nodiscard]] std::uint64_t dictionary_identity() const { return dictionary; }
};

/// A user's weighter with a dictionary.
struct own_weighter {
  std::uint64_t dictionary;

  double operator()(std::string_view token, std::uint64_t /*count*/) const {
    return token.size() == dictionary ? 5 : 1;
  }
  [[nodiscard]] std::string description() const { return "own"; }
  [[nodiscard]] std::uint64_t dictionary_identity() const { return dictionary; }
};

struct own_hasher {
  std::uint64_t operator()(std::string_view token) const { return xxh3<64>{.seed = 11}(token); }
  [[nodiscard]] std::string description() const { return "own"; }
};

/// A class that is derived from a weighter with a table, and has its own name.
struct louder_idf : idf {
  using idf::idf;
  weight operator()(std::string_view token, std::uint64_t count) const {
    return weight(3.0 * static_cast<double>(count) + static_cast<double>(table().lookup(token)));
  }
  [[nodiscard]] std::string description() const { return "louder_idf"; }
};

/// A base class that gives several parts their name, but is not a part itself.
struct names {
  [[nodiscard]] std::string description() const { return "named"; }
};
struct named_words : names {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    words{}(text, sink);
  }
};

}  // namespace

TEST_CASE("equal compositions have equal fingerprints, for all parts and parts within parts", "[composition]") {
  const stop_words a({"the"}), b({"a", "of"}), c({"and"});
  const auto none = std::shared_ptr<const stop_words>();
  const idf_table table = idf_table::parse("the 0.5\nship 3.25\nsalt 7.123456789\nof 6\n");
  const idf_table other = idf_table::parse("the 5.5\nship 3.25\nsalt 1.123456789\nof 2\n");
  const auto dictionary = std::make_shared<const word_dictionary>(word_dictionary::parse("\u4e2d\u6587 9\n"));
  const auto longer = std::make_shared<const word_dictionary>(word_dictionary::parse("\u4e2d\u6587\u5b57\u7b26 9\n"));
  catalogue parts;

  const auto add_around = [&](const auto& inner) {
    using inner_type = std::remove_cvref_t<decltype(inner)>;
    parts.add_tokenizer(inner);
    for (const std::size_t n : {2U, 3U}) parts.add_tokenizer(shingles{n, inner});
    parts.add_tokenizer(longest{2, inner});
    parts.add_tokenizer(masked<inner_type>{inner});
    for (const stop_words& list : {a, b, c}) parts.add_tokenizer(without{list, inner});
    parts.add_tokenizer(without{none, inner});
    parts.add_tokenizer(without{none, inner, 3});
    parts.add_tokenizer(without{a, inner, 3});
    for (const idf_table& t : {table, other}) parts.add_tokenizer(keywords{2, inner, t});
  };
  add_around(words{});
  parts.add_tokenizer(folded{words{}});
  parts.add_tokenizer(narrowed{words{}});
  parts.add_tokenizer(normalised{words{}});
  parts.add_tokenizer(folded<narrowed<words>>{{words{}}});
  parts.add_tokenizer(narrowed<folded<words>>{{words{}}});
  parts.add_tokenizer(normalised{shingles{2, words{}}});
  parts.add_tokenizer(neardup::unspaced{words{}});
  parts.add_tokenizer(normalised{neardup::unspaced{words{}}});
  parts.add_tokenizer(longest{1, words{}});
  parts.add_tokenizer(keywords{3, words{}, table});
  parts.add_tokenizer(sentences{});
  for (const std::size_t n : {2U, 3U}) parts.add_tokenizer(byte_ngrams{n});
  for (const std::size_t n : {2U, 3U}) parts.add_tokenizer(code_point_ngrams{n});
  for (const std::uint64_t size : {2U, 3U}) {
    parts.add_tokenizer(own_words{size});
    parts.add_tokenizer(without{a, own_words{size}});
  }
  for (const stop_words& list : {a, b, c}) {
    oracle::unless_sample([&](auto) { add_around(without{list, words{}}); });
    parts.add_tokenizer(without{a, shingles{2, without{list, words{}}}});
    parts.add_tokenizer(without{none, shingles{2, without{list, words{}}}});
    parts.add_tokenizer(without{list, shingles{2, without{none, words{}}}});
    parts.add_tokenizer(without{none, without{list, without{a, words{}}}});
  }
  for (const idf_table& t : {table, other}) {
    oracle::unless_sample([&](auto) { add_around(keywords{5, words{}, t}); });
  }
  for (const auto& d : {dictionary, longer}) {
    for (const bool symbols : {false, true}) {
      chinese_words chinese(d);
      chinese.keep_symbols = symbols;
      parts.add_tokenizer(chinese);
      for (const stop_words& list : {a, b}) parts.add_tokenizer(without{c, without{list, chinese}});
    }
  }

  parts.add_weighter(unit{});
  parts.add_weighter(log_tf{});
  for (const idf_table& t : {table, other}) {
    parts.add_weighter(idf{t});
    parts.add_weighter(tf_idf{t});
    for (const std::size_t n : {2U, 3U}) {
      parts.add_weighter(top{n, tf_idf{t}});
      for (const std::size_t m : {2U, 4U}) parts.add_weighter(levels<top<tf_idf>>{m, {n, tf_idf{t}}});
    }
    oracle::unless_sample([&](auto) {
      parts.add_weighter(louder_idf(t));
      for (const std::size_t n : {2U, 3U}) {
        parts.add_weighter(levels{n, tf_idf{t}});
        parts.add_weighter(neardup::quantile_levels{n, tf_idf{t}});
        for (const std::size_t m : {2U, 4U}) parts.add_weighter(levels<levels<tf_idf>>{m, {n, tf_idf{t}}});
      }
    });
  }
  for (const std::uint64_t size : {3U, 4U}) parts.add_weighter(own_weighter{size});
  for (const std::uint64_t seed : {0U, 1U, 42U}) parts.add_hasher(xxh3<64>{seed});
  parts.add_hasher(own_hasher{});

  const std::size_t told_apart = parts.check();
  std::set<std::string> names;
  for (const named& part : parts.all) names.insert(part.composition);
  std::printf("compositions: %zu, names: %zu, pairs told apart: %zu\n", parts.all.size(), names.size(), told_apart);
  // Few parts have the same name, and these are equal parts.
  CHECK(names.size() > parts.all.size() - 30);
}

TEST_CASE("a table within a table has a place of its own in a composition", "[composition]") {
  const stop_words a({"the"}), c({"and"});
  const auto none = std::shared_ptr<const stop_words>();
  const auto lists = [](const auto& tokenize) { return composition_of(simhasher{tokenize}).stop_words; };
  const std::string of_a = lists(without{a, words{}}), of_c = lists(without{c, words{}});
  CHECK(of_a.size() == 16);
  CHECK(lists(without{none, words{}}).empty());
  CHECK(lists(without{a, without{c, words{}}}) == of_a + ", " + of_c);
  CHECK(lists(without{c, without{a, words{}}}) == of_c + ", " + of_a);
  // Earlier versions gave the same values.
  CHECK(lists(without{none, without{c, words{}}}) == of_c);
  CHECK(lists(without{c, without{none, words{}}}) == of_c + ", none");
  const auto both = composition_of(simhasher{own_words{3}, own_weighter{4}});
  CHECK(both.dictionary == "0000000000000003, 0000000000000004");
  CHECK(composition_of(simhasher{words{}, louder_idf(idf_table::parse("the 1\n"))}).idf ==
        composition_of(simhasher{words{}, idf{idf_table::parse("the 1\n")}}).idf);
  CHECK(composition_of(simhasher{named_words{}}).tokenizer == "named");
}

TEST_CASE("the names of compositions stay as they are, for they stand in files", "[composition]") {
  const idf_table table = idf_table::parse("the 0.5\nship 3.25\nsalt 7.123456789\nof 6\n");
  const auto hash = simhasher{
      without{stop_words({"the", "Of"}), keywords{7, masked{narrowed{shingles{2, folded{words{}}}}}, table}, 2},
      levels<top<tf_idf>>{3, {9, tf_idf{table}}}, xxh3<64>{.seed = 42}};
  CHECK(to_string(composition_of(hash)) ==
        "kind: simhash\ndefinition: 4\n"
        "tokenizer: without(2, keywords(7, de089207f732fae8, masked(narrowed(shingles(2, folded(words))))))\n"
        "weighter: levels(3, top(9, tf_idf))\nhasher: xxh3\nseed: 6e95\nidf: 2ffc28c0dd0a214e\n"
        "stop words: fed7e7236d8b5a9f\n");
}
