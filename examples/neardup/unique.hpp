// `neardup unique`: the input without what came before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <neardup/dedup/deduplicator.hpp>
#include <neardup/index/pigeonhole_index.hpp>
#include <string>
#include <string_view>
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

/// Keeps a document unless it is a near-duplicate of one that was kept before.
template <std::size_t Bits>
class first_come_filter {
 public:
  explicit first_come_filter(context& c)
      : context_(c),
        index_(c.settings.distance, blocks_of(c.settings)),
        kept_(c.settings.needs_second_look()),
        check_(c.settings, kept_) {}

  /// Whether a document is to be kept; remembers it then.
  bool keep(const placed_document<Bits>& d) {
    if (!d.facts.has_tokens) return true;
    const auto check = [&](std::uint32_t id) { return check_.accepts(id, d.facts); };
    const auto& fingerprint = d.facts.fingerprint;
    if (neardup::has_original(index_, fingerprint, context_.settings.distance, check)) return false;
    if (count_ == document_table::max_size) throw input_error({d.from->name(), "more than 4,294,967,295 documents"});
    index_.insert(fingerprint, static_cast<std::uint32_t>(count_++));
    if (context_.settings.min_similarity) kept_.add(d);
    check_.add(d.facts);
    return true;
  }

 private:
  context& context_;
  neardup::pigeonhole_index<Bits, neardup::dynamic_layout> index_;
  std::size_t count_ = 0;
  document_table kept_;  // with a check, which may read them again
  document_check check_;
};

template <std::size_t Bits>
void run_first_come(context& c) {
  first_come_filter<Bits> filter(c);
  record_copier copier(c);
  for_each_document<Bits>(
      c,
      [&](const placed_document<Bits>& d) {
        if (!filter.keep(d)) return;
        if (d.line > 0) {
          copier.copy(d.raw);
        } else {
          copier.print(d.from->path);
        }
      },
      [&](const finished_batch<Bits>& done) {
        if (done.input.live) c.out.flush();
      });
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
    if (i < label.size() && label[i] == i) keep(all.documents.where(i));
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
