// The strong guarantee when memory is exhausted: the 1st, 2nd, ... allocation fails, until none is left.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "support/failing_allocations.hpp"

namespace {

using neardup::feature_bag;
using neardup::simhasher;
using neardup::words;

/// Calls `act(value)` on a copy of `start` with the 1st, 2nd, ... allocation failing. After each failure the copy must
/// equal `start`; the final successful call must give the expected result.
/// Returns: the number of allocations of a successful call.
template <class Value, class Act>
std::size_t require_strong_guarantee(const Value& start, Act act) {
  Value expected = start;
  act(expected);
  std::optional<Value> value;
  // This copy is made outside of `act`, so its allocations do not fail.
  const auto begin = [&] { value.emplace(start); };
  begin();
  const std::size_t failures = support::fail_each_allocation([&] { act(*value); },
                                                             [&] {
                                                               REQUIRE(*value == start);
                                                               act(*value);
                                                               REQUIRE(*value == expected);
                                                               begin();
                                                             });
  REQUIRE(*value == expected);
  return failures;
}

template <bool KeepsText>
feature_bag<2, KeepsText> bag_of(std::uint64_t first, std::uint64_t last) {
  feature_bag<2, KeepsText> bag;
  for (std::uint64_t i = first; i < last; ++i) bag.add({i, ~i}, "a token too long for its string " + std::to_string(i));
  return bag;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("a bag whose allocation fails is as it was", "[allocation]", ((bool KeepsText), KeepsText),
                       true NEARDUP_UNLESS_SAMPLE(false)) {
  for (const std::uint64_t size : {0U, 1U, 31U, 32U, 64U, 100U}) {
    CAPTURE(size);
    const auto bag = bag_of<KeepsText>(0, size);
    const auto other = bag_of<KeepsText>(size / 2, size + 70);
    using bag_type = std::remove_const_t<decltype(bag)>;
    const std::string token = "another token too long for its string";
    std::size_t failures = require_strong_guarantee(bag, [&](bag_type& b) { b.add({1000, 1}, token); });
    failures += require_strong_guarantee(bag, [&](bag_type& b) { b.merge(other); });
    failures += require_strong_guarantee(bag, [&](bag_type& b) { b = other; });
    failures += require_strong_guarantee(bag, [](bag_type& b) { b.merge(b); });
    CHECK(failures > 4);
    // These operations allocate nothing.
    bag_type both = bag;
    both.merge(other);
    CHECK(require_strong_guarantee(both, [&](bag_type& b) { b.subtract(other); }) == 0);
    CHECK(require_strong_guarantee(bag, [](bag_type& b) { b.clear(); }) == 0);
    CHECK(require_strong_guarantee(bag, [](bag_type& b) { b.subtract(b); }) == 0);
    // A failed copy changes nothing.
    require_strong_guarantee(bag_type{}, [&](bag_type& b) { b = bag_type(bag); });
  }
}

TEST_CASE("adding a text to a bag or to an accumulator is all or nothing", "[allocation]") {
  const std::string_view text = "some Words of moderate length, and some more: incomprehensibilities, \u4e2d\u6587";
  const auto check = [&](const auto& hash) {
    using hash_type = std::remove_cvref_t<decltype(hash)>;
    const auto start = hash.bag("words that were there before: incomprehensibilities");
    CHECK(require_strong_guarantee(start, [&](auto& bag) { hash.add_to(bag, text); }) > 0);
    if constexpr (neardup::detail::linear_weighter<decltype(hash_type::weighter)>) {
      neardup::accumulator<hash_type::bits> sums;
      hash.add_to(sums, "words that were there before");
      require_strong_guarantee(sums, [&](auto& s) { hash.add_to(s, text); });
    }
  };
  check(neardup::default_simhasher<>{});
  check(simhasher{neardup::shingles{4, words{}}, neardup::tf_idf{neardup::idf_table{}}, neardup::xxh3<128>{}});
  oracle::unless_sample([&](auto) {
    check(simhasher{neardup::normalised{neardup::code_point_ngrams{40}}, neardup::tf{}});
    check(simhasher{neardup::shingles{2, words{}}, neardup::idf{neardup::idf_table{}}});
  });
}

TEST_CASE("a fingerprint that memory did not suffice for comes the next time", "[allocation]") {
  const simhasher hash{neardup::shingles{2, words{}}, neardup::top{3, neardup::tf{}}};
  const std::string_view text = "one two three four incomprehensibilities one two three incomprehensibilities";
  const auto expected = hash(text);
  decltype(hash)::workspace scratch;
  decltype(hash(text)) found;
  CHECK(support::fail_each_allocation([&] { found = hash(text, scratch); }, [] {}) > 2);
  CHECK(found == expected);
}

TEST_CASE("a stream whose allocation failed is ready for the next text", "[allocation]") {
  const std::string_view text =
      "one Two incomprehensibilities, \u4e2d\u6587 and \xe4\xb8 many more words than these are";
  const auto check = [&](const auto& hash) {
    const auto expected = hash(text);
    std::optional<decltype(neardup::text_stream{hash})> fresh;
    const auto begin = [&] { fresh.emplace(hash); };
    // feed and finish discard the text when they throw; otherwise reset does.
    const auto use_again = [&] {
      fresh->reset();
      fresh->feed(text.substr(0, 20));
      fresh->feed(text.substr(20));
      REQUIRE(fresh->finish() == expected);
    };
    begin();
    const std::size_t failures = support::fail_each_allocation(
        [&] {
          for (std::size_t at = 0; at < text.size(); at += 7) fresh->feed(text.substr(at, 7));
          static_cast<void>(fresh->finish());
        },
        [&] {
          use_again();
          begin();
        });
    use_again();
    CHECK(failures > 1);
  };
  check(neardup::default_simhasher<>{});
  oracle::unless_sample([&](auto) {
    check(simhasher{neardup::normalised{neardup::code_point_ngrams{30}}, neardup::tf{}});
    check(simhasher{neardup::shingles{2, words{}}, neardup::levels{3, neardup::idf{neardup::idf_table{}}}});
  });
}

TEST_CASE("a stream allocates at most 50 kB for a long text of few tokens, in chunks of any size", "[allocation]") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "a b the Same words \u4e2d\u6587" + std::string(i % 7 == 0 ? ".\n" : " ");
  const auto check = [&](const auto& hash) {
    const std::string_view whole = text;
    for (const std::size_t chunk : {std::size_t{100}, std::size_t{4096}, std::size_t{65536}, whole.size()}) {
      const std::size_t before = support::allocated_bytes;
      neardup::text_stream stream{hash};
      for (std::size_t at = 0; at < whole.size(); at += chunk) stream.feed(whole.substr(at, chunk));
      CAPTURE(chunk);
      CHECK(sizeof stream + support::allocated_bytes - before <= 50'000);
    }
  };
  check(neardup::default_simhasher<>{});
  check(neardup::minwise_hasher{neardup::default_tokenizer{}});
  check(simhasher{words{}, neardup::tf{}});
  oracle::unless_sample([&](auto) {
    check(simhasher{neardup::shingles{3, neardup::canonical{words{}}}, neardup::log_tf{}});
    check(simhasher{neardup::shingles{2, neardup::code_point_ngrams{2}}, neardup::tf{}});
    check(simhasher{neardup::byte_ngrams{8}, neardup::tf{}});
    check(simhasher{neardup::normalised{neardup::code_point_ngrams{3}}, neardup::tf{}});
    check(simhasher{neardup::spaced_words{}, neardup::tf{}});
  });
}

TEST_CASE("a document that memory did not suffice for does not count for the learner", "[allocation]") {
  struct comparable_learner : neardup::idf_learner {
    bool operator==(const comparable_learner& other) const {
      return documents() == other.documents() && table() == other.table() && table(0) == other.table(0);
    }
  };
  comparable_learner learner;
  learner.add(words{}, "some words");
  learner.add(words{}, "more words");
  const std::string_view text = "words incomprehensibilities some incomprehensibilities sesquipedalian-ness";
  CHECK(require_strong_guarantee(learner, [&](comparable_learner& l) { l.add(words{}, text); }) > 3);
}

TEST_CASE("many small bags merged into one allocate rarely", "[allocation]") {
  feature_bag<2, true> sum;
  const std::size_t before = support::allocations;
  constexpr std::uint64_t bags = 2000;
  std::size_t others = 0;
  for (std::uint64_t i = 0; i < bags; ++i) {
    const std::size_t start = support::allocations;
    const auto bag = bag_of<true>(i, i + 2);
    others += support::allocations - start;
    sum.merge(bag);
  }
  CHECK(sum.size() == bags + 1);
  CHECK(support::allocations - before - others < 60);
}
