// SPDX-License-Identifier: MIT
// Filters out words that say little about a text: the words of a list, and words that are too short.
#pragma once

#include <array>
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
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "normalise.hpp"
#include "tokenizer.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

/// A list of stop words. The case of ASCII letters does not matter.
/// Thread safety: several threads may call const members at once while no thread calls other members.
class stop_words {
 public:
  stop_words() = default;
  explicit stop_words(const std::vector<std::string>& words) {
    for (const std::string& word : words) add(fold(word));
  }

  /// Reads one word per line, in UTF-8. Blanks around a word are removed, and empty lines are skipped.
  /// Throws: std::runtime_error if a line is not UTF-8; the message begins with "name:line: ".
  [[nodiscard]] static stop_words parse(std::string_view contents, std::string_view name = "stop words") {
    stop_words result;
    detail::for_each_line(contents, [&](std::string_view line, std::size_t number) {
      if (count_invalid(line) != 0) {
        detail::fail<std::runtime_error>({name, ":", number, ": not UTF-8"});
      }
      result.add(fold(line));
    });
    return result;
  }

  /// Reads a file as parse() does.
  /// Throws: std::runtime_error if the file cannot be read or a line is invalid; the message names the file and line.
  [[nodiscard]] static stop_words load(const std::string& path) { return parse(detail::read_file(path), path); }

  /// Adds all words of another list to this list.
  void merge(const stop_words& other) {
    for (const std::string& word : other.words_) add(word);
  }

  [[nodiscard]] bool contains(std::string_view word) const {
    // The first byte and the length of a word suffice, for most words, to see that the word is not in the list.
    if (word.empty() || (lengths_[first_byte(word)] & length_bit(word)) == 0) return false;
    for (const char c : word) {
      if (c >= 'A' && c <= 'Z') return words_.find(fold(word)) != words_.end();
    }
    return words_.find(word) != words_.end();
  }
  [[nodiscard]] std::size_t size() const noexcept { return words_.size(); }
  /// Returns a digest of the words, or 0 if there are none. Different lists almost certainly have different digests.
  [[nodiscard]] std::uint64_t identity() const noexcept {
    std::uint64_t sum = 0;
    for (const std::string& word : words_) sum += detail::digest_of(word);
    return sum;
  }

 private:
  static constexpr std::size_t first_byte(std::string_view word) noexcept {
    return static_cast<unsigned char>(detail::ascii_folder::fold(word.front()));
  }
  static constexpr std::uint64_t length_bit(std::string_view word) noexcept {
    return std::uint64_t{1} << (word.size() < 63 ? word.size() : 63);
  }

  void add(std::string word) {
    if (word.empty()) return;
    lengths_[first_byte(word)] |= length_bit(word);
    words_.insert(std::move(word));
  }

  std::set<std::string, std::less<>> words_;  // in lower case
  std::array<std::uint64_t, 256> lengths_{};  // [first byte]: bit i: a word has length i; bit 63: a word is longer
};

/// A tokenizer that passes on a token of another tokenizer only if two conditions hold: the token is not a stop word,
/// and it has at least `min_length` code points. White space at the ends of the token does not count.
///
/// Copies share the list of stop words. If there is no list, only the length of a token matters.
/// Example: `simhasher hash{without{stop_words::load("stop.txt"), words{}}}`
template <class Inner>
class without {
  static_assert(tokenizer<Inner>, "neardup: without{list, tokenizer} needs a tokenizer, such as words{}");

 public:
  without(std::shared_ptr<const stop_words> list, Inner inner, std::size_t min_length = 1)
      : list_(std::move(list)), inner_(std::move(inner)), min_length_(min_length) {}
  without(stop_words list, Inner inner, std::size_t min_length = 1)
      : without(std::make_shared<const stop_words>(std::move(list)), std::move(inner), min_length) {}

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    if constexpr (detail::leaves_out_short_tokens<Inner>) {
      inner_.for_each_of_length(text, min_length_, [&](std::string_view token) {
        if (!is_listed(token)) sink(token);
      });
    } else {
      auto pass = [&](std::string_view token) {
        if (accepts(token)) sink(token);
      };
      inner_(text, pass);
    }
  }

  /// Returns true if this tokenizer passes on the token `token` of the inner tokenizer.
  [[nodiscard]] bool accepts(std::string_view token) const { return has_length(token) && !is_listed(token); }

  [[nodiscard]] const std::shared_ptr<const stop_words>& list() const noexcept { return list_; }
  [[nodiscard]] const Inner& inner() const noexcept { return inner_; }
  [[nodiscard]] std::size_t min_length() const noexcept { return min_length_; }

 private:
  [[nodiscard]] bool is_listed(std::string_view token) const { return list_ != nullptr && list_->contains(token); }

  [[nodiscard]] bool has_length(std::string_view token) const noexcept {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!token.empty() && is_blank(token.front())) token.remove_prefix(1);
    while (!token.empty() && is_blank(token.back())) token.remove_suffix(1);
    // A code point has one to four bytes. So the number of bytes often decides whether a token is long enough.
    if (min_length_ == 0 || token.size() > 4 * (min_length_ - 1)) return true;
    std::size_t length = 0;
    for (std::size_t i = 0; i < token.size() && length < min_length_; ++length) {
      i += decode_one(token.substr(i)).length;
    }
    return length >= min_length_;
  }

  std::shared_ptr<const stop_words> list_;
  Inner inner_;
  std::size_t min_length_;
};

/// Reads a text with the inner tokenizer, and drops the tokens that accepts() rejects.
template <class Inner, bool InBlocks>
struct detail::token_source<without<Inner>, InBlocks> {
  static constexpr bool is_plain = token_source<Inner, false>::is_plain;
  using rewriter = typename token_source<Inner, false>::rewriter;

  static text_cut cut(const without<Inner>& tokenize, std::string_view text) requires reads_pieces<Inner, false> {
    return token_source<Inner, false>::cut(tokenize.inner(), text);
  }

  void start(const without<Inner>& tokenize) { inner.start(tokenize.inner()); }
  template <class Sink>
  void read(const without<Inner>& tokenize, std::string_view piece, Sink& sink) {
    if constexpr (is_plain) {
      tokenize(piece, sink);
    } else {
      auto pass = passing(tokenize, sink);
      inner.read(tokenize.inner(), piece, pass);
    }
  }
  template <class Sink>
  void finish(const without<Inner>& tokenize, Sink& sink) {
    auto pass = passing(tokenize, sink);
    inner.finish(tokenize.inner(), pass);
  }

  template <class Sink>
  static auto passing(const without<Inner>& tokenize, Sink& sink) noexcept {
    return [&](std::string_view token) {
      if (tokenize.accepts(token)) sink(token);
    };
  }

  token_source<Inner, false> inner;
};

template <class List, class Inner>
without(List, Inner, std::size_t = 0) -> without<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<without<Inner>> = "without";

}  // namespace neardup::inline v0
