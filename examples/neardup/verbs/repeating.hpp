// Removes from texts the passages that occurred before, for `unique --passages`.
#pragma once

#include "passage_finding.hpp"

namespace command {

/// Writes the input without passages that occurred before, in the input or in --against.
void run_without_repeated(context& c, const passage_settings& how);

/// A part of a run on many machines: the files that gather wrote for all partitions, the files that features wrote for
/// all parts, and the number of the part.
struct gathered_setting {
  std::vector<std::string> passages, texts;
  std::uint64_t part = 0;
};

/// Writes the input, which is one part of the run, without passages that occur earlier in the run.
void run_without_gathered(context& c, const gathered_setting& of);

}  // namespace command
