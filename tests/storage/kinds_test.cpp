// A file stores the kind of its fingerprints and the form of its index.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::fingerprint_kind;
using neardup::flat_index;
using neardup::frozen_index;
using neardup::index_view;
using neardup::mapped_file;
using neardup::minwise;
using neardup::simhash;

const neardup::fingerprint_composition codes{.kind = fingerprint_kind::minwise, .tokenizer = "any"};
const neardup::fingerprint_composition fingerprints{.tokenizer = "any"};

using view_of_codes = index_view<64, std::uint32_t, std::uint32_t, minwise<64>>;
using frozen_codes = frozen_index<64, std::uint32_t, std::uint32_t, minwise<64>>;
using flat_codes = flat_index<64, std::uint32_t, std::uint32_t, minwise<64>>;

}  // namespace

TEST_CASE("indexes of min-wise codes are saved, viewed and loaded") {
  const support::temporary_folder folder;
  const std::string path = folder / "index";
  neardup::pigeonhole_index_of<minwise<64>, 9> index;
  for (std::uint64_t i = 0; i < 300; ++i) {
    index.insert(minwise<64>(i * 0x9e3779b97f4a7c15U), static_cast<std::uint32_t>(i));
  }
  save(path, index, codes);
  const view_of_codes view{mapped_file(path)};
  view.verify();
  CHECK(view.made_of().kind == fingerprint_kind::minwise);
  const auto frozen = neardup::load<frozen_codes>(path, codes);
  CHECK(frozen == freeze(index));
  CHECK(neardup::load<neardup::pigeonhole_index_of<minwise<64>, 9>>(path) == index);
  const minwise<64> query(0x9e3779b97f4a7c15U ^ 5);
  REQUIRE(index.search(query).size() == 1);
  CHECK(view.search(query) == index.search(query));
  CHECK(frozen.search(query) == index.search(query));

  const std::string bytes = support::read_bytes(path);
  save(path, frozen, codes);
  CHECK(support::read_bytes(path) == bytes);
  save(folder / "again", view, codes);
  CHECK(support::read_bytes(folder / "again") == bytes);
}

TEST_CASE("the view of a flat index is saved as one, and frozen in a layout that is named") {
  const support::temporary_folder folder;
  flat_codes flat;
  for (std::uint64_t i = 0; i < 20; ++i) flat.insert(minwise<64>(i), static_cast<std::uint32_t>(i));
  save(folder / "flat", flat, codes);
  const view_of_codes view{mapped_file(folder / "flat")};
  save(folder / "again", view, codes);
  CHECK(support::read_bytes(folder / "again") == support::read_bytes(folder / "flat"));
  CHECK_THROWS_WITH(freeze(view),
                    "freeze: the view is of a flat_index, which has no layout; write freeze(view, k, blocks)");
  CHECK(freeze(view, 3, 4).search(minwise<64>(0)) == flat.search(minwise<64>(0), 3));
}

TEST_CASE("what is derived from an index is saved as what it gives") {
  const support::temporary_folder folder;
  struct named_tables : neardup::pigeonhole_index<64> {
    std::map<std::uint32_t, std::string> names;
  } tables;
  struct named_flat : flat_index<64> {
    std::map<std::uint32_t, std::string> names;
  } flat;
  for (std::uint32_t id = 0; id < 40; ++id) {
    tables.insert(simhash<64>(id * 77), id);
    flat.insert(simhash<64>(id * 77), id);
  }
  save(folder / "tables", tables, fingerprints);
  save(folder / "flat", flat, fingerprints);
  const index_view<64> tables_view{mapped_file(folder / "tables")}, flat_view{mapped_file(folder / "flat")};
  tables_view.verify();
  CHECK_FALSE(tables_view.is_flat());
  CHECK(tables_view.shape() == neardup::layout(64, 3, 4));
  CHECK(tables_view.size() == 40);
  CHECK(flat_view.is_flat());
  CHECK(flat_view.size() == 40);
}

TEST_CASE("what a header has no room for is refused before anything is written") {
  const support::temporary_folder folder;
  const neardup::pigeonhole_index<65'600, neardup::dynamic_layout> index(0, 65'536);
  CHECK_THROWS_WITH(save(folder / "index", index, fingerprints),
                    folder / "index" + ": a saved layout has k and blocks up to 65535, not k = 0, blocks = 65536");
  CHECK_THROWS_AS(save(folder / "index", flat_index<64>(), {.definition = 1'000'000'000}), std::invalid_argument);
  CHECK(folder.files() == 0);
  save(folder / "index", flat_index<64>(), {.definition = 999'999'999});
  CHECK(index_view<64>{mapped_file(folder / "index")}.made_of().definition == 999'999'999);
}

TEST_CASE("lists and row keys hold min-wise codes") {
  const support::temporary_folder folder;
  const std::vector<neardup::fingerprint_list<24, minwise<24>>::value_type> entries{{minwise<24>(7), 1},
                                                                                    {minwise<24>(9), 2}};
  neardup::save_list<24, minwise<24>>(folder / "list", entries, codes);
  const neardup::fingerprint_list<24, minwise<24>> list{mapped_file(folder / "list")};
  list.verify();
  REQUIRE(list.size() == 2);
  CHECK(list[1] == entries[1]);
  std::string written;
  neardup::save_list<24, minwise<24>>([&](std::string_view piece) { written += piece; }, entries, codes);
  CHECK(written == support::read_bytes(folder / "list"));

  const neardup::band_key<64, std::uint64_t, minwise<64>> keys(neardup::layout(64, 3, 4));
  std::size_t found = 0;
  keys.for_each_row(minwise<64>(5), 17, [&](std::string_view key) {
    const auto match = keys.match_of(key, minwise<64>(4), 3, 0);
    if (match) found += match->id == 17 && match->distance == 1 && match->fingerprint == minwise<64>(5) ? 1 : 0;
  });
  CHECK(found == 4);
}

TEST_CASE("fingerprints of the other kind are refused by name, when saved and when read") {
  const support::temporary_folder folder;
  const std::string refused = ": the composition is of the kind ";
  CHECK_THROWS_WITH(save(folder / "x", flat_codes(), fingerprints),
                    folder / "x" + refused + "simhash, and the fingerprints are of the kind minwise");
  CHECK_THROWS_WITH(save(folder / "x", flat_index<64>(), codes),
                    folder / "x" + refused + "minwise, and the fingerprints are of the kind simhash");
  CHECK_THROWS_AS(save(folder / "x", frozen_codes(3, 4, 0, [](std::size_t) { return frozen_codes::value_type{}; }), {}),
                  std::invalid_argument);
  const std::vector<neardup::fingerprint_list<64>::value_type> entries(1);
  CHECK_THROWS_AS(neardup::save_list<64>(folder / "x", entries, codes), std::invalid_argument);
  CHECK_THROWS_AS(neardup::save_list<64>([](std::string_view) {}, entries, codes), std::invalid_argument);
  CHECK(folder.files() == 0);

  save(folder / "codes", flat_codes(), codes);
  save(folder / "fingerprints", flat_index<64>(), fingerprints);
  const std::string of_codes =
      folder / "codes" + ": fingerprints of the kind minwise, not simhash; read it as minwise<64>";
  const std::string of_fingerprints =
      folder / "fingerprints" + ": fingerprints of the kind simhash, not minwise; read it as simhash<64>";
  CHECK_THROWS_WITH(index_view<64>(mapped_file(folder / "codes")), of_codes);
  CHECK_THROWS_WITH(neardup::load<flat_index<64>>(folder / "codes"), of_codes);
  CHECK_THROWS_WITH(neardup::load<flat_index<64>>(folder / "codes", codes), of_codes);
  CHECK_THROWS_WITH(view_of_codes(mapped_file(folder / "fingerprints")), of_fingerprints);
  CHECK_THROWS_WITH(neardup::load<flat_codes>(folder / "fingerprints"), of_fingerprints);

  using list_of_codes = neardup::fingerprint_list<64, minwise<64>>;
  neardup::save_list<64>(folder / "list", entries, fingerprints);
  CHECK_THROWS_WITH(list_of_codes(mapped_file(folder / "list")),
                    folder / "list" + ": fingerprints of the kind simhash, not minwise; read it as simhash<64>");
  support::write_bytes(folder / "records", std::string(16, 'x'));
  CHECK(list_of_codes(mapped_file(folder / "records"), codes).size() == 1);
  CHECK_THROWS_AS(list_of_codes(mapped_file(folder / "records"), fingerprints), std::invalid_argument);
}

TEST_CASE("a deduplicator of min-wise codes is restored as what it is, and only so") {
  using namespace neardup;
  const support::temporary_folder folder;
  const auto by_minima = [] { return fingerprint_deduplicator{minwise_hasher{words{}}, jaccard{0.7}}; };
  const auto by_votes = [distance = by_minima().distance()] {
    return fingerprint_deduplicator{simhasher{words{}}, jaccard{0.7}, {.distance = distance}};
  };
  auto dedup = by_minima();
  dedup.add("a text of some words");
  save(folder / "d", dedup, fingerprints);
  CHECK(restore(folder / "d", by_minima(), fingerprints).size() == 1);
  CHECK_THROWS_WITH(restore(folder / "d", by_votes(), fingerprints),
                    folder / "d" + ": the fingerprints are made otherwise: kind minwise, not simhash");
  save(folder / "d", by_votes(), codes);
  CHECK_THROWS_WITH(restore(folder / "d", by_minima(), codes),
                    folder / "d" + ": the fingerprints are made otherwise: kind simhash, not minwise");
}

TEST_CASE("the composition of a minwise_hasher names its parts, and no weighter") {
  using namespace neardup;
  const auto made_of = composition_of(minwise_hasher{shingles{2, words{}}, xxh3<64>{.seed = 4}});
  CHECK(to_string(made_of) ==
        "kind: minwise\ndefinition: 4\ntokenizer: shingles(2, words)\nhasher: xxh3\nseed: " + seed_identity(4) + "\n");
  CHECK(neardup::detail::parse_composition(to_string(made_of)) == made_of);
}
