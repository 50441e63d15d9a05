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

#include "check.hpp"
#include "context.hpp"
#include "corpus.hpp"
#include "groups.hpp"

namespace command {

/// Copies records to the output, byte for byte; of files that are documents it prints the path.
class record_copier {
 public:
  explicit record_copier(context& c) : context_(c) {}

  /// Copies a line with its end. Where a source ends without one, a further record still begins a line of its own.
  void copy(std::string_view raw) {
    if (open_line_) context_.out << '\n';
    // A byte order mark has a meaning at the very beginning only.
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (kept_ > 0 && raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
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
    finish(context_, ": " + grouped(kept_) + " kept, " + grouped(context_.notes.documents() - kept_) + " dropped");
  }

 private:
  context& context_;
  std::uint64_t kept_ = 0;
  bool open_line_ = false;
};

/// Keeps each document unless it is a near-duplicate of one that was kept before. Decides in batches that grow with what
/// is kept: many documents are compared with many in hardly more time than few.
template <std::size_t Bits>
class first_come_filter {
 public:
  first_come_filter(context& c, record_copier& copier) : context_(c), copier_(copier), check_(c.settings) {}

  /// Takes the next document of a batch that hold() gets when all of its documents were taken.
  void take(const placed_document<Bits>& d) {
    if (d.facts.has_tokens) fingerprints_.push_back(d.facts.fingerprint);
    waiting_.push_back({&d.facts, d.from, d.line, d.raw});
  }

  void hold(finished_batch<Bits>&& done) {
    constexpr std::size_t min_documents = 4096;
    const std::uint64_t max_bytes = (std::uint64_t{1} << 26) + 16 * kept_.size();
    const bool is_live = done.input.live;
    bytes_ += done.bytes;
    batches_.push_back(std::move(done));
    if (is_live || bytes_ >= max_bytes || fingerprints_.size() >= std::max(min_documents, kept_.size() / 2)) decide();
    if (is_live) context_.out.flush();
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
    const std::vector<std::uint32_t> label =
        neardup::extend_groups(kept_, fingerprints_, settings.distance, check,
                               {.blocks = settings.blocks, .run = neardup::threads{settings.threads}});
    const std::size_t kept_before = kept_.size();
    std::size_t next = 0;
    for (const waiting_document& d : waiting_) {
      const bool is_new = !d.facts->has_tokens || label[next] == kept_before + next;
      if (is_new && d.facts->has_tokens) {
        kept_.push_back(fingerprints_[next]);
        check_.add(*d.facts);
      }
      if (d.facts->has_tokens) ++next;
      if (!is_new) continue;
      if (d.line > 0) {
        copier_.copy(d.raw);
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
  };

  context& context_;
  record_copier& copier_;
  std::vector<neardup::simhash<Bits>> kept_;
  document_check check_;

  std::vector<waiting_document> waiting_;
  std::vector<neardup::simhash<Bits>> fingerprints_;  // of those that wait and have one
  std::vector<finished_batch<Bits>> batches_;         // which hold them
  std::uint64_t bytes_ = 0;
};

template <std::size_t Bits>
void run_first_come(context& c) {
  record_copier copier(c);
  first_come_filter<Bits> filter(c, copier);
  const std::exception_ptr bad = caught([&] {
    for_each_document<Bits>(
        c, [&](const placed_document<Bits>& d) { filter.take(d); },
        [&](finished_batch<Bits>&& done) { filter.hold(std::move(done)); });
  });
  filter.decide();  // what comes before bad input, too
  if (bad) std::rethrow_exception(bad);
  copier.finish_run();
}

template <std::size_t Bits>
void run_groups_first(context& c) {
  corpus<Bits> all(c.settings);
  struct without_tokens {
    std::size_t before;  // the number of documents with tokens before it
    place where;
  };
  std::vector<without_tokens> others;
  for_each_document<Bits>(c, [&](const placed_document<Bits>& d) {
    if (d.facts.has_tokens) {
      all.add(d);
    } else {
      others.push_back({all.fingerprints.size(), {d.from, d.offset, d.facts.length}});
    }
  });
  const std::vector<std::uint32_t> label = find_groups(c, all);

  record_copier copier(c);
  record_rereader reader(std::size_t{1} << 20);
  const auto keep = [&](const place& where) {
    if (c.settings.unit == unit_of_input::files) {
      copier.print(where.from->path);
    } else {
      copier.copy(reader.at(where));
    }
  };
  std::size_t next_other = 0;
  for (std::size_t i = 0; i <= label.size(); ++i) {
    for (; next_other < others.size() && others[next_other].before == i; ++next_other) keep(others[next_other].where);
    if (i == label.size() || label[i] != i) continue;
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
