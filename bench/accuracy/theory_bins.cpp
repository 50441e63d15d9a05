#include "theory_bins.hpp"

#include <cmath>
#include <random>
#include <span>

#include "theory.hpp"

namespace accuracy {

namespace {

/// Sums over the pairs of a bin.
struct theory_sums {
  std::uint64_t pairs = 0;
  double distance = 0;
  double theory = 0;
  double exact = 0;
  double difference_squared = 0;
  double variance = 0;
  std::vector<std::uint32_t> differences;  // by bit, one seed after the other
  std::vector<std::uint64_t> at;           // by distance
  std::vector<double> theory_at;
};

/// Adds to `sums[d]` the probability that d bits differ, if each bit differs with probability p, independently of the
/// others.
void add_binomial(double p, std::vector<double>& sums) {
  if (p <= 0) {
    sums[0] += 1;
    return;
  }
  const auto bits = static_cast<double>(sums.size() - 1);
  double term = std::pow(1 - p, bits);  // p is not much above 1/2, so this does not underflow
  for (std::size_t d = 0; d < sums.size(); ++d) {
    sums[d] += term;
    term *= (bits - static_cast<double>(d)) / static_cast<double>(d + 1) * p / (1 - p);
  }
}

class theory_collector {
 public:
  theory_collector(const feature_sets& sets, const std::vector<std::unique_ptr<fingerprints>>& prints, std::size_t bits,
                   double width)
      : sets_(sets), prints_(prints), bits_(static_cast<double>(bits)), width_(width), sums_(bins() + 1) {
    for (theory_sums& sums : sums_) {
      sums.differences.resize(bits * prints.size());
      sums.at.resize(bits + 1);
      sums.theory_at.resize(bits + 1);
    }
  }

  /// Returns the number of bins for similarities below 1.
  [[nodiscard]] std::size_t bins() const { return static_cast<std::size_t>(std::ceil(1 / width_ - 1e-9)); }

  [[nodiscard]] std::size_t bin_of(double similarity) const {
    return similarity >= 1 ? bins() : static_cast<std::size_t>(similarity / width_ + 1e-9);
  }

  void add(std::uint32_t a, std::uint32_t b, std::size_t common) {
    const std::size_t size_a = sets_[a].size();
    const std::size_t size_b = sets_[b].size();
    theory_sums& sums = sums_[bin_of(jaccard(size_a, size_b, common))];
    const double p = chance_by_angle(size_a, size_b, common);
    const auto bits = static_cast<std::size_t>(bits_);
    for (std::size_t seed = 0; seed < prints_.size(); ++seed) {
      const auto differences = std::span(sums.differences).subspan(seed * bits, bits);
      const int bits_apart = prints_[seed]->count_differences(a, b, differences);
      ++sums.at[static_cast<std::size_t>(bits_apart)];
      const double distance = bits_apart;
      sums.distance += distance;
      sums.difference_squared += (distance - bits_ * p) * (distance - bits_ * p);
    }
    ++sums.pairs;
    sums.theory += bits_ * p;
    sums.exact += bits_ * exact_(size_a, size_b, common);
    sums.variance += bits_ * p * (1 - p);
    add_binomial(p, sums.theory_at);
  }

  void merge(const theory_collector& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) add_sums(sums_[i], other.sums_[i]);
  }

  /// Adds the pairs of equal sets, which have a separate bin, to the last bin.
  void close_last_bin() {
    add_sums(sums_[bins() - 1], sums_[bins()]);
    sums_[bins()] = {};
  }

  [[nodiscard]] theory_bin bin(std::size_t i) const {
    const theory_sums& sums = sums_[i];
    const double n = static_cast<double>(sums.pairs);
    theory_bin result;
    result.low = static_cast<double>(i) * width_;
    result.high = std::fmin(1, static_cast<double>(i + 1) * width_);
    result.pairs = sums.pairs;
    if (sums.pairs == 0) return result;
    const double draws = n * static_cast<double>(prints_.size());
    result.distance = sums.distance / draws;
    result.theory = sums.theory / n;
    result.exact = sums.exact / n;
    const double difference = result.difference();
    result.spread = std::sqrt(std::fmax(0.0, sums.difference_squared / draws - difference * difference));
    result.theory_spread = std::sqrt(sums.variance / n);
    for (const std::uint64_t pairs : sums.at) result.at.push_back(static_cast<double>(pairs) / draws);
    for (const double pairs : sums.theory_at) result.theory_at.push_back(pairs / n);
    result.error_by_pairs = result.spread / std::sqrt(draws);

    const auto all_bits = static_cast<double>(sums.differences.size());
    double squares = 0;
    for (const std::uint32_t count : sums.differences) {
      const double deviation = count / n - result.distance / bits_;
      squares += deviation * deviation;
    }
    result.error_by_bits = bits_ * std::sqrt(squares / (all_bits - 1) / all_bits);
    return result;
  }

 private:
  static void add_sums(theory_sums& to, const theory_sums& from) {
    to.pairs += from.pairs;
    to.distance += from.distance;
    to.theory += from.theory;
    to.exact += from.exact;
    to.difference_squared += from.difference_squared;
    to.variance += from.variance;
    for (std::size_t bit = 0; bit < to.differences.size(); ++bit) to.differences[bit] += from.differences[bit];
    for (std::size_t d = 0; d < to.at.size(); ++d) {
      to.at[d] += from.at[d];
      to.theory_at[d] += from.theory_at[d];
    }
  }

  const feature_sets& sets_;
  const std::vector<std::unique_ptr<fingerprints>>& prints_;
  double bits_;
  double width_;
  std::vector<theory_sums> sums_;  // the last one is for equal sets
  exact_chance exact_;
};

}  // namespace

double theory_bin::standard_error() const { return std::fmax(error_by_pairs, error_by_bits); }

bool theory_bin::allows(double difference) const {
  return std::fabs(difference) <= std::fmax(0.7, 3 * standard_error());
}

bool theory_bin::allows_narrowly(double difference) const {
  return std::fabs(difference) <= std::fmax(0.7, 3 * error_by_pairs);
}

theory_comparison measure_theory(const feature_sets& sets, const std::vector<std::unique_ptr<fingerprints>>& prints,
                                 std::size_t bits, const theory_choice& choice, unsigned threads) {
  std::vector<theory_collector> parts(threads, theory_collector(sets, prints, bits, choice.width));
  similarity_join(
      sets, choice.complete_from, threads,
      [&](unsigned thread, std::uint32_t a, std::uint32_t b, std::size_t common) { parts[thread].add(a, b, common); });
  theory_collector& all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) all.merge(parts[i]);

  theory_collector random(sets, prints, bits, choice.width);
  const std::size_t first_complete = random.bin_of(choice.complete_from);
  std::mt19937_64 engine(1);  // the same pairs on every machine
  for (std::uint64_t i = 0; i < choice.random_pairs && sets.size() > 1; ++i) {
    const auto a = static_cast<std::uint32_t>(engine() % sets.size());
    const auto b = static_cast<std::uint32_t>(engine() % sets.size());
    if (a == b || sets[a].empty() || sets[b].empty()) continue;
    random.add(a, b, overlap(sets[a], sets[b]));
  }

  theory_comparison result;
  result.unequal = all.bin(all.bins() - 1);
  all.close_last_bin();
  for (std::size_t i = 0; i < all.bins(); ++i) {
    result.bins.push_back(i < first_complete ? random.bin(i) : all.bin(i));
    result.bins.back().sampled = i < first_complete;
  }
  return result;
}

}  // namespace accuracy
