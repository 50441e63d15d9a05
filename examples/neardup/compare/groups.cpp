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

/// The documents that are grouped: those of the other corpus, if there is one, and those of the input.
struct grouped_documents {
  document_numbers known, input;

  /// Returns the number of the document at a position. The documents of the other corpus have the first positions.
  [[nodiscard]] std::uint32_t operator[](std::size_t position) const {
    return position < known.size() ? known[position] : input[position - known.size()];
  }
};

std::vector<std::uint32_t> group_exactly(context& c, const corpus& all, const grouped_documents& documents,
                                         const neardup::group_options& how) {
  const auto& [known, input] = documents;
  const bool is_against = c.settings.against.any();
  if (c.settings.comparison.checks_edits()) {
    const neardup::edit least = edit_threshold(c);
    const checked_texts others(all.check, known), texts(all.check, input);
    return labels_of_texts(is_against ? neardup::extend_groups(others, texts, least, how)
                                      : neardup::group(texts, least, how));
  }
  if (joins_by_partitions(c, all.check, known.size() + input.size())) {
    return group_by_partitions(c, all.check, is_against ? std::optional(known) : std::nullopt, input, how);
  }
  const checked_sets others(all.check, known), sets(all.check, input);
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  return is_against ? neardup::extend_groups(others, sets, least, how) : neardup::group(sets, least, how);
}

/// Returns the fingerprints of documents. `copied`: memory for the fingerprints of listed documents.
fingerprint_part fingerprints_of(const corpus& all, const document_numbers& documents, fingerprint_vector& copied) {
  if (documents.size() == 0 || documents[documents.size() - 1] - documents[0] + 1 == documents.size()) {
    const std::size_t first = documents.size() == 0 ? 0 : documents[0];
    return all.fingerprints.part(first, first + documents.size());
  }
  for (std::size_t i = 0; i < documents.size(); ++i) copied.push_back(all.fingerprints[documents[i]]);
  return copied.part(0, copied.size());
}

std::vector<std::uint32_t> group_by_fingerprints(const context& c, const corpus& all,
                                                 const grouped_documents& documents,
                                                 const neardup::group_options& how) {
  const neardup::bits within = within_of(c.settings.comparison);
  std::optional<position_check> check;
  if (all.check.decides()) {
    position_check::features_type features;
    if (all.check.can_join()) features = [&](std::size_t i) { return all.check[documents[i]]; };
    check.emplace(
        c.settings.comparison.min_similarity.value_or(0),
        [&](std::size_t i, std::size_t j) { return all.check(documents[i], documents[j]); }, features);
  }
  fingerprint_vector copied_known(c.settings.fingerprint.bits), copied(c.settings.fingerprint.bits);
  const fingerprint_part prints = fingerprints_of(all, documents.input, copied);
  if (c.settings.against.any()) {
    return extend_groups_of_distinct(distinct_documents(all, documents.known),
                                     fingerprints_of(all, documents.known, copied_known), prints, within,
                                     check ? &*check : nullptr, how);
  }
  return with_bits(c.settings.fingerprint.bits, [&](auto bits) {
    const auto some = prints.of<bits>();
    return check ? neardup::group(some, within, *check, how) : neardup::group(some, within, how);
  });
}

/// Returns the labels of the documents of the input. The labels are positions, see grouped_documents.
std::vector<std::uint32_t> group_documents(context& c, const corpus& all, const grouped_documents& documents,
                                           bool originals) {
  std::vector<double> scores;
  for (std::size_t i = 0; !all.scores.empty() && i < documents.input.size(); ++i) {
    scores.push_back(all.scores[documents.input[i]]);
  }
  neardup::group_options how = exact_grouping(c.settings, scores);
  how.originals = originals;
  if (all.paired == pairing::across) how.across = all.values;
  if (c.settings.comparison.is_exact) return group_exactly(c, all, documents, how);
  return group_by_fingerprints(c, all, documents, how);
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

/// Groups few documents, without a join, and sets the labels of those of the input.
/// Complexity: a comparison of each pair.
void group_few(const context& c, const corpus& all, const grouped_documents& documents,
               std::vector<std::uint32_t>& label) {
  const auto known = static_cast<std::uint32_t>(documents.known.size());
  const std::uint32_t count = known + static_cast<std::uint32_t>(documents.input.size());
  std::vector<std::uint32_t> order;  // the order of decision
  for (std::uint32_t i = 0; i < count; ++i) order.push_back(documents[i]);
  const auto score = [&](std::uint32_t i) {
    if (!all.scores.empty()) return all.scores[i];
    return c.settings.comparison.checks_containment() ? static_cast<double>(all.check[i].size()) : 0;
  };
  std::stable_sort(order.begin() + known, order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return score(a) > score(b); });
  const neardup::group_options how = exact_grouping(c.settings, {});
  neardup::pair_groups<std::uint32_t> representatives(count);
  neardup::pair_components<std::uint32_t> components(count);
  for (std::uint32_t later = known; later < count; ++later) {
    for (std::uint32_t earlier = 0; earlier < (how.among_themselves ? later : known); ++earlier) {
      const neardup::check_result found = compare_two(c, all, order[earlier], order[later]);
      if (!found.accepts) continue;
      components.add(later, earlier);
      representatives.add(later, earlier,
                          [&] { return neardup::closeness_of(found, all.distance(order[earlier], order[later])); });
    }
  }
  const std::vector<std::uint32_t> by_order =
      how.by == neardup::grouping::components ? components.finish() : representatives.finish();
  for (std::uint32_t i = known; i < count; ++i) label[order[i]] = order[by_order[i]];
}

/// Groups the documents of each value separately, for --within.
std::vector<std::uint32_t> group_within_values(context& c, const corpus& all, bool originals) {
  std::vector<std::uint32_t> label(all.size());
  std::iota(label.begin(), label.end(), 0U);
  for_each_value(all, [&](const document_numbers& known, const document_numbers& input) {
    const grouped_documents documents{known, input};
    if (known.size() + input.size() <= most_compared) return group_few(c, all, documents, label);
    const std::vector<std::uint32_t> positions = group_documents(c, all, documents, originals);
    for (std::size_t i = 0; i < positions.size(); ++i) label[input[i]] = documents[positions[i]];
  });
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

distinct_documents::distinct_documents(const corpus& all, const document_numbers& documents) {
  const std::size_t count = documents.size();
  std::vector<std::uint64_t> order;  // upper half: hash of a fingerprint; lower half: number of the document
  order.reserve(count);
  const auto hash_in = [](std::uint64_t value) { return value >> 32; };
  const auto number_in = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const fingerprint_words prints = all.fingerprints.words();
  const auto compare = [&](std::uint32_t i, std::uint32_t j) {
    const std::uint32_t a = documents[i], b = documents[j];
    const std::strong_ordering by_fingerprint = prints.compare(a, b);
    if (by_fingerprint != 0) return by_fingerprint;
    if (all.paired == pairing::across && all.values[a] != all.values[b]) return all.values[a] <=> all.values[b];
    return all.check.decides() ? compare_features(all.check[a], all.check[b]) : by_fingerprint;
  };
  std::vector<bool> is_repeat(count);
  for (std::size_t i = 0; i < count; ++i) order.push_back(prints.hash(documents[i]) << 32 | i);
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
                                                     const position_check* check, neardup::group_options how) {
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
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; !how.across.empty() && known.number_at(i) < how.across.size(); ++i) {
    values.push_back(how.across[known.number_at(i)]);
  }
  how.across = values;
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
  say_comparing(c, all);
  if (all.paired == pairing::within) return group_within_values(c, all, originals);
  const auto label = group_documents(c, all, {{0, all.against}, {all.against, all.size()}}, originals);
  return c.settings.against.any() ? behind_against(all, label) : label;
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
