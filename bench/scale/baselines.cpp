#include "baselines.hpp"

#include <simdjson.h>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/index.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../synthetic.hpp"

namespace scale {

namespace {

struct corpus {
  std::vector<std::string> ids;
  neardup::feature_sets<> features;
  std::vector<neardup::simhash<64>> fingerprints;
};

corpus read_corpus(const std::string& path, bool fingerprints) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  corpus result;
  simdjson::dom::parser parser;
  const neardup::feature_extractor<neardup::default_tokenizer> features_of;
  decltype(features_of)::workspace memory;
  const neardup::default_simhasher<> hash;
  decltype(hash)::workspace hashing;
  for (std::string line; std::getline(in, line);) {
    line.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    simdjson::dom::element record;
    std::string_view id, text;
    if (parser.parse(line).get(record) || record["id"].get(id) || record["text"].get(text)) {
      throw std::runtime_error(path + ":" + std::to_string(result.ids.size() + 1) + ": no record with id and text");
    }
    result.ids.emplace_back(id);
    result.features.add(features_of(text, memory));
    if (fingerprints) result.fingerprints.push_back(hash(text, hashing).value_or(neardup::simhash<64>()));
  }
  return result;
}

/// Counts candidates, and prints those that pass.
class pair_printer {
 public:
  pair_printer(const corpus& texts, double similarity) : texts_(texts), similarity_(similarity) {}

  void operator()(std::size_t a, std::size_t b) {
    ++candidates_;
    if (a > b) std::swap(a, b);
    const auto similarity = neardup::jaccard_at_least(texts_.features[a], texts_.features[b], similarity_);
    if (!similarity) return;
    std::printf(R"({"a":"%s","b":"%s","similarity":%.6g})", texts_.ids[a].c_str(), texts_.ids[b].c_str(), *similarity);
    std::putchar('\n');
  }

  [[nodiscard]] unsigned long long candidates() const { return candidates_; }

 private:
  const corpus& texts_;
  double similarity_;
  unsigned long long candidates_ = 0;
};

/// For each text the minima of `count` permutations, one after the other. A permutation is the upper half of a * x + b
/// modulo 2^64 of a feature that is hashed already (Dietzfelbinger 1996).
std::vector<std::uint32_t> minima_of(const neardup::feature_sets<>& sets, std::size_t count) {
  neardup_bench::random_source random(count);
  std::vector<std::uint64_t> factors(count), summands(count);
  for (std::size_t p = 0; p < count; ++p) {
    factors[p] = random.next() | 1U;
    summands[p] = random.next();
  }
  std::vector<std::uint32_t> minima(sets.size() * count, ~std::uint32_t{0});
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::uint32_t* const least = minima.data() + i * count;
    for (const std::uint32_t feature : sets[i]) {
      for (std::size_t p = 0; p < count; ++p) {
        least[p] = (std::min)(least[p], static_cast<std::uint32_t>((factors[p] * feature + summands[p]) >> 32U));
      }
    }
  }
  return minima;
}

void join_by_bands(const corpus& texts, std::size_t bands, std::size_t rows, pair_printer& print) {
  const std::vector<std::uint32_t> minima = minima_of(texts.features, bands * rows);
  const std::size_t n = texts.ids.size();
  std::vector<std::uint64_t> keys(n * bands);  // of text i in band j at i * bands + j
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t key = i % bands;
    for (std::size_t row = 0; row < rows; ++row) key = neardup::detail::mix(key + minima[i * rows + row]);
    keys[i] = key;
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::size_t band = 0; band < bands; ++band) {
    order.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (!texts.features[i].empty()) order.emplace_back(keys[i * bands + band], static_cast<std::uint32_t>(i));
    }
    std::sort(order.begin(), order.end());
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      while (last < order.size() && order[last].first == order[first].first) ++last;
      for (std::size_t a = first; a < last; ++a) {
        for (std::size_t b = a + 1; b < last; ++b) {
          const std::uint64_t* const x = &keys[order[a].second * bands];
          const std::uint64_t* const y = &keys[order[b].second * bands];
          // Met in an earlier band.
          if (std::inner_product(x, x + band, y, false, std::logical_or<>(), std::equal_to<>())) continue;
          print(order[a].second, order[b].second);
        }
      }
    }
  }
}

void join_by_scan(const corpus& texts, int k, pair_printer& print) {
  neardup::flat_index<64> index;
  for (std::size_t i = 0; i < texts.ids.size(); ++i) {
    if (!texts.features[i].empty()) index.insert(texts.fingerprints[i], static_cast<std::uint32_t>(i));
  }
  constexpr std::size_t batch = 4096;
  for (std::size_t first = 0; first < texts.ids.size(); first += batch) {
    const auto queries = std::span(texts.fingerprints).subspan(first, (std::min)(batch, texts.ids.size() - first));
    const auto found = index.search_batch(queries, k);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (texts.features[first + q].empty()) continue;
      for (const auto& match : found[q]) {
        if (match.id > first + q) print(first + q, match.id);
      }
    }
  }
}

}  // namespace

void print_pairs(const join_baseline_options& options) {
  if (options.bands == 0 || options.rows == 0) throw std::invalid_argument("--bands and --rows are at least 1");
  const corpus texts = read_corpus(options.corpus, options.by == "scan");
  pair_printer print(texts, options.similarity);
  if (options.by == "scan") {
    join_by_scan(texts, options.distance, print);
  } else {
    join_by_bands(texts, options.bands, options.rows, print);
  }
  std::fprintf(stderr, "%llu candidates\n", print.candidates());
}

}  // namespace scale
