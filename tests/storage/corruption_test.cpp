// Damaged files: truncated files, flipped bits, and changed bytes with valid checksums.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/index.hpp>
#include <neardup/storage.hpp>

#include "../../fuzz/index_bytes.hpp"
#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/index_check.hpp"
#include "oracle/probing.hpp"
#include "oracle/random_engine.hpp"
#include "support/failing_allocations.hpp"
#include "support/hostile_bytes.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::simhash;

struct saved_file {
  const char* name;
  std::string bytes;
};

template <std::size_t Bits, class Id = std::uint32_t>
std::string saved(int k, int blocks, std::size_t fingerprints, bool is_flat = false) {
  const support::temporary_folder folder;
  oracle::random_engine random(fingerprints + Bits);
  std::vector<neardup::entry<Bits, Id>> pairs;
  if (fingerprints > 0) {
    for (const auto& f : oracle::clustered_fingerprints<Bits>(fingerprints, 5, random)) {
      pairs.push_back({f, static_cast<Id>(random())});
      if (pairs.size() % 8 == 1) pairs.push_back({f, static_cast<Id>(random())});
    }
  }
  if (is_flat) {
    neardup::flat_index<Bits, Id> index;
    for (const auto& [fingerprint, id] : pairs) index.insert(fingerprint, id);
    save(folder / "index", index, {.tokenizer = "any"});
  } else {
    save(folder / "index",
         neardup::frozen_index<Bits, Id>(k, blocks, pairs.size(), [&](std::size_t i) { return pairs[i]; }),
         {.tokenizer = "any"});
  }
  return support::read_bytes(folder / "index");
}

std::vector<saved_file> files() {
  std::vector<saved_file> all;
  all.push_back({"empty", saved<64>(3, 4, 0)});
  all.push_back({"one entry", saved<64>(3, 4, 1)});
  all.push_back({"4 tables", saved<64>(3, 4, 30)});
  all.push_back({"10 tables", saved<64>(3, 5, 20)});
  all.push_back({"2 tables", saved<64>(3, 2, 40)});
  all.push_back({"80 bits", saved<80>(3, 4, 20)});
  all.push_back({"wide filters", saved<64>(10, 4, 20)});
  all.push_back({"flat", saved<64>(0, 0, 40, true)});
  oracle::unless_sample([&](auto) {
    all.push_back({"64-bit ids", saved<64, std::uint64_t>(3, 4, 25)});
    all.push_back({"128 bits", saved<128>(3, 4, 20)});
    all.push_back({"16 bits", saved<16>(2, 3, 30)});
  });
  return all;
}

/// Reads the header of a file of files(), and calls `visit.template operator()<View>()` for the type of its view.
template <class Visit>
auto visit_view(std::string_view bytes, const Visit& visit) {
  using neardup::index_view;
  if constexpr (oracle::is_sample) {
    return fuzz::visit_named_view<index_view<80>, index_view<64>>(bytes, visit);
  } else {
    return fuzz::visit_named_view<index_view<16>, index_view<80>, index_view<128>, index_view<64, std::uint64_t>,
                                  index_view<64>>(bytes, visit);
  }
}

/// Opens the bytes with the type that their header names.
fuzz::index_verdict open_index(std::string_view bytes) {
  const support::aligned_copy copy(bytes);
  return visit_view(bytes, [&]<class View>() { return fuzz::open_as<View>(copy.bytes()); });
}

/// Returns: true if load() accepts the bytes. Fails on any undocumented exception.
bool loads(const std::string& path, std::string_view bytes) {
  support::write_bytes(path, bytes);
  try {
    return visit_view(bytes, [&]<class View>() {
      static_cast<void>(neardup::load<neardup::flat_index<View::bits, typename View::id_type>>(path));
      return true;
    });
  } catch (const std::runtime_error&) {
    return false;
  }
}

struct counts {
  std::size_t tried = 0, refused_at_opening = 0, refused_by_verify = 0, accepted = 0;

  void add(const fuzz::index_verdict& verdict) {
    ++tried;
    ++(!verdict.is_open ? refused_at_opening : !verdict.is_verified ? refused_by_verify : accepted);
  }
  void print(const char* what) const {
    std::printf("%s: %zu files, %zu refused when opened, %zu by verify(), %zu accepted\n", what, tried,
                refused_at_opening, refused_by_verify, accepted);
  }
};

}  // namespace

TEST_CASE("a file that is cut off anywhere is refused when it is opened") {
  const support::temporary_folder folder;
  counts all;
  for (const saved_file& file : files()) {
    CAPTURE(file.name);
    REQUIRE(open_index(file.bytes).is_verified);
    REQUIRE(loads(folder / "index", file.bytes));
    const std::size_t step = oracle::effort(1, 7);
    for (std::size_t size = 0; size < file.bytes.size(); size += step) {
      const std::string_view cut = std::string_view(file.bytes).substr(0, size);
      all.add(open_index(cut));
      if (loads(folder / "index", cut)) FAIL("loaded, cut off at " << size);
    }
    std::string longer = file.bytes + std::string(64, '\0');
    for (std::size_t more = 1; more <= 64; ++more) {
      all.add(open_index(std::string_view(longer).substr(0, file.bytes.size() + more)));
    }
  }
  all.print("cut off or longer");
  CHECK(all.tried == all.refused_at_opening);
}

TEST_CASE("each flipped bit of a file is found, by opening or by verify and load") {
  const support::temporary_folder folder;
  counts all;
  for (const saved_file& file : files()) {
    CAPTURE(file.name);
    const std::size_t step = oracle::effort(1, 97);
    for (std::size_t bit = 0; bit < 8 * file.bytes.size(); bit += step) {
      std::string bytes = file.bytes;
      bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(bytes[bit / 8]) ^ 1U << bit % 8);
      const fuzz::index_verdict verdict = open_index(bytes);
      all.add(verdict);
      if (verdict.is_verified) FAIL("verified with bit " << bit << " flipped");
      if (bit % 16 == 0 && loads(folder / "index", bytes)) FAIL("loaded with bit " << bit << " flipped");
    }
  }
  all.print("one bit flipped");
  CHECK(all.accepted == 0);
}

TEST_CASE("a damaged file whose checksums are right again is refused, or answers as what it holds") {
  const support::temporary_folder folder;
  oracle::random_engine random(20261122);
  const std::vector<saved_file> originals = files();
  counts all;
  const std::size_t tries = oracle::effort(200'000, 2'000);
  for (std::size_t i = 0; i < tries; ++i) {
    const saved_file& file = originals[i % originals.size()];
    std::string bytes = file.bytes;
    const std::size_t changes = 1 + random() % 3;
    for (std::size_t j = 0; j < changes; ++j) support::damage(bytes, random);
    if (random() % 16 != 0) support::repair_checksums(bytes);
    const fuzz::index_verdict verdict = open_index(bytes);
    all.add(verdict);
    if (!verdict.difference.empty()) FAIL(verdict.difference << " in a damaged file: " << file.name << ", try " << i);
    if (i % 4 == 0 && loads(folder / "index", bytes) != verdict.is_verified) {
      FAIL("load and verify() do not agree: " << file.name << ", try " << i);
    }
  }
  all.print("damaged, with right checksums");
  CHECK(all.accepted > tries / 100);
  CHECK(all.refused_by_verify > tries / 10);
}

TEST_CASE("an index of ids without fingerprints is refused") {
  std::string bytes = saved<64>(3, 4, 1);
  // The sections of the fingerprints and of their first ids get tags that are free for users.
  support::store_number(bytes, 64, 8, ~std::uint64_t{0});
  support::store_number(bytes, 96, 8, ~std::uint64_t{0} - 1);
  support::repair_checksums(bytes);
  const fuzz::index_verdict verdict = open_index(bytes);
  CHECK(verdict.is_open);
  CHECK_FALSE(verdict.is_verified);
}

TEST_CASE("a damaged index of lines of the cache is refused, or answers as what it holds") {
  oracle::random_engine random(18);
  std::vector<simhash<64>> fingerprints;
  for (std::size_t i = 0; i < (std::size_t{1} << 17) + 500; ++i) {
    fingerprints.push_back(oracle::random_fingerprint<64>(random));
  }
  for (std::size_t i = 0; i < 100; ++i) {
    fingerprints[i] = simhash<64>((fingerprints[i].to_uint64() & 0xffffffff00000000U) | 77);
  }
  const support::temporary_folder folder;
  const neardup::frozen_index<64> index(3, 4, fingerprints);
  save(folder / "index", index, {.tokenizer = "any"});
  const std::string bytes = support::read_bytes(folder / "index");
  // One copy is damaged and restored repeatedly, because verify() of a new copy takes most of the time.
  support::aligned_copy copy(bytes);
  auto* const data = const_cast<std::byte*>(copy.bytes().data());
  const neardup::index_view<64> whole(copy.bytes());
  whole.verify();
  std::size_t refused = 0, same = 0;
  const std::size_t header = static_cast<std::size_t>(support::load_number(bytes, 16, 4));
  const std::size_t tries = oracle::effort(400, 100, 10);
  for (std::size_t i = 0; i < tries; ++i) {
    const std::size_t bit = 8 * header + static_cast<std::size_t>(random() % (8 * (bytes.size() - header)));
    data[bit / 8] ^= std::byte{1} << bit % 8;
    std::string changed(reinterpret_cast<const char*>(copy.bytes().data()), bytes.size());
    support::repair_checksums(changed);
    const support::aligned_copy repaired(changed);
    data[bit / 8] ^= std::byte{1} << bit % 8;
    const neardup::index_view<64> view(repaired.bytes());
    for (std::size_t j = 0; j < 200; ++j) {
      try {
        (void)view.search(fingerprints[(i * 200 + j) % fingerprints.size()]);
      } catch (const std::exception&) {
      }
    }
    try {
      view.verify();
      ++same;
      const std::vector<simhash<64>> queries(fingerprints.begin(), fingerprints.begin() + 500);
      // An accepted file differs in an id, or in bytes that nothing reads.
      const auto expected = index.search_batch(queries), found = view.search_batch(queries);
      REQUIRE(found.offsets == expected.offsets);
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  std::printf("lines, one bit flipped, with right checksums: %zu refused, %zu the same\n", refused, same);
  CHECK(refused > tries / 4);
}

TEST_CASE("opening a file never takes much more memory than the file has bytes") {
  oracle::random_engine random(5);
  std::size_t opened = 0;
  for (const saved_file& file : files()) {
    for (std::size_t i = 0; i < oracle::effort(2000, 100); ++i) {
      std::string bytes = file.bytes;
      if (i > 0) support::damage(bytes, random);
      support::repair_checksums(bytes);
      const support::aligned_copy copy(bytes);
      support::allocated_bytes = 0;
      try {
        const neardup::index_view<64> view(copy.bytes());
        ++opened;
      } catch (const std::exception&) {
      }
      const std::size_t allocated = support::allocated_bytes;
      if (allocated > 16384 + 32 * bytes.size()) FAIL(allocated << " bytes for a file of " << bytes.size());
    }
  }
  CHECK(opened > 100);
}

TEST_CASE("saving and loading keep their promises when any allocation fails") {
  const support::temporary_folder folder;
  neardup::pigeonhole_index<64> index;
  for (std::uint32_t i = 0; i < 100; ++i) index.insert(simhash<64>(i * 0x9e3779b97f4a7c15U), i / 2);
  const neardup::fingerprint_composition any{.tokenizer = "a tokenizer with a name that needs memory"};
  save(folder / "index", neardup::flat_index<64>(), any);
  const std::string before = support::read_bytes(folder / "index");
  std::size_t failures = support::fail_each_allocation([&] { save(folder / "index", index, any); },
                                                       [&] {
                                                         const std::string now = support::read_bytes(folder / "index");
                                                         REQUIRE(now == before);
                                                         REQUIRE(folder.files() == 1);
                                                       });
  CHECK(neardup::load<neardup::pigeonhole_index<64>>(folder / "index", any) == index);
  failures += support::fail_each_allocation(
      [&] { (void)neardup::load<neardup::frozen_index<64>>(folder / "index", any); }, [] {});
  failures += support::fail_each_allocation(
      [&] { (void)neardup::load<neardup::pigeonhole_index<64>>(folder / "index", any); }, [] {});
  failures += support::fail_each_allocation(
      [&] { neardup::index_view<64>(neardup::mapped_file(folder / "index")).verify(); }, [] {});
  std::printf("%zu failing allocations\n", failures);
  CHECK(failures > 100);
}
