// The promises of an index, for each product of form, kind and width of fingerprints, id type and offset type. All
// members are compared with a std::set of pairs and a loop over it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "oracle/any_index.hpp"
#include "oracle/random_engine.hpp"
#include "support/temporary_folder.hpp"

namespace products {

using oracle::any_index;
using oracle::code;
using oracle::found_pair;
using oracle::stored_pair;

enum class form { flat, fixed, dynamic, frozen, view };
inline constexpr std::array<const char*, 5> form_names = {"flat", "fixed", "dynamic", "frozen", "view"};

template <std::size_t Bytes>
using id_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 4, std::uint32_t, std::conditional_t<Bytes == 8, std::int64_t, oracle::wide_id>>>;
template <std::size_t Bytes>
using offset_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// The properties of an index type. A product has one value of each.
struct factors {
  form shape;
  neardup::fingerprint_kind kind;
  std::size_t bits, id_bytes, offset_bytes;

  std::string name() const {
    return std::string(form_names[static_cast<std::size_t>(shape)]) + ", " + std::string(to_string(kind)) + "<" +
           std::to_string(bits) + ">, Id " + std::to_string(id_bytes) + ", Offset " + std::to_string(offset_bytes);
  }
};

/// Makes an index of `pairs`.
template <form Form, template <std::size_t> class Fingerprint, std::size_t Bits, std::size_t IdBytes,
          std::size_t OffsetBytes>
std::unique_ptr<any_index> make(const std::vector<stored_pair>& pairs, const std::string& folder) {
  using id = id_of_size<IdBytes>;
  using offset = offset_of_size<OffsetBytes>;
  using fingerprint = Fingerprint<Bits>;
  const auto filled = [&](auto index) {
    using type = decltype(index);
    auto result = std::make_unique<oracle::any_index_of<type>>(std::move(index));
    for (const stored_pair& pair : pairs) static_cast<void>(result->insert(pair));
    return result;
  };
  if constexpr (Form == form::flat) {
    return filled(neardup::flat_index<Bits, id, offset, fingerprint>());
  } else if constexpr (Form == form::fixed) {
    return filled(neardup::pigeonhole_index<Bits, 2, 3, id, offset, fingerprint>());
  } else if constexpr (Form == form::dynamic) {
    constexpr int any = neardup::dynamic_layout;
    return filled(neardup::pigeonhole_index<Bits, any, any, id, offset, fingerprint>(3, 2));
  } else {
    using frozen = neardup::frozen_index<Bits, id, offset, fingerprint>;
    using view = neardup::index_view<Bits, id, offset, fingerprint>;
    std::vector<typename frozen::value_type> entries;
    for (const stored_pair& pair : pairs) {
      entries.push_back({oracle::to_fingerprint<fingerprint>(pair.fingerprint), oracle::to_id<id>(pair.id)});
    }
    const neardup::detail::entries_source source{entries.data()};
    frozen index(3, 5, entries.size(), source);
    if constexpr (Form == form::frozen) {
      return std::make_unique<oracle::any_index_of<frozen>>(std::move(index));
    } else {
      // If the width is an even number of bytes, views a frozen index, otherwise a flat index.
      if (Bits / 8 % 2 == 0) {
        neardup::save(folder + "/viewed", index, oracle::any_index_of<frozen>::made_of());
      } else {
        filled(neardup::flat_index<Bits, id, offset, fingerprint>())->save(folder + "/viewed");
      }
      return std::make_unique<oracle::any_index_of<view>>(view{neardup::mapped_file(folder + "/viewed")});
    }
  }
}

inline int distance(const code& a, const code& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) bits += std::popcount(a[i] ^ b[i]);
  return bits;
}

/// The pairs that an index should hold, and the expected results of searches.
class model {
 public:
  std::set<stored_pair> pairs;

  std::vector<found_pair> search(const code& query, int k) const {
    std::vector<found_pair> result;
    for (const auto& [fingerprint, id] : pairs) {
      if (distance(fingerprint, query) <= k) result.push_back({distance(fingerprint, query), id, fingerprint});
    }
    std::sort(result.begin(), result.end());
    return result;
  }
  bool contains(const code& fingerprint) const {
    const auto next = pairs.lower_bound({fingerprint, 0});
    return next != pairs.end() && next->fingerprint == fingerprint;
  }
  std::size_t distinct_size() const {
    std::set<code> distinct;
    for (const auto& pair : pairs) distinct.insert(pair.fingerprint);
    return distinct.size();
  }
};

inline std::set<code> fingerprints_of(const std::vector<found_pair>& found) {
  std::set<code> result;
  for (const auto& match : found) result.insert(match.fingerprint);
  return result;
}

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

/// Throws: std::logic_error that names the difference.
inline void check_content(const any_index& index, const model& expected, const std::vector<code>& queries,
                          const std::string& when) {
  const auto expect_of = [&](bool holds, const char* what) { expect(holds, what + (", " + when)); };
  const auto pairs = index.pairs();
  expect_of(std::equal(pairs.begin(), pairs.end(), expected.pairs.begin(), expected.pairs.end()), "iteration");
  expect_of(index.size() == expected.pairs.size(), "size");
  expect_of(index.empty() == expected.pairs.empty(), "empty");
  expect_of(index.distinct_size() == expected.distinct_size(), "distinct_size");
  expect_of(pairs.empty() || index.memory_usage() > 0, "memory_usage");
  for (const auto& pair : expected.pairs) {
    expect_of(index.contains(pair), "contains of a pair");
    expect_of(!index.contains(stored_pair{pair.fingerprint, pair.id == 0 ? 249 : pair.id - 1}) ||
                  expected.pairs.contains({pair.fingerprint, pair.id == 0 ? 249 : pair.id - 1}),
              "contains of no pair");
  }
  for (int k = 0; k <= std::min(index.max_distance(), 4); ++k) {
    const auto batch = index.search_batch(queries, k);
    expect_of(batch.size() == queries.size(), "search_batch, size");
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const code& query = queries[i];
      const auto found = expected.search(query, k);
      expect_of(index.search(query, k) == found, "search");
      expect_of(batch[i] == found, "search_batch");
      expect_of(index.visited(query, k, found.size() + 1) == found, "for_each_match");
      expect_of(found.empty() || index.visited(query, k, 1).size() == 1, "for_each_match that ends");
      expect_of(index.any_within(query, k) == !found.empty(), "any_within");
      const std::set<code> near = fingerprints_of(found);
      expect_of(index.count_compared(query, k) >= near.size(), "count_compared");
      const auto nearest = index.nearest(query, k);
      expect_of(nearest.has_value() == !found.empty() && (!nearest || *nearest == found.front()), "nearest");
    }
  }
  const int k = index.default_distance();
  expect_of(k >= 2 && k <= index.max_distance(), "default_distance");
  for (const code& query : queries) {
    expect_of(index.contains(query) == expected.contains(query), "contains of a fingerprint");
    const auto found = expected.search(query, k);
    expect_of(index.search(query, std::nullopt) == found, "search without k");
    expect_of(index.any_within(query, std::nullopt) == !found.empty(), "any_within without k");
    expect_of(index.nearest(query, std::nullopt) == (found.empty() ? std::nullopt : std::optional(found.front())),
              "nearest without k");
  }
  expect_of(index.search_batch({queries.front()}, std::nullopt).front() == expected.search(queries.front(), k),
            "search_batch without k");
  for (const int wrong : {-1, index.max_distance() + 1}) {
    bool is_refused = false;
    try {
      static_cast<void>(index.search(queries.front(), wrong));
    } catch (const std::invalid_argument&) {
      is_refused = true;
    }
    expect_of(is_refused, "a distance that the index does not answer");
  }
}

/// Checks all promises for one product. Throws: std::logic_error that names the difference.
template <class Make>
void check(const factors& of, const Make& make) {
  const support::temporary_folder folder;
  oracle::random_engine random(of.bits * 64 + of.id_bytes * 8 + of.offset_bytes);
  const auto random_code = [&] {
    code result{};
    for (std::size_t i = 0; i < of.bits; ++i) result[3 - i / 64] |= (random() & 1U) << (i % 64);
    return result;
  };
  const auto flip = [&](code fingerprint, std::size_t count) {
    for (; count > 0; --count) {
      const std::size_t bit = random() % of.bits;
      fingerprint[3 - bit / 64] ^= std::uint64_t{1} << (bit % 64);
    }
    return fingerprint;
  };
  // Ids or offsets of one byte allow only about 250 values.
  const bool is_small = of.id_bytes == 1 || of.offset_bytes == 1;
  const std::size_t count = is_small ? 240 : 600;
  model expected;
  std::vector<code> queries;
  std::vector<stored_pair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const code fingerprint = i % 5 == 4 ? flip(pairs.back().fingerprint, 1 + i % 3) : random_code();
    pairs.push_back({fingerprint, static_cast<unsigned>(is_small ? random() % 250 : i)});
    // several ids for one fingerprint
    if (i % 16 == 0) pairs.push_back({fingerprint, static_cast<unsigned>(random() % 250)});
    if (i % (count / 8) == 0) queries.push_back(flip(fingerprint, queries.size() % 4));
  }
  queries.push_back(random_code());
  expected.pairs.insert(pairs.begin(), pairs.end());

  const auto made = make(pairs, folder.path().string());
  any_index& index = *made;
  expect(index.max_distinct_size() >= (of.offset_bytes == 1 ? 255U : 65535U), "max_distinct_size");
  check_content(index, expected, queries, "new");

  // Files and frozen copies.
  const std::string path = folder / "index";
  const auto expect_pairs = [&](const std::vector<stored_pair>& found, const char* what) {
    expect(std::equal(found.begin(), found.end(), expected.pairs.begin(), expected.pairs.end()), what);
  };
  index.save(path);
  expect_pairs(index.verified_pairs(path), "what is viewed");
  const auto loaded = index.load(path);
  check_content(*loaded, expected, queries, "loaded");
  expect(!index.has_equality() || index.equals(*loaded), "== of what was loaded");
  loaded->save(folder / "again");
  expect(support::read_bytes(path) == support::read_bytes(folder / "again"), "what was loaded is saved as the same");
  const bool is_flat_view = of.shape == form::view && index.max_distance() == static_cast<int>(of.bits);
  bool is_frozen = true;
  try {
    expect_pairs(index.frozen_pairs(), "what is frozen");
  } catch (const std::invalid_argument&) {
    is_frozen = false;
  }
  expect(is_frozen != is_flat_view, "only the view of a flat index has no layout to freeze it in");

  // Value semantics.
  const auto copied = index.copy();
  check_content(*copied, expected, queries, "copied");
  const auto moved = copied->move();
  check_content(*moved, expected, queries, "moved");
  const model nothing;
  if (of.shape != form::view) check_content(*copied, nothing, queries, "moved from");
  const auto empty = make({}, folder.path().string());
  check_content(*empty, nothing, queries, "empty");
  empty->save(folder / "empty");
  check_content(*empty->load(folder / "empty"), nothing, queries, "empty, loaded");
  empty->swap(*moved);
  check_content(*empty, expected, queries, "swapped");
  check_content(*moved, nothing, queries, "swapped with it");
  expect(!index.has_equality() || (!index.equals(*moved) && index.equals(*empty)), "==");
  moved->assign(index);
  check_content(*moved, expected, queries, "assigned");
  empty->take(*moved);
  check_content(*empty, expected, queries, "taken");

  if (!index.can_change()) return;
  // Changes.
  expect(!index.insert(pairs[0]), "insert of what is there");
  for (std::size_t i = 0; i < pairs.size(); i += 3) {
    expect(index.erase(pairs[i]) == (expected.pairs.erase(pairs[i]) == 1), "erase of a pair");
  }
  expect(!index.erase(pairs[0]), "erase of what is not there");
  const code first = expected.pairs.begin()->fingerprint;
  const std::size_t ids = std::erase_if(expected.pairs, [&](const auto& pair) { return pair.fingerprint == first; });
  expect(index.erase(first) == ids && index.erase(first) == 0, "erase of a fingerprint");
  check_content(index, expected, queries, "thinned out");
  expect(index.equals(*index.copy()) && !index.equals(*empty), "== after changes");
  index.save(path);
  check_content(*index.load(path), expected, queries, "thinned out and loaded");
  index.reserve(count + 10);
  for (std::size_t i = 0; i < pairs.size(); i += 3) {
    expect(index.insert(pairs[i]) == expected.pairs.insert(pairs[i]).second, "insert of what was erased");
  }
  check_content(index, expected, queries, "filled again");
  index.clear();
  check_content(index, nothing, queries, "cleared");
}

/// A product as a type.
template <form Form, template <std::size_t> class Fingerprint, std::size_t Bits, std::size_t IdBytes,
          std::size_t OffsetBytes>
struct row {
  static constexpr factors of{Form, Fingerprint<Bits>::kind, Bits, IdBytes, OffsetBytes};
  static void check() { products::check(of, products::make<Form, Fingerprint, Bits, IdBytes, OffsetBytes>); }
};

struct checked_row {
  factors of;
  void (*check)();
};
template <class... Rows>
constexpr std::array<checked_row, sizeof...(Rows)> table_of() {
  return {{{Rows::of, &Rows::check}...}};
}

}  // namespace products
