// Golden files of each format. Later versions must open them, and this version writes the same bytes. With
// NEARDUP_WRITE_GOLDEN=1, the test writes golden files that are missing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/index.hpp>
#include <neardup/sets.hpp>
#include <neardup/storage.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace neardup;

std::string golden(const std::string& name) {
  const char* const sources = std::getenv("NEARDUP_SOURCE_DIR");
  REQUIRE(sources != nullptr);
  return (std::filesystem::path(sources) / "tests" / "storage" / "golden" / name).string();
}

/// Compares a written file with the golden file `name`.
void check_bytes(const std::string& written, const std::string& name) {
  if (!std::filesystem::exists(golden(name)) && std::getenv("NEARDUP_WRITE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(golden(name)).parent_path());
    std::filesystem::copy_file(written, golden(name));
  }
  INFO(name);
  const bool is_same = support::read_bytes(written) == support::read_bytes(golden(name));
  CHECK(is_same);
}

/// Returns `made_of` with an earlier definition of fingerprints, with which the golden file was made. The format of the
/// file does not depend on the definition.
fingerprint_composition of_definition(unsigned definition, fingerprint_composition made_of) {
  made_of.definition = definition;
  return made_of;
}

const fingerprint_composition golden_composition = of_definition(
    1, composition_of(simhasher{shingles{2, normalised{words{}}},
                                top{20, tf_idf{idf_table({{"term", weight::from_raw(300)}})}}, xxh3<64>{42}}));

/// Returns fingerprint i. It is the same in every golden file.
template <std::size_t Bits>
simhash<Bits> fingerprint_of(std::uint64_t i) {
  typename simhash<Bits>::words_type value{};
  for (std::size_t word = 0; word < value.size(); ++word) value[word] = detail::mix(i * 7 + word);
  if (Bits % 64 != 0) value.back() &= (std::uint64_t{1} << (Bits % 64)) - 1;
  return simhash<Bits>(value);
}

template <std::size_t Bits, class Id>
void check_index(const std::string& name, int k, int blocks) {
  std::vector<entry<Bits, Id>> pairs;
  for (std::uint64_t i = 0; i < 12; ++i) {
    for (std::uint64_t j = 0; j <= (i % 5 == 0 ? i : 0); ++j) {
      pairs.push_back({fingerprint_of<Bits>(i), static_cast<Id>(i + 100 * j)});
    }
  }
  // Returns: true if `index` has as many pairs as the file, and answers as `expected`.
  const auto is_same = [&](const auto& index, const auto& expected) {
    bool are_same = index.size() == pairs.size();
    for (std::uint64_t i = 0; i < 12; ++i) {
      auto query = fingerprint_of<Bits>(i);
      query.flip(i).flip(15 - i % 4);
      const int distance = index.default_distance();
      are_same = are_same && index.search(query, distance) == expected.search(query, distance);
    }
    return are_same;
  };
  const support::temporary_folder folder;
  flat_index<Bits, Id> flat;
  for (const auto& [fingerprint, id] : pairs) flat.insert(fingerprint, id);
  if (blocks == 0) {
    save(folder / "index", flat, golden_composition);
  } else {
    save(folder / "index", frozen_index<Bits, Id>(k, blocks, pairs.size(), [&](std::size_t i) { return pairs[i]; }),
         golden_composition);
  }
  check_bytes(folder / "index", name);
  INFO(name);
  if (blocks != 0) CHECK(is_same(load<frozen_index<Bits, Id>>(golden(name), golden_composition), flat));
  CHECK(is_same(load<flat_index<Bits, Id>>(golden(name), golden_composition), flat));
  const index_view<Bits, Id> view{mapped_file(golden(name))};
  view.verify();
  CHECK(is_same(view, flat));
  CHECK(view.made_of() == golden_composition);
}

}  // namespace

TEST_CASE("golden files of indexes are read, and written byte for byte") {
  check_index<64, std::uint32_t>("4_tables.neardup", 3, 4);
  check_index<64, std::int16_t>("radius.neardup", 10, 4);
  check_index<64, std::uint32_t>("flat.neardup", 0, 0);
  oracle::unless_sample([](auto) {
    check_index<64, std::uint64_t>("10_tables.neardup", 3, 5);
    check_index<128, std::uint32_t>("128_bits.neardup", 3, 4);
    check_index<24, std::uint8_t>("24_bits.neardup", 1, 2);
  });
}

TEST_CASE("a golden list is read, and written byte for byte") {
  std::vector<fingerprint_list<64>::value_type> entries;
  for (std::uint64_t i = 0; i < 10; ++i) entries.push_back({fingerprint_of<64>(i), i * i});
  const support::temporary_folder folder;
  save_list<64>(folder / "list", entries, golden_composition);
  check_bytes(folder / "list", "list.neardup");
  const fingerprint_list<64> list{mapped_file(golden("list.neardup"))};
  list.verify();
  REQUIRE(list.size() == entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) CHECK(list[i] == entries[i]);
}

namespace {

template <class Feature>
std::vector<Feature> golden_set(Feature i) {
  std::vector<Feature> set;
  for (Feature feature = 0; feature < 4 + 3 * (i % 4); ++feature) set.push_back(100 * (i / 4) + feature * feature);
  return set;
}

template <class Feature, class Id>
void check_durable_sets() {
  const support::temporary_folder folder;
  using index_type = set_index<Feature, Id>;
  {
    durable_set_index<Feature, Id> d(folder / "d", index_type(neardup::containment{0.75, 3}), golden_composition);
    for (Feature i = 0; i < 9; ++i) d.insert(golden_set(i), static_cast<Id>(5 - i));
    d.save();
    d.insert(golden_set(Feature{10}), 10);
    d.erase(3);
  }
  check_bytes(folder / "d", "durable_sets.neardup");
  check_bytes(folder / "d.log", "durable_sets.neardup.log");
  std::filesystem::copy_file(golden("durable_sets.neardup"), folder / "e");
  std::filesystem::copy_file(golden("durable_sets.neardup.log"), folder / "e.log");
  const durable_set_index<Feature, Id> again(folder / "e", index_type(neardup::containment{0.75, 3}),
                                             golden_composition);
  CHECK(again.size() == 9);
  CHECK_FALSE(again.contains(3));
  CHECK(again.contains(10));
  CHECK(again.get().search(golden_set(Feature{10})).size() == 2);
}

}  // namespace

TEST_CASE("golden files of sets and a log are read, and written byte for byte") {
  const support::temporary_folder folder;
  set_index<> index(neardup::jaccard{0.5});
  for (std::uint32_t i = 0; i < 12; ++i) index.insert(golden_set(i % 10), 7 * i);
  index.insert({}, 1000);
  save(folder / "sets", index, golden_composition);
  check_bytes(folder / "sets", "sets.neardup");
  const set_index_file<> file{mapped_file(golden("sets.neardup"))};
  file.verify();
  CHECK(file.made_of() == golden_composition);
  const set_index<> view = file.index();
  const auto loaded = load<set_index<>>(golden("sets.neardup"), golden_composition);
  for (std::uint32_t i = 0; i < 12; ++i) {
    CHECK(view.search(golden_set(i)) == index.search(golden_set(i)));
    CHECK(loaded.search(golden_set(i)) == index.search(golden_set(i)));
  }
  CHECK(view.search(golden_set(8U)).size() == 2);
  oracle::unless_sample([](auto) { check_durable_sets<std::uint64_t, std::int16_t>(); });
}

TEST_CASE("a golden deduplicator and its log are read, and written byte for byte") {
  const simhasher hash{shingles{2, normalised{words{}}}};
  const auto make = [&] { return fingerprint_deduplicator{hash, jaccard{0.7}, {.distance = 15}}; };
  const auto text_of = [](int i) {
    std::string text = "text";
    for (int word = 0; word < 4 + 9 * (i % 3); ++word) text += " word" + std::to_string(i * 100 + word);
    return text;
  };
  const support::temporary_folder folder;
  using durable = durable_deduplicator<decltype(make())>;
  {
    durable d(folder / "d", make(), of_definition(1, composition_of(hash)));
    for (int i = 0; i < 6; ++i) d.add(text_of(i));
    d.save();
    for (int i = 5; i < 8; ++i) d.add(text_of(i));
    d.erase(2);
  }
  check_bytes(folder / "d", "deduplicator.neardup");
  check_bytes(folder / "d.log", "deduplicator.neardup.log");
  // The older files do not store the extent of their log.
  for (const std::string name : {"deduplicator.neardup", "older_deduplicator.neardup"}) {
    const support::temporary_folder copy;
    std::filesystem::copy_file(golden(name), copy / "d");
    std::filesystem::copy_file(golden(name + ".log"), copy / "d.log");
    const durable d(copy / "d", make(), of_definition(1, composition_of(hash)));
    CHECK(d.get().added() == 9);
    for (int i = 0; i < 8; ++i) {
      CHECK(d.get().contains(static_cast<std::uint32_t>(i < 6 ? i : i + 1)) == (i != 2));
      CHECK(d.get().find(text_of(i)).is_new() == (i == 2));
    }
  }
}

TEST_CASE("a golden exact deduplicator is written byte for byte, and those of earlier versions are refused") {
  const auto make = [] { return deduplicator{feature_extractor{words{}}, jaccard{0.7}}; };
  const fingerprint_composition made_of = of_definition(2, composition_of(make()));
  const support::temporary_folder folder;
  {
    durable_deduplicator d(folder / "d", make(), made_of);
    d.add("some text or other that is long enough to be kept");
    d.save();
    d.add("another one that stands in the log");
    d.add("some text or other that is long enough to be kept, too");
    d.add("?!");
    d.erase(0);
  }
  check_bytes(folder / "d", "exact_deduplicator.neardup");
  check_bytes(folder / "d.log", "exact_deduplicator.neardup.log");
  const durable_deduplicator again(folder / "d", make(), made_of);
  CHECK(again.added() == 4);
  CHECK(again.size() == 1);

  // The first file also has fingerprints. The second file also has the name of a weighter.
  for (const std::string older : {"exact_with_fingerprints.neardup", "exact_with_weighter.neardup"}) {
    const support::temporary_folder copy;
    std::filesystem::copy_file(golden(older), copy / "d");
    std::filesystem::copy_file(golden(older + ".log"), copy / "d.log");
    CHECK_THROWS_WITH(
        durable_deduplicator(copy / "d", make(), made_of),
        copy / "d" + ": saved with an exact comparison by an earlier version; add its documents to a new one");
    CHECK(support::read_bytes(copy / "d.log") == support::read_bytes(golden(older + ".log")));
  }
}
