#include "self_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/sets/similarity.hpp>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "minhash.hpp"
#include "pipeline.hpp"
#include "retrieval.hpp"
#include "set_join.hpp"
#include "skew.hpp"
#include "theory.hpp"

namespace accuracy {

namespace {

using hashed_sets = std::vector<std::vector<std::uint64_t>>;
using joined_pair = std::tuple<std::uint32_t, std::uint32_t, std::size_t>;

/// Makes families of sets that differ in a few elements, unrelated sets, empty sets and copies. Some elements are far
/// more frequent than others, like words.
hashed_sets random_sets(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto element = [&]() -> std::uint64_t {
    const std::uint64_t range = random() % 3 == 0 ? 10 : random() % 2 == 0 ? 100 : 5000;
    return random() % range;
  };
  hashed_sets sets;
  while (sets.size() < 600) {
    std::vector<std::uint64_t> base(random() % 40);
    for (auto& e : base) e = element();
    const std::uint64_t versions = 1 + random() % 5;
    for (std::uint64_t version = 0; version < versions; ++version) {
      std::vector<std::uint64_t> set = base;
      for (std::uint64_t changes = random() % 6; changes > 0 && !set.empty(); --changes) {
        set[random() % set.size()] = element();
      }
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
      sets.push_back(std::move(set));
    }
  }
  std::shuffle(sets.begin(), sets.end(), random);
  return sets;
}

/// Compares all pairs of sets, without ranks or prefixes.
std::vector<joined_pair> plain_join(const hashed_sets& sets, double threshold) {
  std::vector<joined_pair> result;
  for (std::uint32_t a = 0; a < sets.size(); ++a) {
    for (std::uint32_t b = a + 1; b < sets.size(); ++b) {
      std::vector<std::uint64_t> both;
      std::set_intersection(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(), std::back_inserter(both));
      const std::size_t all = sets[a].size() + sets[b].size() - both.size();
      if (all > 0 && static_cast<double>(both.size()) / static_cast<double>(all) >= threshold) {
        result.emplace_back(a, b, both.size());
      }
    }
  }
  return result;
}

class checker {
 public:
  explicit checker(unsigned threads) : threads_(threads) {}

  void check_join(const std::string& name, const hashed_sets& hashes) {
    const feature_sets sets(hashes);
    for (const double threshold : {0.05, 0.3, 0.5, 0.7, 0.9, 1.0}) {
      std::vector<std::vector<joined_pair>> parts(threads_);
      similarity_join(sets, threshold, threads_, [&](unsigned thread, std::uint32_t a, std::uint32_t b, std::size_t n) {
        parts[thread].emplace_back(a, b, n);
      });
      std::vector<joined_pair> joined;
      for (const auto& part : parts) joined.insert(joined.end(), part.begin(), part.end());
      std::sort(joined.begin(), joined.end());
      const std::vector<joined_pair> expected = plain_join(hashes, threshold);
      const std::string what = "join of " + name + " at " + std::to_string(threshold).substr(0, 4);
      if (joined != expected) {
        failures.push_back(what + ": " + std::to_string(joined.size()) + " pairs, plainly " +
                           std::to_string(expected.size()));
      }
      compared_ += expected.size();
    }
    for (std::uint32_t a = 0; a + 1 < hashes.size(); ++a) {
      std::vector<std::uint64_t> both;
      std::set_intersection(hashes[a].begin(), hashes[a].end(), hashes[a + 1].begin(), hashes[a + 1].end(),
                            std::back_inserter(both));
      if (overlap(sets[a], sets[a + 1]) != both.size()) failures.push_back("overlap of " + name);
    }
  }

  void check_fingerprints(const fingerprints& prints) {
    std::vector<joined_pair> found;
    std::vector<joined_pair> expected;
    const auto into = [](std::vector<joined_pair>& pairs) {
      return
          [&pairs](std::uint32_t a, std::uint32_t b, int d) { pairs.emplace_back(a, b, static_cast<std::size_t>(d)); };
    };
    for (const int k : {0, 3, 8, 16}) {
      found.clear();
      expected.clear();
      prints.for_each_pair(k, threads_, into(found));
      prints.for_each_pair_plainly(k, into(expected));
      std::sort(found.begin(), found.end());
      if (found != expected) {
        failures.push_back("pairs within " + std::to_string(k) + " bits: " + std::to_string(found.size()) +
                           ", plainly " + std::to_string(expected.size()));
      }
      compared_ += expected.size();
    }
  }

  void check_text() {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> examples{{
        {"  Hello,   WORLD!"sv, "hello world"sv},
        {"\xE6\x98\xA5\xE7\x9C\xA0\xEF\xBC\x8C\xE4\xB8\x8D TiDB"sv, "\xE6\x98\xA5\xE7\x9C\xA0 \xE4\xB8\x8D tidb"sv},
        {"\xC3\x89t\xC3\xA9 2024-25"sv, "\xC3\xA9t\xC3\xA9 2024 25"sv},
        {"a\xFF\xFE\x62"sv, "a b"sv},
        {"e\xCC\x81t"sv, "e t"sv},
        {" .,! "sv, ""sv},
    }};
    for (const auto& [text, expected] : examples) {
      if (truth_text(text) != expected) failures.push_back("the truth's text of '" + std::string(text) + "'");
    }
    const auto count = [](feature_choice::unit kind, std::size_t size, std::string_view text) {
      return truth_features({kind, size}, text).size();
    };
    using unit = feature_choice::unit;
    const bool right = count(unit::words, 1, "to be, or not TO BE") == 4 &&  // to be or not
                       count(unit::words, 3, "to be or not to be") == 4 &&   // each is a feature of its own
                       count(unit::words, 3, "to be") == 1 && count(unit::words, 3, " . ") == 0 &&
                       count(unit::words, 2, "a b, A.B") == 2 &&  // a b, b a
                       count(unit::chars, 2, "abab") == 2 &&      // ab ba
                       count(unit::chars, 2, "\xE6\x98\xA5\xE7\x9C\xA0\xEF\xBC\x8C\xE4\xB8\x8D") == 3 &&
                       count(unit::chars, 5, "abc") == 1 && count(unit::bytes, 2, "A, a") == 3;
    if (!right) failures.emplace_back("the truth's features");
    if (truth_features({unit::words, 2}, "a b c") == truth_features({unit::words, 2}, "a b d")) {
      failures.emplace_back("the truth's shingles");
    }
  }

  /// Compares exact_chance with the result of trying all votes of a few elements. For sets of many elements, compares
  /// exact_chance with chance_by_angle(). The two chances of such sets are nearly equal.
  void check_theory() {
    exact_chance exact;
    for (std::size_t own_a = 0; own_a <= 3; ++own_a) {
      for (std::size_t own_b = 0; own_b <= 3; ++own_b) {
        for (std::size_t common = 0; common <= 5; ++common) {
          const std::size_t all = own_a + own_b + common;
          std::size_t differ = 0;
          for (std::uint32_t votes = 0; votes < 1U << all; ++votes) {
            const auto ups_a = static_cast<std::size_t>(std::popcount(votes >> own_b));
            const auto ups_b = static_cast<std::size_t>(std::popcount(votes & ((1U << (common + own_b)) - 1)));
            if ((2 * ups_a > own_a + common) != (2 * ups_b > own_b + common)) ++differ;
          }
          const double expected = static_cast<double>(differ) / static_cast<double>(1U << all);
          if (std::fabs(exact(own_a + common, own_b + common, common) - expected) > 1e-9) {
            failures.emplace_back("the exact chance of a differing bit");
          }
          ++compared_;
        }
      }
    }
    if (std::fabs(exact(1255, 1255, 1000) - chance_by_angle(1255, 1255, 1000)) > 0.002 ||
        std::fabs(exact(254, 254, 0) - 0.5) > 0.002) {
      failures.emplace_back("the angle as the limit of the exact chance");
    }
  }

  /// Checks MinHash. Compares signatures with their definition, estimates with the exact similarity, and the pairs of
  /// the join and the candidates of the bands with a comparison of all pairs of sets.
  void check_minhash(const hashed_sets& elements) {
    const neardup::xxh3<64> hash{};
    hashed_sets sets(elements.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      for (const std::uint64_t element : elements[i]) sets[i].push_back(hash(std::to_string(element)));
      std::sort(sets[i].begin(), sets[i].end());
    }
    documents input;
    input.texts.resize(sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) input.labels.push_back(static_cast<std::uint32_t>(i / 2));
    const pair_check truth = make_check("truth", input, feature_sets(sets), 0.7, threads_);
    const minhash_report measured = measure_minhash(input, sets, truth, threads_);
    const std::vector<minhash_signature> signatures = minhash_signatures(sets, threads_);

    minhash_report expected;
    double error = 0;    // sum of the errors of the estimates
    double squares = 0;  // sum of the squared errors, each divided by its variance
    double estimates = 0;
    for (std::uint32_t a = 0; a < sets.size(); ++a) {
      for (std::uint32_t b = a + 1; b < sets.size(); ++b) {
        if (sets[a].empty() || sets[b].empty()) continue;
        std::size_t agreeing = 0;
        for (std::size_t p = 0; p < minhash_permutations; ++p)
          agreeing += signatures[a][p] == signatures[b][p] ? 1U : 0U;
        const double exact = neardup::jaccard_similarity(sets[a], sets[b]);
        if (exact == 1 && agreeing != minhash_permutations) failures.emplace_back("MinHash of equal sets");
        if (exact > 0.2 && exact < 0.8) {
          const double difference = static_cast<double>(agreeing) / minhash_permutations - exact;
          error += difference;
          squares += difference * difference * minhash_permutations / (exact * (1 - exact));
          ++estimates;
        }
        bool in_a_band = false;
        for (std::size_t band = 0; band < minhash_report::bands; ++band) {
          const auto first = static_cast<std::ptrdiff_t>(band * minhash_report::rows);
          in_a_band = in_a_band ||
                      std::equal(signatures[a].begin() + first, signatures[a].begin() + first + minhash_report::rows,
                                 signatures[b].begin() + first);
        }
        expected.candidates += in_a_band ? 1U : 0U;
        expected.true_candidates += in_a_band && exact >= 0.7 ? 1U : 0U;
        if (agreeing < minhash_report::least_agreeing) continue;
        ++expected.agreeing.found[agreeing];
        expected.agreeing.found_true[agreeing] += exact >= 0.7 ? 1U : 0U;
        expected.agreeing.found_labelled[agreeing] += input.same_label(a, b) ? 1U : 0U;
      }
    }
    if (measured.agreeing.found != expected.agreeing.found ||
        measured.agreeing.found_true != expected.agreeing.found_true ||
        measured.agreeing.found_labelled != expected.agreeing.found_labelled) {
      failures.emplace_back("pairs by MinHash estimates");
    }
    if (measured.candidates != expected.candidates || measured.true_candidates != expected.true_candidates) {
      failures.emplace_back("pairs by bands of MinHash");
    }
    // The errors of pairs of one family are correlated, so the bounds are wide. A wrong hash would still be far
    // outside.
    if (estimates < 100 || std::fabs(error / estimates) > 0.02 || squares / estimates < 0.8 ||
        squares / estimates > 1.25) {
      failures.push_back("MinHash estimates: off by " + std::to_string(error / estimates) + ", variance " +
                         std::to_string(squares / estimates) + " of the binomial one");
    }
    compared_ += static_cast<std::uint64_t>(estimates);
  }

  /// Compares the pairs of fingerprints (alone and checked), the pipeline and the skew with a comparison of all pairs.
  void check_retrieval(const hashed_sets& sets) {
    documents input;
    for (const auto& set : sets) {
      std::string& text = input.texts.emplace_back();
      for (const std::uint64_t element : set) text += "w" + std::to_string(element) + ' ';
      input.labels.push_back(static_cast<std::uint32_t>(set.size()));
    }
    const feature_choice words{};
    const auto features = fingerprint_features(words, input.texts, threads_);
    const auto other_features = fingerprint_features({feature_choice::unit::chars, 3}, input.texts, threads_);
    const pair_check truth = make_check("truth", input, feature_sets(other_features), 0.6, threads_);
    const pair_check check = make_check("check", input, feature_sets(features), 0.7, threads_, &truth);
    for (const fingerprint_choice& choice :
         {fingerprint_choice{words, weighting::unit, 64, 0}, fingerprint_choice{words, weighting::unit, 128, 0},
          fingerprint_choice{words, weighting::minwise, 64, 0}}) {
      const std::size_t bits = choice.bits;
      const auto prints = make_fingerprints(choice, input.texts, threads_);
      const int k = static_cast<int>(bits) / 5;
      const retrieval measured = measure_retrieval(input, truth, {&check}, *prints, k, threads_);
      distance_counts alone(static_cast<std::size_t>(k) + 1);
      distance_counts checked = alone;
      prints->for_each_pair_plainly(k, [&](std::uint32_t a, std::uint32_t b, int distance) {
        const auto d = static_cast<std::size_t>(distance);
        const bool is_true = neardup::jaccard_similarity(other_features[a], other_features[b]) >= 0.6;
        for (distance_counts* counts : {&alone, &checked}) {
          if (counts == &checked && neardup::jaccard_similarity(features[a], features[b]) < 0.7) continue;
          ++counts->found[d];
          counts->found_true[d] += is_true ? 1U : 0U;
          counts->found_labelled[d] += input.same_label(a, b) ? 1U : 0U;
        }
      });
      const auto differ = [](const distance_counts& x, const distance_counts& y) {
        return x.found != y.found || x.found_true != y.found_true || x.found_labelled != y.found_labelled;
      };
      if (differ(measured.alone, alone)) failures.push_back("what " + std::to_string(bits) + " bits find");
      if (differ(measured.checked[0], checked)) failures.push_back("what a check leaves of " + std::to_string(bits));

      const pipeline_report pipeline = run_pipeline(choice, words, 0.7, k, input.texts, threads_);
      const auto sum = [](const std::vector<std::uint64_t>& counts) {
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
      };
      if (pipeline.candidates != sum(alone.found) || pipeline.accepted != sum(checked.found)) {
        failures.emplace_back("the pipeline");
      }
      compared_ += sum(alone.found);
      if (bits == 64) check_skew(*prints, input.texts);
    }
  }

  void check_skew(const fingerprints& prints, const std::vector<std::string>& texts) {
    const std::vector<table_skew> measured = measure_skew(prints, texts);
    if (measured.size() != 14) failures.emplace_back("the number of tables");
    std::vector<std::uint64_t> words;
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      if (prints.has(i) && std::find(texts.begin(), texts.begin() + i, texts[i]) == texts.begin() + i) {
        words.push_back(prints.first_word(i));
      }
    }
    for (const table_skew& skew : measured) {
      std::map<std::vector<std::uint64_t>, std::uint64_t> buckets;
      for (const std::uint64_t word : words) {
        // 4 blocks have 16 bits each; 5 blocks have 13, 13, 13, 13 and 12.
        const unsigned width = skew.blocks == 4 ? 16 : 13;
        std::vector<std::uint64_t> key;
        for (const int block : skew.keyed_on) {
          const std::uint64_t rest = word >> (width * static_cast<unsigned>(block));
          key.push_back(rest & ((std::uint64_t{1} << width) - 1));
        }
        ++buckets[key];
      }
      std::uint64_t largest = 0;
      double met = 0;
      for (const auto& [key, size] : buckets) {
        largest = (std::max)(largest, size);
        met += static_cast<double>(size * size) / static_cast<double>(words.size());
      }
      if (largest != skew.largest || std::fabs(met - skew.scanned) > 1e-9) failures.emplace_back("the skew of a table");
    }
  }

  [[nodiscard]] std::uint64_t compared() const { return compared_; }

  std::vector<std::string> failures;

 private:
  unsigned threads_;
  std::uint64_t compared_ = 0;
};

}  // namespace

std::vector<std::string> self_check(const std::vector<std::string>& texts, const feature_choice& truth,
                                    const fingerprint_choice& prints, unsigned threads) {
  checker check(threads);
  check.check_text();
  check.check_theory();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    check.check_join("random sets", random_sets(seed));
    check.check_minhash(random_sets(seed));
    check.check_retrieval(random_sets(seed));
  }
  std::printf("random sets: %llu pairs compared\n", static_cast<unsigned long long>(check.compared()));
  if (!texts.empty()) {
    hashed_sets features(texts.size());
    in_parallel(texts.size(), threads, [&](std::size_t i) { features[i] = truth_features(truth, texts[i]); });
    check.check_join(to_string(truth) + " of the input", features);
    check.check_join("the fingerprints' features", fingerprint_features(prints.features, texts, threads));
    check.check_fingerprints(*make_fingerprints(prints, texts, threads));
    std::printf("with %zu documents: %llu pairs compared\n", texts.size(),
                static_cast<unsigned long long>(check.compared()));
  }
  return check.failures;
}

}  // namespace accuracy
