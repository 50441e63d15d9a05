// Saving while writes, syncs and renames fail, and after a power failure at every call: the old or the new state is
// there as a whole, and no acknowledged change is lost.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#endif

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/fingerprint_deduplicator.hpp>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/durable_steps.hpp"
#include "support/faulty_files.hpp"
#include "support/hostile_bytes.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::simhash;

const neardup::fingerprint_composition any{.tokenizer = "any"};

neardup::flat_index<64> index_of(std::uint32_t size) {
  neardup::flat_index<64> index;
  for (std::uint32_t i = 0; i < size; ++i) index.insert(simhash<64>(i * 0x9e3779b97f4a7c15U), i);
  return index;
}

void save_with(support::faulty_files& files, const std::string& path, const neardup::flat_index<64>& index) {
  neardup::detail::save_index(files, path, index, any, {});
}

using dedup_type = neardup::deduplicator<neardup::feature_extractor<neardup::words>>;
using durable_type = neardup::durable_deduplicator<dedup_type>;

dedup_type empty_dedup() { return dedup_type(neardup::jaccard{0.7}); }

std::string text_of(std::uint32_t i) {
  std::string text;
  for (std::uint32_t word = 0; word < 20; ++word) text += "word" + std::to_string((i / 2) * 1000 + word * 7) + " ";
  return i % 2 == 0 ? text : text + "more";  // Odd documents are duplicates.
}

/// The encoding of a kept document in files and logs.
template <class Dedup>
std::string encoded(const Dedup& d, std::uint32_t id) {
  std::string bytes;
  d.for_each_kept([&](const auto& kept) {
    if (kept.id == id) neardup::detail::deduplicator_format<Dedup>::put_document(bytes, kept);
  });
  return bytes;
}

/// Steps of changes to a deduplicator.
const std::vector<std::function<void(durable_type&)>> steps = {
    [](durable_type& d) { d.add(text_of(0)); },  [](durable_type& d) { d.add(text_of(1)); },
    [](durable_type& d) { d.add(text_of(2)); },  [](durable_type& d) { d.erase(0); },
    [](durable_type& d) { d.add(text_of(4)); },  [](durable_type& d) { d.save(); },
    [](durable_type& d) { d.add(text_of(6)); },  [](durable_type& d) { d.add(""); },
    [](durable_type& d) { d.erase(77); },        [](durable_type& d) { d.erase(4); },
    [](durable_type& d) { d.add(text_of(1)); },  [](durable_type& d) { d.save(); },
    [](durable_type& d) { d.add("short one"); }, [](durable_type& d) { d.add(text_of(8)); },
};

/// The observable state of a deduplicator.
std::string state_of(const dedup_type& d) {
  std::string state = std::to_string(d.added()) + "/" + std::to_string(d.size());
  for (std::uint32_t i = 0; i < 12; ++i) {
    state += d.contains(i) ? " +" : " -";
    const auto verdict = d.find(text_of(i));
    if (verdict.original)
      state += std::to_string(*verdict.original) + "@" + std::to_string(verdict.distance.value_or(-1));
  }
  return state;
}

const support::durable_steps<durable_type> checked_steps{
    steps, [](const durable_type& d) { return state_of(d.get()); },
    [](const std::string& path, support::faulty_files* files) {
      return files == nullptr ? std::make_unique<durable_type>(path, empty_dedup(), any)
                              : std::make_unique<durable_type>(*files, path, empty_dedup(), any);
    }};

}  // namespace

TEST_CASE("when a write, sync or rename fails, the old file or the new one is there, whole") {
  const auto before = index_of(10), after = index_of(500);
  std::size_t failed = 0, kept = 0;
  for (const bool for_good : {false, true}) {
    for (std::size_t call = 1;; ++call) {
      const support::temporary_folder folder;
      const std::string path = folder / "index";
      save(path, before, any);
      support::faulty_files files;
      files.failing_call = call;
      files.fails_for_good = for_good;
      bool is_saved = false;
      try {
        save_with(files, path, after);
        is_saved = true;
      } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()).find(path) != std::string::npos);
      }
      const auto found = neardup::load<neardup::flat_index<64>>(path, any);
      CHECK((found == before || found == after));
      if (is_saved) CHECK(found == after);
      if (!for_good) CHECK(folder.files() == 1);  // no temporary file remains
      if (files.failures == 0) break;
      CHECK_FALSE(is_saved);
      ++failed;
      kept += found == before ? 1 : 0;
    }
  }
  std::printf("%zu failed calls of a save, the old file after %zu\n", failed, kept);
  CHECK(failed > 15);
  CHECK(kept < failed);
}

TEST_CASE("after a power failure at any call of a save, the old file or the new one is there, whole") {
  const auto before = index_of(10), after = index_of(500);
  const support::temporary_folder folder;
  const std::string path = folder / "index";
  support::faulty_files files;
  save_with(files, path, before);
  files.keeps_states = true;
  save_with(files, path, after);
  oracle::random_engine random(1);
  std::size_t tried = 0, old = 0;
  for (const auto& disk : files.states) {
    for (std::size_t i = 0; i < oracle::effort(40, 6); ++i) {
      using loss = support::simulated_disk::loss;
      const auto left = disk.after(i == 0 ? loss::all : i == 1 ? loss::nothing : loss::some, random);
      REQUIRE(left.contains("index"));
      support::write_bytes(folder / "left", left.at("index"));
      const auto found = neardup::load<neardup::flat_index<64>>(folder / "left", any);
      REQUIRE((found == before || found == after));
      ++tried;
      old += found == before ? 1 : 0;
      if (&disk == &files.states.back()) REQUIRE(found == after);
    }
  }
  std::printf("%zu power failures of a save, the old file after %zu\n", tried, old);
  CHECK(old > 0);
  CHECK(old < tried);
}

TEST_CASE("a full disk and what is no file are errors") {
  const support::temporary_folder folder;
  CHECK_THROWS_WITH(save(folder.path().string(), index_of(1), any),
                    "cannot save " + folder.path().string() + ": it is no regular file");
  CHECK_THROWS_AS(save(folder / "no" + "/index", index_of(1), any), std::runtime_error);
#if defined(__linux__)
  CHECK_THROWS_WITH(save("/dev/full", index_of(1), any), "cannot save /dev/full: it is no regular file");
#endif
}

TEST_CASE("when an operation fails, a durable deduplicator keeps what it has acknowledged, and nothing else") {
  checked_steps.check_failing_calls();
}

TEST_CASE("an operation that fails once leaves a durable deduplicator as it was, and it goes on") {
  checked_steps.check_single_failures();
}

TEST_CASE("after a power failure at any call, a durable deduplicator has all that it acknowledged") {
  checked_steps.check_power_failures();
}

TEST_CASE("a log is cut off at every byte, and its records flipped: whole records before that, or an error") {
  const support::temporary_folder folder;
  std::vector<std::size_t> ends;
  std::vector<std::string> states;
  {
    durable_type d(folder / "d", empty_dedup(), any);
    const auto note = [&] {
      ends.push_back(support::read_bytes(folder / "d.log").size());
      states.push_back(state_of(d.get()));
    };
    note();
    for (const std::uint32_t i : {0U, 1U, 2U, 4U}) {
      d.add(text_of(i));
      note();
    }
    d.erase(2);
    note();
  }
  const std::string log = support::read_bytes(folder / "d.log");
  REQUIRE(log.size() == ends.back());
  std::size_t step = 0;
  for (std::size_t size = ends[0]; size <= log.size(); size += oracle::effort(3, 13)) {
    while (step + 1 < ends.size() && ends[step + 1] <= size) ++step;
    support::write_bytes(folder / "d.log", std::string_view(log).substr(0, size));
    const durable_type d(folder / "d", empty_dedup(), any);
    REQUIRE(state_of(d.get()) == states[step]);
    REQUIRE(support::read_bytes(folder / "d.log").size() == ends[step]);
  }
  for (std::size_t bit = 8 * ends[0]; bit < 8 * log.size(); bit += oracle::effort(29, 101)) {
    std::string damaged = log;
    damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ 1U << bit % 8);
    support::write_bytes(folder / "d.log", damaged);
    CAPTURE(bit);
    REQUIRE_THROWS_AS(durable_type(folder / "d", empty_dedup(), any), std::runtime_error);
    REQUIRE(support::read_bytes(folder / "d.log") == damaged);
  }

  // Cut within the header: refused, and the log stays as it is.
  for (std::size_t size = 0; size < ends[0]; ++size) {
    support::write_bytes(folder / "d.log", std::string_view(log).substr(0, size));
    REQUIRE_THROWS_WITH(durable_type(folder / "d", empty_dedup(), any), folder / "d.log: its header is damaged");
  }
  for (std::size_t bit = 0; bit < 8 * ends[0]; ++bit) {
    std::string damaged = log;
    damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ 1U << bit % 8);
    support::write_bytes(folder / "d.log", damaged);
    REQUIRE_THROWS_AS(durable_type(folder / "d", empty_dedup(), any), std::runtime_error);
    REQUIRE(support::read_bytes(folder / "d.log") == damaged);
  }
}

TEST_CASE("a log whose last records are damaged is refused") {
  const support::temporary_folder folder;
  std::vector<std::size_t> ends;
  {
    durable_type d(folder / "d", empty_dedup(), any);
    for (const std::uint32_t i : {0U, 2U, 4U, 6U}) {
      d.add(text_of(i));
      ends.push_back(support::read_bytes(folder / "d.log").size());
    }
  }
  const std::string log = support::read_bytes(folder / "d.log");
  {
    // A damaged length, followed by a record whose length is intact but whose payload is damaged.
    std::string damaged = log;
    damaged[ends[1]] ^= 1;
    damaged[ends[2] + 20] ^= 1;
    support::write_bytes(folder / "d.log", damaged);
    CHECK_THROWS_AS(durable_type(folder / "d", empty_dedup(), any), std::runtime_error);
  }
  {
    // A length of zeros, as in a sector that was never written, followed by a whole record.
    std::string damaged = log;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(ends[1]), 8, '\0');
    support::write_bytes(folder / "d.log", damaged);
    CHECK_THROWS_AS(durable_type(folder / "d", empty_dedup(), any), std::runtime_error);
    CHECK(support::read_bytes(folder / "d.log") == damaged);
  }
  for (const std::size_t record : {1U, 2U, 3U}) {
    // The length of the record is intact; all bytes behind it are damaged.
    std::string damaged = log;
    for (std::size_t i = ends[record - 1] + 8; i < damaged.size(); ++i) damaged[i] = '\x55';
    support::write_bytes(folder / "d.log", damaged);
    CHECK_THROWS_WITH(durable_type(folder / "d", empty_dedup(), any),
                      folder / "d.log: the record at byte " + std::to_string(ends[record - 1]) + " is damaged");
    CHECK(support::read_bytes(folder / "d.log") == damaged);
  }
}

TEST_CASE("a bit flipped in the zeros behind any record of a log is seen") {
  const support::temporary_folder folder;
  const std::string path = folder / "log";
  neardup::detail::file_operations& files = neardup::detail::system_files();
  std::vector<std::string> records;
  for (std::size_t size = 0; size <= 9; ++size) records.emplace_back(size, 'x');
  records.emplace_back(1033, '\0');  // sectors of zeros, as if they had not been written
  std::vector<std::size_t> begins;
  {
    auto log = neardup::detail::append_log::create(files, path, 7);
    for (const std::string& record : records) {
      begins.push_back(support::read_bytes(path).size());
      log.append(record);
    }
  }
  const std::string bytes = support::read_bytes(path);
  std::size_t flipped = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::size_t end = i + 1 == records.size() ? bytes.size() : begins[i + 1];
    for (std::size_t bit = 8 * (begins[i] + 16 + records[i].size()); bit < 8 * end; ++bit, ++flipped) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ 1U << bit % 8);
      support::write_bytes(path, damaged);
      CHECK_THROWS_WITH(neardup::detail::append_log::open(files, path, damaged, 7, [](std::string_view) {}),
                        path + ": the record at byte " + std::to_string(begins[i]) + " is damaged");
      CHECK(support::read_bytes(path) == damaged);
    }
  }
  CHECK(flipped == 8 * (7 + 6 + 5 + 4 + 3 + 2 + 1 + 7 + 7));
}

TEST_CASE("a log is not taken for that of another file, and not overwritten") {
  const support::temporary_folder folder;
  std::string first, log;
  {
    durable_type d(folder / "d", empty_dedup(), any);
    d.add(text_of(0));
    d.save();
    first = support::read_bytes(folder / "d");
    d.add(text_of(2));
    d.save();
    d.add(text_of(4));
  }
  const std::string second = support::read_bytes(folder / "d");
  log = support::read_bytes(folder / "d.log");
  const std::string refused = folder / "d.log: it follows another file than " + folder / "d (";
  // Next to the log: an older copy, no file, and a file of another history.
  support::write_bytes(folder / "d", first);
  CHECK_THROWS_WITH(durable_type(folder / "d", empty_dedup(), any),
                    refused + "this is another one); put that file back, or move the log away");
  std::filesystem::remove(folder / "d");
  CHECK_THROWS_WITH(durable_type(folder / "d", empty_dedup(), any),
                    refused + "there is none); put that file back, or move the log away");
  CHECK_FALSE(std::filesystem::exists(folder / "d"));
  save(folder / "d", empty_dedup(), any);
  CHECK_THROWS_AS(durable_type(folder / "d", empty_dedup(), any), std::runtime_error);
  CHECK(support::read_bytes(folder / "d.log") == log);
  support::write_bytes(folder / "d", second);
  CHECK(durable_type(folder / "d", empty_dedup(), any).get().size() == 3);
  // The log was moved away, as the message suggests; changes from now on differ from those in the newer file.
  support::write_bytes(folder / "d", first);
  std::filesystem::remove(folder / "d.log");
  {
    durable_type d(folder / "d", empty_dedup(), any);
    CHECK(d.get().size() == 1);
    d.add(text_of(6));
  }
  support::write_bytes(folder / "d", second);
  CHECK_THROWS_WITH(durable_type(folder / "d", empty_dedup(), any),
                    refused + "this is another one); put that file back, or move the log away");
}

#if !defined(_WIN32)  // where no other program changes an open log
TEST_CASE("a log that was damaged when all was saved does not keep the file from being opened") {
  const support::temporary_folder folder;
  {
    durable_type d(folder / "d", empty_dedup(), any);
    d.add(text_of(0));
    for (const std::string_view damaged : {"", "no header", "no header, and longer than one, which has 32 bytes"}) {
      support::write_bytes(folder / "d.log", damaged);
      d.save();
      const std::string saved = support::read_bytes(folder / "d");
      // The process was stopped before it created the next log.
      std::filesystem::copy_file(folder / "d", folder / "e", std::filesystem::copy_options::overwrite_existing);
      support::write_bytes(folder / "e.log", damaged);
      CHECK(durable_type(folder / "e", empty_dedup(), any).get().size() == 1);
      support::write_bytes(folder / "e.log", std::string(damaged) + "x");
      CHECK_THROWS_AS(durable_type(folder / "e", empty_dedup(), any), std::runtime_error);
    }
  }
}
#endif

TEST_CASE("a log that follows an equal beginning with other documents is not taken for the one that was saved") {
  const support::temporary_folder folder;
  for (const std::string name : {"a", "b"}) {
    durable_type d(folder / name, empty_dedup(), any);
    d.add(text_of(name == "a" ? 0 : 2));
    if (name == "b") d.save();
  }
  {
    durable_type d(folder / "c", empty_dedup(), any);
    d.save();  // an empty log, as if the log of "a" followed this file
  }
  const std::string log = support::read_bytes(folder / "a.log");
  for (const std::string name : {"b", "c"}) {
    support::write_bytes(folder / "a", support::read_bytes(folder / name));
    CHECK_THROWS_AS(durable_type(folder / "a", empty_dedup(), any), std::runtime_error);
    CHECK(support::read_bytes(folder / "a.log") == log);
  }
}

namespace {

template <class Make>
void check_records(const Make& make) {
  using made_type = decltype(make());
  using made_durable = neardup::durable_deduplicator<made_type>;
  constexpr bool is_exact = std::is_void_v<typename made_type::fingerprint_type>;
  const support::temporary_folder folder;
  std::string kept;
  {
    made_durable d(folder / "d", make(), any);
    d.add(text_of(0));
    kept = "K" + encoded(d.get(), 0);
    d.add(text_of(2));
  }
  const std::string base = support::read_bytes(folder / "d"), log = support::read_bytes(folder / "d.log");
  const std::uint64_t state = neardup::detail::append_log::state_of(log).value();
  made_type other = make();
  for (const std::uint32_t i : {2U, 4U, 6U}) other.add(text_of(i));
  const std::string next = "K" + encoded(other, 2);
  const auto opens_with = [&](std::string_view payload) {
    support::write_bytes(folder / "d.log", log);
    neardup::detail::append_log::open(neardup::detail::system_files(), folder / "d.log", log, state,
                                      [](std::string_view) {})
        .append(payload);
    const std::string before = support::read_bytes(folder / "d.log");
    try {
      const made_durable d(folder / "d", make(), any);
      return true;
    } catch (const std::runtime_error& error) {
      CHECK(error.what() == folder / "d.log: a record does not fit what is before it");
      CHECK(support::read_bytes(folder / "d.log") == before);
      return false;
    }
  };
  using namespace std::string_literals;
  CHECK(opens_with(next));
  CHECK(opens_with("D"));
  CHECK(opens_with("E\1\0\0\0"s));
  const auto changed = [&](std::size_t place, char to) {
    std::string payload = next;
    payload[1 + place] = to;
    return payload;
  };
  CHECK_FALSE(opens_with(kept));                             // the id exists
  CHECK_FALSE(opens_with(changed(0, 1)));                    // a serial number of an earlier document
  CHECK_FALSE(opens_with(changed(0, 5)));                    // a gap in the serial numbers
  CHECK_FALSE(opens_with(changed(is_exact ? 8 : 24, 'x')));  // the number of features is wrong
  if (!is_exact) CHECK_FALSE(opens_with(changed(28, 2)));    // is_short is neither 0 nor 1
  CHECK_FALSE(opens_with(next + "x"));                       // trailing bytes
  CHECK_FALSE(opens_with(std::string_view(next).substr(0, next.size() - 1)));
  CHECK_FALSE(opens_with(std::string_view(next).substr(0, 20)));
  for (const std::string& payload : {"E\7\0\0\0"s, "E\1"s, "DD"s, "X"s, ""s}) CHECK_FALSE(opens_with(payload));

  // The same damage in the file itself.
  const auto restores_with = [&](std::string_view documents, std::uint64_t count) {
    const support::aligned_copy copy(base);
    const neardup::detail::container file(copy.bytes(), "d", neardup::detail::file_content::deduplicator);
    std::string options(neardup::detail::to_text(file.find(neardup::detail::section_tag::options)));
    options[32] = 9;  // number of added documents
    const std::array<neardup::detail::section_source, 2> sections{
        {{neardup::detail::section_tag::options, 0, neardup::detail::to_bytes(options)},
         {neardup::detail::section_tag::documents, 0, neardup::detail::to_bytes(documents)}}};
    neardup::detail::file_header header = file.header();
    header.count = count;
    neardup::detail::write_container(neardup::detail::system_files(), folder / "r", header, sections);
    try {
      return restore(folder / "r", make(), any).size() == count;
    } catch (const std::runtime_error& error) {
      CHECK(error.what() == folder / "r: a document is damaged");
      return false;
    }
  };
  const std::string documents = kept.substr(1) + next.substr(1);
  CHECK(restores_with(documents, 2));
  CHECK_FALSE(restores_with(documents, 1));
  CHECK_FALSE(restores_with(std::string_view(documents).substr(0, documents.size() - 1), 2));
  CHECK_FALSE(restores_with(documents + documents, 4));
  CHECK_FALSE(restores_with(next.substr(1) + kept.substr(1), 2));  // not ordered by age
}

}  // namespace

TEST_CASE("a log with records that do not fit is refused, though its checksums are right") {
  check_records(empty_dedup);
  check_records([] {
    return neardup::fingerprint_deduplicator{neardup::simhasher{neardup::words{}}, neardup::jaccard{0.7}};
  });
}

TEST_CASE("a file has one writer at a time") {
  const support::temporary_folder folder;
  const std::string refused = folder / "d is being written by another program, or in another place of this one";
  {
    durable_type first(folder / "d", empty_dedup(), any);
    CHECK_THROWS_WITH(durable_type(folder / "d", empty_dedup(), any), refused);
    durable_type second = std::move(first);
    CHECK_THROWS_WITH(neardup::file_lock(folder / "d"), refused);
    second.add(text_of(0));
    const durable_type other(folder / "e", empty_dedup(), any);
  }
  CHECK(folder.files() == 4);  // two files with their logs, and no lock file
  {
    neardup::file_lock held(folder / "d"), other(folder / "e");
    held = std::move(other);
    CHECK_NOTHROW(neardup::file_lock(folder / "d"));
    CHECK_THROWS_AS(neardup::file_lock(folder / "e"), std::runtime_error);
  }
  CHECK(folder.files() == 4);
  CHECK_THROWS_AS(neardup::file_lock(folder / "no/d"), std::runtime_error);
#if !defined(_WIN32)  // where messages are those of the system, in its language
  CHECK_THROWS_WITH(neardup::file_lock(folder / "no/d"),
                    "cannot lock " + folder / "no/d.neardup-lock: No such file or directory");
#endif
  support::write_bytes(folder / "f.neardup-lock", "");  // left by a program that was killed
  CHECK(durable_type(folder / "f", empty_dedup(), any).get().empty());
  CHECK_FALSE(std::filesystem::exists(folder / "f.neardup-lock"));
  support::write_bytes(folder / "f.neardup-lock", "somebody's");
  CHECK_THROWS_WITH(durable_type(folder / "f", empty_dedup(), any),
                    "cannot lock " + folder / "f: " + folder / "f.neardup-lock is there already, and no lock");
  CHECK(support::read_bytes(folder / "f.neardup-lock") == "somebody's");
  std::filesystem::remove(folder / "f.neardup-lock");
#if !defined(_WIN32)  // where there are links, forks and umasks, and an open file can be removed
  std::filesystem::create_symlink(folder / "nowhere", folder / "f.neardup-lock");
  CHECK_THROWS_AS(neardup::file_lock(folder / "f"), std::runtime_error);
  CHECK_FALSE(std::filesystem::exists(folder / "nowhere"));
  {
    // A forked process neither removes the lock nor keeps it.
    std::optional<neardup::file_lock> held(std::in_place, folder / "i");
    int gone[2];
    REQUIRE(::pipe(gone) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      { const neardup::file_lock copy = std::move(*held); }
      char byte = 0;
      ::_exit(::write(gone[1], &byte, 1) == 1 && ::pause() == 0 ? 1 : 0);
    }
    char byte = 0;
    CHECK(::read(gone[0], &byte, 1) == 1);
    CHECK_THROWS_AS(neardup::file_lock(folder / "i"), std::runtime_error);
    held.reset();
    CHECK_NOTHROW(neardup::file_lock(folder / "i"));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(gone[0]);
    ::close(gone[1]);
  }
  {
    // Another user can take the lock file of a killed process, whatever the umask was.
    const mode_t before = ::umask(0777);
    const neardup::file_lock held(folder / "j");
    ::umask(before);
    struct stat status {};
    CHECK((::stat((folder / "j.neardup-lock").c_str(), &status) == 0 && (status.st_mode & 0777) == 0644));
  }
  // If the lock file was removed, a new file of its name belongs to another lock.
  {
    const neardup::file_lock first(folder / "g");
    std::filesystem::remove(folder / "g.neardup-lock");
    const neardup::file_lock second(folder / "g");
    { const neardup::file_lock moved = neardup::file_lock(folder / "h"); }
    CHECK(std::filesystem::exists(folder / "g.neardup-lock"));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "g.neardup-lock"));
#endif
}

#if !defined(_WIN32)
TEST_CASE("a forked process cannot change what its parent has opened") {
  const support::temporary_folder folder;
  {
    durable_type d(folder / "d", empty_dedup(), any);
    d.add("before the fork", 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto refused = [](const auto& change) {
        try {
          change();
        } catch (const std::runtime_error&) {
          return true;
        }
        return false;
      };
      const bool are_refused =
          refused([&] { d.add("of the child", 1); }) && refused([&] { d.save(); }) && refused([&] { d.erase(0); });
      ::_exit(are_refused ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    d.add("of the parent", 2);
  }
  const durable_type again(folder / "d", empty_dedup(), any);
  CHECK((again.size() == 2 && again.contains(0) && again.contains(2)));
}
#endif

TEST_CASE("a deduplicator with changes in a log beside it is not restored without them") {
  const support::temporary_folder folder;
  const std::string path = folder / "d";
  durable_type(path, empty_dedup(), any).add("a text of some words", 0);
  CHECK_THROWS_WITH(neardup::restore(path, empty_dedup(), any),
                    path + ".log: it has changes since " + path + " was saved; open that as durable, and save");
  durable_type(path, empty_dedup(), any).save();
  CHECK(neardup::restore(path, empty_dedup(), any).size() == 1);
}

#if !defined(_WIN32)  // where links are not followed
TEST_CASE("a link that leads nowhere yet is the file that will be there") {
  const support::temporary_folder folder;
  std::filesystem::create_directory(folder / "data");
  std::filesystem::create_symlink("data/real", folder / "link");
  std::filesystem::create_symlink("link", folder / "other");
  {
    durable_type d(folder / "other", empty_dedup(), any);
    d.add(text_of(0));
    for (const std::string name : {"data/real", "link", "other"}) {
      CHECK_THROWS_AS(durable_type(folder / name, empty_dedup(), any), std::runtime_error);
    }
  }
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(durable_type(folder / "data/real", empty_dedup(), any).get().size() == 1);
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  CHECK_THROWS_AS(durable_type(folder / "loop", empty_dedup(), any), std::runtime_error);
}
#endif

TEST_CASE("a durable deduplicator stays where it is when the process goes elsewhere") {
  const support::temporary_folder first, second;
  const std::filesystem::path before = std::filesystem::current_path();
  {
    std::filesystem::current_path(second.path());
    durable_type(std::string("d"), empty_dedup(), any).add(text_of(6));
    std::filesystem::current_path(first.path());
    durable_type d("d", empty_dedup(), any);
    std::filesystem::current_path(second.path());
    d.add(text_of(0));
    d.save();
    d.add(text_of(2));
  }
  std::filesystem::current_path(before);
  CHECK(durable_type(first / "d", empty_dedup(), any).get().size() == 2);
  CHECK(durable_type(second / "d", empty_dedup(), any).get().size() == 1);
  CHECK(first.files() == 2);
}

TEST_CASE("what a failed append may have left is on the disk before it counts as a part of the log") {
  struct failing_files final : neardup::detail::file_operations {
    bool fails = false;
    std::vector<std::string> calls;
    int create(const std::string& path) override {
      calls.emplace_back("create");
      return file_operations::create(path);
    }
    bool sync(int file) override {
      calls.emplace_back("sync");
      errno = EIO;
      return !fails && file_operations::sync(file);
    }
    bool truncate(int file, std::uint64_t size) override {
      errno = EIO;
      return !fails && file_operations::truncate(file, size);
    }
  } files;
  const support::temporary_folder folder;
  durable_type d(files, folder / "d", empty_dedup(), any);
  d.add(text_of(0));
  files.fails = true;
  CHECK_THROWS_AS(d.add(text_of(2)), std::runtime_error);
  CHECK_THROWS_AS(d.save(), std::runtime_error);
  files.fails = false;
  files.calls.clear();
  d.save();
  CHECK(files.calls.at(0) == "sync");
  CHECK(d.get().size() == 1);
}

#if !defined(_WIN32)  // where links are not followed
TEST_CASE("a link is the file that it leads to") {
  const support::temporary_folder folder;
  { durable_type d(folder / "real", empty_dedup(), any); }
  std::filesystem::create_symlink(folder / "real", folder / "link");
  {
    durable_type d(folder / "link", empty_dedup(), any);
    CHECK_THROWS_AS(durable_type(folder / "real", empty_dedup(), any), std::runtime_error);
    CHECK_THROWS_AS(durable_type(folder / "link", empty_dedup(), any), std::runtime_error);
    d.add(text_of(0));
    d.save();
    d.add(text_of(2));
  }
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK_FALSE(std::filesystem::exists(folder / "link.log"));
  CHECK(durable_type(folder / "real", empty_dedup(), any).get().size() == 2);
  save(folder / "link", index_of(7), any);
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(neardup::load<neardup::flat_index<64>>(folder / "real", any) == index_of(7));
}

TEST_CASE("a temporary file that a killed process left behind keeps no other of its number from saving") {
  const support::temporary_folder folder;
  save(folder / "a", index_of(1), any);
  const std::string process = std::to_string(::getpid());
  for (int i = 0; i < 3000; ++i) support::write_bytes(folder / "a." + process + "." + std::to_string(i) + ".tmp", "");
  const std::size_t files = folder.files();
  for (int i = 0; i < 4; ++i) {
    try {
      save(folder / "a", index_of(2), any);
      break;
    } catch (const std::runtime_error&) {
      CHECK(i < 3);  // 1,000 temporary names are tried
    }
  }
  CHECK(neardup::load<neardup::flat_index<64>>(folder / "a", any) == index_of(2));
  CHECK(folder.files() == files);
}
#endif

TEST_CASE("of many threads that take a lock one at a time has it") {
  const support::temporary_folder folder;
  std::atomic<int> holders{0}, taken{0};
  std::atomic<bool> is_shared{false};
  const auto take = [&] {
    for (int i = 0; i < 500; ++i) {
      try {
        const neardup::file_lock lock(folder / "d");
        if (holders.fetch_add(1) != 0) is_shared = true;
        taken.fetch_add(1);
        holders.fetch_sub(1);
      } catch (const std::runtime_error&) {
        std::this_thread::yield();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(take);
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(is_shared);
  CHECK(taken > 0);
  CHECK(folder.files() == 0);
}
