#include "retrieval.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "stopwatch.hpp"

namespace accuracy {

namespace {

bool is_before(const similar_pair& p, const similar_pair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; }

}  // namespace

pair_check make_check(std::string name, const documents& input, const feature_sets& sets, double similarity,
                      unsigned threads, const pair_check* truth) {
  std::vector<std::vector<similar_pair>> parts(threads);
  similarity_join(sets, similarity, threads, [&](unsigned thread, std::uint32_t a, std::uint32_t b, std::size_t) {
    parts[thread].push_back({a, b, truth == nullptr || contains(*truth, a, b), input.same_label(a, b)});
  });
  pair_check result{std::move(name), {}};
  for (const auto& part : parts) result.pairs.insert(result.pairs.end(), part.begin(), part.end());
  std::sort(result.pairs.begin(), result.pairs.end(), is_before);
  return result;
}

bool contains(const pair_check& check, std::uint32_t a, std::uint32_t b) {
  return std::binary_search(check.pairs.begin(), check.pairs.end(), similar_pair{a, b}, is_before);
}

retrieval measure_retrieval(const documents& input, const pair_check& truth,
                            const std::vector<const pair_check*>& checks, const fingerprints& prints, int max_distance,
                            unsigned threads) {
  const auto distances = static_cast<std::size_t>(max_distance) + 1;
  retrieval result;
  result.alone = distance_counts(distances);
  const stopwatch watch;
  prints.for_each_pair(max_distance, threads, [&](std::uint32_t a, std::uint32_t b, int distance) {
    const auto d = static_cast<std::size_t>(distance);
    ++result.alone.found[d];
    if (input.same_label(a, b)) ++result.alone.found_labelled[d];
  });
  result.seconds = watch.seconds();

  const auto within = [&](const similar_pair& pair, auto&& use) {
    if (!prints.has(pair.a) || !prints.has(pair.b)) return;
    const int distance = prints.distance(pair.a, pair.b);
    if (distance <= max_distance) use(static_cast<std::size_t>(distance));
  };
  for (const similar_pair& pair : truth.pairs) within(pair, [&](std::size_t d) { ++result.alone.found_true[d]; });
  for (const pair_check* check : checks) {
    distance_counts& counts = result.checked.emplace_back(distances);
    for (const similar_pair& pair : check->pairs) {
      within(pair, [&](std::size_t d) {
        ++counts.found[d];
        if (pair.is_true) ++counts.found_true[d];
        if (pair.same_label) ++counts.found_labelled[d];
      });
    }
  }
  return result;
}

int largest_distance(const fingerprints& prints, std::size_t documents, int most, std::uint64_t pairs) {
  if (documents < 2) return most;
  constexpr std::uint64_t draws = 2'000'000;
  std::vector<std::uint64_t> at(static_cast<std::size_t>(most) + 1);
  std::mt19937_64 random(1);  // the same pairs on every machine
  for (std::uint64_t i = 0; i < draws; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % documents);
    const auto b = static_cast<std::uint32_t>(random() % documents);
    if (a == b || !prints.has(a) || !prints.has(b)) continue;
    const int distance = prints.distance(a, b);
    if (distance <= most) ++at[static_cast<std::size_t>(distance)];
  }
  const double all = static_cast<double>(documents) * static_cast<double>(documents - 1) / 2;
  const double allowed = static_cast<double>(pairs) / all * static_cast<double>(draws);
  double within = 0;
  for (int k = 0; k <= most; ++k) {
    within += static_cast<double>(at[static_cast<std::size_t>(k)]);
    if (within > allowed) return (std::max)(0, k - 1);
  }
  return most;
}

score score_of(std::uint64_t found, std::uint64_t found_true, std::uint64_t all) {
  const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  return {found, found_true, ratio(found_true, found), ratio(found_true, all), ratio(2 * found_true, found + all)};
}

score score_within(int k, const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& wanted,
                   std::uint64_t all) {
  std::uint64_t found_within = 0;
  std::uint64_t wanted_within = 0;
  for (std::size_t d = 0; d <= static_cast<std::size_t>(k); ++d) {
    found_within += found[d];
    wanted_within += wanted[d];
  }
  return score_of(found_within, wanted_within, all);
}

}  // namespace accuracy
