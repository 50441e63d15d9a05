// Compares the estimated costs of layouts with brute-force counts, and with plain sums.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/index/cost.hpp>
#include <neardup/index/layout.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"

namespace {

using neardup::costs_of;
using neardup::expected_costs;
using neardup::fastest_blocks;
using neardup::layout;
using neardup::leanest_blocks;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Calls visit(k, blocks) for every layout of `bits` bits up to `largest_k` and `most_blocks`.
template <class Visit>
void for_each_layout(std::size_t bits, int largest_k, int most_blocks, const Visit& visit) {
  for (int k = 0; k <= largest_k; ++k) {
    for (int blocks = 1; blocks <= most_blocks; ++blocks) {
      if (layout::is_valid(bits, k, blocks)) visit(k, blocks);
    }
  }
}

/// Pascal's triangle.
long double binomial(std::size_t total, std::size_t chosen) {
  std::vector<long double> row{1};
  for (std::size_t n = 1; n <= total; ++n) {
    row.push_back(1);
    for (std::size_t i = n - 1; i > 0; --i) row[i] += row[i - 1];
  }
  return chosen <= total ? row[chosen] : 0;
}

struct plain_costs {
  long double tables = 0, probes = 0, candidates = 0, bytes = 0;
};

/// Returns the share of entries that do not fit into their line, if lines have 7 entries on average. A line of 11 to 14
/// entries keeps ten of them, a larger line keeps nine.
long double overflow_of_lines() {
  long double chance = std::exp(-7.0L), sum = 0;
  for (int entries = 1; entries <= 100; ++entries) {
    chance *= 7.0L / entries;
    if (entries > 10) sum += chance * (entries - (entries < 15 ? 10 : 9));
  }
  return std::round(sum / 7 * 1e4L) / 1e4L;
}

/// Computes the costs as the articles do, but with the true widths of the blocks, which differ by at most 1. If blocks
/// > k, there is a table for each choice of blocks - k blocks. Otherwise there is a table for each block, and the k
/// flips are divided among the blocks.
plain_costs plainly(int bits, int k, int blocks, long double count) {
  plain_costs result;
  std::vector<int> widths;
  for (int i = 0; i < blocks; ++i) widths.push_back(bits / blocks + (i < bits % blocks ? 1 : 0));
  const long double number = count < 4294967296.0L ? 4 : 8;
  const auto add = [&](int width, int radius) {
    const bool is_first = result.tables == 0;
    long double ways = 0;
    for (int i = 0; i <= radius && i <= width; ++i) {
      ways += binomial(static_cast<std::size_t>(width), static_cast<std::size_t>(i));
    }
    result.tables += 1;
    result.probes += ways;
    result.candidates += ways * count / std::pow(2.0L, width);
    // Lines apply where the key space has at least two keys per line; a line has seven entries.
    const long double lines = std::pow(2.0L, std::floor(std::log2(std::floor(count / 7) + 1)) + 1);
    if (!is_first && k <= 3 && blocks > k && count >= std::pow(2.0L, 17) && count <= std::pow(2.0L, 28) &&
        std::pow(2.0L, width) >= 2 * lines) {
      result.bytes += 64 / 7.0L + 8 * overflow_of_lines();
      return;
    }
    result.bytes += is_first ? (bits > 64 ? 16 : 8) + 4 : (k <= 8 ? 4 : 8) + number;
    result.bytes += number * std::min(std::pow(2.0L, width), std::max(count / 4, 1.0L)) / count;
  };
  if (blocks <= k) {
    for (int i = 0; i < blocks; ++i) add(widths[static_cast<std::size_t>(i)], (k + 1 + blocks - 1 - i) / blocks - 1);
    return result;
  }
  for (std::uint32_t chosen = 0; chosen < std::uint32_t{1} << blocks; ++chosen) {
    if (std::popcount(chosen) != blocks - k) continue;
    int width = 0;
    for (int i = 0; i < blocks; ++i) {
      if ((chosen >> i & 1) != 0) width += widths[static_cast<std::size_t>(i)];
    }
    add(width, 0);
  }
  return result;
}

/// Whether `call` throws std::invalid_argument with `named` in its message.
template <class Call>
bool refuses(const std::string& named, const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const std::invalid_argument& error) {
    return std::string(error.what()).find(named) != std::string::npos;
  }
  return false;
}

std::string rounded(double value, int digits = 0) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  std::string result = text;
  const std::size_t end = std::min(result.find('.'), result.size());
  for (std::size_t i = end; i > 3; i -= 3) result.insert(i - 3, ",");
  return result;
}

/// Formats a number with as many digits as are significant.
std::string figure(double value) {
  if (value < 0.00005) return "0";
  const bool is_whole = value == std::floor(value);
  return rounded(value, is_whole ? 0 : value < 0.0095 ? 4 : value < 0.095 ? 3 : value < 9.95 ? 1 : 0);
}

std::string row(std::initializer_list<std::string> cells) {
  std::string result = "|";
  for (const std::string& cell : cells) result += " " + cell + " |";
  return result;
}

/// Returns the candidates as the articles compute them, with the average key length for all keys.
std::string averaged(int bits, int k, int blocks, double count) {
  return figure(costs_of(layout(64, k, blocks), count).probes * count /
                std::exp2(static_cast<double>(bits) / blocks * std::max(1, blocks - k)));
}

/// The distinct key widths of a layout, as in "25, 26".
std::string key_widths(const layout& shape) {
  std::set<std::size_t> widths;
  for (std::size_t table = 0; table < shape.table_count(); ++table) widths.insert(shape.key_width(table));
  std::string result;
  for (const std::size_t width : widths) result += (result.empty() ? "" : ", ") + std::to_string(width);
  return result;
}

/// The first table of docs/cost.md: k = 3, every figure by plain arithmetic.
std::vector<std::string> article_rows() {
  std::vector<std::string> rows;
  for (int blocks = 2; blocks <= 7; ++blocks) {
    const auto at = [&](double count) {
      return figure(static_cast<double>(plainly(64, 3, blocks, static_cast<long double>(count)).candidates));
    };
    const plain_costs plain = plainly(64, 3, blocks, 1e10L);
    rows.push_back(
        row({std::to_string(blocks), figure(static_cast<double>(plain.tables)), key_widths(layout(64, 3, blocks)),
             figure(static_cast<double>(plain.probes)), at(1e8), at(1e9), at(1e10), at(0x1p34),
             averaged(64, 3, blocks, 0x1p34), rounded(static_cast<double>(plain.bytes))}));
  }
  return rows;
}

/// Returns the rows of the second table: the block counts that fastest_blocks and leanest_blocks choose. The figures
/// are by plain arithmetic.
std::vector<std::string> choice_rows() {
  std::vector<std::string> rows;
  for (const int k : {3, 10}) {
    for (const double count : {1e6, 1e8, 1e10}) {
      const auto cells = [&](const expected_costs& chosen) {
        const plain_costs plain = plainly(64, k, chosen.blocks, static_cast<long double>(count));
        return std::to_string(chosen.blocks) + " | " + figure(static_cast<double>(plain.tables)) + " | " +
               figure(static_cast<double>(plain.probes)) + " | " + figure(static_cast<double>(plain.candidates)) +
               " | " + rounded(static_cast<double>(plain.bytes));
      };
      char text[32];
      std::snprintf(text, sizeof text, "10^%d", static_cast<int>(std::log10(count) + 0.5));
      rows.push_back(
          row({std::to_string(k), text, cells(fastest_blocks(64, k, count)), cells(leanest_blocks(64, k, count))}));
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("expected probes and candidates are those counted among all fingerprints", "[index][blocks]") {
  std::size_t tried = 0;
  for (const std::size_t bits : {std::size_t{7}, std::size_t{10}, oracle::effort(13, 11)}) {
    for_each_layout(bits, 7, 8, [&](int largest, int blocks) {
      const layout shape(bits, largest, blocks);
      for (int k = 0; k <= largest; ++k) {
        CAPTURE(bits, largest, blocks, k);
        const std::uint64_t query = 0x5a5a5a5a5a5a5a5aU & ((std::uint64_t{1} << bits) - 1);
        double probes = 0;
        double candidates = 0;
        for (const auto& probe : shape.plan(k)) {
          const std::uint64_t mask = shape.table_mask(probe.table)[0];
          for (std::uint64_t x = 0; x < std::uint64_t{1} << bits; ++x) {
            if (std::popcount((x ^ query) & mask) > probe.radius) continue;
            ++candidates;
            if ((x & ~mask) == 0) ++probes;  // x is one of the keys that share the probed bits.
          }
        }
        ++tried;
        const double count = std::ldexp(1.0, static_cast<int>(bits));
        const expected_costs costs = costs_of(shape, count, k);
        REQUIRE(costs.probes == probes);
        REQUIRE(costs.candidates == candidates);
        REQUIRE(costs_of(shape, 3.5 * count, k).candidates == 3.5 * candidates);
        REQUIRE(costs.compared >= (std::min)(candidates, count));
        REQUIRE(costs.blocks == blocks);
        REQUIRE(costs.tables == shape.table_count());
      }
    });
  }
  std::printf("blocks: %zu searches counted among all fingerprints\n", tried);
}

TEST_CASE("expected candidates are the mean of those counted among random fingerprints", "[index][blocks]") {
  std::uint64_t state = 1;
  const auto random = [&] {
    state += 0x9e3779b97f4a7c15U;
    return neardup::detail::mix(state);
  };
  constexpr std::size_t stored = 1000, queries = 1000;
  std::vector<std::uint64_t> fingerprints(stored);
  for (std::uint64_t& x : fingerprints) x = random();
  for (const auto& [k, blocks] : {std::pair{3, 4}, {3, 8}, {3, 3}, {8, 5}, {12, 4}, {1, 10}}) {
    CAPTURE(k, blocks);
    const layout shape(64, k, blocks);
    double candidates = 0;
    for (std::size_t i = 0; i < queries; ++i) {
      const std::uint64_t query = random();
      for (const auto& probe : shape.plan(k)) {
        const std::uint64_t mask = shape.table_mask(probe.table)[0];
        for (const std::uint64_t x : fingerprints) candidates += std::popcount((x ^ query) & mask) <= probe.radius;
      }
    }
    const double expected = static_cast<double>(queries) * costs_of(shape, stored, k).candidates;
    // The count is nearly Poisson distributed. Tables with common blocks find the same fingerprints, so the bound is
    // six standard deviations.
    REQUIRE(std::abs(candidates - expected) <= 6 * std::sqrt(expected) + 6);
  }
}

TEST_CASE("costs are the plain sums over tables", "[index][blocks]") {
  std::size_t tried = 0;
  for (const int bits : {32, 64, 128}) {
    for_each_layout(static_cast<std::size_t>(bits), 16, 16, [&](int k, int blocks) {
      for (const double count : {1e3, 1e6, 1e7, 1e9, 1e10, 0x1p34, 1e15}) {
        CAPTURE(bits, k, blocks, count);
        const plain_costs plain = plainly(bits, k, blocks, static_cast<long double>(count));
        const expected_costs costs = costs_of(layout(static_cast<std::size_t>(bits), k, blocks), count);
        REQUIRE(costs.tables == static_cast<std::size_t>(plain.tables));
        // Documented: a search within the layout's own k probes all tables, unless fewer tables with longer parts
        // suffice.
        if (blocks <= k || k == 0 || costs.probes == static_cast<double>(plain.tables)) {
          REQUIRE(costs.probes == Approx(static_cast<double>(plain.probes)).epsilon(1e-12));
          REQUIRE(costs.candidates == Approx(static_cast<double>(plain.candidates)).epsilon(1e-12));
        }
        REQUIRE(costs.probes <= static_cast<double>(plain.probes) * (1 + 1e-12));
        REQUIRE(costs.bytes == Approx(static_cast<double>(plain.bytes)).epsilon(1e-12));
        ++tried;
      }
    });
  }
  std::printf("blocks: %zu plain sums\n", tried);
}

TEST_CASE("the sums that the articles round", "[index][blocks]") {
  // Manku, Jain, Das Sarma, section 3: at most 2^18 candidates a probe with 4 tables, 512 with 10 tables, 8 with 20
  // tables.
  REQUIRE(costs_of(layout(64, 3, 4), 0x1p34).candidates == 4 * 0x1p18);
  REQUIRE(costs_of(layout(64, 3, 5), 0x1p34).candidates == 6 * 256 + 4 * 512);
  REQUIRE(costs_of(layout(64, 3, 6), 0x1p34).candidates == 4 * 2 + 12 * 4 + 4 * 8);
  REQUIRE(costs_of(layout(64, 3, 2), 0x1p34).candidates == 2 * 33 * 4);
  REQUIRE(costs_of(layout(64, 3, 5), 0x1p34).probes == 10);
  REQUIRE(costs_of(layout(64, 3, 5), 0x1p34).tables == 10);
  REQUIRE(costs_of(layout(64, 3, 5), 0x1p34, 1).probes == 2);
}

TEST_CASE("costs are constant expressions", "[index][blocks]") {
  static_assert(costs_of(layout(64, 3, 5), 0x1p34).candidates == 3584);
  static_assert(neardup::scan_seconds(64, 0) == neardup::detail::cost_model{}.query_seconds);
  SUCCEED();
}

TEST_CASE("fastest_blocks and leanest_blocks choose from all block counts", "[index][blocks]") {
  for (const std::size_t bits : {std::size_t{16}, oracle::effort(64, 24), oracle::effort(128, 32)}) {
    for (const int k : {0, 1, 3, 6, 8, 9, 12, 15}) {
      for (const double count : {0.0, 1.0, 1e3, 1e6, 1e8, 1e10, 1e12}) {
        CAPTURE(bits, k, count);
        std::vector<expected_costs> all;
        for (int blocks = 1; blocks <= static_cast<int>(bits); ++blocks) {
          if (layout::is_valid(bits, k, blocks)) all.push_back(costs_of(layout(bits, k, blocks), count));
        }
        const auto least = [&](auto value, auto accept) {
          double result = infinity;
          for (const expected_costs& costs : all) {
            if (accept(costs)) result = std::min(result, costs.*value);
          }
          return result;
        };
        const auto any = [](const expected_costs&) { return true; };
        const double least_bytes = least(&expected_costs::bytes, any);
        const double least_seconds = least(&expected_costs::seconds, any);
        const expected_costs fastest = fastest_blocks(bits, k, count);
        REQUIRE(fastest.seconds == least_seconds);
        REQUIRE(fastest.bytes == costs_of(layout(bits, k, fastest.blocks), count).bytes);
        for (const double room : {least_bytes, 25.0, 60.0, 200.0}) {
          if (room < least_bytes) continue;
          const expected_costs fitting = fastest_blocks(bits, k, count, room);
          REQUIRE(fitting.bytes <= room);
          REQUIRE(fitting.seconds ==
                  least(&expected_costs::seconds, [&](const auto& costs) { return costs.bytes <= room; }));
        }
        REQUIRE(refuses("max_bytes", [&] { return fastest_blocks(bits, k, count, least_bytes - 1e-3); }));
        const auto looks_up = [&](const expected_costs& costs) {
          return fastest.probes >= count || costs.probes < count;
        };
        REQUIRE(leanest_blocks(bits, k, count, infinity).bytes == least(&expected_costs::bytes, looks_up));
        for (const double slowdown : {1.0, 3.0, 10.0}) {
          const auto quick = [&](const expected_costs& costs) {
            return looks_up(costs) && costs.seconds <= slowdown * least_seconds;
          };
          const expected_costs leanest = leanest_blocks(bits, k, count, slowdown);
          REQUIRE(quick(leanest));
          REQUIRE(leanest.bytes == least(&expected_costs::bytes, quick));
        }
      }
    }
  }
}

TEST_CASE("the estimates agree with what is known of block counts", "[index][blocks]") {
  // For K = 3, 4 blocks are fastest up to some millions, then 5, then 6; 2 blocks take the least memory.
  REQUIRE(fastest_blocks(64, 3, 1e6).blocks == 4);
  REQUIRE(fastest_blocks(64, 3, 1e8).blocks == 5);
  REQUIRE(fastest_blocks(64, 3, 1e10).blocks == 6);
  REQUIRE(leanest_blocks(64, 3, 1e8).blocks == 2);
  // From k = 10 on, few blocks with radii are fastest.
  for (const int k : {10, 12, 16}) REQUIRE(fastest_blocks(64, k, 1e7).blocks == 4);
  // Longer keys keep a table fast up to larger counts.
  for (const int blocks : {4, 5, 6}) {
    REQUIRE(costs_of(layout(64, 3, blocks), 1e10).candidates > costs_of(layout(64, 3, blocks + 1), 1e10).candidates);
  }
  // A larger cache never makes a search slower.
  neardup::detail::cost_model large;
  large.cache_bytes = 1e12;
  for_each_layout(64, 12, 12, [&](int k, int blocks) {
    REQUIRE(neardup::detail::modelled_costs(layout(64, k, blocks), 1e8, k, large).seconds <=
            costs_of(layout(64, k, blocks), 1e8).seconds);
  });
  // Where probes outnumber fingerprints, a search scans.
  const expected_costs scanning = costs_of(layout(64, 10, 1), 1e6);
  REQUIRE(scanning.probes > 1e6);
  REQUIRE(scanning.compared == 1e6);
  REQUIRE(scanning.seconds == neardup::scan_seconds(64, 1e6));
}

TEST_CASE("costs saturate instead of being nonsense", "[index][blocks]") {
  for (const auto& [bits, k] : {std::pair{64, 63}, {64, 40}, {256, 255}, {4096, 2000}, {4096, 4095}, {1, 0}, {2, 1}}) {
    for (const double count : {0.0, 1.0, 1e10, 1e300}) {
      for (const int blocks : {1, 2, 7, 256}) {
        if (!layout::is_valid(static_cast<std::size_t>(bits), k, blocks)) continue;
        CAPTURE(bits, k, blocks, count);
        const expected_costs costs = costs_of(layout(static_cast<std::size_t>(bits), k, blocks), count);
        REQUIRE(costs.probes >= 1);
        REQUIRE(costs.candidates >= 0);
        REQUIRE(costs.compared >= 0);
        REQUIRE((costs.bytes > 0 && costs.bytes < 20000));
        REQUIRE(costs.seconds > 0);
        REQUIRE(costs.candidates / static_cast<double>(costs.tables) <= count * (1 + 1e-9));  // at most once per table
      }
    }
  }
  REQUIRE(costs_of(layout(64, 3, 4), 0).candidates == 0);
  REQUIRE(costs_of(layout(4096, 4095, 1), 1e6).candidates == Approx(1e6));
  REQUIRE(costs_of(layout(1024, 512, 1), 1e6).candidates == Approx(1e6 * (0.5 + 0.5 * 0.0249280)).epsilon(1e-4));
}

TEST_CASE("a bad argument is refused by its name", "[index][blocks]") {
  const layout shape(64, 3, 5);
  for (const double count : {-1.0, 1.1e300, infinity, -infinity, not_a_number}) {
    REQUIRE(refuses("count", [&] { return costs_of(shape, count, 3); }));
    REQUIRE(refuses("count", [&] { return costs_of(layout(64, 3, 5), count); }));
    REQUIRE(refuses("count", [&] { return fastest_blocks(64, 3, count); }));
    REQUIRE(refuses("count", [&] { return leanest_blocks(64, 3, count); }));
    REQUIRE(refuses("count", [&] { return neardup::scan_seconds(64, count); }));
  }
  for (const int k : {-1, 4, 64}) REQUIRE(refuses("k = ", [&] { return costs_of(shape, 1e6, k); }));
  REQUIRE(refuses("blocks = 0", [] { return costs_of(layout(64, 3, 0), 1e6); }));
  REQUIRE(refuses("blocks = 65", [] { return costs_of(layout(64, 0, 65), 1e6); }));
  for (const int k : {-1, 64, 1000}) {
    REQUIRE(refuses("k = ", [&] { return costs_of(layout(64, k, 1), 1e6); }));
    REQUIRE(refuses("k = ", [&] { return fastest_blocks(64, k, 1e6); }));
    REQUIRE(refuses("k = ", [&] { return leanest_blocks(64, k, 1e6); }));
  }
  REQUIRE(refuses("bits", [] { return fastest_blocks(0, 0, 1e6); }));
  REQUIRE(refuses("max_bytes", [] { return fastest_blocks(64, 3, 1e6, 5); }));
  REQUIRE(refuses("max_bytes", [] { return fastest_blocks(64, 3, 1e6, not_a_number); }));
  for (const double slowdown : {0.99, 0.0, -1.0, not_a_number}) {
    REQUIRE(refuses("max_slowdown", [&] { return leanest_blocks(64, 3, 1e6, slowdown); }));
  }
}

TEST_CASE("docs/cost.md has these figures", "[index][blocks]") {
  const char* folder = std::getenv("NEARDUP_SOURCE_DIR");
  if (folder == nullptr) return;
  std::ifstream file(std::string(folder) + "/docs/cost.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const auto& rows : {article_rows(), choice_rows()}) {
    std::string table;
    for (const std::string& line : rows) table += line + "\n";
    if (page.find(table) == std::string::npos) std::printf("docs/cost.md should have:\n%s", table.c_str());
    REQUIRE(page.find(table) != std::string::npos);
  }
}
