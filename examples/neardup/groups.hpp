// `neardup groups`: the near-duplicates of one document, or what a chain of them connects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <neardup/dedup/group.hpp>
#include <neardup/dedup/similarity.hpp>
#include <neardup/threads.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "context.hpp"
#include "corpus.hpp"

namespace command {

/// For each document the one that stands for its group.
template <std::size_t Bits>
std::vector<std::uint32_t> find_groups(context& c, const corpus<Bits>& all) {
  c.notes.phase("comparing " + counted(all.fingerprints.size(), "fingerprint", "fingerprints"));
  const neardup::group_options how{
      .by = c.settings.by_components ? neardup::grouping::components : neardup::grouping::representatives,
      .preference = all.lengths,
      .blocks = c.settings.blocks,
      .run = neardup::threads{c.settings.threads}};
  if (!all.check.decides()) return neardup::group(all.fingerprints, c.settings.distance, {}, how);
  const auto check = [&](std::size_t i, std::size_t j) { return all.check.accepts(i, j); };
  return neardup::group(all.fingerprints, c.settings.distance, check, how);
}

struct group_member {
  std::uint64_t document;
  int distance;       // to the one that stands for the group, the first member
  double similarity;  // to it: exact if checked, else estimated
};

/// `documents` has the names of documents by their numbers, as document_table has.
template <class Documents>
void print_group_json(context& c, const Documents& documents, std::uint64_t number_of_group,
                      const std::vector<group_member>& members) {
  c.out << "{\"group\":" << std::to_string(number_of_group) << ",\"size\":" << std::to_string(members.size())
        << ",\"members\":[";
  for (const group_member& m : members) {
    if (&m != members.data()) c.out << ',';
    c.out << "{\"id\":" << json_string(documents.id(m.document)) << ",\"distance\":" << std::to_string(m.distance);
    if (c.settings.min_similarity) c.out << ",\"similarity\":" << number(m.similarity);
    c.out << '}';
  }
  c.out << "]}\n";
}

template <class Documents>
void print_group_text(context& c, const Documents& documents, std::uint64_t number_of_group,
                      const std::vector<group_member>& members) {
  double least = 1;
  for (const group_member& m : members) least = std::min(least, m.similarity);
  if (number_of_group > 0) c.out << '\n';
  c.out << counted(members.size(), "document", "documents") << ", similarity "
        << (least >= 1 ? "1.000" : similarity_text(least) + " at least to the first") << '\n';
  for (const group_member& m : members) {
    c.out << "  " << similarity_text(m.similarity) << "  " << printable(documents.id(m.document)) << '\n';
  }
}

template <std::size_t Bits>
void run_groups(context& c) {
  corpus<Bits> all(c.settings);
  for_each_document<Bits>(c, [&](const placed_document<Bits>& d) {
    if (d.facts.has_tokens) all.add(d);
  });
  const std::vector<std::uint32_t> label = find_groups(c, all);

  // The members of each group, one group behind the other; the one that stands for it first, then by the input.
  std::vector<std::uint32_t> size(label.size(), 0);
  for (const std::uint32_t representative : label) ++size[representative];
  std::vector<candidate> members;
  for (std::uint32_t i = 0; i < label.size(); ++i) {
    if (size[label[i]] < 2) continue;
    members.push_back({label[i], i, neardup::hamming_distance(all.fingerprints[label[i]], all.fingerprints[i])});
  }
  const auto place = [](const candidate& m) { return std::tuple(m.a, m.a != m.b, m.b); };
  std::sort(members.begin(), members.end(),
            [&](const candidate& m, const candidate& n) { return place(m) < place(n); });
  std::vector<std::optional<double>> similarities;
  if (c.settings.min_similarity) similarities = similarities_of(c.settings, all.check, members, 0);

  const auto print = c.settings.format == output_format::json_lines ? print_group_json<document_table>
                                                                    : print_group_text<document_table>;
  std::uint64_t groups = 0;
  std::vector<group_member> group;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [representative, document, distance] = members[i];
    group.push_back(
        {document, distance, similarities.empty() ? estimate_of<Bits>(c.settings, distance) : *similarities[i]});
    if (group.size() < size[representative]) continue;
    print(c, all.documents, groups++, group);
    group.clear();
  }
  finish(c, ": " + counted(groups, "group", "groups") + " of near-duplicates, " +
                counted(members.size(), "document", "documents") + " in them");
}

}  // namespace command
