// SPDX-License-Identifier: MIT
// Formats fingerprints with std::format, if the standard library has <format>. No umbrella header includes this header.
#pragma once

#include <cstddef>
#include <version>

#include "simhash.hpp"

#if defined(__cpp_lib_format)
#include <format>
#include <string>

namespace neardup::inline v0::detail {

struct fingerprint_formatter : std::formatter<std::string> {
  auto format(const auto& fingerprint, auto& context) const {
    return std::formatter<std::string>::format(fingerprint.to_hex(), context);
  }
};

}  // namespace neardup::inline v0::detail

/// Formats the hexadecimal digits of to_hex(). The options are the same as for a string: width, fill and alignment.
/// Example: `std::println("{}", *hash(text));`
template <std::size_t Bits>
struct std::formatter<neardup::simhash<Bits>> : neardup::detail::fingerprint_formatter {};
template <std::size_t Bits>
struct std::formatter<neardup::minwise<Bits>> : neardup::detail::fingerprint_formatter {};
#endif
