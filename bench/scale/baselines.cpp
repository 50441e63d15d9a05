#include "baselines.hpp"

#include <simdjson.h>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/index.hpp>
#include <neardup/sets.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../mixing.hpp"
#include "../synthetic.hpp"

namespace scale {

namespace {

/// Sets of features, in pieces of 2^18 sets. A new set can only move the sets of the last piece.
class feature_blocks {
 public:
  void add(std::span<const std::uint32_t> features) {
    if (size_++ % block_size == 0) blocks_.emplace_back();
    blocks_.back().add(features);
  }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
    return blocks_[i / block_size][i % block_size];
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 18;

  std::vector<neardup::feature_sets<>> blocks_;
  std::size_t size_ = 0;
};

struct corpus {
  std::vector<std::string> ids;
  feature_blocks features;
  std::vector<neardup::simhash<64>> fingerprints;
};

/// Reads texts. If there is a file `ids`, writes the id of each text on a line of it.
corpus read_corpus(const std::string& path, bool fingerprints, std::FILE* ids = nullptr) {
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
      throw std::runtime_error(path + ":" + std::to_string(result.features.size() + 1) +
                               ": no record with id and text");
    }
    if (ids == nullptr) {
      result.ids.emplace_back(id);
    } else if (std::fprintf(ids, "%.*s\n", static_cast<int>(id.size()), id.data()) < 0) {
      throw std::runtime_error("the temporary file is full");
    }
    result.features.add(features_of(text, memory));
    if (fingerprints) result.fingerprints.push_back(hash(text, hashing).value_or(neardup::simhash<64>()));
  }
  return result;
}

/// Counts the candidates, and prints those that are similar enough.
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

/// Maps a hashed feature x to the upper half of factor * x + summand modulo 2^64 (Dietzfelbinger 1996).
struct permutation {
  std::uint64_t factor, summand;

  [[nodiscard]] std::uint32_t operator()(std::uint32_t feature) const {
    return static_cast<std::uint32_t>((factor * feature + summand) >> 32U);
  }
};

/// Finds texts with equal keys, one band after the other. The key of a band combines the minima of `rows` permutations.
class banded_minhash {
 public:
  using key_of_text = std::pair<std::uint64_t, std::uint32_t>;

  banded_minhash(const feature_blocks& sets, std::size_t bands, std::size_t rows) : sets_(sets), rows_(rows) {
    neardup_bench::random_source random(bands * rows);
    for (std::size_t p = 0; p < bands * rows; ++p) {
      const std::uint64_t factor = random.next() | 1U;
      permutations_.push_back({factor, random.next()});
    }
    keys_.reserve(sets.size());
  }

  /// Returns the keys of all non-empty texts in this band, in the order of the texts. The result is valid until the
  /// next call of keys_of() or for_each_pair().
  std::span<const key_of_text> keys_of(std::size_t band) {
    keys_.clear();
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const auto set = sets_[i];
      if (set.empty()) continue;
      std::uint64_t key = band;
      for (const permutation& p : std::span(permutations_).subspan(band * rows_, rows_)) {
        std::uint32_t least = ~std::uint32_t{0};
        for (const std::uint32_t feature : set) least = (std::min)(least, p(feature));
        key = neardup_bench::mix(key + least);
      }
      keys_.emplace_back(key, static_cast<std::uint32_t>(i));
    }
    return keys_;
  }

  /// Calls visit(a, b) for each two texts, a before b, with the same key in the band of the last call of keys_of().
  template <class Visit>
  void for_each_pair(const Visit& visit) {
    std::sort(keys_.begin(), keys_.end());
    for (std::size_t first = 0, last = 0; first < keys_.size(); first = last) {
      while (last < keys_.size() && keys_[last].first == keys_[first].first) ++last;
      for (std::size_t a = first; a < last; ++a) {
        for (std::size_t b = a + 1; b < last; ++b) visit(keys_[a].second, keys_[b].second);
      }
    }
  }

 private:
  const feature_blocks& sets_;
  std::size_t rows_;
  std::vector<permutation> permutations_;
  std::vector<key_of_text> keys_;
};

void join_by_bands(const corpus& texts, std::size_t bands, std::size_t rows, pair_printer& print) {
  banded_minhash join(texts.features, bands, rows);
  std::vector<std::vector<std::uint64_t>> keys;  // of the previous bands
  for (std::size_t band = 0; band < bands; ++band) {
    std::vector<std::uint64_t>& own = keys.emplace_back(texts.features.size());
    for (const auto& [key, i] : join.keys_of(band)) own[i] = key;
    join.for_each_pair([&](std::size_t a, std::size_t b) {
      const auto met = [&](const std::vector<std::uint64_t>& before) { return before[a] == before[b]; };
      if (std::none_of(keys.begin(), keys.end() - 1, met)) print(a, b);
    });
  }
}

/// Prints the first text of each connected component of pairs. Takes 28 bytes for each text, in addition to the
/// features.
void print_kept(const join_baseline_options& options) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> ids(std::tmpfile(), std::fclose);
  if (!ids) throw std::runtime_error("no temporary file can be written");
  const corpus texts = read_corpus(options.corpus, false, ids.get());
  std::vector<std::uint32_t> before(texts.features.size());  // union-find: the parent of each text, or itself
  std::iota(before.begin(), before.end(), 0U);
  const auto first_of = [&](std::uint32_t i) {
    while (before[i] != i) i = before[i] = before[before[i]];
    return i;
  };
  banded_minhash join(texts.features, options.bands, options.rows);
  unsigned long long candidates = 0;
  for (std::size_t band = 0; band < options.bands; ++band) {
    join.keys_of(band);
    join.for_each_pair([&](std::uint32_t a, std::uint32_t b) {
      const auto [low, high] = std::minmax({first_of(a), first_of(b)});
      if (low == high) return;
      ++candidates;
      if (neardup::jaccard_at_least(texts.features[a], texts.features[b], options.similarity)) before[high] = low;
    });
  }
  std::rewind(ids.get());
  char id[256];
  for (std::size_t i = 0; std::fgets(id, sizeof id, ids.get()) != nullptr; ++i) {
    id[std::strcspn(id, "\n")] = '\0';
    if (before[i] == i) std::printf("{\"id\":\"%s\"}\n", id);
  }
  std::fprintf(stderr, "%llu candidates\n", candidates);
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
  if (options.kept && options.by != "minhash") throw std::invalid_argument("--kept is for --by minhash");
  if (options.kept) return print_kept(options);
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
