// The table of the law (tests/oracle/law.txt) has a row for each measure and a column for each product. Each cell
// compares the product with tests/oracle/decision.hpp: over random corpora, and over corpora that are made for one
// question each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/simhash.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/decision.hpp"
#include "oracle/edits.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/sets.hpp"

namespace law {

using labels = std::vector<std::size_t>;

// ---- the table -------------------------------------------------------------------------------------------------------

/// A column of the table for one row. `words` are the parts of its name, and say which product runs. `corpora` are the
/// names of its corpora.
struct column {
  std::string name;
  std::vector<std::string> words, corpora;

  bool has(const std::string& corpus_name) const {
    return std::find(corpora.begin(), corpora.end(), corpus_name) != corpora.end();
  }
};

/// The parts of a text between separators, without the spaces around them.
inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    if (first != std::string::npos) parts.push_back(part.substr(first, last + 1 - first));
  }
  return parts;
}

/// Expands a name: "a {b; c}" stands for the names "a b" and "a c".
inline std::vector<std::string> expanded(const std::string& name) {
  const std::size_t open = name.find('{'), close = name.find('}', open);
  if (open == std::string::npos) return {name};
  std::vector<std::string> all;
  for (const std::string& one : parts_of(name.substr(open + 1, close - open - 1), ';')) {
    for (std::string& each : expanded(name.substr(0, open) + one + name.substr(close + 1)))
      all.push_back(std::move(each));
  }
  return all;
}

/// The columns of the section [library] of the table, each with the name of its row.
inline const std::vector<std::pair<std::string, column>>& table() {
  static const auto all = [] {
    const char* const source = std::getenv("NEARDUP_SOURCE_DIR");
    std::ifstream file((source == nullptr ? std::string(".") : source) + "/tests/oracle/law.txt");
    std::vector<std::pair<std::string, column>> columns;
    std::map<std::string, std::vector<std::string>> sets;
    const auto rows_of = [&](const std::string& names) {
      std::vector<std::string> rows;
      for (const std::string& name : parts_of(names, ',')) {
        const auto set = sets.find(name);
        if (set == sets.end()) rows.push_back(name);
        if (set != sets.end()) rows.insert(rows.end(), set->second.begin(), set->second.end());
      }
      return rows;
    };
    bool is_of_library = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with('[')) is_of_library = line.starts_with("[library]");
      if (!is_of_library || line.empty() || line.starts_with('[') || line.starts_with('#')) continue;
      if (const std::size_t is = line.find(" = "); is != std::string::npos) {
        sets[line.substr(0, is)] = rows_of(line.substr(is + 3));
        continue;
      }
      const bool is_whole = line.starts_with("whole: ");
      if (is_whole && oracle::is_sample) continue;
      const std::vector<std::string> cells = parts_of(is_whole ? line.substr(7) : line, '|');
      for (const std::string& name : expanded(cells.at(0))) {
        for (const std::string& row : rows_of(cells.at(1))) {
          columns.emplace_back(row, column{name, parts_of(name, ','), parts_of(cells.at(2), ',')});
        }
      }
    }
    return columns;
  }();
  return all;
}

/// Returns the columns of a row whose first word is one of `first_words`. The caller runs each of them.
inline std::vector<column> columns_of(const std::string& row, const std::vector<std::string>& first_words) {
  std::vector<column> found;
  for (const auto& [name, one] : table()) {
    const bool is_asked_for = std::find(first_words.begin(), first_words.end(), one.words.front()) != first_words.end();
    if (name == row && is_asked_for) found.push_back(one);
  }
  REQUIRE(!found.empty());
  return found;
}

/// The number in "batches of 7" or "2 threads"; 0 if there is none.
inline std::size_t number_in(const std::string& words) {
  const std::size_t at = words.find_first_of("0123456789");
  return at == std::string::npos ? 0 : static_cast<std::size_t>(std::stoul(words.substr(at)));
}

// ---- corpora ---------------------------------------------------------------------------------------------------------

/// A corpus. The first `known` texts are kept without a decision. Each of the others gets a decision, and may have a
/// score.
struct corpus {
  std::vector<std::string> texts;
  std::size_t known = 0;
  std::vector<double> scores = {};
  bool among = true;

  labels order() const { return oracle::order_of(texts.size(), known, scores); }
};

inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

inline std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Returns a random word of one or two characters. Words are so short that texts are near in edits, too.
inline std::string draw_word(std::mt19937_64& random, std::size_t vocabulary) {
  static const std::string letters = "abcdefghijklmnopqrstuvwxyz";
  const std::size_t number = random() % vocabulary;
  std::string word(1, letters[number % 26]);
  if (number >= 26) word += letters[number / 26 % 26];
  return word;
}

inline std::vector<std::string> draw_words(std::mt19937_64& random, std::size_t count, std::size_t vocabulary) {
  std::vector<std::string> words;
  while (words.size() < count) words.push_back(draw_word(random, vocabulary));
  return words;
}

/// An earlier text with some words replaced, left out or added.
inline std::vector<std::string> edited(std::vector<std::string> words, std::size_t edits, std::size_t vocabulary,
                                       std::mt19937_64& random) {
  for (; edits > 0; --edits) {
    const auto at = static_cast<std::ptrdiff_t>(random() % (words.size() + 1));
    const bool is_end = at == static_cast<std::ptrdiff_t>(words.size());
    switch (random() % 3) {
      case 0:
        if (!is_end) words.erase(words.begin() + at);
        break;
      case 1: words.insert(words.begin() + at, draw_word(random, vocabulary)); break;
      default:
        if (!is_end) words[static_cast<std::size_t>(at)] = draw_word(random, vocabulary);
    }
  }
  return words;
}

/// Returns texts with many ties: texts between several different centres, edited texts, copies, empty and short texts.
inline std::vector<std::string> draw_texts(std::mt19937_64& random) {
  const std::size_t vocabularies[] = {20, 40, 300};
  const std::size_t vocabulary = vocabularies[random() % 3], count = 12 + random() % 29, longest = 8 + random() % 9;
  std::vector<std::vector<std::string>> texts, centres;
  for (std::size_t i = 0; i < 1 + random() % 3; ++i) centres.push_back(draw_words(random, longest, vocabulary));
  const bool has_stars = random() % 4 != 0;
  while (texts.size() < count) {
    const std::size_t kind = random() % (has_stars ? 32 : 16);
    const std::vector<std::string> earlier =
        texts.empty() ? std::vector<std::string>{} : texts[random() % texts.size()];
    std::vector<std::string> words;
    if (kind >= 20) {
      words = centres[random() % centres.size()];
      // A text with several replaced words: near the centre, but far from most other texts of its kind.
      for (std::size_t i = 0; i < 2 + longest / 5; ++i) words[random() % words.size()] = draw_word(random, 300);
    } else if (kind >= 16) {
      words = edited(centres[random() % centres.size()], random() % 2, vocabulary, random);
    } else if (kind < 5) {
      words = edited(earlier, 1 + random() % 3, vocabulary, random);
    } else if (kind < 8) {
      words = earlier;
    } else if (kind == 8) {
      words = earlier;
      std::shuffle(words.begin(), words.end(), random);  // the same set of words, but another text
    } else if (kind == 9 && !earlier.empty()) {
      const std::size_t first = random() % earlier.size();  // a piece of another text
      words.assign(earlier.begin() + static_cast<std::ptrdiff_t>(first), earlier.end());
    } else if (kind == 10) {
      words = draw_words(random, random() % 4, vocabulary);
    } else if (kind != 11) {
      words = draw_words(random, longest / 2 + random() % longest, vocabulary);
    }
    texts.push_back(words);
  }
  std::vector<std::string> lines;
  for (const auto& words : texts) lines.push_back(joined(words));
  return lines;
}

/// The kinds of random corpora, by their names in the table. All cells get the same corpora.
inline const std::vector<std::string> kinds{"random", "known", "known alone", "scores", "known and scores"};

inline corpus draw_corpus(std::mt19937_64& random, const std::string& kind) {
  corpus drawn{draw_texts(random)};
  const std::size_t count = drawn.texts.size();
  if (kind.starts_with("known")) drawn.known = 1 + random() % (count / 2);
  drawn.among = kind != "known alone";
  if (kind.ends_with("scores")) {
    for (std::size_t i = drawn.known; i < count; ++i) drawn.scores.push_back(static_cast<double>(random() % 5));
  }
  return drawn;
}

// ---- rows ------------------------------------------------------------------------------------------------------------

/// A text in the forms that the measures need.
struct document {
  std::string text;
  std::vector<std::size_t> words;  // numbers of the words, ascending, each once
  std::optional<neardup::simhash<64>> print, counted;
  std::optional<neardup::minwise<64>> minima;
};

/// The number of a word: new words get the next number.
inline std::size_t number_of_word(const std::string& word) {
  static std::map<std::string, std::size_t> numbers;
  return numbers.emplace(word, numbers.size()).first->second;
}

inline const neardup::simhasher<neardup::words> by_words{};
inline const neardup::simhasher<neardup::words, neardup::tf> by_counts{};
inline const neardup::minwise_hasher<neardup::words> by_minima{};

inline document describe(const std::string& text) {
  document described{text, {}, by_words(text), by_counts(text), by_minima(text)};
  auto& words = described.words;
  for (const std::string& word : split(text)) words.push_back(number_of_word(word));
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return described;
}

inline std::size_t common_words(const document& a, const document& b) { return oracle::common_of(a.words, b.words); }

using oracle::closeness;
using answer = std::optional<closeness>;

struct row {
  const char* name;
  std::function<answer(const document& earlier, const document& later)> match;
};

// The least similarities with which documents match. Each is also the similarity of some small sets, so that ties at
// the limit occur.
inline constexpr double least_jaccard = 0.5, least_cosine = 0.7, least_contained = 0.75, least_edit = 0.6;
inline constexpr std::size_t least_common = 2;  // for containment
inline constexpr int near_bits = 12, candidate_bits = 14, far_bits = 40, most_bits = 63;
inline constexpr std::size_t short_words = 8;

inline int bits_between(const document& a, const document& b) { return hamming_distance(*a.print, *b.print); }
inline bool are_both_there(const document& a, const document& b) { return a.print && b.print; }

inline answer match_jaccard(const document& a, const document& b) {
  const std::size_t common = common_words(a, b), all = a.words.size() + b.words.size() - common;
  if (common == 0 || 2 * common < all) return std::nullopt;
  return closeness::of_share(common, all);
}
inline answer match_cosine(const document& a, const document& b) {
  if (a.words.empty() || b.words.empty()) return std::nullopt;
  const double cosine = oracle::similarity_of(neardup::set_similarity::cosine, a.words, b.words);
  if (cosine < least_cosine) return std::nullopt;
  return closeness::of_number(cosine);
}
inline answer match_containment(const document& a, const document& b) {
  const std::size_t common = common_words(a, b), smaller = (std::min)(a.words.size(), b.words.size());
  if (common < least_common || 4 * common < 3 * smaller) return std::nullopt;
  return closeness::of_share(common, smaller);
}
inline answer match_edits(const document& a, const document& b) {
  const std::size_t longer = (std::max)(a.text.size(), b.text.size()), edits = oracle::table_distance(a.text, b.text);
  if (a.text.empty() || b.text.empty() || 5 * (longer - edits) < 3 * longer) return std::nullopt;
  return closeness::of_share(longer - edits, longer);
}
inline answer match_near(const document& a, const document& b) {
  if (!are_both_there(a, b) || bits_between(a, b) > near_bits) return std::nullopt;
  return closeness::of_bits(bits_between(a, b));
}
/// Short documents match exactly the documents with the same words; their fingerprints are not compared.
inline answer match_near_unless_short(const document& a, const document& b, int bits) {
  const bool is_short = (std::min)(a.words.size(), b.words.size()) < short_words;
  if (is_short ? a.words != b.words : bits > near_bits) return std::nullopt;
  return closeness::of_bits(bits);
}
inline answer match_long(const document& a, const document& b) {
  if (!are_both_there(a, b)) return std::nullopt;
  return match_near_unless_short(a, b, bits_between(a, b));
}
inline answer match_counted(const document& a, const document& b) {
  if (!a.counted || !b.counted) return std::nullopt;
  return match_near_unless_short(a, b, hamming_distance(*a.counted, *b.counted));
}
inline answer match_minima(const document& a, const document& b) {
  if (!a.minima || !b.minima) return std::nullopt;
  return match_near_unless_short(a, b, hamming_distance(*a.minima, *b.minima));
}
inline bool are_candidates(const document& a, const document& b, int bits) {
  return are_both_there(a, b) && bits_between(a, b) <= bits;
}

inline const row jaccard{"Jaccard", match_jaccard};
inline const row cosine{"cosine", match_cosine};
inline const row containment{"containment", match_containment};
inline const row edits{"edits", match_edits};
inline const row fingerprints{"fingerprints", match_near};
inline const row fingerprints_long{"fingerprints short by words", match_long};
inline const row fingerprints_counted{"fingerprints of counts short by words", match_counted};
inline const row codes_long{"min-wise codes short by words", match_minima};
inline const row checked{"fingerprints and check", [](const document& a, const document& b) {
                           return are_candidates(a, b, candidate_bits) ? match_jaccard(a, b) : std::nullopt;
                         }};
inline const row checked_yes{"fingerprints and check that says yes",
                             [](const document& a, const document& b) -> answer {
                               const bool is_match = are_candidates(a, b, candidate_bits) && match_jaccard(a, b);
                               return is_match ? answer(closeness::of_bits(bits_between(a, b))) : std::nullopt;
                             }};
inline const row far_checked{"far fingerprints and check", [](const document& a, const document& b) -> answer {
                               const std::size_t common = common_words(a, b),
                                                 all = a.words.size() + b.words.size() - common;
                               if (!are_candidates(a, b, far_bits) || 10 * common < 3 * all) return std::nullopt;
                               return closeness::of_share(common, all);
                             }};
inline const row equal_checked{"equal fingerprints and check", [](const document& a, const document& b) {
                                 const bool are_equal = are_candidates(a, b, 0) && a.words == b.words;
                                 return are_equal ? answer(closeness::of_share(1, 1)) : std::nullopt;
                               }};
/// A row that uses `measure` as a check of the candidates within 63 bits.
inline row as_check(const row& measure, const char* name) {
  return {name, [measure](const document& a, const document& b) {
            return are_candidates(a, b, most_bits) ? measure.match(a, b) : std::nullopt;
          }};
}

inline std::vector<document> described(const std::vector<std::string>& texts) {
  std::vector<document> documents;
  for (const std::string& text : texts) documents.push_back(describe(text));
  return documents;
}

/// The order of decision by containment: the largest sets first, unless the corpus has scores.
inline labels order_by_size(const corpus& c) {
  std::vector<double> sizes;
  for (std::size_t i = c.known; i < c.texts.size(); ++i) {
    sizes.push_back(static_cast<double>(describe(c.texts[i]).words.size()));
  }
  return oracle::order_of(c.texts.size(), c.known, c.scores.empty() ? std::span<const double>(sizes) : c.scores);
}

/// Returns the labels that the law gives to a corpus: the originals of dropped documents, or connected components.
enum class forms { originals, components };
inline labels verdicts(const row& by, const corpus& c, const labels& order, forms form = forms::originals) {
  static std::map<std::pair<std::string, labels>, labels> of_large;  // each row has one large corpus
  const bool is_large = c.texts.size() > 80;
  if (const auto known = of_large.find({by.name, order}); is_large && known != of_large.end()) return known->second;
  const std::vector<document> documents = described(c.texts);
  const auto match = [&](std::size_t i, std::size_t j) { return by.match(documents[i], documents[j]); };
  if (is_large) return of_large[{by.name, order}] = oracle::originals(order, c.known, c.among, match);
  if (form == forms::components) return oracle::connected(order, match);
  return oracle::originals(order, c.known, c.among, match);
}

// ---- corpora that are made for one question --------------------------------------------------------------------------

using word_lists = std::vector<std::vector<std::string>>;

/// Random texts, each an edit of an earlier one.
inline word_lists draw_edits(std::mt19937_64& random, std::size_t count) {
  word_lists texts{draw_words(random, 10 + random() % 8, 300)};
  while (texts.size() < count) texts.push_back(edited(texts[random() % texts.size()], 1 + random() % 6, 300, random));
  return texts;
}

/// Returns `count` texts. The last text is random. Each other text is a copy of the last one, with at most `others`
/// words replaced. `others` is the same for all copies, so most measures find some copies equally close to the last
/// text.
inline word_lists draw_star(std::mt19937_64& random, std::size_t count) {
  const std::vector<std::string> centre = draw_words(random, 10 + random() % 8, 300);
  const std::size_t others = 1 + random() % (centre.size() / 2);
  word_lists texts(count, centre);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    for (std::size_t j = 0; j < others; ++j) texts[i][random() % centre.size()] = draw_word(random, 300);
  }
  return texts;
}

/// Draws texts until `is_wanted` accepts them.
template <class IsWanted>
std::vector<std::string> search_texts(word_lists (*draw)(std::mt19937_64&, std::size_t), std::size_t count,
                                      std::uint64_t seed, const IsWanted& is_wanted) {
  oracle::random_engine random(seed);
  for (int tries = 0; tries < 1000000; ++tries) {
    std::vector<std::string> texts;
    for (const auto& words : draw(random, count)) texts.push_back(joined(words));
    if (is_wanted(texts)) return texts;
  }
  FAIL("no texts were found that the law speaks of so");
  return {};
}

/// Returns up to 250 texts, or up to 1,000 with NEARDUP_EXHAUSTIVE=1, and one text that matches all others. The others
/// do not match each other. The function ends after 4,000 tries, so there may be fewer.
inline std::vector<std::string> crowd_around_the_last(const row& by) {
  oracle::random_engine random(4);
  const bool is_of_letters = by.match({"aaaaa", {}, {}, {}, {}}, {"aaaab", {}, {}, {}, {}}).has_value();
  std::vector<std::string> central, texts;
  for (int i = 0; i < (is_of_letters ? 20 : 40); ++i)
    central.push_back(is_of_letters ? std::string(1, "abcdefghijklmnopqrst"[i]) : "c" + std::to_string(i));
  const auto text_of = [&](const std::vector<std::string>& words) {
    std::string text = joined(words);
    if (is_of_letters) std::erase(text, ' ');
    return text;
  };
  const document middle = describe(text_of(central));
  std::vector<document> crowd;
  for (int tries = 0; tries < 4000 && crowd.size() < oracle::effort(1000, 250, 250); ++tries) {
    std::vector<std::string> words = central;
    if (is_of_letters) {
      for (std::size_t i = 0; i < 8; ++i) words[random() % 20] = std::string(1, "abcdefghijklmnopqrst"[random() % 20]);
    } else {
      std::shuffle(words.begin(), words.end(), random);
      words.resize(26 + random() % 4);
      for (std::size_t i = 0; i < 6 + random() % 5; ++i) words.push_back("n" + std::to_string(random() % 100000));
    }
    const document one = describe(text_of(words));
    const auto matches = [&](const document& other) { return by.match(other, one).has_value(); };
    if (!matches(middle) || std::any_of(crowd.begin(), crowd.end(), matches)) continue;
    crowd.push_back(one);
    texts.push_back(one.text);
  }
  texts.push_back(middle.text);
  return texts;
}

/// The corpora that are made for one question each, by the name of the question. They are decided in the order of the
/// texts.
inline const std::map<std::string, corpus>& questions(const row& by) {
  static std::map<std::string, std::map<std::string, corpus>> known;
  auto& made = known[by.name];
  if (!made.empty()) return made;
  const auto says = [&](const std::vector<std::string>& texts, const labels& wanted) {
    const corpus c{texts};
    return verdicts(by, c, c.order()) == wanted && verdicts(by, c, order_by_size(c)) == wanted;
  };
  auto texts = search_texts(draw_edits, 2, 1, [&](const auto& t) { return t[0] != t[1] && says(t, {0, 0}); });
  texts.push_back(texts[1]);
  made["a copy of a dropped text"] = {texts};

  texts = search_texts(draw_edits, 3, 2, [&](const auto& t) { return says({t[0], t[1], t[2], t[1]}, {0, 0, 2, 2}); });
  texts.push_back(texts[1]);
  made["r1 s r2 s"] = {texts};

  texts = search_texts(draw_star, 3, 3, [&](const auto& t) {
    return t[0] != t[1] && says({t[0], t[1], t[2]}, {0, 1, 0}) && says({t[1], t[0], t[2]}, {0, 1, 0});
  });
  made["equally close"] = {texts};
  made["equally close, turned round"] = {{texts[1], texts[0], texts[2]}};

  made["a central text after hundreds"] = {crowd_around_the_last(by)};
  return made;
}

// ---- cells -----------------------------------------------------------------------------------------------------------

/// Counts all corpora, and the corpora with a wrong kept document or a wrong original.
struct tally {
  std::size_t corpora = 0, kept = 0, originals = 0;
};

struct difference {
  bool kept = false, originals = false;
};
inline difference compare(const labels& found, const labels& wanted) {
  if (found.size() != wanted.size()) return {true, true};
  difference result;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_kept = found[i] == i, should_be = wanted[i] == i;
    result.kept = result.kept || is_kept != should_be;
    result.originals = result.originals || (!is_kept && !should_be && found[i] != wanted[i]);
  }
  return result;
}

using judge = std::function<labels(const corpus&)>;

/// Leaves out texts, one by one, while the corpus still gives the wrong verdict. Returns the smallest such corpus.
inline corpus smallest(corpus c, const judge& found, const judge& wanted, bool of_kept) {
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = 0; i < c.texts.size() && !changes; ++i) {
      corpus fewer = c;
      fewer.texts.erase(fewer.texts.begin() + static_cast<std::ptrdiff_t>(i));
      if (i < c.known) --fewer.known;
      if (i >= c.known && !c.scores.empty()) {
        fewer.scores.erase(fewer.scores.begin() + static_cast<std::ptrdiff_t>(i - c.known));
      }
      const difference left = compare(found(fewer), wanted(fewer));
      if (!(of_kept ? left.kept : left.originals)) continue;
      c = std::move(fewer);
      changes = true;
    }
  }
  return c;
}

inline std::string shown(const labels& values) {
  std::string text;
  for (const std::size_t value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

inline std::string shown(const corpus& c, const labels& found, const labels& wanted) {
  std::string text;
  for (std::size_t i = 0; i < c.texts.size(); ++i) {
    text += std::to_string(i) + (i < c.known ? " (known)" : "");
    if (i >= c.known && !c.scores.empty())
      text += " (score " + std::to_string(c.scores[i - c.known]).substr(0, 1) + ")";
    text += ": " + c.texts[i] + "\n";
  }
  return text + "found  " + shown(found) + "\nwanted " + shown(wanted);
}

/// A cell of the table: compares one product with the law over one kind of corpora, and prints a line.
class cell {
 public:
  /// The expected verdicts of each corpus are computed once, and stored under the names of the row, of `law` and of the
  /// corpora.
  cell(const row& by, std::string column, judge found, judge wanted, std::string law = "")
      : row_(by),
        column_(std::move(column)),
        law_(std::move(law)),
        found_(std::move(found)),
        wanted_(std::move(wanted)) {}

  void over(const std::string& corpora, const std::vector<corpus>& all) {
    static std::map<std::string, std::vector<labels>> answers;
    std::vector<labels>& known = answers[std::string(row_.name) + ", " + law_ + ", " + corpora];
    tally wrong;
    std::string example;
    for (const corpus& c : all) {
      if (known.size() == wrong.corpora) known.push_back(wanted_(c));
      const labels found = found_(c), wanted = known[wrong.corpora];
      const difference one = compare(found, wanted);
      ++wrong.corpora;
      wrong.kept += one.kept ? 1 : 0;
      wrong.originals += one.originals ? 1 : 0;
      if (!example.empty() || (!one.kept && !one.originals)) continue;
      const corpus least = all.size() == 1 ? c : smallest(c, found_, wanted_, one.kept);
      if (least.texts.size() < 50) example = shown(least, found_(least), wanted_(least));
    }
    std::printf("| %s | %s | %s | %zu | %zu | %zu |\n", row_.name, column_.c_str(), corpora.c_str(), wrong.corpora,
                wrong.kept, wrong.originals);
    INFO(row_.name << ", " << column_ << ", " << corpora << ":\n" << example);
    CHECK(wrong.kept == 0);
    CHECK(wrong.originals == 0);
  }

  /// Runs the corpora of a column. Of each random kind it runs the first `count` corpora.
  void over_corpora_of(const column& of, std::size_t count) {
    for (const std::string& name : of.corpora) {
      if (std::find(kinds.begin(), kinds.end(), name) != kinds.end()) {
        over_random(name, count);
      } else if (name == "questions") {
        for (const auto& [question, c] : questions(row_)) {
          if (of.has("crowd") || c.texts.size() < 10) over(question, {c});
        }
      } else {
        REQUIRE(name == "crowd");
      }
    }
  }

 private:
  void over_random(const std::string& kind, std::size_t count) {
    static std::map<std::string, std::vector<corpus>> drawn;
    std::vector<corpus>& all = drawn[kind];
    if (all.size() < count) {
      const auto number = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
      oracle::random_engine random(44 + static_cast<std::uint64_t>(number));
      all.clear();
      while (all.size() < count) all.push_back(draw_corpus(random, kind));
    }
    over(kind, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)});
  }

  const row& row_;
  std::string column_, law_;
  judge found_, wanted_;
};

inline std::size_t corpora() { return oracle::effort(1000, 200, 20); }
inline std::size_t corpora_one_by_one() { return oracle::effort(1000, 50, 10); }
inline std::size_t corpora_on_disk() { return oracle::effort(100, 5, 3); }

}  // namespace law
