// Parses arbitrary bytes as the tables that users supply; the first byte chooses the kind of table.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint/idf_table.hpp>
#include <neardup/storage/composition.hpp>
#include <neardup/storage/fingerprint_list.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <neardup/text/chinese/dictionary.hpp>

#include "support/hostile_bytes.hpp"

namespace fuzz {

inline std::string difference_of_idf(std::string_view text) {
  const neardup::idf_table table = neardup::idf_table::parse(text);
  std::string written;
  try {
    written = table.to_text();
  } catch (const std::runtime_error&) {
    return "";  // A term that no line can hold, such as an empty one.
  }
  return neardup::idf_table::parse(written) == table ? "" : "an idf table reads back otherwise";
}

inline std::string difference_of_dictionary(std::string_view text) {
  auto words = std::make_shared<const neardup::word_dictionary>(neardup::word_dictionary::parse(text));
  // Tokenizes the text itself, so that every byte of it is looked up.
  std::size_t tokens = 0;
  neardup::chinese_words(std::move(words))(text.substr(0, 500),
                                           [&](std::string_view token) { tokens += token.empty() ? 0 : 1; });
  return "";
}

inline std::string difference_of_list(std::string_view text) {
  std::string bytes(text);
  support::repair_checksums(bytes);
  const support::aligned_copy copy(bytes);
  const neardup::fingerprint_list<64> list(copy.bytes());
  std::vector<neardup::fingerprint_list<64>::value_type> entries;
  for (std::size_t i = 0; i < list.size(); ++i) entries.push_back(list[i]);
  try {
    list.verify();
  } catch (const std::runtime_error&) {
    return "";
  }
  std::string written;
  neardup::save_list<64>([&](std::string_view piece) { written += piece; }, entries, list.made_of());
  return written == bytes ? "" : "a list is written otherwise";
}

inline std::string difference_of_composition(std::string_view text) {
  const auto made_of = neardup::detail::parse_composition(text);
  if (!made_of) return "";
  const auto again = neardup::detail::parse_composition(to_string(*made_of));
  return again == made_of ? "" : "a composition reads back otherwise";
}

/// Returns: what is wrong with the library, or an empty string.
inline std::string difference_of_tables(std::string_view input) {
  if (input.empty()) return "";
  const std::string_view text = input.substr(1);
  try {
    switch (static_cast<unsigned char>(input[0]) % 4) {
      case 0: return difference_of_idf(text);
      case 1: return difference_of_dictionary(text);
      case 2: return difference_of_list(text);
      default: return difference_of_composition(text);
    }
  } catch (const std::runtime_error&) {
    return "";  // The table is refused, which is allowed.
  }
}

}  // namespace fuzz
