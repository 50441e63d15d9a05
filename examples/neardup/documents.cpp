#include "documents.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <neardup/text/utf8.hpp>
#include <system_error>

#include "pipeline.hpp"

namespace command {

std::optional<std::string> record_reader::read(std::string_view content, record& out) {
  if (json_) return json_->read(content, out);
  out.fields.assign(1, content);
  out.has_id = false;
  out.score = 0;
  out.ill_formed = !is_utf8(content);
  return std::nullopt;
}

file_facts read_file(source& from, bool keep, byte_buffer& buffer,
                     const std::function<void(std::string_view text, bool whole)>& piece) {
  constexpr std::size_t first_read = std::size_t{1} << 16;
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

namespace {

/// Makes something of a document's texts; one for each thread.
class document_maker {
 public:
  document_maker() = default;
  document_maker(const document_maker&) = delete;
  document_maker& operator=(const document_maker&) = delete;
  virtual ~document_maker() = default;

  virtual void whole(document& d, const std::vector<std::string_view>& texts) = 0;
  /// Of a document of one text that comes in pieces.
  virtual void feed(std::string_view piece) = 0;
  virtual void finish(document& d) = 0;

  /// The texts of the last document, if they are kept.
  std::optional<std::vector<std::string>> texts;
};

/// Its fingerprint, and what the check needs.
class fingerprint_maker final : public document_maker {
 public:
  explicit fingerprint_maker(const options& settings)
      : fingerprint_(make_fingerprinter(settings)),
        extract_(settings.reads_features() ? make_feature_reader(settings) : nullptr),
        keeps_features_(extract_ && settings.min_similarity),
        code_of_features_(keeps_features_ && settings.check == similarity_measure::jaccard &&
                                  settings.kind == neardup::fingerprint_kind::minwise &&
                                  settings.features == settings.check_features
                              ? code_of_features(settings)
                              : nullptr) {}

  void whole(document& d, const std::vector<std::string_view>& all) override {
    for (const std::string_view text : all) d.text_length += text.size();
    if (keeps_features_) {
      d.features = extract_->whole(all);
    } else if (extract_) {
      d.short_digest = extract_->short_digest(all);
    }
    set_fingerprint(d, code_of_features_ ? code_of_features_(d.features) : fingerprint_->whole(all));
  }
  void feed(std::string_view piece) override {
    fingerprint_->feed(piece);
    if (keeps_features_) extract_->feed(piece);
    length_ += piece.size();
  }
  void finish(document& d) override {
    set_fingerprint(d, fingerprint_->finish());
    if (keeps_features_) d.features = extract_->finish();
    d.text_length = std::exchange(length_, 0);
  }

 private:
  static void set_fingerprint(document& d, const std::optional<any_fingerprint>& fingerprint) {
    d.has_tokens = fingerprint.has_value();
    if (fingerprint) d.fingerprint = *fingerprint;
  }

  std::unique_ptr<fingerprinter> fingerprint_;
  std::unique_ptr<feature_reader> extract_;  // nothing if documents are not compared
  bool keeps_features_;                      // for the check
  feature_coder* code_of_features_;          // if the features for the check give the fingerprint, too
  std::uint64_t length_ = 0;                 // of what was fed
};

/// The beginnings of its texts.
class text_maker final : public document_maker {
 public:
  explicit text_maker(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void whole(document& d, const std::vector<std::string_view>& all) override {
    d.has_tokens = true;  // as far as anybody knows here
    texts.emplace();
    for (std::string_view text : all) {
      if (text.size() > most_bytes_) {
        text = text.substr(0, most_bytes_);
        text.remove_suffix(neardup::incomplete_suffix(text));
        d.is_cut = true;
      }
      texts->emplace_back(text);
    }
  }
  void feed(std::string_view piece) override {
    if (text_.size() <= most_bytes_) text_ += piece;
  }
  void finish(document& d) override { whole(d, {std::exchange(text_, {})}); }

 private:
  std::size_t most_bytes_;
  std::string text_;  // as far as it was fed
};

using make_maker = std::function<std::unique_ptr<document_maker>()>;

/// Makes documents of batches; one for each thread.
class batch_worker {
 public:
  batch_worker(const options& settings, std::unique_ptr<document_maker> maker)
      : settings_(settings), reader_(settings), make_(std::move(maker)) {}

  finished_batch operator()(batch&& input) {
    finished_batch out;
    out.input = std::move(input);
    if (out.input.has_lines()) {
      read_lines(out);
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
    out.bytes = out.input.bytes.size();
    out.documents.reserve(last_documents_ + last_documents_ / 16);
    out.features.reserve(last_features_ + last_features_ / 16);
    out.lines = for_each_line(out.input, [&](const line_of_batch& line) {
      if (reader_.is_blank(line.content)) return;
      if (auto wrong = reader_.read(line.content, record_)) {
        out.bad.push_back({out.documents.size(), line.index, *std::move(wrong)});
        return;
      }
      document& d = out.documents.emplace_back();
      d.index = static_cast<std::uint32_t>(line.index);
      d.begin = line.begin;
      d.length = line.raw.size();
      d.ill_formed = record_.ill_formed;
      d.score = record_.score;
      if (record_.has_id) {
        out.ids += record_.id;
        d.id_size = static_cast<std::uint32_t>(record_.id.size());
      }
      make_->whole(d, record_.fields);
      out.features.insert(out.features.end(), d.features.begin(), d.features.end());
      if (make_->texts) out.texts.push_back(*std::move(make_->texts));
    });
  }

  void read_one_file(finished_batch& out, std::size_t i) {
    document d;
    d.index = static_cast<std::uint32_t>(i);
    bool in_pieces = false;
    const auto read = [&](std::string_view text, bool whole) {
      if (whole) return make_->whole(d, {text});
      make_->feed(text);
      in_pieces = true;
    };
    try {
      const file_facts facts = read_file(*out.input.files[i], settings_.needs_second_look(), buffer_, read);
      if (in_pieces) make_->finish(d);
      d.length = facts.size;
      d.ill_formed = facts.ill_formed;
      out.bytes += facts.size;
      out.features.insert(out.features.end(), d.features.begin(), d.features.end());
      out.documents.push_back(d);
      if (make_->texts) out.texts.push_back(*std::move(make_->texts));
    } catch (const std::system_error& error) {
      if (in_pieces) make_->finish(d);  // so that the next document begins afresh
      bad_input bad = unreadable(*out.input.files[i], error);
      out.bad.push_back({out.documents.size(), i, std::move(bad.what), bad.kind});
    }
  }

  const options& settings_;
  record_reader reader_;
  std::unique_ptr<document_maker> make_;
  record record_;
  byte_buffer buffer_;
  std::size_t last_documents_ = 0, last_features_ = 0;  // of the batch before: the next one is much like it
};

/// Puts finished batches in their places: numbers the lines, says what is bad, counts.
class placer {
 public:
  explicit placer(report& notes) : notes_(notes) {}

  /// Calls `visit` for the documents of the next batch in order.
  void operator()(const finished_batch& done, const document_visitor& visit) {
    const batch& input = done.input;
    if (input.from != nullptr && input.from != current_) {
      current_ = input.from;
      lines_before_ = 0;
    }
    if (input.bad) notes_.bad(input.from == nullptr ? *input.bad : bad_input{where(input, 0), input.bad->what});
    std::size_t next_bad = 0;
    const auto say_bad = [&](std::size_t before) {
      for (; next_bad < done.bad.size() && done.bad[next_bad].before <= before; ++next_bad) {
        const auto& bad = done.bad[next_bad];
        notes_.bad({where(input, bad.index), bad.what, bad.kind});
      }
    };
    std::string_view ids = done.ids;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < done.documents.size(); ++i) {
      say_bad(i);
      const document& d = done.documents[i];
      std::optional<std::string_view> id;
      if (d.id_size != document::no_id) id = ids.substr(0, d.id_size);
      if (id) ids.remove_prefix(d.id_size);
      if (place(input, d, id, done.texts.empty() ? nullptr : &done.texts[i], visit)) ++count;
    }
    say_bad(done.documents.size());
    lines_before_ += done.lines;
    notes_.advance(count, done.bytes);
  }

 private:
  /// Returns: whether the document counts.
  bool place(const batch& input, const document& d, const std::optional<std::string_view>& id,
             const std::vector<std::string>* texts, const document_visitor& visit) {
    if (!input.has_lines()) notes_.read_as_one_text(input.files[d.index]->path);
    if (d.ill_formed && !notes_.ill_formed(where(input, d.index))) return false;
    if (!d.has_tokens && !notes_.without_tokens(where(input, d.index))) return false;
    placed_document placed{d, input.has_lines() ? input.from : input.files[d.index], 0, input.offset, {}, id};
    placed.texts = texts;
    if (input.has_lines()) {
      placed.line = lines_before_ + d.index + 1;
      placed.offset += d.begin;
      placed.raw = input.bytes.view().substr(d.begin, d.length);
    }
    visit(placed);
    return true;
  }

  [[nodiscard]] std::string where(const batch& input, std::uint64_t index) const {
    return input.from == nullptr ? input.files[index]->name() : input.from->where(lines_before_ + index + 1);
  }

  report& notes_;
  std::shared_ptr<source> current_;
  std::uint64_t lines_before_ = 0;
};

void read(const options& settings, source_walker& sources, report& notes, const make_maker& maker,
          const document_visitor& visit, const batch_visitor& after) {
  batch_reader reader(settings, sources, settings.needs_second_look());
  placer put_in_place(notes);
  run_in_order<batch>(
      settings.threads, [&](batch& next, const std::atomic<bool>& stop) { return reader.next(next, stop); },
      [&] { return batch_worker(settings, maker()); },
      [&](finished_batch&& done) {
        const std::exception_ptr bad = caught([&] { put_in_place(done, visit); });
        if (after) after(std::move(done));
        if (bad) std::rethrow_exception(bad);
      });
}

}  // namespace

void read_documents(const options& settings, source_walker& sources, report& notes, const document_visitor& visit,
                    const batch_visitor& after) {
  read(
      settings, sources, notes, [&] { return std::make_unique<fingerprint_maker>(settings); }, visit, after);
}

void read_texts(const options& settings, source_walker& sources, report& notes, std::size_t most_bytes,
                const document_visitor& visit) {
  read(
      settings, sources, notes, [&] { return std::make_unique<text_maker>(most_bytes); }, visit, nullptr);
}

}  // namespace command
