// From batches of input to documents with fingerprints.
#pragma once

#include "../describe/readers.hpp"
#include "../ground/exact_number.hpp"
#include "../read/input.hpp"
#include "../read/record.hpp"
#include "../read/source.hpp"
#include "notes.hpp"

namespace command {

/// The text of a file, or of standard input, as messages call it. Throws: input_error.
std::string text_of_file(const std::string& path);

/// Texts one behind the other, with a character between them.
template <class Texts>
std::string joined(const Texts& texts, char between) {
  std::string all;
  for (const auto& text : texts) {
    if (!all.empty()) all += between;
    all += text;
  }
  return all;
}

/// Reads a file that is a document. Returns: its text in `buffer`, without a byte order mark.
/// Throws: read_error, also if there is not enough memory; output_error if the copy of a pipe cannot be written.
std::string_view read_file(source& from, byte_buffer& buffer);

/// What is known of a document. Many of them may wait to be compared, so it is kept small.
struct document {
  any_fingerprint fingerprint;
  bool has_tokens = false;
  bool ill_formed = false;
  bool has_zeros = false;         ///< zero bytes, which text has not
  bool counts = false;            ///< once its place is known: it was visited
  bool repeats_id = false;        ///< and one before it has its id
  std::uint32_t index = 0;        ///< of the line or file in the batch
  std::uint32_t id_size = no_id;  ///< of its own id, which stands in the ids of the batch
  feature_set features;           ///< if they are compared; they stand in the batch
  std::uint64_t text_length = 0;  ///< of its texts, bytes
  double score = 0;               ///< of --keep highest and lowest
  std::uint64_t begin = 0;        ///< of its line in the batch, bytes
  std::uint64_t length = 0;       ///< of its line or file, bytes

  static constexpr std::uint32_t no_id = ~std::uint32_t{0};
};

/// A batch and the documents in it, and what is bad.
struct finished_batch {
  struct bad_record {
    std::size_t before;  ///< the number of documents before it
    std::uint64_t index;
    std::string what;
    trouble kind = trouble::ends_run;
    std::uint64_t unread = 0;  ///< bytes behind it
  };

  batch input;
  std::vector<document> documents;
  std::vector<std::uint32_t> features;  ///< of the documents, one behind the other
  std::vector<bad_record> bad;
  std::string ids;
  std::vector<exact_key> exact_scores;          ///< of the documents whose score does not tell what they have
  std::vector<std::vector<std::string>> texts;  ///< of the documents, if they are asked for
  std::vector<std::string> sources;             ///< what they have of the field that --by names, if it names one
  std::uint64_t lines = 0, lines_before = 0;    ///< its own, and once its place is known those of the source before it
  std::uint64_t bytes = 0;
  std::string ill_formed;             ///< some of what is not well-formed
  bool is_without_line_ends = false;  ///< it is all of a source, one line with carriage returns in it
  left_out_records left_out;          ///< records of crawls
};

/// A document of the input, handed over in order.
struct placed_document {
  const document& facts;
  const std::shared_ptr<source>& from;
  std::uint64_t line;                  ///< from 1; 0 if the source is the document
  std::uint64_t offset;                ///< of its line in the source, bytes
  std::string_view raw;                ///< its line as it stands; empty if the source is the document
  std::optional<std::string_view> id;  ///< its own
  std::optional<std::uint64_t> record_id = std::nullopt;  ///< the same as a number, of a record of a list
  const std::vector<std::string>* texts = nullptr;        ///< of read_texts()
  const exact_key* exact_score = nullptr;                 ///< what the record has, if the score does not tell it
  std::string_view by = {};                               ///< what it has of the field that --by names

  /// By which the user knows it.
  [[nodiscard]] std::string name() const { return id ? std::string(*id) : from->id_of(line); }
};

using document_visitor = std::function<void(const placed_document&)>;
using batch_visitor = std::function<void(finished_batch&&)>;

/// Calls `visit` for all documents of a batch in order, once its place is known.
void for_each_in(const finished_batch& done, const document_visitor& visit);

/// Reads all sources, in as many threads as the settings say. Calls `visit` for each document in order, and `after`, if
/// there is one, after those of each batch, also of one that ends in bad input. Says what is bad, and counts.
/// Throws: input_error for bad input, after what comes before it was visited.
void read_documents(const input_settings& input, const fingerprint_settings& fingerprint,
                    const comparison_settings& comparison, source_walker& sources, run_notes& notes,
                    const document_visitor& visit, const batch_visitor& after);

/// The same with the texts of the documents in place of fingerprints.
void read_texts(const input_settings& input, source_walker& sources, run_notes& notes, const document_visitor& visit);

/// Calls `visit` for each line of the sources, whatever it holds, until that returns false.
void read_lines(const input_settings& input, source_walker& sources, run_notes& notes,
                const std::function<bool(const placed_document&)>& visit);

}  // namespace command
