// A page with random decisions of `unique`, for a person to read.
#pragma once

#include "../compare/corpus.hpp"

namespace command {

/// Writes so many decisions, in an order of their own that the seed decides: half of them documents that were dropped,
/// each beside the one that stands for it; the others documents that were kept, each beside the one that it is most
/// similar to among those that are nearly similar enough. Of the former there are more where there are fewer of the
/// latter, and the other way round. The texts are read again.
/// Precondition: the corpus keeps names and places.
void write_audit(context& c, output& out, const corpus& all, const std::vector<std::uint32_t>& label,
                 std::size_t count);

}  // namespace command
