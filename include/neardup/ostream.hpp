// SPDX-License-Identifier: MIT
// Writes fingerprints to streams, for example in the failure messages of tests. No umbrella header includes this
// header, because the library itself needs no streams.
#pragma once

#include <cstddef>
#include <ostream>

#include "simhash.hpp"

namespace neardup::inline v0 {

/// Writes the hexadecimal digits of to_hex().
/// Example: `std::cout << *hash(text) << '\n';`
template <class Self, std::size_t Bits>
std::ostream& operator<<(std::ostream& out, const fingerprint_bits<Self, Bits>& fingerprint) {
  return out << fingerprint.to_hex();
}

}  // namespace neardup::inline v0
