// Bytes as an index, with checksums that are right: mutations reach what lies behind them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <neardup/index/engine/filter_scan.hpp>

#include "index_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Through tables, where an index of few fingerprints would rather scan.
  neardup::detail::forced_scanned_a_probe().store(1);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  support::repair_checksums(bytes);
  const support::aligned_copy copy(bytes);
  const fuzz::index_verdict verdict = fuzz::open_index(copy.bytes());
  if (verdict.difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", verdict.difference.c_str());
  std::abort();
}
