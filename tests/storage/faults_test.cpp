// Writes, syncs and renames fail while files are saved, and the power fails at every call. Afterwards the whole old
// state or the whole new state must be there, and no acknowledged change is lost.
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
#include "support/faulty_files.hpp"
#include "support/hostile_bytes.hpp"
#include "support/journaled.hpp"
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

using support::text_of;

dedup_type empty_dedup() { return dedup_type(neardup::jaccard{0.7}); }

/// Returns the bytes of a kept document, as files and logs store them.
template <class Dedup>
std::string encoded(const Dedup& d, std::uint32_t id) {
  std::string bytes;
  d.for_each_kept([&](const auto& kept) {
    if (kept.id == id) neardup::detail::deduplicator_format<Dedup>::put_document(bytes, kept);
  });
  return bytes;
}

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

TEST_CASE("a log that follows an equal beginning with other documents is not taken for the one that was saved") {
  const support::temporary_folder folder;
  for (const std::string name : {"a", "b"}) {
    durable_type d(folder / name, empty_dedup(), any);
    d.add(text_of(name == "a" ? 0 : 2));
    if (name == "b") d.save();
  }
  const std::string log = support::read_bytes(folder / "a.log");
  support::write_bytes(folder / "a", support::read_bytes(folder / "b"));
  CHECK_THROWS_AS(durable_type(folder / "a", empty_dedup(), any), std::runtime_error);
  CHECK(support::read_bytes(folder / "a.log") == log);
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
  made_type other = make();
  for (const std::uint32_t i : {2U, 4U, 6U}) other.add(text_of(i));
  const std::string next = "K" + encoded(other, 2);
  const auto opens_with = [&](std::string_view payload) {
    support::write_bytes(folder / "d.log", log);
    support::append_record(folder / "d.log", payload);
    const std::string before = support::read_bytes(folder / "d.log");
    try {
      const made_durable d(folder / "d", make(), any);
      return true;
    } catch (const std::runtime_error& error) {
      CHECK(error.what() == folder / "d.log: " + support::refused_record(log.size(), "does not fit what is before it"));
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

  // The same errors in the file instead of the log.
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
      CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("r: document ") ||
                                   Catch::Matchers::ContainsSubstring("r: the header "));
      CHECK_THAT(error.what(), Catch::Matchers::EndsWith("; restore the file from a copy, or make it anew"));
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
  const std::string refused = folder /
                              "d is being written by another program, or in another place of this one; "
                              "close it there, or try again later";
  {
    durable_type first(folder / "d", empty_dedup(), any);
    CHECK_THROWS_WITH(durable_type(folder / "d", empty_dedup(), any), refused);
    durable_type second = std::move(first);
    CHECK_THROWS_WITH(neardup::file_lock(folder / "d"), refused);
    second.add(text_of(0));
    const durable_type other(folder / "e", empty_dedup(), any);
  }
  CHECK(folder.files() == 3);  // no lock file is left: two files and a log
  {
    neardup::file_lock held(folder / "d"), other(folder / "e");
    held = std::move(other);
    CHECK_NOTHROW(neardup::file_lock(folder / "d"));
    CHECK_THROWS_AS(neardup::file_lock(folder / "e"), std::runtime_error);
  }
  CHECK(folder.files() == 3);
  CHECK_THROWS_AS(neardup::file_lock(folder / "no/d"), std::runtime_error);
#if !defined(_WIN32)  // on Windows, the system chooses the language of the message
  CHECK_THROWS_WITH(neardup::file_lock(folder / "no/d"),
                    "cannot lock " + folder / "no/d.neardup-lock: No such file or directory");
#endif
  support::write_bytes(folder / "f.neardup-lock", "");  // left by a program that was killed
  CHECK(durable_type(folder / "f", empty_dedup(), any).get().empty());
  CHECK_FALSE(std::filesystem::exists(folder / "f.neardup-lock"));
  support::write_bytes(folder / "f.neardup-lock", "somebody's");
  CHECK_THROWS_WITH(
      durable_type(folder / "f", empty_dedup(), any),
      "cannot lock " + folder / "f: " + folder / "f.neardup-lock is there already, and no lock; move it away");
  CHECK(support::read_bytes(folder / "f.neardup-lock") == "somebody's");
  std::filesystem::remove(folder / "f.neardup-lock");
#if !defined(_WIN32)  // on other systems: links, forks, umasks, removing an open file
  std::filesystem::create_symlink(folder / "nowhere", folder / "f.neardup-lock");
  CHECK_THROWS_AS(neardup::file_lock(folder / "f"), std::runtime_error);
  CHECK_FALSE(std::filesystem::exists(folder / "nowhere"));
  {
    // A child process that is forked neither removes the parent's lock, nor keeps it after the parent ends.
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
  // After the lock file was removed, a new file of the same name belongs to another lock. The first lock must not
  // remove it.
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

#if !defined(_WIN32)  // on Windows, neardup does not follow links
TEST_CASE("a link is the file that it leads to") {
  const support::temporary_folder folder;
  save(folder / "real", index_of(1), any);
  std::filesystem::create_symlink(folder / "real", folder / "link");
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
      CHECK(i < 3);  // each save tries 1,000 temporary names
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
