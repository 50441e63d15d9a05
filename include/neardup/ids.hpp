// What may name a document.
#pragma once

#include <concepts>
#include <type_traits>

namespace neardup::inline v0 {

/// A type whose values may name the documents of an index: a regular, totally ordered, trivially copyable value.
/// Floating-point numbers are out: NaN has no place in an order.
template <class Id>
concept index_id =
    std::regular<Id> && std::totally_ordered<Id> && std::is_trivially_copyable_v<Id> && !std::floating_point<Id>;

/// An Id that documents can be numbered with: an integer, but neither bool nor a character.
template <class Id>
concept counting_id =
    std::integral<Id> && !std::same_as<Id, bool> && !std::same_as<Id, char> && !std::same_as<Id, wchar_t> &&
    !std::same_as<Id, char8_t> && !std::same_as<Id, char16_t> && !std::same_as<Id, char32_t>;

}  // namespace neardup::inline v0
