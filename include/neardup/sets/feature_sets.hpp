// SPDX-License-Identifier: MIT
// feature_sets stores the features of many texts in one array.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../error.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Returns true if the features of a set are ascending and distinct.
template <class Feature>
[[nodiscard]] bool is_ascending(std::span<const Feature> features) noexcept {
  return std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) == features.end();
}

/// Throws std::invalid_argument if the features of a set are not ascending and distinct.
template <class Feature>
void check_ascending(std::span<const Feature> features) {
  if (!is_ascending(features)) {
    fail<std::invalid_argument>("the features of a set are not in ascending order, each once");
  }
}

/// The type of the features of a range of sets.
template <class Sets>
using set_feature_t = std::remove_cvref_t<decltype(*std::data(std::declval<const Sets&>()[std::size_t{}]))>;

/// Compiles only if the features of `Sets` have the type `Feature`.
template <class Feature, class Sets>
constexpr void check_features() noexcept {
  static_assert(
      std::is_same_v<Feature, set_feature_t<Sets>>,
      "neardup: sets are compared if their features have one type: std::uint32_t, or std::uint64_t as "
      "feature_extractor<Tokenizer, Hasher, std::uint64_t> makes them and set_index<std::uint64_t> holds them");
}

}  // namespace detail

/// A range of sets: it has `size()`, and `sets[i]` for each position i < size(). sets[i] is a contiguous range of
/// ascending, distinct unsigned numbers of 32 or 64 bits, such as the result of a feature_extractor. Models:
/// feature_sets, and a vector of vectors.
/// Thread safety: several threads may read the sets at once.
template <class Sets>
concept set_range = requires(const Sets& sets) {
  { sets.size() } -> std::convertible_to<std::size_t>;
  std::span<const detail::set_feature_t<Sets>>(sets[std::size_t{}]);
  // If sets[i] is not a reference, it must be a view such as a span, because its features must outlive sets[i].
  requires std::is_lvalue_reference_v<decltype(sets[std::size_t{}])> ||
      std::is_trivially_copyable_v<std::remove_cvref_t<decltype(sets[std::size_t{}])>>;
  requires std::unsigned_integral<detail::set_feature_t<Sets>>;
  requires sizeof(detail::set_feature_t<Sets>) == 4 || sizeof(detail::set_feature_t<Sets>) == 8;
  // The characters of a text are not features.
  requires !std::same_as<detail::set_feature_t<Sets>, char32_t> && !std::same_as<detail::set_feature_t<Sets>, wchar_t>;
};

/// Feature sets in one contiguous array. Use it to keep the results of feature_extractor for many texts.
/// Memory: sizeof(Feature) bytes per feature and 8 bytes per set. While the arrays grow, up to twice as much.
/// Guarantee: strong.
/// Example: `feature_sets sets;  for (auto& text : texts) sets.add(extract(text));`
template <std::unsigned_integral Feature = std::uint32_t>
class feature_sets {
 public:
  using feature_type = Feature;

  /// Appends a set. `features` may be a view of a set in this object.
  /// Returns: the number of the new set, which is the number of sets appended before.
  /// Throws: std::invalid_argument if the features are not ascending and distinct; std::bad_alloc.
  /// Complexity: amortised linear.
  std::size_t add(std::span<const Feature> features) {
    detail::check_ascending(features);
    const std::size_t begin = feature_count();
    // `features` may refer to features_. Then `features` is invalid after resizing, so the position `from` is kept.
    // Resizing also removes the features that an earlier call appended before it threw.
    const Feature* const own = features_.data();
    const bool is_own = !std::less<>()(features.data(), own) && std::less<>()(features.data(), own + begin);
    const std::ptrdiff_t from = is_own ? features.data() - own : 0;
    features_.resize(begin + features.size());
    std::copy_n(is_own ? features_.data() + from : features.data(), features.size(), features_.data() + begin);
    ends_.push_back(features_.size());
    return ends_.size() - 1;
  }
  // A text does not compile. The message of the compiler says what to write.
  template <std::convertible_to<std::string_view> Text>
  std::size_t add(const Text& /*text*/) {
    static_assert(sizeof(Text) == 0,
                  "neardup: a set has the features of a text: write sets.add(extract(text)), with feature_extractor "
                  "extract{words{}}");
    return 0;
  }

  /// Returns the features of set `i`. The span is invalidated when a set is added.
  /// Precondition: i < size().
  [[nodiscard]] std::span<const Feature> operator[](std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(features_).subspan(begin, ends_[i] - begin);
  }

  /// Returns the number of sets.
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }

  /// Returns the number of features of all sets.
  [[nodiscard]] std::size_t feature_count() const noexcept { return ends_.empty() ? 0 : ends_.back(); }

  /// Reserves memory for `sets` sets that have `features` features in total.
  void reserve(std::size_t sets, std::size_t features) {
    ends_.reserve(sets);
    features_.reserve(features);
  }

  /// Removes all sets; keeps the allocated memory.
  void clear() noexcept {
    features_.clear();
    ends_.clear();
  }

  void swap(feature_sets& other) noexcept {
    features_.swap(other.features_);
    ends_.swap(other.ends_);
  }
  friend void swap(feature_sets& a, feature_sets& b) noexcept { a.swap(b); }

  /// Returns the number of allocated bytes.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return features_.capacity() * sizeof(Feature) + ends_.capacity() * sizeof(std::size_t);
  }

 private:
  std::vector<Feature> features_;
  std::vector<std::size_t> ends_;
};

}  // namespace neardup::inline v0
