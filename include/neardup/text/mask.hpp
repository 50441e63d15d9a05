// SPDX-License-Identifier: MIT
// Masking: replaces numbers, dates, addresses and other identifiers by one token. So log lines that differ only in such
// values become equal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "tokenizer.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Replaces the values that vary from log line to log line by "0".
///
/// A run consists of ASCII letters and digits. Single or double joiners (. : - / , + _) may stand between them. mask()
/// lists which runs become "0". A run is kept in memory until its end shows which kind it is. To bound this memory, a
/// run of more than max_run bytes is decided early: it is replaced if it is base64 data, and otherwise unchanged.
class text_masker {
 public:
  static constexpr std::size_t max_run = 128;  ///< most bytes of a run that is rewritten

  void append(std::string_view text, std::string& out) {
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && (is_digit(text[end]) || is_letter(text[end]))) ++end;
      if (end != i) {
        put_word(text.substr(i, end - i), out);
        i = end;
      } else {
        put_other(text[i++], out);
      }
    }
  }

  void finish(std::string& out) {
    end_run(out);
    flush_held(out);
    reset();
  }

  void reset() noexcept {
    run_.clear();
    drop_held();
    joiners_ = 0;
    is_copying_ = false;
    is_dropping_ = false;
    before_ = kind::other;
  }

 private:
  // The kind of a run. The kind `month` is the name of a month without a number.
  enum class kind { other, number, date, month };

  static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  static constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static constexpr bool is_hexadecimal(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
  static constexpr bool is_joiner(char c) noexcept {
    return c == '.' || c == ':' || c == '-' || c == '/' || c == ',' || c == '+' || c == '_';
  }
  static bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }
  static constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

  void put_word(std::string_view word, std::string& out) {
    if (is_dropping_) return;
    joiners_ = 0;
    if (is_copying_) {
      out.append(word);
      return;
    }
    // If a run is longer than max_run, is_base64() gets the run up to its first letter or digit behind max_run bytes,
    // even if `word` is longer. So the result does not depend on how the text is cut into chunks.
    const std::string_view looked_at = word.substr(0, run_.size() > max_run ? 1 : max_run + 1 - run_.size());
    run_.append(looked_at);
    if (run_.size() > max_run) {
      flush_held(out);
      before_ = kind::other;
      if (is_base64(run_)) {
        write_base64(run_, out);
        is_dropping_ = true;
      } else {
        out.append(run_).append(word.substr(looked_at.size()));
        is_copying_ = true;
      }
      run_.clear();
    }
  }

  void put_other(char c, std::string& out) {
    if (is_dropping_) {
      if (is_base64_sign(c)) return;
      is_dropping_ = false;
    }
    if (is_joiner(c) && joiners_ < 2 && !run_.empty()) {
      ++joiners_;
      run_.push_back(c);
      return;
    }
    end_run(out);
    // Up to two spaces may separate the parts of a date, because system logs write "Nov  2".
    if (c == ' ' && before_ != kind::other && spaces_ < 2) {
      held_.push_back(c);
      ++spaces_;
      return;
    }
    flush_held(out);
    before_ = kind::other;
    out.push_back(c);
  }

  void flush_held(std::string& out) {
    out.append(held_);
    drop_held();
  }

  void drop_held() noexcept {
    held_.clear();
    spaces_ = 0;
  }

  // Ends the run before the joiners at the end of `run_`. These joiners are copied unchanged.
  void end_run(std::string& out) {
    is_copying_ = false;
    if (run_.empty()) return;
    const std::string_view run(run_.data(), run_.size() - joiners_);
    const std::string_view rest(run_.data() + run.size(), joiners_);
    write(run, out);
    if (!rest.empty()) {
      flush_held(out);
      out.append(rest);
      before_ = kind::other;
    }
    run_.clear();
    joiners_ = 0;
  }

  void write(std::string_view run, std::string& out) {
    if (is_base64(run)) {
      flush_held(out);
      before_ = kind::other;
      write_base64(run, out);
      return;
    }
    const kind is = kind_of(run);
    const bool is_date = is == kind::date || is == kind::month || before_ == kind::date || before_ == kind::month;
    if (is != kind::other && spaces_ > 0 && is_date && !(is == kind::month && before_ == kind::month)) {
      // The run continues a date, as in "Nov 22 10:00:01" and "22 Nov". The first run of the date has already written
      // the 0, unless the first run was a month.
      drop_held();
      if (before_ == kind::month) out.push_back('0');
      before_ = kind::date;
      return;
    }
    flush_held(out);
    before_ = is;
    if (is == kind::other && !has_digit(run)) {
      out.append(run);
    } else if (is == kind::other) {
      mask_words(run, out);
    } else if (is == kind::month) {
      held_ = run;  // held until the next run shows whether a number follows
    } else {
      out.push_back('0');
    }
  }

  static kind kind_of(std::string_view run) {
    if (!has_digit(run)) return is_month(run) ? kind::month : kind::other;
    if (is_uuid(run) || is_hexadecimal_address(run)) return kind::number;
    bool has_month = false, has_number = false;
    for (std::size_t begin = 0; begin < run.size();) {
      const std::string_view word = next_word(run, begin);
      if (is_number(word)) {
        has_number = true;
      } else if (is_month(word)) {
        has_month = true;
      } else if (!word.empty()) {
        return kind::other;
      }
      begin += word.size() + 1;
    }
    if (!has_number) return kind::other;
    return has_month ? kind::date : kind::number;
  }

  static std::string_view next_word(std::string_view run, std::size_t begin) {
    std::size_t end = begin;
    while (end < run.size() && !is_joiner(run[end])) ++end;
    return run.substr(begin, end - begin);
  }

  // Masks the words of a run. A word that is a number or an identifier becomes one 0. In any other word, each group of
  // digits becomes one 0.
  static void mask_words(std::string_view run, std::string& out) {
    for (std::size_t begin = 0; begin < run.size();) {
      const std::string_view word = next_word(run, begin);
      if (is_number(word)) {
        out.push_back('0');
      } else {
        for (std::size_t i = 0; i < word.size(); ++i) {
          const bool is_first = is_digit(word[i]) && (i == 0 || !is_digit(word[i - 1]));
          if (is_first) out.push_back('0');
          if (!is_digit(word[i])) out.push_back(word[i]);
        }
      }
      begin += word.size();
      if (begin < run.size()) out.push_back(run[begin++]);
    }
  }

  // Returns true if a word is a number or an identifier. There are three kinds: digits, also with the letters of a time
  // ("01T10", "00Z"); hexadecimal digits ("0x1f", or at least six with a decimal digit among them); and at least eight
  // letters and digits that change at least three times between letter and digit.
  static bool is_number(std::string_view word) {
    const auto digits = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), is_digit));
    if (digits == 0) return false;
    if (digits == word.size()) return true;
    if (is_digit(word[0]) && digits + 1 == word.size()) {
      const std::size_t letter = word.find_first_not_of("0123456789");
      if (word[letter] == 'T' || word[letter] == 'Z') return true;
    }
    if (word.size() > 2 && word[0] == '0' && lower(word[1]) == 'x' &&
        std::all_of(word.begin() + 2, word.end(), is_hexadecimal)) {
      return true;
    }
    if (word.size() >= 6 && std::all_of(word.begin(), word.end(), is_hexadecimal)) return true;
    std::size_t turns = 0;
    for (std::size_t i = 1; i < word.size(); ++i) turns += is_digit(word[i]) != is_digit(word[i - 1]) ? 1 : 0;
    return word.size() >= 8 && turns >= 3;
  }

  static constexpr std::string_view base64_mark = "base64,";  // precedes the data in data URLs
  static constexpr bool is_base64_sign(char c) noexcept { return c == '+' || c == '/' || c == '-' || c == '_'; }

  /// Returns true if a run is base64 data: it begins with "base64,", or it is long and mixes digits, capitals and small
  /// letters as words never do. In random base64, 62 % of the characters are of another kind (digit, capital, small
  /// letter) than the previous character. In camelCase, 35 % are.
  static bool is_base64(std::string_view run) {
    if (run.starts_with(base64_mark) && run.size() > base64_mark.size()) return true;
    constexpr std::size_t least = 48;
    if (run.size() < least) return false;
    const auto kind_of_character = [](char c) {
      return is_digit(c) ? 1 : c >= 'a' && c <= 'z' ? 2 : is_letter(c) ? 3 : 0;
    };
    std::size_t pairs = 0, changes = 0;
    bool has_kind[4] = {};
    for (std::size_t i = 0; i < run.size(); ++i) {
      const int now = kind_of_character(run[i]);
      if (now == 0 && !is_base64_sign(run[i])) return false;
      has_kind[now] = true;
      const int before = i > 0 ? kind_of_character(run[i - 1]) : 0;
      if (now == 0 || before == 0) continue;
      ++pairs;
      changes += now != before ? 1 : 0;
    }
    return has_kind[1] && has_kind[2] && has_kind[3] && 5 * changes >= 2 * pairs;
  }

  static void write_base64(std::string_view run, std::string& out) {
    if (run.starts_with(base64_mark)) out.append(base64_mark);
    out.push_back('0');
  }

  static bool is_month(std::string_view word) {
    constexpr std::array<std::string_view, 12> names{"january",   "february", "march",    "april",
                                                     "may",       "june",     "july",     "august",
                                                     "september", "october",  "november", "december"};
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      if (word.size() != 3 && word.size() != name.size()) return false;
      // The name of a month has a capital, because "may" and "march" are also words.
      if (word[0] != name[0] - 32) return false;
      return std::equal(word.begin() + 1, word.end(), name.begin() + 1, [](char a, char b) { return lower(a) == b; });
    });
  }

  // Returns true if a run has 8-4-4-4-12 hexadecimal digits.
  static bool is_uuid(std::string_view run) {
    if (run.size() != 36) return false;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (is_dash ? run[i] != '-' : !is_hexadecimal(run[i])) return false;
    }
    return true;
  }

  // Returns true if a run is a MAC address or an IPv6 address. Such a run has groups of up to four hexadecimal digits
  // between colons, at least one decimal digit, and at least three colons or two adjacent colons.
  static bool is_hexadecimal_address(std::string_view run) {
    std::size_t length = 0, colons = 0;
    bool has_digit = false;
    for (const char c : run) {
      if (c == ':') {
        ++colons;
        length = 0;
      } else if (!is_hexadecimal(c) || ++length > 4) {
        return false;
      }
      has_digit |= is_digit(c);
    }
    return has_digit && (colons >= 3 || run.find("::") != run.npos);
  }

  std::string run_;   // the run from its first letter or digit on
  std::string held_;  // a month, or the spaces after a number or month; dropped if a date continues after it
  std::size_t joiners_ = 0, spaces_ = 0;
  bool is_copying_ = false, is_dropping_ = false;
  kind before_ = kind::other;
};

}  // namespace detail

/// Returns the text with each number, date, time, hexadecimal number, UUID and network address replaced by "0". In any
/// other word, each run of digits is replaced by one 0 ("eth1" becomes "eth0"). The rest of the text is unchanged.
///
/// - A compound value is replaced as a whole: "2026-08-01T10:00:01.250Z", "Nov 22 10:00:01", "22/Nov/2026:10:00:01",
///   "10.0.0.7:50514", "fe80::1ff:fe23" and "550e8400-e29b-41d4-a716-446655440000" each become one "0".
/// - A hexadecimal number begins with 0x, or is a word of at least six characters from 0 to 9, a to f and A to F, at
///   least one of which is a digit from 0 to 9.
/// - A word of at least eight letters and digits is an identifier if it changes at least three times between letters
///   and digits. An identifier is replaced as a whole.
/// - The names of months are English, and begin with a capital.
/// - Base64 data is replaced by one "0". Base64 data is the text after "base64," in data URLs, or a run of at least 48
///   bytes that mixes digits, capitals and small letters as words never do.
/// - Any other run of letters, digits and the characters . : - / , + _ between them is unchanged if it has more than
///   128 bytes.
///
/// Complexity: linear.
/// Example: `mask("sshd[811]: port 50514 ssh2")` is `"sshd[0]: port 0 ssh0"`.
[[nodiscard]] inline std::string mask(std::string_view text) { return detail::rewrite<detail::text_masker>(text); }

/// Tokenizes the masked text. See mask().
/// Example: `shingles{2, masked{normalised{words{}}}}`
template <class Inner>
struct masked : detail::rewritten<masked<Inner>, detail::text_masker, Inner> {};

template <class Inner>
masked(Inner) -> masked<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<masked<Inner>> = "masked";

}  // namespace neardup::inline v0
