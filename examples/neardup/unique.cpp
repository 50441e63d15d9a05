// `neardup unique`: the input without what came before.
#include <algorithm>
#include <exception>
#include <neardup/dedup/group.hpp>
#include <neardup/threads.hpp>

#include "check.hpp"
#include "context.hpp"
#include "corpus.hpp"
#include "groups.hpp"
#include "pipeline.hpp"
#include "verbs.hpp"

namespace command {

namespace {

/// Copies records to the output, byte for byte; of files that are documents it prints the path.
class record_copier {
 public:
  explicit record_copier(context& c) : context_(c) {}

  /// Copies a line with its end. Where a source ends without one, a further record still begins a line of its own; the
  /// byte order mark of a source does not come into the middle of the output.
  void copy(std::string_view raw, bool first_of_source) {
    if (open_line_) context_.out << '\n';
    if (kept_ > 0 && first_of_source && raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
    context_.out << raw;
    open_line_ = !raw.ends_with('\n');
    ++kept_;
  }

  void print(const std::string& id) {
    if (context_.settings.format == output_format::json_lines) {
      context_.out << "{\"id\":" << json_string(id) << "}\n";
    } else {
      context_.out << printable(id) << '\n';
    }
    ++kept_;
  }

  void finish_run() {
    const std::uint64_t dropped = context_.notes.documents() - context_.against - kept_;
    finish(context_, ": " + grouped(kept_) + " kept, " + grouped(dropped) + " dropped", dropped);
  }

 private:
  context& context_;
  std::uint64_t kept_ = 0;
  bool open_line_ = false;
};

/// Writes a document that was dropped, and the one that stands for it: JSON Lines for JSON, otherwise columns.
void write_dropped(context& c, const std::string& id, const std::string& kept, bool is_against, int distance,
                   const std::optional<double>& similarity) {
  const bool as_json = c.settings.unit == unit_of_input::json_lines || c.settings.format == output_format::json_lines;
  print_match(*c.dropped, c.settings, as_json, {"id", is_against ? "against" : "kept", id, kept, distance, similarity});
}

/// Keeps each document unless it is a near-duplicate of one that was kept before. Decides in batches that grow with what
/// is kept: many documents are compared with many in hardly more time than few.
class first_come_filter {
 public:
  first_come_filter(context& c, record_copier& copier)
      : context_(c),
        copier_(copier),
        kept_(c.settings.bits),
        check_(c.settings),
        names_(false),
        fingerprints_(c.settings.bits) {}

  /// Takes a document of the other corpus; all of them before the first one of the input.
  void take_against(const placed_document& d) {
    if (!d.facts.has_tokens) return;
    keep(d.facts, d.from, d.line, d.id);
    ++against_;
  }

  /// Takes the next document of a batch that hold() gets when all of its documents were taken.
  void take(const placed_document& d) {
    if (d.facts.has_tokens) fingerprints_.push_back(d.facts.fingerprint);
    waiting_.push_back({&d.facts, d.line, batches_.size()});
    if (context_.dropped) ids_.emplace_back(d.id);
  }

  void hold(finished_batch&& done) {
    constexpr std::size_t min_documents = 4096;
    const std::uint64_t max_bytes = (std::uint64_t{1} << 26) + 8 * kept_.size();
    const bool is_live = done.input.live;
    bytes_ += done.bytes;
    batches_.push_back(std::move(done));
    if (is_live || bytes_ >= max_bytes || fingerprints_.size() >= std::max(min_documents, kept_.size() / 2)) decide();
    if (is_live) context_.out.flush();
    if (is_live && context_.dropped) context_.dropped->flush();
  }

  /// Decides what waits.
  void decide() {
    std::vector<const document*> compared;  // those with fingerprints
    for (const waiting_document& d : waiting_) {
      if (d.facts->has_tokens) compared.push_back(d.facts);
    }
    const auto check = [&](std::size_t i, std::size_t j) {
      const document& later = *compared[j - kept_.size()];
      return i < kept_.size() ? check_.accepts(i, later) : check_.accepts(*compared[i - kept_.size()], later);
    };
    const options& settings = context_.settings;
    const neardup::group_options how{
        .among_themselves = is_compared_within(), .blocks = settings.blocks, .run = neardup::threads{settings.threads}};
    const std::vector<std::uint32_t> label = with_bits(settings.bits, [&](auto bits) {
      return neardup::extend_groups(kept_.of<bits>(), fingerprints_.of<bits>(), settings.distance, check, how);
    });
    const std::size_t kept_before = kept_.size();
    std::vector<std::size_t> places(fingerprints_.size());  // among what is kept
    std::size_t next = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const document& facts = *waiting_[i].facts;
      const std::uint64_t line = waiting_[i].line;
      const batch& input = batches_[waiting_[i].batch].input;
      const std::shared_ptr<source>& from = line > 0 ? input.from : input.files[facts.index];
      std::optional<std::string_view> id;
      if (context_.dropped && ids_[i]) id = *ids_[i];
      const bool is_new = !facts.has_tokens || label[next] == kept_before + next;
      if (facts.has_tokens) {
        if (!is_new && context_.dropped) {
          const std::size_t by = label[next] < kept_before ? label[next] : places[label[next] - kept_before];
          write(facts, id ? std::string(*id) : from->id_of(line), by);
        } else if (is_new && is_compared_within()) {
          places[next] = kept_.size();
          keep(facts, from, line, id);
        }
        ++next;
      }
      if (!is_new) continue;
      if (line > 0) {
        copier_.copy(input.bytes.view().substr(facts.begin, facts.length), line == 1);
      } else {
        copier_.print(from->path);
      }
    }
    waiting_.clear();
    ids_.clear();
    fingerprints_.clear();
    batches_.clear();
    bytes_ = 0;
  }

 private:
  struct waiting_document {
    const document* facts;
    std::uint64_t line;  // from 1; 0 if the source is the document
    std::size_t batch;
  };

  [[nodiscard]] bool is_compared_within() const {
    return !context_.settings.has_against() || context_.settings.also_within;
  }

  void keep(const document& facts, const std::shared_ptr<source>& from, std::uint64_t line,
            const std::optional<std::string_view>& id) {
    kept_.push_back(facts.fingerprint);
    check_.add(facts);
    if (context_.dropped) names_.add(from, line, id, 0, 0);
  }

  void write(const document& facts, const std::string& id, std::size_t by) {
    std::optional<double> similarity;
    if (context_.settings.min_similarity) similarity = check_.similarity(by, facts, 0);
    write_dropped(context_, id, names_.id(by), by < against_, hamming_distance(kept_[by], facts.fingerprint),
                  similarity);
  }

  context& context_;
  record_copier& copier_;
  fingerprint_vector kept_;
  document_check check_;
  document_table names_;     // of what is kept, if they may be asked for
  std::size_t against_ = 0;  // so many of it are of the other corpus, the first ones

  std::vector<waiting_document> waiting_;
  std::vector<std::optional<std::string>> ids_;  // their own, if they may be asked for
  fingerprint_vector fingerprints_;              // of those that wait and have one
  std::vector<finished_batch> batches_;          // which hold them
  std::uint64_t bytes_ = 0;
};

void run_first_come(context& c) {
  record_copier copier(c);
  first_come_filter filter(c, copier);
  list_reader lists(c.settings);
  for_each_against(c, lists, [&](const placed_document& d) { filter.take_against(d); });
  const std::exception_ptr bad = caught([&] {
    for_each_document(
        c, c.settings, c.sources, lists, [&](const placed_document& d) { filter.take(d); },
        [&](finished_batch&& done) { filter.hold(std::move(done)); });
  });
  filter.decide();  // what comes before bad input, too
  if (bad) std::rethrow_exception(bad);
  copier.finish_run();
}

void run_groups_first(context& c) {
  struct without_tokens {
    std::size_t before;  // the number of documents with tokens before it
    place where;
  };
  std::vector<without_tokens> others;
  const corpus all = read_corpus(c, [&](const corpus& before, const placed_document& d) {
    others.push_back({before.fingerprints.size(), {d.from, d.offset, d.facts.length}});
  });
  const std::vector<std::uint32_t> label = find_groups(c, all);

  record_copier copier(c);
  record_rereader reader(std::size_t{1} << 20);
  const auto keep = [&](const place& where) {
    if (c.settings.unit == unit_of_input::files) {
      copier.print(where.from->path);
    } else {
      copier.copy(reader.at(where), where.offset == 0);
    }
  };
  const auto drop = [&](std::size_t i) {
    const std::size_t by = label[i];
    std::optional<double> similarity;
    if (c.settings.min_similarity) similarity = all.check.similarity(by, i, 0);
    write_dropped(c, all.documents.id(i), all.documents.id(by), by < all.against,
                  hamming_distance(all.fingerprints[by], all.fingerprints[i]), similarity);
  };
  std::size_t next_other = 0;
  for (std::size_t i = all.against; i <= label.size(); ++i) {
    for (; next_other < others.size() && others[next_other].before == i; ++next_other) keep(others[next_other].where);
    if (i == label.size()) break;
    if (label[i] != i) {
      if (c.dropped) drop(i);
      continue;
    }
    if (c.settings.unit == unit_of_input::fingerprints) {
      copier.print(all.documents.id(i));
    } else {
      keep(all.documents.where(i));
    }
  }
  copier.finish_run();
}

}  // namespace

void run_unique(context& c) {
  if (c.settings.groups_first()) {
    run_groups_first(c);
  } else {
    run_first_come(c);
  }
}

}  // namespace command
