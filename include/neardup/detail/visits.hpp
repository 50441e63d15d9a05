// SPDX-License-Identifier: MIT
// Visitors: callbacks that receive results one by one, and may end the visit.
#pragma once

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

}  // namespace neardup::inline v0::detail
