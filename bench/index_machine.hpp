// The bounds of the machine: lines of memory a second at random places, in runs, and in order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup_bench {

/// 1 GB of memory, far more than any cache, written once.
class large_area {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 30;
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t lines = bytes / line_bytes;

  /// On pages of 2 MiB, or of the usual size where the machine takes the advice.
  explicit large_area(bool huge_pages);
  ~large_area();
  large_area(const large_area&) = delete;
  large_area& operator=(const large_area&) = delete;

  /// Whether the machine takes advice about pages.
  static bool has_advice();

  /// Reads `steps` lines at random places with `in_flight` chains, each of which waits for its last line.
  /// in_flight: 1, 8, 16 or 64.
  std::uint64_t read_lines(std::size_t in_flight, std::size_t steps) const;

  /// Reads `runs` runs of `length` consecutive lines each, at random places, eight at a time.
  std::uint64_t read_runs(std::size_t length, std::size_t runs) const;

  /// Reads everything in order.
  std::uint64_t read_all() const;

 private:
  std::uint64_t* words_;
};

}  // namespace neardup_bench
