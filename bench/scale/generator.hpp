// Makes large corpora with planted near-duplicates out of real texts; any record can be made by itself.
//
// Frozen: README.md compares versions of the library on these corpora. A change here gives another corpus, and all
// that is in that page has to be measured again.
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

/// The words of real texts, concatenated: what records are made of. A character of a script without spaces is a word by
/// itself.
class base_text {
 public:
  /// Adds a text. Leaves out control characters, quotation marks, backslashes and ill-formed UTF-8, so that records
  /// need no escapes. Throws: std::length_error beyond 4 GiB in all.
  void add(std::string_view text);

  /// The number of words.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(words_.size()); }

  /// Word `i`, with the space before it if there is one.
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
  single = 's',     // similar to no other, except by chance
  templated = 't',  // shares 20 to 70 % of its words with 500 others
  base = 'b',       // has copies
  copy = 'm',       // an edited or exact copy of a base
};

/// A record. Its id is the letter of its role and its number; in the id of a copy, a dot and the number of its base
/// follow.
struct record {
  role kind;
  std::uint64_t number;
  std::uint64_t base;  // of a copy: number of its base; of a templated record: number of its template
  std::string text;
  std::size_t common = 0;  // features that a copy and its base share;
  std::size_t all = 0;     // features of either: their Jaccard similarity is common / all

  [[nodiscard]] std::string id() const;
};

/// Makes the records of one corpus. Of each 1,000 records, 700 are single, 30 are made from templates, 40 are exact
/// copies (15 pairs and a group of 10), and 230 form 78 clusters of 2 to 30: a base and edited copies of it, whose
/// similarities to the base are spread evenly from .5 to 1 (a few lie below). They are shuffled, so that the members of
/// a cluster are far apart.
class generator {
 public:
  /// Makes `records` records of about `bytes` bytes each (from half to one and a half times as many). `base` must
  /// outlive the generator.
  /// Throws: std::invalid_argument if the base texts have fewer than 10,000 words.
  generator(const base_text& base, std::uint64_t records, std::size_t bytes, std::uint64_t seed);

  /// The record at `position`, which is below the number of records. Valid until the next call.
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
  // The features that the command compares; it folds all letters, while the default tokenizer folds only those of
  // ASCII.
  neardup::feature_extractor<neardup::shingles<neardup::normalised<neardup::words>>> features_of_;
  decltype(features_of_)::workspace first_, second_;
};

}  // namespace scale
