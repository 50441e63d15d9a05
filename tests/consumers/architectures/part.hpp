#pragma once

#include <cstdint>
#include <vector>

// All that a part has computed: fingerprints and ids, in order.
std::vector<std::uint64_t> first();
std::vector<std::uint64_t> second();
