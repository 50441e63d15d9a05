// Fuzzes index files. Checksums are repaired first, so that mutations reach the code behind them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <neardup/index/engine/filter_scan.hpp>

#include "index_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Use the tables, although an index of so few fingerprints would be scanned.
  neardup::detail::forced_scanned_a_probe().store(1);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  support::repair_checksums(bytes);
  const support::aligned_copy copy(bytes);
  const fuzz::index_verdict verdict = fuzz::open_index(copy.bytes());
  if (verdict.difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", verdict.difference.c_str());
  std::abort();
}
