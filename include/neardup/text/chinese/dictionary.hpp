// SPDX-License-Identifier: MIT
// A dictionary of words with frequencies, in the format of jieba's dict.txt. It finds the most probable segmentation of
// a text into these words.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/text_lines.hpp"
#include "../../error.hpp"
#include "../utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

struct wide_number {
  std::uint64_t high, low;
};

constexpr wide_number multiply(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a0 = a & 0xffffffffU, a1 = a >> 32, b0 = b & 0xffffffffU, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffffU);
  return {a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & 0xffffffffU)};
}

/// Returns the upper 128 bits of a 256-bit product. The result may be wrong by up to two units.
constexpr wide_number multiply_high(wide_number a, wide_number b) noexcept {
  const wide_number top = multiply(a.high, b.high);
  const wide_number one = multiply(a.high, b.low), other = multiply(a.low, b.high);
  const std::uint64_t carry = one.low + other.low < one.low ? 1 : 0;
  wide_number result{top.high, top.low + one.high};
  result.high += result.low < one.high ? 1U : 0U;
  const std::uint64_t added = other.high + carry;  // no overflow: high is at most 2^64 - 2
  result.low += added;
  result.high += result.low < added ? 1U : 0U;
  return result;
}

/// Returns ln(number), rounded to the nearest double. Every machine gives the same result, because the function uses
/// only integer arithmetic, with 45 bits more precision than a double, and no library function.
/// Precondition: number > 0.
constexpr double natural_logarithm(std::uint64_t number) noexcept {
  if (number <= 2) return number == 2 ? std::numbers::ln2 : 0;
  // The integer part of log2(number) is the bit width - 1. The mantissa is in [1, 2). Each squaring of the mantissa
  // gives the next bit of the fraction.
  const auto exponent = static_cast<unsigned>(std::bit_width(number) - 1);
  wide_number mantissa{number << (63 - exponent), 0};  // a fixed-point number; 1.0 is 2^127
  wide_number fraction{0, 0};                          // the fraction of log2; 1.0 is 2^128
  constexpr unsigned steps = 118;
  for (unsigned i = 0; i < steps; ++i) {
    mantissa = multiply_high(mantissa, mantissa);  // 1.0 is 2^126
    const bool is_two = mantissa.high >> 63 != 0;
    if (!is_two) mantissa = {mantissa.high << 1 | mantissa.low >> 63, mantissa.low << 1};
    if (is_two) {
      const unsigned bit = 127 - i;
      (bit >= 64 ? fraction.high : fraction.low) |= std::uint64_t{1} << (bit % 64);
    }
  }
  // ln 2 in units of 2^-128.
  constexpr wide_number ln2{0xb17217f7d1cf79abU, 0xc9e3b39803f2f6afU};
  const wide_number rest = multiply_high(fraction, ln2);  // 1.0 is 2^128
  const wide_number low_part = multiply(ln2.low, exponent), high_part = multiply(ln2.high, exponent);
  const std::uint64_t low = low_part.low + rest.low;
  const std::uint64_t sum = rest.high + low_part.high + (low < rest.low ? 1U : 0U);  // low_part.high is below 64
  const std::uint64_t middle = sum + high_part.low;
  const std::uint64_t whole = high_part.high + (sum < rest.high ? 1U : 0U) + (middle < sum ? 1U : 0U);
  // `top` has the 64 highest bits of the fixed-point number whole.middle, where 1 <= whole <= 44. The code rounds these
  // bits to 53 bits. Bit 10 alone decides, because no logarithm is exactly halfway. The rounding is explicit, because a
  // conversion to double might round in another way.
  const auto shift = static_cast<unsigned>(std::countl_zero(whole));
  const std::uint64_t top = whole << shift | middle >> (64 - shift);
  auto result = static_cast<double>((top >> 11) + (top >> 10 & 1)) * 2048;
  for (unsigned i = 0; i < shift; ++i) result /= 2;
  return result;
}

}  // namespace detail

class chinese_words;

namespace detail {

/// A character of a run that is segmented, or the end of the run.
struct segment_step {
  double score;         // sum of the logarithms along the best path from this character to the end
  std::uint32_t begin;  // offset of the character in the run
  std::uint32_t next;   // number of the character after the best word that begins with this one
  char32_t code_point;
};

/// A node of the trie. The number of a node is its index in the hash table. The key of a node contains the number of
/// its parent, so one lookup finds a child.
///
///   bytes 0..7   key: bits 0..20 the code point, 21..52 the number of the parent + 1, 63 true if it has children
///   bytes 8..15  log_frequency
struct dictionary_node {
  std::uint64_t key = 0;                                            // 0: a free entry
  double log_frequency = -std::numeric_limits<double>::infinity();  // -infinity: not a word
};

/// A copy-on-write array. The array owns its values, or is a view of a mapped file until it is modified.
template <class T>
class shared_table {
 public:
  shared_table() = default;
  explicit shared_table(std::vector<T> values) : own_(std::move(values)), view_(own_) {}
  shared_table(std::span<const T> values, std::shared_ptr<const void> owner)
      : view_(values), owner_(std::move(owner)) {}
  shared_table(const shared_table& other)
      : own_(other.own_), view_(other.owner_ ? other.view_ : std::span<const T>(own_)), owner_(other.owner_) {}
  shared_table(shared_table&& other) noexcept
      : own_(std::move(other.own_)), view_(std::exchange(other.view_, {})), owner_(std::move(other.owner_)) {}
  shared_table& operator=(const shared_table& other) { return *this = shared_table(other); }
  shared_table& operator=(shared_table&& other) noexcept {
    shared_table taken(std::move(other));
    // Moving a vector does not move its elements, so pointers to them stay valid.
    own_ = std::move(taken.own_);
    view_ = taken.view_;
    owner_ = std::move(taken.owner_);
    return *this;
  }
  ~shared_table() = default;

  [[nodiscard]] std::size_t size() const noexcept { return view_.size(); }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return view_[i]; }
  [[nodiscard]] std::span<const T> values() const noexcept { return view_; }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return own_.capacity() * sizeof(T); }

  /// Returns the values for modification. If the array is a view, its values are copied first.
  [[nodiscard]] std::vector<T>& own() {
    if (owner_) *this = shared_table(std::vector<T>(view_.begin(), view_.end()));
    return own_;
  }

 private:
  std::vector<T> own_;
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;  // keeps a viewed array alive; null if owned
};

struct dictionary_access;

}  // namespace detail

/// A dictionary of words with frequencies. It segments text of languages that are written without spaces.
///
/// The file has the format of jieba's dict.txt: lines "word frequency" or "word frequency tag" in UTF-8. The words are
/// a trie of code points, in one hash table. The 349,046 words of jieba take about 16 MB. The hash table can be saved
/// to a file, and mapped from a file (storage/chinese/dictionary_file.hpp).
/// Guarantee: every machine makes the same segmentation. Scores are sums of logarithms, added as IEEE doubles in a
/// fixed order. Integer arithmetic rounds the logarithms correctly.
/// Thread safety: several threads may call const members at once while no thread calls other members.
class word_dictionary {
 public:
  /// Makes an empty dictionary, which cuts a text into single characters.
  word_dictionary() { reserve_nodes(0); }

  /// Parses lines "word frequency". The rest of a line after a second blank is ignored, and empty lines are skipped. If
  /// a word occurs in several lines, the last line counts.
  /// Throws: std::runtime_error "NAME:LINE: ..." if a line is invalid; std::length_error if the sum of the frequencies
  /// is 2^63 or more. All functions below that add words throw the same std::length_error.
  [[nodiscard]] static word_dictionary parse(std::string_view contents, std::string_view name = "dictionary");

  /// Reads a file as parse() does.
  /// Throws: std::runtime_error if the file cannot be read or a line is invalid; the message names the file and line.
  [[nodiscard]] static word_dictionary load(const std::string& path) { return parse(detail::read_file(path), path); }

  /// Adds the words of a user dictionary, line by line. A line is "word", "word frequency" or "word frequency tag". A
  /// word may contain blanks. A word without a frequency gets the frequency suggested_frequency(word).
  /// Throws: std::runtime_error "NAME:LINE: ..." if a line is not UTF-8, or if its last number is negative or at least
  /// 2^53. The lines before this line have then been added.
  void add_user_words(std::string_view contents, std::string_view name = "user dictionary");

  /// Reads a file as add_user_words() does.
  /// Throws: std::runtime_error if the file cannot be read or a line is invalid; the message names the file and line.
  void load_user_words(const std::string& path) { add_user_words(detail::read_file(path), path); }

  /// Adds a word, or changes its frequency. In both cases total() grows by the frequency, as in jieba. The frequency 0
  /// removes the word, and then the model of unknown words does not form the word either.
  /// Throws: std::invalid_argument if the word is empty or not UTF-8, or if the frequency is at least 2^53.
  void add_word(std::string_view word, std::uint64_t frequency) {
    if (frequency >= max_frequency || !set(word, frequency)) {
      detail::fail<std::invalid_argument>("a dictionary takes words in UTF-8 with frequencies below 2^53");
    }
    update_total();
    if (frequency == 0) never_.insert(std::string(word));
  }

  /// Returns the least frequency with which a word is not cut, but at least the word's present frequency. The least
  /// frequency is one more than the frequency that the word would have if its parts occurred independently.
  [[nodiscard]] std::uint64_t suggested_frequency(std::string_view word) const;

  /// Returns the frequency of a word, or 0 if the dictionary does not have the word.
  [[nodiscard]] std::uint64_t frequency(std::string_view word) const { return known_frequency(word).value_or(0); }

  /// Returns the sum of all frequencies that were added.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// Returns the number of words with a frequency above 0.
  [[nodiscard]] std::size_t size() const noexcept { return words_; }
  /// Returns true if a word was removed by adding the word with the frequency 0.
  [[nodiscard]] bool is_never_a_word(std::string_view word) const {
    return !never_.empty() && never_.find(word) != never_.end();
  }
  /// Returns a digest of all words and frequencies, whatever their order. Different dictionaries almost surely have
  /// different digests.
  /// Complexity: linear.
  [[nodiscard]] std::uint64_t identity() const;

  /// Returns the approximate number of allocated bytes. The bytes of a mapped file are not counted.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return nodes_.memory_usage() + first_.memory_usage(); }

 private:
  friend class chinese_words;

  friend struct detail::dictionary_access;

  using node = detail::dictionary_node;

  static constexpr std::uint64_t max_frequency = std::uint64_t{1} << 53;
  static constexpr std::uint64_t max_total = (std::uint64_t{1} << 63) - 1;
  static constexpr double no_word = -std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint32_t root = 0xfffffffe;
  static constexpr std::uint64_t has_children = std::uint64_t{1} << 63;
  static constexpr std::size_t first_size = 0x10000;

  /// Decodes a run of Chinese characters to an array of segment_step: one element for each character, and a last
  /// element for the end. Inlining is forced, because g++ -O2 would not inline the function.
  static NEARDUP_ALWAYS_INLINE void decode(std::string_view run, std::vector<detail::segment_step>& steps) {
    steps.clear();
    steps.reserve(run.size() + 1);  // an upper bound: one character per byte
    for (std::size_t i = 0; i < run.size();) {
      const decoded next = decode_one({run.data() + i, run.size() - i});
      steps.push_back({0, static_cast<std::uint32_t>(i), 0, next.code_point});
      i += next.length;
    }
    steps.push_back({0, static_cast<std::uint32_t>(run.size()), 0, 0});
  }

  /// Finds the most probable segmentation of the characters in `steps`, and sets `next` of each element. The
  /// probability is the product of frequency / total over the words; an unknown character has the frequency 1. Of equal
  /// probabilities, the longer word wins.
  /// Complexity: O(n * length of the longest word) for n characters.
  void best_path(std::vector<detail::segment_step>& steps) const noexcept;

  /// Returns true if the characters begin .. end form a word of the dictionary.
  [[nodiscard]] bool is_word(const std::vector<detail::segment_step>& steps, std::size_t begin,
                             std::size_t end) const noexcept {
    std::uint32_t at = root;
    for (std::size_t i = begin; i < end && at != none; ++i) at = child(at, steps[i].code_point);
    return at != none && nodes_[at].log_frequency != no_word && begin != end;
  }

  /// Returns the end of the word at `begin` for text that is segmented without a model of unknown words. Consecutive
  /// ASCII letters and digits, each a word of its own in `steps`, are joined to one word. For any other word, the end
  /// is `next`.
  [[nodiscard]] static std::size_t end_of_simple_word(const std::vector<detail::segment_step>& steps,
                                                      std::size_t begin) noexcept {
    std::size_t end = begin;
    while (end + 1 < steps.size() && steps[end].next == end + 1 && is_ascii_alphanumeric(steps[end].code_point)) ++end;
    return end > begin ? end : steps[begin].next;
  }

  static constexpr bool is_ascii_alphanumeric(char32_t c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  static constexpr std::uint64_t key_of(std::uint32_t parent, char32_t code_point) noexcept {
    return (std::uint64_t{parent} + 1) << 21 | code_point;
  }

  static constexpr std::uint32_t parent_of(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>((key >> 21) - 1);
  }
  static constexpr char32_t code_point_of(std::uint64_t key) noexcept { return static_cast<char32_t>(key & 0x1fffff); }

  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept {
    return detail::to_size(key * detail::golden_ratio >> shift_);
  }

  [[nodiscard]] std::uint32_t child(std::uint32_t parent, char32_t code_point) const noexcept {
    if (parent == root && code_point < first_size) return first_[code_point];
    const std::uint64_t key = key_of(parent, code_point);
    for (std::size_t i = place_of(key);; i = (i + 1) & mask_) {
      const std::uint64_t found = nodes_[i].key & ~has_children;
      if (found == key) return static_cast<std::uint32_t>(i);
      if (found == 0) return none;
    }
  }

  std::uint32_t add_child(std::uint32_t parent, char32_t code_point);

  /// Allocates memory for `count` nodes in total. Existing nodes get new numbers.
  void reserve_nodes(std::size_t count);

  /// Updates the parameters of the hash function. Call this function after each change of the size of the table.
  /// Precondition: the size of the table is a power of two.
  void measure_nodes() noexcept {
    mask_ = nodes_.size() - 1;
    shift_ = 64;
    for (std::size_t i = nodes_.size(); i > 1; i /= 2) --shift_;
  }

  /// Sets the frequency of a word.
  /// Returns: false if the word is empty or not UTF-8. Nothing is changed then.
  bool set(std::string_view word, std::uint64_t frequency);

  /// Returns the logarithm of a number. Logarithms of small numbers are cached, because most frequencies are small.
  double logarithm(std::uint64_t number) {
    if (number >= 4096) return detail::natural_logarithm(number);
    if (logarithms_.empty()) logarithms_.resize(4096, -1);
    double& known = logarithms_[detail::to_size(number)];
    if (known < 0) known = detail::natural_logarithm(number);
    return known;
  }

  void update_total() { log_total_ = total_ == 0 ? 0 : detail::natural_logarithm(total_); }

  [[nodiscard]] std::optional<std::uint64_t> known_frequency(std::string_view word) const;

  // A hash table by key: open addressing, linear probing, at most 3/4 full. The other hash tables of the library cannot
  // be used here, because the key of a child contains the index of its parent in this table, and because the table is
  // searched in place in a mapped file.
  detail::shared_table<node> nodes_;
  detail::shared_table<std::uint32_t> first_;  // first_[code point]: child of the root
  std::vector<double> logarithms_;             // cache of logarithms of small numbers; -1: not computed
  std::set<std::string, std::less<>> never_;
  std::size_t node_count_ = 0;
  std::size_t words_ = 0;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::uint64_t total_ = 0;
  double log_total_ = 0;
};

#if NEARDUP_BODIES

NEARDUP_INLINE word_dictionary word_dictionary::parse(std::string_view contents, std::string_view name) {
  word_dictionary result;
  // The estimated number of nodes uses the ratio of bytes to nodes in jieba's dictionary.
  result.reserve_nodes(contents.size() / 9);
  detail::for_each_line(contents, [&](std::string_view line, std::size_t number) {
    const std::size_t space = line.find(' ');
    const auto frequency = space == line.npos
                               ? std::nullopt
                               : detail::parse_count(line.substr(space + 1, line.find(' ', space + 1) - space - 1));
    if (!frequency || !result.set(line.substr(0, space), *frequency)) {
      detail::fail<std::runtime_error>(
          {name, ":", number, ": not \"word frequency\" in UTF-8: a word, a space, a whole number below 2^53"});
    }
  });
  result.update_total();
  return result;
}

NEARDUP_INLINE void word_dictionary::add_user_words(std::string_view contents, std::string_view name) {
  detail::for_each_line(contents, [&](std::string_view line, std::size_t number) {
    const auto all_of = [](std::string_view part, char first, char last) {
      return !part.empty() && std::all_of(part.begin(), part.end(), [=](char c) { return c >= first && c <= last; });
    };
    const auto last_part = [&] { return line.substr((std::min)(line.rfind(' '), line.size() - 1) + 1); };
    if (line.find(' ') != line.npos && all_of(last_part(), 'a', 'z')) line.remove_suffix(last_part().size() + 1);
    const auto refuse = [&](std::initializer_list<detail::message_part> what) {
      detail::fail<std::runtime_error>({name, ":", number, ": ", detail::message_of(what)});
    };
    std::optional<std::uint64_t> frequency;
    const std::string_view last = line.find(' ') != line.npos ? last_part() : "";
    if (all_of(last.substr(last.starts_with('-') ? 1 : 0), '0', '9')) {
      frequency = detail::parse_count(last);
      if (!frequency || *frequency >= max_frequency) refuse({last, " is no frequency from 0 to 2^53 - 1"});
      line.remove_suffix(last.size() + 1);
    }
    if (count_invalid(line) != 0) refuse({"not UTF-8"});
    add_word(line, frequency ? *frequency : suggested_frequency(line));
  });
}

NEARDUP_INLINE std::uint64_t word_dictionary::suggested_frequency(std::string_view word) const {
  const auto total = static_cast<double>(total_);
  double share = 1;
  std::vector<detail::segment_step> steps;
  decode(word, steps);
  best_path(steps);
  for (std::size_t i = 0; i + 1 < steps.size(); i = steps[i].next) {
    const std::size_t end = end_of_simple_word(steps, i);
    const std::string_view part = word.substr(steps[i].begin, steps[end].begin - steps[i].begin);
    share *= static_cast<double>(known_frequency(part).value_or(1)) / (std::max)(total, 1.0);
    if (end != steps[i].next) steps[i].next = static_cast<std::uint32_t>(end);
  }
  // All frequencies are below 2^53. But the total in a mapped file may be any number, so the result is limited.
  const auto by_chance = static_cast<std::uint64_t>((std::min)(share * total, 9007199254740990.0)) + 1;
  return (std::max)(by_chance, known_frequency(word).value_or(1));
}

NEARDUP_INLINE std::uint64_t word_dictionary::identity() const {
  std::vector<std::uint64_t> paths(nodes_.size(), 0);  // paths[node]: digest of the node's word; 0: not computed yet
  std::vector<std::uint32_t> way;
  std::uint64_t sum = detail::mix(total_ + detail::golden_ratio);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].log_frequency == no_word) continue;
    for (std::uint32_t at = i; at < nodes_.size() && paths[at] == 0 && way.size() <= nodes_.size();) {
      way.push_back(at);
      at = parent_of(nodes_[at].key);
    }
    for (; !way.empty(); way.pop_back()) {
      const std::uint64_t key = nodes_[way.back()].key;
      const std::uint32_t parent = parent_of(key);
      const std::uint64_t before = parent < nodes_.size() ? paths[parent] : 0;
      paths[way.back()] = detail::mix(before * detail::golden_ratio + code_point_of(key) + 1);
    }
    sum += detail::mix(paths[i] ^ std::bit_cast<std::uint64_t>(nodes_[i].log_frequency));
  }
  for (const std::string& word : never_) sum += detail::digest_of(word);
  return sum;
}

NEARDUP_INLINE void word_dictionary::best_path(std::vector<detail::segment_step>& steps) const noexcept {
  for (std::size_t i = steps.size() - 1; i-- > 0;) {
    double best = 0;
    std::size_t end = 0;
    std::uint32_t at = root;
    for (std::size_t j = i; j + 1 < steps.size(); ++j) {
      at = child(at, steps[j].code_point);
      if (at == none) break;
      const node& here = nodes_[at];
      if (here.log_frequency != no_word) {
        const double score = here.log_frequency - log_total_ + steps[j + 1].score;
        if (end == 0 || score >= best) {
          best = score;
          end = j + 1;
        }
      }
      if ((here.key & has_children) == 0) break;
    }
    if (end == 0) {
      best = 0.0 - log_total_ + steps[i + 1].score;
      end = i + 1;
    }
    steps[i].score = best;
    steps[i].next = static_cast<std::uint32_t>(end);
  }
}

NEARDUP_INLINE std::uint32_t word_dictionary::add_child(std::uint32_t parent, char32_t code_point) {
  const std::uint64_t key = key_of(parent, code_point);
  std::size_t i = place_of(key);
  while (nodes_[i].key != 0) i = (i + 1) & mask_;
  std::vector<node>& nodes = nodes_.own();
  nodes[i].key = key;
  ++node_count_;
  if (parent != root) nodes[parent].key |= has_children;
  if (parent == root && code_point < first_size) first_.own()[code_point] = static_cast<std::uint32_t>(i);
  return static_cast<std::uint32_t>(i);
}

NEARDUP_INLINE void word_dictionary::reserve_nodes(std::size_t count) {
  std::size_t capacity = 1024;
  while (capacity * 3 / 4 < count) capacity *= 2;
  if (capacity <= nodes_.size()) return;
  const detail::shared_table<node> old = std::exchange(nodes_, detail::shared_table<node>(std::vector<node>(capacity)));
  first_ = detail::shared_table<std::uint32_t>(std::vector<std::uint32_t>(first_size, none));
  measure_nodes();
  node_count_ = 0;
  std::vector<std::uint32_t> moved(old.size(), none);
  std::vector<std::uint32_t> path;
  for (std::uint32_t i = 0; i < old.size(); ++i) {
    if (old[i].key == 0) continue;
    // A parent is moved before its children. In a damaged mapped file, a node may have no parent, or may be its own
    // ancestor, so the loop ends when the path is too long.
    for (std::uint32_t at = i; at < old.size() && moved[at] == none && path.size() <= old.size();) {
      path.push_back(at);
      at = parent_of(old[at].key);
    }
    if (path.size() > old.size()) detail::fail<std::runtime_error>("the dictionary is damaged");
    for (; !path.empty(); path.pop_back()) {
      const std::uint64_t key = old[path.back()].key;
      const std::uint32_t parent = parent_of(key);
      const std::uint32_t now = add_child(parent < old.size() ? moved[parent] : root, code_point_of(key));
      nodes_.own()[now].log_frequency = old[path.back()].log_frequency;
      moved[path.back()] = now;
    }
  }
}

NEARDUP_INLINE bool word_dictionary::set(std::string_view word, std::uint64_t frequency) {
  if (word.empty() || count_invalid(word) != 0) return false;
  if (frequency > max_total - total_) {
    detail::fail<std::length_error>("the frequencies of a dictionary of words sum to 2^63 or more");
  }
  if ((node_count_ + word.size()) * 4 > nodes_.size() * 3) {
    reserve_nodes(node_count_ + (std::max)(nodes_.size(), word.size()));
  }
  std::uint32_t at = root;
  for_each_code_point(word, [&](char32_t code_point, std::string_view) {
    const std::uint32_t found = child(at, code_point);
    at = found == none ? add_child(at, code_point) : found;
  });
  double& place = nodes_.own()[at].log_frequency;
  words_ += (frequency != 0 ? 1 : 0);
  words_ -= (place != no_word ? 1 : 0);
  place = frequency == 0 ? no_word : logarithm(frequency);
  total_ += frequency;
  return true;
}

NEARDUP_INLINE std::optional<std::uint64_t> word_dictionary::known_frequency(std::string_view word) const {
  std::uint32_t at = word.empty() ? none : root;
  for_each_code_point(word, [&](char32_t code_point, std::string_view) {
    if (at != none) at = child(at, code_point);
  });
  if (at == none) return std::nullopt;
  const double log_frequency = nodes_[at].log_frequency;
  if (log_frequency == no_word) return 0;
  // Rounding gives back the exact frequency: the error of the logarithm matters only for frequencies of 2^46 or more.
  return static_cast<std::uint64_t>(std::llround(std::exp(log_frequency)));
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
