// SPDX-License-Identifier: MIT
// Visitors of pairs, and pairs that a join need not visit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace neardup::inline v0::detail {

/// Calls `visit(arguments...)`.
/// Returns: false if the visitor returned false, which ends the visit; otherwise true.
template <class Visit, class... Arguments>
constexpr bool visit_goes_on(Visit& visit, Arguments&&... arguments) {
  using result = std::invoke_result_t<Visit&, Arguments...>;
  static_assert(std::is_void_v<result> || std::is_same_v<std::remove_cvref_t<result>, bool>,
                "neardup: a visitor returns nothing (it sees everything) or bool (false ends the visit)");
  if constexpr (std::is_void_v<result>) {
    visit(std::forward<Arguments>(arguments)...);
    return true;
  } else {
    return visit(std::forward<Arguments>(arguments)...);
  }
}

/// Classes of sets, by their numbers. A join need not compare two sets of one class. So a join of n sets that are all
/// similar need not visit n^2 / 2 pairs.
class set_classes {
 public:
  virtual ~set_classes() = default;
  /// The class of a set. Invariant: two sets that were of one class stay of one class.
  /// Thread safety: called from several threads.
  [[nodiscard]] virtual std::size_t of(std::size_t set) const = 0;
  /// Whether this pair need not be found. True for two sets of one class. Thread safety: as of().
  [[nodiscard]] virtual bool leaves_out(std::size_t a, std::size_t b) const { return of(a) == of(b); }
  /// Takes a similar pair as soon as it is found. Thread safety: called from several threads.
  virtual void add(std::size_t a, std::size_t b) = 0;
};

/// Classes of numbers as classes of sets: set i has the class of numbers[i].
class numbered_classes final : public set_classes {
 public:
  /// Precondition: both outlive the object.
  numbered_classes(set_classes& classes, std::span<const std::uint32_t> numbers)
      : classes_(classes), numbers_(numbers) {}

  [[nodiscard]] std::size_t of(std::size_t set) const override { return classes_.of(numbers_[set]); }
  [[nodiscard]] bool leaves_out(std::size_t a, std::size_t b) const override {
    return classes_.leaves_out(numbers_[a], numbers_[b]);
  }
  void add(std::size_t a, std::size_t b) override { classes_.add(numbers_[a], numbers_[b]); }

 private:
  set_classes& classes_;
  std::span<const std::uint32_t> numbers_;
};

}  // namespace neardup::inline v0::detail
