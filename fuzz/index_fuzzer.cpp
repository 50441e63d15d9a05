// Fuzzes index files. Checksums are repaired first, so that mutations reach the code behind them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <neardup/simd/filters.hpp>

#include "index_bytes.hpp"
#include "oracle/effort.hpp"

namespace {

/// Opens bytes as the type that their header names, one of a few.
fuzz::index_verdict open_index(std::span<const std::byte> bytes) {
  using neardup::index_view;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return fuzz::visit_named_view<index_view<128> NEARDUP_UNLESS_SAMPLE(index_view<16>, index_view<64, std::uint64_t>),
                                index_view<64>>(text, [&]<class View>() { return fuzz::open_as<View>(bytes); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Use the tables, although an index of so few fingerprints would be scanned.
  neardup::detail::forced_scanned_a_probe().store(1);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  support::repair_checksums(bytes);
  const support::aligned_copy copy(bytes);
  const fuzz::index_verdict verdict = open_index(copy.bytes());
  if (verdict.difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", verdict.difference.c_str());
  std::abort();
}
