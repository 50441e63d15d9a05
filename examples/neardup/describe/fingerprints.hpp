// Fingerprints whose width is chosen at run time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <neardup/simhash.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace command {

/// Returns the width of the type that stores fingerprints of `bits` bits: 32, 64, 128, 256, 512 or 1024. Only codes have
/// other widths than these.
constexpr std::size_t stored_bits(std::size_t bits) { return std::max<std::size_t>(32, std::bit_ceil(bits)); }

/// A fingerprint or code, with stored_bits() bits. Unused bits are zero. All fingerprints of a run have the width
/// fingerprint_settings::bits. If a document has no tokens, its fingerprint is zero.
class any_fingerprint {
 public:
  any_fingerprint() = default;
  explicit any_fingerprint(std::span<const std::uint64_t> words) {
    if (words.size() > words_.size()) {
      wide_.assign(words.begin(), words.end());
    } else {
      std::copy(words.begin(), words.end(), words_.begin());
    }
  }

  /// Returns the bits as 64-bit words, including the unused bits. There are at least four words.
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept {
    if (wide_.empty()) return words_;
    return wide_;
  }

  template <std::size_t Bits>
  [[nodiscard]] neardup::simhash<Bits> as() const {
    return as<neardup::simhash<Bits>>();
  }
  /// Returns this fingerprint as the type `Fingerprint` of the library, to store or compare it.
  template <class Fingerprint>
  [[nodiscard]] Fingerprint as() const {
    typename Fingerprint::words_type words;
    const std::span<const std::uint64_t> own = this->words();
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i < own.size() ? own[i] : 0;
    return Fingerprint(words);
  }

  /// Returns the number of bits in which two fingerprints differ.
  [[nodiscard]] friend int hamming_distance(const any_fingerprint& a, const any_fingerprint& b) {
    int count = 0;
    for (std::size_t i = 0; i < a.words().size(); ++i) count += std::popcount(a.words()[i] ^ b.words()[i]);
    return count;
  }

 private:
  // Many fingerprints may be in memory, so a fingerprint of up to 256 bits needs no allocation.
  std::array<std::uint64_t, 4> words_{};
  std::vector<std::uint64_t> wide_;
};

/// Calls `use` with `bits` as a compile-time constant: `use(std::integral_constant<std::size_t, 64>{})`.
/// Precondition: fingerprints of texts can have `bits` bits: 32, 64, 128 or 256.
template <class Use>
decltype(auto) with_bits_of_texts(std::size_t bits, Use&& use) {
  switch (stored_bits(bits)) {
    case 32: return std::forward<Use>(use)(std::integral_constant<std::size_t, 32>{});
    case 128: return std::forward<Use>(use)(std::integral_constant<std::size_t, 128>{});
    case 256: return std::forward<Use>(use)(std::integral_constant<std::size_t, 256>{});
    default: return std::forward<Use>(use)(std::integral_constant<std::size_t, 64>{});
  }
}

/// Calls `use` with stored_bits(bits) as a compile-time constant: `use(std::integral_constant<std::size_t, 64>{})`.
template <class Use>
decltype(auto) with_bits(std::size_t bits, Use&& use) {
  if (stored_bits(bits) == 512) return std::forward<Use>(use)(std::integral_constant<std::size_t, 512>{});
  if (stored_bits(bits) == 1024) return std::forward<Use>(use)(std::integral_constant<std::size_t, 1024>{});
  return with_bits_of_texts(bits, std::forward<Use>(use));
}

/// Calls `use` with a fingerprint of `bits` bits and of kind `kind`. Only the type of the argument matters:
/// `use(neardup::minwise<64>())`.
template <class Use>
decltype(auto) with_fingerprint(std::size_t bits, neardup::fingerprint_kind kind, Use&& use) {
  if (kind == neardup::fingerprint_kind::minwise) {
    return with_bits_of_texts(bits, [&](auto width) -> decltype(auto) { return use(neardup::minwise<width>()); });
  }
  return with_bits(bits, [&](auto width) -> decltype(auto) { return use(neardup::simhash<width>()); });
}

/// A view of the words of an array of fingerprints. The width is known only at run time, so code that compares
/// fingerprints is compiled once for all widths.
/// Precondition: the array outlives the view, and does not change.
class fingerprint_words {
 public:
  /// Makes a view of an array in which each fingerprint has `words` words.
  fingerprint_words(std::span<const std::byte> array, std::size_t words) : array_(array.data()), words_(words) {}

  [[nodiscard]] std::strong_ordering compare(std::size_t a, std::size_t b) const {
    for (std::size_t w = 0; w < words_; ++w) {
      const std::strong_ordering by_word = word(a, w) <=> word(b, w);
      if (by_word != 0) return by_word;
    }
    return std::strong_ordering::equal;
  }
  [[nodiscard]] int distance(std::size_t a, std::size_t b) const {
    int count = 0;
    for (std::size_t w = 0; w < words_; ++w) count += std::popcount(word(a, w) ^ word(b, w));
    return count;
  }
  [[nodiscard]] std::uint64_t hash(std::size_t i) const {
    std::uint64_t mixed = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      mixed = (std::rotl(mixed, 25) ^ word(i, w)) * 0x9e3779b97f4a7c15;  // an odd number with mixed bits
      mixed ^= mixed >> 32;
    }
    return mixed;
  }

 private:
  [[nodiscard]] std::uint64_t word(std::size_t i, std::size_t w) const {
    std::uint64_t value = 0;
    std::memcpy(&value, array_ + (i * words_ + w) * sizeof value, sizeof value);
    return value;
  }

  const std::byte* array_;
  std::size_t words_;
};

class fingerprint_vector;

/// Consecutive fingerprints of an array: those with the numbers from `first` to `end` - 1.
/// Precondition: the array outlives this object.
struct fingerprint_part {
  const fingerprint_vector& all;
  std::size_t first, end;

  template <std::size_t Bits>
  [[nodiscard]] std::span<const neardup::simhash<Bits>> of() const;
};

/// An array of fingerprints that have the same width.
class fingerprint_vector {
 public:
  /// Makes an empty array for fingerprints of `bits` bits. `bits` may be 0 if the array stays empty.
  explicit fingerprint_vector(std::size_t bits) {
    with_bits(bits, [this](auto width) { all_.emplace<std::vector<neardup::simhash<width>>>(); });
  }
  template <std::size_t Bits>
  explicit fingerprint_vector(std::vector<neardup::simhash<Bits>> all) : all_(std::move(all)) {}

  [[nodiscard]] std::size_t bits() const {
    return std::visit([]<class All>(const All&) { return All::value_type::bits; }, all_);
  }
  template <std::size_t Bits>
  [[nodiscard]] const std::vector<neardup::simhash<Bits>>& of() const {
    return std::get<std::vector<neardup::simhash<Bits>>>(all_);
  }
  [[nodiscard]] fingerprint_words words() const {
    return std::visit(
        []<class All>(const All& all) -> fingerprint_words {
          return {std::as_bytes(std::span(all)), All::value_type::words};
        },
        all_);
  }
  /// Returns the fingerprints with the numbers from `first` to `end` - 1.
  [[nodiscard]] fingerprint_part part(std::size_t first, std::size_t end) const { return {*this, first, end}; }
  [[nodiscard]] std::size_t size() const {
    return std::visit([](const auto& all) { return all.size(); }, all_);
  }
  [[nodiscard]] any_fingerprint operator[](std::size_t i) const {
    return std::visit([i](const auto& all) { return any_fingerprint(all[i].to_words()); }, all_);
  }

  void push_back(const any_fingerprint& fingerprint) {
    std::visit([&]<class All>(All& all) { all.push_back(fingerprint.as<All::value_type::bits>()); }, all_);
  }

 private:
  std::variant<std::vector<neardup::simhash<32>>, std::vector<neardup::simhash<64>>, std::vector<neardup::simhash<128>>,
               std::vector<neardup::simhash<256>>, std::vector<neardup::simhash<512>>,
               std::vector<neardup::simhash<1024>>>
      all_;
};

template <std::size_t Bits>
std::span<const neardup::simhash<Bits>> fingerprint_part::of() const {
  return std::span(all.of<Bits>()).subspan(first, end - first);
}

}  // namespace command
