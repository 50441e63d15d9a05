// The corpus of a run: the fingerprints and names of documents, and their positions, at which they can be read again.
#pragma once

#include <functional>
#include <neardup/sets/feature_sets.hpp>
#include <span>
#include <unordered_map>

#include "../../common/passages.hpp"
#include "../describe/fingerprints.hpp"
#include "../documents/documents.hpp"
#include "../read/source.hpp"
#include "check.hpp"
#include "context.hpp"
#include "sources.hpp"

namespace command {

/// The position of a document: a range of bytes of a source, or the whole source.
struct place {
  std::shared_ptr<source> from;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Throws an input_error with the message that a source has changed.
[[noreturn]] void fail_changed(const source& from);

/// The names and positions of documents. The name is the id of the document, or the path of its file.
/// Memory: for each document about 1.5 bytes and the bytes of its name, and 16 bytes if positions are kept.
/// Complexity: id() reads the names of up to 16 documents.
class document_table {
 public:
  explicit document_table(bool keeps_places) : keeps_places_(keeps_places) {}

  void add(const placed_document& d);

  /// Returns the id by which the user knows the document.
  [[nodiscard]] std::string id(std::size_t i) const;

  /// Returns the position of a document as PATH:LINE if an earlier document has the same id. Otherwise returns an empty
  /// text.
  [[nodiscard]] std::string place_of_repeated(std::size_t i) const;

  /// Returns the position of a document.
  /// Precondition: keeps_places is true.
  [[nodiscard]] place where(std::size_t i) const;

 private:
  /// Consecutive documents of one source. `first` is the number of the first document.
  struct run {
    std::uint32_t first;
    std::shared_ptr<source> from;
  };

  static constexpr std::size_t block_of_names = std::size_t{1} << 16;  // a longer id has a block of its own
  static constexpr std::size_t names_a_start = 16;

  [[nodiscard]] const std::shared_ptr<source>& source_of(std::size_t i) const;

  bool keeps_places_;
  std::vector<run> runs_;
  std::size_t size_ = 0;
  // Each string, called a block, has the names of many documents, one after the other. A name is a number, with 7 bits
  // in each byte; the last byte is below 128. The number is 2 * line, 0 if the source is the document, or, before an
  // id, 2 * length of the id + 1.
  std::vector<std::string> names_;
  compact_numbers starts_;  // positions in the blocks of every names_a_start-th name
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents_;  // offset and length of each document
  std::map<std::size_t, std::uint64_t> repeated_;  // documents that have the id of an earlier document, and their lines
};

/// The corpus: all documents that have tokens.
struct corpus {
  /// Makes an empty corpus. `names`: true if the names of documents are needed. `places`: true if the texts of
  /// documents are read again.
  explicit corpus(const run_settings& settings, bool names = true, bool places = false)
      : has_names(names),
        documents(places),
        check(settings.comparison, settings.grouping.memory),
        has_fingerprints(settings.comparison.has_fingerprints),
        fingerprints(settings.fingerprint.bits),
        keep(settings.grouping.keep),
        paired(settings.grouping.paired) {
    if (settings.by.kind != source_kind::none) sources.emplace(settings.by);
  }

  /// Counts a document of the input by its source, if --by is given. Call this function before add().
  void come(const placed_document& d) {
    if (!sources) return;
    const std::uint32_t number = sources->come(d);
    if (d.facts.has_tokens) source_numbers.push_back(number);
  }
  /// Counts document `i` of the input as dropped, because document `by` represents it.
  /// Precondition: the option --by is given.
  void drop(std::size_t i, std::size_t by) { sources->drop(source_numbers[i - against], by); }

  /// Adds a document.
  /// Throws: input_error if there are already 2^32 - 1 documents.
  void add(const placed_document& d);

  /// Marks the end of the documents of --against, which come first.
  void end_against() { against = size(); }

  [[nodiscard]] std::size_t size() const noexcept { return check.size(); }
  /// Returns the number of bits in which the fingerprints of two documents differ; nullopt if no fingerprints are
  /// compared.
  [[nodiscard]] std::optional<int> distance(std::size_t i, std::size_t j) const {
    return has_fingerprints ? std::optional(hamming_distance(fingerprints[i], fingerprints[j])) : std::nullopt;
  }

  /// Returns false if --within or --across forbids the pair of documents `i` and `j`.
  [[nodiscard]] bool may_pair(std::size_t i, std::size_t j) const {
    return paired == pairing::all || (values[i] == values[j]) == (paired == pairing::within);
  }
  /// Returns the value of document `i` that --within or --across compares.
  /// Precondition: --within or --across is given.
  [[nodiscard]] std::string_view value(std::size_t i) const { return *value_texts[values[i]]; }

  bool has_names;
  document_table documents;  // filled only if names or positions are needed
  document_check check;
  bool has_fingerprints;
  fingerprint_vector fingerprints;  // fingerprints of all documents, or none
  preference keep;
  pairing paired;
  std::vector<std::uint32_t> values;  // number of each document's value, for --within and --across
  std::unordered_map<std::string, std::uint32_t> value_numbers;
  std::vector<const std::string*> value_texts;  // value_texts[number]: the value, in value_numbers
  std::vector<double> scores;                   // set if --keep needs scores: the highest is kept
  std::vector<exact_key> exact_scores;          // scores that are texts, or numbers that a double cannot represent
  std::size_t against = 0;                      // number of documents of --against, which come first
  std::optional<source_tally> sources;          // sources of the input's documents, if --by asks for them
  std::vector<std::uint32_t> source_numbers;    // of each document of the input: the number of its source
  // The pairs of words of the texts of --against, or empty if the texts are not available.
  neardup::feature_sets<common::word_pair> against_pairs;
};

/// Calls `visit(known, input)` for each value of --within that allows a pair. `known` has the ascending numbers of the
/// value's documents of --against, and `input` has those of its documents of the input.
/// Memory: 4 bytes for each document, and 8 bytes for each value.
using documents_visitor =
    std::function<void(std::span<const std::uint32_t> known, std::span<const std::uint32_t> input)>;
void for_each_value(const corpus& all, const documents_visitor& visit);

/// Calls `visit` for each document of --against: first for the documents of its indexes, then for the other documents.
void for_each_against(context& c, const document_visitor& visit);

/// Adds all documents that have tokens to `all`: first the documents of --against, then the documents of the input.
/// Calls `visit` for each document of the input before the document is added.
/// Throws: input_error if the input is bad; all documents before the bad input have then been added.
void read_corpus(context& c, corpus& all, const document_visitor& visit = nullptr);

}  // namespace command
