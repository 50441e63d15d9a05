// The similarities against their formulas.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/sets/similarity.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/sets.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::jaccard_at_least;
using neardup::jaccard_similarity;
using neardup::weighted_cosine;

bool is_near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

TEST_CASE("jaccard is the common part", "[similarity]") {
  const std::vector<int> a{1, 2, 3, 4};
  const std::vector<int> b{3, 4, 5, 6};
  REQUIRE(jaccard_similarity(a, a) == 1.0);
  REQUIRE(jaccard_similarity(a, b) == 2.0 / 6.0);
  REQUIRE(jaccard_similarity(b, a) == 2.0 / 6.0);
  REQUIRE(jaccard_similarity(a, std::vector<int>{7}) == 0.0);
  REQUIRE(jaccard_similarity(a, std::vector<int>{}) == 0.0);
  REQUIRE(jaccard_similarity(std::vector<int>{}, a) == 0.0);
  REQUIRE(jaccard_similarity(std::vector<int>{}, std::vector<int>{}) == 0.0);
  REQUIRE(jaccard_similarity(std::span<const int>(a), std::span<const int>(b).first(1)) == 1.0 / 4.0);
  REQUIRE(jaccard_similarity(std::vector<std::string>{"a", "b"}, std::vector<std::string>{"b"}) == 0.5);
  using wide = std::array<std::uint64_t, 2>;
  REQUIRE(jaccard_similarity(std::vector<wide>{{0, 1}, {1, 0}}, std::vector<wide>{{1, 0}, {1, 1}}) == 1.0 / 3.0);
}

TEST_CASE("common elements of sets of hashes, by each instruction set", "[similarity][oracle]") {
  std::mt19937 engine(3 + oracle::seed_shift());
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (const auto level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    for (std::size_t round = 0; round < oracle::effort(20000, 1000); ++round) {
      // Elements of the two sets are often equal or consecutive. Some are 0 or the largest number.
      const std::uint32_t shift = random() % 31;
      const std::size_t sizes[2] = {random() % 70, random() % 70};
      std::set<std::uint32_t> sets[2];
      for (const std::size_t side : {0U, 1U}) {
        while (sets[side].size() < std::min<std::size_t>(sizes[side], std::size_t{1} << (31 - shift))) {
          const bool is_shared = random() % 4 != 0 && !sets[0].empty();
          sets[side].insert(is_shared
                                ? *std::next(sets[0].begin(), static_cast<std::ptrdiff_t>(random() % sets[0].size()))
                                : random() >> shift);
          if (random() % 64 == 0) sets[side].insert(random() % 2 == 0 ? 0 : 0xffffffffU);
          if (random() % 64 == 0) break;
        }
      }
      const std::vector<std::uint32_t> a(sets[0].begin(), sets[0].end());
      const std::vector<std::uint32_t> b(sets[1].begin(), sets[1].end());
      const bool is_any = !a.empty() || !b.empty();
      const double expected = is_any ? oracle::similarity_of(neardup::set_similarity::jaccard, a, b) : 0;
      CAPTURE(level, round, a.size(), b.size());
      REQUIRE(jaccard_similarity(a, b) == expected);
      for (const double threshold : {expected, 0.3, 0.8, expected + 1e-12}) {
        if (!(threshold > 0 && threshold <= 1)) continue;
        const auto found = jaccard_at_least(a, b, threshold);
        REQUIRE(found.has_value() == (expected >= threshold));
        REQUIRE(found.value_or(expected) == expected);
      }
    }
  }
}

TEST_CASE("common elements of a small set and one much larger", "[similarity][oracle]") {
  std::mt19937 random(8 + oracle::seed_shift());
  for (std::size_t round = 0; round < oracle::effort(4000, 400); ++round) {
    const std::uint32_t kinds = round % 2 == 0 ? 20000 : 0xffffffffU;
    const auto any = [&] { return static_cast<std::uint32_t>(random() % kinds); };
    std::set<std::uint32_t> many, few;
    const std::size_t size = 257 + random() % 6000;
    while (many.size() < size) many.insert(any());
    for (std::size_t i = random() % (2 + size / 256); i > 0; --i) {
      const bool is_shared = random() % 2 == 0;
      few.insert(is_shared ? *std::next(many.begin(), static_cast<std::ptrdiff_t>(random() % size)) : any());
    }
    // Sometimes the few elements include the first and the last of the many, and elements outside of them.
    if (random() % 4 == 0) few.insert({*many.begin(), *many.rbegin()});
    if (random() % 4 == 0) few.insert({0U, 0xffffffffU});
    const std::vector<std::uint32_t> a(few.begin(), few.end()), b(many.begin(), many.end());
    const std::size_t common = oracle::common_of(a, b);
    const std::span<const std::uint32_t> x(a), y(b);
    CAPTURE(round, a.size(), b.size());
    REQUIRE(neardup::detail::count_common_galloping(x, y, 0) == common);
    REQUIRE(neardup::detail::count_common(x, y, common) == common);
    REQUIRE(neardup::detail::count_common(y, x, common) == common);
    REQUIRE(neardup::detail::count_common(y, x, common + 1) <= common);
  }
}

TEST_CASE("jaccard of arrays and of spans of any kind", "[similarity]") {
  const std::array<int, 3> array{1, 2, 3};
  const int numbers[] = {2, 3, 4};
  std::vector<int> vector{3, 4, 5};
  const std::span<int> changeable(vector);
  const std::span<int, 2> fixed(vector.data(), 2);
  REQUIRE(jaccard_similarity(array, array) == 1.0);
  REQUIRE(jaccard_similarity(array, numbers) == 0.5);
  REQUIRE(jaccard_similarity(numbers, changeable) == 0.5);
  REQUIRE(jaccard_similarity(fixed, numbers) == 2.0 / 3.0);
  REQUIRE(jaccard_at_least(array, changeable, 0.2) == 0.2);
  REQUIRE(jaccard_at_least(fixed, numbers, 0.7) == std::nullopt);
}

TEST_CASE("jaccard of random sets", "[similarity]") {
  oracle::random_engine random(1);
  for (int round = 0; round < 2000; ++round) {
    std::set<std::uint64_t> a;
    std::set<std::uint64_t> b;
    const auto draw = [&](std::set<std::uint64_t>& set) {
      for (auto i = random() % 40; i > 0; --i) set.insert(random() % 50);
    };
    draw(a);
    draw(b);
    std::size_t common = 0;
    for (const std::uint64_t x : a) common += b.count(x);
    const std::size_t all = a.size() + b.size() - common;
    const double expected = all == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(all);
    const std::vector<std::uint64_t> sorted_a(a.begin(), a.end());
    const std::vector<std::uint64_t> sorted_b(b.begin(), b.end());
    REQUIRE(jaccard_similarity(sorted_a, sorted_b) == expected);
  }
}

TEST_CASE("jaccard of long sets, which share whole stretches or none", "[similarity]") {
  oracle::random_engine random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    std::size_t common = 0, all = 0;
    const auto kind = random() % 4;  // a has long stretches (0), b has (1), or none has
    for (std::uint32_t value = 0; value < 600; ++value) {
      const bool in_a = kind == 0 ? value % 97 < 60 : random() % (2 + kind) != 0;
      const bool in_b = kind == 1 ? value % 89 > 40 : random() % (2 + kind) != 0;
      if (in_a) a.push_back(value * 7919U);
      if (in_b) b.push_back(value * 7919U);
      common += in_a && in_b ? 1 : 0;
      all += in_a || in_b ? 1 : 0;
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const double expected = static_cast<double>(common) / static_cast<double>(all);
    REQUIRE(jaccard_similarity(a, b) == expected);
    REQUIRE(jaccard_similarity(b, a) == expected);
    for (const double threshold : {1e-300, 0.2, 0.5, 0.9, expected, std::nextafter(expected, 2.0)}) {
      if (!(threshold > 0 && threshold <= 1)) continue;
      const auto found = jaccard_at_least(a, b, threshold);
      REQUIRE(found.has_value() == (expected >= threshold));
      if (found) REQUIRE(*found == expected);
    }
  }
}

TEST_CASE("jaccard_at_least is the comparison, for every size and common part up to 40", "[similarity]") {
  for (int size_a = 0; size_a <= 40; ++size_a) {
    for (int size_b = 0; size_b <= 40; ++size_b) {
      for (int common = 0; common <= std::min(size_a, size_b); ++common) {
        std::vector<int> a(static_cast<std::size_t>(size_a));
        std::vector<int> b(static_cast<std::size_t>(size_b));
        std::iota(a.begin(), a.end(), 0);
        std::iota(b.begin(), b.end(), size_a - common);
        const double exact = jaccard_similarity(a, b);
        for (const double threshold : {exact, std::nextafter(exact, 2.0), std::nextafter(exact, -1.0), 1e-300, 0.3,
                                       1.0 / 3, 0.5, 0.7, 0.8, 0.9999, 1.0}) {
          if (!(threshold > 0 && threshold <= 1)) continue;
          const auto found = jaccard_at_least(a, b, threshold);
          if (found.has_value() != (exact >= threshold) || (found && *found != exact)) {
            FAIL(size_a << ", " << size_b << ", " << common << " at " << threshold);
          }
        }
      }
    }
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double threshold :
       {0.0, -0.0, 80.0, 1.5, -1.0, infinity, -infinity, std::nan(""), std::nextafter(1.0, 2.0)}) {
    CHECK_THROWS_AS(jaccard_at_least(std::vector<int>{1}, std::vector<int>{1}, threshold), std::invalid_argument);
  }
}

TEST_CASE("jaccard_at_least of large sizes agrees with the division", "[similarity]") {
  oracle::random_engine random(3);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t a = random() >> (12 + random() % 50), b = random() >> (12 + random() % 50);
    const double threshold = static_cast<double>(1 + random() % 1000) / 1000;
    const std::size_t least = neardup::detail::overlap_bounds{neardup::jaccard{threshold}}.least(a, b);
    const std::size_t most = std::min(a, b);
    if (least <= most) REQUIRE(neardup::detail::jaccard_of_sizes(a, b, least) >= threshold);
    if (least > 1) REQUIRE(neardup::detail::jaccard_of_sizes(a, b, least - 1) < threshold);
  }
}

namespace {

struct weighed {
  int hash;
  std::uint64_t units;
};

double plain_cosine(const std::map<int, double>& a, const std::map<int, double>& b) {
  double product = 0, square_a = 0, square_b = 0;
  for (const auto& [hash, weight] : a) {
    square_a += weight * weight;
    if (b.contains(hash)) product += weight * b.at(hash);
  }
  for (const auto& [hash, weight] : b) square_b += weight * weight;
  return square_a * square_b > 0 ? product / std::sqrt(square_a * square_b) : 0;
}

}  // namespace

TEST_CASE("cosine of weighted sets", "[similarity]") {
  const std::vector<weighed> none;
  const std::vector<weighed> a{{1, 256}, {2, 256}, {3, 256}, {4, 256}};
  const std::vector<weighed> b{{3, 512}, {4, 512}, {5, 512}, {6, 512}};
  REQUIRE(weighted_cosine(a, a) == 1.0);
  REQUIRE(is_near(weighted_cosine(a, b), 0.5));
  REQUIRE(weighted_cosine(a, none) == 0.0);
  REQUIRE(weighted_cosine(none, none) == 0.0);
  REQUIRE(weighted_cosine(a, std::vector<weighed>{{1, 0}}) == 0.0);
  const std::vector<weighed> heavy{{1, ~std::uint64_t{0}}, {2, ~std::uint64_t{0}}};
  REQUIRE(is_near(weighted_cosine(heavy, heavy), 1.0));
  oracle::random_engine random(4);
  for (int round = 0; round < 2000; ++round) {
    std::vector<weighed> sets[2];
    std::map<int, double> plain[2];
    for (int which = 0; which < 2; ++which) {
      for (int hash = 0; hash < 30; ++hash) {
        if (random() % 3 == 0) continue;
        const std::uint64_t units = random() % 5000;
        sets[which].push_back({hash, units});
        plain[which][hash] = static_cast<double>(units) / 256;
      }
    }
    REQUIRE(is_near(weighted_cosine(sets[0], sets[1]), plain_cosine(plain[0], plain[1])));
  }
}
