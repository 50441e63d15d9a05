// A runner with check() ends a long call at each of its steps, and leaves a deduplicator as it was.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/index.hpp>
#include <neardup/sets.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"

namespace {

/// A runner that throws at check number `at`, counted from 1. If `at` is 0, it never throws.
struct cancelling {
  neardup::threads inner{1};
  std::atomic<std::size_t>* checks;
  std::size_t at = 0;
  std::chrono::milliseconds takes{0};

  [[nodiscard]] std::size_t parts() const { return inner.parts(); }
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    inner(parts, work);
  }
  void check() const {
    if (++*checks != at) return;
    std::this_thread::sleep_for(takes);
    throw std::runtime_error("cancelled");
  }
};

std::vector<std::string> similar_texts(std::size_t count) {
  std::mt19937 random(3);
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    for (int i = 0; i < 20; ++i) text += "w" + std::to_string(random() % 200) + " ";
  }
  return texts;
}

/// Calls `call(run)` to its end, and requires at least `least` checks. Then repeats the call with runners that throw at
/// the first check, and at four later ones.
void check_cancelled(std::size_t least, const std::function<void(const cancelling&)>& call) {
  for (const unsigned parts : {1U, 3U}) {
    std::atomic<std::size_t> checks = 0;
    call({neardup::threads{parts}, &checks});
    const std::size_t all = checks;
    REQUIRE(all >= least);
    for (const std::size_t at : {std::size_t{1}, all / 7, all / 3, all / 2, all - all / 10}) {
      checks = 0;
      CHECK_THROWS_AS(call({neardup::threads{parts}, &checks, at}), std::runtime_error);
      CHECK(checks <= at + all / 4 + 10);  // other threads end their steps meanwhile
    }
  }
}

}  // namespace

TEST_CASE("a batch of a deduplicator ends at a check of its runner, and adds nothing") {
  const std::vector<std::string> texts = similar_texts(oracle::effort(3000, 3000, 1000));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto make = [] {
    return neardup::deduplicator{neardup::feature_extractor{neardup::words{}}, neardup::jaccard{.2}};
  };
  std::vector<std::uint32_t> ids(texts.size());
  std::iota(ids.begin(), ids.end(), 0U);
  auto whole = make();
  const auto verdicts = whole.add_batch(std::span(views), ids);
  // With few documents kept, each document of a batch is searched for.
  check_cancelled(texts.size(), [&](const cancelling& run) {
    auto dedup = make();
    try {
      const auto found = dedup.add_batch(std::span(views), ids, run);
      CHECK(found == verdicts);
    } catch (const std::runtime_error&) {
      CHECK((dedup.size() == 0 && dedup.added() == 0));
      CHECK(dedup.add_batch(std::span(views), ids) == verdicts);
      throw;
    }
  });
}

TEST_CASE("joins end at a check of their runner") {
  std::mt19937_64 random(3);
  std::vector<neardup::simhash<64>> codes;
  for (int i = 0; i < 20'000; ++i) codes.emplace_back(random());
  std::vector<std::vector<std::uint32_t>> sets(3000);
  for (auto& set : sets) {
    for (std::uint32_t feature = 0; feature < 200; ++feature) {
      if (random() % 10 == 0) set.push_back(feature);
    }
  }
  check_cancelled(
      10, [&](const cancelling& run) { static_cast<void>(neardup::pairs(codes, neardup::bits{6}, {.run = run})); });
  check_cancelled(
      10, [&](const cancelling& run) { static_cast<void>(neardup::pairs(sets, neardup::jaccard{.4}, {.run = run})); });
  check_cancelled(
      10, [&](const cancelling& run) { static_cast<void>(neardup::group(sets, neardup::jaccard{.4}, {.run = run})); });
}

TEST_CASE("a decision that is cancelled while threads wait for each other ends") {
  // Decisions wait for those about earlier documents. The check that throws is a slow one, so that others wait meanwhile.
  std::vector<std::vector<std::uint32_t>> sets;
  for (std::uint32_t i = 0; i < 400; ++i) {
    std::vector<std::uint32_t> set(20);
    std::iota(set.begin(), set.end(), 0U);
    set.push_back(1000 + i);
    sets.push_back(set);
  }
  std::atomic<std::size_t> checks = 0;
  const auto group = [&](std::size_t at) {
    checks = 0;
    return neardup::group(sets, neardup::jaccard{.8},
                          {.run = cancelling{neardup::threads{4}, &checks, at, std::chrono::milliseconds(3)}});
  };
  const std::vector<std::uint32_t> expected(sets.size(), 0);
  REQUIRE(group(0) == expected);
  const std::size_t all = checks;
  std::size_t cancelled = 0;
  for (std::size_t at = 1; at <= all; at += 1 + all / 80) {
    try {
      const std::vector<std::uint32_t> labels = group(at);
      CHECK(labels == expected);
    } catch (const std::runtime_error&) {
      ++cancelled;
    }
  }
  REQUIRE(cancelled > 5);
}
