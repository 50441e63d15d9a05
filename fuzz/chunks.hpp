// Cuts a text as an input of the fuzzers says.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace fuzz {

/// Calls `visit(chunk)` with chunks of these sizes in turn; one of them may be 0, and if both are, the text is whole.
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
