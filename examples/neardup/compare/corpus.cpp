#include "corpus.hpp"

#include <algorithm>
#include <numeric>

#include "../documents/index_file.hpp"
#include "../ground/errors.hpp"
#include "../ground/exact_number.hpp"

namespace command {

void fail_changed(const source& from) { throw input_error({from.name(), "was changed while it was being read"}); }

void document_table::add(const placed_document& d) {
  if (runs_.empty() || runs_.back().from != d.from) runs_.push_back({static_cast<std::uint32_t>(size_), d.from});
  if (d.facts.repeats_id) repeated_.emplace(size_, d.line);
  constexpr std::size_t most_before = 10;  // bytes of the number before an id
  const std::string_view id = d.id.value_or("");
  if (names_.empty() || names_.back().size() + most_before + id.size() > block_of_names) {
    names_.emplace_back().reserve(block_of_names);
  }
  std::string& to = names_.back();
  if (size_++ % names_a_start == 0) starts_.push_back((names_.size() - 1) * block_of_names + to.size());
  std::uint64_t number = d.id ? 2 * id.size() + 1 : 2 * d.line;
  for (; number >= 0x80; number >>= 7) to += static_cast<char>(number | 0x80);
  to += static_cast<char>(number);
  to += id;
  if (keeps_places_) extents_.emplace_back(d.offset, d.facts.length);
}

const std::shared_ptr<source>& document_table::source_of(std::size_t i) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), i,
                                      [](std::size_t number, const run& r) { return number < r.first; });
  return std::prev(after)->from;
}

std::string document_table::id(std::size_t i) const {
  const std::uint64_t start = starts_[i / names_a_start];
  std::size_t block = start / block_of_names, at = start % block_of_names;
  for (std::size_t before = i % names_a_start;; --before) {
    if (at == names_[block].size()) ++block, at = 0;
    const std::string& from = names_[block];
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(from[at++]);
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    const std::size_t size = number % 2 == 0 ? 0 : number / 2;
    if (before == 0) return number % 2 == 0 ? source_of(i)->id_of(number / 2) : from.substr(at, size);
    at += size;
  }
}

std::string document_table::place_of_repeated(std::size_t i) const {
  const auto found = repeated_.find(i);
  return found == repeated_.end() ? "" : source_of(i)->id_of(found->second);
}

place document_table::where(std::size_t i) const { return {source_of(i), extents_[i].first, extents_[i].second}; }

void corpus::add(const placed_document& d) {
  if (size() == UINT32_MAX) throw input_error({d.from->name(), "more than 4,294,967,295 documents"});
  if (has_names) documents.add(d);
  if (has_fingerprints) fingerprints.push_back(d.facts.fingerprint);
  check.add(d.facts.features);
  if (paired != pairing::all) {
    const auto next = static_cast<std::uint32_t>(value_numbers.size());
    const auto [found, is_new] = value_numbers.try_emplace(std::string(d.by), next);
    if (is_new) value_texts.push_back(&found->first);
    values.push_back(found->second);
  }
  if (keep == preference::longest) scores.push_back(static_cast<double>(d.facts.text_length));
  if (keep != preference::highest && keep != preference::lowest) return;
  if (d.exact_score != nullptr) {
    exact_scores.push_back({scores.size(), d.exact_score->kind, d.exact_score->text});
  }
  scores.push_back(d.facts.score);
}

void for_each_value(const corpus& all, const documents_visitor& visit) {
  std::vector<std::size_t> ends(all.value_numbers.size() + 1);  // at first: the beginning of the next value
  for (const std::uint32_t value : all.values) ++ends[value + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> numbers(ends.back());
  for (std::uint32_t i = 0; i < all.size(); ++i) numbers[ends[all.values[i]]++] = i;
  const auto behind_known = static_cast<std::uint32_t>(all.against);
  std::size_t begin = 0;
  for (std::size_t value = 0; value + 1 < ends.size(); begin = ends[value++]) {
    const std::span<const std::uint32_t> both = std::span(numbers).subspan(begin, ends[value] - begin);
    const auto known = static_cast<std::size_t>(std::ranges::lower_bound(both, behind_known) - both.begin());
    if (both.size() > 1 && known < both.size()) visit(both.first(known), both.subspan(known));
  }
}

void for_each_against(context& c, const document_visitor& visit) {
  const against_settings& against = c.settings.against;
  if (!against.any()) return;
  const comparison_settings& how = c.settings.comparison;
  const bool has_least_size = how.checks_containment() && !how.is_lossless;
  std::uint64_t too_small = 0;
  std::string first_too_small;
  const auto visit_theirs = [&](const placed_document& d) {
    const bool is_too_small = d.facts.has_tokens && d.facts.features.size() < neardup::default_min_contained;
    if (has_least_size && is_too_small && too_small++ == 0) first_too_small = d.name();
    visit(d);
  };
  for (const std::string& path : against.indexes) for_each_indexed(c, path, visit_theirs);
  if (!against.paths.empty()) {
    input_settings theirs = c.settings.input;
    theirs.paths = against.paths;
    theirs.first_may_be_verb = false;
    theirs.score_field.clear();
    if (!theirs.needs_source_field) theirs.source_field.clear();
    theirs.keeps_texts = against.keeps_texts;
    theirs.watches_ids = false;  // the other corpus may have the same ids
    source_walker sources(theirs);
    c.leave_out_outputs(sources);
    sources.pass_over_indexes();
    for_each_document(c, theirs, sources, visit_theirs, nullptr);
  }
  c.against = c.notes.documents();
  if (c.settings.output.quiet) return;
  const bool reads_any = !against.paths.empty() || !against.indexes.empty();
  if (reads_any && c.against == 0) say("warning: the corpus of --against has no documents");
  if (too_small == 0) return;
  say("warning: " + counted(too_small, "document of --against has", "documents of --against have") + " fewer than " +
      std::to_string(neardup::default_min_contained) + " features (the first: " + first_too_small +
      "), too few for any match; --features words or chars:5 may give more");
}

void read_corpus(context& c, corpus& all, const document_visitor& visit) {
  const auto add = [&](const placed_document& d) {
    if (d.facts.has_tokens) all.add(d);
  };
  for_each_against(c, [&](const placed_document& d) {
    add(d);
    if (!d.facts.has_tokens || !c.settings.against.keeps_texts) return;
    all.against_pairs.add(d.texts == nullptr ? std::vector<common::word_pair>()
                                             : common::word_pairs_of({d.texts->begin(), d.texts->end()}));
  });
  all.end_against();
  for_each_document(c, [&](const placed_document& d) {
    if (visit) visit(d);
    all.come(d);
    add(d);
  });
  c.notes.forget_ids();
  std::size_t texts = 0, first_text = 0, numbers = all.size() - all.against;
  for (const exact_key& key : all.exact_scores) {
    if (key.position < all.against || key.kind == key_kind::number) continue;
    --numbers;
    if (key.kind == key_kind::text && texts++ == 0) first_text = key.position;
  }
  if (texts > 0 && numbers > 0 && !c.settings.output.quiet) {
    say("--keep prefers numbers, and " + counted(texts, "document has", "documents have") + " a text in the field " +
        c.settings.input.score_field + (all.has_names ? " (the first: " + all.documents.id(first_text) + ")" : ""));
  }
  const bool prefers_lowest = all.keep == preference::lowest;
  if (!all.exact_scores.empty()) {
    rank_exactly(all.scores, all.exact_scores, prefers_lowest);
  } else if (prefers_lowest) {
    for (double& score : all.scores) score = -score;
  }
}

}  // namespace command
