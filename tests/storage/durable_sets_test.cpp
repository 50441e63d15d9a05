// A set_index on the disk while writes, syncs and renames fail, after power failures, and with damaged logs: what was
// acknowledged is there, and nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/sets/set_index.hpp>
#include <neardup/storage.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/slow_set_index.hpp"
#include "support/durable_steps.hpp"
#include "support/failing_allocations.hpp"
#include "support/faulty_files.hpp"
#include "support/temporary_folder.hpp"

namespace durable_sets {
namespace {

using neardup::set_index;
using durable_type = neardup::durable_set_index<>;
using set_type = std::vector<std::uint32_t>;

const neardup::fingerprint_composition any{.tokenizer = "any"};

set_index<> empty_index() { return set_index<>(neardup::jaccard{0.6}); }

/// Sets 2i and 2i + 1 are similar.
set_type set_of(std::uint32_t i) {
  set_type set;
  for (std::uint32_t feature = 0; feature < 12; ++feature) set.push_back(i / 2 * 100 + feature * 3);
  set.back() += i % 2;
  return set;
}

const std::vector<std::function<void(durable_type&)>> steps = {
    [](durable_type& d) { d.insert(set_of(0), 0); },
    [](durable_type& d) { d.insert(set_of(1), 1); },
    [](durable_type& d) { d.insert_or_assign(set_of(3), 0); },
    [](durable_type& d) { d.erase(1); },
    [](durable_type& d) { d.insert({}, 9); },
    [](durable_type& d) { d.save(); },
    [](durable_type& d) { d.insert(set_of(4), 4); },
    [](durable_type& d) { d.erase(0); },
    [](durable_type& d) {
      d.insert_all(std::vector{set_of(5), set_of(6), set_of(7)}, std::vector{5U, 6U, 5U});
    },
    [](durable_type& d) { d.insert_or_assign(set_of(8), 9); },
    [](durable_type& d) { d.erase(77); },
    [](durable_type& d) { d.save(); },
    [](durable_type& d) { d.insert(set_of(9), 1); },
    [](durable_type& d) { d.insert_or_assign(set_of(1), 5); },
};

/// The observable state of an index.
std::string state_of(const durable_type& d) {
  std::string state = std::to_string(d.size());
  for (std::uint32_t id = 0; id < 12; ++id) {
    if (const auto set = d.get().find(id)) {
      state += " " + std::to_string(id) + ":";
      for (const std::uint32_t feature : *set) state += std::to_string(feature) + ",";
    }
    state += ";";
    for (const auto& match : d.get().search(set_of(id)))
      state += std::to_string(match.id) + "@" + std::to_string(match.common);
  }
  return state;
}

const support::durable_steps<durable_type> checked_steps{
    steps, state_of, [](const std::string& path, support::faulty_files* files) {
      return files == nullptr ? std::make_unique<durable_type>(path, empty_index(), any)
                              : std::make_unique<durable_type>(*files, path, empty_index(), any);
    }};

/// The log with version 7 in its header, and the checksum of that.
std::string of_version_7(std::string log) {
  log[8] = 7;
  const std::uint64_t checksum =
      neardup::detail::checksum_of(neardup::detail::to_bytes(std::string_view(log).substr(0, 24)));
  for (std::size_t i = 0; i < 8; ++i) log[24 + i] = static_cast<char>(checksum >> 8 * i & 0xff);
  return log;
}

std::string flipped(std::string bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(bytes[bit / 8]) ^ 1U << bit % 8);
  return bytes;
}

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

TEST_CASE("when an operation fails, a durable set_index keeps what it has acknowledged, and nothing else") {
  checked_steps.check_failing_calls();
}

TEST_CASE("an operation that fails once leaves a durable set_index as it was, and it goes on") {
  checked_steps.check_single_failures();
}

TEST_CASE("after a power failure at any call, a durable set_index has all that it acknowledged") {
  checked_steps.check_power_failures();
}

TEST_CASE(
    "the log of a set_index is cut off at every byte, and its bits flipped: whole records before that, or an error") {
  const support::temporary_folder folder;
  std::vector<std::size_t> ends;
  std::vector<std::string> states;
  {
    durable_type d(folder / "d", empty_index(), any);
    const auto note = [&] {
      ends.push_back(support::read_bytes(folder / "d.log").size());
      states.push_back(state_of(d));
    };
    note();
    for (std::size_t i = 0; i < 5; ++i) {
      steps[i](d);
      note();
    }
  }
  const std::string log = support::read_bytes(folder / "d.log");
  REQUIRE(log.size() == ends.back());
  std::size_t step = 0;
  for (std::size_t size = ends[0]; size <= log.size(); ++size) {
    while (step + 1 < ends.size() && ends[step + 1] <= size) ++step;
    support::write_bytes(folder / "d.log", std::string_view(log).substr(0, size));
    REQUIRE(state_of(durable_type(folder / "d", empty_index(), any)) == states[step]);
    REQUIRE(support::read_bytes(folder / "d.log").size() == ends[step]);
  }
  for (std::size_t byte = 0; byte < log.size(); ++byte) {
    const std::string damaged = flipped(log, 8 * byte + byte % 8);
    support::write_bytes(folder / "d.log", damaged);
    CAPTURE(byte);
    REQUIRE_THROWS_AS(durable_type(folder / "d", empty_index(), any), std::runtime_error);
    REQUIRE(support::read_bytes(folder / "d.log") == damaged);
  }
}

TEST_CASE("a durable set_index refuses other settings, other logs, records that do not fit, and damage when it saves") {
  const support::temporary_folder folder;
  const std::string path = folder / "d";
  std::string first;
  {
    durable_type d(path, empty_index(), any);
    d.insert(set_of(0), 0);
    CHECK_THROWS_WITH(
        durable_type(path, empty_index(), any),
        Catch::Matchers::Contains(path) && Catch::Matchers::Contains("is being written by another program"));
    d.save();
    first = support::read_bytes(path);
    d.insert(set_of(2), 2);
    d.save();
    d.insert(set_of(4), 4);
  }
  CHECK_THROWS_WITH(durable_type(path, set_index<>(neardup::jaccard{0.7}), any),
                    path +
                        ": is for Jaccard of at least 0.6, 1 or more common features; not for Jaccard of at least "
                        "0.7, 1 or more common features");
  CHECK_THROWS_AS(durable_type(path, set_index<>(neardup::cosine{0.6}), any), std::runtime_error);
  CHECK_THROWS_AS(durable_type(path, set_index<>(neardup::jaccard{0.6, 2}), any), std::runtime_error);
  CHECK_THROWS_AS(durable_type(path, empty_index(), {.tokenizer = "other"}), std::invalid_argument);
  using wide_id = oracle::ordered_set_id;
  using wide_type = neardup::durable_set_index<std::uint64_t, wide_id>;
  CHECK_THROWS_WITH(wide_type(path, set_index<std::uint64_t, wide_id>(neardup::jaccard{0.6}), any),
                    path + ": features of 32 bits, not 64");

  const std::string second = support::read_bytes(path), log = support::read_bytes(path + ".log");
  const std::string other = path + ".log: it follows another file than " + path + " (";
  support::write_bytes(path, first);
  CHECK_THROWS_WITH(durable_type(path, empty_index(), any),
                    other + "this is another one); put that file back, or move the log away");
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(durable_type(path, empty_index(), any),
                    other + "there is none); put that file back, or move the log away");
  // A log of another version is refused as a file of one is, whether its file is there or not.
  std::string later = of_version_7(log);
  support::write_bytes(path + ".log", later);
  const std::string of_version = path + ".log: format version 7; this program reads version 1";
  CHECK_THROWS_WITH(durable_type(path, empty_index(), any), of_version);
  support::write_bytes(path, second);
  CHECK_THROWS_WITH(durable_type(path, empty_index(), any), of_version);
  later[24] ^= 1;
  support::write_bytes(path + ".log", later);
  CHECK_THROWS_WITH(durable_type(path, empty_index(), any), path + ".log: its header is damaged");
  support::write_bytes(path + ".log", log);
  support::write_bytes(path, second);
  CHECK(support::read_bytes(path + ".log") == log);

  for (const std::string& record :
       {std::string(), std::string("X"), std::string("E\x63\0\0\0", 5), std::string("E\0\0\0\0E\0\0\0\0", 10),
        std::string("S\x01\0\0\0\x02\0\0\0\x05\0\0\0", 13),
        std::string("S\x01\0\0\0\x02\0\0\0\x05\0\0\0\x04\0\0\0", 17)}) {
    support::write_bytes(path + ".log", log);
    neardup::record_log::go_on(neardup::log_contents(path + ".log")).append(record);
    CHECK_THROWS_WITH(durable_type(path, empty_index(), any), path + ".log: a record does not fit what is before it");
  }
  support::write_bytes(path + ".log", log);
  support::write_bytes(path, flipped(second, 8 * (second.size() - 5)));
  durable_type damaged(path, empty_index(), any);  // opening does not read the sections
  CHECK_THROWS_WITH(damaged.save(), path + ": a section is damaged");
  CHECK(support::read_bytes(path + ".log") == log);
}

TEST_CASE("an index with changes in a log beside it is not loaded without them") {
  const support::temporary_folder folder;
  const std::string path = folder / "d";
  {
    durable_type d(path, empty_index(), any);
    d.insert(set_of(0), 0);
  }
  CHECK_THROWS_WITH(neardup::load<set_index<>>(path),
                    path + ".log: it has changes since " + path + " was saved; open that as durable, and save");
  durable_type(path, empty_index(), any).save();
  CHECK(neardup::load<set_index<>>(path).size() == 1);
  // A log of another version, or with a damaged header, may have changes. Another file of that name has none.
  const std::string log = support::read_bytes(path + ".log");
  support::write_bytes(path + ".log", of_version_7(log));
  CHECK_THROWS_WITH(neardup::load<set_index<>>(path), path + ".log: format version 7; this program reads version 1");
  for (const std::string& damaged : {flipped(log, 8 * 9), flipped(log, 8 * 20), log.substr(0, 20)}) {
    support::write_bytes(path + ".log", damaged);
    CHECK_THROWS_WITH(neardup::load<set_index<>>(path), path + ".log: its header is damaged");
  }
  support::write_bytes(path + ".log", "12:30 the job has begun\n");
  CHECK(neardup::load<set_index<>>(path).size() == 1);
}

TEST_CASE("a durable set_index answers as before when any allocation fails, and saves") {
  const support::temporary_folder folder;
  durable_type d(folder / "d", empty_index(), any);
  std::size_t failures = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string before = state_of(d);
    failures += support::fail_each_allocation(
        [&] {
          try {
            steps[i](d);
          } catch (const std::runtime_error&) {  // the attempt before ran out of memory behind the log
            d.save();
            steps[i](d);
          }
        },
        [&] { REQUIRE(state_of(d) == before); });
    const std::string after = state_of(d);
    for (const std::string suffix : {"", ".log"}) {
      std::filesystem::copy_file(folder / "d" + suffix, folder / "e" + suffix,
                                 std::filesystem::copy_options::overwrite_existing);
    }
    REQUIRE(state_of(durable_type(folder / "e", empty_index(), any)) == after);
  }
  CHECK(state_of(d) == checked_steps.states().back());
  std::printf("%zu failing allocations of a durable set_index\n", failures);
  CHECK(failures > 50);
}

}  // namespace durable_sets
