// Writes records without some parts of their texts, for `unique`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <neardup/text/words.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../read/record_editor.hpp"
#include "copying.hpp"

namespace command {

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Merges ranges that overlap, or that have only white space between them. Extends each range over the white space
/// after it, so that only the white space before the range stays. If `ends` is true, a range at the end of the text
/// extends over the white space before it instead.
inline void complete_ranges(std::string_view text, std::vector<text_range>& ranges, bool ends) {
  std::sort(ranges.begin(), ranges.end(), [](const text_range& a, const text_range& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::vector<text_range> joined;
  for (const text_range& range : ranges) {
    const bool touches =
        !joined.empty() &&
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(joined.back().end),
                    text.begin() + static_cast<std::ptrdiff_t>(std::max(joined.back().end, range.begin)), is_space);
    if (touches) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  for (text_range& range : joined) {
    std::size_t next = range.end;
    while (next < text.size() && is_space(text[next])) ++next;
    if (next < text.size() || !ends) {
      range.end = next;
    } else {
      while (range.begin > 0 && is_space(text[range.begin - 1])) --range.begin;
    }
  }
  ranges = std::move(joined);
}

/// Returns true if the texts still have a word when the ranges are removed.
inline bool leaves_words(const std::vector<std::string_view>& texts,
                         const std::vector<std::vector<text_range>>& removed) {
  bool found = false;
  const auto look_at = [&](std::string_view rest) { neardup::words{}(rest, [&](std::string_view) { found = true; }); };
  for (std::size_t f = 0; f < texts.size() && !found; ++f) {
    std::size_t begin = 0;
    for (const text_range& range : removed[f]) {
      look_at(texts[f].substr(begin, range.begin - begin));
      begin = range.end;
    }
    look_at(texts[f].substr(begin));
  }
  return found;
}

/// Writes records without the removed parts, and counts the records.
class cutting_writer {
 public:
  /// Makes a writer. `ends_texts`: see complete_ranges(). `follows_records`: see record_copier.
  cutting_writer(context& c, bool ends_texts, bool follows_records = false)
      : writer_(c, nullptr, follows_records), editor_(c.settings.input), ends_texts_(ends_texts) {}

  const std::vector<std::string_view>& texts_of(const std::shared_ptr<source>& from, std::uint64_t line,
                                                std::string_view raw) {
    return editor_.texts_of(*from, line, raw);
  }

  /// Returns the name of the field of text number `text`. Returns "" if a record has only one text.
  [[nodiscard]] std::string name_of(std::size_t text) const { return editor_.name_of(text); }

  void keep(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    writer_.keep(from, line, raw);
  }

  /// Writes the record without the ranges `removed` of `texts`, which texts_of() returned last. Drops the record if no
  /// word is left.
  void write(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw,
             const std::vector<std::string_view>& texts, std::vector<std::vector<text_range>>& removed) {
    bool is_changed = false;
    for (std::size_t f = 0; f < texts.size(); ++f) {
      complete_ranges(texts[f], removed[f], ends_texts_);
      is_changed = is_changed || !removed[f].empty();
    }
    if (!is_changed) return writer_.keep(from, line, raw);
    // without() throws an error if a part cannot be removed. So without() is called for dropped records, too.
    const std::string rest = editor_.without(removed);
    if (!leaves_words(texts, removed)) return writer_.drop(from, line, raw);
    ++changed_;
    for (const auto& of_text : removed) {
      for (const text_range& range : of_text) bytes_ += range.end - range.begin;
    }
    writer_.keep(from, line, rest);
  }

  void finish_run(const std::string& more) {
    writer_.finish_run(
        changed_, ", " + grouped(changed_) + " of those kept changed: " + grouped(bytes_) + " bytes taken out" + more);
  }

 private:
  record_writer writer_;
  record_editor editor_;
  bool ends_texts_;
  std::uint64_t changed_ = 0, bytes_ = 0;
};

}  // namespace command
