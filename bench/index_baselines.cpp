#include "index_baselines.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define NEARDUP_BENCH_AVX512 1
#else
#define NEARDUP_BENCH_AVX512 0
#endif

#if defined(NEARDUP_BENCH_FAISS)
#include <faiss/IndexBinaryHash.h>
#include <faiss/impl/AuxIndexStructures.h>

extern "C" void omp_set_num_threads(int count);
#endif

namespace neardup_bench {

void scan_plainly(std::span<const std::uint64_t> stored, std::uint64_t query, int k, std::vector<found>& results) {
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const int distance = std::popcount(stored[i] ^ query);
    if (distance <= k) results.push_back({static_cast<std::uint32_t>(i), distance});
  }
}

#if NEARDUP_BENCH_AVX512

bool has_avx512_popcount() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0;
}

namespace {

// Appends fingerprint stored[first + i] to `results` and its distance to `results`, for each bit i that is set in `mask`.
void report(std::span<const std::uint64_t> stored, std::size_t first, unsigned mask, std::uint64_t query,
            std::vector<found>& results) {
  for (; mask != 0; mask &= mask - 1) {
    const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(mask));
    results.push_back({static_cast<std::uint32_t>(i), std::popcount(stored[i] ^ query)});
  }
}

}  // namespace

__attribute__((target("avx512f,avx512vpopcntdq"))) void scan_avx512(std::span<const std::uint64_t> stored,
                                                                    std::uint64_t query, int k,
                                                                    std::vector<found>& results) {
  const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(query));
  const __m512i limit = _mm512_set1_epi64(k);
  const auto within = [&](std::size_t at) __attribute__((target("avx512f,avx512vpopcntdq"))) {
    const __m512i codes = _mm512_loadu_si512(stored.data() + at);
    return static_cast<unsigned>(_mm512_cmple_epi64_mask(_mm512_popcnt_epi64(_mm512_xor_si512(codes, wanted)), limit));
  };
  std::size_t i = 0;
  for (; i + 32 <= stored.size(); i += 32) {
    const unsigned mask = within(i) | within(i + 8) << 8 | within(i + 16) << 16 | within(i + 24) << 24;
    if (mask != 0) report(stored, i, mask, query, results);
  }
  for (; i + 8 <= stored.size(); i += 8) report(stored, i, within(i), query, results);
  for (; i < stored.size(); ++i) {
    const int distance = std::popcount(stored[i] ^ query);
    if (distance <= k) results.push_back({static_cast<std::uint32_t>(i), distance});
  }
}

__attribute__((target("avx512f,avx512vpopcntdq"))) void scan_avx512_by_8(std::span<const std::uint64_t> stored,
                                                                         const std::array<std::uint64_t, 8>& queries,
                                                                         int k,
                                                                         std::array<std::vector<found>, 8>& results) {
  const __m512i limit = _mm512_set1_epi64(k);
  __m512i wanted[8];
  for (std::size_t q = 0; q < 8; ++q) wanted[q] = _mm512_set1_epi64(static_cast<long long>(queries[q]));
  std::size_t i = 0;
  for (; i + 8 <= stored.size(); i += 8) {
    const __m512i codes = _mm512_loadu_si512(stored.data() + i);
    std::uint64_t masks = 0;
    for (std::size_t q = 0; q < 8; ++q) {
      const __m512i distances = _mm512_popcnt_epi64(_mm512_xor_si512(codes, wanted[q]));
      masks |= std::uint64_t{_mm512_cmple_epi64_mask(distances, limit)} << (8 * q);
    }
    for (; masks != 0; masks &= masks - 1) {
      const int bit = std::countr_zero(masks);
      const auto q = static_cast<std::size_t>(bit / 8);
      report(stored, i, 1U << (bit % 8), queries[q], results[q]);
    }
  }
  for (; i < stored.size(); ++i) {
    for (std::size_t q = 0; q < 8; ++q) {
      const int distance = std::popcount(stored[i] ^ queries[q]);
      if (distance <= k) results[q].push_back({static_cast<std::uint32_t>(i), distance});
    }
  }
}

#else

bool has_avx512_popcount() { return false; }

void scan_avx512(std::span<const std::uint64_t> stored, std::uint64_t query, int k, std::vector<found>& results) {
  scan_plainly(stored, query, k, results);
}

void scan_avx512_by_8(std::span<const std::uint64_t> stored, const std::array<std::uint64_t, 8>& queries, int k,
                      std::array<std::vector<found>, 8>& results) {
  for (std::size_t q = 0; q < 8; ++q) scan_plainly(stored, queries[q], k, results[q]);
}

#endif

four_block_map::four_block_map(std::span<const std::uint64_t> stored, int k) {
  for (std::size_t block = 0; block < 4; ++block) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      maps_[block][key(stored[i], block)].push_back({stored[i], static_cast<std::uint32_t>(i)});
    }
  }
  for (int bits = 0; bits <= k / 4; ++bits) {
    for (std::uint32_t mask = 0; mask < 0x10000; ++mask) {
      if (std::popcount(mask) == bits) flips_.push_back(static_cast<std::uint16_t>(mask));
    }
  }
}

std::vector<found> four_block_map::search(std::uint64_t query, int k) const {
  std::vector<found> matches;
  for (int block = 0; block < 4; ++block) {
    // The radii of the four blocks have the sum k - 3. If each block differed in more bits than its radius, there would
    // be at least k + 1 differences.
    const int radius = (k + 4 - block) / 4 - 1;
    for (const std::uint16_t flips : flips_) {
      if (std::popcount(flips) > radius) break;
      const auto& map = maps_[static_cast<std::size_t>(block)];
      const auto bucket = map.find(static_cast<std::uint16_t>(key(query, static_cast<std::size_t>(block)) ^ flips));
      if (bucket == map.end()) continue;
      for (const auto& [value, id] : bucket->second) {
        const int distance = std::popcount(value ^ query);
        if (distance <= k) matches.push_back({id, distance});
      }
    }
  }
  std::sort(matches.begin(), matches.end());
  matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
  return matches;
}

#if defined(NEARDUP_BENCH_FAISS)

struct faiss_multi_hash::state {
  faiss::IndexBinaryMultiHash index;
};

faiss_multi_hash::faiss_multi_hash(std::span<const std::uint64_t> stored, int k, int blocks)
    : state_(new state{faiss::IndexBinaryMultiHash(64, blocks, 64 / blocks)}) {
  omp_set_num_threads(1);
  state_->index.nflip = k / blocks;
  state_->index.add(static_cast<std::int64_t>(stored.size()), reinterpret_cast<const std::uint8_t*>(stored.data()));
}

faiss_multi_hash::~faiss_multi_hash() = default;

std::vector<found> faiss_multi_hash::search(std::uint64_t query, int k) const {
  faiss::RangeSearchResult result(1);
  // The radius of FAISS is exclusive.
  state_->index.range_search(1, reinterpret_cast<const std::uint8_t*>(&query), k + 1, &result);
  std::vector<found> matches;
  for (std::size_t i = 0; i < result.lims[1]; ++i) {
    matches.push_back({static_cast<std::uint32_t>(result.labels[i]), static_cast<int>(result.distances[i])});
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

std::size_t faiss_multi_hash::search_batch(std::span<const std::uint64_t> queries, int k) const {
  faiss::RangeSearchResult result(static_cast<std::int64_t>(queries.size()));
  state_->index.range_search(static_cast<std::int64_t>(queries.size()),
                             reinterpret_cast<const std::uint8_t*>(queries.data()), k + 1, &result);
  return result.lims[queries.size()];
}

#endif

}  // namespace neardup_bench
