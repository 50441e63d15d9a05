// Exact search and join of wide codes. The layout of the tables is data, so that one engine serves all widths.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../describe/wide_codes.hpp"

namespace command {

/// Finds the codes within a distance, by the pigeonhole principle: if a code is cut into blocks with radii r_i, and
/// sum(r_i + 1) = distance + 1, each code within the distance differs in at most r_i bits in some block i. A table for
/// each block has the codes by the value of the block. A search compares with all codes instead if the tables would
/// take longer, because the codes are few, the distance is large, or many codes have equal blocks.
/// Memory: in each table 4 bytes for each code and for each bucket.
/// Thread safety: may be searched from any thread.
class code_index {
 public:
  /// Makes an index of the codes with these numbers, which ascend. `codes` and `numbers` must outlive it. `searches`:
  /// the expected number of searches, which decides whether tables are worth their time.
  code_index(const wide_codes& codes, std::span<const std::uint32_t> numbers, int distance, std::size_t searches);

  /// Calls `visit(number, distance)` once for each code that is within `k` bits of `code` and has a number below `end`.
  /// The order of the calls is not specified.
  /// Precondition: k is at most the distance of the index.
  void for_each(wide_code code, int k, std::uint32_t end,
                const std::function<void(std::uint32_t number, int distance)>& visit) const;

  /// Returns the number of tables; 0 if searches compare with all codes.
  [[nodiscard]] std::size_t tables() const noexcept { return tables_.size(); }

 private:
  /// A block of bits, and the codes by its value.
  struct table {
    std::size_t begin, width;  // in bits
    int radius;
    std::vector<std::uint32_t> starts;  // begin of each bucket in `places`
    std::vector<std::uint32_t> places;  // positions in numbers_, ascending in each bucket
  };

  /// Returns the bucket of a code: the value of the block, or, of a block that is wider than the number of a bucket,
  /// a hash of its value.
  [[nodiscard]] std::size_t bucket_of(const table& in, std::span<const std::uint64_t> words) const;
  void plan(int distance, std::size_t searches);
  void fill(table& in) const;

  const wide_codes& codes_;
  std::span<const std::uint32_t> numbers_;
  std::size_t bucket_bits_ = 0;
  std::vector<table> tables_;
};

using code_pair_visitor = std::function<void(std::uint32_t a, std::uint32_t b, int distance)>;

/// Calls `visit(a, b, distance)` once for each code of `some` and each code of `others` within `distance` bits. `a` and
/// `b` are numbers of codes, and each list of numbers ascends.
void visit_code_pairs(const wide_codes& codes, std::span<const std::uint32_t> some, const wide_codes& other_codes,
                      std::span<const std::uint32_t> others, int distance, unsigned threads,
                      const code_pair_visitor& visit);

/// Calls `visit(a, b, distance)`, with a < b, once for each two codes of `some` within `distance` bits.
void visit_code_pairs(const wide_codes& codes, std::span<const std::uint32_t> some, int distance, unsigned threads,
                      const code_pair_visitor& visit);

}  // namespace command
