// fingerprint_all: same as one text at a time, for every runner.
#include <atomic>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <catch.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>
#include <oracle/random_text.hpp>

namespace {

using neardup::fingerprint_all;
using neardup::threads;

std::vector<std::string> some_texts(std::size_t count) {
  oracle::random_texts random(3);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(random.next(random.below(i % 20 == 0 ? 3000 : 100)));
  return texts;
}

template <class Simhasher>
auto one_by_one(const Simhasher& hash, const std::vector<std::string>& texts) {
  std::vector<std::optional<typename Simhasher::fingerprint_type>> result;
  for (const std::string& text : texts) result.push_back(hash(text));
  return result;
}

/// A runner that runs its parts in reverse order on the calling thread.
struct backwards {
  std::atomic<std::size_t>* calls;
  static std::size_t parts() { return 5; }
  void operator()(std::size_t parts, const auto& work) const {
    while (parts > 0) {
      std::thread([&] { work(--parts); }).join();
      ++*calls;
    }
  }
};

/// A runner with so many parts that their number times four overflows to 0.
struct immodest {
  static std::size_t parts() { return std::numeric_limits<std::size_t>::max() / 4 + 1; }
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    for (std::size_t part = 0; part < parts; ++part) work(part);
  }
};

/// A runner that reports 0 parts.
struct modest {
  static unsigned parts() { return 0; }
  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    for (std::size_t part = 0; part < parts; ++part) work(part);
  }
};

}  // namespace

TEST_CASE("the fingerprints of a batch are those of its texts, in their order") {
  for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 500U}) {
    const std::vector<std::string> texts = some_texts(count);
    const neardup::default_simhasher<> hash;
    const auto expected = one_by_one(hash, texts);
    for (const std::size_t parts : {1U, 2U, 3U, 16U}) CHECK(fingerprint_all(hash, texts, threads{parts}) == expected);
    CHECK(fingerprint_all(hash, texts) == expected);
  }
}

TEST_CASE("a batch takes views, and fingerprints of any width and weight") {
  const std::vector<std::string> texts = some_texts(100);
  const std::deque<std::string_view> views(texts.begin(), texts.end());
  const neardup::simhasher wide{neardup::byte_ngrams{3}, neardup::log_tf{}, neardup::xxh3<256>{7}};
  CHECK(fingerprint_all(wide, views, threads{3}) == one_by_one(wide, texts));
}

TEST_CASE("a batch runs on threads of the caller's") {
  const std::vector<std::string> texts = some_texts(200);
  const neardup::default_simhasher<> hash;
  std::atomic<std::size_t> calls = 0;
  CHECK(fingerprint_all(hash, texts, backwards{&calls}) == one_by_one(hash, texts));
  CHECK(calls == 5);
  CHECK(fingerprint_all(hash, texts, modest{}) == one_by_one(hash, texts));
  CHECK(fingerprint_all(hash, texts, immodest{}) == one_by_one(hash, texts));
}

TEST_CASE("a batch throws what the first text throws that fails") {
  const auto tokenize = [](std::string_view text, auto&& sink) {
    if (text.substr(0, 4) == "fail") throw std::runtime_error(std::string(text));
    sink(text);
  };
  const neardup::simhasher hash{tokenize};
  std::vector<std::string> texts(1000, "text");
  texts[700] = "fail 700";
  texts[300] = "fail 300";
  texts[301] = "fail 301";
  for (const std::size_t parts : {1U, 2U, 4U}) {
    CHECK_THROWS_WITH(fingerprint_all(hash, texts, threads{parts}), "fail 300");
  }
}

TEST_CASE("threads do each part once") {
  for (const std::size_t parts : {0U, 1U, 2U, 40U}) {
    std::vector<std::atomic<int>> done(parts);
    threads{}(parts, [&](std::size_t part) { ++done[part]; });
    std::size_t once = 0;
    for (const auto& count : done) once += count == 1 ? 1 : 0;
    CHECK(once == parts);
  }
  CHECK(threads{}.parts() >= 1);
  CHECK(threads{3}.parts() == 3);
}
