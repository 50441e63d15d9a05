#include "documents.hpp"

#include <neardup/text/utf8.hpp>
#include <neardup/text/words.hpp>
#include <system_error>

#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../read/html_text.hpp"
#include "../read/json_record.hpp"
#include "../read/table.hpp"

namespace command {

std::string_view read_file(source& from, byte_buffer& buffer) {
  constexpr std::size_t first_read = std::size_t{1} << 16;
  constexpr std::size_t kept_capacity = std::size_t{1} << 24;  // the memory of a larger file is freed
  if (buffer.capacity() > kept_capacity) buffer = {};
  const std::atomic<bool> never{false};
  source_file file(from);
  buffer.resize(0);
  try {
    buffer.reserve(first_read);
    for (std::size_t count = 1; count > 0; buffer.resize(buffer.size() + count)) {
      if (buffer.size() == buffer.capacity()) buffer.reserve(2 * buffer.capacity());
      count = file.read(buffer.data() + buffer.size(), buffer.capacity() - buffer.size(), never);
    }
  } catch (const std::bad_alloc&) {
    throw read_error(std::make_error_code(std::errc::not_enough_memory).message());
  }
  std::string_view text = buffer.view();
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

std::string text_of_file(const std::string& path) {
  source from{path, nullptr};
  byte_buffer buffer;
  try {
    return std::string(read_file(from, buffer));
  } catch (const read_error& error) {
    throw input_error({from.name(), error.what()});
  }
}

namespace {

/// A function that computes the results of a document from its texts, and stores them in the document and its batch.
using document_maker = std::function<void(const document_texts& texts, document&, finished_batch&)>;

/// A function that returns a new document_maker. It is called once for each thread.
using maker_source = std::function<document_maker()>;

/// Makes a document_maker that computes the fingerprint, and the data for the check.
document_maker make_fingerprint_maker(const fingerprint_settings& settings, const comparison_settings& comparison,
                                      bool keeps_texts) {
  return [&settings, keeps_texts, describe = make_describer(settings, comparison)](const document_texts& texts,
                                                                                   document& d, finished_batch& out) {
    for (const std::string_view text : texts) {
      d.text_length += text.size();
      look_for_terms(settings, text);
    }
    d.is_spelt_otherwise = is_spelt_otherwise(settings, texts);
    const described_document made = describe(texts);
    d.features = made.features;
    out.features.insert(out.features.end(), d.features.begin(), d.features.end());
    d.has_tokens = made.is_comparable;
    d.fingerprint = made.fingerprint;
    if (keeps_texts) out.texts.emplace_back(texts.begin(), texts.end());
  };
}

/// Turns a batch of input into documents. Each thread needs its own batch_worker.
class batch_worker {
 public:
  batch_worker(const input_settings& input, document_maker maker)
      : read_(make_record_reader(input)),
        make_(std::move(maker)),
        takes_sources_(!input.source_field.empty()),
        needed_field_(input.needs_source_field ? input.source_field : ""),
        recovers_(input.skip_bad),
        fold_(input.fold) {}

  finished_batch operator()(batch&& input) {
    finished_batch out;
    out.input = std::move(input);
    out.documents.reserve(last_documents_);
    out.features.reserve(last_features_);
    if (out.input.has_lines()) {
      read_lines(out);
    } else if (out.input.from != nullptr) {
      out.lines = 1;  // the batch is a bad line
    } else {
      for (std::size_t i = 0; i < out.input.files.size(); ++i) read_one_file(out, i);
    }
    const std::uint32_t* features = out.features.data();
    for (document& d : out.documents) {
      d.features = {features, d.features.size()};
      features += d.features.size();
    }
    last_documents_ = out.documents.size();
    last_features_ = out.features.size();
    return out;
  }

 private:
  void read_lines(finished_batch& out) {
    const std::string_view all = out.input.bytes.view();
    out.bytes = all.size();
    if (!out.input.ends.empty()) return read_records(out);
    for (std::size_t begin = 0; begin < all.size(); ++out.lines) {
      const std::size_t end = all.find('\n', begin);
      const std::string_view line = all.substr(begin, end == all.npos ? all.npos : end + 1 - begin);
      const bool is_whole_source = end == all.npos && out.input.offset + begin == 0;
      out.is_without_line_ends = is_whole_source && has_bare_returns(line);
      if (auto wrong =
              read_record(out, line, content_of_record(*out.input.from, line, out.input.offset + begin == 0))) {
        if (out.is_without_line_ends) *wrong += hint_at_returns;
        const trouble kind = begin == 0 && out.input.follows_gap ? trouble::passed_over : trouble::ends_run;
        out.bad.push_back({out.documents.size(), out.lines, *std::move(wrong), kind});
      }
      begin += line.size();
    }
  }

  /// Reads records that are not lines. out.lines counts the lines of a table, or the records of other input.
  void read_records(finished_batch& out) {
    const std::string_view all = out.input.bytes.view();
    std::size_t begin = 0;
    for (const std::size_t end : out.input.ends) {
      const std::string_view raw = all.substr(begin, end - begin);
      const bool is_first = out.input.offset + begin == 0;
      begin = end;
      if (is_first && is_table(out)) {
        count_lines(out, raw);  // counts the lines of the header
        continue;
      }
      auto wrong = recovers_ ? out.input.from->recovered->find(place_of(out, raw)) : std::nullopt;
      if (!wrong) wrong = read_piece(out, raw, is_first);
      if (wrong) {
        go_on_within(out, raw, *std::move(wrong));
      } else {
        count_lines(out, raw);
      }
    }
  }

  static std::uint64_t place_of(const finished_batch& out, std::string_view raw) {
    return out.input.offset + static_cast<std::uint64_t>(raw.data() - out.input.bytes.view().data());
  }

  static bool is_table(const finished_batch& out) {
    const unit_of_input unit = out.input.from->unit;
    return unit == unit_of_input::csv || unit == unit_of_input::tsv;
  }

  static void count_lines(finished_batch& out, std::string_view raw) {
    out.lines += is_table(out) ? static_cast<std::uint64_t>(std::count(raw.begin(), raw.end(), '\n')) : 1;
  }

  /// Reads a record that is not a line. Returns the error, or nullopt if the record is valid.
  std::optional<std::string> read_piece(finished_batch& out, std::string_view raw, bool is_first) {
    if (out.input.from->unit == unit_of_input::json_array) return read_element(out, raw, is_first);
    return read_record(out, raw, content_of_record(*out.input.from, raw, is_first));
  }

  std::optional<std::string> read_element(finished_batch& out, std::string_view raw, bool is_first) {
    if (is_first && raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
    const array_piece piece = piece_of_array(raw, is_first);
    if (!piece.element.empty()) {
      if (!piece.has_end) return "not valid JSON: the array is cut off, or something follows it";
      return read_record(out, piece.element, piece.element);
    }
    const bool is_empty = piece.has_end ? is_first && piece.is_last : !is_first;
    if (is_empty) return std::nullopt;
    return "not valid JSON: a comma or a bracket of the array is missing, or there is one too many";
  }

  /// Reports the bad record `raw`. With --skip-bad, reading continues inside `raw`, at the next place where a record
  /// certainly begins.
  void go_on_within(finished_batch& out, std::string_view raw, std::string wrong) {
    const unit_of_input unit = out.input.from->unit;
    if (recovers_ && unit == unit_of_input::json_array) return go_on_in_array(out, raw, std::move(wrong));
    std::vector<std::string_view> pieces;
    if (recovers_ && unit == unit_of_input::warc) pieces = recovered_warc(raw);
    if (pieces.size() > 1) out.input.from->recovered->add(place_of(out, raw), wrong);
    out.bad.push_back({out.documents.size(), out.lines, std::move(wrong)});
    if (pieces.size() < 2) return count_lines(out, raw);
    for (const std::string_view& piece : pieces) {
      if (&piece != &pieces.front()) {
        if (auto other = read_piece(out, piece, false)) {
          out.bad.push_back({out.documents.size(), out.lines, *std::move(other)});
        }
      }
      count_lines(out, piece);
    }
  }

  /// Reads the objects in a bad piece of a JSON array. Reports each other part of the piece. If all parts are valid
  /// objects, only commas or brackets are wrong, and the error of the piece is reported.
  void go_on_in_array(finished_batch& out, std::string_view raw, std::string wrong) {
    std::string_view content = raw;
    if (place_of(out, raw) == 0 && raw.starts_with(byte_order_mark)) content.remove_prefix(byte_order_mark.size());
    const std::vector<array_part> parts = parts_of_array(content);
    const finished_batch::bad_record whole{out.documents.size(), out.lines, wrong};
    const std::size_t bad_before = out.bad.size();
    for (const array_part& part : parts) {
      auto error = part.is_object ? read_record(out, part.bytes, part.bytes) : std::optional(wrong);
      if (error) out.bad.push_back({out.documents.size(), out.lines, *std::move(error), whole.kind, part.unread});
      ++out.lines;
    }
    if (out.bad.size() == bad_before) out.bad.push_back(whole);
    if (parts.empty()) ++out.lines;
    // A second pass has to read the same documents, and has to count as many lines.
    if (parts.size() > 1 || out.documents.size() > whole.before) {
      out.input.from->recovered->add(place_of(out, raw), wrong);
    }
  }

  /// Reads a record. Returns the error, or nullopt if the record is valid.
  std::optional<std::string> read_record(finished_batch& out, std::string_view raw, std::string_view content) {
    if (auto wrong = read_(*out.input.from, content, record_)) return wrong;
    out.left_out.html += record_.is_html ? 1 : 0;
    out.left_out.packed += record_.is_packed ? 1 : 0;
    out.left_out.no_text += record_.is_no_text ? 1 : 0;
    if (record_.is_blank || record_.is_left_out()) return std::nullopt;
    if (!needed_field_.empty() && record_.source.empty()) return "no text or number in field '" + needed_field_ + "'";
    if (record_.ill_formed) sample(out, content);
    if (is_whole_source(out.input.from->unit) && begins_html_page(content)) out.pages.push_back(out.documents.size());
    document& d = out.documents.emplace_back();
    d.index = static_cast<std::uint32_t>(out.lines);
    d.begin = static_cast<std::uint64_t>(raw.data() - out.input.bytes.view().data());
    d.length = raw.size();
    const std::uint64_t place = place_of(out, raw);
    d.ill_formed = record_.ill_formed || is_ill_formed_utf16(*out.input.from, place, raw.size());
    if (record_.is_charset_unknown) {
      ++out.unknown_charsets[std::string(record_.charset)];
    } else if (record_.ill_formed && !record_.charset.empty()) {
      out.charsets.emplace_back(out.documents.size() - 1, record_.charset);
    }
    d.has_zeros = has_zeros(record_);
    d.has_attachments = record_.has_attachments;
    d.is_undecoded = record_.is_undecoded;
    d.score = record_.score;
    if (record_.key != key_kind::number || !record_.exact_key.empty()) {
      out.exact_scores.push_back({out.documents.size() - 1, record_.key, std::string(record_.exact_key)});
    }
    if (takes_sources_) out.sources.emplace_back(record_.source);
    if (record_.has_id) {
      out.ids += record_.id;
      d.id_size = static_cast<std::uint32_t>(record_.id.size());
    }
    make_(texts_of_record(), d, out);
    return std::nullopt;
  }

  static bool is_ill_formed_utf16(const source& from, std::uint64_t place, std::uint64_t size) {
    return from.utf16 && from.utf16->any_in(place, place + size);
  }

  static bool has_zeros(const record& read) {
    return std::any_of(read.fields.begin(), read.fields.end(),
                       [](std::string_view text) { return text.find('\0') != text.npos; });
  }

  /// Returns the texts of the record. The texts are folded if --fold-chinese is given.
  const document_texts& texts_of_record() {
    if (!fold_) return record_.fields;
    folded_.clear();
    std::vector<std::size_t> ends;
    for (const std::string_view text : record_.fields) {
      fold_->append(text, folded_);
      ends.push_back(folded_.size());
    }
    folded_texts_.clear();
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      folded_texts_.push_back(std::string_view(folded_).substr(begin, end - begin));
      begin = end;
    }
    return folded_texts_;
  }

  /// Keeps a sample of an ill-formed text, to guess its encoding. The sample of each batch may be as long as the sample
  /// of the whole run. So the sizes of batches do not change the sample of the run.
  static void sample(finished_batch& out, std::string_view text) {
    constexpr std::size_t most_of_text = std::size_t{1} << 12;
    const auto is_high = [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; };
    const auto first = std::find_if(text.begin(), text.end(), is_high);
    text.remove_prefix(static_cast<std::size_t>(first - text.begin()));
    if (out.ill_formed.size() >= run_notes::most_sampled || text.empty()) return;
    out.ill_formed.append(text.substr(0, most_of_text)) += ' ';
  }

  void read_one_file(finished_batch& out, std::size_t i) {
    document d;
    d.index = static_cast<std::uint32_t>(i);
    try {
      const std::string_view text = read_file(*out.input.files[i], buffer_);
      d.length = buffer_.size();
      static_cast<void>(read_(*out.input.files[i], text, record_));  // a plain text is always valid
      d.has_zeros = has_zeros(record_);
      d.ill_formed = record_.ill_formed || is_ill_formed_utf16(*out.input.files[i], 0, d.length);
      if (record_.ill_formed) sample(out, text);
      make_(texts_of_record(), d, out);
      out.bytes += d.length;
      if (begins_html_page(text)) out.pages.push_back(out.documents.size());
      out.documents.push_back(d);
    } catch (const read_error& error) {
      bad_input bad = unreadable(*out.input.files[i], error);
      out.bad.push_back({out.documents.size(), i, std::move(bad.what), bad.kind, bad.unread});
    }
  }

  record_reader read_;
  document_maker make_;
  bool takes_sources_;
  std::string needed_field_;
  bool recovers_;
  record record_;
  byte_buffer buffer_;
  std::size_t last_documents_ = 0, last_features_ = 0;  // of the last batch: the next one has about as many
  std::shared_ptr<const chinese_fold> fold_;
  std::string folded_;
  document_texts folded_texts_;
};

/// Reports and counts the bad input of a batch. Calls `visit` for each document that `notes` keeps.
/// Precondition: done.lines_before is set.
void visit_batch(finished_batch& done, bool watches_ids, run_notes& notes, const document_visitor& visit) {
  const batch& input = done.input;
  const auto where = [&](std::uint64_t index) {
    if (input.from == nullptr) return input.files[index]->name();
    const bool is_text = is_whole_source(input.from->unit);
    return input.from->where(is_text ? 0 : done.lines_before + index + 1);
  };
  auto next_bad = done.bad.begin();
  const auto say_bad = [&](std::size_t before) {
    for (; next_bad != done.bad.end() && next_bad->before <= before; ++next_bad) {
      notes.bad({where(next_bad->index), next_bad->what, next_bad->kind, next_bad->unread});
    }
  };
  std::uint64_t count = 0;
  std::size_t number = 0;
  auto next_charset = done.charsets.begin();
  const auto charset_of_document = [&](std::size_t i) -> std::string_view {
    while (next_charset != done.charsets.end() && next_charset->first < i) ++next_charset;
    const bool has_own = next_charset != done.charsets.end() && next_charset->first == i;
    return has_own ? std::string_view(next_charset->second) : "";
  };
  for_each_in(done, [&](const placed_document& placed) {
    document& d = done.documents[number];
    say_bad(number);
    const std::size_t i = number++;
    if (placed.line == 0 && placed.from->unit != unit_of_input::mail) {
      notes.read_as_one_text(placed.from->path, std::ranges::binary_search(done.pages, i));
    }
    if (d.ill_formed && !notes.ill_formed(where(d.index), *placed.from, charset_of_document(i))) return;
    if (!d.has_tokens && !notes.without_tokens(where(d.index))) return;
    if (d.has_zeros) notes.zeros(where(d.index));
    if (d.has_attachments) notes.attachments(where(d.index));
    if (d.is_undecoded) notes.undecoded(where(d.index));
    notes.features(d.features.size());
    notes.spelling(d.is_spelt_otherwise && !d.ill_formed);  // an ill-formed text may be in another encoding
    d.counts = true;
    d.repeats_id = watches_ids && placed.id && notes.repeats_id(*placed.id, *placed.from, placed.line);
    visit(placed);
    ++count;
  });
  say_bad(number);
  if (done.is_without_line_ends) notes.without_line_ends(input.from->name());
  notes.left_out(done.left_out);
  for (const auto& [label, found] : done.unknown_charsets) notes.unknown_charset(input.from->name(), label, found);
  notes.sample(done.ill_formed);
  if (input.bad)
    notes.bad(input.from == nullptr ? *input.bad
                                    : bad_input{where(0), input.bad->what, trouble::ends_run, input.bad->unread});
  notes.advance(count, done.bytes);
}

void read(const input_settings& input, source_walker& sources, run_notes& notes, const maker_source& make_maker,
          const document_visitor& visit, const batch_visitor& after) {
  batch_reader reader(input, sources);
  std::shared_ptr<source> current;  // source of the last lines, with the number of its lines so far
  std::uint64_t lines_before = 0;
  const std::uint64_t documents_before = notes.documents(), skipped_before = notes.skipped();
  run_in_order<batch>(
      input.threads, [&](batch& next, const std::atomic<bool>& stop) { return reader.next(next, stop); },
      [&] { return batch_worker(input, make_maker()); },
      [&](finished_batch&& done) {
        if (done.input.from != nullptr && done.input.from != current) {
          current = done.input.from;
          lines_before = 0;
        }
        done.lines_before = std::exchange(lines_before, lines_before + done.lines);
        const std::exception_ptr bad = caught([&] { visit_batch(done, input.watches_ids, notes, visit); });
        if (after) after(std::move(done));
        if (bad) std::rethrow_exception(bad);
      });
  // If nothing could be read, the run ends here, before it replaces an older output.
  if (notes.documents() == documents_before && notes.skipped() > skipped_before) {
    notes.finish("0 documents", sources, notes.documents());
  }
}

}  // namespace

void for_each_in(const finished_batch& done, const document_visitor& visit) {
  const batch& input = done.input;
  std::string_view ids = done.ids;
  auto exact = done.exact_scores.begin();
  for (std::size_t i = 0; i < done.documents.size(); ++i) {
    const document& d = done.documents[i];
    placed_document placed{d, input.has_lines() ? input.from : input.files[d.index], 0, input.offset, {}, std::nullopt};
    if (d.id_size != document::no_id) {
      placed.id = ids.substr(0, d.id_size);
      ids.remove_prefix(d.id_size);
    }
    if (exact != done.exact_scores.end() && exact->position == i) placed.exact_score = &*exact++;
    if (!done.texts.empty()) placed.texts = &done.texts[i];
    if (!done.sources.empty()) placed.by = done.sources[i];
    if (input.has_lines()) {
      placed.line = is_whole_source(input.from->unit) ? 0 : done.lines_before + d.index + 1;
      placed.offset += d.begin;
      placed.raw = input.bytes.view().substr(d.begin, d.length);
    }
    visit(placed);
  }
}

void read_documents(const input_settings& input, const fingerprint_settings& fingerprint,
                    const comparison_settings& comparison, source_walker& sources, run_notes& notes,
                    const document_visitor& visit, const batch_visitor& after) {
  read(
      input, sources, notes, [&] { return make_fingerprint_maker(fingerprint, comparison, input.keeps_texts); }, visit,
      after);
}

void read_texts(const input_settings& input, source_walker& sources, run_notes& notes, const document_visitor& visit,
                const batch_visitor& after) {
  const auto make_maker = []() -> document_maker {
    return [](const document_texts& texts, document& d, finished_batch& out) {
      d.has_tokens = true;  // assumed, because no tokens are made here
      out.texts.emplace_back(texts.begin(), texts.end());
    };
  };
  read(input, sources, notes, make_maker, visit, after);
}

bool has_words(const input_settings& input, run_notes& notes, const placed_document& d) {
  if (!input.strict) return true;
  bool found = false;
  for (const std::string& text : *d.texts) {
    neardup::for_each_word(text, [&](std::string_view /*word*/, std::string_view /*bytes*/) { found = true; });
  }
  return found || notes.without_tokens(d.from->where(d.line));
}

std::optional<std::string> first_text(const input_settings& input, source_walker& sources) {
  constexpr std::size_t most_bytes = std::size_t{1} << 25;
  const std::atomic<bool> never{false};
  batch_worker worker(input, [](const document_texts& texts, document&, finished_batch& out) {
    out.texts.emplace_back(texts.begin(), texts.end());
  });
  std::optional<std::string> found;
  sources.remember();
  for (bool is_over = false; !is_over;) {
    const auto step = sources.next();
    if (!step) break;
    const auto* const from = std::get_if<std::shared_ptr<source>>(&*step);
    if (from == nullptr) continue;
    const auto lines = std::make_shared<source_lines>(input, *from, false);
    std::vector<batch> first;
    std::size_t bytes = 0;
    for (batch next; !is_over && lines->next(next, never);) {
      finished_batch done = worker(std::move(next));
      if (!done.texts.empty()) found = std::move(done.texts.front().front());
      is_over = found || (!input.skip_bad && (!done.bad.empty() || done.input.bad));
      bytes += done.input.bytes.size();
      first.push_back(std::move(done.input));
      if (is_over || bytes < most_bytes) continue;
      throw input_error({(*from)->name(), "there is no code in its first " + grouped(most_bytes >> 20) + " MB"});
    }
    lines->put_back(std::move(first));
    sources.keep_begun(*from, lines);
  }
  sources.rewind();
  return found;
}

void read_lines(const input_settings& input, source_walker& sources, run_notes& notes,
                const std::function<bool(const placed_document&)>& visit) {
  struct enough {};
  input_settings as_lines = input;
  as_lines.unit = unit_of_input::lines;
  as_lines.needs_source_field = false;
  const auto make_nothing = []() -> document_maker {
    return [](const document_texts&, document& d, finished_batch&) { d.has_tokens = true; };
  };
  try {
    const auto visit_until = [&](const placed_document& d) {
      if (!visit(d)) throw enough();
    };
    read(as_lines, sources, notes, make_nothing, visit_until, nullptr);
  } catch (const enough&) {
  }
}

}  // namespace command
