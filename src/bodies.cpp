// SPDX-License-Identifier: MIT
// The bodies of functions that are not templates.
#define NEARDUP_BODIES 1

#include <neardup/neardup.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
