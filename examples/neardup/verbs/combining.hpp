// What the verbs have in common that take what other runs have written about shards.
#pragma once

#include <functional>

#include "../documents/shard_files.hpp"
#include "../line/taking.hpp"

namespace command {

/// Takes what fingerprints are, from the first of the files that are named.
void take_kind_of_shards(typed_options& typed, const run_settings& to);

/// The settings of a run: `stored` takes what stands in files, `comparison` what is compared; each may be missing.
/// Throws: usage_error, input_error; output_error if what is saved at the end cannot be.
run_settings take_combination(typed_options& typed, const std::function<void(run_settings&)>& stored,
                              const std::function<void(run_settings&)>& comparison);

}  // namespace command
