// SPDX-License-Identifier: MIT
// The hidden Markov model of jieba, which finds words that are not in the dictionary.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/text_lines.hpp"
#include "../../error.hpp"
#include "../utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Parses the Python dictionaries of jieba's model. The dictionaries consist of quoted names and numbers, nested at
/// most two levels deep.
class python_table_reader {
 public:
  python_table_reader(std::string_view contents, const std::string& path)
      : rest_(contents), all_(contents), path_(path) {}

  /// Calls `visit(outer, inner, number)` for each number. `inner` is the name of the number. `outer` is the name of the
  /// inner dictionary, and is empty in the outermost dictionary.
  template <class Visit>
  void for_each_number(const Visit& visit) {
    const std::size_t begin = all_.find('{');
    if (begin == all_.npos) refuse("no Python dictionary");
    rest_.remove_prefix(begin + 1);
    read_entries({}, false, visit);
  }

  [[noreturn]] void refuse(const char* why) const {
    const std::string_view before = all_.substr(0, all_.size() - rest_.size());
    std::size_t line = 1;
    for (const char c : before) line += c == '\n' ? 1 : 0;
    fail<std::runtime_error>({path_, ":", line, ": not a table of a segmentation model: ", why});
  }

 private:
  /// Reads the rest of a dictionary. If `is_inside` is true, the dictionary is the value of the name `outer` in another
  /// dictionary.
  template <class Visit>
  void read_entries(const std::string& outer, bool is_inside, const Visit& visit) {
    while (!skip('}')) {
      if (rest_.empty()) refuse("the dictionary does not end");
      const std::string key = name();
      if (!skip('{')) {
        visit(std::string_view(outer), std::string_view(key), number());
      } else if (is_inside) {
        refuse("a third dictionary inside of another");
      } else {
        read_entries(key, true, visit);
      }
    }
  }

  /// Skips blanks, commas and colons. Then skips `brace` if it is the next character.
  /// Returns: true if `brace` was skipped.
  bool skip(char brace) noexcept {
    rest_.remove_prefix((std::min)(rest_.find_first_not_of(" \t\r\n,:"), rest_.size()));
    const bool is_next = rest_.starts_with(brace);
    rest_.remove_prefix(is_next ? 1 : 0);
    return is_next;
  }

  std::string name();

  double number();

  std::string_view rest_, all_;
  std::string path_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE std::string python_table_reader::name() {
  const char quote = rest_.front();
  if (quote != '\'' && quote != '"') refuse("a name in quotes is missing");
  const std::size_t end = rest_.find(quote, 1);
  if (end == rest_.npos) refuse("a name does not end");
  const std::string_view written = rest_.substr(1, end - 1);
  std::string result(written);
  if (written.substr(0, 2) == "\\u") {
    std::uint32_t code_point = 0;
    const auto [last, error] = std::from_chars(written.data() + 2, written.data() + written.size(), code_point, 16);
    if (written.size() != 6 || error != std::errc{} || last != written.data() + 6) refuse("an escape is not \\uXXXX");
    char bytes[4];
    result.assign(bytes, encode(code_point, bytes));
  }
  rest_.remove_prefix(end + 1);
  return result;
}

NEARDUP_INLINE double python_table_reader::number() {
  const std::size_t length = (std::min)(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
  const std::string digits(rest_.substr(0, length));
  double value = 0;
  bool is_whole = !digits.empty();
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  is_whole = is_whole && error == std::errc{} && end == digits.data() + digits.size();
#else
  char* end = nullptr;
  value = std::strtod(digits.c_str(), &end);
  is_whole = is_whole && end == digits.c_str() + digits.size();
#endif
  if (!is_whole || !(value <= 0)) refuse("a logarithm of a probability is missing");
  rest_.remove_prefix(length);
  return value;
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// Segments runs of Chinese characters that are not words of the dictionary. The algorithm (Viterbi) finds the most
/// probable sequence of states. A character begins a word (B), is in the middle of a word (M), ends a word (E) or is a
/// word (S).
///
/// Guarantee: every machine gives the same result, because sums are IEEE doubles that are added in a fixed order.
/// Thread safety: objects are immutable, so threads may share an object.
class unknown_word_model {
 public:
  static constexpr char32_t first_character = 0x4e00, last_character = 0x9fd5;

  /// Returns true if the model has probabilities for a character.
  static constexpr bool is_chinese(char32_t c) noexcept { return c >= first_character && c <= last_character; }

  /// Loads prob_start.py, prob_trans.py and prob_emit.py from a folder. The package python3-jieba has them in
  /// finalseg/.
  /// Throws: std::runtime_error if a file cannot be read or a line is invalid; the message names the file and line.
  [[nodiscard]] static unknown_word_model load(const std::string& folder);

  /// Scratch memory, reused for the next run.
  struct workspace {
    std::vector<std::uint8_t> from;  // from[i]: the predecessor of state s at character i is in bits 2s and 2s + 1
    std::vector<std::uint8_t> is_end;
  };

  /// Finds the ends of the words in a run of Chinese characters. If a word ends at character i, scratch.is_end[i] is
  /// not 0. A word always ends at the last character.
  /// Precondition: is_chinese(character(i)) for i < count.
  /// Complexity: O(count).
  template <class Character>
  void find_ends(std::size_t count, const Character& character, workspace& scratch) const {
    scratch.from.resize(count);
    scratch.is_end.assign(count, 0);
    if (count == 0) return;
    const auto& first = emission_[character(0) - first_character];
    std::array<double, states> score{};
    for (std::size_t s = 0; s < states; ++s) score[s] = start_[s] + first[s];
    for (std::size_t i = 1; i < count; ++i) {
      const auto& emission = emission_[character(i) - first_character];
      unsigned from = 0;
      // Each state has two possible predecessors. Of two equally probable predecessors, jieba chooses `later`, the one
      // whose letter (B, E, M or S) is later in the alphabet.
      const auto better = [&](std::size_t to, std::size_t earlier, std::size_t later) {
        const double a = score[earlier] + transition_[earlier][to] + emission[to];
        const double b = score[later] + transition_[later][to] + emission[to];
        from |= static_cast<unsigned>(b >= a ? later : earlier) << (2 * to);
        return b >= a ? b : a;
      };
      const std::array<double, states> now = {better(begin, end, single), better(middle, begin, middle),
                                              better(end, begin, middle), better(single, end, single)};
      score = now;
      scratch.from[i] = static_cast<std::uint8_t>(from);
    }
    std::size_t state = score[single] >= score[end] ? single : end;
    for (std::size_t i = count; i-- > 0;) {
      if (state == end || state == single) scratch.is_end[i] = 1;
      state = scratch.from[i] >> (2 * state) & 3U;
    }
    scratch.is_end[count - 1] = 1;
  }

  /// Returns a digest of all numbers of the model. Different models almost surely have different digests.
  [[nodiscard]] std::uint64_t identity() const noexcept;

  [[nodiscard]] std::size_t memory_usage() const noexcept { return emission_.capacity() * sizeof(emission_[0]); }

 private:
  enum : std::size_t { begin, middle, end, single, states };

  static constexpr double impossible = -3.14e100;

  static constexpr std::size_t state_of(std::string_view name) noexcept {
    return name == "B" ? begin : name == "M" ? middle : name == "E" ? end : name == "S" ? single : states;
  }

  unknown_word_model() {
    for (auto& row : transition_) row.fill(impossible);
    start_.fill(impossible);
  }

  std::array<double, states> start_;
  std::array<std::array<double, states>, states> transition_;
  std::vector<std::array<double, states>> emission_;  // indexed by character
};

#if NEARDUP_BODIES

NEARDUP_INLINE unknown_word_model unknown_word_model::load(const std::string& folder) {
  unknown_word_model result;
  result.emission_.assign(last_character - first_character + 1, {impossible, impossible, impossible, impossible});
  const auto read = [&](const char* name, const auto& visit) {
    const std::string path = folder + "/" + name;
    const std::string contents = detail::read_file(path);
    detail::python_table_reader reader(contents, path);
    bool is_empty = true;
    reader.for_each_number([&](std::string_view outer, std::string_view inner, double value) {
      is_empty = false;
      if (!visit(outer, inner, value)) reader.refuse("its names are the states B, M, E and S, and single characters");
    });
    if (is_empty) reader.refuse("it is empty");
  };
  read("prob_start.py", [&](std::string_view outer, std::string_view inner, double value) {
    const std::size_t state = state_of(inner);
    if (!outer.empty() || state == states) return false;
    result.start_[state] = value;
    return true;
  });
  read("prob_trans.py", [&](std::string_view outer, std::string_view inner, double value) {
    const std::size_t from = state_of(outer), to = state_of(inner);
    if (from == states || to == states) return false;
    result.transition_[from][to] = value;
    return true;
  });
  read("prob_emit.py", [&](std::string_view outer, std::string_view inner, double value) {
    const std::size_t state = state_of(outer);
    if (state == states || inner.empty()) return false;
    const decoded character = decode_one(inner);
    if (!character.valid || character.length != inner.size()) return false;
    if (is_chinese(character.code_point)) result.emission_[character.code_point - first_character][state] = value;
    return true;
  });
  return result;
}

NEARDUP_INLINE std::uint64_t unknown_word_model::identity() const noexcept {
  std::uint64_t digest = 0;
  const auto add = [&](const std::array<double, states>& numbers) {
    for (const double number : numbers) {
      digest = detail::mix(digest + detail::golden_ratio + std::bit_cast<std::uint64_t>(number));
    }
  };
  add(start_);
  for (const auto& row : transition_) add(row);
  for (const auto& row : emission_) add(row);
  return digest;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
