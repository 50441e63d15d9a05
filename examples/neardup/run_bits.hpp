// The definition of run(), for the file that instantiates it: one a width, so that they compile side by side.
#pragma once

#include <cstddef>
#include <memory>
#include <neardup/fingerprint/idf_table.hpp>
#include <neardup/index/layout.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "context.hpp"
#include "errors.hpp"
#include "groups.hpp"
#include "index_file.hpp"
#include "lists.hpp"
#include "look.hpp"
#include "pairs.hpp"
#include "report_page.hpp"
#include "run.hpp"
#include "shards.hpp"
#include "unique.hpp"

namespace command {

/// `neardup hash --format bin`: a list; the id of a document is its number in the input, that of a record stays.
template <std::size_t Bits>
void run_hash_to_list(context& c) {
  std::vector<neardup::list_entry<Bits>> entries;
  std::uint64_t number = 0;
  list_reader<Bits> lists(c.settings);
  const auto add = [&](const placed_document<Bits>& d) {
    const std::uint64_t id = d.record_id.value_or(number);
    ++number;
    if (d.facts.has_tokens) entries.push_back({d.facts.fingerprint, id});
  };
  if (c.settings.unit == unit_of_input::fingerprints) {
    for_each_listed<Bits>(lists, c.sources, c.notes, add);
  } else {
    for_each_document<Bits>(c, add);
  }
  const auto made_of = lists.made_of() ? *lists.made_of() : composition_of_options<Bits>(c.settings);
  neardup::write_list<Bits>(entries, made_of, [&](std::string_view bytes) { c.out << bytes; });
  finish(c, "");
}

/// `neardup hash`: the fingerprint of each document.
template <std::size_t Bits>
void run_hash(context& c) {
  if (c.settings.shard) return run_hash_to_shard<Bits>(c);
  if (c.settings.format == output_format::binary) return run_hash_to_list<Bits>(c);
  for_each_document<Bits>(
      c,
      [&](const placed_document<Bits>& d) {
        const std::string id = d.id ? std::string(*d.id) : default_id(*d.from, d.line);
        if (c.settings.format == output_format::json_lines) {
          c.out << "{\"id\":" << json_string(id)
                << ",\"fingerprint\":" << (d.facts.has_tokens ? '"' + d.facts.fingerprint.to_hex() + '"' : "null")
                << "}\n";
        } else {
          c.out << (d.facts.has_tokens ? d.facts.fingerprint.to_hex() : "-") << "  " << printable(id) << '\n';
        }
      },
      [&](const finished_batch<Bits>& done) {
        if (done.input.live) c.out.flush();
      });
  finish(c, "");
}

template <std::size_t Bits>
void run_verb(context& c, options& settings) {
  switch (c.settings.action) {
    case verb::groups: return run_groups<Bits>(c);
    case verb::pairs: return run_pairs<Bits>(c);
    case verb::unique: return run_unique<Bits>(c);
    case verb::hash: return run_hash<Bits>(c);
    case verb::tokens: return run_tokens(c);
    case verb::find: return run_find(c);
    case verb::index: return run_index<Bits>(c);
    case verb::query: return run_query<Bits>(c);
    case verb::report: return run_report<Bits>(c);
    case verb::join: return run_join<Bits>(c);
    case verb::merge: return run_merge<Bits>(c, settings);
    case verb::verify:
    case verb::manifest:
    case verb::advise:
    case verb::diff: break;  // do not depend on the width
  }
}

template <std::size_t Bits>
bool run(options& settings) {
  if (settings.compares() && !neardup::layout::is_valid(Bits, settings.distance, blocks_of(settings))) {
    throw usage_error("--blocks " + std::to_string(settings.blocks) + " with --distance " +
                      std::to_string(settings.distance) +
                      " needs more tables than an index may have; take fewer blocks");
  }
  if (!settings.idf_file.empty()) {
    try {
      settings.idf = std::make_shared<const neardup::idf_table>(neardup::idf_table::load(settings.idf_file));
      if (settings.idf->size() == 0) throw std::runtime_error(settings.idf_file + ": there is no term in it");
    } catch (const std::runtime_error& error) {
      throw input_error({"", error.what()});
    }
  }
  context c(settings);
  if (settings.choice && !settings.quiet) say_choice(settings);
  if (settings.learns_idf()) settings.idf = learn_idf(c);
  run_verb<Bits>(c, settings);
  return c.found_any;
}

}  // namespace command
