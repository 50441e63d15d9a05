// SPDX-License-Identifier: MIT
// The instantiations of index/.
#define NEARDUP_INDEX_TEMPLATE template

#include <neardup/index.hpp>
#include <neardup/index/join/components.hpp>
