// What all verbs work with, and the pass over the input that they share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <neardup/fingerprint/idf_table.hpp>
#include <neardup/index/layout.hpp>
#include <utility>

#include "documents.hpp"
#include "input.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "report.hpp"
#include "source.hpp"

namespace command {

struct context {
  /// The file of an index is written by the library, whole or not at all.
  explicit context(const options& s)
      : settings(s), sources(s), notes(s), out(s.writes_file_at_end() ? "" : s.output_file) {
    sources.leave_out(out.partial());
  }

  const options& settings;
  source_walker sources;
  report notes;
  output out;  // opened last: that empties a file
};

/// Calls `visit(placed_document<Bits>)` for each document in the order of the input, and `after(finished_batch<Bits>&&)`
/// after those of each batch, also of one that ends in bad input.
template <std::size_t Bits, class Visit, class After>
void for_each_document(context& c, Visit&& visit, After&& after) {
  if (c.settings.unit == unit_of_input::fingerprints) {
    list_reader<Bits> lists(c.settings);
    return for_each_listed<Bits>(lists, c.sources, c.notes, visit);
  }
  batch_reader reader(c.settings, c.sources, c.settings.needs_second_look());
  placer put_in_place(c.notes);
  run_in_order<batch>(
      c.settings.threads, [&](batch& next, const std::atomic<bool>& stop) { return reader.next(next, stop); },
      [&] { return batch_worker<Bits>(c.settings); },
      [&](finished_batch<Bits>&& done) {
        const std::exception_ptr bad = caught([&] { put_in_place(done, visit); });
        after(std::move(done));
        if (bad) std::rethrow_exception(bad);
      });
}

template <std::size_t Bits, class Visit>
void for_each_document(context& c, Visit&& visit) {
  for_each_document<Bits>(c, visit, [](const finished_batch<Bits>&) {});
}

/// The blocks of the index of a stream, of which nobody knows how long it gets: what was asked for, or the default.
inline int blocks_of(const options& settings) {
  return settings.blocks > 0 ? settings.blocks : neardup::default_blocks(settings.bits, settings.distance);
}

/// Learns how rare the features of the input are, in a pass of its own; the next pass reads the same sources.
std::shared_ptr<const neardup::idf_table> learn_idf(context& c);

/// Ends a run: everything is written, and the notes are said.
inline void finish(context& c, const std::string& summary) {
  c.out.close();
  c.notes.finish(counted(c.notes.documents(), "document", "documents") + summary, c.sources.reached_twice(),
                 c.sources.special_files(), c.sources.hidden());
}

}  // namespace command
