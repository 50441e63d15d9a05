// Turns batches of input into documents with fingerprints.
#pragma once

#include <map>

#include "../describe/readers.hpp"
#include "../ground/exact_number.hpp"
#include "../read/input.hpp"
#include "../read/record.hpp"
#include "../read/source.hpp"
#include "notes.hpp"

namespace command {

/// Returns the text in a file, or in standard input.
/// Throws: input_error if it cannot be read.
std::string text_of_file(const std::string& path);

/// Joins texts to one text, separated by `between`.
template <class Texts>
std::string joined(const Texts& texts, char between) {
  std::string all;
  for (const auto& text : texts) {
    if (!all.empty()) all += between;
    all += text;
  }
  return all;
}

/// Reads a file that is one document.
/// Returns: the text of the file, in `buffer`, without a byte order mark.
/// Throws: read_error if the file cannot be read, or if memory is exhausted; output_error if the copy of a pipe cannot
/// be written.
std::string_view read_file(source& from, byte_buffer& buffer);

/// The properties of a document. The struct is small, because many documents may be in memory.
struct document {
  any_fingerprint fingerprint;
  bool has_tokens = false;
  bool ill_formed = false;
  bool has_zeros = false;           ///< contains zero bytes, which texts do not have
  bool has_attachments = false;     ///< a mail with parts that are not read
  bool is_undecoded = false;        ///< a mail with a part that cannot be decoded
  bool is_spelt_otherwise = false;  ///< true if its canonical features differ; false if that is no longer examined
  bool counts = false;              ///< set when the document is visited
  bool repeats_id = false;          ///< true if an earlier document has the same id
  std::uint32_t index = 0;          ///< index of its line or file in the batch
  std::uint32_t id_size = no_id;    ///< size of its own id, in the ids of the batch
  feature_set features;             ///< set if features are compared; a view of the batch's features
  std::uint64_t text_length = 0;    ///< length of all its texts, in bytes
  double score = 0;                 ///< value of the field that --keep names
  std::uint64_t begin = 0;          ///< position of its line in the batch, in bytes
  std::uint64_t length = 0;         ///< length of its line or file, in bytes

  static constexpr std::uint32_t no_id = ~std::uint32_t{0};
};

/// A batch of the input, with its documents and its bad records.
struct finished_batch {
  struct bad_record {
    std::size_t before;  ///< number of documents of the batch before the record
    std::uint64_t index;
    std::string what;
    trouble kind = trouble::ends_run;
    std::uint64_t unread = 0;  ///< bytes of the record, or after it, that were not read
  };

  batch input;
  std::vector<document> documents;
  std::vector<std::uint32_t> features;  ///< features of all documents, concatenated
  std::vector<bad_record> bad;
  std::string ids;
  std::vector<std::pair<std::size_t, std::string>> charsets;  ///< named by ill-formed documents
  std::map<std::string, std::uint64_t> unknown_charsets;      ///< number of documents by unknown charset
  std::vector<exact_key> exact_scores;                        ///< values that a score does not represent exactly
  std::vector<std::vector<std::string>> texts;                ///< texts of each document, if they are needed
  std::vector<std::string> sources;                           ///< value of the --by field of each document, if any
  std::uint64_t lines = 0, lines_before = 0;                  ///< lines of the batch; lines of its source before it
  std::uint64_t bytes = 0;
  std::string ill_formed;             ///< a sample of bytes that are not well-formed
  std::vector<std::size_t> pages;     ///< positions of the documents that are whole files and begin as HTML
  bool is_without_line_ends = false;  ///< the batch is a whole source: a single line that contains carriage returns
  left_out_records left_out;          ///< records of crawls that are not texts
};

/// A document of the input. Visitors receive documents in the order of the input.
struct placed_document {
  const document& facts;
  const std::shared_ptr<source>& from;
  std::uint64_t line;                                     ///< counted from 1; 0 if the source is the document
  std::uint64_t offset;                                   ///< position of its line in the source, in bytes
  std::string_view raw;                                   ///< its line, unchanged; empty if the source is the document
  std::optional<std::string_view> id;                     ///< its own id, if it has one
  std::optional<std::uint64_t> record_id = std::nullopt;  ///< the id as a number, for a record of a list
  const std::vector<std::string>* texts = nullptr;        ///< set by read_texts()
  const exact_key* exact_score = nullptr;                 ///< set if the score does not represent the value exactly
  std::string_view by = {};                               ///< value of the field that --by names

  /// Returns the document's own id or, if it has none, the id that its source makes from the number of the line.
  [[nodiscard]] std::string name() const { return id ? std::string(*id) : from->id_of(line); }
};

using document_visitor = std::function<void(const placed_document&)>;
using batch_visitor = std::function<void(finished_batch&&)>;

/// Calls `visit` for each document of a batch, in order.
/// Precondition: done.lines_before is set.
void for_each_in(const finished_batch& done, const document_visitor& visit);

/// Reads all sources, on as many threads as the settings say. Calls `visit` for each document, in order. Calls `after`,
/// if it is set, after the documents of each batch, also if bad input ends the batch. Reports and counts bad input.
/// Throws: input_error if the input is bad; all documents before the bad input have then been visited.
void read_documents(const input_settings& input, const fingerprint_settings& fingerprint,
                    const comparison_settings& comparison, source_walker& sources, run_notes& notes,
                    const document_visitor& visit, const batch_visitor& after);

/// Reads documents as read_documents() does, but sets placed_document::texts and computes no fingerprints.
void read_texts(const input_settings& input, source_walker& sources, run_notes& notes, const document_visitor& visit,
                const batch_visitor& after = nullptr);

/// Returns the first text of the first valid record, or nullopt if there is none. Without --skip-bad, only the first
/// record is read. The next pass over `sources` reads the same records again, and reports bad input.
/// Throws: input_error if, with --skip-bad, the first 32 MB of a source have no valid record.
std::optional<std::string> first_text(const input_settings& input, source_walker& sources);

/// With --strict, reports a document of read_texts() as bad input if none of its texts has a word. No-op without
/// --strict.
/// Returns: false if the document is bad input.
bool has_words(const input_settings& input, run_notes& notes, const placed_document& d);

/// Calls `visit` for each line of the sources, without parsing the line, until `visit` returns false.
void read_lines(const input_settings& input, source_walker& sources, run_notes& notes,
                const std::function<bool(const placed_document&)>& visit);

}  // namespace command
