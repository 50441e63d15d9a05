#include "advised.hpp"

#include <memory>
#include <neardup/dedup/advice/advice.hpp>
#include <neardup/threads.hpp>

#include "stopwatch.hpp"

namespace accuracy {

namespace {

/// The same features: named by this program, and by the library.
feature_choice from_library(const neardup::feature_choice& features) {
  return parse_features(neardup::to_string(features));
}

std::uint64_t count_within(const pair_check& check, const fingerprints& prints, int k, bool only_true) {
  std::uint64_t count = 0;
  for (const similar_pair& pair : check.pairs) {
    if (only_true && !pair.is_true) continue;
    if (!prints.has(pair.a) || !prints.has(pair.b)) continue;
    if (prints.distance(pair.a, pair.b) <= k) ++count;
  }
  return count;
}

}  // namespace

advice_report measure_advice(const documents& input, const feature_choice& features, double similarity,
                             const pair_check& truth, const pair_check& library, std::uint64_t seed,
                             std::uint64_t most_pairs, unsigned threads) {
  neardup::advice_request request;
  request.similarity = similarity;
  request.check = neardup::parse_features(to_string(features));
  request.seed = seed;
  const stopwatch watch;
  const neardup::advice advice = neardup::advise(input.texts, request, neardup::threads{threads});

  advice_report result;
  result.seconds = watch.seconds();
  result.sampled = advice.sampled;
  result.pairs_seen = advice.pairs_seen;
  result.expected_pairs = advice.similar_pairs;
  result.pairs = library.pairs.size();
  for (std::size_t i = 0; i < advice.setups.size(); ++i) {
    const neardup::setup& expected = advice.setups[i];
    advised_setup& one = result.setups.emplace_back();
    const bool is_minwise = expected.kind == neardup::fingerprint_kind::minwise;
    one.prints = {from_library(expected.features), is_minwise ? weighting::minwise : weighting::unit, expected.bits,
                  seed};
    one.k = expected.distance;
    one.is_recommended = i == advice.recommended;
    one.expected_recall = expected.recall;
    one.expected_candidates = expected.candidates * static_cast<double>(advice.documents);

    const std::unique_ptr<fingerprints> prints = make_fingerprints(one.prints, input.texts, threads);
    const std::uint64_t accepted = count_within(library, *prints, one.k, false);
    one.recall = score_of(accepted, accepted, library.pairs.size()).recall;
    const std::uint64_t found_true = count_within(truth, *prints, one.k, false);
    one.checked_exactly = score_of(found_true, found_true, truth.pairs.size());
    one.checked = score_of(accepted, count_within(library, *prints, one.k, true), truth.pairs.size());
    if (one.expected_candidates <= static_cast<double>(most_pairs)) {
      prints->for_each_pair(one.k, threads, [&](std::uint32_t, std::uint32_t, int) { ++one.candidates; });
    }
    if (one.is_recommended) {
      result.pipeline = run_pipeline(one.prints, features, similarity, one.k, input.texts, threads);
    }
  }
  return result;
}

}  // namespace accuracy
