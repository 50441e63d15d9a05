// The naive fingerprint: XXH3 of each token, and a counter for each bit. It runs in the same benchmarks as the
// library's.
//
// CMakeLists.txt builds this program by clang++ -O3 -march=native, with which such a loop is fastest. The program is
// separate from the library, because otherwise inline functions of one build could replace those of the other.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include <benchmark/benchmark.h>
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "corpus.hpp"
#include "measure.hpp"

namespace {

using neardup_bench::corpus;

// ---- Tokens: windows of bytes, and pairs of code points. The library cuts words and pairs of words. ----------------

template <std::size_t N>
struct byte_windows {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    if (!text.empty() && text.size() < N) sink(text);
    for (std::size_t i = 0; i + N <= text.size(); ++i) sink(text.substr(i, N));
  }
};

/// Returns the number of bytes of the code point at `position` in well-formed UTF-8.
std::size_t code_point_length(std::string_view text, std::size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

struct code_point_pairs {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    std::string repaired;
    if (neardup::count_invalid(text) > 0) {
      neardup::for_each_code_point(text, [&](char32_t code_point, std::string_view) {
        char bytes[4];
        repaired.append(bytes, neardup::encode(code_point, bytes));
      });
      text = repaired;
    }
    if (text.empty()) return;
    std::size_t begin = 0;
    std::size_t middle = code_point_length(text, 0);
    if (middle == text.size()) sink(text);
    while (middle < text.size()) {
      const std::size_t end = middle + code_point_length(text, middle);
      sink(text.substr(begin, end - begin));
      begin = middle;
      middle = end;
    }
  }
};

// ---- Weights: integers; 0 for a token that does not count ----------------------------------------------------------

struct each_occurrence {
  int operator()(std::string_view /*token*/, std::uint64_t /*hash*/) { return 1; }
};

struct each_distinct {
  int operator()(std::string_view /*token*/, std::uint64_t hash) { return seen.insert(hash).second ? 1 : 0; }
  std::unordered_set<std::uint64_t> seen;
};

struct distinct_by_idf {
  std::int64_t operator()(std::string_view token, std::uint64_t hash) {
    return seen.insert(hash).second ? table->lookup(token).raw() : 0;
  }
  const neardup::idf_table* table;
  std::unordered_set<std::uint64_t> seen{};
};

// ---- Fingerprints --------------------------------------------------------------------------------------------------

template <class Count>
void vote(Count* counters, std::uint64_t hash, Count weight) {
  for (std::size_t i = 0; i < 64; ++i) counters[i] += (hash >> i & 1) != 0 ? weight : -weight;
}

template <class Count>
std::uint64_t majority_of(const Count* counters) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 64; ++i) bits |= std::uint64_t{counters[i] > 0} << i;
  return bits;
}

template <std::size_t Words, class Tokenizer, class Weigh>
std::array<std::uint64_t, Words> naive_simhash(const Tokenizer& tokenize, Weigh weigh, std::string_view text) {
  using count = decltype(weigh({}, 0));
  std::array<count, 64 * Words> counters{};
  const auto add = [&](std::string_view token) {
    const std::uint64_t first = XXH3_64bits(token.data(), token.size());
    const count weight = weigh(token, first);
    if (weight == 0) return;
    vote(counters.data(), first, weight);
    for (std::size_t j = 1; j < Words; ++j) {
      vote(counters.data() + 64 * j, XXH3_64bits_withSeed(token.data(), token.size(), j * neardup::xxh3<>::seed_step),
           weight);
    }
  };
  tokenize(text, add);
  std::array<std::uint64_t, Words> fingerprint{};
  for (std::size_t j = 0; j < Words; ++j) fingerprint[j] = majority_of(counters.data() + 64 * j);
  return fingerprint;
}

/// Returns true if the first texts have the same fingerprints as in the library.
template <class Naive, class Simhasher>
bool same_fingerprints(const corpus& texts, const Naive& naive, const Simhasher& hash) {
  std::size_t bytes = 0;
  for (const std::string& text : texts.documents) {
    const auto expected = hash(text);
    if (expected && expected->to_words() != naive(text)) return false;
    if ((bytes += text.size()) > 200'000) break;
  }
  return true;
}

/// Registers a benchmark. `hash` is the library's simhasher that makes the same fingerprints. `weigher()` returns the
/// weights of one text.
template <class Tokenizer, class Weigher, class Simhasher>
void add(const std::string& name, const corpus& texts, const Tokenizer& tokenize, const Weigher& weigher,
         const Simhasher& hash) {
  if (texts.documents.empty()) return;
  benchmark::RegisterBenchmark(("baseline/naive/" + name).c_str(), [=, &texts](benchmark::State& state) {
    const auto naive = [&](std::string_view text) {
      return naive_simhash<Simhasher::hash_words>(tokenize, weigher(), text);
    };
    if (same_fingerprints(texts, naive, hash)) {
      neardup_bench::measure_texts(state, texts, naive);
    } else {
      state.SkipWithError("other fingerprints than the library's");
    }
  })->Unit(benchmark::kMillisecond);
}

void add_accumulate() {
  benchmark::RegisterBenchmark("baseline/naive/accumulate/unit/64/n16384", [](benchmark::State& state) {
    static const neardup_bench::hashes hashes;
    neardup_bench::measure_tokens(state, std::size(hashes.values), [&] {
      std::array<int, 64> counters{};
      for (const std::uint64_t hash : hashes.values) vote(counters.data(), hash, 1);
      return majority_of(counters.data());
    });
  });
}

}  // namespace

int main(int argc, char** argv) try {
  using neardup::byte_ngrams;
  using neardup::simhasher;
  using neardup::tf;
  using neardup::words;
  using neardup::xxh3;

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("compiler", neardup_bench::compiler());
  const corpus english = neardup_bench::english_corpus();
  const corpus english_500 = neardup_bench::cut(english, 500);
  const corpus chinese = neardup_bench::chinese_corpus();
  const auto table = std::make_shared<const neardup::idf_table>(neardup_bench::idf_table_of(english));

  const auto each = [] { return each_occurrence{}; };
  const auto distinct = [] { return each_distinct{}; };
  const auto by_idf = [&] { return distinct_by_idf{table.get()}; };
  add_accumulate();
  add("default/unit/64", english, neardup::default_tokenizer{}, distinct, neardup::default_simhasher<>{});
  add("words/unit/64", english, words{}, distinct, simhasher{words{}});
  add("words/tf/64", english, words{}, each, simhasher{words{}, tf{}});
  add("words/idf/64", english, words{}, by_idf, simhasher{words{}, neardup::idf{table}});
  add("words/tf/128", english, words{}, each, simhasher{words{}, tf{}, xxh3<128>{}});
  add("bytes:5/unit/64", english, byte_windows<5>{}, distinct, simhasher{byte_ngrams{5}});
  add("bytes:5/tf/64", english, byte_windows<5>{}, each, simhasher{byte_ngrams{5}, tf{}});
  add("bytes:8/tf/64", english, byte_windows<8>{}, each, simhasher{byte_ngrams{8}, tf{}});
  add("bytes:8/tf/128", english, byte_windows<8>{}, each, simhasher{byte_ngrams{8}, tf{}, xxh3<128>{}});
  add("bytes:8/tf/64/500-byte-documents", english_500, byte_windows<8>{}, each, simhasher{byte_ngrams{8}, tf{}});
  add("chars:2/tf/64/zh", chinese, code_point_pairs{}, each, simhasher{neardup::code_point_ngrams{2}, tf{}});

  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "neardup_bench_naive: %s\n", error.what());
  return 2;
}
