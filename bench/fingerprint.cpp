// How fast texts become fingerprints, beside the naive loop and the machine's own limits.
//
// The texts are those of a Debian machine: licences (/usr/share/doc/*/copyright) and, for Chinese, manual pages
// (package manpages-zh); NEARDUP_BENCH_CORPUS and NEARDUP_BENCH_CORPUS_ZH name other folders.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <benchmark/benchmark.h>
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "corpus.hpp"

namespace {

using neardup_bench::corpus;

/// Measures whole documents: bytes and tokens a second, and cycles are left to the reader's clock.
template <class Fingerprint>
void measure(benchmark::State& state, const corpus& texts, Fingerprint&& fingerprint) {
  for (auto _ : state) {
    for (const std::string& text : texts.documents) benchmark::DoNotOptimize(fingerprint(std::string_view(text)));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(texts.bytes));
  state.SetLabel(texts.name + ", " + std::to_string(texts.documents.size()) + " documents");
}

template <class Simhasher>
void add(const std::string& name, const corpus& texts, Simhasher hash) {
  if (texts.documents.empty()) return;
  benchmark::RegisterBenchmark(name.c_str(), [hash = std::move(hash), &texts](benchmark::State& state) {
    typename Simhasher::workspace scratch;
    measure(state, texts, [&](std::string_view text) { return hash(text, scratch); });
  })->Unit(benchmark::kMillisecond);
}

/// What one writes first: a counter for each bit, up or down for each token.
template <class Tokenizer>
std::uint64_t naive_simhash(const Tokenizer& tokenize, std::string_view text) {
  std::array<int, 64> counters{};
  auto vote = [&](std::string_view token) {
    const std::uint64_t hash = XXH3_64bits(token.data(), token.size());
    for (std::size_t i = 0; i < 64; ++i) counters[i] += ((hash >> i) & 1U) != 0 ? 1 : -1;
  };
  tokenize(text, vote);
  std::uint64_t fingerprint = 0;
  for (std::size_t i = 0; i < 64; ++i) fingerprint |= std::uint64_t{counters[i] > 0} << i;
  return fingerprint;
}

template <class Tokenizer>
void add_naive(const std::string& name, const corpus& texts, Tokenizer tokenize) {
  if (texts.documents.empty()) return;
  benchmark::RegisterBenchmark(name.c_str(), [tokenize, &texts](benchmark::State& state) {
    measure(state, texts, [&](std::string_view text) { return naive_simhash(tokenize, text); });
  })->Unit(benchmark::kMillisecond);
}

void add_baselines(const corpus& texts) {
  benchmark::RegisterBenchmark("baseline/memcpy", [&texts](benchmark::State& state) {
    std::string copy(texts.longest, '\0');
    measure(state, texts, [&](std::string_view text) {
      std::memcpy(copy.data(), text.data(), text.size());
      benchmark::ClobberMemory();
      return copy[0];
    });
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("baseline/xxh3", [&texts](benchmark::State& state) {
    measure(state, texts, [](std::string_view text) { return XXH3_64bits(text.data(), text.size()); });
  })->Unit(benchmark::kMillisecond);
  // The tokenizers are those of the library: the naive part is the fingerprint.
  add_naive("baseline/naive/words/tf/64", texts, neardup::words{});
  add_naive("baseline/naive/bytes:8/tf/64", texts, neardup::byte_ngrams{8});
  add_naive("baseline/naive/chars:2/tf/64", texts, neardup::code_point_ngrams{2});
}

template <class Tokenizer>
void add_all_weighters(const std::string& tokenizer_name, const corpus& texts, const Tokenizer& tokenize) {
  using neardup::simhasher;
  neardup::idf_learner learner;
  for (const std::string& text : texts.documents) learner.add(tokenize, text);
  const auto table = std::make_shared<const neardup::idf_table>(learner.table(2));
  const std::string prefix = "fingerprint/" + tokenizer_name + "/";
  add(prefix + "unit/64", texts, simhasher{tokenize});
  add(prefix + "tf/64", texts, simhasher{tokenize, neardup::tf{}});
  add(prefix + "logtf/64", texts, simhasher{tokenize, neardup::log_tf{}});
  add(prefix + "idf/64", texts, simhasher{tokenize, neardup::idf{table}});
  add(prefix + "unit/128", texts, simhasher{tokenize, neardup::unit{}, neardup::xxh3<128>{}});
  add(prefix + "tf/128", texts, simhasher{tokenize, neardup::tf{}, neardup::xxh3<128>{}});
}

template <class Tokenizer>
void add_linear_weighters(const std::string& tokenizer_name, const corpus& texts, const Tokenizer& tokenize,
                          const std::string& suffix = "") {
  using neardup::simhasher;
  const std::string prefix = "fingerprint/" + tokenizer_name + "/";
  add(prefix + "unit/64" + suffix, texts, simhasher{tokenize});
  add(prefix + "tf/64" + suffix, texts, simhasher{tokenize, neardup::tf{}});
}

void add_stream(const corpus& texts) {
  benchmark::RegisterBenchmark("fingerprint/stream:4096/words/unit/64", [&texts](benchmark::State& state) {
    neardup::text_stream stream{neardup::simhasher{neardup::words{}}};
    measure(state, texts, [&](std::string_view text) {
      for (std::size_t i = 0; i < text.size(); i += 4096) stream.feed(text.substr(i, 4096));
      return stream.finish();
    });
  })->Unit(benchmark::kMillisecond);
}

void add_accumulate() {
  benchmark::RegisterBenchmark("fingerprint/accumulate/unit/64", [](benchmark::State& state) {
    constexpr std::size_t tokens = 16384;
    std::array<std::uint64_t, tokens> hashes{};
    for (std::size_t i = 0; i < tokens; ++i) hashes[i] = neardup::detail::mix(i);
    for (auto _ : state) {
      neardup::accumulator<64> sums;
      for (const std::uint64_t hash : hashes) sums.add(hash);
      benchmark::DoNotOptimize(sums.result());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(tokens));
  });
}

}  // namespace

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const corpus english = neardup_bench::english_corpus();
  const corpus english_500 = neardup_bench::cut(english, 500);
  const corpus chinese = neardup_bench::chinese_corpus();
  if (english.documents.empty()) {
    std::fprintf(stderr, "no texts to measure with: set NEARDUP_BENCH_CORPUS to a folder of text files\n");
    return 2;
  }
  if (chinese.documents.empty()) {
    std::fprintf(stderr, "no Chinese texts: install manpages-zh, or set NEARDUP_BENCH_CORPUS_ZH to a folder\n");
  }

  add_baselines(english);
  add_naive("baseline/naive/chars:2/tf/64/zh", chinese, neardup::code_point_ngrams{2});
  add_accumulate();
  add("fingerprint/default/unit/64", english, neardup::default_simhasher<>{});
  add_all_weighters("words", english, neardup::words{});
  add_linear_weighters("words:2", english, neardup::shingles{2, neardup::words{}});
  for (const std::size_t n : {4U, 5U, 8U}) {
    add_linear_weighters("bytes:" + std::to_string(n), english, neardup::byte_ngrams{n});
  }
  add("fingerprint/bytes:8/tf/128", english,
      neardup::simhasher{neardup::byte_ngrams{8}, neardup::tf{}, neardup::xxh3<128>{}});
  add_linear_weighters("bytes:8", english_500, neardup::byte_ngrams{8}, "/500-byte-documents");
  add_linear_weighters("chars:2", english, neardup::code_point_ngrams{2});
  add_linear_weighters("chars:2", chinese, neardup::code_point_ngrams{2}, "/zh");
  add_linear_weighters("words", chinese, neardup::words{}, "/zh");
  add_stream(english);

  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "neardup_bench_fingerprint: %s\n", error.what());
  return 2;
}
