#include "text_kinds.hpp"

#include <neardup/text/canonical.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>

namespace command {

namespace {

struct character_counts {
  std::size_t visible = 0, letters = 0, han = 0, lone = 0, symbols = 0;
};

character_counts count_characters(std::string_view text) {
  character_counts result;
  neardup::for_each_code_point(text, [&](char32_t c, std::string_view) {
    constexpr std::string_view symbols = "{}()[];=<>&|+*";
    const neardup::character_class kind = neardup::classify(c);
    if (c > U' ') ++result.visible;
    if (c < 0x80 && symbols.find(static_cast<char>(c)) != symbols.npos) ++result.symbols;
    if (kind == neardup::character_class::letter) ++result.letters;
    if (kind == neardup::character_class::han) ++result.han;
    if (kind == neardup::character_class::lone) ++result.lone;
  });
  return result;
}

/// Returns true if `text` has many brackets and operators, and at least a quarter of its lines end like statements.
bool is_code(std::string_view text, const character_counts& counts) {
  if (100 * counts.symbols < 6 * counts.visible) return false;
  std::size_t lines = 0, statements = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last == line.npos) continue;
    constexpr std::string_view ends = ";{}):";
    ++lines;
    if (ends.find(line[last]) != ends.npos) ++statements;
  }
  return 4 * statements >= lines && statements > 0;
}

/// Returns true if `text` has at least one time of day, such as "10:00:01" in logs and subtitles, per 300 bytes.
bool is_timed(std::string_view text) {
  constexpr std::string_view time = "00:00:00";
  std::size_t times = 0;
  for (std::size_t i = 0; i + time.size() <= text.size(); ++i) {
    bool is_here = true;
    for (std::size_t k = 0; k < time.size() && is_here; ++k) {
      const char c = text[i + k];
      is_here = time[k] == ':' ? c == ':' : c >= '0' && c <= '9';
    }
    if (is_here) ++times;
  }
  return 300 * times >= text.size() && times > 0;
}

}  // namespace

void text_kinds::add(std::string_view text) {
  constexpr std::size_t beginning = 4096;
  std::string_view part = text.substr(0, beginning);
  if (part.size() < text.size()) part.remove_suffix(neardup::incomplete_suffix(part));
  const character_counts counts = count_characters(part);
  ++seen_;
  if (is_timed(part)) {
    ++timed_;
  } else if (is_code(part, counts)) {
    ++code_;
  }
  // Japanese text has Chinese characters and some kana, which `lone` counts. Chinese text has no kana.
  const std::size_t all = counts.letters + counts.han + counts.lone, unspaced = counts.han + counts.lone;
  if (2 * unspaced > all) ++(10 * counts.lone > unspaced ? unspaced_ : han_);
  if (neardup::canonicalise(part) != neardup::normalise(part)) ++spelt_;
}

std::vector<feature_hint> text_kinds::hints() const {
  std::vector<feature_hint> result;
  const auto add = [&](std::uint64_t documents, std::uint64_t share, const char* features, const char* reason) {
    if (share * documents > seen_) result.push_back({features, documents, seen_, reason});
  };
  add(code_, 2, "code:4", "are source code, in which operators count and white space does not");
  add(timed_, 2, "masked:words:2",
      "have times as in logs and subtitles, which are one word then, as other numbers are");
  add(han_, 2, "zh:words", "are Chinese, of which words:2 are pairs of characters, and these words by a dictionary");
  add(unspaced_, 2, "chars:4", "are written without spaces: each character is a word of words:N");
  add(spelt_, 20, "canonical:words:2", "have characters that can be spelt otherwise, or words cut at line ends");
  return result;
}

}  // namespace command
