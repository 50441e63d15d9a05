// Lists of fingerprints, row keys of ordered stores, and deduplicators in files.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/index_check.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/random_text.hpp"
#include "support/hostile_bytes.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::band_key;
using neardup::fingerprint_list;
using neardup::mapped_file;
using neardup::simhash;

const neardup::fingerprint_composition any_list{.tokenizer = "any"};

template <std::size_t Bits>
std::vector<typename fingerprint_list<Bits>::value_type> some_entries(std::size_t count) {
  oracle::random_engine random(Bits);
  std::vector<typename fingerprint_list<Bits>::value_type> entries;
  for (std::size_t i = 0; i < count; ++i) entries.push_back({oracle::random_fingerprint<Bits>(random), random()});
  return entries;
}

/// Saves and maps lists of fingerprints of `Bits` bits. A list of `Other` bits must refuse these files.
template <std::size_t Bits, std::size_t Other>
void check_list() {
  const support::temporary_folder folder;
  for (const std::size_t count : {0U, 1U, 97U}) {
    const auto entries = some_entries<Bits>(count);
    neardup::save_list<Bits>(folder / "list", entries, any_list);
    const fingerprint_list<Bits> list{mapped_file(folder / "list")};
    list.verify();
    REQUIRE(list.size() == count);
    CHECK(list.made_of() == any_list);
    for (std::size_t i = 0; i < count; ++i) CHECK(list[i] == entries[i]);
    CHECK_THROWS_AS(list[count], std::out_of_range);
    std::string written;
    neardup::save_list<Bits>([&](std::string_view piece) { written += piece; }, entries, any_list);
    CHECK(written == support::read_bytes(folder / "list"));

    // Also reads records without a header, and compares each byte with the fingerprint.
    const std::size_t record = Bits / 8 + 8;
    const std::string records = written.substr(written.size() - count * record);
    support::write_bytes(folder / "records", records);
    const fingerprint_list<Bits> raw(mapped_file(folder / "records"), any_list);
    raw.verify();
    REQUIRE(raw.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(raw[i] == entries[i]);
      CHECK(support::load_number(records, i * record + Bits / 8, 8) == entries[i].id);
      std::string hex;
      for (std::size_t byte = Bits / 8; byte-- > 0;) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(records[i * record + byte]));
        hex += digits;
      }
      CHECK(hex == entries[i].fingerprint.to_hex());
    }
  }
  CHECK_THROWS_WITH((fingerprint_list<Bits>(mapped_file(folder / "list"), any_list)),
                    Catch::Matchers::ContainsSubstring("has a header"));
  CHECK_THROWS_WITH(fingerprint_list<Other>(mapped_file(folder / "list")),
                    Catch::Matchers::ContainsSubstring("bits, not"));
  CHECK_THROWS_WITH(fingerprint_list<Bits>(mapped_file(folder / "records")),
                    folder / "records" + ": not a file of neardup");
  CHECK_THROWS_WITH((fingerprint_list<Other>(mapped_file(folder / "records"), any_list)),
                    Catch::Matchers::ContainsSubstring("no whole records"));
}

/// Checks row keys in a std::map from byte strings. It has the order of LMDB and RocksDB.
template <std::size_t Bits, class Id>
void check_band_keys(int k, int blocks, std::size_t count, std::size_t queries) {
  CAPTURE(Bits, k, blocks);
  oracle::random_engine random(static_cast<std::uint64_t>(k * 100 + blocks));
  const band_key<Bits, Id> keys(neardup::layout(Bits, k, blocks));
  const oracle::corpus<Bits> data(count, queries, k, random);
  neardup::pigeonhole_index<Bits, neardup::dynamic_layout, neardup::dynamic_layout, Id> index(k, blocks);
  std::map<std::string, int> store;
  for (const auto& [fingerprint, id] : data.pairs) {
    index.insert(fingerprint, id);
    std::size_t tables = 0;
    keys.for_each_row(fingerprint, id, [&, f = fingerprint, i = id](std::string_view key) {
      REQUIRE(key.size() == keys.size());
      const auto row = keys.decode(key);
      REQUIRE(row.has_value());
      REQUIRE(row->fingerprint == f);
      REQUIRE(row->id == i);
      REQUIRE(row->table == tables++);
      REQUIRE(keys.encode(*row) == key);
      store[std::string(key)] = 1;
    });
    REQUIRE(tables == keys.shape().table_count());
  }
  REQUIRE(store.size() == index.size() * keys.shape().table_count());
  for (const auto& query : data.queries) {
    for (int distance = 0; distance <= k; ++distance) {
      using match_type = neardup::match<Bits, Id>;
      std::vector<match_type> found;
      keys.for_each_range(query, distance, [&](const neardup::band_range& range, std::size_t step) {
        for (auto row = store.lower_bound(range.begin);
             row != store.end() && (range.end.empty() || row->first < range.end); ++row) {
          if (const auto match = keys.match_of(row->first, query, distance, step)) found.push_back(*match);
        }
      });
      std::sort(found.begin(), found.end());
      REQUIRE(found == index.search(query, distance));
    }
  }
  for (const auto& [fingerprint, id] : data.pairs) {
    keys.for_each_row(fingerprint, id, [&](std::string_view key) { store.erase(std::string(key)); });
  }
  CHECK(store.empty());
}

std::vector<std::string> some_texts(std::size_t count) {
  oracle::random_engine random(4);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 4 && random() % 3 == 0) {
      texts.push_back(texts[random() % texts.size()] + " more" + std::to_string(random() % 3));
    } else {
      std::string text;
      for (std::size_t words = random() % 40; words > 0; --words) text += "w" + std::to_string(random() % 200) + " ";
      texts.push_back(text);
    }
  }
  return texts;
}

/// Compares a deduplicator that is saved and restored halfway with one that is not.
template <class Make>
void check_restored(const Make& make, const neardup::fingerprint_composition& made_of) {
  const support::temporary_folder folder;
  const auto texts = some_texts(400);
  auto whole = make();
  auto restored = make();
  std::size_t duplicates = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i % 60 == 30) {
      save(folder / "dedup", restored, made_of);
      restored = neardup::restore(folder / "dedup", make(), made_of);
      REQUIRE(restored.size() == whole.size());
      REQUIRE(restored.added() == whole.added());
      save(folder / "again", restored, made_of);
      REQUIRE(support::read_bytes(folder / "again") == support::read_bytes(folder / "dedup"));
    }
    if (i % 11 == 10) {
      using id_type = typename std::remove_cvref_t<decltype(whole)>::id_type;
      REQUIRE(whole.erase(static_cast<id_type>(i / 2)) == restored.erase(static_cast<id_type>(i / 2)));
    }
    const auto verdict = whole.add(texts[i]);
    duplicates += verdict.is_new() ? 0 : 1;
    REQUIRE(restored.add(texts[i]) == verdict);
  }
  CHECK(duplicates > 30);
}

}  // namespace

TEST_CASE("lists of fingerprints come back, with and without a header") {
  check_list<64, 80>();
  check_list<80, 64>();
  oracle::unless_sample([](auto) {
    check_list<16, 24>();
    check_list<24, 128>();
    check_list<128, 16>();
  });
}

TEST_CASE("a list whose bits are flipped is refused, or found out by verify") {
  const support::temporary_folder folder;
  neardup::save_list<64>(folder / "list", some_entries<64>(20), any_list);
  const std::string bytes = support::read_bytes(folder / "list");
  const auto is_verified = [](std::string_view text) {
    const support::aligned_copy copy(text);
    try {
      const fingerprint_list<64> list(copy.bytes());
      for (std::size_t i = 0; i < list.size(); ++i) (void)list[i];
      list.verify();
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  REQUIRE(is_verified(bytes));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ 1U << bit % 8);
    if (is_verified(damaged)) FAIL("bit " << bit);
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (is_verified(std::string_view(bytes).substr(0, size))) FAIL("cut off at " << size);
  }
  oracle::random_engine random(3);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < oracle::effort(20'000, 1000); ++i) {
    std::string damaged = bytes;
    support::damage(damaged, random);
    support::repair_checksums(damaged);
    accepted += is_verified(damaged) ? 1 : 0;
  }
  CHECK(accepted > 0);
}

TEST_CASE("a search by row keys in an ordered store finds what an index finds") {
  check_band_keys<64, std::uint32_t>(3, 4, 400, 20);
  check_band_keys<64, std::uint32_t>(3, 5, 400, 20);
  check_band_keys<64, std::uint32_t>(3, 2, 200, 4);
  check_band_keys<64, std::uint32_t>(6, 4, 200, 10);
  check_band_keys<64, std::uint32_t>(2, 6, 200, 10);
  check_band_keys<64, std::uint32_t>(0, 1, 200, 10);
  check_band_keys<80, std::uint32_t>(3, 4, 200, 10);
  oracle::unless_sample([](auto) {
    check_band_keys<128, std::uint32_t>(3, 4, 200, 10);
    check_band_keys<16, std::uint32_t>(2, 3, 300, 20);
    check_band_keys<24, std::uint32_t>(3, 4, 300, 20);
  });
}

TEST_CASE("row keys are bytes in the order of numbers, with ranges that are open at the top") {
  const band_key<64> four(neardup::layout(64, 3, 4));
  CHECK(four.size() == 4 + 1 + 8 + 8);
  const std::string key = four.encode({0x1234, 2, simhash<64>(0x1234567890abcdefU), 0x0102030405060708U});
  CHECK(key == std::string("\x00\x00\x12\x34\x02\x12\x34\x56\x78\x90\xab\xcd\xef\x01\x02\x03\x04\x05\x06\x07\x08", 21));
  CHECK(four.range_of(0x1234, 2) ==
        neardup::band_range{std::string("\0\0\x12\x34\x02", 5), std::string("\0\0\x12\x34\x03", 5)});
  CHECK(four.range_of(0xffff, 255) ==
        neardup::band_range{std::string("\0\0\xff\xff\xff", 5), std::string("\0\x01", 2)});
  CHECK(four.range_of(0xffffffff, 255) == neardup::band_range{std::string(5, '\xff'), ""});
  // Keys have 25 or 26 bits in 10 tables, 32 bits in 2 tables.
  CHECK(band_key<64>(neardup::layout(64, 3, 5)).size() == 21);
  CHECK(band_key<64>(neardup::layout(64, 3, 2)).size() == 21);
  CHECK(band_key<64>(neardup::layout(64, 1, 3)).size() == 6 + 1 + 8 + 8 - 0);
  CHECK(band_key<64>(neardup::layout(64, 0, 1)).size() == 8 + 1 + 8 + 8);
  CHECK(band_key<128, std::uint32_t>(neardup::layout(128, 3, 4)).size() == 4 + 1 + 16 + 4);
  CHECK_THROWS_AS(band_key<64>(neardup::layout(32, 3, 4)), std::invalid_argument);

  CHECK_FALSE(four.decode(key).has_value());  // the segment belongs to another table
  CHECK_FALSE(four.decode("").has_value());
  CHECK_FALSE(four.decode(key.substr(1)).has_value());
  std::string of_no_table = key;
  of_no_table[4] = '\x04';
  CHECK_FALSE(four.decode(of_no_table).has_value());
  CHECK_FALSE(four.match_of(key, simhash<64>(0x1234567890abcdefU), 3, 0).has_value());
  CHECK_THROWS_AS(four.for_each_range(simhash<64>(), 4, [](const auto&, std::size_t) {}), std::invalid_argument);
}

TEST_CASE("a deduplicator goes on after a restart as if there had been none") {
  using namespace neardup;
  const simhasher hash{shingles{2, normalised{words{}}}};
  const auto made_of = composition_of(hash);
  check_restored(
      [&] {
        return deduplicator{feature_extractor{hash.tokenizer}, jaccard{0.7}};
      },
      composition_of(feature_extractor{hash.tokenizer}));
  using wide_features = feature_extractor<byte_ngrams, xxh3<64>, std::uint64_t>;
  const auto by_wide = [] { return make_deduplicator<std::uint64_t>(wide_features{byte_ngrams{5}}, cosine{0.8}); };
  check_restored(by_wide, composition_of(by_wide()));
  check_restored(
      [&] { return make_fingerprint_deduplicator<std::uint64_t>(hash, wide_features{byte_ngrams{5}}, jaccard{0.8}); },
      made_of);
  oracle::unless_sample([&](auto) {
    check_restored([&] { return fingerprint_deduplicator{hash, bits{6}}; }, made_of);
    check_restored(
        [&] {
          return fingerprint_deduplicator{hash, feature_extractor{code_point_ngrams{4}}, jaccard{0.6}};
        },
        made_of);
    const auto yes = [](std::uint32_t, std::string_view) { return true; };
    check_restored([&] { return fingerprint_deduplicator{hash, yes, bits{14}}; }, made_of);
    const simhasher wide_hash{words{}, tf{}, xxh3<128>{.seed = 5}};
    check_restored([&] { return fingerprint_deduplicator{wide_hash, jaccard{0.8}}; }, composition_of(wide_hash));
  });
}

TEST_CASE("a deduplicator is restored only into one of the same parts and options") {
  using namespace neardup;
  const support::temporary_folder folder;
  const simhasher hash{words{}};
  const auto made_of = composition_of(hash);
  fingerprint_deduplicator dedup{hash, jaccard{0.7}};
  dedup.add("some text or other that is long enough to be kept");
  save(folder / "dedup", dedup, made_of);
  CHECK(restore(folder / "dedup", fingerprint_deduplicator{hash, jaccard{0.7}}, made_of).size() == 1);
  CHECK(restore(folder / "dedup", fingerprint_deduplicator{hash, jaccard{0.7}}).size() == 1);
  const auto check_refused = [&](auto empty, const std::string& why) {
    CHECK_THROWS_WITH(restore(folder / "dedup", std::move(empty), made_of), folder / "dedup" + ": saved with " + why);
  };
  const std::string distance = std::to_string(dedup.distance());
  const std::string own = "a distance of " + distance + " bits for a similarity of 0.7, not ";
  check_refused(fingerprint_deduplicator{hash, jaccard{0.7}, {.distance = 9}},
                own + "a distance of 9 bits for a similarity of 0.7");
  check_refused(fingerprint_deduplicator{hash, jaccard{0.8}, {.distance = dedup.distance()}},
                own + "a distance of " + distance + " bits for a similarity of 0.8");
  check_refused(deduplicator{feature_extractor{words{}}, jaccard{0.8}}, own + "sets of a Jaccard similarity of 0.8");
  check_refused(deduplicator{feature_extractor{words{}}, cosine{0.7}}, own + "sets of a cosine of 0.7");
  check_refused(fingerprint_deduplicator{hash, jaccard{0.7}, {.min_tokens = 3}}, "min_tokens 8, not min_tokens 3");
  check_refused(make_fingerprint_deduplicator<std::string>(hash, jaccard{0.7}), "another Id");
  const std::string otherwise =
      "another tokenizer, hasher, seed or kind of the fingerprints, or of the check: they make something else of the "
      "same text";
  oracle::unless_sample([&](auto) {
    check_refused(fingerprint_deduplicator{hash, bits{3}}, "a check of features, not no check");
    check_refused(fingerprint_deduplicator{hash, feature_extractor{byte_ngrams{5}}, jaccard{0.7}}, otherwise);
  });
  const simhasher seeded{words{}, unit{}, xxh3<64>{.seed = 1}};
  const auto other_seed = [&] { return fingerprint_deduplicator{seeded, jaccard{0.7}}; };
  check_refused(other_seed(), otherwise);
  CHECK_THROWS_AS(restore(folder / "dedup", other_seed()), std::invalid_argument);
  CHECK_THROWS_AS(restore(folder / "dedup", std::move(dedup), made_of), std::invalid_argument);
}

TEST_CASE("a deduplicator says by itself what it compares, unless a part of it has no name") {
  using namespace neardup;
  const support::temporary_folder folder;
  const shingles pairs_of_words{2, normalised{words{}}};
  const deduplicator exact{feature_extractor{pairs_of_words, xxh3<64>{.seed = 5}}, jaccard{0.7}};
  CHECK(composition_of(exact) == fingerprint_composition{.tokenizer = "shingles(2, normalised(words))",
                                                         .hasher = "xxh3",
                                                         .seed = seed_identity(5)});
  const minwise_hasher hash{pairs_of_words};
  CHECK(composition_of(fingerprint_deduplicator{hash, feature_extractor{words{}}, jaccard{0.7}}) ==
        composition_of(hash));
  CHECK(composition_of(stream_deduplicator(fingerprint_deduplicator{hash, bits{3}})) == composition_of(hash));

  const auto lines = [](std::string_view text, auto&& sink) { sink(text); };
  const auto open = [&](const char* name) {
    return durable_deduplicator(folder / "d", deduplicator{feature_extractor{lines}, jaccard{1}},
                                fingerprint_composition{.tokenizer = name});
  };
  open("lines").add("a line");
  CHECK_FALSE(open("lines").add("a line").is_new());
  CHECK_THROWS_AS(open("other lines"), std::invalid_argument);
}

TEST_CASE("a damaged file of a deduplicator is refused") {
  using namespace neardup;
  const support::temporary_folder folder;
  const simhasher hash{words{}};
  const auto made_of = composition_of(hash);
  const auto check = [&](const auto& make) {
    auto dedup = make();
    dedup.add("some text or other that is long enough to be kept");
    dedup.add("short");
    save(folder / "dedup", dedup, made_of);
    REQUIRE(restore(folder / "dedup", make(), made_of).size() == 2);
    const std::string bytes = support::read_bytes(folder / "dedup");
    const auto is_restored = [&](std::string_view damaged) {
      support::write_bytes(folder / "damaged", damaged);
      try {
        (void)restore(folder / "damaged", make(), made_of);
        return true;
      } catch (const std::runtime_error&) {
      } catch (const std::invalid_argument&) {
      }
      return false;
    };
    for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += oracle::effort(7, 31)) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ 1U << bit % 8);
      if (is_restored(damaged)) FAIL("bit " << bit);
    }
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      if (is_restored(std::string_view(bytes).substr(0, size))) FAIL("cut off at " << size);
    }
    oracle::random_engine random(3);
    for (std::size_t i = 0; i < oracle::effort(2'000, 200); ++i) {
      std::string damaged = bytes;
      support::damage(damaged, random);
      support::repair_checksums(damaged);
      (void)is_restored(damaged);
    }
  };
  check([&] { return fingerprint_deduplicator{hash, jaccard{0.7}}; });
  check([&] { return deduplicator{feature_extractor{words{}}, jaccard{0.7}}; });
}
