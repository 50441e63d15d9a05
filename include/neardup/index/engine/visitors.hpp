// Who is told what a search finds.
#pragma once

#include <cstddef>

namespace neardup::inline v0::detail {

/// Who is told what a search finds, and says whether it goes on: any callable bool(Arguments...), as one type, so that
/// a search is compiled once and not for each of its uses. It refers to the callable.
template <class... Arguments>
class visitor {
 public:
  template <class Visit>
  visitor(const Visit& visit) noexcept  // NOLINT(google-explicit-constructor): stands for what it is given.
      : visit_(&visit), call_(call<Visit>) {}

  bool operator()(Arguments... arguments) const { return call_(visit_, arguments...); }

 private:
  template <class Visit>
  static bool call(const void* visit, Arguments... arguments) {
    return (*static_cast<const Visit*>(visit))(arguments...);
  }

  const void* visit_;
  bool (*call_)(const void*, Arguments...);
};

using slot_visitor = visitor<std::size_t, int>;                // of a slot and its distance
using batch_visitor = visitor<std::size_t, std::size_t, int>;  // of a query, a slot and its distance

}  // namespace neardup::inline v0::detail
