// Code for the verbs that change an index in place.
#pragma once

#include "../documents/changed_index.hpp"
#include "../line/words.hpp"

namespace command {

inline constexpr option_row compact_option{
    "--compact", "WHEN", takes::own, section::index,
    "when to write the log into the file. auto (the default): when the log gets longer than an eighth of the file. The "
    "time depends on the size of the file. Other values: now, never"};

/// Reads the option --compact into `to`.
/// Throws: usage_error if its value is unknown.
inline void take_compaction(const typed_options& typed, compaction& to) {
  take_name(typed, "--compact", to, {"auto", "now", "never"}, "must be auto, now or never");
}

}  // namespace command
