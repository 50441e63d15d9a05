// Writes a page with random decisions of `unique`, so that a person can review the decisions.
#pragma once

#include "../compare/corpus.hpp"

namespace command {

/// Writes `count` random decisions. Their order depends on the seed. Half of them are dropped documents, each of which
/// is shown beside its representative. The other half are kept documents, each of which is shown beside the most
/// similar of the nearly similar documents. If one half has too few decisions, the other half has more. This function
/// reads texts again.
/// Precondition: the corpus keeps names and positions.
void write_audit(context& c, output& out, const corpus& all, const std::vector<std::uint32_t>& label,
                 std::size_t count);

}  // namespace command
