// Several tokens with one hash. A weighter that reads the token weighs each token, and the weights are added. Any other
// weighter counts the hash. So the fingerprint depends neither on the order of the tokens nor on the way in which it is
// computed.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "support/tokens.hpp"

namespace {

using namespace neardup;

/// Tokens that differ only in ASCII case have equal hashes. If `is_crowded`, there are only three hashes.
struct merging_hasher {
  bool is_crowded = false;

  std::uint64_t operator()(std::string_view token) const {
    return is_crowded ? std::uint64_t{0x1357246801928374U} << (token.size() % 3) : xxh3<64>{}(fold(token));
  }
};
constexpr merging_hasher caseless{};
constexpr merging_hasher crowded{true};

const idf_table fruit_table = idf_table::parse("Apple 9\napple 1\ntree 4\nPEAR 2\n");

/// Checks that each way to compute the fingerprint, and each order of the tokens, gives the same fingerprint.
template <class Simhasher>
void check_all_ways(const Simhasher& hash, std::vector<std::string> tokens) {
  std::sort(tokens.begin(), tokens.end());
  std::string first;
  for (int i = 0; i < 24; ++i, std::next_permutation(tokens.begin(), tokens.end())) {
    std::string text;
    for (const std::string& token : tokens) text += token + " ";
    const auto expected = hash(text);
    REQUIRE(expected.has_value());
    if (first.empty()) first = expected->to_hex();
    REQUIRE(expected->to_hex() == first);
    REQUIRE(hash(hash.bag(text)) == expected);
    auto halves = hash.bag(text.substr(0, text.find(' ') + 1));
    halves.merge(hash.bag(text.substr(text.find(' ') + 1)));
    REQUIRE(hash(halves) == expected);
    halves.merge(hash.bag("apple APPLE other"));
    halves.subtract(hash.bag("APPLE other apple"));
    REQUIRE(hash(halves) == expected);
    REQUIRE(halves == hash.bag(text));
    if constexpr (detail::streaming_tokenizer<typename Simhasher::tokenizer_type>) {
      text_stream stream{hash};
      for (const std::string_view chunk : support::cut_every(text, 5)) stream.feed(chunk);
      REQUIRE(stream.finish() == expected);
    }
    if constexpr (detail::linear_weighter<typename Simhasher::weighter_type>) {
      accumulator<Simhasher::bits> sums;
      hash.add_to(sums, text);
      REQUIRE(sums.result() == expected);
    }
  }
}

const std::vector<std::string> fruit = {"Apple", "apple", "apple", "tree", "TREE", "pear", "PEAR", "PEAR", "PEAR"};

}  // namespace

TEST_CASE("no way and no order gives another fingerprint where hashes are equal", "[equal hashes]") {
  const auto check = [&](const auto& weigh) {
    for (const merging_hasher& hash : {caseless, crowded}) check_all_ways(simhasher{words{}, weigh, hash}, fruit);
  };
  check(unit{});
  check(tf_idf{fruit_table});
  check([](std::string_view token, std::uint64_t count) { return token.size() + 7 * count; });
  oracle::unless_sample([&](auto) {
    check(tf{});
    check(log_tf{});
    check(idf{fruit_table});
    check(levels{3, top{2, tf_idf{fruit_table}}});
  });
}

TEST_CASE("the same of keywords, which are counted before they are hashed", "[equal hashes]") {
  const auto check = [&](const auto& weigh) {
    check_all_ways(simhasher{keywords{20, words{}, fruit_table}, weigh, caseless}, fruit);
  };
  check(tf_idf{fruit_table});
  oracle::unless_sample([&](auto) {
    check(unit{});
    check(log_tf{});
  });
}

TEST_CASE("texts of one hash add their weights, or count as one token", "[equal hashes]") {
  // Computed by hand: of two tokens, the heavier one decides every bit.
  const std::uint64_t apple = caseless("apple"), tree = caseless("tree");
  const auto wins = [&](const auto& weigh, std::string_view text, std::uint64_t winner) {
    const simhasher hash{words{}, weigh, caseless};
    CHECK(hash(text) == simhash<64>(winner));
  };
  wins(idf{idf_table::parse("Apple 3\napple 2\ntree 4\n")}, "Apple apple tree", apple);           // 3 + 2 > 4
  wins(idf{idf_table::parse("Apple 3\napple 2\ntree 4\n")}, "Apple Apple tree", tree);            // 3 < 4
  wins(tf_idf{idf_table::parse("Apple 3\napple 2\ntree 4\n")}, "apple apple apple tree", apple);  // 6 > 4
  wins(log_tf{}, "Apple apple APPLE tree tree", apple);                                           // three against two
  CHECK(simhasher{words{}, unit{}, caseless}("Apple apple tree TREE") == simhash<64>(apple & tree));
  // The heaviest token is the one with the largest sum.
  wins(levels{3, top{1, tf_idf{idf_table::parse("Apple 3\napple 3\ntree 4\n")}}}, "Apple apple tree", apple);
  const auto weighted = simhasher{words{}, idf{fruit_table}, caseless}.weighted_features("tree Apple apple");
  REQUIRE(weighted.size() == 2);
  const std::size_t at = weighted[0].hash[0] == apple ? 0 : 1;
  CHECK(weighted[at].units == 10 * 256);
  CHECK(weighted[1 - at].units == 4 * 256);
}

TEST_CASE("a bag with texts tells tokens of one hash apart", "[equal hashes]") {
  using bag_type = feature_bag<1, true>;
  bag_type bag;
  CHECK(bag.add({7}, "a", 2));
  CHECK_FALSE(bag.has_equal_hashes());
  CHECK(bag.add({7}, "b", 3));
  CHECK(bag.add({8}, "b", 5));
  CHECK_FALSE(bag.add({7}, "a", 1));
  CHECK(bag.size() == 3);
  CHECK(bag.has_equal_hashes());
  CHECK(bag.count({7}) == 6);
  CHECK(bag.count({8}) == 5);
  bag_type one;
  one.add({7}, "b", 3);
  bag_type moved = std::move(bag);
  CHECK(moved.has_equal_hashes());
  CHECK_FALSE(bag.has_equal_hashes());  // NOLINT(bugprone-use-after-move): it is empty.
  bag_type other = moved;
  other.subtract(one);
  CHECK(other.count({7}) == 3);
  CHECK_FALSE(other.has_equal_hashes());
  CHECK_FALSE(other == moved);
  bag_type wrong;
  wrong.add({7}, "c", 1);
  CHECK_THROWS_AS(moved.subtract(wrong), std::invalid_argument);
  other.merge(one);
  CHECK(other == moved);
  // So many that the table of slots grows.
  bag_type many;
  for (int i = 0; i < 200; ++i) many.add({static_cast<std::uint64_t>(i % 5)}, std::to_string(i), 1);
  CHECK(many.size() == 200);
  CHECK(many.count({3}) == 40);
  many.clear();
  CHECK_FALSE(many.has_equal_hashes());
  feature_bag<1, false> counts;
  counts.add({7}, "a");
  CHECK_FALSE(counts.add({7}, "b"));
  CHECK_FALSE(counts.has_equal_hashes());
}
