// SPDX-License-Identifier: MIT
// Estimates whether a batch of documents costs less if they are joined, or if the index is searched for each.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../index/engine/filter_scan.hpp"
#include "../../index/join/join_plan.hpp"
#include "../../index/layout.hpp"
#include "../../instruction_set.hpp"
#include "../../runner.hpp"

namespace neardup::inline v0::detail {

/// How a batch finds candidates by fingerprints.
enum class batch_way { by_cost, search, join };

/// Overrides the choice of join_pays() unless it is batch_way::by_cost. For tests that compare both ways.
inline std::atomic<batch_way>& forced_batch_way() noexcept {
  static std::atomic<batch_way> forced{batch_way::by_cost};
  return forced;
}

/// Whether a join of `count` fingerprints with `kept` ones, and among themselves, is estimated to cost less than `count`
/// searches within k bits in an index of the layout `shape`. `sample`: some of the fingerprints.
///
/// Both costs are in the units of join_costs, nanoseconds on one core of a Zen 5. The other constants were fitted on the
/// same machine, for k = 3, 8 and 13 of 64 bits, 7,000 to 300,000 kept fingerprints, and batches of 300 to 32,768.
template <std::size_t Words>
[[nodiscard]] bool join_pays(const layout& shape, std::size_t kept, std::size_t count,
                             std::span<const std::array<std::uint64_t, Words>> sample, const any_runner& run) {
  if (const batch_way forced = forced_batch_way().load(std::memory_order_relaxed); forced != batch_way::by_cost) {
    return forced == batch_way::join;
  }
  // A join of fewer fingerprints compares all pairs, as the slowest search does, and also lists the kept fingerprints.
  constexpr std::size_t min_joined = 256;
  if (count <= min_joined) return false;
  constexpr double of_search = 400, of_scan = 18;  // per search; per fingerprints_a_probe() scanned fingerprints
  constexpr double of_kept = 55, of_joined = 300;  // per fingerprint: lists and results
  constexpr double of_plan = 1.6;                  // a join takes so many times the cost of its plan
  const auto n = static_cast<double>(kept), more = static_cast<double>(count);
  // The new ones of the batch are kept, so a search meets about half of them as well.
  const double scanned = (n + more / 2) / static_cast<double>(fingerprints_a_probe<Words>());
  const auto keys = static_cast<double>(shape.probe_count(shape.k()));
  const double of_probe = 20 + (std::min)(100.0, 6e-5 * n);  // per looked-up key; large tables are not in the cache
  const double search = more * (of_search + (scanned <= keys ? of_scan * scanned : of_probe * keys));
  double join = of_kept * n + of_joined * more;
  if (search <= join) return false;
  const auto plan_cost = [&](std::size_t known) {
    return join_plan<Words>(shape.bits(), shape.k(), 0, known + count, known, sample, active_instruction_set()).cost();
  };
  const auto parts = static_cast<double>(parts_for(run, kept + count, std::size_t{1} << 12));
  join += of_plan / parts * plan_cost(0);
  if (kept != 0 && join < search) join += of_plan / parts * plan_cost(kept);
  return join < search;
}

}  // namespace neardup::inline v0::detail
