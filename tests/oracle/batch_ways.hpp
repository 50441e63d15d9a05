// Forces batches to be joined or searched for, for tests with few documents.
#pragma once

#include <neardup/dedup/engine/batch_costs.hpp>

namespace oracle {

/// During its lifetime, deduplicators by fingerprints add batches in this way, whatever that costs.
class batches_by {
 public:
  explicit batches_by(neardup::detail::batch_way way) { neardup::detail::forced_batch_way().store(way); }
  batches_by(const batches_by&) = delete;
  batches_by& operator=(const batches_by&) = delete;
  ~batches_by() { neardup::detail::forced_batch_way().store(neardup::detail::batch_way::by_cost); }
};

}  // namespace oracle
