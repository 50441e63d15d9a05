// Pairwise products of form, kind, Bits, Id and Offset: any two values of different factors occur together in some row.
// neardup_test_products tests all products, and .ci/run --all builds it. Types that take long to compile occur in
// several rows: there are 24 types of frozen indexes, one for each width and size of ids, and 16 types of their
// engines.
#include "products.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <set>
#include <string>

#include "catch.hpp"

namespace {

using neardup::minwise;
using neardup::simhash;
using products::form;
using products::row;

constexpr auto rows = products::table_of<
    row<form::flat, minwise, 16, 1, 1>, row<form::flat, simhash, 24, 16, 8>, row<form::flat, simhash, 64, 8, 1>,
    row<form::flat, simhash, 96, 1, 2>, row<form::flat, minwise, 128, 4, 4>, row<form::flat, simhash, 256, 8, 2>,
    row<form::fixed, simhash, 16, 4, 2>, row<form::fixed, minwise, 24, 8, 1>, row<form::fixed, minwise, 64, 1, 4>,
    row<form::fixed, simhash, 96, 16, 1>, row<form::fixed, minwise, 128, 4, 4>, row<form::fixed, minwise, 256, 1, 8>,
    row<form::dynamic, minwise, 16, 8, 4>, row<form::dynamic, simhash, 24, 4, 2>,
    row<form::dynamic, minwise, 64, 16, 2>, row<form::dynamic, simhash, 96, 16, 1>,
    row<form::dynamic, simhash, 128, 16, 1>, row<form::dynamic, minwise, 256, 1, 8>,
    row<form::frozen, minwise, 16, 1, 1>, row<form::frozen, simhash, 24, 1, 4>, row<form::frozen, simhash, 64, 4, 8>,
    row<form::frozen, minwise, 96, 8, 8>, row<form::frozen, simhash, 128, 1, 2>, row<form::frozen, minwise, 256, 16, 4>,
    row<form::view, simhash, 16, 16, 8>, row<form::view, simhash, 24, 4, 2>, row<form::view, minwise, 64, 1, 4>,
    row<form::view, simhash, 96, 4, 4>, row<form::view, simhash, 128, 8, 8>, row<form::view, minwise, 256, 4, 1>>();

}  // namespace

TEST_CASE("indexes of every form hold, find, save and load fingerprints of both kinds and all types") {
  std::set<std::array<std::size_t, 4>> met;  // (factor, value, factor, value)
  for (const auto& [of, check] : rows) {
    std::printf("%s\n", of.name().c_str());
    INFO(of.name());
    CHECK_NOTHROW(check());
    const std::array<std::size_t, 5> values = {static_cast<std::size_t>(of.shape), static_cast<std::size_t>(of.kind),
                                               of.bits, of.id_bytes, of.offset_bytes};
    for (std::size_t a = 0; a < values.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) met.insert({a, values[a], b, values[b]});
    }
  }
  // The sum over all pairs of factors. There are 5 forms, 2 kinds, 6 widths, 4 id sizes and 4 offset sizes.
  const std::size_t pairs = 5 * 2 + 5 * 6 + 5 * 4 + 5 * 4 + 2 * 6 + 2 * 4 + 2 * 4 + 6 * 4 + 6 * 4 + 4 * 4;
  std::printf("%zu products, in which %zu of %zu pairs of values meet\n", rows.size(), met.size(), pairs);
  CHECK(met.size() == pairs);
}
