// `neardup hash --shard`: writes a part of a corpus that is compared on many machines.
#pragma once

#include "../compare/context.hpp"
#include "../documents/shard_files.hpp"

namespace command {

void hash_to_shard(context& c, std::uint64_t shard, bool keeps_features);

}  // namespace command
