// SPDX-License-Identifier: MIT
// Tokenizers that let two texts match only if both have the same numbers, or the same words of a list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/compiled.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "canonical.hpp"
#include "kernels/number_reader.hpp"
#include "stop_words.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"
#include "words.hpp"

namespace neardup::inline v0 {

/// Tokenizes a text into its numbers, such as "-1234.5".
///
/// Script and typography do not matter: digits of all scripts are equal, and so are hyphens and minus signs, and
/// full-width and ASCII characters. Ignored characters (soft hyphens, zero-width spaces) are skipped. Two numbers that
/// may have different meanings are different tokens.
///
///     number    = [minus] amount {joint [minus] amount}        -5, 3/4/2025, 10:30, 1-5, 1.2.3, 3<4
///     amount    = digits [fraction] [exponent] [power] [percent]
///     digits    = ["."] run {separator run}                    .5 is 0.5; separators are . , ' and no-break spaces
///     fraction  = "½" or the like | blank run "/" run          1½ is 1 1/2
///     exponent  = "e" [sign] run | "×10" power                 2E+03, 2×10³ and 2 x 10^3 are 2e3
///     power     = "^" [minus] run | superscripts               10² is 10^2, and m² contains ^2
///     percent   = [blank] ("%" | "‰" | "‱")
///     minus     = a hyphen, en dash or minus that neither a letter nor a hyphen precedes; also before a currency sign
///     joint     = a sign, a letter of a to z, or a Han character; none of | ; 、 。
///
/// - Thousands: apostrophes and no-break spaces between groups of three digits are removed. Commas or points between
/// groups are removed if a decimal mark of the other kind follows: "1,234.5" and "1.234,5" are 1234.5. Commas are also
/// removed if a number has at least two: "1,234,567" and "12,34,567" are 1234567.
/// - A single comma is kept, because it may separate thousands, decimals or numbers: "1,500" is neither 1500, 1.500 nor
/// 1.5. If several commas do not separate thousands, they separate numbers: "1,2,3" is three numbers.
/// - Digits are compared as they are written, because versions and names need this: 2.50 is not 2.5, and 007 is not 7.
/// - ① is 1, and ½ is 1/2. Roman and other numerals (Ⅳ, ፲) are compared as characters. Number words (two, 二) are not
///   numbers.
/// - Units, currencies, plus signs and ordinary spaces do not belong to a number: "1 234" is two numbers.
///
/// Complexity: linear.
/// Memory: four bytes for each character of a line.
struct numbers {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    detail::number_reader reader;
    while (!text.empty()) {
      const std::size_t size = (std::min)(text.find('\n'), text.size() - 1) + 1;
      reader.read(text.substr(0, size), sink);
      text.remove_prefix(size);
    }
  }
};

template <>
inline constexpr std::string_view detail::part_name<numbers> = "numbers";

/// A tokenizer whose tokens are the words of a text that are in a list, such as a list of negations. The text and the
/// list are compared in canonical form (see canonicalise()), so case and the encoding of accents do not matter. An
/// entry of several words ("no longer", "isn't") matches if the text has these words one after the other. Copies share
/// the list.
class listed_words {
 public:
  explicit listed_words(const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) add(entry);
  }

  /// Reads one entry per line, in UTF-8; empty lines are skipped.
  /// Throws: std::runtime_error if a line is not UTF-8 or has no word; the message begins with "name:line: ".
  [[nodiscard]] static listed_words parse(std::string_view contents, std::string_view name = "words");

  /// Reads a file as parse() does.
  /// Throws: std::runtime_error if the file cannot be read or a line is invalid; the message names the file and line.
  [[nodiscard]] static listed_words load(const std::string& path) { return parse(detail::read_file(path), path); }

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    const std::string canonical = canonicalise(text);
    std::vector<std::string_view> words;
    for_each_word(canonical, [&](std::string_view /*word*/, std::string_view bytes) { words.push_back(bytes); });
    std::string entry;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!list_->beginnings.contains(words[i])) continue;
      entry.clear();
      for (std::size_t n = 0; n < list_->longest && i + n < words.size(); ++n) {
        entry.append(n > 0 ? " " : "").append(words[i + n]);
        if (list_->entries.find(entry) != list_->entries.end()) sink(std::string_view(entry));
      }
    }
  }

  /// Returns the number of entries.
  [[nodiscard]] std::size_t size() const noexcept { return list_->entries.size(); }

  /// Returns the name of this tokenizer in a composition. The name contains a digest of the list.
  [[nodiscard]] std::string description() const {
    std::uint64_t sum = 0;
    for (const std::string& entry : list_->entries) sum += detail::digest_of(entry);
    return "listed_words(" + std::to_string(sum) + ")";
  }

 private:
  struct list {
    std::set<std::string, std::less<>> entries;  // the words of an entry are separated by a space
    stop_words beginnings;                       // the first word of each entry
    std::size_t longest = 0;                     // largest number of words in an entry
  };

  static std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> result;
    words{}(canonicalise(text), [&](std::string_view word) { result.emplace_back(word); });
    return result;
  }

  /// Adds the words of a line to the list, as one entry.
  /// Returns: false, and adds nothing, if the line has no word.
  bool add(std::string_view line);

  std::shared_ptr<list> list_ = std::make_shared<list>();  // not changed after construction
};

/// Tokenizes a text with the tokenizer `features`, and makes each token depend on all tokens of the tokenizer `facts`.
/// Two texts share a token only if they have the same facts, each fact equally often.
///
/// Texts with different facts share no feature, so their similarity is 0. Texts with the same facts have the similarity
/// of their `features`. So every search, join or grouping with these features finds only texts with equal facts. The
/// order of the facts does not matter. A text without facts has the tokens of `features` unchanged. Otherwise each
/// token begins with a digest of the facts, so a table of weights does not contain the token.
///
/// Facts are compared by a 64-bit hash. This tokenizer reads only whole texts, not streams.
/// Complexity: the sum of the complexities of the two tokenizers.
/// Example: `feature_extractor extract{agreeing{numbers{}, normalised{shingles{2, words{}}}}};
///          deduplicator dedup{extract, jaccard{0.8}};`
template <class Facts, class Features>
struct agreeing {
  static_assert(tokenizer<Facts> && tokenizer<Features>,
                "neardup: agreeing{facts, features} needs two tokenizers, such as numbers{} and words{}");

  Facts facts{};
  Features features{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    std::uint64_t sum = 0, count = 0;
    facts(text, [&](std::string_view fact) {
      sum += detail::digest_of(fact);
      ++count;
    });
    if (count == 0) {
      features(text, sink);
      return;
    }
    constexpr std::size_t digits = 16;
    std::string token(digits, '0');
    std::uint64_t rest = detail::mix(sum + count * detail::golden_ratio);
    for (char& digit : token) {
      digit = "0123456789abcdef"[rest % 16];
      rest /= 16;
    }
    features(text, [&](std::string_view feature) {
      token.resize(digits);
      token.append(feature);
      sink(std::string_view(token));
    });
  }
};

template <class Facts, class Features>
agreeing(Facts, Features) -> agreeing<Facts, Features>;

template <class Facts, class Features>
inline constexpr std::string_view detail::part_name<agreeing<Facts, Features>> = "agreeing";

#if NEARDUP_BODIES

NEARDUP_INLINE listed_words listed_words::parse(std::string_view contents, std::string_view name) {
  listed_words result({});
  detail::for_each_line(contents, [&](std::string_view line, std::size_t number) {
    const auto refuse = [&](const char* why) { detail::fail<std::runtime_error>({name, ":", number, why}); };
    if (count_invalid(line) != 0) refuse(": not UTF-8");
    if (!result.add(line)) refuse(": no word");
  });
  return result;
}

NEARDUP_INLINE bool listed_words::add(std::string_view line) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty()) return false;
  std::string entry = words.front();
  list_->beginnings.merge(stop_words({entry}));
  for (std::size_t i = 1; i < words.size(); ++i) entry.append(" ").append(words[i]);
  list_->longest = (std::max)(list_->longest, words.size());
  list_->entries.insert(std::move(entry));
  return true;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
