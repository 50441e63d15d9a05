// SPDX-License-Identifier: MIT
// The composition of fingerprints. Every file contains the composition of its fingerprints. So fingerprints of
// different compositions are not compared by mistake.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../detail/compiled.hpp"
#include "../error.hpp"
#include "../fingerprint/hashers.hpp"
#include "../simhash.hpp"

namespace neardup::inline v0 {

/// The version of the definition of fingerprints (docs/fingerprint.md). A change of the library that alters the
/// fingerprint of any text increments the version, because the names of the parts stay the same.
inline constexpr unsigned fingerprint_definition = 4;

/// The composition of fingerprints: tokenizer, weighter, hasher and their tables. Two fingerprints are comparable only
/// if their compositions are equal.
///
/// composition_of() returns the composition of a simhasher or a minwise_hasher (composition_of.hpp). For fingerprints
/// of another program, set `kind`, and set at least one text member, such as `hasher`, to a name that only the
/// fingerprints of that program have. An empty member means that there is no such part or table.
/// Precondition: no member has a line break.
struct fingerprint_composition {
  fingerprint_kind kind = fingerprint_kind::simhash;
  unsigned definition = fingerprint_definition;
  std::string tokenizer = {};   ///< including normalisation, as in "normalised(shingles(2, words))"
  std::string weighter = {};    ///< as in "unit"
  std::string hasher = {};      ///< as in "xxh3"
  std::string seed = {};        ///< seed_identity() of the seed
  std::string dictionary = {};  ///< a checksum or name of the dictionary
  std::string model = {};       ///< a checksum or name of the model of unknown words
  std::string idf = {};         ///< a checksum or name of the IDF table
  std::string stop_words = {};  ///< a checksum or name of the stop words

  friend bool operator==(const fingerprint_composition&, const fingerprint_composition&) = default;
};

namespace detail {

/// Returns a number as 16 hexadecimal digits.
[[nodiscard]] inline std::string hex_of(std::uint64_t number) { return simhash<64>(number).to_hex(); }

struct composition_field {
  std::string_view name;
  std::string fingerprint_composition::*value;
};
inline constexpr std::array<composition_field, 8> composition_fields = {{
    {"tokenizer", &fingerprint_composition::tokenizer},
    {"weighter", &fingerprint_composition::weighter},
    {"hasher", &fingerprint_composition::hasher},
    {"seed", &fingerprint_composition::seed},
    {"dictionary", &fingerprint_composition::dictionary},
    {"model", &fingerprint_composition::model},
    {"idf", &fingerprint_composition::idf},
    {"stop words", &fingerprint_composition::stop_words},
}};

/// Parses text that to_string() has written.
/// Returns: nullopt for any other text.
NEARDUP_COLD std::optional<fingerprint_composition> parse_composition(std::string_view text);

}  // namespace detail

/// Returns a composition as lines "name: value". Empty members have no line.
/// Throws: std::invalid_argument if a member contains a line break, or if the number of the definition has more than 9
/// digits.
[[nodiscard]] NEARDUP_COLD std::string to_string(const fingerprint_composition& made_of);

/// Returns a checksum of a seed, which distinguishes seeds without revealing them. The checksum has 16 bits, as 4
/// hexadecimal digits. Two seeds have the same checksum with probability 1/65,536. 48 bits of a secret seed remain
/// unknown.
[[nodiscard]] inline std::string seed_identity(std::uint64_t seed) {
  return detail::hex_of(detail::mix(seed + detail::golden_ratio)).substr(12);
}

#if NEARDUP_BODIES

NEARDUP_INLINE std::string to_string(const fingerprint_composition& made_of) {
  if (made_of.definition > 999'999'999) {
    detail::fail<std::invalid_argument>("the definition of a composition has more than 9 digits");
  }
  std::string text("kind: ");
  text.append(to_string(made_of.kind)).append("\ndefinition: ");
  text.append(std::to_string(made_of.definition)).append("\n");
  for (const auto& field : detail::composition_fields) {
    const std::string& value = made_of.*field.value;
    if (value.empty()) continue;
    if (value.find('\n') != value.npos) {
      detail::fail<std::invalid_argument>({"the ", field.name, " of a composition holds a line break"});
    }
    text.append(field.name).append(": ").append(value).append("\n");
  }
  return text;
}

NEARDUP_INLINE std::optional<fingerprint_composition> detail::parse_composition(std::string_view text) {
  fingerprint_composition made_of;
  const auto next_value = [&text](std::string_view name) -> std::optional<std::string_view> {
    const std::size_t end = text.find('\n');
    if (end == text.npos || !text.starts_with(name) || text.substr(name.size(), 2) != ": ") return std::nullopt;
    const std::string_view value = text.substr(name.size() + 2, end - name.size() - 2);
    text.remove_prefix(end + 1);
    return value;
  };
  const auto kind = next_value("kind");
  if (kind == to_string(fingerprint_kind::minwise)) {
    made_of.kind = fingerprint_kind::minwise;
  } else if (kind != to_string(fingerprint_kind::simhash)) {
    return std::nullopt;
  }
  const auto definition = next_value("definition");
  if (!definition || definition->empty() || definition->size() > 9) return std::nullopt;
  made_of.definition = 0;
  for (const char c : *definition) {
    if (c < '0' || c > '9') return std::nullopt;
    made_of.definition = 10 * made_of.definition + static_cast<unsigned>(c - '0');
  }
  for (const auto& field : composition_fields) {
    if (const auto value = next_value(field.name)) made_of.*field.value = *value;
  }
  // Text remains if a field is repeated, out of order or unknown. Such a text is rejected, because this field would be
  // lost when the composition is written again.
  if (!text.empty()) return std::nullopt;
  return made_of;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
