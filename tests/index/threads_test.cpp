// Many concurrent readers find what a single reader finds. For the thread sanitizer.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <neardup/index/flat_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/probing.hpp"

namespace {

using neardup::simhash;

constexpr std::size_t thread_count = 8;

template <class Index>
void read_from_many_threads(Index index) {
  oracle::random_engine random(1);
  const auto fingerprints = oracle::clustered_fingerprints<64>(oracle::effort(20000, 3000), 5, random);
  for (std::size_t i = 0; i < fingerprints.size(); ++i) index.insert(fingerprints[i], static_cast<std::uint32_t>(i));
  const std::vector<simhash<64>> queries(fingerprints.begin(), fingerprints.begin() + 200);
  const Index& shared = index;
  const auto expected = shared.search_batch(queries);

  std::atomic<std::size_t> errors{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t n = 0; n < queries.size(); ++n) {
        const std::size_t i = (n + t * 25) % queries.size();
        const auto found = shared.search(queries[i]);
        const auto wanted = expected[i];
        bool right = std::equal(found.begin(), found.end(), wanted.begin(), wanted.end());
        std::size_t visited = 0;
        shared.for_each_match(queries[i], 3, [&](const auto&) { ++visited; });
        right = right && visited == wanted.size() && shared.any_within(queries[i], 0);
        right = right && shared.nearest(queries[i]) == wanted.front() && shared.contains(queries[i]);
        if (!right) ++errors;
      }
      const auto batch = shared.search_batch(queries);
      if (batch.matches != expected.matches || batch.offsets != expected.offsets) ++errors;
      std::size_t pairs = 0;
      for (const auto& [fingerprint, id] : shared) pairs += shared.contains(fingerprint, id) ? 1U : 0U;
      if (pairs != shared.size()) ++errors;
      Index copy(shared);  // a copy belongs to the thread, which may change it
      copy.insert(simhash<64>(t), 1);
      copy.erase(queries[t]);
      if (copy == shared) ++errors;
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(errors == 0);
  REQUIRE(shared.search_batch(queries).matches == expected.matches);
}

}  // namespace

TEST_CASE("many readers at once", "[index][threads]") {
  read_from_many_threads(neardup::pigeonhole_index<64>());
  read_from_many_threads(neardup::flat_index<64>());
  oracle::unless_sample([](auto) {
    read_from_many_threads(neardup::pigeonhole_index<64, 3, 2>());
    read_from_many_threads(neardup::pigeonhole_index<64, neardup::dynamic_layout>(3, 5));
  });
}

TEST_CASE("each thread with an index of its own", "[index][threads]") {
  // The first object of an index type creates data that all objects of the type share. Here, all threads create an
  // object at once.
  std::atomic<std::size_t> errors{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < thread_count; ++t) {
    threads.emplace_back([&errors] {
      neardup::pigeonhole_index<64, 3, 7> index;
      for (std::uint64_t i = 0; i < 500; ++i) index.insert(simhash<64>(i << 20), 1);
      // Numbers of 9 bits with at most 3 ones match; numbers from 500 on have more.
      if (index.search(simhash<64>(0)).size() != 1 + 9 + 36 + 84) ++errors;
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(errors == 0);
}
