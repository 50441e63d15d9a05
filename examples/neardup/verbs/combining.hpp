// The common part of verbs that take the output of other runs about shards.
#pragma once

#include <functional>

#include "../documents/shard_files.hpp"
#include "../line/taking.hpp"

namespace command {

/// Takes the kind and width of fingerprints from the first of the named files.
void take_kind_of_shards(typed_options& typed, const run_settings& to);

/// The settings of a run: `stored` takes what is stored in files, `comparison` the options of the comparison; each may
/// be null.
/// Throws: usage_error, input_error; output_error if the file that is saved at the end cannot be written.
run_settings take_combination(typed_options& typed, const std::function<void(run_settings&)>& stored,
                              const std::function<void(run_settings&)>& comparison);

}  // namespace command
