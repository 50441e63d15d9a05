// Large corpora with planted near-duplicates, made of real texts; any record can be made by itself.
//
// Frozen: docs/scale.md compares versions of the library on what this makes. A change makes another corpus, and means
// that everything there is measured again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>

#include "../synthetic.hpp"

namespace scale {

/// The words of real texts, one after the other: what records are made of. A character of a script without spaces is
/// a word of its own.
class base_text {
 public:
  /// Adds a text. Control characters, quotation marks, backslashes and ill-formed UTF-8 are left out, so that records
  /// need no escapes. Throws: std::length_error beyond 4 GiB in all.
  void add(std::string_view text);

  /// The number of words.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(words_.size()); }

  /// Word `i` with the space before it, if it has one.
  [[nodiscard]] std::string_view operator[](std::uint32_t i) const noexcept {
    return std::string_view(bytes_).substr(words_[i].begin, words_[i].length);
  }

 private:
  struct word {
    std::uint32_t begin;
    std::uint32_t length;
  };

  void end_word(std::size_t begin);

  std::string bytes_;
  std::vector<word> words_;
};

/// What a record is.
enum class role : char {
  single = 's',     // like no other, but by chance
  templated = 't',  // shares 20 to 70 % of its words with 500 others
  base = 'b',       // others are copies of it
  copy = 'm',       // an edited or exact copy of a base
};

/// A record. Its id is the letter of its role and its number; of a copy, a dot and the number of its base follow.
struct record {
  role kind;
  std::uint64_t number;
  std::uint64_t base;  // of a copy; of a templated one the number of the template
  std::string text;
  std::size_t common = 0;  // features that a copy and its base have in common,
  std::size_t all = 0;     // and those that either has: their Jaccard similarity is common / all

  [[nodiscard]] std::string id() const;
};

/// Makes the records of one corpus. Of each 1,000 records 700 are single ones, 30 are made from templates, 40 are 15
/// pairs and a group of 10 of exact copies, and 230 are 78 clusters, of 2 to 30, of a base and edited copies of it, whose
/// similarities to the base are spread evenly from .5 to 1 (a few lie below). They come in an order in which the members of a cluster are far
/// apart.
class generator {
 public:
  /// `records` records of about `bytes` bytes (half of it to one and a half times as many). `base` must stay.
  /// Throws: std::invalid_argument if the base texts have fewer than 10,000 words.
  generator(const base_text& base, std::uint64_t records, std::size_t bytes, std::uint64_t seed);

  /// The record that comes at `position`, below the number of records; it is in place until the next call.
  const record& at(std::uint64_t position);

 private:
  using words = std::vector<std::uint32_t>;
  using random_source = neardup_bench::random_source;

  [[nodiscard]] random_source source(char what, std::uint64_t number) const;
  [[nodiscard]] std::uint64_t place(std::uint64_t position) const;
  void append_run(words& out, random_source& random, std::size_t count) const;
  void write(words& out, random_source& random, std::size_t bytes) const;
  void write_templated(words& out, std::uint64_t number, std::uint64_t pattern);
  void edit(const words& original, double similarity, random_source& random);
  [[nodiscard]] std::size_t text_bytes(random_source& random) const;
  void join(const words& from, std::string& text) const;

  const base_text& base_;
  std::uint64_t records_;
  std::size_t bytes_;
  std::uint64_t seed_;
  int half_bits_;
  words words_, original_;
  record record_{};
  std::string original_text_;
  // Those that the command compares: it folds all letters, and the default tokenizer those of ASCII.
  neardup::feature_extractor<neardup::shingles<neardup::normalised<neardup::words>>> features_of_;
  decltype(features_of_)::workspace first_, second_;
};

}  // namespace scale
