// What all_pairs and cluster build on: fingerprints as ranges, and an index of the distinct ones.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "../detail/error.hpp"
#include "../index/engine.hpp"
#include "../index/layout.hpp"
#include "../index/pigeonhole_tables.hpp"
#include "../index/search_plans.hpp"
#include "../simhash.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class T>
inline constexpr std::size_t simhash_bits = 0;
template <std::size_t Bits>
inline constexpr std::size_t simhash_bits<simhash<Bits>> = Bits;

template <class Range>
inline constexpr std::size_t range_bits =
    simhash_bits<std::remove_cv_t<typename decltype(std::span(std::declval<const Range&>()))::element_type>>;

}  // namespace detail

/// A contiguous range of simhash<Bits>, such as a vector or a span.
template <class Range>
concept fingerprint_range = requires(const Range& range) {
  std::span(range);
}
&&(detail::range_bits<Range> != 0);

namespace detail {

/// An index of distinct fingerprints, numbered in the order in which they first came.
template <std::size_t Bits, class Offset>
class distinct_fingerprints {
 public:
  /// Throws: std::invalid_argument if there is no such layout; blocks = 0 means default_blocks(Bits, k).
  distinct_fingerprints(int k, int blocks)
      : k_(k),
        engine_(tables(std::make_shared<const search_plans<words_for(Bits)>>(
            layout(Bits, k, blocks == 0 ? default_blocks(Bits, k) : blocks)))) {}

  /// The number of a fingerprint, a new one if need be.
  /// Before a new one goes in, `visit(number, distance)` is called for each of the others within k bits.
  template <class Visit>
  std::size_t add(const simhash<Bits>& fingerprint, const Visit& visit) {
    const Offset slot = engine_.store().find(fingerprint.to_words());
    if (slot != engine_.store().none) return slot;
    visit_within(fingerprint, visit);
    return add_new(fingerprint);
  }
  std::size_t add(const simhash<Bits>& fingerprint) {
    const Offset slot = engine_.store().find(fingerprint.to_words());
    return slot != engine_.store().none ? slot : add_new(fingerprint);
  }

  /// Calls `visit(number, distance)` for each fingerprint within k bits, itself included.
  template <class Visit>
  void visit_within(const simhash<Bits>& fingerprint, const Visit& visit) const {
    engine_.visit_within({&fingerprint.to_words(), 1}, k_, [&](std::size_t, std::size_t slot, int distance) {
      visit(slot, distance);
      return true;
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return engine_.store().slots(); }

 private:
  struct no_id {
    friend constexpr auto operator<=>(const no_id&, const no_id&) = default;
  };
  using tables = pigeonhole_tables<words_for(Bits), Offset>;

  std::size_t add_new(const simhash<Bits>& fingerprint) {
    engine_.insert(fingerprint.to_words(), no_id{});
    return size() - 1;  // Nothing is ever erased, so slots are numbered in the order of insertion.
  }

  int k_;
  engine<words_for(Bits), no_id, Offset, tables> engine_;
};

/// Calls `use(number)` with a zero of the narrowest type that can number `count` fingerprints.
template <class Use>
auto with_offset_for(std::size_t count, const Use& use) {
  return count < (std::numeric_limits<std::uint32_t>::max)() ? use(std::uint32_t{0}) : use(std::uint64_t{0});
}

/// Refuses distances that are no distances of fingerprints of `bits` bits.
inline void check_distance(std::size_t bits, int k) {
  if (k < 0 || static_cast<std::size_t>(k) > bits) {
    fail<std::invalid_argument>("distance k = " + std::to_string(k) + " is outside 0.." + std::to_string(bits) +
                                ", the distances of fingerprints of " + std::to_string(bits) + " bits");
  }
}

}  // namespace detail
}  // namespace neardup::inline v0
