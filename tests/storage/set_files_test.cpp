// Indexes of sets in files: loaded and mapped ones, with changes, damaged files, files of other settings.
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/sets/set_index.hpp>
#include <neardup/storage.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/slow_set_index.hpp"
#include "support/failing_allocations.hpp"
#include "support/hostile_bytes.hpp"
#include "support/temporary_folder.hpp"

namespace set_files {
namespace {

using neardup::set_index;
using neardup::set_index_file;
using neardup::set_similarity;
using oracle::sample_or;
using oracle::set_id;
using oracle::set_maker;
using oracle::set_stream;
using oracle::slow_set_index;
using wide_id = oracle::ordered_set_id;

const neardup::fingerprint_composition any{.tokenizer = "any"};

/// Compares the content and all searches of an index with those of the oracle.
template <class Index, class Feature, class Id>
void check_answers(const Index& index, const slow_set_index<Feature, Id>& slow,
                   const std::vector<std::vector<Feature>>& queries) {
  REQUIRE(index.size() == slow.sets.size());
  std::map<Id, std::vector<Feature>> content;
  index.for_each([&](const Id& id, std::span<const Feature> set) {
    REQUIRE(content.emplace(id, std::vector<Feature>(set.begin(), set.end())).second);
  });
  REQUIRE(content == slow.sets);
  REQUIRE(index.empty() == content.empty());
  for (const auto& [id, set] : slow.sets) {
    const auto found = index.find(id);
    REQUIRE(found.has_value());
    REQUIRE(std::vector<Feature>(found->begin(), found->end()) == set);
  }
  REQUIRE_FALSE(index.contains(set_id<Id>(1'000'000'007)));
  typename Index::workspace scratch;
  const double least = index.threshold().similarity, more = least + (1 - least) / 2;
  for (const auto& query : queries) {
    for (const double asked : {least, more}) {
      const auto expected = slow.search(query, asked);
      REQUIRE(index.search(query, asked) == expected);
      REQUIRE(index.any_within(query, asked, scratch) == !expected.empty());
      const auto nearest = index.nearest(query, asked, scratch);
      REQUIRE(nearest.has_value() == !expected.empty());
      if (nearest) REQUIRE(*nearest == expected.front());
    }
  }
  const auto batch = index.search_batch(queries, {}, neardup::threads{2});
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto expected = slow.search(queries[i]);
    REQUIRE(std::vector(batch[i].begin(), batch[i].end()) == expected);
  }
}

/// Saves an index, opens the file, and compares the answers with the oracle. Then changes an index that has the file as
/// its base, saves it, and repeats.
template <class Feature, class Id>
void compare_files(set_stream form, double least, set_similarity measure, std::size_t min_common, std::size_t steps,
                   std::uint64_t seed) {
  INFO(static_cast<int>(form) << " " << least << " " << static_cast<int>(measure) << " " << min_common);
  const support::temporary_folder folder;
  const std::string path = folder / "sets";
  set_index<Feature, Id> index({measure, least, min_common});
  slow_set_index<Feature, Id> slow(least, measure, min_common);
  set_maker<Feature> maker(form, seed);
  std::uint64_t added = 0;
  const auto change = [&](auto& changed) {
    const std::vector<Feature> set = maker.next();
    const Id id = set_id<Id>(maker.below(2) == 0 ? added++ : maker.below(added + 1));
    switch (maker.below(4)) {
      case 0: REQUIRE(changed.erase(id) == (slow.sets.erase(id) == 1)); break;
      case 1:
        REQUIRE(changed.insert_or_assign(set, id) == !slow.sets.contains(id));
        slow.sets[id] = set;
        break;
      case 2:  // a view of the set of another id in this index
        if (const auto own = changed.find(set_id<Id>(maker.below(added + 1)))) {
          const std::vector<Feature> copy(own->begin(), own->end());
          REQUIRE(changed.insert(*own, id) == slow.sets.emplace(id, copy).second);
        }
        break;
      default: REQUIRE(changed.insert(set, id) == slow.sets.emplace(id, set).second);
    }
  };
  for (std::size_t step = 0; step < steps; ++step) change(index);
  std::vector<std::vector<Feature>> queries;
  for (std::size_t i = 0; i < 60; ++i) queries.push_back(maker.next());
  save(path, index, any);
  for (std::size_t round = 0; round < 3; ++round) {
    const auto loaded = neardup::load<set_index<Feature, Id>>(path, any);
    check_answers(loaded, slow, queries);
    const set_index_file<Feature, Id> file{neardup::mapped_file(path)};
    file.verify();
    REQUIRE(file.made_of() == any);
    REQUIRE(file.size() == slow.sets.size());
    set_index<Feature, Id> mapped = file.index();
    REQUIRE(mapped.distinct_size() == loaded.distinct_size());
    check_answers(mapped, slow, queries);
    // The bytes depend only on the content.
    save(folder / "again", loaded, any);
    REQUIRE(support::read_bytes(folder / "again") == support::read_bytes(path));
    std::vector<std::span<const Feature>> sets_of_file;
    std::vector<Id> ids_of_file;
    loaded.for_each([&](const Id& id, std::span<const Feature> set) {
      sets_of_file.push_back(set);
      ids_of_file.push_back(id);
    });
    const neardup::set_threshold settings{measure, least, min_common};
    save_sets(folder / "listed", settings, sets_of_file, ids_of_file, any);
    REQUIRE(support::read_bytes(folder / "listed") == support::read_bytes(path));
    if (!slow.sets.empty()) {
      sets_of_file.push_back(slow.sets.begin()->second);
      REQUIRE_THROWS_AS(save_sets(folder / "listed", settings, sets_of_file, ids_of_file, any), std::invalid_argument);
      ids_of_file.push_back(slow.sets.begin()->first);
      REQUIRE_THROWS_AS(save_sets(folder / "listed", settings, sets_of_file, ids_of_file, any), std::invalid_argument);
    }
    for (std::size_t step = 0; step < steps / 4; ++step) change(mapped);
    std::vector<std::vector<Feature>> sets;
    std::vector<Id> ids;
    for (std::size_t i = 0; i < 20; ++i) {
      sets.push_back(maker.next());
      ids.push_back(set_id<Id>(maker.below(added + 5)));
    }
    std::size_t new_ids = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) new_ids += slow.sets.emplace(ids[i], sets[i]).second ? 1 : 0;
    REQUIRE(mapped.insert_all(sets, ids) == new_ids);
    for (std::size_t i = 0; i < 20; ++i) queries.push_back(maker.next());
    check_answers(mapped, slow, queries);
    save(path, mapped, any);
    mapped.compact();
    check_answers(mapped, slow, queries);
    save(folder / "again", mapped, any);
    REQUIRE(support::read_bytes(folder / "again") == support::read_bytes(path));
    mapped.clear();
    check_answers(mapped, slow_set_index<Feature, Id>(least, measure, min_common), queries);
  }
}

struct saved_file {
  const char* name;
  std::string bytes;
};

template <class Feature, class Id>
std::string saved(double least, set_similarity measure, std::size_t sets) {
  const support::temporary_folder folder;
  set_index<Feature, Id> index({measure, least});
  set_maker<Feature> maker(set_stream::few_features, sets);
  std::vector<Feature> set;
  for (std::size_t i = 0; i < sets; ++i) {
    if (i % 5 != 1) set = maker.next();
    index.insert(set, set_id<Id>(i));
  }
  const std::string_view note = "a note";
  const std::span<const std::byte> attachment = std::as_bytes(std::span(note.data(), note.size()));
  save(folder / "sets", index, any, std::span(&attachment, 1));
  return support::read_bytes(folder / "sets");
}

std::vector<saved_file> files() {
  return {{"empty", saved<std::uint32_t, std::uint32_t>(0.8, set_similarity::jaccard, 0)},
          {"jaccard", saved<std::uint32_t, std::uint32_t>(0.7, set_similarity::jaccard, 12)},
          {"containment", saved<std::uint32_t, std::uint32_t>(0.7, set_similarity::containment, 9)},
          {"wide", saved<std::uint64_t, wide_id>(0.6, set_similarity::cosine, 9)}};
}

struct verdict {
  bool is_open = false, has_checksums = false, is_verified = false;
};

/// Opens a file, searches in it, and verifies it. If the file passes, the answers must be right for its content.
template <class Feature, class Id>
verdict open_sets(std::string_view bytes) {
  verdict result;
  const support::aligned_copy copy(bytes);
  try {
    const set_index_file<Feature, Id> file(copy.bytes());
    const set_index<Feature, Id> view = file.index();
    result.is_open = true;
    std::vector<std::vector<Feature>> queries;
    set_maker<Feature> maker(set_stream::few_features, 9);
    for (std::size_t i = 0; i < 4; ++i) queries.push_back(maker.next());
    // Before verify(), any answer is allowed, but no byte outside of the file may be read.
    for (const auto& query : queries) static_cast<void>(view.search(query));
    static_cast<void>(view.find(set_id<Id>(3)));
    file.verify_checksums();
    result.has_checksums = true;
    file.verify();
    result.is_verified = true;
    slow_set_index<Feature, Id> slow(view.threshold().similarity, view.threshold().measure,
                                     view.threshold().min_common);
    view.for_each([&](const Id& id, std::span<const Feature> set) {
      slow.sets.emplace(id, std::vector<Feature>(set.begin(), set.end()));
      queries.emplace_back(set.begin(), set.end());
    });
    check_answers(view, slow, queries);
  } catch (const std::runtime_error&) {
  }
  return result;
}
verdict open_any(std::string_view bytes) {
  const bool is_wide = bytes.size() >= 64 && support::load_number(bytes, 12, 4) == 64;
  return is_wide ? open_sets<std::uint64_t, wide_id>(bytes) : open_sets<std::uint32_t, std::uint32_t>(bytes);
}

/// Returns: true if load() accepts the file.
bool loads(const std::string& path, std::string_view bytes) {
  support::write_bytes(path, bytes);
  try {
    if (bytes.size() >= 64 && support::load_number(bytes, 12, 4) == 64) {
      static_cast<void>(neardup::load<set_index<std::uint64_t, wide_id>>(path));
    } else {
      static_cast<void>(neardup::load<set_index<>>(path));
    }
    return true;
  } catch (const std::runtime_error& error) {
    REQUIRE(std::string(error.what()).find(path) != std::string::npos);
    return false;
  }
}

std::string flipped(std::string bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(bytes[bit / 8]) ^ 1U << bit % 8);
  return bytes;
}

}  // namespace

TEST_CASE("saved, mapped and changed indexes of sets answer as a comparison with every set") {
  const std::size_t steps = oracle::effort(2000, 250, 40);
  std::uint64_t seed = 1;
  for (const set_stream form : {set_stream::mixed, set_stream::few_features, set_stream::of_a_template,
                                set_stream::copies, set_stream::sizes_apart}) {
    compare_files<std::uint32_t, std::uint32_t>(form, 0.8, set_similarity::jaccard, 0, steps, seed++);
    compare_files<std::uint64_t, wide_id>(form, 0.6, set_similarity::cosine, 2, steps, seed++);
    compare_files<std::uint32_t, sample_or<std::uint32_t, std::uint64_t>>(form, 0.7, set_similarity::containment, 0,
                                                                          steps, seed++);
    compare_files<std::uint64_t, sample_or<wide_id, std::int32_t>>(form, 0.3, set_similarity::jaccard, 3, steps,
                                                                   seed++);
  }
}

TEST_CASE("a set of a file is found until its last id is erased, and again when it is added") {
  const support::temporary_folder folder;
  set_index<> index(neardup::jaccard{0.5});
  const std::vector<std::uint32_t> set{1, 2, 3, 4}, other{10, 20, 30};
  index.insert(set, 1);
  index.insert(set, 2);
  index.insert(other, 3);
  save(folder / "sets", index, any);
  set_index<> mapped = set_index_file<>(neardup::mapped_file(folder / "sets")).index();
  CHECK(mapped.distinct_size() == 2);
  CHECK(mapped.erase(1));
  CHECK_FALSE(mapped.erase(1));
  CHECK(mapped.nearest(set)->id == 2);
  CHECK(mapped.distinct_size() == 2);
  CHECK_FALSE(mapped.insert_or_assign(other, 2));
  CHECK_FALSE(mapped.any_within(set));
  CHECK_FALSE(mapped.nearest(set));
  CHECK(mapped.search(other).size() == 2);
  CHECK(mapped.insert(set, 1));
  CHECK(mapped.nearest(set)->id == 1);
  mapped.compact();
  CHECK(mapped.distinct_size() == 2);
  CHECK(mapped.size() == 3);
  CHECK(neardup::load<set_index<>>(folder / "sets").size() == 3);
}

TEST_CASE("long posting lists and large sets are found in files") {
  const support::temporary_folder folder;
  set_index<> index(neardup::jaccard{0.5});
  slow_set_index<std::uint32_t, std::uint32_t> slow(0.5, set_similarity::jaccard, 0);
  std::vector<std::vector<std::uint32_t>> queries;
  oracle::random_engine random(4);
  for (std::uint32_t id = 0; id < 1200; ++id) {  // few features, so each is in hundreds of sets of different sizes
    std::vector<std::uint32_t> set;
    for (std::uint32_t feature = 0; feature < 24; ++feature) {
      if (random() % (2 + id % 5) == 0) set.push_back(feature * 7);
    }
    index.insert(set, id);
    slow.sets[id] = set;
    if (id % 40 == 0) queries.push_back(set);
  }
  for (const std::uint32_t size : {65'000U, 65'534U, 65'535U, 65'536U, 80'000U, 140'000U}) {
    std::vector<std::uint32_t> set(size);
    for (std::uint32_t i = 0; i < size; ++i) set[i] = 3 * i + size % 2;
    index.insert(set, 10'000 + size);
    slow.sets[10'000 + size] = set;
    queries.push_back(set);
  }
  save(folder / "sets", index, any);
  const set_index_file<> file{neardup::mapped_file(folder / "sets")};
  file.verify();
  check_answers(file.index(), slow, queries);
}

TEST_CASE("a file of sets that is cut off anywhere, or longer, is refused when it is opened") {
  const support::temporary_folder folder;
  for (const saved_file& file : files()) {
    CAPTURE(file.name);
    REQUIRE(open_any(file.bytes).is_verified);
    REQUIRE(loads(folder / "sets", file.bytes));
    for (std::size_t size = 0; size < file.bytes.size(); size += oracle::effort(1, 3)) {
      const std::string_view cut = std::string_view(file.bytes).substr(0, size);
      if (open_any(cut).is_open) FAIL("opened, cut off at " << size);
      if (size % 8 == 0 && loads(folder / "sets", cut)) FAIL("loaded, cut off at " << size);
    }
    for (std::size_t more = 1; more <= 64; ++more) {
      REQUIRE_FALSE(open_any(file.bytes + std::string(more, '\0')).is_open);
    }
  }
}

TEST_CASE("each flipped byte of a file of sets is found, by opening or by verify and load") {
  const support::temporary_folder folder;
  for (const saved_file& file : files()) {
    CAPTURE(file.name);
    for (std::size_t byte = 0; byte < file.bytes.size(); ++byte) {
      const std::string bytes = flipped(file.bytes, 8 * byte + byte % 8);
      if (open_any(bytes).has_checksums) FAIL("verified with byte " << byte << " changed");
      if (byte % 8 == 3 && loads(folder / "sets", bytes)) FAIL("loaded with byte " << byte << " changed");
    }
  }
}

TEST_CASE("a damaged file of sets whose checksums are right again is refused, or answers as what it holds") {
  const support::temporary_folder folder;
  oracle::random_engine random(20261127);
  const std::vector<saved_file> originals = files();
  std::size_t opened = 0, accepted = 0;
  const std::size_t tries = oracle::effort(100'000, 4'000, 1'500);
  for (std::size_t i = 0; i < tries; ++i) {
    std::string bytes = originals[i % originals.size()].bytes;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) support::damage(bytes, random);
    if (random() % 16 != 0) support::repair_checksums(bytes);
    CAPTURE(originals[i % originals.size()].name, i);
    const verdict found = open_any(bytes);
    opened += found.is_open ? 1 : 0;
    accepted += found.is_verified ? 1 : 0;
    if (i % 4 == 0) REQUIRE(loads(folder / "sets", bytes) == found.is_verified);
  }
  std::printf("%zu damaged files of sets: %zu opened, %zu accepted\n", tries, opened, accepted);
  CHECK(opened > tries / 10);
  CHECK(accepted > tries / 100);
  CHECK(accepted < opened);
}

TEST_CASE("a file of sets is refused by name where another one is asked for") {
  const support::temporary_folder folder;
  const std::string path = folder / "sets";
  set_index<> index(neardup::cosine{0.75, 4});
  index.insert(std::vector<std::uint32_t>{1, 2, 3, 4, 5}, 7);
  save(path, index, any);
  const auto loaded = neardup::load<set_index<>>(path, any);
  CHECK(loaded.threshold() == neardup::set_threshold(neardup::cosine{0.75, 4}));
  CHECK_THROWS_WITH((neardup::load<set_index<std::uint64_t, wide_id>>(path)), path + ": features of 32 bits, not 64");
  const std::string other_id =
      path + ": the ids are numbers of 32 bits, which is another Id; open it with this type of ids";
  CHECK_THROWS_WITH((set_index_file<std::uint32_t, std::int32_t>(neardup::mapped_file(path))), other_id);
  oracle::unless_sample([&](auto) {
    CHECK_THROWS_WITH((neardup::load<set_index<std::uint64_t>>(path)), path + ": features of 32 bits, not 64");
    CHECK_THROWS_WITH((neardup::load<set_index<std::uint32_t, std::uint64_t>>(path)), other_id);
    CHECK_THROWS_WITH((neardup::load<set_index<std::uint32_t, std::int32_t>>(path)), other_id);
  });
  CHECK_THROWS_WITH(neardup::load<neardup::flat_index<64>>(path), path + ": holds an index of sets, not an index");
  CHECK_THROWS_WITH(neardup::load<set_index<>>(path, {.tokenizer = "other"}),
                    path + ": the fingerprints are made otherwise: tokenizer any, not other");
  save(path, neardup::flat_index<64>(), any);
  CHECK_THROWS_WITH(neardup::load<set_index<>>(path), path + ": holds an index, not an index of sets");
  CHECK_THROWS_WITH(set_index_file<>(neardup::mapped_file(path)), path + ": holds an index, not an index of sets");
  CHECK_THROWS_AS(save(path, set_index<>(neardup::jaccard{0.5, std::size_t{1} << 32}), any), std::invalid_argument);
}

TEST_CASE("saving, loading and changing mapped sets keep their promises when any allocation fails") {
  const support::temporary_folder folder;
  const std::string path = folder / "sets";
  const neardup::fingerprint_composition made_of{.tokenizer = "a tokenizer with a name that needs memory"};
  set_index<> index(neardup::jaccard{0.8});
  set_maker<std::uint32_t> maker(set_stream::few_features, 5);
  std::vector<std::vector<std::uint32_t>> sets;
  for (std::uint32_t i = 0; i < 40; ++i) {
    sets.push_back(maker.next());
    index.insert(sets.back(), i);
  }
  save(path, set_index<>(neardup::jaccard{0.8}), made_of);
  const std::string before = support::read_bytes(path);
  std::size_t failures = support::fail_each_allocation([&] { save(path, index, made_of); },
                                                       [&] { REQUIRE(support::read_bytes(path) == before); });
  failures +=
      support::fail_each_allocation([&] { static_cast<void>(neardup::load<set_index<>>(path, made_of)); }, [] {});
  set_index<> mapped = set_index_file<>(neardup::mapped_file(path)).index();
  for (std::uint32_t i = 0; i < 40; ++i) {
    const std::vector<std::uint32_t>& set = sets[i / 2];
    const auto expected = mapped.search(set);
    const auto is_same = [&] { REQUIRE(mapped.search(set) == expected); };
    if (i % 3 == 0) failures += support::fail_each_allocation([&] { mapped.erase(i); }, is_same);
    if (i % 3 == 1) failures += support::fail_each_allocation([&] { mapped.insert_or_assign(set, i); }, is_same);
    if (i % 3 == 2) failures += support::fail_each_allocation([&] { mapped.insert(set, 100 + i); }, is_same);
  }
  failures += support::fail_each_allocation(
      [&] { mapped.compact(); },
      [&, expected = mapped.search(sets[0])] { REQUIRE(mapped.search(sets[0]) == expected); });
  CHECK(mapped.search(sets[0]).size() > 1);
  std::printf("%zu failing allocations of files of sets\n", failures);
  CHECK(failures > 100);
}

}  // namespace set_files
