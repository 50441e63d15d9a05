// What all_pairs and cluster take: ranges of fingerprints, and distances that these can have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../../simhash.hpp"

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

/// Fingerprints as their words: one type for all widths of as many words.
template <std::size_t Words>
class fingerprint_words {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  template <std::size_t Bits>
  explicit fingerprint_words(std::span<const simhash<Bits>> fingerprints) noexcept
      : bytes_(std::as_bytes(fingerprints).data()), size_(fingerprints.size()) {
    static_assert(words_for(Bits) == Words && sizeof(simhash<Bits>) == sizeof(words_type) &&
                  std::is_trivially_copyable_v<simhash<Bits>>);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] words_type operator[](std::size_t i) const noexcept {
    words_type words;
    std::memcpy(words.data(), bytes_ + i * sizeof words, sizeof words);
    return words;
  }

 private:
  const std::byte* bytes_;
  std::size_t size_;
};

/// Refuses distances that are no distances of fingerprints of `bits` bits.
inline void check_distance(std::size_t bits, int k) {
  if (k < 0 || static_cast<std::size_t>(k) > bits) {
    fail<std::invalid_argument>("distance k = " + std::to_string(k) + " is outside 0.." + std::to_string(bits) +
                                ", the distances of fingerprints of " + std::to_string(bits) + " bits");
  }
}

/// Refuses an index type that cannot number `count` fingerprints; `what` names the call that would take a wider one.
template <class Index>
void check_index_type(std::size_t count, const char* what) {
  if (count > 0 && std::cmp_greater(count - 1, (std::numeric_limits<Index>::max)())) {
    fail<std::length_error>(std::string(what) + ": the index type cannot number " + std::to_string(count) +
                            " fingerprints; write " + what + "<std::uint64_t>");
  }
}

}  // namespace detail
}  // namespace neardup::inline v0
