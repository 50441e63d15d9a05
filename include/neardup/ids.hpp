// SPDX-License-Identifier: MIT
// The types that can identify a document.
#pragma once

#include <concepts>
#include <type_traits>

namespace neardup::inline v0 {

/// A type for the ids of documents in an index: regular, totally ordered and trivially copyable. Floating-point types
/// are excluded, because NaN has no order.
template <class Id>
concept index_id =
    std::regular<Id> && std::totally_ordered<Id> && std::is_trivially_copyable_v<Id> && !std::floating_point<Id>;

/// A type of ids that can be numbered automatically: an integer type other than bool and the character types.
template <class Id>
concept counting_id =
    std::integral<Id> && !std::same_as<Id, bool> && !std::same_as<Id, char> && !std::same_as<Id, wchar_t> &&
    !std::same_as<Id, char8_t> && !std::same_as<Id, char16_t> && !std::same_as<Id, char32_t>;

}  // namespace neardup::inline v0
