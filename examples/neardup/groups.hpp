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
#include <utility>
#include <vector>

#include "check.hpp"
#include "context.hpp"
#include "corpus.hpp"

namespace command {

/// For each document the one that stands for its group.
template <std::size_t Bits>
std::vector<std::uint32_t> find_groups(context& c, const corpus<Bits>& all) {
  c.notes.phase("comparing " + counted(all.fingerprints.size(), "fingerprint", "fingerprints"));
  const neardup::group_options how{.by = c.settings.grouping == grouping_rule::components
                                             ? neardup::grouping::components
                                             : neardup::grouping::representatives,
                                   .preference = all.lengths,
                                   .blocks = c.settings.blocks,
                                   .run = neardup::threads{c.settings.threads}};
  if (!all.check.decides()) return neardup::group(all.fingerprints, c.settings.distance, {}, how);
  const auto check = [&](std::size_t i, std::size_t j) { return all.check.accepts(i, j); };
  return neardup::group(all.fingerprints, c.settings.distance, check, how);
}

/// Prints groups, one member after the other.
template <std::size_t Bits>
class group_printer {
 public:
  group_printer(context& c, const corpus<Bits>& all) : context_(c), all_(all) {}

  struct member {
    std::uint32_t document;
    int distance;       // to the one that stands for the group, the first member
    double similarity;  // to it: exact if checked, else estimated
  };

  void print(const std::vector<member>& members) {
    ++groups_;
    documents_ += members.size();
    if (context_.settings.format == output_format::json_lines) {
      print_json(members);
    } else {
      print_text(members);
    }
  }

  [[nodiscard]] std::uint64_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }

 private:
  void print_json(const std::vector<member>& members) {
    output& out = context_.out;
    out << "{\"group\":" << std::to_string(groups_ - 1) << ",\"size\":" << std::to_string(members.size())
        << ",\"members\":[";
    bool first = true;
    for (const member& m : members) {
      if (!std::exchange(first, false)) out << ',';
      out << "{\"id\":" << json_string(all_.documents.id(m.document)) << ",\"distance\":" << std::to_string(m.distance);
      if (context_.settings.min_similarity) out << ",\"similarity\":" << number(m.similarity);
      out << '}';
    }
    out << "]}\n";
  }

  void print_text(const std::vector<member>& members) {
    output& out = context_.out;
    const auto least = std::min_element(members.begin(), members.end(),
                                        [](const member& a, const member& b) { return a.similarity < b.similarity; });
    if (groups_ > 1) out << '\n';
    out << counted(members.size(), "document", "documents") << ", similarity "
        << (least->similarity >= 1 ? "1.000" : similarity_text(least->similarity) + " at least to the first") << '\n';
    for (const member& m : members) {
      out << "  " << similarity_text(m.similarity) << "  " << printable(all_.documents.id(m.document)) << '\n';
    }
  }

  context& context_;
  const corpus<Bits>& all_;
  std::uint64_t groups_ = 0;
  std::uint64_t documents_ = 0;
};

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

  group_printer<Bits> printer(c, all);
  std::vector<typename group_printer<Bits>::member> group;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [representative, document, distance] = members[i];
    group.push_back(
        {document, distance, similarities.empty() ? neardup::estimated_cosine<Bits>(distance) : *similarities[i]});
    if (group.size() < size[representative]) continue;
    printer.print(group);
    group.clear();
  }
  finish(c, ": " + counted(printer.groups(), "group", "groups") + " of near-duplicates, " +
                counted(printer.documents(), "document", "documents") + " in them");
}

}  // namespace command
