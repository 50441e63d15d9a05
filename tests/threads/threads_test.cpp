// The promises of the documentation about threads, for the thread sanitizer: const functions of one object on many
// threads, work on the runner `threads`, and `guarded`. Each result is compared with that of one thread.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/guarded.hpp>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "neardup/compare/advice.hpp"
#include "oracle/hamming.hpp"
#include "oracle/probing.hpp"
#include "oracle/random_text.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::simhash;
using neardup::threads;

constexpr std::size_t many = 4;

/// Calls work(thread) on `many` threads at once. Returns the sum of the results.
std::size_t on_threads(const std::function<std::size_t(std::size_t)>& work) {
  std::atomic<std::size_t> sum = 0;
  std::vector<std::thread> all;
  for (std::size_t t = 0; t < many; ++t) all.emplace_back([&, t] { sum += work(t); });
  for (std::thread& one : all) one.join();
  return sum;
}

/// Returns texts of which every third is an edited copy.
std::vector<std::string> some_texts(std::size_t count) {
  oracle::random_texts random(5);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(i % 3 == 2 ? texts[i - 2] + " more" : random.next(40) + std::to_string(i));
  }
  return texts;
}

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

std::vector<simhash<64>> some_fingerprints(std::size_t count) {
  oracle::random_engine random(3);
  std::vector<simhash<64>> fingerprints;
  for (std::size_t i = 0; i < count; ++i) {
    fingerprints.push_back(i % 3 == 2 ? oracle::with_flips(fingerprints[i - 2], i % 5, random)
                                      : oracle::random_fingerprint<64>(random));
  }
  return fingerprints;
}

/// Searches one index from many threads.
template <class Index>
void check_searches(const Index& index, const std::vector<simhash<64>>& queries) {
  std::vector<std::vector<typename Index::match_type>> expected;
  for (const auto& query : queries) expected.push_back(index.search(query, 3));
  CHECK(on_threads([&](std::size_t t) {
          std::size_t same = 0;
          for (std::size_t i = 0; i < queries.size(); ++i) {
            const std::size_t at = (i + t * queries.size() / many) % queries.size();
            same += index.search(queries[at], 3) == expected[at] ? 1 : 0;
            same += index.any_within(queries[at], 3) == !expected[at].empty() ? 1 : 0;
            same += index.contains(queries[at]) == (index.nearest(queries[at], 0).has_value()) ? 1 : 0;
          }
          return same;
        }) == 3 * many * queries.size());
  const auto batch = index.search_batch(queries, 3);
  const auto spread = index.search_batch(queries, 3, threads{many});
  CHECK(spread.matches == batch.matches);
  CHECK(spread.offsets == batch.offsets);
}

}  // namespace

TEST_CASE("many threads search one index", "[threads]") {
  const auto fingerprints = some_fingerprints(3000);
  neardup::pigeonhole_index<64> index;
  neardup::flat_index<64> flat;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    index.insert(fingerprints[i], id);
    flat.insert(fingerprints[i], id);
  }
  const std::vector<simhash<64>> queries(fingerprints.begin(), fingerprints.begin() + 200);
  check_searches(index, queries);
  check_searches(flat, queries);
  const neardup::frozen_index<64> frozen(3, 4, fingerprints, threads{many});
  check_searches(frozen, queries);

  const support::temporary_folder folder;
  save(folder / "index", frozen, neardup::fingerprint_composition{.tokenizer = "any"});
  const neardup::index_view<64> view{neardup::mapped_file(folder / "index")};
  check_searches(view, queries);
}

TEST_CASE("many threads share the parts that make fingerprints", "[threads]") {
  using namespace neardup;
  const auto texts = some_texts(300);
  idf_learner learner;
  for (const std::string& text : texts) learner.add(words{}, text);
  const auto check = [&](const auto& hash) {
    const auto expected = fingerprint_all(hash, texts);
    CHECK(fingerprint_all(hash, texts, threads{many}) == expected);
    CHECK(on_threads([&](std::size_t t) {
            std::size_t same = 0;
            for (std::size_t i = t; i < texts.size(); i += many) same += hash(texts[i]) == expected[i] ? 1 : 0;
            return same;
          }) == texts.size());
  };
  check(default_simhasher<>{});
  check(simhasher{words{}, tf_idf{learner.table()}});
  check(minwise_hasher{default_tokenizer{}});
}

TEST_CASE("joins are the same from many threads", "[threads]") {
  const auto fingerprints = some_fingerprints(3000);
  const auto pairs = neardup::pairs(fingerprints, neardup::bits{4});
  CHECK(neardup::pairs(fingerprints, neardup::bits{4}, {.run = threads{many}}) == pairs);
  CHECK(neardup::cluster(fingerprints, neardup::bits{4}, threads{many}) ==
        neardup::cluster(fingerprints, neardup::bits{4}));
  const auto check = [](std::size_t i, std::size_t j) { return (i + j) % 3 != 0; };
  for (const auto by : {neardup::grouping::representatives, neardup::grouping::components}) {
    const auto labels = neardup::group(fingerprints, neardup::bits{4}, check, {.by = by});
    CHECK(neardup::group(fingerprints, neardup::bits{4}, check, {.by = by, .run = threads{many}}) == labels);
  }
  std::size_t visited = 0;  // needs no lock: the visitor is called by one thread at a time
  neardup::visit_pairs(fingerprints, neardup::bits{4}, [&](auto, auto, int) { ++visited; }, {.run = threads{many}});
  CHECK(visited == pairs.size());
}

TEST_CASE("candidates of many threads are each there once", "[threads]") {
  using candidate = neardup::near_pair<std::uint32_t>;
  constexpr std::size_t documents = 1000, of_each = 6000;
  // There are few different values, so most values occur again and shards get full. Each thread has some values of its
  // own.
  const auto draw = [](std::size_t part, std::size_t i) {
    const std::uint64_t x = neardup::detail::mix((i + part * (of_each / 2)) % (of_each / 3 * 2));
    const auto later = static_cast<std::uint32_t>(1 + x % (documents - 1));
    const auto before = static_cast<std::uint32_t>((x >> 32) % later);
    return candidate{later, before, static_cast<int>((later + before) % 16)};
  };
  std::vector<std::set<std::pair<std::uint32_t, int>>> expected(documents);
  std::size_t distinct = 0;
  for (std::size_t part = 0; part < many; ++part) {
    for (std::size_t i = 0; i < of_each; ++i) {
      const candidate c = draw(part, i);
      distinct += expected[c.first].emplace(c.second, c.distance).second ? 1U : 0U;
    }
  }
  const auto collect = [&](auto& found) {
    std::atomic<bool> has_room = true;
    on_threads([&](std::size_t part) {
      for (std::size_t i = 0; i < of_each && has_room; ++i) {
        if (!found.add(part, draw(part, i))) has_room = false;
      }
      return std::size_t{0};
    });
    return found.close(threads{many}) && has_room;
  };
  neardup::detail::candidate_collector<std::uint32_t> found(documents, 4 * distinct, many);
  REQUIRE(collect(found));
  std::span<const candidate> own;
  for (std::size_t i = 0; i < documents; ++i) {
    own = found.of(i, i % found.block == 0 ? std::span<const candidate>() : own);
    REQUIRE(own.size() == expected[i].size());
    auto next = expected[i].begin();
    for (const candidate& c : own) REQUIRE(std::pair(c.second, c.distance) == *next++);
  }
  neardup::detail::candidate_collector<std::uint32_t> small(documents, distinct / 2, many);
  REQUIRE_FALSE(collect(small));
  neardup::detail::candidate_collector<std::uint32_t> none(documents, 0, many);
  REQUIRE_FALSE(collect(none));
}

TEST_CASE("deduplicators are the same from many threads", "[threads]") {
  const auto texts = some_texts(400);
  const auto views = views_of(texts);
  neardup::deduplicator one{neardup::jaccard{0.8}};
  neardup::deduplicator spread{neardup::jaccard{0.8}};
  const auto expected = one.add_batch(views);
  const auto found = spread.add_batch(views, threads{many});
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].original == expected[i].original);
  CHECK(on_threads([&](std::size_t t) {
          std::size_t known = 0;
          for (std::size_t i = t; i < texts.size(); i += many) known += one.find(texts[i]).is_new() ? 0 : 1;
          return known;
        }) == texts.size());
}

TEST_CASE("advice is the same from many threads", "[threads]") {
  const auto texts = some_texts(300);
  const command::advice_request request{.features = {{}}};
  const auto expected = command::advise(texts, request);
  const auto found = command::advise(texts, request, threads{many});
  REQUIRE(found.setups.size() == expected.setups.size());
  for (std::size_t i = 0; i < found.setups.size(); ++i) CHECK(found.setups[i].recall == expected.setups[i].recall);
}

TEST_CASE("a guarded index is read and written at once", "[threads]") {
  const auto fingerprints = some_fingerprints(2000);
  neardup::guarded<neardup::pigeonhole_index<64>> index;
  CHECK(on_threads([&](std::size_t t) {
          std::size_t right = 0;
          for (std::size_t i = t; i < fingerprints.size(); i += many) {
            index.write([&](auto& all) { all.insert(fingerprints[i], static_cast<std::uint32_t>(i)); });
            right += index.read([&](const auto& all) { return all.any_within(fingerprints[i], 3); }) ? 1 : 0;
          }
          return right;
        }) == fingerprints.size());
  CHECK(index.read([](const auto& all) { return all.size(); }) == fingerprints.size());
}

TEST_CASE("the instruction set may be changed while others hash", "[threads]") {
  const auto texts = some_texts(100);
  const neardup::default_simhasher<> hash;
  const auto expected = neardup::fingerprint_all(hash, texts);
  const auto best = neardup::active_instruction_set();
  CHECK(on_threads([&](std::size_t t) {
          std::size_t same = 0;
          for (std::size_t i = 0; i < texts.size(); ++i) {
            if (t == 0) neardup::set_instruction_set(i % 2 == 0 ? neardup::instruction_set::portable : best);
            same += hash(texts[i]) == expected[i] ? 1 : 0;
          }
          return same;
        }) == many * texts.size());
  neardup::set_instruction_set(best);
}
