#include "skew.hpp"

#include <algorithm>
#include <cmath>
#include <neardup/index/layout.hpp>
#include <string_view>
#include <unordered_set>

namespace accuracy {

std::vector<table_skew> measure_skew(const fingerprints& prints, const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> words;
  std::unordered_set<std::string_view> seen;
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    if (prints.has(i) && seen.insert(texts[i]).second) words.push_back(prints.first_word(i));
  }
  const auto count = static_cast<double>(words.size());

  std::vector<table_skew> result;
  std::vector<std::uint64_t> keys(words.size());
  for (const int blocks : {4, 5}) {
    const neardup::layout shape(64, 3, blocks);
    for (std::size_t table = 0; table < shape.table_count(); ++table) {
      table_skew& skew = result.emplace_back();
      skew.blocks = blocks;
      for (const std::size_t block : shape.table_blocks(table)) skew.keyed_on.push_back(static_cast<int>(block));
      skew.key_bits = static_cast<int>(shape.key_width(table));
      skew.uniform = count > 0 ? 1 + (count - 1) * std::ldexp(1, -skew.key_bits) : 0;

      const std::uint64_t mask = shape.table_mask(table)[0];
      std::transform(words.begin(), words.end(), keys.begin(), [mask](std::uint64_t word) { return word & mask; });
      std::sort(keys.begin(), keys.end());
      double squares = 0;
      for (auto first = keys.begin(); first != keys.end();) {
        const auto last = std::upper_bound(first, keys.end(), *first);
        const auto size = static_cast<std::uint64_t>(last - first);
        skew.largest = (std::max)(skew.largest, size);
        squares += static_cast<double>(size) * static_cast<double>(size);
        first = last;
      }
      skew.scanned = count > 0 ? squares / count : 0;
    }
  }
  return result;
}

}  // namespace accuracy
