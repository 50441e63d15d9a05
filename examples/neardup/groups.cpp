#include "groups.hpp"

#include <algorithm>
#include <neardup/dedup/group.hpp>
#include <neardup/threads.hpp>
#include <numeric>
#include <tuple>

#include "verbs.hpp"

namespace command {

namespace {

template <std::size_t Bits>
std::vector<std::uint32_t> group_all(const context& c, const corpus& all) {
  const auto& prints = all.fingerprints.of<Bits>();
  neardup::group_options how{
      .by = c.settings.by_components ? neardup::grouping::components : neardup::grouping::representatives,
      .preference = all.scores,
      .blocks = c.settings.blocks,
      .run = neardup::threads{c.settings.threads}};
  if (all.check.can_join()) {
    how.similarity = *c.settings.min_similarity;
    how.features = [&](std::size_t i) { return all.check[i]; };
  }
  const auto group = [&](const auto& check) {
    if (!c.settings.has_against()) return neardup::group(prints, c.settings.distance, check, how);
    // Documents of the other corpus stand for themselves, whatever they are like.
    const std::span fingerprints(prints);
    how.among_themselves = c.settings.also_within;
    if (!all.scores.empty()) how.preference = how.preference.subspan(all.against);
    const std::vector<std::uint32_t> of_input = neardup::extend_groups(
        fingerprints.first(all.against), fingerprints.subspan(all.against), c.settings.distance, check, how);
    std::vector<std::uint32_t> label(all.against);
    std::iota(label.begin(), label.end(), 0U);
    label.insert(label.end(), of_input.begin(), of_input.end());
    return label;
  };
  if (!all.check.decides()) return group(neardup::no_check{});
  return group([&](std::size_t i, std::size_t j) { return all.check.accepts(i, j); });
}

void print_group_json(context& c, std::uint64_t number_of_group, const std::vector<group_member>& members) {
  c.out << "{\"group\":" << std::to_string(number_of_group) << ",\"size\":" << std::to_string(members.size())
        << ",\"members\":[";
  for (const group_member& m : members) {
    if (&m != members.data()) c.out << ',';
    c.out << "{\"id\":" << json_string(m.id) << ",\"distance\":" << std::to_string(m.distance);
    if (c.settings.min_similarity) c.out << ",\"similarity\":" << number(m.similarity);
    if (m.is_against) c.out << ",\"against\":true";
    c.out << '}';
  }
  c.out << "]}\n";
}

void print_group_text(context& c, std::uint64_t number_of_group, const std::vector<group_member>& members) {
  double least = 1;
  for (const group_member& m : members) least = std::min(least, m.similarity);
  if (number_of_group > 0) c.out << '\n';
  c.out << counted(members.size(), "document", "documents") << ", similarity "
        << (least >= 1 ? "1.000" : "to the first at least " + similarity_text(least)) << '\n';
  for (const group_member& m : members) {
    c.out << "  " << similarity_text(m.similarity) << "  " << printable(m.id) << '\n';
  }
}

}  // namespace

void print_group(context& c, std::uint64_t number_of_group, const std::vector<group_member>& members) {
  if (c.settings.format == output_format::json_lines) return print_group_json(c, number_of_group, members);
  print_group_text(c, number_of_group, members);
}

std::vector<std::uint32_t> find_groups(context& c, const corpus& all) {
  c.notes.phase("comparing " + counted(all.fingerprints.size(), "fingerprint", "fingerprints"));
  return with_bits(c.settings.bits, [&](auto bits) { return group_all<bits>(c, all); });
}

group_counts for_each_group(context& c, const corpus& all, const group_visitor& print) {
  const std::vector<std::uint32_t> label = find_groups(c, all);

  // The members of each group, one group behind the other; the one that stands for it first, then by the input.
  std::vector<std::uint32_t> size(label.size(), 0);
  for (const std::uint32_t representative : label) ++size[representative];
  std::vector<candidate> members;
  for (std::uint32_t i = 0; i < label.size(); ++i) {
    if (size[label[i]] < 2) continue;
    members.push_back({label[i], i, hamming_distance(all.fingerprints[label[i]], all.fingerprints[i])});
  }
  const auto place = [](const candidate& m) { return std::tuple(m.a, m.a != m.b, m.b); };
  std::sort(members.begin(), members.end(),
            [&](const candidate& m, const candidate& n) { return place(m) < place(n); });
  std::vector<std::optional<double>> similarities;
  if (c.settings.min_similarity) similarities = similarities_of(c.settings, all.check, members, 0);

  group_counts counts{0, members.size()};
  std::vector<group_member> group;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [representative, document, distance] = members[i];
    group.push_back({document, all.documents.id(document), document < all.against, distance,
                     similarities.empty() ? estimate_of(c.settings, distance) : *similarities[i]});
    if (group.size() < size[representative]) continue;
    print(counts.groups++, group);
    group.clear();
  }
  return counts;
}

void finish_groups(context& c, const group_counts& counts) {
  finish(c,
         ": " + counted(counts.groups, "group", "groups") + " of near-duplicates, " +
             counted(counts.documents, "document", "documents") + " in them",
         counts.groups);
}

void run_groups(context& c) {
  corpus all(c.settings);
  read_corpus(c, all);
  const auto print = [&](std::uint64_t number, const std::vector<group_member>& members) {
    print_group(c, number, members);
  };
  finish_groups(c, for_each_group(c, all, print));
}

}  // namespace command
