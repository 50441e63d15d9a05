// SPDX-License-Identifier: MIT
// The instantiations of dedup/.
#define NEARDUP_DEDUP_TEMPLATE template

#include <neardup/dedup.hpp>
