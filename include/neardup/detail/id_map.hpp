// SPDX-License-Identifier: MIT
// A map from the ids of documents.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <type_traits>
#include <unordered_map>

#include "../version.hpp"

namespace neardup::inline v0::detail {

template <class Id>
concept hashable_id = requires(const Id& id) {
  { std::hash<Id>{}(id) } -> std::convertible_to<std::size_t>;
};

/// A map from ids to values: by hash if std::hash<Id> exists, otherwise by order.
template <class Id, class Value>
using id_map = std::conditional_t<hashable_id<Id>, std::unordered_map<Id, Value>, std::map<Id, Value>>;

}  // namespace neardup::inline v0::detail
