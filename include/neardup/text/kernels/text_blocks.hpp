// SPDX-License-Identifier: MIT
// Classifies the characters of a text in blocks of 64 bytes.
#pragma once

#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "text_blocks_avx2.hpp"
#include "text_blocks_avx512.hpp"
#include "text_blocks_neon.hpp"
#include "text_blocks_portable.hpp"

namespace neardup::inline v0::detail {

/// Processes the characters of the text of `cursor` that begin before `limit`, with the kernels of an instruction set.
/// Precondition: the output has memory for the result.
template <class Cursor>
void take_blocks(Cursor& cursor, const char* limit, instruction_set level) noexcept {
  choose_form(level, [&](auto form) { take_blocks_of<Cursor>(form)(cursor, limit); });
}

}  // namespace neardup::inline v0::detail
