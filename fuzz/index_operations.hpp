// Bytes as a sequence of operations on an index, each compared with a plain loop over what the index should hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <neardup/index/flat_index.hpp>
#include <neardup/index/frozen_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>

#include "oracle/checked_index.hpp"
#include "oracle/effort.hpp"

namespace fuzz {

/// A header of four bytes, each of any value: the type of index, k, the number of blocks, and a seed for the
/// fingerprints that keys are close to. Then operations of four bytes each.
class index_script {
 public:
  static constexpr std::size_t header_size = 4, step_size = 4;

  explicit index_script(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] unsigned type() const { return byte(0); }
  /// A valid layout for `bits` bits, the nearest to the requested one. Only seldom one of very many tables, which are
  /// slow.
  [[nodiscard]] neardup::layout shape(std::size_t bits) const {
    using neardup::layout;
    const int k = static_cast<int>(byte(1) % 13U);
    const std::size_t most = byte(2) >= 0xf0 ? neardup::layout::max_tables : 36;
    int blocks = 1 + static_cast<int>(byte(2) % 16U);
    while (!layout::is_valid(bits, k, blocks) || layout::count_tables(k, blocks) > most) --blocks;
    return {bits, k, blocks};
  }
  [[nodiscard]] std::size_t steps() const {
    return bytes_.size() < header_size ? 0 : (bytes_.size() - header_size) / step_size;
  }
  [[nodiscard]] unsigned operation(std::size_t step) const { return byte(header_size + step * step_size); }
  /// Few different ids, so that operations meet the same one.
  [[nodiscard]] std::uint8_t id(std::size_t step) const { return byte(header_size + step * step_size + 3) & 7U; }
  /// Uses the bits of the id's byte that the id leaves.
  [[nodiscard]] int k(std::size_t step, int largest) const {
    return (byte(header_size + step * step_size + 3) >> 3U) % (largest + 1);
  }

  /// One of four fingerprints that differ in single blocks, with 0 to 7 bits flipped; or a different one.
  template <std::size_t Bits>
  [[nodiscard]] neardup::simhash<Bits> key(std::size_t step) const {
    const unsigned choice = byte(header_size + step * step_size + 1);
    const unsigned detail = byte(header_size + step * step_size + 2);
    if (choice >= 0xf0) return scattered<Bits>(0x10000 + choice % 16U * 256 + detail);
    neardup::simhash<Bits> result = scattered<Bits>(byte(3) * 2U + choice % 2U);
    if ((choice & 2U) != 0) {  // Flip a quarter of the bits.
      for (std::size_t bit = 0; bit < Bits / 4; ++bit) result.flip(bit + (byte(3) % 4U) * (Bits / 4));
    }
    const unsigned flips = choice / 4 % 8, stride = 1 + detail / 32;
    for (unsigned i = 0; i < flips; ++i) result.flip((detail + i * stride) % Bits);
    return result;
  }

 private:
  [[nodiscard]] std::uint8_t byte(std::size_t i) const {
    return i < bytes_.size() ? static_cast<std::uint8_t>(bytes_[i]) : std::uint8_t{0};
  }
  /// A random fingerprint, always the same for the same number.
  template <std::size_t Bits>
  static neardup::simhash<Bits> scattered(std::uint64_t number) {
    neardup::simhash<Bits> result;
    for (std::size_t bit = 0; bit < Bits; ++bit) {
      std::uint64_t x = (number * 256 + bit + 1) * 0x9e3779b97f4a7c15U;
      x = (x ^ (x >> 32U)) * 0xd6e8feb86659fd93U;
      result.set(bit, (x >> 63U) != 0);
    }
    return result;
  }

  std::string_view bytes_;
};

inline void expect_same(bool holds, const char* what) {
  if (!holds) throw oracle::mismatch(what);
}

/// Tries the searches that checked_index does not cover.
template <class Index, class Model>
void check_other_searches(const Index& index, const Model& model, const typename Index::fingerprint_type& query,
                          int k) {
  using match_type = typename Index::match_type;
  const std::vector<match_type> expected = model.search(query, k);
  std::vector<match_type> visited;
  index.for_each_match(query, k, [&](const match_type& found) { visited.push_back(found); });
  std::sort(visited.begin(), visited.end(), oracle::comes_before<Index::bits, typename Index::id_type>);
  expect_same(visited == expected, "for_each_match");
  std::size_t seen = 0;
  index.for_each_match(query, k, [&](const match_type&) { return ++seen < 2; });
  expect_same(seen == std::min<std::size_t>(2, expected.size()), "for_each_match, ended by the visitor");
  auto near = query;
  near.flip(Index::bits - 1);
  const std::vector<typename Index::fingerprint_type> queries{query, near, query};
  const auto batch = index.search_batch(queries, k);
  expect_same(batch.size() == queries.size(), "search_batch, size");
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto answer = model.search(queries[i], k);
    expect_same(std::equal(answer.begin(), answer.end(), batch[i].begin(), batch[i].end()), "search_batch");
  }
}

/// Checks that a frozen copy holds and finds the same.
template <class Index, class Model>
void check_frozen(const Index& index, const Model& model, const neardup::layout& shape,
                  const typename Index::fingerprint_type& query, int k) {
  const auto frozen = neardup::freeze(index, shape.k(), shape.blocks());
  expect_same(frozen.size() == model.size(), "frozen, size");
  expect_same(frozen.contains(query) == model.contains(query), "frozen, contains");
  const int within = std::min(k, shape.k());
  expect_same(frozen.search(query, within) == model.search(query, within), "frozen, search");
  check_other_searches(frozen, model, query, within);
  const auto pairs = oracle::pairs_of(frozen);
  expect_same(std::equal(pairs.begin(), pairs.end(), model.pairs().begin(), model.pairs().end()), "frozen, iteration");
}

/// Runs the operations on two indexes of one layout, alternating between them.
template <class Index>
void run_operations(const index_script& script, const Index& empty) {
  using id_type = typename Index::id_type;
  const neardup::layout frozen_shape = script.shape(Index::bits);
  oracle::checked_index<Index> one(empty), other(empty);
  for (std::size_t step = 0; step < script.steps(); ++step) {
    const auto key = script.key<Index::bits>(step);
    const auto id = static_cast<id_type>(script.id(step));
    const int k = script.k(step, std::min(one.index().max_distance(), 12));
    switch (script.operation(step) % 16) {
      case 0:
      case 1:
      case 2:
      case 3: one.insert(key, id); break;
      case 4:
      case 5: one.erase(key, id); break;
      case 6: one.erase(key); break;
      case 7: one.contains(key, id); break;
      case 8:
      case 9: one.search(key, k); break;
      case 10: check_other_searches(one.index(), one.model(), key, k); break;
      case 11: one.swap(other); break;
      case 12: check_frozen(one.index(), one.model(), frozen_shape, key, k); break;
      case 13: one.compare(other); break;
      case 14:  // Many insertions in a row: tables grow, and buckets get larger than a cache line.
        for (std::uint64_t i = 0; i < 24; ++i) {
          auto next = key;
          next.flip(i * 5 % Index::bits);
          one.insert(next, id);
        }
        break;
      default:  // Operations that should be rare.
        switch (k % 4) {
          case 0: one.clear(); break;
          case 1: other = one; break;
          case 2: other.take(one); break;
          default: one.reserve(script.id(step) * std::size_t{9}); break;
        }
    }
    // A search near the key shows the effect of the operation.
    const int farthest = std::min(one.index().max_distance(), 12);
    expect_same(one.index().search(key, farthest) == one.model().search(key, farthest), "search after an operation");
  }
  one.walk();
  other.walk();
}

/// An empty index of a layout. It is kept, because the plans of its searches take longer to make than an input to run.
template <class Index>
const Index& empty_of(const neardup::layout& shape) {
  static std::map<std::pair<int, int>, Index> made;
  const std::pair key(shape.k(), shape.blocks());
  const auto found = made.find(key);
  if (found != made.end()) return found->second;
  return made.emplace(key, Index(shape.k(), shape.blocks())).first->second;
}

/// Returns: what is wrong with the library, or an empty string.
inline std::string difference_of_operations(std::string_view bytes) {
  using namespace neardup;
  using run_time_16 [[maybe_unused]] = pigeonhole_index<16, dynamic_layout, dynamic_layout, std::uint8_t>;
  using run_time_64 = pigeonhole_index<64, dynamic_layout>;
  using run_time_128 = pigeonhole_index<128, dynamic_layout, dynamic_layout, std::uint64_t>;
  const index_script script(bytes);
  const unsigned type = script.type() % 12;
  try {
    switch (type) {
      case 4: run_operations(script, flat_index<64>()); break;
      case 7: run_operations(script, empty_of<run_time_128>(script.shape(128))); break;
      default:
        if (type == 5 || type > 7 || oracle::is_sample) run_operations(script, empty_of<run_time_64>(script.shape(64)));
    }
    oracle::unless_sample([&](auto) {
      switch (type) {
        case 0: run_operations(script, pigeonhole_index<64, 3, 4>()); break;
        case 1: run_operations(script, pigeonhole_index<64, 3, 5>()); break;
        case 2: run_operations(script, pigeonhole_index<64, 3, 2>()); break;
        case 3: run_operations(script, pigeonhole_index<16, 2, 3, std::uint8_t>()); break;
        case 6: run_operations(script, empty_of<run_time_16>(script.shape(16))); break;
        default: break;
      }
    });
  } catch (const oracle::mismatch& error) {
    const auto shape = script.shape(64);
    return std::string("differs from the plain loop: ") + error.what() + " (type " + std::to_string(type) + ", k " +
           std::to_string(shape.k()) + ", blocks " + std::to_string(shape.blocks()) + ")";
  }
  return "";
}

}  // namespace fuzz
