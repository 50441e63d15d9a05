// Fingerprints whose width is chosen at run time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <neardup/minwise.hpp>
#include <neardup/simhash.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace command {

/// A fingerprint or min-wise code of any width; unused bits are zero. All fingerprints of a run have one width,
/// fingerprint_settings::bits.
class any_fingerprint {
 public:
  any_fingerprint() = default;
  template <std::size_t Words>
  explicit any_fingerprint(const std::array<std::uint64_t, Words>& words) {
    std::copy(words.begin(), words.end(), words_.begin());
  }

  template <std::size_t Bits>
  [[nodiscard]] neardup::simhash<Bits> as() const {
    return as<neardup::simhash<Bits>>();
  }
  /// Converts to a type of fingerprint, to store or compare it.
  template <class Fingerprint>
  [[nodiscard]] Fingerprint as() const {
    typename Fingerprint::words_type words;
    std::copy_n(words_.begin(), words.size(), words.begin());
    return Fingerprint(words);
  }

  /// Returns the number of bits in which two fingerprints differ.
  [[nodiscard]] friend int hamming_distance(const any_fingerprint& a, const any_fingerprint& b) {
    return neardup::hamming_distance(a.as<256>(), b.as<256>());
  }

 private:
  std::array<std::uint64_t, 4> words_{};
};

/// Calls `use` with the width as a constant: `use(std::integral_constant<std::size_t, 64>{})`.
template <class Use>
decltype(auto) with_bits(std::size_t bits, Use&& use) {
  switch (bits) {
    case 32: return std::forward<Use>(use)(std::integral_constant<std::size_t, 32>{});
    case 128: return std::forward<Use>(use)(std::integral_constant<std::size_t, 128>{});
    case 256: return std::forward<Use>(use)(std::integral_constant<std::size_t, 256>{});
    default: return std::forward<Use>(use)(std::integral_constant<std::size_t, 64>{});
  }
}

/// Calls `use` with a fingerprint of this width and kind, for its type: `use(neardup::minwise<64>())`.
template <class Use>
decltype(auto) with_fingerprint(std::size_t bits, neardup::fingerprint_kind kind, Use&& use) {
  return with_bits(bits, [&](auto width) -> decltype(auto) {
    if (kind == neardup::fingerprint_kind::minwise) return use(neardup::minwise<width>());
    return use(neardup::simhash<width>());
  });
}

/// An array of fingerprints of one width.
class fingerprint_vector {
 public:
  explicit fingerprint_vector(std::size_t bits) {
    with_bits(bits, [this](auto width) { all_.emplace<std::vector<neardup::simhash<width>>>(); });
  }

  template <std::size_t Bits>
  explicit fingerprint_vector(std::vector<neardup::simhash<Bits>> all) : all_(std::move(all)) {}

  [[nodiscard]] std::size_t bits() const {
    return std::visit([](const auto& all) { return std::remove_cvref_t<decltype(all)>::value_type::bits; }, all_);
  }
  template <std::size_t Bits>
  [[nodiscard]] const std::vector<neardup::simhash<Bits>>& of() const {
    return std::get<std::vector<neardup::simhash<Bits>>>(all_);
  }
  /// Returns all fingerprints, as a std::variant of the vectors of each width.
  [[nodiscard]] const auto& all() const { return all_; }
  [[nodiscard]] std::size_t size() const {
    return std::visit([](const auto& all) { return all.size(); }, all_);
  }
  [[nodiscard]] any_fingerprint operator[](std::size_t i) const {
    return std::visit([i](const auto& all) { return any_fingerprint(all[i].to_words()); }, all_);
  }

  void push_back(const any_fingerprint& fingerprint) {
    std::visit(
        [&](auto& all) { all.push_back(fingerprint.as<std::remove_reference_t<decltype(all)>::value_type::bits>()); },
        all_);
  }

 private:
  std::variant<std::vector<neardup::simhash<32>>, std::vector<neardup::simhash<64>>, std::vector<neardup::simhash<128>>,
               std::vector<neardup::simhash<256>>>
      all_;
};

}  // namespace command
