// Recommends settings for a corpus: the features, width, distance and blocks that find its near-duplicates. Also
// estimates the costs of these settings.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <neardup/dedup/checks.hpp>
#include <neardup/index/cost.hpp>
#include <neardup/index/flat_index.hpp>
#include <neardup/index/recall.hpp>
#include <neardup/runner.hpp>
#include <neardup/simhash.hpp>
#include <neardup/text/feature_choice.hpp>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus_sample.hpp"

namespace command {

/// Defines near-duplicates for the advice, and limits how much of a corpus is examined.
struct advice_request {
  /// Two documents are near-duplicates if their features of kind `check` have at least this Jaccard similarity.
  double similarity = neardup::default_similarity;
  neardup::feature_choice check{};
  /// The share of the near-duplicates that fingerprints must find. See setup::recall.
  double recall = neardup::default_recall(neardup::fingerprint_kind::minwise);
  /// The features from which fingerprints may be made, in addition to `check`.
  std::vector<neardup::feature_choice> features{{neardup::feature_kind::words, 1},
                                                {neardup::feature_kind::words, 2},
                                                {neardup::feature_kind::chars, 2},
                                                {neardup::feature_kind::chars, 3},
                                                {neardup::feature_kind::chars, 5}};
  std::size_t sample = 2000;  ///< documents whose near-duplicates are searched for
  bool setups = true;         ///< true if fingerprints are compared, and advice::setups made
  /// Fingerprints of min(`compared`, max(documents of the corpus / 16, 4,096)) documents are compared.
  std::size_t compared = std::size_t{1} << 18;
  std::size_t sample_bytes = std::size_t{1} << 26;  ///< bytes of text in the sample; one text has at most 1/16
  std::uint64_t seed = 0;                           ///< seed of the random sample and of the hashes
};

/// A way to find near-duplicates, and its expected results. Fingerprints of `kind` with `bits` bits are made from the
/// distinct `features`. All pairs within `distance` bits are candidates, and each candidate is checked exactly.
struct setup {
  neardup::feature_choice features;
  neardup::fingerprint_kind kind;
  std::size_t bits;
  int distance;
  int blocks;  ///< block count of the recommended index
  /// Mean share of the near-duplicates of a document that are within `distance`. A family counts once, whatever its
  /// number of pairs. Copies do not count, because any distance finds them.
  double recall;
  double recall_error;             ///< standard error of `recall`, due to the sample and the hash
  double recall_low, recall_high;  ///< the actual recall is between these bounds in nine of ten cases
  /// Share of all pairs of near-duplicates, copies included, that are within `distance`. Large families count most,
  /// because their pairs are found or missed together.
  double recall_of_pairs;
  double candidates;  ///< for each document: pairs within `distance`, which have to be checked
  double bytes;       ///< for each document: memory of the index and of the sets that the check compares
  double seconds;     ///< for each document, on one core; comparable with the seconds of other setups, not with a clock
};

/// Properties of a corpus for one choice of features.
struct feature_facts {
  neardup::feature_choice features;
  double mean_features;    ///< mean number of distinct features of a document
  double too_short;        ///< share of the sample with fewer features than features_to_bear() requires for one change
  double mean_distance;    ///< mean distance of the 64-bit fingerprints of two random documents; uniform bits have 32
  double distance_spread;  ///< standard deviation of that distance; uniform bits have 4
  /// Mean size of the bucket of a document, divided by this mean for uniform bits. A bucket has the fingerprints with
  /// the same value of a 16-bit block. The block with the largest mean, of four blocks, counts.
  double skew;
};

/// Properties of a corpus, and the recommended setup.
struct advice {
  std::uint64_t documents = 0;
  std::size_t sampled = 0;  ///< number of documents in the sample
  /// The number of sampled documents for which near-duplicates were counted. If many documents resemble one another,
  /// followed < sampled, and a followed document represents several sampled documents.
  std::size_t followed = 0;
  double mean_bytes = 0;  ///< mean size of a document
  double median_bytes = 0;
  double similar_pairs = 0;      ///< estimated number of near-duplicate pairs in the corpus
  std::uint64_t pairs_seen = 0;  ///< near-duplicate pairs found that have a document of the sample
  /// Number of sampled documents with near-duplicates that are not copies. Recall is measured on these documents, or
  /// predicted if there are none.
  std::size_t documents_measured = 0;
  double partnered = 0;  ///< share of documents that have near-duplicates; a document and its copies count as one
  std::vector<feature_facts> facts;
  /// For each choice of features, kind and bits: the setup with the smallest distance that reaches the required recall.
  /// If no considered distance reaches this recall, the setup has the largest considered distance.
  std::vector<setup> setups;
  std::size_t recommended = 0;  ///< index in setups; see recommended_setup()
  bool is_reached = false;      ///< true if the recommended setup reaches the required recall
};

/// Chooses the setup with the best recall; of setups with equal recall the fastest, then the first. If any setup
/// reaches `recall`, setups below `recall` are excluded, and so are setups that take over 5 % longer than the fastest
/// setup that reaches `recall`.
/// Returns: the index of the setup.
/// Throws: std::invalid_argument if there are no setups.
/// Example, to exclude 128 bits: `std::erase_if(found.setups, [](const setup& s) { return s.bits > 64; });
/// found.recommended = recommended_setup(found.setups, 0.99);`
[[nodiscard]] inline std::size_t recommended_setup(std::span<const setup> setups, double recall) {
  if (setups.empty()) throw std::invalid_argument("recommended_setup: there are no setups");
  double fastest = std::numeric_limits<double>::infinity();
  for (const setup& s : setups) {
    if (s.recall >= recall) fastest = (std::min)(fastest, s.seconds);
  }
  // The costs are estimates, so small differences in time mean nothing.
  const auto fits = [&](const setup& s) { return s.recall >= recall && s.seconds <= 1.05 * fastest; };
  const auto is_better = [&](const setup& a, const setup& b) {
    if (fits(a) != fits(b)) return fits(a);
    return a.recall != b.recall ? a.recall > b.recall : a.seconds < b.seconds;
  };
  return static_cast<std::size_t>(std::min_element(setups.begin(), setups.end(), is_better) - setups.begin());
}

/// Reads a corpus twice, and recommends a setup. Fingerprints of 64 and 128 bits are considered.
///
/// In the first pass, each document is passed to sample(), which keeps some of the documents. In the second pass, all
/// documents are passed to compare(), in the same order. compare() finds all near-duplicates of the sampled documents
/// exactly, with an inverted index. If documents resemble so many others that the search would take long, only some
/// sampled documents are followed, each with a weight (see advice::followed). Theory predicts the share of the
/// near-duplicates within k bits, from the cosine or Jaccard similarity of each pair (see expected_recall). The
/// observed distances of the pairs correct the prediction. Candidates are counted by comparing fingerprints. The advice
/// depends only on the request and on the documents in their order.
/// Guarantee: if memory is exhausted, or reading `texts` throws, the advisor may only be destroyed or assigned to.
/// Memory: the texts of the sample, and for each choice of features the fingerprints of the compared documents.
/// Example:
/// ```
/// advisor look{advice_request{.similarity = 0.7}};
/// for (const auto& text : texts) look.sample(text);
/// look.compare(texts, neardup::threads{8});  // all, or some at a time
/// const advice found = look.finish();
/// ```
class advisor {
 public:
  /// Makes an advisor that has not read a document yet.
  /// Throws: std::invalid_argument unless 0 < similarity <= 1, 0 <= recall <= 1, sample is in 1..1,000,000, compared is
  /// not 0, and the size of each choice of features is not 0.
  explicit advisor(const advice_request& request = {})
      : similarity_(request.similarity),
        recall_(request.recall),
        corpus_(checked(request).similarity, all_features(request),
                {request.sample, request.sample_bytes, request.compared, request.seed, request.setups}),
        makes_setups_(request.setups) {}

  /// Adds a document in the first pass.
  /// Throws: std::logic_error if compare() was called before.
  void sample(std::string_view text) {
    if (corpus_.is_complete()) throw std::logic_error("advisor: sample() after compare()");
    corpus_.add(text);
  }

  /// Adds the next documents of the second pass. `texts` has size() and [], and its elements convert to
  /// std::string_view. Several threads may call `texts[i]` at once.
  template <class Texts>
  void compare(const Texts& texts, const neardup::any_runner& run = {}) {
    corpus_.compare(texts, run);
  }

  /// Returns the advice.
  /// Throws: std::logic_error unless the two passes had the same number of documents, and at least one.
  [[nodiscard]] advice finish(const neardup::any_runner& run = {}) {
    if (corpus_.documents() == 0) throw std::logic_error("advisor: no documents to advise on");
    if (corpus_.compared() != corpus_.documents()) {
      throw std::logic_error("advisor: " + std::to_string(corpus_.documents()) + " documents were sampled from, but " +
                             std::to_string(corpus_.compared()) + " compared");
    }
    advice result;
    result.documents = corpus_.documents();
    result.sampled = corpus_.drawn_documents();
    result.followed = corpus_.sample().size();
    result.mean_bytes = corpus_.mean_bytes();
    result.median_bytes = corpus_.median_bytes();
    double distinct = 0, partnered = 0, pairs = 0;
    for (const auto& s : corpus_.sample()) {
      result.pairs_seen += s.copies + s.degree;
      result.documents_measured += s.degree > 0 ? 1 : 0;
      const double share = s.stands_for / (1 + static_cast<double>(s.copies));
      distinct += share;
      partnered += s.copies + s.degree > 0 ? share : 0;
      pairs += s.stands_for * static_cast<double>(s.copies + s.degree);
    }
    result.partnered = partnered / distinct;
    // The sum is divided by 2, because each pair is counted for both of its documents.
    result.similar_pairs = pairs / 2 * static_cast<double>(corpus_.documents()) / corpus_.weight();

    std::vector<double> sizes;
    for (std::size_t f = 0; f < corpus_.features().size(); ++f) {
      result.facts.push_back(facts_of(f, corpus_.feature_counts()[f]));
      sizes.push_back(result.facts.back().mean_features);
    }
    if (!makes_setups_) return result;
    for (std::size_t f = 0; f < corpus_.features().size(); ++f) {
      for (const auto kind : {neardup::fingerprint_kind::simhash, neardup::fingerprint_kind::minwise}) {
        for (const std::size_t width : {std::size_t{64}, std::size_t{128}})
          add_setup(kind, width, f, sizes, run, result);
      }
    }
    result.recommended = recommended_setup(result.setups, recall_);
    result.is_reached = result.setups[result.recommended].recall >= recall_;
    return result;
  }

 private:
  /// Returns the largest distance that is considered. Larger distances would give too many candidates that do not
  /// match.
  static constexpr int max_distance(std::size_t bits) noexcept { return static_cast<int>(bits * 5 / 16); }

  [[noreturn]] static void refuse(const char* what) {
    throw std::invalid_argument(std::string("advice_request: ") + what);
  }

  static const advice_request& checked(const advice_request& request) {
    if (!(request.similarity > 0 && request.similarity <= 1)) refuse("similarity is not above 0 and at most 1");
    if (!(request.recall >= 0 && request.recall <= 1)) refuse("recall is not in 0..1");
    if (request.sample == 0 || request.sample > 1000000) refuse("sample is not in 1..1000000");
    if (request.compared == 0) refuse("compared is 0");
    return request;
  }

  /// Returns the features of the check, followed by the other features of the request. No features are repeated.
  static std::vector<neardup::feature_choice> all_features(const advice_request& request) {
    std::vector<neardup::feature_choice> result{request.check};
    for (const neardup::feature_choice& features : request.features) {
      if (std::find(result.begin(), result.end(), features) == result.end()) result.push_back(features);
    }
    if (std::any_of(result.begin(), result.end(), [](const neardup::feature_choice& f) { return f.size == 0; })) {
      refuse("features of size 0");
    }
    return result;
  }

  /// Returns the facts about choice number `f` of features. `counts`: how many features each sampled document has.
  [[nodiscard]] feature_facts facts_of(std::size_t f, std::span<const std::size_t> counts) const {
    const neardup::feature_choice& features = corpus_.features()[f];
    // Even a long text has at most features.size longest sentences, so for these features no text counts as too short.
    const bool are_few = features.kind == neardup::feature_kind::longest_sentences;
    const std::size_t enough = are_few ? 0 : neardup::features_to_bear(features.size, similarity_);
    double all = 0, too_short = 0;
    for (const std::size_t count : counts) {
      all += static_cast<double>(count);
      too_short += count < enough ? 1 : 0;
    }
    const double n = static_cast<double>(counts.size());
    feature_facts facts{features, all / n, too_short / n, 0, 0, 1};
    std::vector<std::uint64_t> prints = first_words(neardup::fingerprint_kind::simhash, f);
    if (prints.size() < 2) return facts;
    constexpr std::uint64_t pairs = 100000;
    constexpr std::uint64_t first = ~std::uint64_t{0} - 2 * pairs;  // random numbers that the sample has not used
    double sum = 0, squares = 0;
    for (std::uint64_t i = 0; i < pairs; ++i) {
      const std::uint64_t a = corpus_.drawn(first + 2 * i, prints.size()),
                          b = (a + 1 + corpus_.drawn(first + 2 * i + 1, prints.size() - 1)) % prints.size();
      const double distance = std::popcount(prints[static_cast<std::size_t>(a)] ^ prints[static_cast<std::size_t>(b)]);
      sum += distance;
      squares += distance * distance;
    }
    facts.mean_distance = sum / static_cast<double>(pairs);
    const double mean_square = squares / static_cast<double>(pairs);
    facts.distance_spread = std::sqrt((std::max)(0.0, mean_square - facts.mean_distance * facts.mean_distance));
    facts.skew = skew_of(std::move(prints));
    return facts;
  }

  [[nodiscard]] std::vector<std::uint64_t> first_words(neardup::fingerprint_kind kind, std::size_t f) const {
    std::vector<std::uint64_t> words;
    for (const auto& prints : corpus_.fingerprints(f)) {
      if (prints) words.push_back(prints->get<64>(kind).to_uint64());
    }
    return words;
  }

  static double skew_of(std::vector<std::uint64_t> prints) {
    // Equal fingerprints are removed, because an index stores them once.
    std::sort(prints.begin(), prints.end());
    prints.erase(std::unique(prints.begin(), prints.end()), prints.end());
    if (prints.size() < 2) return 1;
    const double n = static_cast<double>(prints.size());
    double skew = 0;
    for (int block = 0; block < 4; ++block) {
      std::vector<std::uint32_t> buckets(65536, 0);
      for (const std::uint64_t print : prints) ++buckets[print >> (16 * block) & 0xffff];
      double met = 0;
      for (const std::uint32_t size : buckets) met += static_cast<double>(size) * (static_cast<double>(size) - 1);
      skew = (std::max)(skew, met / (n * (n - 1)) * 65536);
    }
    return skew;
  }

  /// Estimates the number of pairs within k bits in the whole corpus, divided by the number of documents. The estimate
  /// uses the number of compared documents within k bits of each sampled document.
  template <std::size_t Bits>
  [[nodiscard]] double candidates_within(neardup::fingerprint_kind kind, std::size_t f, int k,
                                         const neardup::any_runner& run) const {
    std::vector<neardup::simhash<Bits>> prints;
    for (const auto& of_text : corpus_.fingerprints(f)) {
      if (of_text) prints.push_back(of_text->get<Bits>(kind));
    }
    std::sort(prints.begin(), prints.end());
    // Documents with equal fingerprints are one entry with a count. So a corpus with many copies takes little time.
    neardup::flat_index<Bits> index;
    std::vector<std::uint64_t> copies;
    for (std::size_t i = 0; i < prints.size(); ++i) {
      if (i == 0 || prints[i] != prints[i - 1]) {
        index.insert(prints[i], static_cast<std::uint32_t>(copies.size()));
        copies.push_back(0);
      }
      ++copies.back();
    }

    const auto& sample = corpus_.sample();
    std::vector<std::uint64_t> met(sample.size(), 0);
    for_each_in_parts(run, run.parts(), sample.size(), [&](std::size_t, std::size_t i) {
      const auto& query = corpus_.queries(f)[i];
      if (!query) return;
      index.for_each_match(query->get<Bits>(kind), k, [&](const auto& match) { met[i] += copies[match.id]; });
      if (corpus_.is_compared(sample[i].ordinal)) --met[i];  // excludes the document itself
    });

    double all_met = 0, others = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const std::size_t itself = corpus_.is_compared(sample[i].ordinal) ? 1 : 0;
      all_met += sample[i].stands_for * static_cast<double>(met[i]);
      others += sample[i].stands_for * static_cast<double>(corpus_.fingerprints(f).size() - itself);
    }
    return others == 0 ? 0 : all_met / others * static_cast<double>(corpus_.documents() - 1) / 2;
  }

  struct estimate {
    double value, error;
    double trust;  // 0 to 1: the weight of the observed distances in `value`, and so of the random error of this seed
  };

  /// Returns the probability that at most k of `bits` bits differ, if each bit differs with probability p.
  static double chance_within(std::size_t bits, int k, double p) {
    return neardup::match_probability(bits, k, std::cos(std::numbers::pi * p));
  }

  /// The number of steps of the table of chances_by_difference(). The table maps the probability that a bit differs to
  /// the probability that a pair is within k bits.
  static constexpr std::size_t difference_steps = 1024;
  static std::vector<double> chances_by_difference(std::size_t bits, int k) {
    std::vector<double> chances(difference_steps + 1);
    for (std::size_t i = 0; i <= difference_steps; ++i) {
      chances[i] = chance_within(bits, k, static_cast<double>(i) / static_cast<double>(difference_steps));
    }
    return chances;
  }

  /// How a sampled document is weighted: once for its family, or once for each pair with a document that is not a copy.
  enum class counted { families, pairs };
  static double weight_of(const corpus_sample::sampled& s, counted what) noexcept {
    return what == counted::families ? s.weight() : s.stands_for * static_cast<double>(s.degree);
  }

  /// Estimates which share of the near-duplicates of a document is within k bits. Copies are not counted. The estimate
  /// uses the pairs that were examined in detail.
  ///
  /// The theory is slightly wrong for texts of few features, and for min-wise codes. The observed distances of the
  /// pairs correct this error. The correction is weighted by its reliability, which grows with the number of pairs.
  [[nodiscard]] estimate recall_within(neardup::fingerprint_kind kind, std::size_t bits, int k, std::size_t f,
                                       counted what = counted::families) const {
    const std::vector<double> chances = chances_by_difference(bits, k);
    const std::size_t by = kind == neardup::fingerprint_kind::minwise ? 1 : 0;
    const std::size_t width = bits == 64 ? 0 : 1;
    struct document {
      double weight, expected, beyond;  // `beyond`: the excess of the observed over the expected share
    };
    std::vector<document> seen;
    double all = 0, expected = 0, beyond = 0;
    for (const auto& s : corpus_.sample()) {
      if (s.degree == 0) continue;
      double chance = 0, found = 0;
      for (const auto& other : s.kept) {
        const auto& pair = other.by_features[f];
        const double difference = pair.difference[by] * static_cast<double>(difference_steps);
        chance += chances[static_cast<std::size_t>(std::lround(difference))];
        found += pair.distance[by][width] <= k ? 1 : 0;
      }
      const double weight = weight_of(s, what), kept = static_cast<double>(s.kept.size());
      seen.push_back({weight, weight * chance / kept, weight * (found - chance) / kept});
      all += weight;
      expected += seen.back().expected;
      beyond += seen.back().beyond;
    }
    if (all == 0) return {neardup::expected_recall(bits, k, similarity_, kind), 0, 0};
    double doubt = 0;
    for (const document& one : seen) doubt += std::pow(one.beyond - beyond / all * one.weight, 2);
    const double trust = beyond == 0 ? 0 : beyond * beyond / (beyond * beyond + doubt);
    const double value = (expected + trust * beyond) / all;
    // The standard error of a ratio of two sums over the sample is computed from the residual of each document.
    double squares = 0;
    for (const document& one : seen) squares += std::pow(one.expected + trust * one.beyond - value * one.weight, 2);
    return {std::clamp(value, 0.0, 1.0), std::sqrt(squares) / all, trust};
  }

  /// Returns which share of all pairs of near-duplicates is within k bits. Copies are always found, and count, too.
  [[nodiscard]] double recall_of_pairs(neardup::fingerprint_kind kind, std::size_t bits, int k, std::size_t f) const {
    const double found = recall_within(kind, bits, k, f, counted::pairs).value;
    double missed = 0, all = 0;
    for (const auto& s : corpus_.sample()) {
      missed += (1 - found) * weight_of(s, counted::pairs);
      all += weight_of(s, counted::pairs) + s.stands_for * static_cast<double>(s.copies);
    }
    return all == 0 ? found : 1 - missed / all;
  }

  /// Returns the standard deviation of the share of near-duplicates within k bits, over all hash functions.
  ///
  /// Near-duplicates that share the same words are found or missed together: if these words make one pair differ in a
  /// bit, the other pairs differ in this bit, too. So for each bit of the widest fingerprints, its contribution to the
  /// share is summed over all pairs. To first order, the share is a sum of independent terms, one for each bit.
  [[nodiscard]] double luck_of_the_hash(neardup::fingerprint_kind kind, std::size_t bits, int k, std::size_t f) const {
    const std::size_t by = kind == neardup::fingerprint_kind::minwise ? 1 : 0;
    const double n = static_cast<double>(bits);
    double all = 0;
    for (const auto& s : corpus_.sample()) all += s.degree > 0 ? s.weight() : 0;
    if (all == 0) return 0;
    constexpr std::size_t widest = 128;
    std::array<double, widest> terms{};    // terms[bit]: contribution of the bit to the share
    double of_pairs = 0, of_one_pair = 0;  // variance of single pairs: the part in `terms`; all of it
    const double families = (std::max)(1.0, all * static_cast<double>(corpus_.documents()) / corpus_.weight());
    for (const auto& s : corpus_.sample()) {
      for (const auto& other : s.kept) {
        const double share = s.weight() / static_cast<double>(s.kept.size()) / all;
        const double p = other.by_features[f].difference[by];
        if (p <= 0) continue;  // every hash function finds this pair
        const double found = chance_within(bits, k, p);
        // The probability that one bit decides whether the pair is found. The bit decides if exactly k of the other
        // bits differ.
        const double decides = chance_within(bits - 1, k, p) - (k == 0 ? 0 : chance_within(bits - 1, k - 1, p));
        for (std::size_t bit = 0; bit < widest; ++bit) {
          const bool differs = (other.by_features[f].differing[by][bit / 64] >> (bit % 64) & 1) != 0;
          terms[bit] += share * decides * (p - (differs ? 1.0 : 0.0));
        }
        of_pairs += share * share * decides * decides * n * p * (1 - p);
        of_one_pair += share * found * (1 - found);
      }
    }
    double squares = 0;
    for (const double term : terms) squares += term * term;
    // `squares` contains the variance of each single pair, weighted by the pair's share of the sample. In the corpus,
    // this share is smaller. So the variance for the sample is subtracted, and the variance for the corpus is added.
    const double variance =
        (std::max)(0.0, squares / static_cast<double>(widest) * n - of_pairs) + of_one_pair / families;
    return std::sqrt(variance);
  }

  void add_setup(neardup::fingerprint_kind kind, std::size_t width, std::size_t f, const std::vector<double>& sizes,
                 const neardup::any_runner& run, advice& result) const {
    int k = 0;
    estimate recall = recall_within(kind, width, k, f);
    while (recall.value < recall_ && k < max_distance(width)) recall = recall_within(kind, width, ++k, f);
    // Two hash functions contribute to the error: the one that was examined, and the one that will be used.
    const double luck = luck_of_the_hash(kind, width, k, f) * std::sqrt(1 + recall.trust * recall.trust);
    const double error = std::hypot(recall.error, luck);
    // If documents were independent, 1.65 standard errors would cover nine of ten cases. Families need more.
    const double reach = 2 * error;
    const double candidates =
        width == 64 ? candidates_within<64>(kind, f, k, run) : candidates_within<128>(kind, f, k, run);
    const neardup::expected_costs costs =
        neardup::leanest_blocks(width, k, static_cast<double>(corpus_.documents()), 1.5);

    // The costs are in nanoseconds, on one core of a server of 2024 with AVX-512.
    constexpr double a_feature = 4, a_byte = 0.3, a_sorted_feature = 8, a_compared_feature = 1.5, a_candidate = 100;
    const bool is_minwise = kind == neardup::fingerprint_kind::minwise;
    // Min-wise codes of any width need one hash of each feature.
    const double reading = corpus_.mean_bytes() * a_byte +
                           sizes[f] * a_feature * (is_minwise ? 1 : 0.7 + 0.3 * static_cast<double>(width) / 64.0);
    const double checking =
        sizes.front() * a_sorted_feature + candidates * (a_candidate + 2 * sizes.front() * a_compared_feature);
    // Crowded buckets slow down an index. They do not slow down a scan, which compares all pairs.
    double skew = result.facts[f].skew;
    if (is_minwise) skew = skew_of(first_words(kind, f));
    const double search = (std::min)(costs.seconds * (std::max)(1.0, skew),
                                     neardup::scan_seconds(width, static_cast<double>(corpus_.documents())) / 2);
    constexpr double bytes_a_feature = 4;  // in a set that the check keeps
    result.setups.push_back({corpus_.features()[f], kind, width, k, costs.blocks, recall.value, error,
                             (std::max)(0.0, recall.value - reach), (std::min)(1.0, recall.value + reach),
                             recall_of_pairs(kind, width, k, f), candidates,
                             costs.bytes + sizes.front() * bytes_a_feature, search + (reading + checking) * 1e-9});
  }

  double similarity_;
  double recall_;
  corpus_sample corpus_;
  bool makes_setups_;
};

/// Returns the advice for texts that are all available at once; see advisor.
/// Throws: the exceptions of advisor.
/// Example: `const advice found = advise(texts, {.similarity = 0.7});  found.setups[found.recommended].distance`
template <class Texts>
[[nodiscard]] advice advise(const Texts& texts, const advice_request& request = {},
                            const neardup::any_runner& run = {}) {
  advisor look(request);
  for (std::size_t i = 0; i < texts.size(); ++i) look.sample(std::string_view(texts[i]));
  look.compare(texts, run);
  return look.finish(run);
}

}  // namespace command
