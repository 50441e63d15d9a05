// A durable_set_index gives the answers of a plain comparison, also after it is closed and opened. (For faults see
// journal_test.cpp.)
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/sets/set_index.hpp>
#include <neardup/storage.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/slow_set_index.hpp"
#include "support/journaled.hpp"
#include "support/temporary_folder.hpp"

namespace durable_sets {
namespace {

using neardup::set_index;
using durable_type = neardup::durable_set_index<>;
using set_type = std::vector<std::uint32_t>;

const neardup::fingerprint_composition any{.tokenizer = "any"};

set_index<> empty_index() { return set_index<>(neardup::jaccard{0.6}); }

}  // namespace

TEST_CASE("a durable set_index that is opened again and again has what was stored, and answers as a comparison") {
  const support::temporary_folder folder;
  using id_type = oracle::ordered_set_id;
  const set_index<std::uint64_t, id_type> initial(neardup::jaccard{0.7});
  oracle::slow_set_index<std::uint64_t, id_type> slow(0.7, neardup::set_similarity::jaccard, 0);
  oracle::set_maker<std::uint64_t> maker(oracle::set_stream::few_features, 11);
  std::uint64_t added = 0;
  std::size_t matches = 0;
  for (std::size_t round = 0; round < oracle::effort(200, 25); ++round) {
    neardup::durable_set_index<std::uint64_t, id_type> d(folder / "d", initial, any);
    REQUIRE(d.size() == slow.sets.size());
    for (std::size_t i = 0; i < 10; ++i) {
      const auto query = maker.next();
      const auto expected = slow.search(query);
      REQUIRE(d.get().search(query) == expected);
      matches += expected.size();
    }
    for (std::size_t step = maker.below(40); step > 0; --step) {
      const auto set = maker.next();
      const auto id = oracle::set_id<id_type>(maker.below(2) == 0 ? added++ : maker.below(added + 1));
      switch (maker.below(5)) {
        case 0: REQUIRE(d.erase(id) == (slow.sets.erase(id) == 1)); break;
        case 1:
          REQUIRE(d.insert_or_assign(set, id) == !slow.sets.contains(id));
          slow.sets[id] = set;
          break;
        case 2: {
          const std::vector<std::vector<std::uint64_t>> sets{set, maker.next(), maker.next()};
          const std::vector<id_type> ids{id, oracle::set_id<id_type>(added++), id};
          std::size_t expected = 0;
          for (std::size_t i = 0; i < ids.size(); ++i) expected += slow.sets.emplace(ids[i], sets[i]).second ? 1 : 0;
          REQUIRE(d.insert_all(sets, ids) == expected);
          break;
        }
        default: REQUIRE(d.insert(set, id) == slow.sets.emplace(id, set).second);
      }
    }
    if (round % 4 == 1) d.save();
  }
  CHECK(matches > oracle::effort(200, 25) / 2);
}

TEST_CASE("a durable set_index refuses other settings, and damage when it saves") {
  const support::temporary_folder folder;
  const std::string path = folder / "d";
  {
    durable_type d(path, empty_index(), any);
    for (const std::uint32_t id : {0U, 2U}) d.insert(set_type{id, 100, 200}, id);
    d.save();
    d.insert(set_type{4, 5}, 4);
  }
  CHECK_THROWS_WITH(durable_type(path, set_index<>(neardup::jaccard{0.7}), any),
                    path +
                        ": is for Jaccard of at least 0.6, 1 or more common features; not for Jaccard of at least "
                        "0.7, 1 or more common features; open it with its threshold, or make it anew");
  CHECK_THROWS_AS(durable_type(path, set_index<>(neardup::cosine{0.6}), any), std::runtime_error);
  CHECK_THROWS_AS(durable_type(path, set_index<>(neardup::jaccard{0.6, 2}), any), std::runtime_error);
  CHECK_THROWS_AS(durable_type(path, empty_index(), {.tokenizer = "other"}), std::invalid_argument);
  using wide_id = oracle::ordered_set_id;
  using wide_type = neardup::durable_set_index<std::uint64_t, wide_id>;
  CHECK_THROWS_WITH(wide_type(path, set_index<std::uint64_t, wide_id>(neardup::jaccard{0.6}), any),
                    path + ": features of 32 bits, not 64");
  const std::string file = support::read_bytes(path), log = support::read_bytes(path + ".log");
  support::write_bytes(path, support::with_flipped_bit(file, 8 * (file.size() - 5)));
  durable_type damaged(path, empty_index(), any);  // opening does not read the sections
  CHECK_THROWS_WITH(damaged.save(),
                    path + ": section 9 of 9 is damaged; restore the file from a copy, or make it anew");
  CHECK(support::read_bytes(path + ".log") == log);
}

}  // namespace durable_sets
