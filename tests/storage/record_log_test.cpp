// record_log: acknowledged records are there, whole, after failures, power failures and torn writes.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/storage/record_log.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/faulty_files.hpp"
#include "support/temporary_folder.hpp"

namespace {

constexpr std::uint64_t state_of_file = 0x1234567890abcdefU;

/// Payloads of all lengths around a multiple of 8, with trailing zeros, and empty.
std::vector<std::string> log_payloads() {
  std::vector<std::string> all;
  for (std::size_t size = 0; size < 20; ++size) all.push_back(std::string(size, static_cast<char>('a' + size)));
  all.push_back(std::string("ends with zeros\0\0\0", 18));
  all.push_back(std::string(5000, 'x'));
  return all;
}

std::vector<std::string> records_in(const neardup::log_contents& log) {
  std::vector<std::string> found;
  log.for_each([&](std::string_view payload) {
    CHECK(reinterpret_cast<std::uintptr_t>(payload.data()) % 8 == 0);
    found.emplace_back(payload);
  });
  return found;
}

/// Begins a log and appends to it, reopening it before every second record. Returns: the number of acknowledged
/// records.
std::size_t write_log(neardup::detail::file_operations& files, const std::string& path,
                      const std::vector<std::string>& payloads, bool& is_begun) {
  std::size_t done = 0;
  neardup::record_log log = neardup::record_log::begin(files, path, state_of_file);
  is_begun = true;
  for (const std::string& payload : payloads) {
    if (done % 2 == 1) log = neardup::record_log::go_on(files, neardup::log_contents(path));
    log.append(payload);
    ++done;
  }
  return done;
}

std::vector<std::string> first_of(const std::vector<std::string>& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

TEST_CASE("a log gives back the records that were appended, by one writer or several") {
  const support::temporary_folder folder;
  const auto payloads = log_payloads();
  const std::string path = folder / "log";
  CHECK_FALSE(neardup::log_contents(path).is_there());
  bool is_begun = false;
  CHECK(write_log(neardup::detail::system_files(), path, payloads, is_begun) == payloads.size());
  const neardup::log_contents log(path);
  CHECK(log.is_there());
  CHECK(log.follows() == state_of_file);
  CHECK(records_in(log) == payloads);
  CHECK(log.extent().size == support::read_bytes(path).size());
  // A log that is begun anew is empty.
  const auto again = neardup::record_log::begin(path, 7);
  CHECK(neardup::log_contents(path).follows() == 7);
  CHECK(records_in(neardup::log_contents(path)).empty());
  CHECK_FALSE(neardup::log_contents(path).extent() == log.extent());
}

TEST_CASE("a log that ends anywhere has the records that are whole, and goes on behind them") {
  const support::temporary_folder folder;
  const std::vector<std::string> payloads{"the first", "the second one", "", "the last"};
  bool is_begun = false;
  write_log(neardup::detail::system_files(), folder / "log", payloads, is_begun);
  const std::string bytes = support::read_bytes(folder / "log");
  std::vector<std::size_t> ends{32};
  for (const std::string& payload : payloads) ends.push_back(ends.back() + 16 + (payload.size() + 7) / 8 * 8);
  REQUIRE(ends.back() == bytes.size());
  for (std::size_t size = 32; size <= bytes.size(); ++size) {
    support::write_bytes(folder / "torn", bytes.substr(0, size));
    std::size_t whole = 0;
    while (whole < payloads.size() && ends[whole + 1] <= size) ++whole;
    CAPTURE(size, whole);
    const neardup::log_contents torn(folder / "torn");
    REQUIRE(records_in(torn) == first_of(payloads, whole));
    REQUIRE(torn.extent().size == ends[whole]);
    // Reading changes nothing; opening for writing cuts off the torn record.
    REQUIRE(support::read_bytes(folder / "torn").size() == size);
    neardup::record_log::go_on(torn).append("more");
    auto expected = first_of(payloads, whole);
    expected.emplace_back("more");
    REQUIRE(records_in(neardup::log_contents(folder / "torn")) == expected);
  }
  for (std::size_t size = 0; size < 32; ++size) {  // no partial header: it is renamed into place with the file
    support::write_bytes(folder / "torn", bytes.substr(0, size));
    const neardup::log_contents torn(folder / "torn");
    CHECK_FALSE(torn.follows());
    CHECK_THROWS_AS(records_in(torn), std::runtime_error);
    CHECK_THROWS_AS(neardup::record_log::go_on(torn), std::runtime_error);
  }
}

TEST_CASE("a log with any bit flipped is refused by name, also in its last record") {
  const support::temporary_folder folder;
  bool is_begun = false;
  write_log(neardup::detail::system_files(), folder / "log", {"the first", "the second one", std::string(2000, 'x')},
            is_begun);
  const std::string bytes = support::read_bytes(folder / "log");
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += oracle::effort(1, 1, 5)) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ 1U << bit % 8);
    support::write_bytes(folder / "damaged", damaged);
    CAPTURE(bit);
    try {
      records_in(neardup::log_contents(folder / "damaged"));
      FAIL("nothing was said");
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()).find(folder / "damaged") != std::string::npos);
    }
    CHECK_THROWS_AS(neardup::record_log::go_on(neardup::log_contents(folder / "damaged")), std::runtime_error);
    CHECK(support::read_bytes(folder / "damaged") == damaged);
  }
}

TEST_CASE("a log of another version is refused as a file of one is") {
  const support::temporary_folder folder;
  bool is_begun = false;
  write_log(neardup::detail::system_files(), folder / "log", {"the first"}, is_begun);
  std::string bytes = support::read_bytes(folder / "log");
  bytes[8] = 7;  // the version; then the checksum of the header
  const std::uint64_t checksum =
      neardup::detail::checksum_of(neardup::detail::to_bytes(std::string_view(bytes).substr(0, 24)));
  for (int i = 0; i < 8; ++i) bytes[24 + static_cast<std::size_t>(i)] = static_cast<char>(checksum >> 8 * i & 0xff);
  support::write_bytes(folder / "log", bytes);
  const neardup::log_contents log(folder / "log");
  const std::string said = folder / "log: format version 7; this program reads version 1";
  CHECK_THROWS_WITH(records_in(log), said);
  CHECK_THROWS_WITH(neardup::record_log::go_on(log), said);
  bytes[24] ^= 1;
  support::write_bytes(folder / "log", bytes);
  CHECK_THROWS_WITH(records_in(neardup::log_contents(folder / "log")), folder / "log: its header is damaged");
}

TEST_CASE("a log whose last record lacks sectors ends before it, as a power failure may leave it") {
  const support::temporary_folder folder;
  bool is_begun = false;
  write_log(neardup::detail::system_files(), folder / "log", {"the first", std::string(3000, 'x')}, is_begun);
  const std::string bytes = support::read_bytes(folder / "log");
  const std::size_t last = 32 + 16 + 16;  // the beginning of the last record
  constexpr std::size_t sector = 512;
  std::size_t sectors = 0;
  for (std::size_t begin = last; begin < bytes.size(); begin = (begin / sector + 1) * sector, ++sectors) {
    std::string torn = bytes;
    const std::size_t end = std::min(bytes.size(), (begin / sector + 1) * sector);
    std::fill(torn.begin() + static_cast<std::ptrdiff_t>(begin), torn.begin() + static_cast<std::ptrdiff_t>(end), '\0');
    support::write_bytes(folder / "torn", torn);
    CAPTURE(begin, end);
    CHECK(records_in(neardup::log_contents(folder / "torn")) == std::vector<std::string>{"the first"});
  }
  CHECK(sectors == 7);
}

TEST_CASE("when an operation fails, a log has what was acknowledged, and at most what was under way") {
  const auto payloads = first_of(log_payloads(), 7);
  std::size_t failed = 0;
  for (const bool for_good : {false, true}) {
    for (std::size_t call = 1;; ++call) {
      const support::temporary_folder folder;
      support::faulty_files files;
      files.failing_call = call;
      files.fails_for_good = for_good;
      std::size_t done = 0;
      bool is_begun = false;
      try {
        neardup::record_log log = neardup::record_log::begin(files, folder / "log", state_of_file);
        is_begun = true;
        for (; done < payloads.size(); ++done) log.append(payloads[done]);
      } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()).find(folder / "log") != std::string::npos);
      }
      CAPTURE(call, for_good, done);
      const neardup::log_contents log(folder / "log");
      if (is_begun) REQUIRE(log.follows() == state_of_file);
      const auto found = log.follows() ? records_in(log) : std::vector<std::string>();
      const bool has_next = for_good && done < payloads.size() && found == first_of(payloads, done + 1);
      REQUIRE((found == first_of(payloads, done) || has_next));
      if (files.failures == 0) break;
      ++failed;
    }
  }
  std::printf("%zu failures of a log\n", failed);
  CHECK(failed > 40);
}

TEST_CASE("after a power failure at any call, a log has what was acknowledged, and at most what was under way") {
  const auto payloads = first_of(log_payloads(), 7);
  const support::temporary_folder folder;
  support::faulty_files files;
  neardup::record_log log = neardup::record_log::begin(files, folder / "log", state_of_file);
  files.keeps_states = true;
  std::vector<std::size_t> acknowledged;  // by state of the disk
  for (std::size_t done = 0; done < payloads.size(); ++done) {
    log.append(payloads[done]);
    while (acknowledged.size() < files.states.size()) acknowledged.push_back(done);
  }
  oracle::random_engine random(2);
  std::size_t tried = 0;
  for (std::size_t state = 0; state < files.states.size(); ++state) {
    for (std::size_t i = 0; i < oracle::effort(40, 6); ++i) {
      using loss = support::simulated_disk::loss;
      const auto left = files.states[state].after(i == 0 ? loss::all : i == 1 ? loss::nothing : loss::some, random);
      REQUIRE(left.contains("log"));
      support::write_bytes(folder / "left", left.at("log"));
      const auto found = records_in(neardup::log_contents(folder / "left"));
      CAPTURE(state, acknowledged[state], found.size());
      REQUIRE(
          (found == first_of(payloads, acknowledged[state]) || found == first_of(payloads, acknowledged[state] + 1)));
      ++tried;
    }
  }
  CHECK(tried > 50);
}
