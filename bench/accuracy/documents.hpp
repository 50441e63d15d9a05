// Labelled documents, read from JSON Lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace accuracy {

/// The label of documents that have none. Documents with the same label are versions of one text; one with `no_label`
/// matches no other.
inline constexpr std::uint32_t no_label = ~std::uint32_t{0};

struct documents {
  std::vector<std::string> texts;
  std::vector<std::uint32_t> labels;  ///< labels[i] is the label of texts[i]
  bool labelled = false;              ///< whether any document has a label

  [[nodiscard]] bool same_label(std::size_t a, std::size_t b) const {
    return labels[a] == labels[b] && labels[a] != no_label;
  }
};

/// Reads lines `{"id": ..., "text": "...", "cluster": ...}` from a file, or from standard input ("-"): the first
/// `limit` documents, or all if it is 0. A cluster that is null or missing gives no label.
/// Throws: std::runtime_error with a message that begins with "file:line: ".
documents read_documents(const std::string& path, std::size_t limit);

/// The number of pairs of equal values; values equal to `ignored` are in no pair.
template <class Value>
std::uint64_t count_equal_pairs(std::vector<Value> values, const Value& ignored);

}  // namespace accuracy

template <class Value>
std::uint64_t accuracy::count_equal_pairs(std::vector<Value> values, const Value& ignored) {
  std::sort(values.begin(), values.end());
  std::uint64_t pairs = 0;
  for (auto first = values.begin(); first != values.end();) {
    const auto last = std::upper_bound(first, values.end(), *first);
    const auto size = static_cast<std::uint64_t>(last - first);
    if (*first != ignored) pairs += size * (size - 1) / 2;
    first = last;
  }
  return pairs;
}
