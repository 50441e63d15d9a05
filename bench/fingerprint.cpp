// Measures the speed of fingerprints of texts with each instruction set of the machine, and the limits of the machine.
// The naive loop is a separate program, naive.cpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <benchmark/benchmark.h>
#include <neardup/fingerprint.hpp>
#include <neardup/fingerprint/kernels/code_point_windows.hpp>
#include <neardup/fingerprint/kernels/votes.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "corpus.hpp"
#include "measure.hpp"

namespace {

using neardup::instruction_set;
using neardup_bench::corpus;
using neardup_bench::measure_texts;
using neardup_bench::measure_tokens;

/// Registers the benchmark `name`/`level` for each instruction set that this machine supports. `run(state)` is called
/// with this instruction set active.
template <class Run>
void add_levels(const std::string& name, benchmark::TimeUnit unit, const Run& run) {
  for (const auto& one : neardup::detail::instruction_sets) {
    const instruction_set level = one.level;
    if (!neardup::is_available(level)) continue;
    if (level == instruction_set::portable && neardup::detail::best_instruction_set() != level) continue;
    const std::string full_name = "fingerprint/" + name + "/" + std::string(one.name);
    benchmark::RegisterBenchmark(full_name.c_str(), [run, level](benchmark::State& state) {
      neardup::set_instruction_set(level);
      run(state);
    })->Unit(unit);
  }
}

/// Registers benchmarks of a simhasher. `make()` returns the simhasher, and is called before the first measurement.
template <class Make>
void add_made(const std::string& name, const corpus& texts, const Make& make) {
  if (texts.documents.empty()) return;
  add_levels(name, benchmark::kMillisecond, [make, &texts](benchmark::State& state) {
    const auto hash = make();
    typename decltype(make())::workspace scratch;
    measure_texts(state, texts, [&](std::string_view text) { return hash(text, scratch); });
  });
}

template <class Simhasher>
void add(const std::string& name, const corpus& texts, const Simhasher& hash) {
  add_made(name, texts, [hash] { return hash; });
}

/// Measures a stream that is fed the same texts in chunks.
template <class Simhasher>
void add_stream(const std::string& name, const corpus& texts, const Simhasher& hash) {
  if (texts.documents.empty()) return;
  add_levels("stream:4096/" + name, benchmark::kMillisecond, [hash, &texts](benchmark::State& state) {
    neardup::text_stream<Simhasher> stream{hash};
    measure_texts(state, texts, [&](std::string_view text) {
      for (std::size_t i = 0; i < text.size(); i += 4096) stream.feed(text.substr(i, 4096));
      return stream.finish();
    });
  });
}

/// Returns the size of the incomplete character with which the first `size` bytes end, or 0 if their last character is
/// complete.
std::size_t incomplete(std::string_view text, std::size_t size) {
  return neardup::incomplete_suffix(text.substr(0, size));
}

/// Measures weights that are equal for all tokens: 1 for each distinct token (unit), or 1 for each occurrence (tf).
template <class Tokenizer>
void add_equal_weights(const std::string& tokenizer, const corpus& texts, const Tokenizer& tokenize,
                       const std::string& suffix = "") {
  using neardup::simhasher;
  add(tokenizer + "/unit/64" + suffix, texts, simhasher{tokenize});
  add(tokenizer + "/tf/64" + suffix, texts, simhasher{tokenize, neardup::tf{}});
}

void add_words(const corpus& texts) {
  using neardup::simhasher;
  const neardup::words words;
  add_equal_weights("words", texts, words);
  add("words/logtf/64", texts, simhasher{words, neardup::log_tf{}});
  add_made("words/idf/64", texts, [words, &texts] {
    static const auto table = std::make_shared<const neardup::idf_table>(neardup_bench::idf_table_of(texts));
    return simhasher{words, neardup::idf{table}};
  });
  add("words/unit/128", texts, simhasher{words, neardup::unit{}, neardup::xxh3<128>{}});
  add("words/tf/128", texts, simhasher{words, neardup::tf{}, neardup::xxh3<128>{}});
}

/// Measures the kernels that count bits, without a text.
void add_accumulate() {
  for (const std::size_t n : {16U, 64U, 512U, 16384U}) {
    add_levels("accumulate/unit/64/n" + std::to_string(n), benchmark::kNanosecond, [n](benchmark::State& state) {
      static const neardup_bench::hashes hashes;
      neardup::detail::bit_tally tally;
      measure_tokens(state, n, [&] {
        tally.clear();
        count_bits(tally, hashes.values, n);
        return majority(tally);
      });
    });
  }
}

/// Measures each stage of a fingerprint alone, on data that fit the L1 cache, in cycles for each byte, word, window or
/// hash.
void add_kernels(const corpus& english, const corpus& chinese) {
  namespace detail = neardup::detail;
  constexpr std::size_t size = 12000;
  static const std::string text = neardup_bench::joined(english, size + 64);
  static const std::string zh = neardup_bench::joined(chinese, size + 64);
  const std::string_view all(text.data(), size);
  const auto kernel = [](const std::string& name, std::size_t tokens, const auto& work) {
    add_levels("kernel/" + name, benchmark::kMicrosecond,
               [tokens, work](benchmark::State& state) { measure_tokens(state, tokens, work); });
  };
  static std::uint64_t hashes[size + 64];
  kernel("byte-windows:8", size, [] {
    hash_windows(detail::window_xxh3(8, 0), text.data(), size, hashes, neardup::active_instruction_set());
    return hashes[0];
  });
  kernel("word-edges", size, [all] {
    detail::word_span_finder finder(all);
    detail::token_spans spans;
    std::size_t words = 0;
    while (finder.next(spans)) words += spans.count;
    return words;
  });
  static detail::token_spans spans;
  detail::word_span_finder(all).next(spans);
  kernel("word-hashes", spans.count, [] {
    std::uint64_t* const column = hashes;
    detail::hash_spans(text.data(), spans.view(), 0, &column, 1, neardup::active_instruction_set());
    return hashes[0];
  });
  kernel("distinct-5-grams", size, [all] {
    static detail::hash_scratch<neardup::byte_ngrams, neardup::xxh3<64>> scratch;
    static detail::distinct_hashes<1> distinct;
    distinct.clear();
    // The time to hash the windows is included.
    hash_tokens(neardup::byte_ngrams{5}, neardup::xxh3<64>{}, all, scratch,
                [](const detail::hash_block<1>& block) { distinct.add(block); });
    return distinct.size();
  });
  kernel("weighted-sums", 1024, [] {
    static std::uint64_t sums[64];
    detail::add_weighted(sums, hashes, hashes + 1, 2, 1024, neardup::active_instruction_set());
    return sums[0];
  });
  const auto add_text = [&](const std::string& suffix, const std::string& source) {
    const std::string_view part(source.data(), size - incomplete(source, size));
    kernel("validate" + suffix, part.size(),
           [part] { return detail::is_well_formed(part, neardup::active_instruction_set()); });
    kernel("code-point-pairs" + suffix, part.size(), [part] {
      static detail::hash_block<1> block;
      const auto drop = [](const detail::hash_block<1>&) {};
      detail::add_code_point_windows(part, 2, 0, neardup::active_instruction_set(), {block, drop});
      return block.columns[0][0];
    });
    kernel("normalise" + suffix, part.size(), [part] {
      static std::string normalised;
      normalised.clear();
      detail::text_normaliser normaliser;
      normaliser.append(part, normalised);
      normaliser.finish(normalised);
      return normalised.size();
    });
  };
  add_text("", text);
  if (!chinese.documents.empty()) add_text("/zh", zh);
}

/// Measures both kinds of fingerprint on a hundred sets of distinct hashes, in cycles for each hash. A set has as many
/// hashes as a short text.
void add_kinds() {
  namespace detail = neardup::detail;
  const auto measure = [](const std::string& kind, std::size_t n, auto& memory) {
    add_levels("kernel/" + kind + "/n" + std::to_string(n), benchmark::kMicrosecond,
               [n, &memory](benchmark::State& state) {
                 constexpr std::size_t sets = 100;
                 static const neardup_bench::hashes hashes;
                 static detail::hash_block<1> block;
                 measure_tokens(state, sets * n, [n, &memory] {
                   std::uint64_t sum = 0;
                   for (std::size_t i = 0; i < sets; ++i) {
                     const std::size_t first = i * (std::size(hashes.values) - n) / sets;
                     std::copy_n(hashes.values + first, n, block.columns[0]);
                     block.count = n;
                     memory.clear();
                     memory.add(block);
                     sum += memory.result(neardup::unit{}, neardup::xxh3<64>{})->to_words()[0];
                   }
                   return sum;
                 });
               });
  };
  static detail::vote_collector<neardup::unit, neardup::xxh3<64>, 64> votes;
  static detail::vote_collector<neardup::unit, neardup::xxh3<64>, 64, detail::vote_kind::minima> minima;
  for (const std::size_t n : {8U, 16U, 37U, 50U, 64U, 100U, 250U, 1000U}) {
    measure("simhash", n, votes);
    measure("minwise", n, minima);
  }
}

/// Measures a batch of texts, on one thread and on all threads of the machine.
void add_batch(const corpus& texts) {
  for (const std::size_t count : {std::size_t{1}, neardup::threads{}.parts()}) {
    benchmark::RegisterBenchmark(("fingerprint/batch/default/unit/64/threads:" + std::to_string(count)).c_str(),
                                 [count, &texts](benchmark::State& state) {
                                   const neardup::default_simhasher<> hash;
                                   neardup_bench::measure_batch(state, texts, [&] {
                                     return fingerprint_all(hash, texts.documents, neardup::threads{count}).size();
                                   });
                                 })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

/// Measures simple operations on the same texts. No fingerprint can be faster than these.
void add_limits(const corpus& texts, const std::string& suffix = "") {
  if (texts.documents.empty()) return;
  benchmark::RegisterBenchmark(("baseline/memcpy" + suffix).c_str(), [&texts](benchmark::State& state) {
    std::string copy(texts.longest, '\0');
    measure_texts(state, texts, [&](std::string_view text) {
      std::memcpy(copy.data(), text.data(), text.size());
      benchmark::ClobberMemory();
      return copy[0];
    });
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("baseline/xxh3" + suffix).c_str(), [&texts](benchmark::State& state) {
    measure_texts(state, texts, [](std::string_view text) { return XXH3_64bits(text.data(), text.size()); });
  })->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) try {
  using neardup::byte_ngrams;
  using neardup::code_point_ngrams;
  using neardup::simhasher;
  using neardup::tf;

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("compiler", neardup_bench::compiler());
  const corpus english = neardup_bench::english_corpus();
  const corpus english_500 = neardup_bench::cut(english, 500);
  const corpus chinese = neardup_bench::chinese_corpus();
  if (english.documents.empty()) {
    std::fprintf(stderr, "no texts to measure with: set NEARDUP_BENCH_CORPUS to a folder of text files\n");
    return 2;
  }
  if (chinese.documents.empty()) {
    std::fprintf(stderr, "no Chinese texts: set NEARDUP_BENCH_CORPUS_ZH to a folder of text files\n");
  }

  add_limits(english);
  add_limits(english_500, "/500-byte-documents");
  add_limits(chinese, "/zh");
  add_accumulate();
  add_kernels(english, chinese);
  add_kinds();
  const neardup::default_simhasher<> default_hash;
  add("default/unit/64", english, default_hash);
  add("folded:2/unit/64", english, simhasher{neardup::shingles{2, neardup::folded{neardup::words{}}}});
  add("default/unit/64/zh", chinese, default_hash);
  for (const std::size_t size : {230U, 730U}) {
    static corpus cut_texts[2];
    corpus& texts = cut_texts[size > 500];
    texts = neardup_bench::cut(english, size);
    const std::string suffix = "/" + std::to_string(size) + "-byte-documents";
    add("default/unit/64" + suffix, texts, default_hash);
    add("default/minwise/64" + suffix, texts, neardup::minwise_hasher{neardup::default_tokenizer{}});
  }
  add("default/minwise/64", english, neardup::minwise_hasher{neardup::default_tokenizer{}});
  add_batch(english);
  add_words(english);
  add_equal_weights("words:2", english, neardup::shingles{2, neardup::words{}});
  for (const std::size_t n : {4U, 5U, 8U}) {
    add_equal_weights("bytes:" + std::to_string(n), english, byte_ngrams{n});
  }
  add("bytes:8/tf/128", english, simhasher{byte_ngrams{8}, tf{}, neardup::xxh3<128>{}});
  add_equal_weights("bytes:8", english_500, byte_ngrams{8}, "/500-byte-documents");
  add_equal_weights("chars:2", english, code_point_ngrams{2});
  add_equal_weights("chars:2", chinese, code_point_ngrams{2}, "/zh");
  add_equal_weights("words", chinese, neardup::words{}, "/zh");
  add_stream("default/unit/64", english, default_hash);
  add_stream("words/unit/64", english, simhasher{neardup::words{}});
  add_stream("words/tf/64", english, simhasher{neardup::words{}, tf{}});
  add_stream("bytes:8/tf/64", english, simhasher{byte_ngrams{8}, tf{}});
  add_stream("chars:2/tf/64/zh", chinese, simhasher{code_point_ngrams{2}, tf{}});

  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "neardup_bench_fingerprint: %s\n", error.what());
  return 2;
}
