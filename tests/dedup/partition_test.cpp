// The radix partition against std::stable_sort.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neardup/detail/radix_partition.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"

namespace {

struct record {
  std::uint64_t key;
  std::uint32_t number;

  friend bool operator==(const record&, const record&) = default;
};

/// Records whose addresses are the highest `bits` bits of their keys: uniform keys or, if `skewed`, mostly equal ones.
std::vector<record> random_records(std::size_t count, bool skewed, oracle::random_engine& random) {
  std::vector<record> result;
  const std::uint64_t common = random();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t key = skewed && random() % 8 != 0 ? common : random();
    result.push_back({key, static_cast<std::uint32_t>(i)});
  }
  return result;
}

/// The highest `bits` bits of a record's key.
struct address_of {
  int bits;
  std::size_t operator()(const record& r) const {
    return bits == 0 ? std::size_t{0} : static_cast<std::size_t>(r.key >> (64 - bits));
  }
};

/// Requires that `found` are the records in the order of a stable sort by address, and `starts` the places of the buckets.
template <class Offset>
void require_sorted(std::vector<record> records, const address_of& address, const std::vector<record>& found,
                    const std::vector<Offset>& starts) {
  std::stable_sort(records.begin(), records.end(),
                   [&](const record& a, const record& b) { return address(a) < address(b); });
  REQUIRE((found == records));  // the comparison is in brackets so that Catch does not print a million records
  std::size_t position = 0;
  std::size_t wrong_starts = 0;
  for (std::size_t bucket = 0; bucket < starts.size(); ++bucket) {
    while (position < records.size() && address(records[position]) < bucket) ++position;
    if (starts[bucket] != position) ++wrong_starts;
  }
  REQUIRE(wrong_starts == 0);
}

template <class Offset, class Run>
void check(const std::vector<record>& records, int bits, neardup::detail::scratch_array<record>& scratch,
           const Run& run) {
  const address_of address{bits};
  std::vector<record> found(records.size());
  std::vector<Offset> starts((std::size_t{1} << bits) + 1, Offset{99});
  neardup::detail::radix_partition(
      records.size(), bits, [&](std::size_t i) { return records[i]; }, address,
      [&](std::size_t position, const record& r) { found[position] = r; }, std::span<Offset>(starts), scratch, run);
  CAPTURE(records.size(), bits, run.parts());
  require_sorted(records, address, found, starts);
}

/// Partitions the records as items of none to three records.
template <class Run>
void check_items(const std::vector<record>& records, int bits, const Run& run) {
  std::vector<std::size_t> begins{0};
  while (begins.back() < records.size()) {
    begins.push_back((std::min)(records.size(), begins.back() + begins.size() % 4));
  }
  const address_of address{bits};
  std::vector<record> found(records.size());
  std::vector<std::uint32_t> starts((std::size_t{1} << bits) + 1, 99U);
  neardup::detail::radix_partition_each(
      begins.size() - 1, bits,
      [&](std::size_t i, const auto& use) {
        for (std::size_t at = begins[i]; at < begins[i + 1]; ++at) use(records[at]);
      },
      address, std::span<record>(found), std::span<std::uint32_t>(starts), run);
  CAPTURE(records.size(), bits, run.parts());
  require_sorted(records, address, found, starts);
}

}  // namespace

TEST_CASE("a radix partition is a stable sort with the places of the buckets", "[partition]") {
  oracle::random_engine random(4);
  neardup::detail::scratch_array<record> scratch;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{999}, std::size_t{70000},
                                  oracle::effort(1000000, 300000, 5000)}) {
    for (const bool skewed : {false, true}) {
      const auto records = random_records(count, skewed, random);
      for (const int bits : {0, 1, 2, 7, 8, 9, 10, 11, 13, 16, 20}) {
        check<std::uint32_t>(records, bits, scratch, neardup::any_runner{});
        check<std::uint64_t>(records, bits, scratch, neardup::threads{3});
      }
    }
  }
}

TEST_CASE("a radix partition of items with several records is the same stable sort", "[partition]") {
  oracle::random_engine random(5);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{999}, std::size_t{70000}}) {
    for (const bool skewed : {false, true}) {
      const auto records = random_records(count, skewed, random);
      for (const int bits : {0, 1, 8, 9, 13, 20}) {
        check_items(records, bits, neardup::any_runner{});
        check_items(records, bits, neardup::threads{3});
      }
    }
  }
}
