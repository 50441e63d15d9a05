// What the verbs do. Each throws usage_error, input_error or output_error.
#pragma once

#include "context.hpp"

namespace command {

void run_groups(context& c);
void run_pairs(context& c);
void run_unique(context& c);
void run_report(context& c);

void run_hash(context& c);
void run_tokens(context& c);
void run_find(context& c);

void run_index(context& c);
void run_query(context& c);

void run_hash_to_shard(context& c);
void run_join(context& c);
/// Takes what the shards were set to into `settings`, which are those of the context.
void run_merge(context& c, options& settings);

void run_advise(context& c);

// These read no documents that way.
void run_diff(const options& settings);
void run_verify(const options& settings);
void run_manifest(const options& settings);

}  // namespace command
