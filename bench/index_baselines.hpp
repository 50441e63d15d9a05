// The baselines of the index: plain scans, the hash map of four blocks that articles describe, and FAISS.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <neardup/simhash.hpp>

namespace neardup_bench {

/// A match. Matches are ordered by (distance, id), like the results of an index.
struct found {
  std::uint32_t id;
  int distance;

  friend bool operator==(const found&, const found&) = default;
  friend bool operator<(const found& a, const found& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  }
};

/// Returns true if one instruction of this processor counts the bits of eight words (AVX-512 with VPOPCNTDQ).
bool has_avx512_popcount();

/// Appends every position of `stored` within k bits of the query, in ascending order, by a plain loop.
void scan_plainly(std::span<const std::uint64_t> stored, std::uint64_t query, int k, std::vector<found>& results);

/// Does what scan_plainly() does, for eight fingerprints at a time, with AVX-512. Precondition: has_avx512_popcount().
void scan_avx512(std::span<const std::uint64_t> stored, std::uint64_t query, int k, std::vector<found>& results);

/// Does what scan_avx512() does, for eight queries at once, which share each load from memory. Precondition:
/// has_avx512_popcount().
void scan_avx512_by_8(std::span<const std::uint64_t> stored, const std::array<std::uint64_t, 8>& queries, int k,
                      std::array<std::vector<found>, 8>& results);

/// Returns the fingerprints as words, for the scans.
inline std::span<const std::uint64_t> words_of(std::span<const neardup::simhash<64>> fingerprints) {
  static_assert(sizeof(neardup::simhash<64>) == sizeof(std::uint64_t));
  return {reinterpret_cast<const std::uint64_t*>(fingerprints.data()), fingerprints.size()};
}

/// The index that the articles describe: a hash map for each 16-bit block, from its value to the fingerprints with this
/// value. For k > 3, which the articles do not treat, a search also looks up values with flipped bits, as in
/// multi-index hashing.
class four_block_map {
 public:
  four_block_map(std::span<const std::uint64_t> stored, int k);

  /// Precondition: k is at most the k of the constructor.
  [[nodiscard]] std::vector<found> search(std::uint64_t query, int k) const;

 private:
  static std::uint16_t key(std::uint64_t value, std::size_t block) {
    return static_cast<std::uint16_t>(value >> (16 * block));
  }

  std::array<std::unordered_map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint32_t>>>, 4> maps_;
  std::vector<std::uint16_t> flips_;  // all 16-bit masks that are needed, sorted by their number of bits
};

#if defined(NEARDUP_BENCH_FAISS)
/// IndexBinaryMultiHash of FAISS, with a hash for each block of 64 / blocks bits. Debian's package is built without the
/// popcnt instruction.
class faiss_multi_hash {
 public:
  faiss_multi_hash(std::span<const std::uint64_t> stored, int k, int blocks);
  ~faiss_multi_hash();
  faiss_multi_hash(const faiss_multi_hash&) = delete;
  faiss_multi_hash& operator=(const faiss_multi_hash&) = delete;

  [[nodiscard]] std::vector<found> search(std::uint64_t query, int k) const;
  /// Returns the total number of matches.
  [[nodiscard]] std::size_t search_batch(std::span<const std::uint64_t> queries, int k) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};
#endif

}  // namespace neardup_bench
