// The limits of the machine: cache lines per second at random addresses, in runs, and in order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup_bench {

/// 1 GiB of memory, far more than any cache, written once.
class large_area {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 30;
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t lines = bytes / line_bytes;

  /// Uses pages of 2 MiB if `huge_pages` is true, and otherwise pages of the usual size, if the system follows the
  /// advice.
  explicit large_area(bool huge_pages);
  ~large_area();
  large_area(const large_area&) = delete;
  large_area& operator=(const large_area&) = delete;

  /// Returns true if the system follows advice about page sizes.
  static bool has_advice();

  /// Reads `steps` lines at random addresses, in `in_flight` chains (1, 8, 16 or 64). Each read of a chain waits for
  /// the previous one.
  std::uint64_t read_lines(std::size_t in_flight, std::size_t steps) const;

  /// Reads `runs` runs of `length` consecutive lines each, at random addresses, eight runs at a time.
  std::uint64_t read_runs(std::size_t length, std::size_t runs) const;

  /// Reads all of the memory in order.
  std::uint64_t read_all() const;

 private:
  std::uint64_t* words_;
};

}  // namespace neardup_bench
