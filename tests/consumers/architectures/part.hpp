#pragma once

#include <cstdint>
#include <vector>

// Each returns all results of a part: fingerprints and ids, in order.
std::vector<std::uint64_t> first();
std::vector<std::uint64_t> second();
