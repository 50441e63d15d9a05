// The other corpus, of --against: texts, lists, and index files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "check.hpp"
#include "context.hpp"
#include "index_file.hpp"

namespace command {

/// Calls `visit` for each document of an index file. Throws: input_error.
template <std::size_t Bits>
void for_each_indexed(context& c, const std::string& path, list_reader<Bits>& lists,
                      const document_visitor<Bits>& visit) {
  const bool is_listed = c.settings.unit == unit_of_input::fingerprints;
  std::optional<neardup::fingerprint_composition> expected = lists.made_of();
  if (!is_listed) expected = composition_of_options<Bits>(c.settings);
  const auto view = open_index<Bits>(c, path, expected);
  lists.expect(view.made_of());
  const indexed_documents documents(path, view);
  say_if_unchecked(c, path, documents);
  const auto from = std::make_shared<source>(source{path, nullptr});
  std::vector<neardup::simhash<Bits>> fingerprints = fingerprints_of(path, view);
  document<Bits> d;
  d.has_tokens = true;
  d.short_digest = document_facts::unknown_digest;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    d.fingerprint = fingerprints[i];
    if (c.settings.min_similarity) {
      const auto features = documents.features(i);
      d.features.assign(features.begin(), features.end());
    }
    visit(placed_document<Bits>{d, from, 0, 0, {}, documents.name(i)});
  }
  c.notes.advance(fingerprints.size(), 0);
}

/// Calls `visit` for each document of --against: first those of its indexes, then the others.
template <std::size_t Bits>
void for_each_against(context& c, list_reader<Bits>& lists, const document_visitor<Bits>& visit) {
  if (!c.settings.has_against()) return;
  for (const std::string& path : c.settings.against_indexes) for_each_indexed<Bits>(c, path, lists, visit);
  if (!c.settings.against.empty()) {
    options theirs = c.settings;
    theirs.paths = theirs.against;
    theirs.first_may_be_verb = false;
    theirs.score_field.clear();
    source_walker sources(theirs);
    c.leave_out_outputs(sources);
    sources.pass_over_indexes();
    for_each_document<Bits>(c, theirs, sources, lists, visit);
  }
  c.against = c.notes.documents();
}

/// All documents with tokens: those of --against, and the input. `visit_other`, if there is one, gets the documents of
/// the input without, and what was read before.
template <std::size_t Bits>
corpus<Bits> read_corpus(
    context& c, const std::function<void(const corpus<Bits>&, const placed_document<Bits>&)>& visit_other = nullptr) {
  corpus<Bits> all(c.settings);
  list_reader<Bits> lists(c.settings);
  for_each_against<Bits>(c, lists, [&](const placed_document<Bits>& d) {
    if (d.facts.has_tokens) all.add(d);
  });
  all.end_against();
  const auto add = [&](const placed_document<Bits>& d) {
    if (d.facts.has_tokens) {
      all.add(d);
    } else if (visit_other) {
      visit_other(all, d);
    }
  };
  for_each_document<Bits>(c, c.settings, c.sources, lists, add);
  return all;
}

}  // namespace command
