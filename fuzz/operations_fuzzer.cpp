// Fuzzes sequences of operations on indexes of all layouts, compared with a plain loop.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <neardup/simd/filters.hpp>

#include "index_operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Use the tables, although an index of so few fingerprints would be scanned.
  neardup::detail::forced_scanned_a_probe().store(1);
  const std::string difference = fuzz::difference_of_operations({reinterpret_cast<const char*>(data), size});
  if (difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}
