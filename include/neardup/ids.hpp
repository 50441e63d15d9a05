// SPDX-License-Identifier: MIT
// The types of ids that identify documents, and of positions in the input of a join.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "error.hpp"

namespace neardup::inline v0 {

/// A type for the ids of documents in an index. It must be regular, totally ordered and trivially copyable.
/// Floating-point types are excluded, because NaN has no order.
template <class Id>
concept index_id =
    std::regular<Id> && std::totally_ordered<Id> && std::is_trivially_copyable_v<Id> && !std::floating_point<Id>;

/// A type for ids that can be numbered automatically: an integer type, but not bool or a character type.
template <class Id>
concept counting_id =
    std::integral<Id> && !std::same_as<Id, bool> && !std::same_as<Id, char> && !std::same_as<Id, wchar_t> &&
    !std::same_as<Id, char8_t> && !std::same_as<Id, char16_t> && !std::same_as<Id, char32_t>;

namespace detail {

/// Returns true if two integers are equal. They may have different types.
template <std::integral A, std::integral B>
[[nodiscard]] constexpr bool is_same_number(A a, B b) noexcept {
  return std::cmp_equal(+a, +b);  // std::cmp_equal refuses characters and bool; + converts them to integers
}

template <class Id>
concept hashable_id = requires(const Id& id) {
  { std::hash<Id>{}(id) } -> std::convertible_to<std::size_t>;
};

/// The type of a parameter that takes a whole number. Every integer converts to this type. So a caller with
/// `std::size_t i` or `7` needs no cast, and no value is narrowed silently. `name`: the name of the number in messages.
template <std::integral Number, const char* name>
class whole_argument {
 public:
  /// Converts an integer of any type.
  /// Throws: std::invalid_argument if Number cannot represent the value.
  template <class Value>
    requires std::convertible_to<const Value&, Number>
  constexpr whole_argument(const Value& value) noexcept(
      std::same_as<Value, Number>)  // NOLINT(google-explicit-constructor)
      : number_(static_cast<Number>(value)) {
    static_assert(!std::floating_point<Value>,
                  "neardup: ids and times are whole numbers: round the number first, as in "
                  "static_cast<std::uint64_t>(seconds)");
    // Without compiler extensions, integers of more than 64 bits are not std::integral, but they have operator <<.
    constexpr bool is_number = requires { value << 1; };
    constexpr bool is_integral = requires {
      { value << 1 } -> std::integral;
    };
    static_assert(is_integral || !is_number,
                  "neardup: an integer of this type may not fit: write static_cast<std::uint64_t>(number)");
    if constexpr (requires {
                    { +value } -> std::integral;
                  }) {
      if (!is_same_number(number_, +value)) refuse(+value);
    }
  }

  constexpr operator const Number&() const noexcept { return number_; }  // NOLINT(google-explicit-constructor)

 private:
  template <class Value>
  NEARDUP_COLD [[noreturn]] static void refuse(Value value) {
    using range = std::numeric_limits<Number>;
    fail<std::invalid_argument>(
        {name, " ", value, " is outside ", (range::min)(), "..", (range::max)(), ", the range of its type"});
  }

  Number number_;
};

inline constexpr char name_of_id[] = "the id";

template <class Id>
struct id_parameter {
  using type = const Id&;
};
template <counting_id Id>
struct id_parameter<Id> {
  using type = whole_argument<Id, name_of_id>;
};

}  // namespace detail

/// The type of a parameter that takes an id. If Id is an integer type, the parameter takes an integer of any type. A
/// value that Id cannot represent throws std::invalid_argument. If Id is another type, the parameter has the type
/// `const Id&`.
template <class Id>
using id_argument = typename detail::id_parameter<Id>::type;

namespace detail {

/// A join of this many fingerprints or more needs 64-bit positions.
inline constexpr std::size_t many_positions = (std::numeric_limits<std::uint32_t>::max)();

/// Throws std::length_error if Index cannot number `count` fingerprints, sets or texts. `what`: the name of the
/// function that the caller should call with a wider Index.
template <class Index>
void check_index_type(std::size_t count, const char* what) {
  static_assert(
      counting_id<Index>,
      "neardup: positions are numbered with an integer type such as std::uint32_t, not with bool nor with a type "
      "of characters");
  if constexpr (counting_id<Index>) {
    const bool is_small = sizeof(Index) <= sizeof(std::uint32_t);
    if (count > 0 &&
        (std::cmp_greater(count - 1, (std::numeric_limits<Index>::max)()) || (is_small && count >= many_positions))) {
      fail<std::length_error>(
          {what, ": the index type cannot number ", count, " positions; write ", what, "<std::uint64_t>"});
    }
  }
}

/// Calls `use(position)`. `position` is 0, as a std::uint64_t if `count` fingerprints need 64-bit positions, otherwise
/// as a std::uint32_t. `use` is instantiated for 64 bits only if Index has 64 bits. So a join with a 32-bit Index is
/// compiled only once.
/// Precondition: Index can number `count` fingerprints.
template <class Index, class Use>
auto with_position_type(std::size_t count, const Use& use) {
  if constexpr (sizeof(Index) > sizeof(std::uint32_t)) {
    if (count >= many_positions) return use(std::uint64_t{0});
  }
  return use(std::uint32_t{0});
}

}  // namespace detail

}  // namespace neardup::inline v0
