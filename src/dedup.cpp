// SPDX-License-Identifier: MIT
// Instantiates the templates of dedup/ for the library neardup::compiled. See detail/compiled.hpp.
#define NEARDUP_DEDUP_TEMPLATE template

#include <neardup/dedup.hpp>
