// Labelled documents, read from JSON Lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace accuracy {

/// The label of documents without a label. Documents with the same label are versions of one text. A document with
/// `no_label` matches no other document.
inline constexpr std::uint32_t no_label = ~std::uint32_t{0};

struct documents {
  std::vector<std::string> texts;
  std::vector<std::uint32_t> labels;  ///< labels[i] is the label of texts[i]
  bool labelled = false;              ///< true if any document has a label

  [[nodiscard]] bool same_label(std::size_t a, std::size_t b) const {
    return labels[a] == labels[b] && labels[a] != no_label;
  }
};

/// Reads lines `{"id": ..., "text": "...", "cluster": ...}` from a file, or from standard input ("-"). Reads at most
/// `limit` documents, or all if `limit` is 0. If the cluster is null or missing, the document has no label.
/// Throws: std::runtime_error with a message that begins with "file:line: ".
documents read_documents(const std::string& path, std::size_t limit);

/// Returns the number of pairs of equal values. A value that equals `ignored` is in no pair.
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
