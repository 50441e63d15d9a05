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
void run_verify(context& c);
void run_merge(context& c);
void run_manifest(context& c);

void run_advise(context& c);
void run_diff(context& c);

}  // namespace command
