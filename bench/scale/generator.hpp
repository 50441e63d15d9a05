// Makes large corpora of real texts, with planted near-duplicates. Any record can be made without the others.
//
// This file must not change: README.md compares versions of the library on these corpora. A change would give other
// corpora, and all figures of that page would have to be measured again.
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

/// The words of real texts, one after the other. Records are made of them. In scripts without spaces, each character is
/// a word.
class base_text {
 public:
  /// Adds a text. Leaves out control characters, quotation marks, backslashes and ill-formed UTF-8, so that records
  /// need no escapes. Throws: std::length_error beyond 4 GiB in all.
  void add(std::string_view text);

  /// Returns the number of words.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(words_.size()); }

  /// Returns word `i`, with the space before it if there is one.
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

/// The kind of a record.
enum class role : char {
  single = 's',     // similar to no other, except by chance
  templated = 't',  // shares 20 to 70 % of its words with 500 others
  base = 'b',       // has copies
  copy = 'm',       // an edited or exact copy of a base
};

/// A record. Its id is the letter of its role, followed by its number. The id of a copy ends with a dot and the number
/// of its base.
struct record {
  role kind;
  std::uint64_t number;
  std::uint64_t base;  // for a copy, the number of its base; for a templated record, that of its template
  std::string text;
  std::size_t common = 0;  // features that a copy and its base share
  std::size_t all = 0;     // distinct features of both; common / all is their Jaccard similarity

  [[nodiscard]] std::string id() const;
};

/// Makes the records of a corpus. Of each 1,000 records, 700 are single, 30 are made from templates, and 40 are exact
/// copies (15 pairs and a group of 10). The other 230 form 78 clusters of 2 to 30 records: a base and edited copies of
/// it. The similarities of copies to their base are evenly distributed from .5 to 1, and a few are lower. The records
/// are shuffled, so the members of a cluster are far apart.
class generator {
 public:
  /// Makes `records` records of about `bytes` bytes each: from half to one and a half times as many. `base` must
  /// outlive the generator.
  /// Throws: std::invalid_argument if the base texts have fewer than 10,000 words.
  generator(const base_text& base, std::uint64_t records, std::size_t bytes, std::uint64_t seed);

  /// Returns the record at `position`, which must be below the number of records. The result is valid until the next
  /// call.
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
  // The features that the command compares. The command folds all letters, but the default tokenizer folds only those
  // of ASCII.
  neardup::feature_extractor<neardup::shingles<neardup::normalised<neardup::words>>> features_of_;
  decltype(features_of_)::workspace first_, second_;
};

}  // namespace scale
