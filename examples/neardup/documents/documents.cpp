#include "documents.hpp"

#include <neardup/text/utf8.hpp>
#include <system_error>

#include "../ground/pipeline.hpp"

namespace command {

std::string_view read_file(source& from, byte_buffer& buffer) {
  constexpr std::size_t first_read = std::size_t{1} << 16;
  constexpr std::size_t kept_capacity = std::size_t{1} << 24;  // what a large file needed is not kept
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

/// Makes something of the texts of a document of a batch; one for each thread.
using document_maker = std::function<void(const document_texts& texts, document&, finished_batch&)>;

/// Makes a maker for each thread.
using maker_source = std::function<document_maker()>;

/// Its fingerprint, and what is compared besides.
document_maker make_fingerprint_maker(const fingerprint_settings& settings, const comparison_settings& comparison) {
  return [&settings, describe = make_describer(settings, comparison)](const document_texts& texts, document& d,
                                                                      finished_batch& out) {
    for (const std::string_view text : texts) {
      d.text_length += text.size();
      look_for_terms(settings, text);
    }
    const described_document made = describe(texts);
    d.features = made.features;
    out.features.insert(out.features.end(), d.features.begin(), d.features.end());
    d.has_tokens = made.fingerprint.has_value();
    if (made.fingerprint) d.fingerprint = *made.fingerprint;
  };
}

/// Makes documents of batches; one for each thread.
class batch_worker {
 public:
  batch_worker(const input_settings& input, document_maker maker)
      : read_(make_record_reader(input)), make_(std::move(maker)) {}

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
    return out;
  }

 private:
  void read_lines(finished_batch& out) {
    const std::string_view all = out.input.bytes.view();
    out.bytes = all.size();
    for (std::size_t begin = 0; begin < all.size(); ++out.lines) {
      const std::size_t end = all.find('\n', begin);
      const std::string_view line = all.substr(begin, end == all.npos ? all.npos : end + 1 - begin);
      read_line(out, begin, line);
      begin += line.size();
    }
  }

  void read_line(finished_batch& out, std::uint64_t begin, std::string_view line) {
    const std::string_view content = content_of_line(line, out.input.offset + begin == 0);
    if (auto wrong = read_(content, record_)) {
      out.bad.push_back({out.documents.size(), out.lines, *std::move(wrong)});
      return;
    }
    if (record_.is_blank) return;
    document& d = out.documents.emplace_back();
    d.index = static_cast<std::uint32_t>(out.lines);
    d.begin = begin;
    d.length = line.size();
    d.ill_formed = record_.ill_formed;
    d.has_zeros = content.find('\0') != content.npos;
    d.score = record_.score;
    if (!record_.exact_score.empty()) out.exact_scores.emplace(out.documents.size() - 1, record_.exact_score);
    if (record_.has_id) {
      out.ids += record_.id;
      d.id_size = static_cast<std::uint32_t>(record_.id.size());
    }
    make_(record_.fields, d, out);
  }

  void read_one_file(finished_batch& out, std::size_t i) {
    document d;
    d.index = static_cast<std::uint32_t>(i);
    try {
      const std::string_view text = read_file(*out.input.files[i], buffer_);
      d.length = buffer_.size();
      d.ill_formed = !is_utf8(text);
      d.has_zeros = text.find('\0') != text.npos;
      make_({text}, d, out);
      out.bytes += d.length;
      out.documents.push_back(d);
    } catch (const read_error& error) {
      bad_input bad = unreadable(*out.input.files[i], error);
      out.bad.push_back({out.documents.size(), i, std::move(bad.what), bad.kind});
    }
  }

  record_reader read_;
  document_maker make_;
  record record_;
  byte_buffer buffer_;
};

/// Says what is bad in a batch whose place is known, and counts; calls `visit` for those documents of it that count.
void visit_batch(finished_batch& done, run_notes& notes, const document_visitor& visit) {
  const batch& input = done.input;
  const auto where = [&](std::uint64_t index) {
    return input.from == nullptr ? input.files[index]->name() : input.from->where(done.lines_before + index + 1);
  };
  auto next_bad = done.bad.begin();
  const auto say_bad = [&](std::size_t before) {
    for (; next_bad != done.bad.end() && next_bad->before <= before; ++next_bad) {
      notes.bad({where(next_bad->index), next_bad->what, next_bad->kind});
    }
  };
  std::uint64_t count = 0;
  std::size_t number = 0;
  for_each_in(done, [&](const placed_document& placed) {
    document& d = done.documents[number];
    say_bad(number++);
    if (placed.line == 0) notes.read_as_one_text(placed.from->path);
    if (d.ill_formed && !notes.ill_formed(where(d.index))) return;
    if (!d.has_tokens && !notes.without_tokens(where(d.index))) return;
    if (d.has_zeros) notes.zeros(where(d.index));
    d.counts = true;
    visit(placed);
    ++count;
  });
  say_bad(number);
  if (input.bad) notes.bad(input.from == nullptr ? *input.bad : bad_input{where(0), input.bad->what});
  notes.advance(count, done.bytes);
}

void read(const input_settings& input, source_walker& sources, run_notes& notes, const maker_source& make_maker,
          const document_visitor& visit, const batch_visitor& after) {
  batch_reader reader(input, sources);
  std::shared_ptr<source> current;  // of the lines that came last, and how many of it there were
  std::uint64_t lines_before = 0;
  run_in_order<batch>(
      input.threads, [&](batch& next, const std::atomic<bool>& stop) { return reader.next(next, stop); },
      [&] { return batch_worker(input, make_maker()); },
      [&](finished_batch&& done) {
        if (done.input.from != nullptr && done.input.from != current) {
          current = done.input.from;
          lines_before = 0;
        }
        done.lines_before = std::exchange(lines_before, lines_before + done.lines);
        const std::exception_ptr bad = caught([&] { visit_batch(done, notes, visit); });
        if (after) after(std::move(done));
        if (bad) std::rethrow_exception(bad);
      });
}

}  // namespace

void for_each_in(const finished_batch& done, const document_visitor& visit) {
  const batch& input = done.input;
  std::string_view ids = done.ids;
  for (std::size_t i = 0; i < done.documents.size(); ++i) {
    const document& d = done.documents[i];
    placed_document placed{d, input.has_lines() ? input.from : input.files[d.index], 0, input.offset, {}, std::nullopt};
    if (d.id_size != document::no_id) {
      placed.id = ids.substr(0, d.id_size);
      ids.remove_prefix(d.id_size);
    }
    if (const auto exact = done.exact_scores.find(i); exact != done.exact_scores.end()) {
      placed.exact_score = exact->second;
    }
    if (!done.texts.empty()) placed.texts = &done.texts[i];
    if (input.has_lines()) {
      placed.line = done.lines_before + d.index + 1;
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
      input, sources, notes, [&] { return make_fingerprint_maker(fingerprint, comparison); }, visit, after);
}

void read_texts(const input_settings& input, source_walker& sources, run_notes& notes, const document_visitor& visit) {
  const auto make_maker = []() -> document_maker {
    return [](const document_texts& texts, document& d, finished_batch& out) {
      d.has_tokens = true;  // as far as anybody knows here
      out.texts.emplace_back(texts.begin(), texts.end());
    };
  };
  read(input, sources, notes, make_maker, visit, nullptr);
}

void read_lines(const input_settings& input, source_walker& sources, run_notes& notes,
                const std::function<bool(const placed_document&)>& visit) {
  struct enough {};
  input_settings as_lines = input;
  as_lines.unit = unit_of_input::lines;
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
