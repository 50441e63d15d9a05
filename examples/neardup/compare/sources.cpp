#include "sources.hpp"

#include <algorithm>

#include "../ground/text.hpp"

namespace command {

namespace {

/// Returns the host of `url`, for instance "example.org" for "https://user@Example.org:8080/page". Returns an empty
/// text if `url` is not a URL.
std::string host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos || scheme == 0) return "";
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#\\"));
  if (const std::size_t user = url.rfind('@'); user != url.npos) url.remove_prefix(user + 1);
  const std::size_t port = url.starts_with('[') ? url.find(']') : url.find(':');
  if (port != url.npos) url = url.substr(0, url.starts_with('[') ? port + 1 : port);
  std::string host(url);
  for (char& c : host) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return host;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string name_of_source(const source_setting& setting, const placed_document& d) {
  switch (setting.kind) {
    case source_kind::field: return d.by.empty() ? "(no " + setting.field + ")" : std::string(d.by);
    case source_kind::host: {
      const std::string host = host_of(setting.field.empty() ? d.id.value_or("") : d.by);
      return host.empty() ? "(no host)" : host;
    }
    case source_kind::folder: return d.from->path == "-" ? d.from->name() : folder_of(d.from->path);
    default: return d.from->name();
  }
}

}  // namespace

std::uint32_t source_tally::come(const placed_document& d) {
  const auto [place, is_new] =
      numbers_.try_emplace(name_of_source(setting_, d), static_cast<std::uint32_t>(in_.size()));
  if (is_new) in_.push_back(0);
  ++in_[place->second];
  return place->second;
}

std::vector<source_count> source_tally::counts() const {
  constexpr std::size_t most_groups = 3;
  std::vector<source_count> all(in_.size());
  for (const auto& [name, number] : numbers_) {
    all[number].name = name;
    all[number].in = in_[number];
  }
  std::vector<loss> losses = dropped_;
  const auto key = [](const loss& l) { return std::pair(l.source, l.group); };
  std::sort(losses.begin(), losses.end(), [&](const loss& a, const loss& b) { return key(a) < key(b); });
  for (std::size_t begin = 0, end = 0; begin < losses.size(); begin = end) {
    while (end < losses.size() && key(losses[end]) == key(losses[begin])) ++end;
    source_count& count = all[losses[begin].source];
    count.dropped += end - begin;
    // `largest` has the largest groups of the source, ordered by size. Groups of equal size keep their order.
    const source_count::group found{losses[begin].group, end - begin};
    const auto place = std::find_if(count.largest.begin(), count.largest.end(),
                                    [&](const source_count::group& other) { return other.dropped < found.dropped; });
    count.largest.insert(place, found);
    if (count.largest.size() > most_groups) count.largest.pop_back();
  }
  std::sort(all.begin(), all.end(), [](const source_count& a, const source_count& b) {
    return a.dropped != b.dropped ? a.dropped > b.dropped : a.in != b.in ? a.in > b.in : a.name < b.name;
  });
  return all;
}

source_count::group source_tally::largest_group() const {
  std::vector<std::uint64_t> groups;
  groups.reserve(dropped_.size());
  for (const loss& l : dropped_) groups.push_back(l.group);
  std::sort(groups.begin(), groups.end());
  source_count::group largest{0, 0};
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    while (end < groups.size() && groups[end] == groups[begin]) ++end;
    if (end - begin > largest.dropped) largest = {groups[begin], end - begin};
  }
  return largest;
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  return fixed(100 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(all, 1)), 1) + " %";
}

std::vector<std::string> source_warnings(const source_tally& tally, const group_namer& name) {
  constexpr std::uint64_t least = 10;  // a share of fewer documents says nothing
  constexpr std::size_t most_named = 5;
  std::vector<std::string> warnings;
  std::size_t more = 0;
  for (const source_count& source : tally.counts()) {
    if (source.in < least || 2 * source.dropped <= source.in) continue;
    if (warnings.size() == most_named) {
      ++more;
      continue;
    }
    warnings.push_back(printable(source.name) + " loses " + grouped(source.dropped) + " of " + grouped(source.in) +
                       " documents (" + share_text(source.dropped, source.in) + "), " +
                       grouped(source.largest.front().dropped) + " of them to the group of " +
                       printable(name(source.largest.front().number)));
  }
  if (more > 0) warnings.push_back(counted(more, "more source loses", "more sources lose") + " more than half");
  if (tally.dropped() >= least) {
    const source_count::group largest = tally.largest_group();
    if (10 * largest.dropped > tally.dropped()) {
      warnings.push_back("the group of " + printable(name(largest.number)) + " stands for " + grouped(largest.dropped) +
                         " of the " + grouped(tally.dropped()) + " documents that are dropped (" +
                         share_text(largest.dropped, tally.dropped()) + ")");
    }
  }
  return warnings;
}

void say_sources(const source_tally& tally, const group_namer& name, bool quiet) {
  constexpr std::size_t most_sources = 20;
  if (!quiet) {
    const std::vector<source_count> all = tally.counts();
    const auto column = [](const std::string& text) {
      constexpr std::size_t width = 13;
      return std::string(width - std::min(width, text.size()), ' ') + text;
    };
    say("by " + tally.setting().text + ":");
    say(column("in") + column("kept") + column("dropped") + "           source");
    const auto say_row = [&](std::uint64_t in, std::uint64_t dropped, const std::string& rest) {
      const std::string share = share_text(dropped, in);
      say(column(grouped(in)) + column(grouped(in - dropped)) + column(grouped(dropped)) +
          std::string(9 - std::min<std::size_t>(9, share.size()), ' ') + share + "  " + rest);
    };
    source_count rest;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= most_sources) {
        rest.in += all[i].in;
        rest.dropped += all[i].dropped;
        continue;
      }
      std::string text = printable(all[i].name);
      for (std::size_t g = 0; g < all[i].largest.size(); ++g) {
        const source_count::group& group = all[i].largest[g];
        text +=
            (g == 0 ? "; of these like " : ", like ") + printable(name(group.number)) + ": " + grouped(group.dropped);
      }
      say_row(all[i].in, all[i].dropped, text);
    }
    if (all.size() > most_sources) {
      say_row(rest.in, rest.dropped, counted(all.size() - most_sources, "more source", "more sources"));
    }
    const source_setting& by = tally.setting();
    if (by.kind == source_kind::field && all.size() == 1 && all.front().name == "(no " + by.field + ")") {
      say("no document has a text or number in field '" + by.field + "'");
    }
  }
  for (const std::string& warning : source_warnings(tally, name)) say("warning: " + warning);
}

}  // namespace command
