// The strong guarantee of an index of sets: after each failed allocation, all answers are as before.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <neardup/sets/set_index.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/failing_allocations.hpp"

namespace {

template <class Index>
struct set_index_state {
  std::map<typename Index::id_type, std::vector<typename Index::feature_type>> content;
  std::vector<std::vector<typename Index::match_type>> answers;
  std::size_t size, distinct_size;

  set_index_state(const Index& index, const std::vector<std::vector<typename Index::feature_type>>& queries)
      : size(index.size()), distinct_size(index.distinct_size()) {
    index.for_each([&](const auto& id, auto set) { content[id].assign(set.begin(), set.end()); });
    for (const auto& query : queries) answers.push_back(index.search(query));
  }
  friend bool operator==(const set_index_state&, const set_index_state&) = default;
};

/// Sets of 12 to 20 features, of which 10 are of a template; every third is a changed copy.
template <class Feature>
std::vector<std::vector<Feature>> sets_with_template(std::size_t count) {
  oracle::random_engine random(11);
  std::vector<std::vector<Feature>> sets;
  while (sets.size() < count) {
    std::vector<Feature> set;
    if (sets.size() % 3 == 2) {
      set = sets[random() % sets.size()];
      set.pop_back();
    } else {
      for (Feature i = 0; i < 10; ++i) set.push_back(i);
      for (std::uint64_t more = 2 + random() % 9; more > 0; --more) {
        set.push_back(static_cast<Feature>(20 + random() % 5000 * 40503U));
      }
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    sets.push_back(std::move(set));
  }
  return sets;
}

template <class Index>
std::size_t fail_every_change(const neardup::set_threshold& least) {
  using feature_type = typename Index::feature_type;
  using id_type = typename Index::id_type;
  const auto id_of = [](std::size_t i) {
    if constexpr (std::is_integral_v<id_type>) {
      return static_cast<id_type>(i);
    } else {
      id_type id{};
      id[0] = static_cast<char>(i % 100);
      id[1] = static_cast<char>(i / 100);
      return id;
    }
  };
  const auto sets = sets_with_template<feature_type>(oracle::effort(400, 150));
  const std::vector<std::vector<feature_type>> queries{sets[0], sets[sets.size() / 2], sets.back()};
  Index index(least);
  std::size_t failures = 0;
  const auto fail_each = [&](const auto& change) {
    std::optional<set_index_state<Index>> before;
    before.emplace(index, queries);
    failures +=
        support::fail_each_allocation(change, [&] { REQUIRE((set_index_state<Index>(index, queries) == *before)); });
  };
  std::map<id_type, std::vector<feature_type>> model;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    CAPTURE(i);
    bool is_new = false;
    fail_each([&] { is_new = index.insert(sets[i], id_of(i)); });
    REQUIRE(is_new);
    model[id_of(i)] = sets[i];
    if (i % 3 == 0) {
      const std::size_t other = i / 2;
      fail_each([&] { index.insert_or_assign(sets[sets.size() - 1 - other], id_of(other)); });
      model[id_of(other)] = sets[sets.size() - 1 - other];
    }
    if (i % 4 == 3) {
      REQUIRE_FALSE(support::fails_at(1, [&] { index.erase(id_of(i / 3)); }));
      model.erase(id_of(i / 3));
      REQUIRE(index.insert(sets[i / 3], id_of(i / 3)));
      model[id_of(i / 3)] = sets[i / 3];
    }
  }
  REQUIRE((set_index_state<Index>(index, queries).content == model));
  fail_each([&] { index.compact(); });
  REQUIRE((set_index_state<Index>(index, queries).content == model));
  const std::vector<std::vector<feature_type>> more(sets.begin(), sets.begin() + 60);
  std::vector<id_type> ids;
  for (std::size_t i = 0; i < more.size(); ++i) ids.push_back(id_of(5000 + i));
  std::size_t added = 0;
  fail_each([&] { added = index.insert_all(more, std::span<const id_type>(ids)); });
  REQUIRE(added == ids.size());
  Index empty(least);
  failures += support::fail_each_allocation([&] { empty.insert_all(more, std::span<const id_type>(ids)); },
                                            [&] { REQUIRE((empty.empty() && empty.search(more[0]).empty())); });
  REQUIRE(empty.size() == more.size());
  failures += support::fail_each_allocation([&] { static_cast<void>(index.search(queries[0])); }, [] {});
  failures += support::fail_each_allocation([&] { static_cast<void>(index.search_batch(queries)); }, [] {});
  REQUIRE_FALSE(support::fails_at(1, [&] {
    Index moved(std::move(index)), again(std::move(moved));
    swap(again, empty);
    index = std::move(empty);
    for (const auto& [id, set] : model) index.erase(id);
    index.clear();
  }));
  return failures;
}

}  // namespace

TEST_CASE("an index of sets answers as before when an allocation fails", "[sets][set_index]") {
  using neardup::set_index;
  for (int run = 0; run < 2; ++run) {  // allocations that live on, as those of Catch2, happen in the first run
    const std::ptrdiff_t before = support::living_allocations;
    CHECK(fail_every_change<set_index<>>(neardup::jaccard{0.8}) > 100);
    CHECK((fail_every_change<set_index<std::uint64_t, std::array<char, 16>>>(neardup::containment{0.7})) > 100);
    using id_type = oracle::sample_or<std::uint32_t, std::uint64_t>;
    CHECK((fail_every_change<set_index<std::uint32_t, id_type>>(neardup::cosine{0.7})) > 100);
    if (run > 0) CHECK(support::living_allocations == before);
  }
}
