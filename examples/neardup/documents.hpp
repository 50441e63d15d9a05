// From batches of input to documents with fingerprints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <neardup/simhash.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "input.hpp"
#include "json_record.hpp"
#include "options.hpp"
#include "readers.hpp"
#include "report.hpp"
#include "source.hpp"

namespace command {

/// Reads what a line holds, by --lines or --jsonl. One for each thread.
class record_reader {
 public:
  explicit record_reader(const options& settings) {
    if (settings.unit == unit_of_input::json_lines) json_.emplace(settings);
  }

  /// Whether a line is no record at all: blank lines between JSON records are none.
  [[nodiscard]] bool is_blank(std::string_view content) const {
    return json_ && content.find_first_not_of(" \t\r") == std::string_view::npos;
  }

  /// As json_reader::read.
  std::optional<std::string> read(std::string_view content, record& out) {
    if (json_) return json_->read(content, out);
    out.fields.assign(1, content);
    out.has_id = false;
    out.score = 0;
    out.ill_formed = !is_utf8(content);
    return std::nullopt;
  }

 private:
  std::optional<json_reader> json_;
};

/// A file that is a document, as it was read.
struct file_facts {
  std::uint64_t size = 0;
  bool ill_formed = false;
};

/// Reads a file that is a document, without its byte order mark. Not larger than `whole_file_limit`, it comes at once:
/// `piece(text, true)`; a larger one comes in pieces, cut between characters: `piece(text, false)`.
/// Throws: std::system_error; output_error if the copy of a pipe cannot be written.
inline constexpr std::size_t whole_file_limit = std::size_t{1} << 24;
inline file_facts read_file(source& from, bool keep, byte_buffer& buffer,
                            const std::function<void(std::string_view text, bool whole)>& piece) {
  constexpr std::size_t first_read = std::size_t{1} << 16;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const std::atomic<bool> never{false};
  source_file file(from, keep);
  file_facts facts;
  buffer.resize(0);
  buffer.reserve(first_read);
  bool first = true;
  for (bool ended = false; !ended;) {
    // Until the file ends or the buffer is as large as it gets.
    while (!ended && buffer.size() < whole_file_limit) {
      if (buffer.size() == buffer.capacity()) buffer.reserve(std::min(4 * buffer.capacity(), whole_file_limit));
      const std::size_t count = file.read(buffer.data() + buffer.size(), buffer.capacity() - buffer.size(), never);
      buffer.resize(buffer.size() + count);
      facts.size += count;
      ended = count == 0;
    }
    const std::size_t cut = ended ? 0 : neardup::incomplete_suffix(buffer.view());
    std::string_view text = buffer.view().substr(0, buffer.size() - cut);
    const std::string rest(buffer.view().substr(text.size()));
    if (!is_utf8(text)) facts.ill_formed = true;
    if (first && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    piece(text, first && ended);
    first = false;
    buffer.resize(0);
    buffer.append(rest);
  }
  return facts;
}

/// What comparing documents needs besides their fingerprints.
struct document_facts {
  feature_set features;            ///< with a check
  std::uint64_t short_digest = 0;  ///< without one, see feature_reader
  std::uint64_t text_length = 0;   ///< of its texts, bytes
  double score = 0;                ///< of --keep highest and lowest

  /// The digest of a document of which nobody knows whether it is short.
  static constexpr std::uint64_t unknown_digest = ~std::uint64_t{0};
};

/// What a fingerprint was computed of, or that there is none.
template <std::size_t Bits>
struct document : document_facts {
  fingerprint_bits<Bits> fingerprint;
  bool has_tokens = false;
  bool ill_formed = false;
  std::uint64_t index = 0;            ///< of the line or file in the batch
  std::uint64_t begin = 0;            ///< of its line in the batch, bytes
  std::uint64_t length = 0;           ///< of its line or file, bytes
  std::optional<std::size_t> id_end;  ///< its own id ends there in the ids of the batch
};

/// A batch and the documents in it, and what is bad.
template <std::size_t Bits>
struct finished_batch {
  struct bad_record {
    std::size_t before;  ///< the number of documents before it
    std::uint64_t index;
    std::string what;
    trouble kind = trouble::ends_run;
  };

  batch input;
  std::vector<document<Bits>> documents;
  std::vector<bad_record> bad;
  std::string ids;
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
};

/// Computes the fingerprints of batches; one for each thread.
template <std::size_t Bits>
class batch_worker {
 public:
  explicit batch_worker(const options& settings)
      : settings_(settings),
        reader_(settings),
        fingerprint_(make_fingerprinter<Bits>(settings)),
        extract_(settings.reads_features() ? make_feature_reader(settings) : nullptr),
        keeps_features_(extract_ && settings.min_similarity),
        has_code_of_features_(keeps_features_ && settings.check == similarity_measure::jaccard &&
                              settings.kind == neardup::fingerprint_kind::minwise &&
                              settings.features == settings.check_features) {}

  finished_batch<Bits> operator()(batch&& input) {
    finished_batch<Bits> out;
    out.input = std::move(input);
    if (out.input.has_lines()) {
      read_lines(out);
    } else {
      for (std::size_t i = 0; i < out.input.files.size(); ++i) read_one_file(out, i);
    }
    return out;
  }

 private:
  void read_lines(finished_batch<Bits>& out) {
    out.bytes = out.input.bytes.size();
    out.lines = for_each_line(out.input, [&](const line_of_batch& line) {
      if (reader_.is_blank(line.content)) return;
      if (auto wrong = reader_.read(line.content, record_)) {
        out.bad.push_back({out.documents.size(), line.index, *std::move(wrong)});
        return;
      }
      document<Bits>& d = out.documents.emplace_back();
      d.index = line.index;
      d.begin = line.begin;
      d.length = line.raw.size();
      d.ill_formed = record_.ill_formed;
      d.score = record_.score;
      if (record_.has_id) {
        out.ids += record_.id;
        d.id_end = out.ids.size();
      }
      set_facts(d, record_.fields);
    });
  }

  void read_one_file(finished_batch<Bits>& out, std::size_t i) {
    document<Bits> d;
    d.index = i;
    bool in_pieces = false;
    const auto read = [&](std::string_view text, bool whole) {
      if (whole) return set_facts(d, {text});
      fingerprint_->feed(text);
      if (keeps_features_) extract_->feed(text);
      d.text_length += text.size();
      in_pieces = true;
    };
    const auto finish_pieces = [&] {
      if (!in_pieces) return;
      set_fingerprint(d, fingerprint_->finish());
      if (keeps_features_) d.features = extract_->finish();
    };
    try {
      const file_facts facts = read_file(*out.input.files[i], settings_.needs_second_look(), buffer_, read);
      finish_pieces();
      d.length = facts.size;
      d.ill_formed = facts.ill_formed;
      out.bytes += facts.size;
      out.documents.push_back(std::move(d));
    } catch (const std::system_error& error) {
      finish_pieces();  // so that the next document begins afresh
      bad_input bad = unreadable(*out.input.files[i], error);
      out.bad.push_back({out.documents.size(), i, std::move(bad.what), bad.kind});
    }
  }

  void set_facts(document<Bits>& d, const std::vector<std::string_view>& texts) {
    for (const std::string_view text : texts) d.text_length += text.size();
    if (keeps_features_) {
      d.features = extract_->whole(texts);
    } else if (extract_) {
      d.short_digest = extract_->short_digest(texts);
    }
    set_fingerprint(d, has_code_of_features_ ? code_of<Bits>(d.features) : fingerprint_->whole(texts));
  }

  static void set_fingerprint(document<Bits>& d, const std::optional<fingerprint_bits<Bits>>& fingerprint) {
    d.has_tokens = fingerprint.has_value();
    if (fingerprint) d.fingerprint = *fingerprint;
  }

  const options& settings_;
  record_reader reader_;
  std::unique_ptr<fingerprinter<Bits>> fingerprint_;
  std::unique_ptr<feature_reader> extract_;  // nothing if documents are not compared
  bool keeps_features_;                      // for the check
  bool has_code_of_features_;                // the features for the check give the fingerprint, too
  record record_;
  byte_buffer buffer_;
};

/// A document of the input, handed over in order.
template <std::size_t Bits>
struct placed_document {
  const document<Bits>& facts;
  const std::shared_ptr<source>& from;
  std::uint64_t line;                  ///< from 1; 0 if the source is the document
  std::uint64_t offset;                ///< of its line in the source, bytes
  std::string_view raw;                ///< its line as it stands; empty if the source is the document
  std::optional<std::string_view> id;  ///< its own
  std::optional<std::uint64_t> record_id = std::nullopt;  ///< the same as a number, of a record of a list
};

// Of one type whatever a verb does with them, so that reading is compiled once.
template <std::size_t Bits>
using document_visitor = std::function<void(const placed_document<Bits>&)>;
template <std::size_t Bits>
using batch_visitor = std::function<void(finished_batch<Bits>&&)>;

/// Puts finished batches in their places: numbers the lines, says what is bad, counts.
class placer {
 public:
  explicit placer(report& notes) : notes_(notes) {}

  /// Calls `visit(placed_document<Bits>)` for the documents of the next batch in order.
  /// Throws: input_error for bad input, after what comes before it was visited.
  template <std::size_t Bits>
  void operator()(const finished_batch<Bits>& done, const document_visitor<Bits>& visit) {
    const batch& input = done.input;
    if (input.from != nullptr && input.from != current_) {
      current_ = input.from;
      lines_before_ = 0;
    }
    if (input.bad) notes_.bad(input.from == nullptr ? *input.bad : bad_input{where_line(0), input.bad->what});
    std::size_t next_bad = 0;
    const auto say_bad = [&](std::size_t before) {
      for (; next_bad < done.bad.size() && done.bad[next_bad].before <= before; ++next_bad) {
        const auto& bad = done.bad[next_bad];
        notes_.bad({where(input, bad.index), bad.what, bad.kind});
      }
    };
    std::size_t id_begin = 0;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < done.documents.size(); ++i) {
      say_bad(i);
      const document<Bits>& d = done.documents[i];
      if (!input.has_lines()) notes_.read_as_one_text(input.files[d.index]->path);
      std::optional<std::string_view> id;
      if (d.id_end) id = std::string_view(done.ids).substr(id_begin, *d.id_end - id_begin);
      if (d.id_end) id_begin = *d.id_end;
      if (d.ill_formed && !notes_.ill_formed(where(input, d.index))) continue;
      if (!d.has_tokens && !notes_.without_tokens(where(input, d.index))) continue;
      ++count;
      const bool is_line = input.has_lines();
      visit(placed_document<Bits>{d, is_line ? input.from : input.files[d.index],
                                  is_line ? lines_before_ + d.index + 1 : 0, input.offset + d.begin,
                                  is_line ? input.bytes.view().substr(d.begin, d.length) : std::string_view(), id});
    }
    say_bad(done.documents.size());
    lines_before_ += done.lines;
    notes_.advance(count, done.bytes);
  }

 private:
  [[nodiscard]] std::string where(const batch& input, std::uint64_t index) const {
    if (!input.has_lines()) return input.files[index]->name();
    return where_line(index);
  }
  [[nodiscard]] std::string where_line(std::uint64_t index) const {
    return current_->name() + ':' + std::to_string(lines_before_ + index + 1);
  }

  report& notes_;
  std::shared_ptr<source> current_;
  std::uint64_t lines_before_ = 0;
};

}  // namespace command
