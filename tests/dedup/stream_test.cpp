// Streams, which forget documents; strings as ids; values that threads share.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/guarded.hpp>
#include <neardup/storage/deduplicator_file.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace neardup;

std::string text_of(std::uint64_t i) {
  std::string text;
  for (std::uint64_t word = 0; word < 20; ++word) text += "w" + std::to_string(i * 1000 + word * 7) + " ";
  return text;
}

auto make() { return deduplicator{feature_extractor{words{}}, jaccard{0.8}}; }

/// The model of a stream_deduplicator: documents in order, each with its time and the number of its text.
struct stream_model {
  struct kept {
    std::uint32_t id;
    std::uint64_t time, text;
  };
  std::deque<kept> order;
  stream_limits limits;

  verdict<std::uint32_t> add(std::uint64_t text, std::uint32_t id, std::uint64_t now) {
    while (!order.empty() && now - order.front().time > limits.max_age) order.pop_front();
    verdict<std::uint32_t> result;
    for (auto i = order.begin(); i != order.end(); ++i) {
      if (i->text != text) continue;
      result.original = i->id;
      result.similarity = 1.0;
      if (limits.duplicates_renew) {
        kept renewed = *i;
        renewed.time = now;
        order.erase(i);
        order.push_back(renewed);
      }
      return result;
    }
    order.push_back({id, now, text});
    while (order.size() > limits.max_documents) order.pop_front();
    return result;
  }
};

}  // namespace

TEST_CASE("a stream_deduplicator keeps what its limits say, as a plain list does") {
  std::size_t duplicates = 0;
  for (const bool renews : {false, true}) {
    for (const std::size_t most : {std::size_t{1}, std::size_t{10}, std::size_t{1000}}) {
      for (const std::uint64_t age : {std::uint64_t{0}, std::uint64_t{20}, ~std::uint64_t{0}}) {
        oracle::random_engine random(most + age);
        const stream_limits limits{.max_documents = most, .max_age = age, .duplicates_renew = renews};
        stream_deduplicator seen(make(), limits);
        stream_model expected{{}, limits};
        std::uint64_t now = 5;
        for (std::uint32_t id = 0; id < oracle::effort(1000, 200); ++id) {
          now += random() % 3;
          const std::uint64_t text = random() % 40;
          const auto wanted = expected.add(text, id, now);
          REQUIRE(seen.add(text_of(text), id, now) == wanted);
          REQUIRE(seen.size() == expected.order.size());
          duplicates += wanted.is_new() ? 0 : 1;
          if (id % 17 == 0 && !expected.order.empty()) {
            const std::uint32_t erased = expected.order[expected.order.size() / 2].id;
            expected.order.erase(expected.order.begin() + static_cast<std::ptrdiff_t>(expected.order.size() / 2));
            REQUIRE(seen.erase(erased));
            REQUIRE_FALSE(seen.erase(erased));
          }
        }
        CHECK_THROWS_AS(seen.add("x", 1'000'000, now - 1), std::invalid_argument);
      }
    }
  }
  CHECK(duplicates > oracle::effort(1000, 500));
}

TEST_CASE("a stream_deduplicator that has room for one document takes one, and another when that is gone") {
  stream_deduplicator seen(make(), {.max_bytes = 1, .refuse_when_full = true});
  for (std::uint32_t i = 0; i < 5; ++i) {
    CHECK(seen.add(text_of(i), i).is_new());
    CHECK_THROWS_AS(seen.add(text_of(100), 100), std::length_error);
    CHECK(seen.erase(i));
  }
}

TEST_CASE("a batch may reuse the ids of documents that are too old") {
  stream_deduplicator seen(make(), {.max_age = 9});
  seen.add(text_of(0), 7, 0);
  const std::vector<std::string> texts{text_of(1)};
  const std::vector<std::uint32_t> ids{7};
  CHECK_THROWS_AS(seen.add_batch(texts, ids, {}, 9), std::invalid_argument);
  CHECK(seen.add_batch(texts, ids, {}, 10).front().is_new());
  CHECK(seen.find(text_of(1)).original == 7U);
}

TEST_CASE("an id or a time that its type cannot hold is refused") {
  constexpr std::uint64_t too_large = (std::uint64_t{1} << 40) + 7;
  deduplicator<feature_extractor<words>> plain = make();
  plain.add(text_of(0), std::size_t{7});
  CHECK_THROWS_AS(plain.add(text_of(1), too_large), std::invalid_argument);
  CHECK_THROWS_AS(plain.replace(text_of(1), too_large), std::invalid_argument);
  CHECK_THROWS_AS(plain.contains(too_large), std::invalid_argument);
  CHECK_THROWS_AS(plain.erase(-1), std::invalid_argument);
  CHECK(plain.added() == 1);

  const support::temporary_folder folder;
  const auto check = [&](auto& seen) {
    seen.add(text_of(0), std::size_t{1}, 5);
    CHECK_THROWS_AS(seen.add(text_of(1), too_large, 5), std::invalid_argument);
    CHECK_THROWS_AS(seen.add(text_of(1), 2, -1), std::invalid_argument);
    CHECK_THROWS_AS(seen.replace(text_of(1), 2, std::int64_t{-5}), std::invalid_argument);
    const std::vector<std::string> texts{text_of(1)};
    const std::vector<std::uint32_t> ids{2};
    CHECK_THROWS_AS(seen.add_batch(texts, ids, {}, -1), std::invalid_argument);
    CHECK_THROWS_AS(seen.erase(too_large), std::invalid_argument);
    CHECK_THROWS_AS(seen.contains(too_large), std::invalid_argument);
    CHECK(seen.size() == 1);
    CHECK(seen.add(text_of(1), 2, 6).is_new());
  };
  using stream = stream_deduplicator<deduplicator<feature_extractor<words>>>;
  stream seen(make(), {.max_age = 10});
  check(seen);
  CHECK_THROWS_AS(seen.expire(-1), std::invalid_argument);
  guarded<stream> shared(make(), stream_limits{.max_age = 10});
  check(shared);
  durable_deduplicator kept(folder / "kept", stream(make(), {.max_age = 10}));
  check(kept);
  CHECK_THROWS_AS(kept.expire(-1), std::invalid_argument);
  CHECK_THROWS_WITH(seen.renew(1, -3), "the time -3 is outside 0..18446744073709551615, the range of its type");
}

TEST_CASE("a stream_deduplicator begins with an empty deduplicator") {
  auto used = make();
  used.add(text_of(1), 1);
  CHECK_THROWS_AS(stream_deduplicator(std::move(used)), std::invalid_argument);
}

TEST_CASE("a full stream_deduplicator that refuses keeps what it has") {
  stream_deduplicator seen(make(), {.max_documents = 2, .refuse_when_full = true});
  seen.add(text_of(1), 1);
  seen.add(text_of(2), 2);
  CHECK_THROWS_WITH(seen.add(text_of(3), 3), "a stream_deduplicator is full. Documents that it keeps: 2");
  CHECK(seen.add(text_of(1), 4).original == 1U);
  CHECK(seen.add("", 5).is_new());
  CHECK(seen.erase(1));
  CHECK_THROWS_WITH(seen.add_batch(std::vector{text_of(3), text_of(4)}, std::vector<std::uint32_t>{6, 7}),
                    "a stream_deduplicator has no room for the new documents. At most: 2, kept: 1, new: 2");
  CHECK(seen.add(text_of(3), 6).is_new());
  CHECK_THROWS_AS(seen.add(text_of(3), 6), std::invalid_argument);
  CHECK(seen.size() == 2);
}

TEST_CASE("a stream_deduplicator that refuses for its bytes takes documents again once others are gone") {
  stream_deduplicator seen(make(), {.max_bytes = 400'000, .refuse_when_full = true});
  std::uint32_t next = 0;
  for (int round = 0; round < 3; ++round) {
    CHECK_THROWS_AS(
        [&] {
          for (;; ++next) seen.add(text_of(next), next);
        }(),
        std::length_error);
    const std::size_t full = seen.size();
    CHECK(full > 200);
    CHECK_THROWS_AS(seen.add(text_of(next), next), std::length_error);  // a second time
    for (std::uint32_t id = next - static_cast<std::uint32_t>(full); id < next - full / 2; ++id) CHECK(seen.erase(id));
    CHECK(seen.add(text_of(next), next).is_new());
    CHECK(seen.memory_usage() < 400'000);
    ++next;
  }
}

TEST_CASE("a stream_deduplicator stays within its bytes, and gives memory back") {
  constexpr std::size_t most = 400'000;
  stream_deduplicator seen(make(), {.max_bytes = most});
  std::size_t largest = 0;
  const auto count = static_cast<std::uint32_t>(oracle::effort(20'000, 3000));
  for (std::uint32_t id = 0; id < count; ++id) {
    seen.add(text_of(id), id);
    largest = std::max(largest, seen.memory_usage());
    REQUIRE(seen.add(text_of(id), count + id).original == id);
  }
  std::printf("at most %zu of %zu bytes, %zu documents\n", largest, most, seen.size());
  CHECK(largest < 2 * most);
  CHECK(seen.size() > 200);

  stream_deduplicator old(make(), {.max_age = 10});
  for (std::uint32_t id = 0; id < 5000; ++id) old.add(text_of(id), id, 1);
  const std::size_t full = old.memory_usage();
  old.expire(100);
  CHECK(old.empty());
  CHECK(old.memory_usage() < full / 20);
}

TEST_CASE("the limits of a stream hold after any call, one by one and in batches of any size") {
  const support::temporary_folder folder;
  std::uint64_t number = 0;
  const auto check = [&](const stream_limits& limits, auto& seen) {
    oracle::random_engine random(++number);
    std::vector<std::uint64_t> text_of_id;
    std::uint64_t now = 0, next_text = 0;
    std::size_t over = 0, duplicates = 0, most = 0;  // `over`: added while the stream had too many bytes
    const auto count = oracle::effort(20'000, 3000);
    while (text_of_id.size() < count) {
      now += random() % 3;
      const std::size_t size = std::vector<std::size_t>{1, 1, 7, 63, 400, 3000}[random() % 6];
      std::vector<std::string> texts;
      std::vector<std::uint32_t> ids;
      for (std::size_t i = 0; i < size; ++i) {
        text_of_id.push_back(random() % 3 == 0 ? next_text - random() % (next_text + 1) : next_text++);
        texts.push_back(text_of(text_of_id.back()));
        ids.push_back(static_cast<std::uint32_t>(text_of_id.size() - 1));
      }
      const auto found =
          size == 1 ? std::vector{seen.add(texts[0], ids[0], now)} : seen.add_batch(texts, ids, any_runner(), now);
      REQUIRE(found.size() == size);
      for (std::size_t i = 0; i < size; ++i) {
        if (found[i].is_new()) continue;
        ++duplicates;
        REQUIRE(*found[i].original < ids[i]);
        REQUIRE(text_of_id[*found[i].original] == text_of_id[ids[i]]);
      }
      REQUIRE(seen.size() <= limits.max_documents);
      over = seen.memory_usage() <= limits.max_bytes || seen.size() == 1 ? 0 : over + size;
      REQUIRE(over < (size == 1 ? 64 : 1));
      if (over > 0) REQUIRE(seen.size() >= 64);
      seen.for_each_kept([&](const auto& kept) { REQUIRE(now - kept.time <= limits.max_age); });
      most = std::max(most, seen.size());
    }
    CHECK(duplicates > 0);
    CHECK(most >= std::min<std::size_t>({limits.max_documents, limits.max_bytes / 4000, 1}));
  };
  constexpr std::size_t no_limit = stream_limits{}.max_documents;
  for (const stream_limits& limits : std::vector<stream_limits>{
           {.max_bytes = 400'000},
           {.max_bytes = 60'000},
           {.max_bytes = 1},
           {.max_documents = 100},
           {.max_documents = 500, .max_bytes = 400'000},
           {.max_age = 2},
           {.max_bytes = 400'000, .max_age = 5},
           {.max_documents = no_limit, .max_bytes = 400'000, .max_age = 50, .duplicates_renew = true}}) {
    INFO(limits.max_documents << " documents, " << limits.max_bytes << " bytes, age " << limits.max_age);
    stream_deduplicator seen(make(), limits);
    check(limits, seen);
    const auto open = [&] {
      return std::make_unique<durable_deduplicator<stream_deduplicator<decltype(make())>>>(
          folder / std::to_string(number), stream_deduplicator(make(), limits),
          fingerprint_composition{.tokenizer = "words"});
    };
    auto kept = open();
    check(limits, *kept);
    const auto kept_by = [](const auto& one) {
      std::vector<std::pair<std::uint32_t, std::uint64_t>> all;
      one.for_each_kept([&](const auto& document) { all.emplace_back(document.id, document.time); });
      return all;
    };
    const auto before = kept_by(*kept);
    --number;  // the file of `kept` has the previous number
    kept.reset();
    CHECK(kept_by(*open()) == before);
    number += 1;
  }
}

TEST_CASE("a stream that refuses for its bytes refuses a batch as a whole") {
  stream_deduplicator seen(make(), {.max_bytes = 1000, .refuse_when_full = true});
  std::vector<std::string> texts;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < 4000; ++id) {
    texts.push_back(text_of(id));
    ids.push_back(id);
  }
  CHECK_THROWS_AS(seen.add_batch(texts, ids), std::length_error);
  CHECK(seen.empty());
  CHECK(seen.added() == 0);
  CHECK(seen.add(texts[0], 0).is_new());
  CHECK_THROWS_AS(seen.add(texts[1], 1), std::length_error);
  CHECK(seen.add(texts[0], 2).original == 0U);

  // A refused batch takes no memory from later documents.
  stream_deduplicator half(make(), {.max_bytes = 400'000, .refuse_when_full = true});
  for (std::uint32_t id = 0; id < 200; ++id) half.add(texts[id], id);
  const std::size_t before = half.memory_usage();
  CHECK_THROWS_AS(half.add_batch(std::span(texts).subspan(200), std::span(ids).subspan(200)), std::length_error);
  CHECK(half.size() == 200);
  CHECK(half.add(texts[200], 200).is_new());
  CHECK(half.memory_usage() <= before + 10'000);
}

TEST_CASE("a stream that cannot forget for its bytes still returns the verdict, and says so at the next call") {
  using stream = decltype(stream_deduplicator(make()));
  struct failing final : stream, neardup::detail::change_hook<stream::change_type> {
    failing() : stream(make(), {.max_bytes = 30'000}) { commit_to(this); }
    void commit(const stream::change_type& change) override {
      if (fails && !change.gone.empty()) throw std::runtime_error("the disk is full");
    }
    bool fails = true;
  } seen;
  // Memory may fall again by itself, when the index has moved its sets. So not every call that leaves too much memory
  // makes the next call fail.
  std::uint32_t id = 0;
  for (bool goes_on = true; goes_on;) {
    REQUIRE(id < 1000);
    try {
      const bool is_new = seen.add(text_of(id), id).is_new();
      REQUIRE(is_new);
      ++id;
    } catch (const std::runtime_error&) {
      goes_on = false;
    }
  }
  CHECK(seen.memory_usage() > 30'000);
  CHECK(seen.contains(id - 1));
  CHECK_FALSE(seen.contains(id));
  seen.fails = false;
  CHECK(seen.add(text_of(id), id).is_new());
  CHECK(seen.memory_usage() <= 30'000);
}

TEST_CASE("shrink_to_fit gives memory back, and changes nothing else") {
  const auto check = [](auto dedup, auto other) {
    for (std::uint32_t id = 0; id < 3000; ++id) {
      const std::string text = id % 5 == 0 ? "short " + std::to_string(id) : text_of(id);
      dedup.add(text);
      other.add(text);
    }
    for (std::uint32_t id = 0; id < 3000; ++id) {
      if (id % 100 == 0) continue;
      dedup.erase(id);
      other.erase(id);
    }
    const std::size_t before = dedup.memory_usage();
    dedup.shrink_to_fit();
    CHECK(dedup.memory_usage() < before / 10);
    CHECK(dedup.size() == other.size());
    CHECK(dedup.added() == other.added());
    for (std::uint32_t id = 0; id < 3000; ++id) {
      const std::string text = id % 5 == 0 ? "short " + std::to_string(id) : text_of(id);
      REQUIRE(dedup.contains(id) == other.contains(id));
      REQUIRE(dedup.add(text) == other.add(text));
    }
  };
  check(make(), make());
  const auto unchecked = [] { return fingerprint_deduplicator{simhasher{words{}}, bits{5}.in_blocks(3)}; };
  check(unchecked(), unchecked());
}

TEST_CASE("neither a writer nor a reader of a guarded value waits for ever") {
  struct pair {
    std::uint64_t a = 0, b = 0;
  };
  guarded<pair> value;
  std::atomic<bool> stop{false};
  constexpr int readers = 8;
  std::atomic<std::uint64_t> reads{0}, torn{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < readers; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        value.read([&](const pair& p) {
          if (p.a != p.b) ++torn;
        });
        ++reads;
      }
    });
  }
  // A writer waits for at most one call of each reader, even if the readers never pause. The wait is counted in calls,
  // because seconds depend on how busy the machine is. The test takes the median of all writes: the system may stop the
  // writer before it asks for the lock, and then any number of calls pass.
  const std::uint64_t writes = oracle::effort(2000, 200);
  std::vector<std::uint64_t> waited;
  while (reads < 100 * readers) std::this_thread::yield();
  for (std::uint64_t i = 0; i < writes; ++i) {
    const std::uint64_t before = reads;
    value.write([&](pair& p) {
      waited.push_back(reads - before);
      ++p.a;
      ++p.b;
    });
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  threads.clear();
  const auto median = waited.begin() + static_cast<std::ptrdiff_t>(waited.size() / 2);
  std::nth_element(waited.begin(), median, waited.end());
  INFO("half of the writes waited for at least " << *median << " calls of readers");
  CHECK(torn == 0);
  CHECK(value.read([](const pair& p) { return p.a; }) == writes);
  CHECK(*median <= 2 * readers);

  // Readers make progress among writers that never pause.
  stop = false;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        value.write([](pair& p) {
          ++p.a;
          ++p.b;
        });
      }
    });
  }
  for (int i = 0; i < 200; ++i) CHECK(value.read([](const pair& p) { return p.a == p.b; }));
  stop = true;
  for (std::thread& t : threads) t.join();
  CHECK_THROWS_AS(value.write([](pair&) { throw std::runtime_error("x"); }), std::runtime_error);
  CHECK_THROWS_AS(value.read([](const pair&) { throw std::runtime_error("x"); }), std::runtime_error);
  value.write([](pair& p) { p.a = 7; });
  CHECK(value.read([](const pair& p) { return p.a; }) == 7);
}
