// SPDX-License-Identifier: MIT
// The input of joins: all or selected fingerprints of a corpus, as words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../match.hpp"

namespace neardup::inline v0::detail {

/// A view of fingerprints as words. All types of fingerprints with the same number of words have this one view.
template <std::size_t Words>
class fingerprint_words {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  template <class Fingerprint>
  explicit fingerprint_words(std::span<const Fingerprint> fingerprints) noexcept
      : bytes_(std::as_bytes(fingerprints).data()), size_(fingerprints.size()) {
    static_assert(words_for(Fingerprint::bits) == Words && sizeof(Fingerprint) == sizeof(words_type) &&
                  std::is_trivially_copyable_v<Fingerprint>);
  }
  explicit fingerprint_words(std::span<const words_type> fingerprints) noexcept
      : bytes_(std::as_bytes(fingerprints).data()), size_(fingerprints.size()) {}

  /// Makes a view of the fingerprints of `a`, followed by the fingerprints of `b`.
  /// Precondition: `a` and `b` were not made by this constructor.
  fingerprint_words(const fingerprint_words& a, const fingerprint_words& b) noexcept
      : bytes_(a.bytes_), size_(a.size_), behind_(b.bytes_), behind_size_(b.size_) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_ + behind_size_; }
  [[nodiscard]] words_type operator[](std::size_t i) const noexcept {
    words_type words;
    const std::byte* const from = i < size_ ? bytes_ + i * sizeof words : behind_ + (i - size_) * sizeof words;
    std::memcpy(words.data(), from, sizeof words);
    return words;
  }

 private:
  const std::byte* bytes_;
  std::size_t size_;
  const std::byte* behind_ = nullptr;
  std::size_t behind_size_ = 0;
};
template <class Fingerprint>
fingerprint_words(std::span<const Fingerprint>) -> fingerprint_words<words_for(Fingerprint::bits)>;

/// Selected fingerprints of a corpus. The selection is a range of numbers, or a list of numbers.
template <std::size_t Words, class Number>
class chosen_words {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  chosen_words(const fingerprint_words<Words>& all) noexcept  // NOLINT(google-explicit-constructor): selects all
      : all_(all), size_(all.size()) {}
  /// Selects the fingerprints of `all` at the positions `numbers`.
  /// Precondition: the array of `numbers` outlives this object.
  chosen_words(const fingerprint_words<Words>& all, std::span<const Number> numbers) noexcept
      : all_(all), list_(numbers.data()), size_(numbers.size()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Number number(std::size_t i) const noexcept {
    return list_ != nullptr ? list_[i] : static_cast<Number>(first_ + i);
  }
  [[nodiscard]] words_type operator[](std::size_t i) const noexcept {
    return all_[static_cast<std::size_t>(number(i))];
  }

  [[nodiscard]] chosen_words part(std::size_t first, std::size_t count) const noexcept {
    chosen_words result(*this);
    if (list_ != nullptr) {
      result.list_ += first;
    } else {
      result.first_ += first;
    }
    result.size_ = count;
    return result;
  }
  /// Returns another selection from the same corpus: the fingerprints at the positions `numbers` of the corpus.
  [[nodiscard]] chosen_words of(std::span<const Number> numbers) const noexcept { return {all_, numbers}; }

 private:
  fingerprint_words<Words> all_;
  const Number* list_ = nullptr;
  std::size_t first_ = 0;
  std::size_t size_;
};

/// A callback that accepts or rejects a pair of documents whose fingerprints differ in at most k bits. The arguments
/// are the positions of the documents. An empty function accepts all pairs.
/// Thread safety: several threads call the function at once.
using pair_check = std::function<bool(std::size_t, std::size_t)>;

}  // namespace neardup::inline v0::detail
