// SPDX-License-Identifier: MIT
// Compiles the bodies of functions that are not templates, for the library neardup::compiled. See detail/compiled.hpp.
#define NEARDUP_BODIES 1

#include <neardup/neardup.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
