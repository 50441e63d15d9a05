// Opens arbitrary bytes as an index. Nothing beyond them may be read, and an index that verify() accepts must answer as
// the plain loop over its fingerprints does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/storage.hpp>

#include "oracle/index_model.hpp"
#include "support/hostile_bytes.hpp"

namespace fuzz {

/// The outcome of opening bytes.
struct index_verdict {
  bool is_open = false, is_verified = false;
  std::string difference;  ///< a description of the library's error, if there is one
};

/// Some queries: the stored fingerprints, as far as they can be read, and fingerprints near them.
template <class View>
std::vector<typename View::fingerprint_type> queries_of(const View& view) {
  std::vector<typename View::fingerprint_type> queries(1);
  try {
    for (const auto& [fingerprint, id] : view) {
      queries.push_back(fingerprint);
      auto near = fingerprint;
      near.flip(queries.size() * 7 % View::bits);
      near.flip(queries.size() * 11 % View::bits);
      queries.push_back(near);
      if (queries.size() >= 9) break;
    }
  } catch (const std::exception&) {
    // The query has another number of bits.
  }
  return queries;
}

template <class View>
void ask(const View& view, int k) {
  const auto queries = queries_of(view);
  const auto attempt = [](const auto& operation) {
    try {
      operation();
    } catch (const std::exception&) {
      // A search of damaged bytes may throw.
    }
  };
  std::size_t visited = 0;
  attempt([&] { (void)view.search_batch(queries, k); });
  for (const auto& query : queries) {
    attempt([&] { view.for_each_match(query, k, [&](const auto&) { return ++visited < 100000; }); });
    attempt([&] { (void)view.nearest(query, k); });
    (void)view.contains(query);
    (void)view.contains(query, typename View::id_type{});
  }
}

template <class View>
index_verdict open_as(std::span<const std::byte> bytes) {
  index_verdict result;
  try {
    const View view(bytes);
    result.is_open = true;
    const int k = std::min(view.max_distance(), 6);
    ask(view, k);
    ask(view, 0);
    view.verify();
    result.is_verified = true;
    using id_type = typename View::id_type;
    oracle::index_model<View::bits, id_type> model;
    for (const auto& [fingerprint, id] : view) {
      if (!model.insert(fingerprint, id)) result.difference = "a pair is there twice";
    }
    std::size_t pairs = 0;
    for (auto i = view.begin(); i != view.end(); ++i) ++pairs;
    if (pairs != view.size()) result.difference = "the size is wrong";
    const auto queries = queries_of(view);
    const auto batch = view.search_batch(queries, k);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto expected = model.search(queries[i], k);
      if (view.search(queries[i], k) != expected) result.difference = "a search is wrong";
      if (!std::equal(expected.begin(), expected.end(), batch[i].begin(), batch[i].end())) {
        result.difference = "a batch is wrong";
      }
      if (view.contains(queries[i]) != model.contains(queries[i])) result.difference = "contains is wrong";
    }
  } catch (const std::runtime_error&) {
    // The bytes are refused, which is allowed.
  }
  return result;
}

/// Calls `visit.template operator()<View>()` for the first view whose width, and ids of 64 bits, the header of a file
/// names; for the last view if it names none of them. Returns: what `visit` returned.
template <class View, class... Others, class Visit>
auto visit_named_view(std::string_view file, const Visit& visit) {
  if constexpr (sizeof...(Others) > 0) {
    const bool is_named = file.size() >= 64 && support::load_number(file, 12, 4) == View::bits &&
                          (sizeof(typename View::id_type) != 8 || file[39] == 8);
    if (!is_named) return visit_named_view<Others...>(file, visit);
  }
  return visit.template operator()<View>();
}

}  // namespace fuzz
