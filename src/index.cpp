// SPDX-License-Identifier: MIT
// Instantiates the templates of index/ for the library neardup::compiled. See detail/compiled.hpp.
#define NEARDUP_INDEX_TEMPLATE template

#include <neardup/index.hpp>
#include <neardup/index/join/components.hpp>
