#include "index_joins.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neardup/dedup.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/threads.hpp>

#include "index_cases.hpp"

namespace neardup_bench {

namespace {

using near_pair = neardup::near_pair<std::uint32_t>;

/// Returns evenly spread positions of `stored`. The neighbours of these fingerprints are compared with a scan.
std::vector<std::uint32_t> sample_of(const fingerprints& stored) {
  std::vector<std::uint32_t> sample;
  const std::size_t count = (std::min)(checked_queries, stored.size());
  for (std::size_t i = 0; i < count; ++i) sample.push_back(static_cast<std::uint32_t>(stored.size() * i / count));
  return sample;
}

/// The matches of the fingerprint at a position, without itself.
std::vector<found> neighbours(const fingerprints& stored, std::uint32_t position, int k) {
  std::vector<found> matches = scanned(stored, stored[position], k);
  std::erase(matches, found{position, 0});
  return matches;
}

/// Checks that each pair with a sampled position occurs once, with its distance, and that the pairs are sorted.
void check_pairs(const std::vector<near_pair>& pairs, const fingerprints& stored, int k) {
  const std::vector<std::uint32_t> sample = sample_of(stored);
  std::vector<bool> is_sampled(stored.size());
  for (const std::uint32_t position : sample) is_sampled[position] = true;
  std::vector<near_pair> sampled;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto& [i, j, distance] = pairs[p];
    if (i >= j || (p > 0 && (pairs[p - 1].first > i || (pairs[p - 1].first == i && pairs[p - 1].second >= j)))) {
      throw std::logic_error("pairs is out of order");
    }
    if (is_sampled[i] || is_sampled[j]) sampled.push_back(pairs[p]);
  }
  for (const std::uint32_t position : sample) {
    std::vector<found> matches;
    for (const auto& [i, j, distance] : sampled) {
      if (i == position || j == position) matches.push_back({i == position ? j : i, distance});
    }
    compare(matches, neighbours(stored, position, k), false, "pairs");
  }
}

/// Checks that each label is the first member of its cluster. Checks the clusters of the sample by scans from member to
/// member, up to a limit.
void check_labels(const std::vector<std::uint32_t>& labels, const fingerprints& stored, int k) {
  constexpr std::size_t tried = 64;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] > i || labels[labels[i]] != labels[i]) throw std::logic_error("cluster: a label is no first member");
  }
  for (const std::uint32_t position : sample_of(stored)) {
    std::set<std::uint32_t> group{position};
    std::vector<std::uint32_t> members{position};
    for (std::size_t next = 0; next < (std::min)(members.size(), tried); ++next) {
      for (const found& match : neighbours(stored, members[next], k)) {
        if (group.insert(match.id).second) members.push_back(match.id);
      }
    }
    const std::uint32_t label = labels[position];
    const bool is_one = std::all_of(group.begin(), group.end(), [&](std::uint32_t i) { return labels[i] == label; });
    const auto labelled = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), label));
    const bool is_whole = members.size() <= tried;
    if (!is_one || (is_whole ? labelled != group.size() || label != *group.begin() : labelled < group.size())) {
      throw std::logic_error("cluster and the scan disagree about the group of " + std::to_string(position));
    }
  }
}

}  // namespace

void add_joins(const data_set& data, int k) {
  const std::string suffix = "/k" + std::to_string(k) + data.suffix();
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    const std::string tail = suffix + (threads == 1 ? "" : "/threads" + std::to_string(threads));
    add("index/pairs" + tail, [=](benchmark::State& state) {
      last() = {};
      const fingerprints& stored = stored_in(data);
      std::vector<near_pair> pairs;
      measure_seconds(
          state, data.size, [&] { pairs = {}; },
          [&] { pairs = neardup::pairs(stored, neardup::bits{k}, {.run = neardup::threads{threads}}); });
      check_pairs(pairs, stored, k);
      state.counters["pairs"] = static_cast<double>(pairs.size());
    });
    add("index/cluster" + tail, [=](benchmark::State& state) {
      last() = {};
      const fingerprints& stored = stored_in(data);
      std::vector<std::uint32_t> labels;
      measure_seconds(
          state, data.size, [&] { labels = {}; },
          [&] { labels = neardup::cluster(stored, neardup::bits{k}, neardup::threads{threads}); });
      check_labels(labels, stored, k);
    });
  }
}

}  // namespace neardup_bench
