// Saved indexes, mapped and loaded, against a plain loop over their content.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/index_check.hpp"
#include "oracle/probing.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::index_view;
using neardup::load;
using neardup::mapped_file;
using neardup::save;
using neardup::simhash;

const neardup::fingerprint_composition any_index{.tokenizer = "any"};

/// Saves one corpus in every kind of index, then maps and loads each file, and checks all searches.
template <std::size_t Bits>
void check_layout(int k, int blocks, std::size_t fingerprints, std::size_t queries, oracle::tally& counts) {
  CAPTURE(Bits, k, blocks, fingerprints);
  oracle::random_engine random(Bits * 1000 + static_cast<std::size_t>(k * 10 + blocks));
  const oracle::corpus<Bits> data(fingerprints, queries, k, random);
  const std::span<const neardup::entry<Bits, std::uint32_t>> pairs(data.pairs);
  const std::span<const simhash<Bits>> asked(data.queries);
  using dynamic = neardup::pigeonhole_index<Bits, neardup::dynamic_layout>;
  dynamic index(k, blocks);
  neardup::flat_index<Bits> flat;
  for (const auto& [fingerprint, id] : data.pairs) {
    index.insert(fingerprint, id);
    flat.insert(fingerprint, id);
  }
  const support::temporary_folder folder;
  const std::string path = folder / "index";
  save(path, index, any_index);
  ++counts.layouts;
  const index_view<Bits> view{mapped_file(path)};
  view.verify();
  CHECK(view.shape() == index.shape());
  CHECK(view.size() == index.size());
  CHECK(view.distinct_size() == index.distinct_size());
  CHECK(view.made_of() == any_index);
  oracle::check_searches(view, pairs, asked, k, counts);
  for (const auto& [fingerprint, id] : data.pairs) CHECK(view.contains(fingerprint, id));
  for (const auto& query : data.queries) CHECK(view.contains(query) == index.contains(query));
  CHECK(std::equal(view.begin(), view.end(), freeze(index).begin()));

  const auto loaded = load<dynamic>(path, any_index);
  CHECK(loaded == index);
  CHECK(loaded.shape() == index.shape());
  CHECK(load<neardup::flat_index<Bits>>(path) == flat);
  const auto frozen = load<neardup::frozen_index<Bits>>(path);
  CHECK(frozen == freeze(index));
  oracle::check_searches(frozen, pairs, asked.first(asked.size() / 4), k, counts);
  // If a loaded index is saved, the bytes are the same.
  save(folder / "again", frozen, any_index);
  CHECK(support::read_bytes(folder / "again") == support::read_bytes(path));

  save(path, flat, any_index);
  const index_view<Bits> flat_view{mapped_file(path)};
  flat_view.verify();
  CHECK(flat_view.is_flat());
  CHECK(flat_view.max_distance() == static_cast<int>(Bits));
  CHECK(flat_view.default_distance() == 3);
  oracle::check_searches(flat_view, pairs, asked.first(asked.size() / 4), std::min(12, static_cast<int>(Bits)), counts);
  for (const auto& [fingerprint, id] : data.pairs) CHECK(flat_view.contains(fingerprint, id));
  CHECK(load<neardup::flat_index<Bits>>(path) == flat);
  CHECK_THROWS_WITH(load<neardup::frozen_index<Bits>>(path), Catch::Matchers::ContainsSubstring("has no layout"));
  CHECK(load<neardup::pigeonhole_index<Bits, 2>>(path).size() == flat.size());
  CHECK(folder.files() == 2);
}

template <std::size_t Bits>
void check_width() {
  oracle::tally counts;
  for (int k = 0; k <= 12; ++k) {
    for (int blocks = 1; blocks <= 8; ++blocks) {
      if (!neardup::layout::is_valid(Bits, k, blocks)) continue;
      if ((k * 8 + blocks) % static_cast<int>(oracle::effort(1, 7)) != 0) continue;
      check_layout<Bits>(k, blocks, 400, 8, counts);
    }
  }
  counts.print(("saved, " + std::to_string(Bits) + " bits").c_str());
}

/// An id of two words, with no padding.
struct wide_id {
  std::uint64_t shard, number;
  friend auto operator<=>(const wide_id&, const wide_id&) = default;
};

template <class Id, class Offset>
void check_types() {
  oracle::random_engine random(sizeof(Id) * 16 + sizeof(Offset));
  neardup::pigeonhole_index<64, 3, 4, Id, Offset> index;
  std::vector<simhash<64>> queries;
  for (std::size_t i = 0; i < 200; ++i) {
    const auto fingerprint = oracle::random_fingerprint<64>(random);
    queries.push_back(oracle::with_flips(fingerprint, i % 5, random));
    for (std::size_t j = 0; j < (i % 16 == 0 ? 5U : 1U); ++j) {
      const std::uint64_t bits = random();
      Id id;
      if constexpr (std::is_same_v<Id, wide_id>) {
        id = {bits, random()};
      } else {
        id = static_cast<Id>(bits);
      }
      index.insert(fingerprint, id);
    }
  }
  const support::temporary_folder folder;
  const std::string path = folder / "index";
  save(path, index, any_index);
  const index_view<64, Id, Offset> view{mapped_file(path)};
  view.verify();
  const auto loaded = load<decltype(index)>(path);
  const auto frozen = load<neardup::frozen_index<64, Id, Offset>>(path);
  CHECK(loaded == index);
  for (const auto& query : queries) {
    CHECK(view.search(query) == index.search(query));
    CHECK(frozen.search(query) == index.search(query));
  }
}

/// A tokenizer with a description.
struct whole_text {
  std::string description() const { return "whole_text"; }
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    sink(text);
  }
};

template <class Exception, class Operation>
std::string message_of(const Operation& operation) {
  try {
    operation();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

#if !defined(NEARDUP_TEST_SAMPLE)
TEST_CASE("saved indexes answer as the plain loop, mapped and loaded, in every layout") {
  check_width<16>();
  check_width<64>();
  check_width<128>();
}
#endif

TEST_CASE("saved indexes of other widths answer as the plain loop") {
  oracle::tally counts;
  check_layout<80>(3, 4, 1000, 24, counts);
  check_layout<64>(3, 5, 1, 8, counts);
  oracle::unless_sample([&](auto) {
    check_layout<24>(3, 4, 1000, 24, counts);
    check_layout<24>(5, 2, 1000, 24, counts);
    check_layout<1024>(3, 4, 300, 8, counts);
    check_layout<1024>(24, 16, 300, 8, counts);
  });
  counts.print("saved, other widths");
}

TEST_CASE("saved indexes keep ids and offsets of every type") {
  check_types<std::int16_t, std::uint32_t>();
  check_types<wide_id, std::uint64_t>();
  oracle::unless_sample([](auto) {
    check_types<std::uint8_t, std::uint16_t>();
    check_types<std::uint64_t, std::uint32_t>();
    check_types<std::int64_t, std::uint64_t>();
    check_types<std::uint32_t, std::uint64_t>();
    check_types<wide_id, std::uint32_t>();
  });
}

TEST_CASE("an index of lines of the cache is saved with them") {
  oracle::random_engine random(17);
  std::vector<simhash<64>> fingerprints;
  for (std::size_t i = 0; i < (std::size_t{1} << 17) + 1000; ++i) {
    fingerprints.push_back(oracle::random_fingerprint<64>(random));
  }
  // Some buckets are so crowded that lines overflow.
  for (std::size_t i = 0; i < 200; ++i) {
    fingerprints[i] = simhash<64>((fingerprints[i].to_uint64() & 0xffffffff00000000U) | 77);
  }
  const neardup::frozen_index<64> index(3, 4, fingerprints);
  std::vector<simhash<64>> queries;
  for (std::size_t i = 0; i < 2000; ++i) queries.push_back(oracle::with_flips(fingerprints[i], i % 6, random));
  const support::temporary_folder folder;
  save(folder / "index", index, any_index);
  const index_view<64> view{mapped_file(folder / "index")};
  view.verify();
  const auto loaded = load<neardup::frozen_index<64>>(folder / "index");
  for (int k = 0; k <= 3; ++k) {
    const auto expected = index.search_batch(queries, k);
    CHECK(view.search_batch(queries, k).matches == expected.matches);
    CHECK(loaded.search_batch(queries, k).matches == expected.matches);
    for (std::size_t i = 0; i < queries.size(); i += 10)
      CHECK(view.search(queries[i], k) == index.search(queries[i], k));
  }
}

TEST_CASE("empty and moved-from indexes are saved") {
  const support::temporary_folder folder;
  neardup::frozen_index<64> index(3, 5, std::span<const simhash<64>>{});
  for (int i = 0; i < 2; ++i) {
    save(folder / "index", index, any_index);
    const index_view<64> view{mapped_file(folder / "index")};
    view.verify();
    CHECK(view.empty());
    CHECK(view.search(simhash<64>(3)).empty());
    CHECK_FALSE(view.contains(simhash<64>(3)));
    CHECK(view.begin() == view.end());
    CHECK(view.shape().blocks() == 5);
    CHECK(load<neardup::pigeonhole_index<64>>(folder / "index").empty());
    CHECK(load<neardup::frozen_index<64>>(folder / "index").search(simhash<64>(3)).empty());
    const neardup::frozen_index<64> taken(std::move(index));
  }
}

TEST_CASE("a view outlives what it was copied from, and the file's name") {
  const support::temporary_folder folder;
  neardup::flat_index<64> index;
  index.insert(simhash<64>(1), 10);
  save(folder / "index", index, any_index);
  std::vector<index_view<64>> views;
  {
    const index_view<64> view{mapped_file(folder / "index")};
    views.push_back(view);
  }
  index.insert(simhash<64>(2), 20);
  save(folder / "index", index, any_index);
  CHECK(views[0].size() == 1);
  CHECK(views[0].search(simhash<64>(1)).size() == 1);
  views.emplace_back(mapped_file(folder / "index"));
  CHECK(views[1].search(simhash<64>(1)).size() == 2);
}

TEST_CASE("what does not fit a saved index is named") {
  const support::temporary_folder folder;
  const std::string path = folder / "index";
  neardup::pigeonhole_index<64> index;
  index.insert(simhash<64>(1), 10);
  const neardup::simhasher hash{neardup::shingles{2, neardup::words{}}};
  const neardup::fingerprint_composition made_of = composition_of(hash);
  save(path, index, made_of);
  using runtime = std::runtime_error;
  CHECK(message_of<runtime>([&] { (void)load<neardup::pigeonhole_index<32>>(path); }) ==
        path + ": fingerprints of 64 bits, not 32");
  CHECK(message_of<runtime>([&] { (void)index_view<64, std::uint64_t>(mapped_file(path)); }) ==
        path + ": the ids are numbers of 32 bits, which is another Id; open it with this type of ids");
  CHECK(message_of<runtime>([&] { (void)index_view<64, std::int32_t>(mapped_file(path)); }) ==
        path + ": the ids are numbers of 32 bits, which is another Id; open it with this type of ids");
  CHECK(message_of<runtime>([&] { (void)index_view<64, std::uint32_t, std::uint64_t>(mapped_file(path)); }) ==
        path + ": the offsets have 32 bits, which is another Offset");
  CHECK(message_of<std::invalid_argument>([&] {
          (void)load<neardup::pigeonhole_index<64>>(path, composition_of(neardup::simhasher{neardup::words{}}));
        }) == path + ": the fingerprints are made otherwise: tokenizer shingles(2, words), not words");
  const auto seeded = neardup::simhasher{neardup::shingles{2, neardup::words{}}, neardup::unit{}, neardup::xxh3<64>{9}};
  CHECK(message_of<std::invalid_argument>([&] {
          (void)load<neardup::pigeonhole_index<64>>(path, composition_of(seeded));
        }).starts_with(path + ": the fingerprints are made otherwise: seed "));
  auto minwise = made_of;
  minwise.kind = neardup::fingerprint_kind::minwise;
  CHECK(message_of<std::invalid_argument>([&] { (void)load<neardup::pigeonhole_index<64>>(path, minwise); }) ==
        path + ": the fingerprints are made otherwise: kind simhash, not minwise");
  CHECK(load<neardup::pigeonhole_index<64>>(path, made_of) == index);

  CHECK(message_of<runtime>([&] { (void)mapped_file(folder / "missing"); }) ==
        "cannot open " + folder / "missing" + ": No such file or directory");
  CHECK(message_of<runtime>([&] { (void)load<neardup::flat_index<64>>(folder.path().string()); }) ==
        "cannot map " + folder.path().string() + ": it is no regular file");
  support::write_bytes(folder / "empty", "");
  CHECK(message_of<runtime>([&] { (void)load<neardup::flat_index<64>>(folder / "empty"); }) ==
        folder / "empty" + ": not a file of neardup");
  support::write_bytes(folder / "text", std::string(1000, 'x'));
  CHECK(message_of<runtime>([&] { (void)load<neardup::flat_index<64>>(folder / "text"); }) ==
        folder / "text" + ": not a file of neardup");
  std::string later = support::read_bytes(path);
  later[8] = 2;
  support::write_bytes(folder / "later", later);
  CHECK(message_of<runtime>([&] { (void)load<neardup::flat_index<64>>(folder / "later"); }) ==
        folder / "later" +
            ": format version 2; this program reads version 1. Make the file anew, or use the version of neardup that "
            "wrote it");

  alignas(64) std::byte bytes[4096];
  const std::string file = support::read_bytes(path);
  REQUIRE(file.size() < 4095);
  std::memcpy(bytes + 1, file.data(), file.size());
  CHECK_THROWS_AS(index_view<64>(std::span<const std::byte>(bytes + 1, file.size())), std::invalid_argument);
  std::memmove(bytes, bytes + 1, file.size());
  const index_view<64> view(std::span<const std::byte>(bytes, file.size()));
  view.verify();
  CHECK(view.search(simhash<64>(1)).size() == 1);
}

TEST_CASE("a composition names the parts of a simhasher and their settings") {
  using namespace neardup;
  const idf_table table({{"a", weight::from_raw(300)}, {"b", weight::from_raw(20)}});
  const idf_table same({{"b", weight::from_raw(20)}, {"a", weight::from_raw(300)}});
  const idf_table other({{"b", weight::from_raw(21)}, {"a", weight::from_raw(300)}});
  const auto made_of = composition_of(simhasher{normalised{code_point_ngrams{3}}, top{9, tf_idf{table}}, xxh3<64>{7}});
  CHECK(made_of.tokenizer == "normalised(code_point_ngrams(3))");
  CHECK(made_of.weighter == "top(9, tf_idf)");
  CHECK(made_of.hasher == "xxh3");
  CHECK(made_of.seed == seed_identity(7));
  CHECK(made_of.seed.size() == 4);
  CHECK(composition_of(simhasher{words{}, idf{table}}) == composition_of(simhasher{words{}, idf{same}}));
  CHECK_FALSE(composition_of(simhasher{words{}, idf{table}}) == composition_of(simhasher{words{}, idf{other}}));
  CHECK(composition_of(simhasher{folded{byte_ngrams{}}, levels{3, log_tf{}}}).weighter == "levels(3, log_tf)");
  CHECK(composition_of(simhasher{longest{3, sentences{}}, tf{}}).tokenizer == "longest(3, sentences)");
  CHECK(neardup::detail::parse_composition(to_string(made_of)) == made_of);

  std::set<std::string> seeds;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) seeds.insert(seed_identity(seed));
  CHECK(seeds.size() > 980);

  CHECK(composition_of(simhasher{shingles{2, whole_text{}}}).tokenizer == "shingles(2, whole_text)");
  fingerprint_composition wrong;
  wrong.tokenizer = "a\nb";
  CHECK_THROWS_AS(to_string(wrong), std::invalid_argument);
  for (const char* const text :
       {"", "kind: simhash\n", "kind: other\ndefinition: 2\n", "kind: simhash\ndefinition: x\n",
        "kind: simhash\ndefinition: 2\nunknown: 1\n", "kind: simhash\ndefinition: 2\nidf: a",
        "kind: simhash\ndefinition: 2\nidf: a\nidf: b\n", "kind: simhash\ndefinition: \n"}) {
    CHECK_FALSE(neardup::detail::parse_composition(text).has_value());
  }
}
