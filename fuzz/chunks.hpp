// Cuts a text into chunks whose sizes an input of the fuzzers chooses.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace fuzz {

/// Calls `visit(chunk)` for chunks of the two sizes alternately; one size may be 0. If both are, the text is one chunk.
template <class Visit>
void for_each_chunk(std::string_view text, const std::array<std::size_t, 2>& sizes, Visit&& visit) {
  if (sizes[0] + sizes[1] == 0) return visit(text);
  for (std::size_t i = 0; !text.empty(); ++i) {
    const std::string_view chunk = text.substr(0, sizes[i % 2]);
    visit(chunk);
    text.remove_prefix(chunk.size());
  }
}

}  // namespace fuzz
