#include "advised.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <neardup/threads.hpp>
#include <string>

#include "../../examples/neardup/compare/advice.hpp"
#include "stopwatch.hpp"

namespace accuracy {

namespace {

/// Converts a choice of features of the library to the type of this program, which has its own parser.
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

command::advice advice_for(const documents& input, const feature_choice& features, double similarity,
                           std::uint64_t seed, unsigned threads) {
  command::advice_request request;
  request.similarity = similarity;
  request.check = neardup::parse_features(to_string(features));
  request.seed = seed;
  return command::advise(input.texts, request, neardup::threads{threads});
}

fingerprint_choice fingerprints_of(const command::setup& setup, std::uint64_t seed) {
  const bool is_minwise = setup.kind == neardup::fingerprint_kind::minwise;
  return {from_library(setup.features), is_minwise ? weighting::minwise : weighting::unit, setup.bits, seed};
}

}  // namespace

interval_coverage measure_intervals(const documents& input, const feature_choice& features, double similarity,
                                    const pair_check& library, std::uint64_t first, std::uint64_t seeds,
                                    unsigned threads) {
  interval_coverage result;
  struct sums {
    double n = 0, sum = 0, squares = 0;
  };
  // The recalls of a setup under several seeds. The key names the features, the kind and the distance of the setup.
  std::map<std::string, sums> recalls;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const command::advice advice = advice_for(input, features, similarity, seed, threads);
    for (const command::setup& setup : advice.setups) {
      if (setup.bits != 64) continue;
      const fingerprint_choice choice = fingerprints_of(setup, 0);
      const auto recall_by = [&](std::uint64_t own) {
        const auto prints = make_fingerprints(fingerprints_of(setup, own), input.texts, threads);
        const std::uint64_t found = count_within(library, *prints, setup.distance, false);
        return score_of(found, found, library.pairs.size()).recall;
      };
      const auto is_inside = [&](double recall) { return recall >= setup.recall_low && recall <= setup.recall_high; };
      const double recall = recall_by(seed);
      ++result.cases;
      result.inside += is_inside(recall) ? 1 : 0;
      result.inside_other += is_inside(recall_by(seed + 1000)) ? 1 : 0;
      result.mean_width += setup.recall_high - setup.recall_low;
      sums& same = recalls[to_string(choice) + std::to_string(setup.distance)];
      ++same.n;
      same.sum += recall;
      same.squares += recall * recall;
    }
  }
  if (result.cases == 0) return result;
  result.mean_width /= static_cast<double>(result.cases);
  double counted = 0;
  for (const auto& [name, one] : recalls) {
    if (one.n < 2) continue;
    const double mean = one.sum / one.n;
    result.mean_spread += std::sqrt((std::max)(0.0, one.squares / one.n - mean * mean));
    ++counted;
  }
  if (counted > 0) result.mean_spread /= counted;
  return result;
}

advice_report measure_advice(const documents& input, const feature_choice& features, double similarity,
                             const pair_check& truth, const pair_check& library, std::uint64_t seed,
                             std::uint64_t most_pairs, unsigned threads) {
  const stopwatch watch;
  const command::advice advice = advice_for(input, features, similarity, seed, threads);

  advice_report result;
  result.seconds = watch.seconds();
  result.sampled = advice.sampled;
  result.pairs_seen = advice.pairs_seen;
  result.expected_pairs = advice.similar_pairs;
  result.pairs = library.pairs.size();
  for (std::size_t i = 0; i < advice.setups.size(); ++i) {
    const command::setup& expected = advice.setups[i];
    advised_setup& one = result.setups.emplace_back();
    one.prints = fingerprints_of(expected, seed);
    one.k = expected.distance;
    one.is_recommended = i == advice.recommended;
    one.expected_recall = expected.recall;
    one.expected_of_pairs = expected.recall_of_pairs;
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
