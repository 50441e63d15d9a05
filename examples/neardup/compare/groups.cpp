#include "groups.hpp"

#include <neardup/dedup/group.hpp>
#include <neardup/dedup/pair_groups.hpp>
#include <neardup/threads.hpp>
#include <numeric>

#include "../ground/text.hpp"
#include "context.hpp"
#include "near_pairs.hpp"
#include "partitions.hpp"

namespace command {

namespace {

/// Returns the labels of all documents: first the other corpus, where label[i] == i, then `of_input`.
std::vector<std::uint32_t> behind_against(const corpus& all, const std::vector<std::uint32_t>& of_input) {
  std::vector<std::uint32_t> label(all.against);
  std::iota(label.begin(), label.end(), 0U);
  label.insert(label.end(), of_input.begin(), of_input.end());
  return label;
}

std::vector<std::uint32_t> group_exactly(context& c, const corpus& all, bool originals) {
  std::span<const double> scores(all.scores);
  if (!scores.empty()) scores = scores.subspan(all.against);
  if (c.settings.comparison.checks_edits()) {
    const neardup::edit least = edit_threshold(c);
    const neardup::group_options by_edits = exact_grouping(c.settings, scores);
    const auto texts = checked_texts(all.check, all.against, all.check.size());
    if (!c.settings.against.any()) return labels_of_texts(neardup::group(texts, least, by_edits));
    const auto others = checked_texts(all.check, 0, all.against);
    return behind_against(all, labels_of_texts(neardup::extend_groups(others, texts, least, by_edits)));
  }
  neardup::group_options how = exact_grouping(c.settings, scores);
  how.originals = originals;
  if (joins_by_partitions(all.check)) {
    const auto label = group_by_partitions(c, all.check, all.against, how);
    return c.settings.against.any() ? behind_against(all, label) : label;
  }
  const checked_sets sets(all.check, all.against, all.check.size());
  if (!c.settings.against.any()) return neardup::group(sets, set_threshold_of(c.settings.comparison), how);
  const checked_sets others(all.check, 0, all.against);
  return behind_against(all, neardup::extend_groups(others, sets, set_threshold_of(c.settings.comparison), how));
}

/// Returns true if group_within_values() is the fastest way. The sets must be in memory. There must be few values for
/// --within, or many documents of each value, because each value takes a join of its own.
bool groups_within_values(const context& c, const corpus& all) {
  constexpr std::size_t few_values = 64, many_of_each = 10;
  const std::size_t values = all.value_numbers.size();
  return all.paired == pairing::within && c.settings.comparison.is_exact && !c.settings.comparison.checks_edits() &&
         !joins_by_partitions(all.check) && (values <= few_values || all.size() / values >= many_of_each);
}

/// Groups the documents of each value separately, for --within.
std::vector<std::uint32_t> group_within_values(context& c, const corpus& all, bool originals) {
  std::vector<std::vector<std::uint32_t>> known(all.value_numbers.size()), input(all.value_numbers.size());
  std::vector<std::uint32_t> label(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    (i < all.against ? known : input)[all.values[i]].push_back(i);
    label[i] = i;
  }
  for (std::size_t v = 0; v < input.size(); ++v) {
    if (input[v].empty()) continue;
    std::vector<double> scores;
    for (const std::uint32_t i : input[v]) {
      if (!all.scores.empty()) scores.push_back(all.scores[i]);
    }
    neardup::group_options how = exact_grouping(c.settings, scores);
    how.originals = originals;
    const checked_sets sets(all.check, input[v]);
    const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
    const auto labels = c.settings.against.any()
                            ? neardup::extend_groups(checked_sets(all.check, known[v]), sets, least, how)
                            : neardup::group(sets, least, how);
    const std::size_t before = known[v].size();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      label[input[v][i]] = labels[i] < before ? known[v][labels[i]] : input[v][labels[i] - before];
    }
  }
  return label;
}

std::vector<std::uint32_t> group_all(const context& c, const corpus& all, bool originals) {
  neardup::group_options how{
      .by = c.settings.grouping.by_components ? neardup::grouping::components : neardup::grouping::representatives,
      .preference = all.scores,
      .originals = originals,
      .run = neardup::threads{c.settings.threads}};
  const neardup::bits within = within_of(c.settings.comparison);
  std::optional<position_check> check;
  if (all.check.decides()) {
    position_check::features_type features;
    if (all.check.can_join()) features = [&](std::size_t i) { return all.check[i]; };
    check.emplace(
        c.settings.comparison.min_similarity.value_or(0), [&](std::size_t i, std::size_t j) { return all.check(i, j); },
        features);
  }
  if (c.settings.against.any()) {
    how.among_themselves = c.settings.against.also_within;
    if (!all.scores.empty()) how.preference = how.preference.subspan(all.against);
    return behind_against(
        all, extend_groups_of_distinct(distinct_documents(all, all.against), all.fingerprints.part(0, all.against),
                                       all.fingerprints.part(all.against, all.size()), within,
                                       check ? &*check : nullptr, how));
  }
  return with_bits(c.settings.fingerprint.bits, [&](auto bits) {
    const auto& prints = all.fingerprints.of<bits>();
    return check ? neardup::group(prints, within, *check, how) : neardup::group(prints, within, how);
  });
}

std::string group_as_json(const run_settings& settings, std::uint64_t number_of_group,
                          const std::vector<group_member>& members) {
  std::string text = "{\"group\":" + std::to_string(number_of_group) + ",\"size\":" + std::to_string(members.size()) +
                     ",\"members\":[";
  for (const group_member& m : members) {
    if (&m != members.data()) text += ',';
    text += "{\"id\":" + json_string(m.id);
    if (m.distance) {
      text += ",\"distance\":" + std::to_string(*m.distance) +
              ",\"estimate\":" + similarity_number(estimate_of(settings.fingerprint, *m.distance));
    }
    if (settings.comparison.min_similarity) text += ",\"similarity\":" + similarity_number(m.similarity);
    if (m.is_against) text += ",\"against\":true";
    text += '}';
  }
  return text + "]}\n";
}

/// Returns the documents in the order of decision: first the other corpus, then by preference, then by position.
std::vector<std::uint32_t> order_of_decision(const context& c, const corpus& all) {
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<double> scores = all.scores;
  if (scores.empty() && c.settings.comparison.checks_containment()) {
    for (std::size_t i = 0; i < all.size(); ++i) scores.push_back(static_cast<double>(all.check[i].size()));
  }
  if (scores.empty()) return order;
  std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(all.against), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  return order;
}

/// Finds all pairs that --within and --across allow, and groups documents by these pairs, with the library's rule.
/// --within, --across and codes of any width need this function.
std::vector<std::uint32_t> group_by_pairs(context& c, const corpus& all) {
  const auto count = static_cast<std::uint32_t>(all.size());
  const std::vector<std::uint32_t> order = order_of_decision(c, all);
  std::vector<std::uint32_t> rank(count);
  for (std::uint32_t i = 0; i < count; ++i) rank[order[i]] = i;
  neardup::pair_groups<std::uint32_t> representatives(count);
  neardup::pair_components<std::uint32_t> components(count);
  // Of documents with equal values and equal data, only the first is compared with other documents. Each copy is linked
  // to the first: n equal documents need only n - 1 links.
  std::vector<bool> is_copy(count);
  if (all.paired != pairing::across && (!c.settings.against.any() || c.settings.against.also_within)) {
    const fingerprint_words prints = all.fingerprints.words();
    const auto compare = [&](std::uint32_t x, std::uint32_t y) -> std::strong_ordering {
      const std::uint32_t a = order[x], b = order[y];
      const bool is_known = a < all.against || b < all.against;
      if (is_known) return a <=> b;
      if (all.paired == pairing::within && all.values[a] != all.values[b]) return all.values[a] <=> all.values[b];
      if (all.has_fingerprints) {
        const std::strong_ordering by_fingerprint = prints.compare(a, b);
        if (by_fingerprint != 0 || !all.check.decides()) return by_fingerprint;
      }
      return compare_features(all.check[a], all.check[b]);
    };
    const std::vector<std::uint32_t> first = first_of_equal(count, compare);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (first[i] == i) continue;
      const std::size_t size = all.check[order[i]].size();
      const comparison_settings& how = c.settings.comparison;
      const bool is_too_small = how.checks_containment() && !how.is_lossless && size < neardup::default_min_contained;
      if (is_too_small || (all.check.decides() && !all.check(order[first[i]], order[i]).accepts)) continue;
      is_copy[order[i]] = true;
      representatives.add_copy(i, first[i]);
      components.add(i, first[i]);
    }
  }
  const bool is_paired = all.paired != pairing::all;
  if (all.fingerprints.wide() != nullptr && all.against > 0 && !c.settings.grouping.by_components && !is_paired) {
    // Without --within and --across, only the first of equal codes of the other corpus can be an original.
    const distinct_documents known(all, all.against);
    if (known.has_repeats()) {
      std::fill_n(is_copy.begin(), all.against, true);
      for (const std::uint32_t number : known.numbers()) is_copy[number] = false;
    }
  }
  sorted_pairs found(c.settings.grouping.memory);
  find_near_pairs(c, all, found, false, is_copy);
  sorted_pairs decided(c.settings.grouping.memory);  // sorted by the later document, then the earlier one
  found.visit_all([&](std::span<const checked_pair> some) {
    for (const checked_pair& pair : some) {
      const std::uint32_t later = std::max(rank[pair.a], rank[pair.b]), earlier = std::min(rank[pair.a], rank[pair.b]);
      if (c.settings.grouping.by_components) {
        components.add(later, earlier);
      } else {
        decided.add({later, earlier, pair.similarity});
      }
    }
  });
  std::vector<std::uint32_t> by_rank;
  if (c.settings.grouping.by_components) {
    by_rank = components.finish();
  } else {
    const bool has_check = c.settings.comparison.min_similarity.has_value();
    decided.visit_all([&](std::span<const checked_pair> some) {
      for (const checked_pair& pair : some) {
        representatives.add(pair.a, pair.b, [&] {
          return neardup::closeness_of({true, has_check ? std::optional(pair.similarity) : std::nullopt},
                                       all.distance(order[pair.a], order[pair.b]));
        });
      }
    });
    by_rank = representatives.finish();
  }
  std::vector<std::uint32_t> label(count);
  for (std::uint32_t i = 0; i < count; ++i) label[order[i]] = order[by_rank[i]];
  return label;
}

}  // namespace

std::string text_of_group(const run_settings& settings, std::uint64_t number_of_group,
                          const std::vector<group_member>& members) {
  if (settings.output.as_json()) {
    return group_as_json(settings, number_of_group, members);
  }
  double least = 1;
  for (const group_member& m : members) least = std::min(least, m.similarity);
  std::string text = number_of_group > 0 ? "\n" : "";
  text += counted(members.size(), "document", "documents") +
          (settings.comparison.checks_containment() ? ", containment " : ", similarity ") +
          (least >= 1 ? "1.000" : "to the first at least " + similarity_text(least)) + '\n';
  for (const group_member& m : members) {
    text += "  " + similarity_text(m.similarity) + "  " + printable(m.id) + '\n';
  }
  return text;
}

distinct_documents::distinct_documents(const corpus& all, std::size_t count) {
  std::vector<std::uint64_t> order;  // upper half: hash of a fingerprint; lower half: number of the document
  order.reserve(count);
  const auto hash_in = [](std::uint64_t value) { return value >> 32; };
  const auto number_in = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const fingerprint_words prints = all.fingerprints.words();
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    const std::strong_ordering by_fingerprint = prints.compare(a, b);
    if (by_fingerprint != 0 || !all.check.decides()) return by_fingerprint;
    return compare_features(all.check[a], all.check[b]);
  };
  std::vector<bool> is_repeat(count);
  for (std::size_t i = 0; i < count; ++i) order.push_back(prints.hash(i) << 32 | i);
  std::sort(order.begin(), order.end());
  for (auto first = order.begin(); first != order.end();) {
    const auto end =
        std::find_if(first, order.end(), [&](std::uint64_t value) { return hash_in(value) != hash_in(*first); });
    std::sort(first, end, [&](std::uint64_t a, std::uint64_t b) {
      const auto by_contents = compare(number_in(a), number_in(b));
      return by_contents != 0 ? by_contents < 0 : a < b;
    });
    for (auto one = first + 1; one < end; ++one) {
      if (compare(number_in(*(one - 1)), number_in(*one)) != 0) continue;
      is_repeat[number_in(*one)] = true;
      ++repeats_;
    }
    first = end;
  }
  if (repeats_ == 0) return;
  numbers_.reserve(count - repeats_);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_repeat[i]) numbers_.push_back(i);
  }
}

std::vector<std::uint32_t> extend_groups_of_distinct(const distinct_documents& known,
                                                     const fingerprint_part& representatives,
                                                     const fingerprint_part& fingerprints, const neardup::bits& within,
                                                     const position_check* check, const neardup::group_options& how) {
  const auto extend = [&](const fingerprint_part& others, const position_check* accepts) {
    return with_bits(fingerprints.all.bits(), [&](auto bits) {
      const auto earlier = others.of<bits>(), later = fingerprints.of<bits>();
      return accepts != nullptr ? neardup::extend_groups(earlier, later, within, *accepts, how)
                                : neardup::extend_groups(earlier, later, within, how);
    });
  };
  if (!known.has_repeats()) return extend(representatives, check);
  fingerprint_vector distinct(fingerprints.all.bits());
  const auto add = [&](std::size_t number) { distinct.push_back(representatives.all[representatives.first + number]); };
  for (const std::uint32_t number : known.numbers()) add(number);
  for (std::size_t i = known.count(); i < representatives.end - representatives.first; ++i) add(i);
  std::optional<position_check> of_positions;
  if (check != nullptr) {
    position_check::features_type features = check->features();
    if (features) {
      features = [&known, of = check->features()](std::size_t position) { return of(known.number_at(position)); };
    }
    of_positions.emplace(
        check->least(), [&](std::size_t i, std::size_t j) { return (*check)(known.number_at(i), known.number_at(j)); },
        std::move(features));
  }
  std::vector<std::uint32_t> labels =
      extend(distinct.part(0, distinct.size()), of_positions ? &*of_positions : nullptr);
  for (std::uint32_t& label : labels) label = static_cast<std::uint32_t>(known.number_at(label));
  return labels;
}

neardup::edit edit_threshold(context& c) {
  return {*c.settings.comparison.min_similarity,
          [&notes = c.notes](const neardup::edit_progress& p) { notes.compare_texts(p.done, p.all, p.meets_all); }};
}

std::vector<std::uint32_t> labels_of_texts(const std::vector<std::size_t>& labels) {
  std::vector<std::uint32_t> result;
  result.reserve(labels.size());
  for (const std::size_t label : labels) result.push_back(static_cast<std::uint32_t>(label));
  return result;
}

neardup::group_options exact_grouping(const run_settings& settings, std::span<const double> preference) {
  return {
      .by = settings.grouping.by_components ? neardup::grouping::components : neardup::grouping::representatives,
      .preference = preference,
      .among_themselves = !settings.against.any() || settings.against.also_within,
      .run = neardup::threads{settings.threads},
  };
}

std::vector<std::uint32_t> find_groups(context& c, const corpus& all, bool originals) {
  if (groups_within_values(c, all)) return group_within_values(c, all, originals);
  if (all.paired != pairing::all || all.fingerprints.wide() != nullptr) return group_by_pairs(c, all);
  if (c.settings.comparison.is_exact) {
    c.notes.phase("comparing " + counted(all.check.size(), "document", "documents"));
    return group_exactly(c, all, originals);
  }
  c.notes.phase("comparing " + counted(all.fingerprints.size(), "fingerprint", "fingerprints"));
  return group_all(c, all, originals);
}

document_groups::document_groups(context& c, const corpus& all) : settings_(c.settings), all_(all) {
  const std::vector<std::uint32_t> label = find_groups(c, all);
  for (std::uint32_t i = 0; i < label.size(); ++i) {
    if (label[i] != i) members_.push_back({label[i], i, all.distance(label[i], i)});
  }
  std::sort(members_.begin(), members_.end(),
            [](const candidate& x, const candidate& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (m == 0 || members_[m].a != members_[m - 1].a) begins_.push_back(m);
  }
  if (settings_.comparison.min_similarity)
    similarities_ = similarities_of(settings_.comparison.check, all.check, members_, 0, settings_.threads);
}

void document_groups::count_by_source(corpus& all) const {
  if (!all.sources) return;
  for (const candidate& member : members_) {
    if (member.b >= all.against) all.drop(member.b, member.a);
  }
}

void say_by_source(const context& c, const corpus& all) {
  if (!all.sources) return;
  say_sources(
      *all.sources, [&](std::uint64_t group) { return all.documents.id(group); }, c.settings.output.quiet);
}

group_member document_groups::member_of(std::uint32_t document, std::optional<int> distance,
                                        const std::optional<double>& similarity) const {
  return {document, all_.documents.id(document), document < all_.against, distance,
          settings_.comparison.min_similarity ? similarity.value_or(0) : estimate_of(settings_.fingerprint, *distance)};
}

group_member document_groups::original_of(std::size_t i) const {
  return member_of(members_[begins_[i]].a, all_.has_fingerprints ? std::optional(0) : std::nullopt, 1);
}

group_member document_groups::member(std::size_t i, std::size_t document) const {
  const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(begins_[i]);
  const auto end = begin + static_cast<std::ptrdiff_t>(members_of(i) - 1);
  const auto found =
      std::lower_bound(begin, end, document, [](const candidate& one, std::size_t number) { return one.b < number; });
  if (found == end || found->b != document) return original_of(i);
  const auto place = static_cast<std::size_t>(found - members_.begin());
  return member_of(found->b, found->distance, similarities_.empty() ? std::nullopt : similarities_[place]);
}

std::vector<group_member> document_groups::operator[](std::size_t i) const {
  std::vector<group_member> group{original_of(i)};
  const std::size_t end = i + 1 < size() ? begins_[i + 1] : members_.size();
  for (std::size_t m = begins_[i]; m < end; ++m) {
    group.push_back(
        member_of(members_[m].b, members_[m].distance, similarities_.empty() ? std::nullopt : similarities_[m]));
  }
  return group;
}

void finish_groups(context& c, const group_counts& counts) {
  finish(c,
         ": " + counted(counts.groups, "group", "groups") + " of near-duplicates, " +
             counted(counts.documents, "document", "documents") + " in them",
         counts.groups);
}

}  // namespace command
