#include "groups.hpp"

#include <algorithm>
#include <neardup/dedup/group.hpp>
#include <neardup/threads.hpp>
#include <numeric>

#include "pipeline.hpp"
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

std::string group_as_json(const options& settings, std::uint64_t number_of_group,
                          const std::vector<group_member>& members) {
  std::string text = "{\"group\":" + std::to_string(number_of_group) + ",\"size\":" + std::to_string(members.size()) +
                     ",\"members\":[";
  for (const group_member& m : members) {
    if (&m != members.data()) text += ',';
    text += "{\"id\":" + json_string(m.id) + ",\"distance\":" + std::to_string(m.distance);
    if (settings.min_similarity) text += ",\"similarity\":" + number(m.similarity);
    if (m.is_against) text += ",\"against\":true";
    text += '}';
  }
  return text + "]}\n";
}

std::string group_as_text(std::uint64_t number_of_group, const std::vector<group_member>& members) {
  double least = 1;
  for (const group_member& m : members) least = std::min(least, m.similarity);
  std::string text = number_of_group > 0 ? "\n" : "";
  text += counted(members.size(), "document", "documents") + ", similarity " +
          (least >= 1 ? "1.000" : "to the first at least " + similarity_text(least)) + '\n';
  for (const group_member& m : members) {
    text += "  " + similarity_text(m.similarity) + "  " + printable(m.id) + '\n';
  }
  return text;
}

}  // namespace

std::string text_of_group(const options& settings, std::uint64_t number_of_group,
                          const std::vector<group_member>& members) {
  if (settings.format == output_format::json_lines) return group_as_json(settings, number_of_group, members);
  return group_as_text(number_of_group, members);
}

std::vector<std::uint32_t> find_groups(context& c, const corpus& all) {
  c.notes.phase("comparing " + counted(all.fingerprints.size(), "fingerprint", "fingerprints"));
  return with_bits(c.settings.bits, [&](auto bits) { return group_all<bits>(c, all); });
}

document_groups::document_groups(context& c, const corpus& all) : settings_(c.settings), all_(all) {
  const std::vector<std::uint32_t> label = find_groups(c, all);
  // First how many documents have this label, then where the next of them goes; 0 if it is alone.
  std::vector<std::uint32_t> next(label.size(), 0);
  for (const std::uint32_t representative : label) ++next[representative];
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < next.size(); ++i) {
    if (next[i] < 2) {
      next[i] = 0;
      continue;
    }
    members_.push_back({i, i, 0});
    ends_.push_back(count += next[i]);
    next[i] = count - next[i] + 1;
    members_.resize(count);
  }
  for (std::uint32_t i = 0; i < label.size(); ++i) {
    const std::uint32_t to = label[i];
    if (next[to] == 0 || to == i) continue;
    members_[next[to]++] = {to, i, hamming_distance(all.fingerprints[to], all.fingerprints[i])};
  }
  if (settings_.min_similarity) similarities_ = similarities_of(settings_, all.check, members_, 0);
}

std::vector<group_member> document_groups::operator[](std::size_t i) const {
  std::vector<group_member> group;
  for (std::size_t m = i == 0 ? 0 : ends_[i - 1]; m < ends_[i]; ++m) {
    const auto& [representative, document, distance] = members_[m];
    group.push_back({document, all_.documents.id(document), document < all_.against, distance,
                     similarities_.empty() ? estimate_of(settings_, distance) : *similarities_[m]});
  }
  return group;
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
  const document_groups groups(c, all);
  print_in_order(
      c.settings.threads, groups.size(),
      [&](std::size_t i, std::string& text) { text += text_of_group(c.settings, i, groups[i]); },
      [&](std::string&& text) { c.out << text; });
  finish_groups(c, groups.counts());
}

}  // namespace command
