#include "pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <neardup/sets/similarity.hpp>
#include <utility>

#include "stopwatch.hpp"

namespace accuracy {

pipeline_report run_pipeline(const fingerprint_choice& choice, const feature_choice& check, double similarity, int k,
                             const std::vector<std::string>& texts, unsigned threads) {
  pipeline_report result;
  result.k = k;
  stopwatch watch;
  const std::unique_ptr<fingerprints> prints = make_fingerprints(choice, texts, threads);
  result.fingerprint_seconds = watch.restart();

  std::vector<std::pair<std::uint32_t, std::uint32_t>> candidates;
  prints->for_each_pair(k, threads, [&](std::uint32_t a, std::uint32_t b, int) { candidates.emplace_back(a, b); });
  result.pair_seconds = watch.restart();

  std::vector<char> wanted(texts.size());
  for (const auto& [a, b] : candidates) wanted[a] = wanted[b] = 1;
  const auto features = fingerprint_features(check, texts, threads, wanted);
  std::atomic<std::uint64_t> accepted{0};
  in_parallel(candidates.size(), threads, [&](std::size_t i) {
    const auto& [a, b] = candidates[i];
    if (neardup::jaccard_similarity(features[a], features[b]) >= similarity)
      accepted.fetch_add(1, std::memory_order_relaxed);
  });
  result.check_seconds = watch.restart();
  result.candidates = candidates.size();
  result.accepted = accepted;
  return result;
}

}  // namespace accuracy
