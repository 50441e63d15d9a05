#include "minhash.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <utility>

#include "fingerprints.hpp"
#include "set_join.hpp"
#include "stopwatch.hpp"

namespace accuracy {

namespace {

struct permutation {
  std::uint64_t factor;
  std::uint64_t summand;
};

std::array<permutation, minhash_permutations> permutations() {
  std::mt19937_64 random(128);  // the same on every machine
  std::array<permutation, minhash_permutations> result{};
  for (permutation& p : result) {
    p.factor = random() | 1U;
    p.summand = random();
  }
  return result;
}

/// Returns the pairs of documents that agree in all rows of at least one band, each pair once.
std::vector<std::uint64_t> banded_pairs(const std::vector<minhash_signature>& signatures,
                                        const std::vector<std::uint32_t>& documents) {
  std::vector<std::uint64_t> pairs;  // each as (a << 32) | b, with a < b
  std::vector<std::uint32_t> order = documents;
  for (std::size_t band = 0; band < minhash_report::bands; ++band) {
    const auto key = [&](std::uint32_t document) {
      return std::span(signatures[document]).subspan(band * minhash_report::rows, minhash_report::rows);
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto [x, y] = std::mismatch(key(a).begin(), key(a).end(), key(b).begin());
      return x != key(a).end() ? *x < *y : a < b;
    });
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      while (last < order.size() && std::ranges::equal(key(order[first]), key(order[last]))) ++last;
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t j = i + 1; j < last; ++j) pairs.push_back(std::uint64_t{order[i]} << 32U | order[j]);
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

std::vector<minhash_signature> minhash_signatures(const std::vector<std::vector<std::uint64_t>>& features,
                                                  unsigned threads) {
  const auto all = permutations();
  std::vector<minhash_signature> result(features.size());
  in_parallel(features.size(), threads, [&](std::size_t i) {
    minhash_signature& least = result[i];
    least.fill(~std::uint32_t{0});
    for (const std::uint64_t feature : features[i]) {
      for (std::size_t p = 0; p < all.size(); ++p) {
        const auto value = static_cast<std::uint32_t>((all[p].factor * feature + all[p].summand) >> 32U);
        least[p] = (std::min)(least[p], value);
      }
    }
  });
  return result;
}

minhash_report measure_minhash(const documents& input, const std::vector<std::vector<std::uint64_t>>& features,
                               const pair_check& truth, unsigned threads) {
  minhash_report result;
  stopwatch watch;
  const std::vector<minhash_signature> signatures = minhash_signatures(features, threads);
  result.signature_seconds = watch.restart();

  std::vector<std::uint32_t> documents;
  for (std::uint32_t i = 0; i < features.size(); ++i) {
    if (!features[i].empty()) documents.push_back(i);
  }
  const auto is_true = [&](std::uint32_t a, std::uint32_t b) { return contains(truth, a, b); };
  watch.restart();
  const std::vector<std::uint64_t> candidates = banded_pairs(signatures, documents);
  result.candidate_seconds = watch.restart();
  result.candidates = candidates.size();
  for (const std::uint64_t pair : candidates) {
    if (is_true(static_cast<std::uint32_t>(pair >> 32U), static_cast<std::uint32_t>(pair))) ++result.true_candidates;
  }

  // A join of sets finds all pairs. A signature is a set of 128 elements (permutation, value). Two signatures that
  // agree in m permutations have the Jaccard similarity m / (256 - m).
  std::vector<std::vector<std::uint64_t>> sets(features.size());
  for (const std::uint32_t i : documents) {
    for (std::size_t p = 0; p < minhash_permutations; ++p)
      sets[i].push_back(std::uint64_t{p} << 32U | signatures[i][p]);
  }
  constexpr auto all = static_cast<double>(minhash_permutations);
  constexpr auto least = static_cast<double>(minhash_report::least_agreeing);
  std::vector<distance_counts> parts(threads, distance_counts(minhash_permutations + 1));
  similarity_join(feature_sets(sets), least / (2 * all - least), threads,
                  [&](unsigned thread, std::uint32_t a, std::uint32_t b, std::size_t agreeing) {
                    ++parts[thread].found[agreeing];
                    if (is_true(a, b)) ++parts[thread].found_true[agreeing];
                    if (input.same_label(a, b)) ++parts[thread].found_labelled[agreeing];
                  });
  for (const distance_counts& part : parts) {
    for (std::size_t m = 0; m <= minhash_permutations; ++m) {
      result.agreeing.found[m] += part.found[m];
      result.agreeing.found_true[m] += part.found_true[m];
      result.agreeing.found_labelled[m] += part.found_labelled[m];
    }
  }
  return result;
}

}  // namespace accuracy
