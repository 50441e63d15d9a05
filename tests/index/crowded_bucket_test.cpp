// The limit of one bucket of a table: exceeding it is an error and changes nothing.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <neardup/index/engine/bucket_table.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"

TEST_CASE("a bucket that is full says so", "[index][errors]") {
  constexpr std::size_t most = (std::size_t{1} << 26) - 1;
  if (oracle::effort(1, 0) == 0) return;  // 67 million pushes
  neardup::detail::bucket_segment<std::uint32_t> segment(false);
  segment.make_buckets(1, 0);
  for (std::size_t i = 0; i < most; ++i) {
    segment.prepare(0);
    segment.push(0, i, i);
  }
  CHECK_THROWS_AS(segment.prepare(0), std::length_error);
  REQUIRE(segment.view(0).count == most);
  REQUIRE(segment.view(0).slots[most - 1] == most - 1);
  segment.erase(0, most - 1);
  segment.prepare(0);
  segment.push(0, 0, 7);
  REQUIRE(segment.view(0).count == most);
}
