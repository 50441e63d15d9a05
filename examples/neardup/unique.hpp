// `neardup unique`: the input without what came before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <neardup/dedup/group.hpp>
#include <neardup/threads.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "against.hpp"
#include "check.hpp"
#include "context.hpp"
#include "corpus.hpp"
#include "groups.hpp"

namespace command {

/// Copies records to the output, byte for byte; of files that are documents it prints the path.
class record_copier {
 public:
  explicit record_copier(context& c) : context_(c) {}

  /// Copies a line with its end. Where a source ends without one, a further record still begins a line of its own; the
  /// byte order mark of a source does not come into the middle of the output.
  void copy(std::string_view raw, bool first_of_source) {
    if (open_line_) context_.out << '\n';
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
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

/// A document that was dropped, and the one that stands for it.
struct dropped_document {
  std::string id, kept;
  bool is_against;                   // the one kept is of the other corpus
  int distance;                      // in bits
  std::optional<double> similarity;  // if there is a check
};

/// Writes what --dropped asks for: JSON Lines for JSON, otherwise columns with tabs between them.
template <std::size_t Bits>
void write_dropped(context& c, const dropped_document& d) {
  const double estimate = estimate_of<Bits>(c.settings, d.distance);
  output& out = *c.dropped;
  if (c.settings.unit == unit_of_input::json_lines || c.settings.format == output_format::json_lines) {
    out << "{\"id\":" << json_string(d.id) << (d.is_against ? ",\"against\":" : ",\"kept\":") << json_string(d.kept)
        << ",\"distance\":" << std::to_string(d.distance) << ",\"estimate\":" << number(estimate);
    if (d.similarity) out << ",\"similarity\":" << number(*d.similarity);
    out << "}\n";
  } else {
    out << similarity_text(d.similarity.value_or(estimate)) << '\t' << std::to_string(d.distance) << '\t'
        << printable(d.id) << '\t' << printable(d.kept) << '\n';
  }
}

/// Keeps each document unless it is a near-duplicate of one that was kept before. Decides in batches that grow with what
/// is kept: many documents are compared with many in hardly more time than few.
template <std::size_t Bits>
class first_come_filter {
 public:
  first_come_filter(context& c, record_copier& copier)
      : context_(c), copier_(copier), check_(c.settings), names_(false) {}

  /// Takes a document of the other corpus; all of them before the first one of the input.
  void take_against(const placed_document<Bits>& d) {
    if (!d.facts.has_tokens) return;
    keep(d.facts, d.from, d.line, d.id);
    ++against_;
  }

  /// Takes the next document of a batch that hold() gets when all of its documents were taken.
  void take(const placed_document<Bits>& d) {
    if (d.facts.has_tokens) fingerprints_.push_back(d.facts.fingerprint);
    waiting_.push_back({&d.facts, d.from, d.line, d.raw, {}});
    if (context_.dropped && d.id) waiting_.back().id = *d.id;
  }

  void hold(finished_batch<Bits>&& done) {
    constexpr std::size_t min_documents = 4096;
    const std::uint64_t max_bytes = (std::uint64_t{1} << 26) + 16 * kept_.size();
    const bool is_live = done.input.live;
    bytes_ += done.bytes;
    batches_.push_back(std::move(done));
    if (is_live || bytes_ >= max_bytes || fingerprints_.size() >= std::max(min_documents, kept_.size() / 2)) decide();
    if (is_live) context_.out.flush();
    if (is_live && context_.dropped) context_.dropped->flush();
  }

  /// Decides what waits.
  void decide() {
    std::vector<const document_facts*> facts;  // of those with fingerprints
    for (const waiting_document& d : waiting_) {
      if (d.facts->has_tokens) facts.push_back(d.facts);
    }
    const auto check = [&](std::size_t i, std::size_t j) {
      const document_facts& later = *facts[j - kept_.size()];
      return i < kept_.size() ? check_.accepts(i, later) : check_.accepts(*facts[i - kept_.size()], later);
    };
    const options& settings = context_.settings;
    const std::vector<std::uint32_t> label = neardup::extend_groups(kept_, fingerprints_, settings.distance, check,
                                                                    {.among_themselves = is_compared_within(),
                                                                     .blocks = settings.blocks,
                                                                     .run = neardup::threads{settings.threads}});
    const std::size_t kept_before = kept_.size();
    std::vector<std::size_t> places(fingerprints_.size());  // among what is kept
    std::size_t next = 0;
    for (const waiting_document& d : waiting_) {
      const bool is_new = !d.facts->has_tokens || label[next] == kept_before + next;
      if (d.facts->has_tokens) {
        if (!is_new && context_.dropped) {
          write(d, label[next] < kept_before ? label[next] : places[label[next] - kept_before]);
        } else if (is_new && is_compared_within()) {
          places[next] = kept_.size();
          keep(*d.facts, d.from, d.line, d.id);
        }
        ++next;
      }
      if (!is_new) continue;
      if (d.line > 0) {
        copier_.copy(d.raw, d.line == 1);
      } else {
        copier_.print(d.from->path);
      }
    }
    waiting_.clear();
    fingerprints_.clear();
    batches_.clear();
    bytes_ = 0;
  }

 private:
  struct waiting_document {
    const document<Bits>* facts;
    std::shared_ptr<source> from;
    std::uint64_t line;
    std::string_view raw;
    std::optional<std::string> id;  // its own, if it may be asked for
  };

  [[nodiscard]] bool is_compared_within() const {
    return !context_.settings.has_against() || context_.settings.also_within;
  }

  void keep(const document<Bits>& facts, const std::shared_ptr<source>& from, std::uint64_t line,
            const std::optional<std::string_view>& id) {
    kept_.push_back(facts.fingerprint);
    check_.add(facts);
    if (context_.dropped) names_.add(from, line, id, 0, 0);
  }

  void write(const waiting_document& d, std::size_t by) {
    dropped_document dropped{d.id.value_or(default_id(*d.from, d.line)), names_.id(by), by < against_,
                             neardup::hamming_distance(kept_[by], d.facts->fingerprint), std::nullopt};
    if (context_.settings.min_similarity) dropped.similarity = check_.similarity(by, *d.facts, 0);
    write_dropped<Bits>(context_, dropped);
  }

  context& context_;
  record_copier& copier_;
  std::vector<neardup::simhash<Bits>> kept_;
  document_check check_;
  document_table names_;     // of what is kept, if they may be asked for
  std::size_t against_ = 0;  // so many of it are of the other corpus, the first ones

  std::vector<waiting_document> waiting_;
  std::vector<neardup::simhash<Bits>> fingerprints_;  // of those that wait and have one
  std::vector<finished_batch<Bits>> batches_;         // which hold them
  std::uint64_t bytes_ = 0;
};

template <std::size_t Bits>
void run_first_come(context& c) {
  record_copier copier(c);
  first_come_filter<Bits> filter(c, copier);
  list_reader<Bits> lists(c.settings);
  for_each_against<Bits>(c, lists, [&](const placed_document<Bits>& d) { filter.take_against(d); });
  const std::exception_ptr bad = caught([&] {
    for_each_document<Bits>(
        c, c.settings, c.sources, lists, [&](const placed_document<Bits>& d) { filter.take(d); },
        [&](finished_batch<Bits>&& done) { filter.hold(std::move(done)); });
  });
  filter.decide();  // what comes before bad input, too
  if (bad) std::rethrow_exception(bad);
  copier.finish_run();
}

template <std::size_t Bits>
void run_groups_first(context& c) {
  struct without_tokens {
    std::size_t before;  // the number of documents with tokens before it
    place where;
  };
  std::vector<without_tokens> others;
  const corpus<Bits> all = read_corpus<Bits>(c, [&](const corpus<Bits>& before, const placed_document<Bits>& d) {
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
    dropped_document dropped{all.documents.id(i), all.documents.id(by), by < all.against,
                             neardup::hamming_distance(all.fingerprints[by], all.fingerprints[i]), std::nullopt};
    if (c.settings.min_similarity) dropped.similarity = all.check.similarity(by, i, 0);
    write_dropped<Bits>(c, dropped);
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

template <std::size_t Bits>
void run_unique(context& c) {
  if (c.settings.groups_first()) {
    run_groups_first<Bits>(c);
  } else {
    run_first_come<Bits>(c);
  }
}

}  // namespace command
