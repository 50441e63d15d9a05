// Exact search and join of wide codes. The layout of the tables is chosen at run time, so one engine serves all widths.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../describe/wide_codes.hpp"

namespace command {

/// Finds the codes within a distance, by the pigeonhole principle. A code is cut into blocks with radii r_i, where
/// sum(r_i + 1) = distance + 1. Two codes within the distance differ in at most r_i bits in at least one block i. There
/// is a table for each block. A table has the codes, ordered by the value of the block. If there are few codes, the
/// distance is large, or many codes have equal blocks, tables would take more time than they save. The index then has
/// no tables, and a search compares with all codes.
/// Memory: in each table, 4 bytes for each code and 4 bytes for each bucket.
/// Thread safety: several threads may search at once.
class code_index {
 public:
  /// Makes an index of the codes with the numbers in `numbers`, which ascend. `codes` and `numbers` must outlive the
  /// index. `searches`: the expected number of searches, which decides whether tables are made.
  code_index(const wide_codes& codes, std::span<const std::uint32_t> numbers, int distance, std::size_t searches);

  /// Calls `visit(number, distance)` once for each code that is within `k` bits of `code` and has a number below `end`.
  /// The order of the calls is not specified.
  /// Precondition: k is at most the distance of the index.
  void for_each(wide_code code, int k, std::uint32_t end,
                const std::function<void(std::uint32_t number, int distance)>& visit) const;

  /// Returns the number of tables, or 0 if searches compare with all codes.
  [[nodiscard]] std::size_t tables() const noexcept { return tables_.size(); }

 private:
  struct table {
    std::size_t begin, width;  // in bits
    int radius;
    std::vector<std::uint32_t> starts;  // beginning of each bucket in `places`
    std::vector<std::uint32_t> places;  // positions in numbers_, ascending in each bucket
  };

  /// Returns the bucket of a code: the value of the block or, if the block has more bits than a bucket number, a hash
  /// of this value.
  [[nodiscard]] std::size_t bucket_of(const table& in, std::span<const std::uint64_t> words) const;
  void plan(int distance, std::size_t searches);
  void fill(table& in) const;

  const wide_codes& codes_;
  std::span<const std::uint32_t> numbers_;
  std::size_t bucket_bits_ = 0;
  std::vector<table> tables_;
};

using code_pair_visitor = std::function<void(std::uint32_t a, std::uint32_t b, int distance)>;

/// Calls `visit(a, b, distance)` once for each pair within `distance` bits: code a of `codes`, and code b of
/// `other_codes`. `some` and `others`: the numbers of the codes that are compared, ascending.
void visit_code_pairs(const wide_codes& codes, std::span<const std::uint32_t> some, const wide_codes& other_codes,
                      std::span<const std::uint32_t> others, int distance, unsigned threads,
                      const code_pair_visitor& visit);

/// Calls `visit(a, b, distance)`, with a < b, once for each pair of codes in `some` within `distance` bits.
void visit_code_pairs(const wide_codes& codes, std::span<const std::uint32_t> some, int distance, unsigned threads,
                      const code_pair_visitor& visit);

}  // namespace command
