// Random operations on indexes, against a model. Few fingerprints and ids, so that collisions are frequent.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <neardup/index/flat_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>

#include "catch.hpp"
#include "oracle/checked_index.hpp"
#include "oracle/effort.hpp"
#include "oracle/hamming.hpp"
#include "oracle/probing.hpp"

namespace {

/// A document number of 16 bytes.
struct wide_id {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend constexpr auto operator<=>(const wide_id&, const wide_id&) = default;
};
static_assert(sizeof(wide_id) == 16 && neardup::index_id<wide_id>);

template <class Id>
Id make_id(std::size_t number) {
  if constexpr (std::is_same_v<Id, wide_id>) {
    return {number % 3, ~static_cast<std::uint64_t>(number)};
  } else {
    return static_cast<Id>(number * 37);
  }
}

/// Performs thousands of operations on two indexes of one layout, alternating between them.
template <class Index>
class exerciser {
 public:
  using fingerprint_type = typename Index::fingerprint_type;
  using id_type = typename Index::id_type;
  static constexpr std::size_t bits = Index::bits;

  exerciser(const Index& empty, std::uint64_t seed) : random_(seed), one_(empty), other_(empty) {
    // A base, fingerprints near it, and fingerprints that share single blocks with it.
    const fingerprint_type base = oracle::random_fingerprint<bits>(random_);
    for (std::size_t i = 0; i < 40; ++i) {
      keys_.push_back(oracle::with_flips(base, i % 7, random_));
      const std::size_t begin = bits / 4 * (i % 4);
      fingerprint_type other = base;
      for (std::size_t bit = begin; bit < begin + bits / 4; ++bit) other.set(bit, random_() % 2 == 0);
      keys_.push_back(other);
    }
  }

  void run(std::size_t operations) {
    for (std::size_t i = 0; i < operations; ++i) {
      largest_size_ = std::max(largest_size_, one_.model().size());
      // Alternates between growing and shrinking, so that the index is sometimes large and sometimes empty.
      const bool grows = i / 1500 % 2 == 0;
      step(grows);
      if (i % 64 == 0) one_.walk();
    }
    one_.walk();
    other_.walk();
    REQUIRE(largest_size_ > oracle::effort(200, 100));  // otherwise the test would prove little
  }

 private:
  void step(bool grows) {
    const fingerprint_type key = any_key();
    const std::size_t choice = oracle::random_below(random_, 1000);
    if (choice < 500) {
      if (choice < (grows ? 440U : 160U)) {
        one_.insert(key, any_id());
      } else {
        one_.erase(key, any_id());
      }
    } else if (choice < 560) {
      if (!grows || choice < 510) one_.erase(key);
    } else if (choice < 700) {
      one_.contains(key, any_id());
    } else if (choice < 900) {
      one_.search(key, any_k());
    } else if (choice < 940) {
      one_.swap(other_);
    } else if (choice < 955) {
      oracle::checked_index<Index> copy(one_);
      copy.compare(one_);
      copy.insert(key, any_id());
      copy.compare(one_);
      copy.erase(any_key());
      copy.search(key, any_k());
    } else if (choice < 970) {
      other_ = one_;
      other_.compare(one_);
    } else if (choice < 971) {
      other_.take(one_);
      one_.search(key, any_k());
    } else if (choice < 989) {
      one_.reserve(oracle::random_below(random_, 200));
    } else if (choice < 990) {
      one_.clear();
    } else {
      const oracle::checked_index<Index>& self = one_;
      one_ = self;
      other_.compare(one_);
    }
  }

  fingerprint_type any_key() {
    // Occasionally a new fingerprint, so that tables grow and directories are rebuilt.
    if (random_() % 4 == 0) return oracle::random_fingerprint<bits>(random_);
    return keys_[oracle::random_below(random_, keys_.size())];
  }
  id_type any_id() { return make_id<id_type>(oracle::random_below(random_, 6)); }
  int any_k() {
    const auto ks = static_cast<std::size_t>(one_.index().max_distance()) + 1;
    return static_cast<int>(oracle::random_below(random_, ks));
  }

  oracle::random_engine random_;
  std::vector<fingerprint_type> keys_;
  std::size_t largest_size_ = 0;
  oracle::checked_index<Index> one_;
  oracle::checked_index<Index> other_;
};

template <class Index>
void exercise(const Index& empty) {
  constexpr std::size_t runs = 4;
  for (std::size_t seed = 0; seed < runs; ++seed) {
    CAPTURE(seed);
    exerciser<Index>(empty, seed).run(oracle::effort(20000, 2500));
  }
}

template <class Id>
void exercise_dynamic_and_flat() {
  struct shape {
    int k, blocks;
  };
  for (const auto& [k, blocks] : {shape{3, 4}, shape{3, 5}, shape{3, 2}, shape{10, 4}}) {
    CAPTURE(k, blocks);
    exercise(neardup::pigeonhole_index<64, neardup::dynamic_layout, neardup::dynamic_layout, Id>(k, blocks));
  }
  exercise(neardup::flat_index<64, Id>());
}

}  // namespace

#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("random operations agree with the model, ids of 1 byte", "[index][model]") {
  exercise_dynamic_and_flat<std::uint8_t>();
}
TEST_CASE("random operations agree with the model, ids of 4 bytes", "[index][model]") {
  exercise_dynamic_and_flat<std::uint32_t>();
}
#endif
TEST_CASE("random operations agree with the model, ids of 8 bytes", "[index][model]") {
  exercise_dynamic_and_flat<std::uint64_t>();
}
#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("random operations agree with the model, ids of 16 bytes", "[index][model]") {
  exercise_dynamic_and_flat<wide_id>();
}
#endif

TEST_CASE("random operations agree with the model, pigeonhole_index", "[index][model]") {
  exercise(neardup::pigeonhole_index<128, 6, 3, wide_id, std::uint16_t>());
  oracle::unless_sample([](auto) {
    exercise(neardup::pigeonhole_index<16, 2, 3, std::uint8_t>());
    exercise(neardup::pigeonhole_index<64, 3, 4, std::uint32_t>());
    exercise(neardup::pigeonhole_index<64, 3, 5, std::uint64_t, std::uint64_t>());
  });
}

TEST_CASE("what holds tens of thousands of fingerprints finds them by value while they come and go", "[index][model]") {
  neardup::pigeonhole_index<64, neardup::dynamic_layout> index(3, 4);
  oracle::random_engine random(5);
  const auto count = static_cast<std::uint32_t>(oracle::effort(40'000, 20'000));
  std::vector<neardup::simhash<64>> fingerprints;
  for (std::uint32_t i = 0; i < count; ++i) fingerprints.push_back(oracle::random_fingerprint<64>(random));
  const auto check = [&](const auto& is_there) {
    std::size_t expected = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      expected += is_there(i) ? 1 : 0;
      if (index.contains(fingerprints[i], i) != is_there(i)) FAIL("fingerprint " << i);
    }
    REQUIRE(index.size() == expected);
    REQUIRE(index.distinct_size() == expected);
  };
  if (GENERATE(false, true)) index.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) REQUIRE(index.insert(fingerprints[i], i));
  check([](std::uint32_t) { return true; });
  for (std::uint32_t i = 0; i < count; i += 3) REQUIRE(index.erase(fingerprints[i], i));
  check([](std::uint32_t i) { return i % 3 != 0; });
  for (std::uint32_t i = 0; i < count; i += 6) REQUIRE(index.insert(fingerprints[i], i));
  check([](std::uint32_t i) { return i % 6 != 3; });
  for (std::uint32_t i = 0; i < count; ++i) REQUIRE(index.insert(fingerprints[i], i) == (i % 6 == 3));
  index.clear();
  check([](std::uint32_t) { return false; });
  for (std::uint32_t i = 0; i < count; ++i) REQUIRE(index.insert(fingerprints[i], i));
  check([](std::uint32_t) { return true; });
}
