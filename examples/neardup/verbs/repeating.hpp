// Passages of texts that stood before: --passages of unique.
#pragma once

#include <cstddef>
#include <string>

#include "../compare/context.hpp"

namespace command {

/// The passages that --passages removes.
struct passage_settings {
  std::size_t length = 0;  ///< in words, or in bytes
  bool are_bytes = false;
  std::size_t least_documents = 1;
};

/// Parses the value of --passages: N or bytes:N.
/// Throws: usage_error.
passage_settings parse_passages(const std::string& text);

/// Writes the input without passages that stood before, in the input or in --against.
void run_without_repeated(context& c, const passage_settings& how);

}  // namespace command
