// `neardup unique`: the input without what came before.
#include <filesystem>
#include <fstream>
#include <future>
#include <neardup/dedup/group.hpp>
#include <neardup/fingerprint/hashers.hpp>

#include "../compare/check.hpp"
#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../compare/groups.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

/// Whether all documents have to be known before one is kept.
bool groups_first(const run_settings& settings) {
  return settings.grouping.by_components || settings.grouping.keep != preference::first ||
         settings.comparison.checks_containment() || settings.input.unit == unit_of_input::fingerprints;
}

/// Whether documents are named in what is printed.
bool needs_names(const run_settings& settings) {
  return !settings.output.dropped.empty() || settings.input.unit == unit_of_input::fingerprints;
}

/// Copies records to an output, byte for byte; of files that are documents it prints the path.
class record_copier {
 public:
  record_copier(output& out, bool as_json) : out_(out), as_json_(as_json) {}

  /// Copies a line with its end; without one, prints the path. Where a source ends without a line end, a further record
  /// still begins a line of its own; the byte order mark of a source does not come into the middle of the output.
  void copy(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    if (line == 0) return print(from->path);
    if (from->unit == unit_of_input::json_array) {
      out_ << (copied_ == 0 ? "[\n" : ",\n") << raw;
      ++copied_;
      return;
    }
    if (open_line_) out_ << '\n';
    if (copied_ > 0 && line == 1 && raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
    out_ << raw;
    open_line_ = !raw.ends_with('\n');
    // What ends a record of WARC, where the last one of a file lacks it.
    if (from->unit == unit_of_input::warc && !raw.ends_with("\r\n\r\n")) {
      out_ << (raw.ends_with("\r\n") ? "\r\n" : "\r\n\r\n");
      open_line_ = false;
    }
    ++copied_;
  }

  void print(const std::string& id) {
    if (as_json_) {
      out_ << "{\"id\":" << json_string(id) << "}\n";
    } else {
      out_ << printable(id) << '\n';
    }
    ++copied_;
  }

  /// What comes before the first record of a table.
  void begin(const source& first) {
    out_ << first.header;
    open_line_ = !first.header.empty() && !first.header.ends_with('\n');
  }

  /// What comes behind the last one.
  void end(unit_of_input unit) {
    if (unit == unit_of_input::json_array) out_ << (copied_ == 0 ? "[\n]\n" : "\n]\n");
  }

  [[nodiscard]] std::uint64_t copied() const noexcept { return copied_; }

 private:
  output& out_;
  bool as_json_;
  std::uint64_t copied_ = 0;
  bool open_line_ = false;
};

/// Copies what is kept, and what is dropped if it is asked for, each as a file of the format of the input.
class record_writer {
 public:
  explicit record_writer(context& c) : context_(c), kept_(c.out, c.settings.output.as_json()) {
    if (c.dropped_records) dropped_.emplace(*c.dropped_records, c.settings.output.as_json());
  }

  void keep(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    expect_source(from);
    kept_.copy(from, line, raw);
  }
  void drop(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
    expect_source(from);
    if (dropped_) dropped_->copy(from, line, raw);
  }
  void print(const std::string& id) { kept_.print(id); }

  void finish_run() {
    const std::uint64_t dropped = context_.notes.documents() - context_.against - kept_.copied();
    if (first_ != nullptr) {
      kept_.end(first_->unit);
      if (dropped_) dropped_->end(first_->unit);
    }
    finish(context_, ": " + grouped(kept_.copied()) + " kept, " + grouped(dropped) + " dropped", dropped);
  }

 private:
  /// What is written is one file, and so of one format, and one header. Throws: input_error.
  void expect_source(const std::shared_ptr<source>& from) {
    if (from == last_) return;
    last_ = from;
    if (first_ == nullptr) {
      first_ = from;
      kept_.begin(*from);
      if (dropped_) dropped_->begin(*from);
      return;
    }
    if (from->unit != first_->unit) {
      throw input_error({from->name(), "is of another format than " + first_->name() + ", and unique writes one"});
    }
    const auto names = [](const source& s) { return s.columns == nullptr ? std::vector<std::string>() : *s.columns; };
    if (names(*from) != names(*first_)) {
      throw input_error(
          {from->where(1), "another header than that of " + first_->name() + ", and unique writes one table"});
    }
  }

  context& context_;
  record_copier kept_;
  std::optional<record_copier> dropped_;
  std::shared_ptr<source> first_, last_;
};

/// Writes a document that was dropped, and the one that stands for it: JSON Lines for JSON, otherwise columns. `place`: of
/// a document whose id one before it has.
void write_dropped(context& c, const std::string& id, const std::string& place, const any_fingerprint& fingerprint,
                   feature_set features, const corpus& kept, std::size_t by) {
  const bool as_json = c.settings.input.unit == unit_of_input::json_lines || c.settings.output.as_json();
  std::optional<double> similarity;
  if (c.settings.comparison.min_similarity)
    similarity = similarity_at_least(c.settings.comparison.check, kept.check[by], features, 0);
  *c.dropped << text_of_match(
      c.settings.fingerprint, as_json,
      {"id", by < kept.against ? "against" : "kept", id, kept.documents.id(by),
       hamming_distance(kept.fingerprints[by], fingerprint), similarity, place, kept.documents.place_of_repeated(by)});
}

/// Keeps each document unless it is a near-duplicate of one that was kept before. Decides in rounds that grow with what
/// is kept: many documents are compared with many in hardly more time than few. What was decided is written while the
/// documents of the next round are read.
class first_come_filter {
 public:
  first_come_filter(context& c, record_writer& writer)
      : context_(c),
        writer_(writer),
        kept_(c.settings, needs_names(c.settings)),
        next_(c.settings.fingerprint.bits),
        decided_(c.settings.fingerprint.bits) {}

  /// Takes a document of the other corpus; all of them before the first one of the input.
  void take_against(const placed_document& d) {
    if (!d.facts.has_tokens) return;
    kept_.add(d);
    kept_.end_against();
    kept_size_ = kept_.against;
  }

  /// Takes the documents of the next batch.
  void take(finished_batch&& done) {
    constexpr std::size_t min_documents = 4096;
    const std::uint64_t max_bytes = (std::uint64_t{3} << 25) + 8 * kept_size_;
    const bool is_live = done.input.live;
    for (const document& d : done.documents) {
      if (is_compared(d)) next_.fingerprints.push_back(d.fingerprint);
    }
    next_.bytes += done.bytes;
    next_.batches.push_back(std::move(done));
    if (is_live || next_.bytes >= max_bytes || next_.fingerprints.size() >= std::max(min_documents, kept_size_ / 2)) {
      decide();
    }
    if (!is_live) return;
    finish_writing();
    context_.out.flush();
    if (context_.dropped) context_.dropped->flush();
    if (context_.dropped_records) context_.dropped_records->flush();
  }

  /// Decides what waits.
  void decide() {
    finish_writing();
    if (is_broken_) return;
    std::swap(decided_, next_);
    std::vector<const document*> compared;
    for (const finished_batch& done : decided_.batches) {
      for (const document& d : done.documents) {
        if (is_compared(d)) compared.push_back(&d);
      }
    }
    const run_settings& settings = context_.settings;
    const std::size_t kept = kept_.fingerprints.size();
    if (settings.comparison.is_exact) return take_labels(decide_exactly(compared));
    const auto features = [&](std::size_t i) { return i < kept ? kept_.check[i] : compared[i - kept]->features; };
    const auto check = [&](std::size_t i, std::size_t j) {
      return are_near_duplicates(settings.comparison, features(i), features(j));
    };
    neardup::group_options how{.among_themselves = is_compared_within(),
                               .blocks = settings.comparison.blocks,
                               .run = neardup::threads{settings.threads}};
    if (kept_.check.can_join()) {
      how.similarity = *settings.comparison.min_similarity;
      how.features = features;
    }
    take_labels(with_bits(settings.fingerprint.bits, [&](auto bits) {
      return neardup::extend_groups(kept_.fingerprints.of<bits>(), decided_.fingerprints.of<bits>(),
                                    settings.comparison.distance, check, how);
    }));
  }

  /// Waits until what was decided is written. Throws: what writing it threw; from then on nothing is decided, since not
  /// all that was kept is known.
  void finish_writing() {
    if (!writing_.valid()) return;
    is_broken_ = true;
    writing_.get();
    is_broken_ = false;
  }

 private:
  /// Documents that are decided at a time.
  struct round {
    explicit round(std::size_t bits) : fingerprints(bits) {}

    std::vector<finished_batch> batches;  // which hold them
    fingerprint_vector fingerprints;      // of those that are compared
    std::uint64_t bytes = 0;
  };

  static bool is_compared(const document& d) { return d.counts && d.has_tokens; }
  [[nodiscard]] bool is_compared_within() const {
    return !context_.settings.against.any() || context_.settings.against.also_within;
  }

  std::vector<std::uint32_t> decide_exactly(const std::vector<const document*>& compared) const {
    std::vector<feature_set> sets;
    sets.reserve(compared.size());
    for (const document* d : compared) sets.push_back(d->features);
    return neardup::extend_similar_groups(checked_sets(kept_.check, 0, kept_.check.size()), sets,
                                          *context_.settings.comparison.min_similarity,
                                          exact_grouping(context_.settings, {}));
  }

  /// Writes what was decided; with several threads while the next documents are read.
  void take_labels(std::vector<std::uint32_t> label) {
    if (is_compared_within()) {
      const std::size_t kept = kept_.fingerprints.size();
      for (std::size_t i = 0; i < label.size(); ++i) kept_size_ += label[i] == kept + i ? 1 : 0;
    }
    if (context_.settings.threads == 1) return write(label);
    label_ = std::move(label);
    writing_ = std::async([this] { write(label_); });
  }

  /// Writes what was decided, and remembers what of it is kept.
  void write(const std::vector<std::uint32_t>& label) {
    const std::size_t kept_before = kept_.fingerprints.size();
    std::vector<std::size_t> places(label.size());  // among what is kept
    std::size_t next = 0;
    const auto write_document = [&](const placed_document& d) {
      if (!d.facts.counts) return;
      const bool is_new = !d.facts.has_tokens || label[next] == kept_before + next;
      if (d.facts.has_tokens) {
        if (!is_new && context_.dropped) {
          const std::size_t by = label[next] < kept_before ? label[next] : places[label[next] - kept_before];
          write_dropped(context_, d.name(), d.facts.repeats_id ? d.from->id_of(d.line) : "", d.facts.fingerprint,
                        d.facts.features, kept_, by);
        } else if (is_new && is_compared_within()) {
          places[next] = kept_.fingerprints.size();
          kept_.add(d);
        }
        ++next;
      }
      if (is_new) {
        writer_.keep(d.from, d.line, d.raw);
      } else {
        writer_.drop(d.from, d.line, d.raw);
      }
    };
    for (const finished_batch& done : decided_.batches) for_each_in(done, write_document);
    decided_ = round(context_.settings.fingerprint.bits);
  }

  context& context_;
  record_writer& writer_;
  corpus kept_;
  std::size_t kept_size_ = 0;  // when all that was decided is written
  round next_, decided_;
  bool is_broken_ = false;
  std::vector<std::uint32_t> label_;  // of what was decided
  std::future<void> writing_;         // last: it uses all of these, but next_
};

void run_first_come(context& c) {
  record_writer writer(c);
  first_come_filter filter(c, writer);
  for_each_against(c, [&](const placed_document& d) { filter.take_against(d); });
  const std::exception_ptr bad = caught([&] {
    for_each_document(
        c, c.settings.input, c.sources, [](const placed_document&) {},
        [&](finished_batch&& done) { filter.take(std::move(done)); });
  });
  filter.decide();  // what comes before bad input, too
  filter.finish_writing();
  if (bad) std::rethrow_exception(bad);
  writer.finish_run();
}

/// Finds the documents of the input again, in a second pass, which makes nothing of them. Memory: a byte for each line.
class second_pass {
 public:
  explicit second_pass(context& c) : context_(c) { c.sources.remember(); }

  /// Takes the next document of the first pass.
  void expect(const placed_document& d) {
    if (expected_.empty() || expected_.back().from != d.from) {
      if (!expected_.empty()) expect_format(*d.from);
      expected_.push_back({d.from, {}, 0, 0});
    }
    expected_source& last = expected_.back();
    last.lines.resize(std::max<std::uint64_t>(d.line, 1));
    last.lines.back() = d.facts.has_tokens ? content::tokens : content::no_tokens;
    last.checksum = with_line(last.checksum, d.line, d.raw);
    last.last_length = d.raw.size();
  }

  [[nodiscard]] bool is_empty() const noexcept { return expected_.empty(); }

  /// Calls `visit(has_tokens, source, line, raw)` for each document in order. Files that are documents are not read.
  /// Throws: input_error if a line is no longer what it was.
  template <class Visit>
  void visit_documents(const Visit& visit) const {
    const unit_of_input unit = context_.settings.input.unit;
    const bool are_texts =
        unit == unit_of_input::automatic && !expected_.empty() && expected_.front().from->unit == unit_of_input::files;
    if (unit == unit_of_input::files || are_texts) {
      for (const expected_source& one : expected_) {
        visit(one.lines.front() == content::tokens, one.from, 0, std::string_view());
      }
      return;
    }
    auto next = expected_.begin();
    if (next == expected_.end()) return;
    std::uint64_t checksum = 0;  // of the lines of `next`, so far
    context_.notes.mute(true);
    context_.sources.rewind();
    read_lines(context_.settings.input, context_.sources, context_.notes, [&](const placed_document& d) {
      if (d.from != next->from || next->lines[d.line - 1] == content::none) return true;
      const bool is_last = d.line == next->lines.size();
      // A last line without an end may be a part of a longer one by now.
      const std::string_view raw = is_last ? d.raw.substr(0, next->last_length) : d.raw;
      checksum = with_line(checksum, d.line, raw);
      visit(next->lines[d.line - 1] == content::tokens, d.from, d.line, raw);
      if (!is_last) return true;
      if (checksum != next->checksum) fail_changed(*next->from);
      checksum = 0;
      return ++next != expected_.end();
    });
    if (next != expected_.end()) fail_changed(*next->from);
  }

 private:
  enum class content : unsigned char { none, no_tokens, tokens };

  struct expected_source {
    std::shared_ptr<source> from;
    std::vector<content> lines;  // up to the last document; the first one stands for a file that is a document
    std::uint64_t checksum;      // of the numbers of lines and contents of the documents
    std::uint64_t last_length;   // of the line of the last one, bytes
  };

  /// The second pass is one over lines, or over files.
  void expect_format(const source& from) const {
    const source& first = *expected_.front().from;
    if (from.unit == first.unit) return;
    throw input_error({from.name(), "is of another format than " + first.name() + ", and unique writes one"});
  }

  static std::uint64_t with_line(std::uint64_t before, std::uint64_t line, std::string_view raw) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // any odd one: no file has these sums
    return (before * factor ^ neardup::xxh3<64>{}(raw)) + line;
  }

  context& context_;
  std::vector<expected_source> expected_;
};

/// Decides about all documents at once, when they are known. What is kept is read again.
void run_at_once(context& c) {
  const bool are_lists = c.settings.input.unit == unit_of_input::fingerprints;
  corpus all(c.settings, needs_names(c.settings));
  second_pass documents(c);
  std::exception_ptr bad;
  try {
    read_corpus(c, all, [&](const placed_document& d) {
      if (!are_lists) documents.expect(d);
    });
  } catch (const input_error&) {
    if (groups_first(c.settings) || documents.is_empty()) throw;
    bad = std::current_exception();  // What comes before it is written first.
  }
  const std::vector<std::uint32_t> label = find_groups(c, all);

  record_writer writer(c);
  std::size_t i = all.against;
  const auto is_dropped = [&] {
    const std::size_t by = label[i];
    if (by != i && c.dropped) {
      write_dropped(c, all.documents.id(i), all.documents.place_of_repeated(i), all.fingerprints[i], all.check[i], all,
                    by);
    }
    return by != i;
  };
  if (are_lists) {
    for (; i < label.size(); ++i) {
      if (!is_dropped()) writer.print(all.documents.id(i));
    }
  }
  documents.visit_documents(
      [&](bool has_tokens, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
        const bool is_kept = !has_tokens || !is_dropped();
        if (has_tokens) ++i;
        if (is_kept) {
          writer.keep(from, line, raw);
        } else {
          writer.drop(from, line, raw);
        }
      });
  if (bad) std::rethrow_exception(bad);
  writer.finish_run();
}

/// Whether all of the input is files that can be read twice; those of /proc, which seem to be empty, change meanwhile.
bool can_be_read_again(const run_settings& settings) {
  namespace fs = std::filesystem;
  return std::all_of(settings.input.paths.begin(), settings.input.paths.end(), [](const std::string& path) {
    std::error_code error;
    if (path == "-" || fs::is_directory(path, error)) return path != "-";
    return fs::is_regular_file(path, error) &&
           (fs::file_size(path, error) > 0 || std::ifstream(path).peek() == std::ifstream::traits_type::eof());
  });
}

bool run_unique(typed_options& typed) {
  run_settings settings =
      take_reading(typed, {.last = [](const typed_options& given, run_settings& to) {
                     if (given.has("--dropped-records") && to.input.unit == unit_of_input::fingerprints) {
                       throw usage_error("--dropped-records with --fingerprints: there are no records");
                     }
                     if (given.has("--format") && to.input.unit != unit_of_input::files) {
                       throw usage_error("--format says nothing here: unique copies the records as they are");
                     }
                     to.input.is_read_twice = groups_first(to);
                     to.comparison.has_distances = !to.comparison.is_exact || !to.output.dropped.empty();
                   }});
  return run_on_documents(settings, [](context& c) {
    // Batches of a stream are compared with all that was kept, again and again; what can be read twice need not be.
    if (groups_first(c.settings) || can_be_read_again(c.settings)) {
      run_at_once(c);
    } else {
      run_first_come(c);
    }
  });
}

}  // namespace

extern const verb unique_verb;
const verb unique_verb{"unique",
                       "PATH…",
                       "the input without its near-duplicates",
                       R"(
Prints the input without near-duplicates: it drops each record that is similar to an earlier kept one, and
copies the others byte for byte (--lines, --jsonl, and the other formats of records: of a table with its header,
of an array of JSON as an array). Of whole files it prints the paths that are kept.
Documents without tokens are kept. Blank lines of JSON Lines are dropped.
)",
                       takes::comparing | takes::exact | takes::far_from_against | takes::grouping | takes::format,
                       {},
                       run_unique};

}  // namespace command
