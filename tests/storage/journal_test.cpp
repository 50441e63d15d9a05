// The same tests for all kinds of files with a log. System calls fail, disks are full, the power fails, writes are
// torn, and files are damaged. Afterwards, all acknowledged changes must be there, and no others.
#include <algorithm>
#include <array>
#include <cerrno>
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
#include <utility>
#include <vector>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/stream_deduplicator.hpp>
#include <neardup/sets/set_index.hpp>
#include <neardup/storage.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/failing_allocations.hpp"
#include "support/journaled.hpp"

namespace journals {
namespace {

using neardup::deduplicator;
using neardup::jaccard;
using support::damaged_header;
using support::journaled_kind;
using support::refused_record;
using support::text_of;
using namespace std::string_literals;

const neardup::fingerprint_composition any{.tokenizer = "any"};

// ---- The kinds: texts in a file of their own, deduplicators, streams, indexes of sets.

/// A list of texts in a file. The file has a number, the extent of the log that it includes, and the texts.
class text_list {
 public:
  text_list(neardup::detail::file_operations& files, const std::string& path)
      : journal_(std::make_unique<neardup::journal>(files, path)) {
    journal_->open(*this);
  }
  void add(const std::string& text) {
    journal_->append(text, [&] { texts_.push_back(text); });
  }
  void save() { journal_->save(*this); }
  [[nodiscard]] std::string state() const {
    std::string all;
    for (const std::string& text : texts_) all += text + "|";
    return all;
  }

 private:
  friend neardup::journal;

  neardup::journaled_file read(const std::string& path) {
    const std::string bytes = support::read_bytes(path);
    const auto number_at = [&](std::size_t at) {
      return neardup::detail::get<std::uint64_t>(neardup::detail::to_bytes(bytes), at);
    };
    for (std::size_t at = 32; at < bytes.size();) {
      const std::size_t size = number_at(at);
      texts_.push_back(bytes.substr(at + 8, size));
      at += 8 + size;
    }
    neardup::journaled_file found{number_at(0)};
    if (number_at(8) > 0) found.log = {number_at(16), number_at(24)};
    return found;
  }
  bool replay(std::string_view record) {
    texts_.emplace_back(record);
    return record != "wrong";
  }
  std::uint64_t write(const std::string& path, const std::optional<neardup::log_extent>& log) {
    std::string bytes;
    neardup::detail::put(bytes, std::uint64_t{log.has_value()});
    neardup::detail::put(bytes, log ? log->size : 0);
    neardup::detail::put(bytes, log ? log->checksum : 0);
    for (const std::string& text : texts_) {
      neardup::detail::put(bytes, std::uint64_t{text.size()});
      bytes += text;
    }
    std::string number;
    neardup::detail::put(number, neardup::detail::checksum_of(neardup::detail::to_bytes(bytes)) + texts_.size());
    const std::array pieces{neardup::detail::to_bytes(number), neardup::detail::to_bytes(bytes)};
    neardup::detail::save_file(journal_->files(), path, pieces);
    return neardup::detail::get<std::uint64_t>(neardup::detail::to_bytes(number), 0);
  }

  std::unique_ptr<neardup::journal> journal_;
  std::vector<std::string> texts_;
};

journaled_kind texts_kind() {
  // Adds texts whose lengths are around a multiple of 8, texts with trailing zeros, empty texts, and texts with whole
  // sectors of zeros.
  std::vector<std::function<void(text_list&)>> steps;
  for (std::size_t size = 0; size < 10; ++size) {
    steps.push_back([size](text_list& list) { list.add(std::string(size, static_cast<char>('a' + size))); });
    if (size == 5) steps.push_back([](text_list& list) { list.save(); });
  }
  steps.push_back([](text_list& list) { list.add("ends with zeros\0\0\0"s); });
  steps.push_back([](text_list& list) { list.add(std::string(1033, '\0')); });
  steps.push_back([](text_list& list) { list.add(std::string(1500, 'x')); });
  return support::kind_of<text_list>(
      "texts", steps, [](const text_list& list) { return list.state(); },
      [](auto& files, const std::string& path) { return text_list(files, path); }, {"wrong"});
}

using dedup_type = deduplicator<neardup::feature_extractor<neardup::words>>;
using durable_type = neardup::durable_deduplicator<dedup_type>;

dedup_type empty_dedup() { return dedup_type(jaccard{0.7}); }

std::string state_of_dedup(const durable_type& d) {
  std::string state = std::to_string(d.added()) + "/" + std::to_string(d.size());
  for (std::uint32_t i = 0; i < 12; ++i) {
    state += d.contains(i) ? " +" : " -";
    if (const auto verdict = d.find(text_of(i)); verdict.original) state += std::to_string(*verdict.original);
  }
  return state;
}

journaled_kind deduplicator_kind() {
  return support::kind_of<durable_type>(
      "deduplicator",
      {
          [](durable_type& d) { d.add(text_of(0)); },
          [](durable_type& d) { d.add(text_of(1)); },
          [](durable_type& d) { d.add(text_of(2)); },
          [](durable_type& d) { d.erase(0); },
          [](durable_type& d) { d.add(text_of(4)); },
          [](durable_type& d) { d.save(); },
          [](durable_type& d) { d.add(text_of(6)); },
          [](durable_type& d) { d.add(""); },
          [](durable_type& d) { d.erase(77); },
          [](durable_type& d) { d.erase(4); },
          [](durable_type& d) { d.add(text_of(1)); },
          [](durable_type& d) { d.save(); },
          [](durable_type& d) { d.add("short one"); },
          [](durable_type& d) { d.add(text_of(8)); },
      },
      state_of_dedup,
      [](auto& files, const std::string& path) { return durable_type(files, path, empty_dedup(), any); },
      {"", "X", "DD", "E\x63\0\0\0"s, "E\1"s, "K", "S"});
}

using plain_type = deduplicator<neardup::feature_extractor<neardup::words>, std::string>;
using stream_type = neardup::stream_deduplicator<plain_type>;
using durable_stream = neardup::durable_deduplicator<stream_type>;

stream_type empty_stream() {
  return stream_type(plain_type(jaccard{0.7}), {.max_documents = 5, .max_age = 20, .duplicates_renew = true});
}

std::string words_of(int i) {
  std::string text;
  for (int word = 0; word < 12; ++word) text += "word" + std::to_string(i * 100 + word) + " ";
  return text;
}

/// Adds the documents of these numbers. The number of a document is its id.
void add_some(durable_stream& s, const std::vector<int>& numbers, std::uint64_t now) {
  std::vector<std::string> texts, ids;
  for (const int number : numbers) {
    texts.push_back(words_of(number % 10));
    ids.push_back(std::to_string(number));
  }
  s.add_batch(texts, ids, {}, now);
}

journaled_kind stream_kind() {
  static const std::vector<std::uint64_t> times{1, 3, 4, 5, 5, 6, 7, 8, 9, 25, 27, 40};
  return support::kind_of<durable_stream>(
      "stream",
      {
          [](durable_stream& s) {
            add_some(s, {0, 1, 10}, 1);
          },
          [](durable_stream& s) {
            add_some(s, {2, 3}, 3);
          },
          [](durable_stream& s) { s.add(words_of(0), "x", 4); },
          [](durable_stream& s) { s.replace("short", "2", 5); },
          [](durable_stream& s) { s.erase("3"); },
          [](durable_stream& s) {
            add_some(s, {4, 5, 6}, 6);
          },
          [](durable_stream& s) { s.save(); },
          [](durable_stream& s) { s.add("", "none", 8); },
          [](durable_stream& s) { s.replace(words_of(5), "4", 9); },
          [](durable_stream& s) { s.expire(25); },
          [](durable_stream& s) {
            add_some(s, {7, 17, 8}, 27);
          },
          [](durable_stream& s) { s.add(words_of(9), "9", 40); },
      },
      [](const durable_stream& s) {
        std::string state = std::to_string(s.added());
        s.for_each_kept([&](const auto& kept) {
          state += " " + kept.id + "/" + std::to_string(kept.serial) + "@" + std::to_string(kept.time);
        });
        return state;
      },
      [](auto& files, const std::string& path) { return durable_stream(files, path, empty_stream(), any); },
      {"", "X", "E\1\0\0\0z"s, "S"},
      // The removal of documents that are too old is a separate change.
      [](durable_stream& s, std::size_t i) { s.expire(times[i]); });
}

using durable_sets = neardup::durable_set_index<>;

/// Returns the features of set i. Sets 2i and 2i + 1 are similar.
std::vector<std::uint32_t> set_of(std::uint32_t i) {
  std::vector<std::uint32_t> set;
  for (std::uint32_t feature = 0; feature < 12; ++feature) set.push_back(i / 2 * 100 + feature * 3);
  set.back() += i % 2;
  return set;
}

journaled_kind sets_kind() {
  return support::kind_of<durable_sets>(
      "index of sets",
      {
          [](durable_sets& d) { d.insert(set_of(0), 0); },
          [](durable_sets& d) { d.insert(set_of(1), 1); },
          [](durable_sets& d) { d.insert_or_assign(set_of(3), 0); },
          [](durable_sets& d) { d.erase(1); },
          [](durable_sets& d) { d.insert({}, 9); },
          [](durable_sets& d) { d.save(); },
          [](durable_sets& d) { d.insert(set_of(4), 4); },
          [](durable_sets& d) { d.erase(0); },
          [](durable_sets& d) {
            d.insert_all(std::vector{set_of(5), set_of(6), set_of(7)}, std::vector{5U, 6U, 5U});
          },
          [](durable_sets& d) { d.insert_or_assign(set_of(8), 9); },
          [](durable_sets& d) { d.erase(77); },
          [](durable_sets& d) { d.save(); },
          [](durable_sets& d) { d.insert(set_of(9), 1); },
          [](durable_sets& d) { d.insert_or_assign(set_of(1), 5); },
      },
      [](const durable_sets& d) {
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
      },
      [](auto& files, const std::string& path) {
        return durable_sets(files, path, neardup::set_index<>(jaccard{0.6}), any);
      },
      {"", "X", "E\x63\0\0\0"s, "E\4\0\0\0E\4\0\0\0"s, "S\x01\0\0\0\x02\0\0\0\x05\0\0\0"s,
       "S\x01\0\0\0\x02\0\0\0\x05\0\0\0\x04\0\0\0"s});
}

const std::vector<journaled_kind>& kinds() {
  static const std::vector<journaled_kind> all{texts_kind(), deduplicator_kind(), stream_kind(), sets_kind()};
  return all;
}

/// Calls `check(kind)` for each kind.
template <class Check>
void for_each_kind(const Check& check) {
  for (const journaled_kind& kind : kinds()) {
    CAPTURE(kind.name);
    check(kind);
  }
}

/// The bytes of a file and of its log. After `ends[i]` bytes, a record of the log ends. If the log is cut there,
/// opening gives states[i]. If a part of the next step follows, opening gives begun[i].
struct file_with_log {
  std::string file, log;
  std::vector<std::size_t> ends;
  std::vector<std::string> states, begun;
};
file_with_log make_file_with_log(const journaled_kind& kind, const support::temporary_folder& folder) {
  file_with_log made;
  const auto expected = kind.states();
  const auto d = kind.open(folder / "d", nullptr);
  for (std::size_t i = 0; i < kind.steps; ++i) {
    d->step(i);
    if (!std::filesystem::exists(folder / "d.log")) {
      made.ends.clear();
      made.states.clear();
      made.begun.clear();
      continue;
    }
    if (made.ends.empty()) {
      made.ends.push_back(neardup::detail::log_frame::header_size);
      made.states.push_back(expected.done[i]);
      made.begun.push_back(expected.begun[i]);
    }
    const std::size_t end = support::read_bytes(folder / "d.log").size();
    if (end == made.ends.back()) continue;
    made.ends.push_back(end);
    made.states.push_back(d->state());
    made.begun.push_back(expected.begun[std::min(i + 1, kind.steps - 1)]);
  }
  made.file = support::read_bytes(folder / "d");
  made.log = support::read_bytes(folder / "d.log");
  return made;
}

}  // namespace

TEST_CASE("when an operation fails, or the disk is full, what is durable keeps what it has acknowledged") {
  for_each_kind([](const journaled_kind& kind) {
    const auto expected = kind.states();
    std::size_t failed = 0, noticed = 0, ahead = 0;
    for (const bool for_good : {false, true}) {
      for (std::size_t call = 1;; ++call) {
        const support::temporary_folder folder;
        support::faulty_files files;
        files.failing_call = call;
        files.fails_for_good = for_good;
        std::size_t done = 0;
        try {
          const auto d = kind.open(folder / "d", &files);
          for (; done < kind.steps; ++done) {
            try {
              d->step(done);
            } catch (const std::runtime_error& error) {
              CHECK(std::string(error.what()).find(folder / "d") != std::string::npos);
              REQUIRE(expected.is_acknowledged(d->state(), done, false));
              throw;
            }
            REQUIRE(d->state() == expected.done[done + 1]);
          }
        } catch (const std::runtime_error&) {
          ++noticed;
        }
        CAPTURE(call, for_good, done);
        const std::string found = kind.state_in(folder / "d");
        REQUIRE(expected.is_acknowledged(found, done, for_good));
        ahead += found != expected.done[done] ? 1 : 0;
        if (files.failures == 0) break;
        ++failed;
      }
    }
    std::printf("%s: %zu failed calls, %zu noticed, after %zu the step under way was there\n", kind.name.c_str(),
                failed, noticed, ahead);
    CHECK(failed > 60);
  });
}

TEST_CASE("an operation that fails once leaves what is durable as it was, and it goes on") {
  for_each_kind([](const journaled_kind& kind) {
    const auto expected = kind.states();
    for (std::size_t call = 1;; ++call) {
      const support::temporary_folder folder;
      support::faulty_files files;
      const auto d = kind.open(folder / "d", &files);
      files.failing_call = files.calls + call;
      std::size_t failures = 0;
      for (std::size_t i = 0; i < kind.steps; ++i) {
        try {
          d->step(i);
        } catch (const std::runtime_error&) {
          ++failures;
          REQUIRE(expected.is_acknowledged(d->state(), i, false));
          // After a failed save, a step first needs a successful save.
          try {
            d->step(i);
          } catch (const std::runtime_error&) {
            d->save();
            d->step(i);
          }
        }
        REQUIRE(d->state() == expected.done[i + 1]);
      }
      REQUIRE(failures <= 1);
      support::copy_with_log(folder / "d", folder / "copy");  // the first file is locked
      REQUIRE(kind.state_in(folder / "copy") == expected.done.back());
      if (files.failures == 0) break;
    }
  });
}

TEST_CASE("after a power failure at any call, what is durable has all that it acknowledged") {
  for_each_kind([](const journaled_kind& kind) {
    const auto expected = kind.states();
    const support::temporary_folder folder;
    support::faulty_files files;
    files.keeps_states = true;
    std::vector<std::size_t> acknowledged;  // the number of acknowledged steps for each state of the disk
    {
      const auto d = kind.open(folder / "d", &files);
      acknowledged.resize(files.states.size() - 1, 0);
      for (std::size_t i = 0; i < kind.steps; ++i) {
        acknowledged.push_back(i);
        d->step(i);
        acknowledged.resize(files.states.size() - 1, i);
      }
      acknowledged.push_back(kind.steps);
      acknowledged.resize(files.states.size(), kind.steps);
    }
    oracle::random_engine random(2);
    std::size_t tried = 0, ahead = 0;
    for (std::size_t at = 0; at < acknowledged.size(); ++at) {
      for (std::size_t i = 0; i < oracle::effort(20, 4); ++i) {
        using loss = support::simulated_disk::loss;
        const auto left = files.states[at].after(i == 0 ? loss::all : i == 1 ? loss::nothing : loss::some, random);
        const support::temporary_folder restarted;
        for (const auto& [name, content] : left) support::write_bytes(restarted / name, content);
        const std::string found = kind.state_in(restarted / "d");
        const std::size_t done = acknowledged[at];
        CAPTURE(at, i, done);
        REQUIRE(expected.is_acknowledged(found, done, true));
        ++tried;
        ahead += found != expected.done[done] ? 1 : 0;
      }
    }
    std::printf("%s: %zu power failures, after %zu the step under way was there\n", kind.name.c_str(), tried, ahead);
    CHECK(ahead > 0);
  });
}

TEST_CASE("what is durable keeps its promises when any allocation fails") {
  for_each_kind([](const journaled_kind& kind) {
    const auto expected = kind.states();
    const support::temporary_folder folder;
    std::size_t failures =
        support::fail_each_allocation([&] { kind.open(folder / "d", nullptr); },
                                      [&] { REQUIRE(!std::filesystem::exists(folder / "d.neardup-lock")); });
    const auto d = kind.open(folder / "d", nullptr);
    for (std::size_t i = 0; i < kind.steps; ++i) {
      failures += support::fail_each_allocation(
          [&] {
            try {
              d->step(i);
            } catch (const std::runtime_error&) {  // the attempt before failed after it had written to the log
              d->save();
              d->step(i);
            }
          },
          [&] { REQUIRE(expected.is_acknowledged(d->state(), i, false)); });
      REQUIRE(d->state() == expected.done[i + 1]);
      support::copy_with_log(folder / "d", folder / "e");
      REQUIRE(kind.state_in(folder / "e") == expected.done[i + 1]);
    }
    std::printf("%s: %zu failing allocations\n", kind.name.c_str(), failures);
    CHECK(failures > 50);
  });
}

TEST_CASE("a log that is cut off at any byte has the records that are whole, and goes on behind them") {
  for_each_kind([](const journaled_kind& kind) {
    const support::temporary_folder folder;
    const file_with_log made = make_file_with_log(kind, folder);
    REQUIRE(made.ends.size() > 2);
    REQUIRE(made.ends.back() == made.log.size());
    std::size_t step = 0;
    for (std::size_t size = made.ends[0]; size <= made.log.size(); size += made.log.size() > 2000 ? 3 : 1) {
      while (step + 1 < made.ends.size() && made.ends[step + 1] <= size) ++step;
      support::write_bytes(folder / "d.log", std::string_view(made.log).substr(0, size));
      const std::string found = kind.state_in(folder / "d");
      REQUIRE((found == made.states[step] || found == made.begun[step]));
      REQUIRE((found != made.states[step] || support::read_bytes(folder / "d.log").size() == made.ends[step]));
    }
    // A crash leaves no partial header, because a header gets its name by a rename, together with the file.
    for (std::size_t size = 0; size < made.ends[0]; ++size) {
      support::write_bytes(folder / "d.log", std::string_view(made.log).substr(0, size));
      REQUIRE_THROWS_WITH(kind.open(folder / "d", nullptr), folder / "d.log: " + damaged_header);
    }
    // One sector of the last record is zeros. A power failure may leave the log so.
    constexpr std::size_t sector = 512;
    const std::size_t last = made.ends[made.ends.size() - 2];
    for (std::size_t begin = last; begin < made.log.size(); begin = (begin / sector + 1) * sector) {
      std::string torn = made.log;
      const std::size_t end = std::min(made.log.size(), (begin / sector + 1) * sector);
      std::fill(torn.begin() + static_cast<std::ptrdiff_t>(begin), torn.begin() + static_cast<std::ptrdiff_t>(end),
                '\0');
      if (torn == made.log) continue;
      support::write_bytes(folder / "d.log", torn);
      const std::string found = kind.state_in(folder / "d");
      REQUIRE((found == made.states[made.states.size() - 2] || found == made.begun[made.states.size() - 2]));
    }
  });
}

TEST_CASE("a log with any bit flipped is refused by name, and left as it is") {
  for_each_kind([](const journaled_kind& kind) {
    const support::temporary_folder folder;
    const file_with_log made = make_file_with_log(kind, folder);
    const std::size_t bits = 8 * made.log.size();
    const std::size_t by = kind.name == "texts" ? oracle::effort(1, 1, 5) : oracle::effort(1, 29, 101);
    for (std::size_t bit = 0; bit < bits; bit += bit < 8 * made.ends[0] ? 1 : by) {
      const std::string damaged = support::with_flipped_bit(made.log, bit);
      support::write_bytes(folder / "d.log", damaged);
      CAPTURE(bit);
      REQUIRE_THROWS_WITH(kind.open(folder / "d", nullptr), Catch::Matchers::StartsWith(folder / "d.log: "));
      REQUIRE(support::read_bytes(folder / "d.log") == damaged);
    }
  });
  // The last record has sectors of zeros, as if they had never been written. The flipped bits are in the zeros behind
  // this record.
  const support::temporary_folder folder;
  make_file_with_log(kinds()[0], folder);
  support::append_record(folder / "d.log", std::string(1033, '\0'));
  const std::string log = support::read_bytes(folder / "d.log");
  for (std::size_t bit = 8 * (log.size() - 7); bit < 8 * log.size(); ++bit) {
    support::write_bytes(folder / "d.log", support::with_flipped_bit(log, bit));
    CHECK_THROWS_WITH(kinds()[0].open(folder / "d", nullptr), Catch::Matchers::ContainsSubstring(" is damaged; "));
  }
}

TEST_CASE("a log whose last records are damaged is refused") {
  const support::temporary_folder folder;
  const file_with_log made = make_file_with_log(kinds()[1], folder);
  const auto is_refused_at = [&](std::size_t position, const std::string& damaged) {
    support::write_bytes(folder / "d.log", damaged);
    CHECK_THROWS_WITH(kinds()[1].open(folder / "d", nullptr),
                      folder / "d.log: " + refused_record(position, "is damaged"));
    CHECK(support::read_bytes(folder / "d.log") == damaged);
  };
  REQUIRE(made.ends.size() == 3);
  std::string damaged = made.log;
  damaged[made.ends[0]] ^= 1;  // a damaged length, followed by a record whose payload is damaged
  damaged[made.ends[1] + 20] ^= 1;
  is_refused_at(made.ends[0], damaged);
  damaged = made.log;  // a length of zeros, as in a sector that was never written, followed by a whole record
  std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(made.ends[0]), 8, '\0');
  is_refused_at(made.ends[0], damaged);
  for (const std::size_t record : {0U, 1U}) {
    damaged = made.log;  // the length of the record is intact; all bytes behind it are damaged
    for (std::size_t i = made.ends[record] + 8; i < damaged.size(); ++i) damaged[i] = '\x55';
    is_refused_at(made.ends[record], damaged);
  }
}

TEST_CASE("a log of another version, of another file, or with records that do not fit, is refused and kept") {
  for_each_kind([](const journaled_kind& kind) {
    const support::temporary_folder folder;
    std::string empty;
    { kind.open(folder / "d", nullptr); }
    empty = support::read_bytes(folder / "d");
    std::filesystem::remove(folder / "d");
    const file_with_log made = make_file_with_log(kind, folder);
    const auto is_refused = [&](const std::string& log, const std::string& what) {
      support::write_bytes(folder / "d.log", log);
      CHECK_THROWS_WITH(kind.open(folder / "d", nullptr), folder / "d.log: " + what);
      CHECK(support::read_bytes(folder / "d.log") == log);
    };
    const auto of_other_file = [&](const std::string& there) {
      return "it follows another file than " + folder / "d (" + there + "); put that file back, or move the log away";
    };
    // Records whose checksums are right.
    for (const std::string& record : kind.wrong_records) {
      CAPTURE(record);
      support::write_bytes(folder / "d.log", made.log);
      support::append_record(folder / "d.log", record);
      is_refused(support::read_bytes(folder / "d.log"),
                 refused_record(made.log.size(), "does not fit what is before it"));
      // The log is cut, as the message suggests.
      std::filesystem::resize_file(folder / "d.log", made.log.size());
      CHECK(kind.state_in(folder / "d") == made.states.back());
    }
    std::string later = support::with_version_7(made.log);
    is_refused(later, support::refusal_of_version(7));
    later[24] ^= 1;
    is_refused(later, damaged_header);
    // The file beside the log is an older one, or is missing.
    support::write_bytes(folder / "d", empty);
    is_refused(made.log, of_other_file("this is another one"));
    std::filesystem::remove(folder / "d");
    is_refused(made.log, of_other_file("there is none"));
    is_refused(support::with_version_7(made.log), support::refusal_of_version(7));
    CHECK_FALSE(std::filesystem::exists(folder / "d"));
    // The log is moved away, as the message suggests. Then the older file gets changes that the newer file does not
    // have.
    support::write_bytes(folder / "d", empty);
    std::filesystem::remove(folder / "d.log");
    { kind.open(folder / "d", nullptr)->step(0); }
    const std::string other = support::read_bytes(folder / "d.log");
    support::write_bytes(folder / "d", made.file);
    is_refused(other, of_other_file("this is another one"));
    support::write_bytes(folder / "d.log", made.log);
    CHECK(kind.state_in(folder / "d") == made.states.back());
  });
}

TEST_CASE("a log that a saved file incorporates is known by its extent, whatever it is") {
  for_each_kind([](const journaled_kind& kind) {
    const support::temporary_folder folder;
    std::string before;
    for (const char* const damaged : {"whole", "", "no header", "no header, and longer than one, which has 32 bytes"}) {
      std::filesystem::remove(folder / "d");
      std::filesystem::remove(folder / "d.log");
      const auto d = kind.open(folder / "d", nullptr);
      d->step(0);
      std::string log = support::read_bytes(folder / "d.log");
      const std::string whole = log;
#if !defined(_WIN32)  // on Windows, no other program can change an open log
      if (damaged != "whole"s) support::write_bytes(folder / "d.log", log = damaged);
#endif
      d->save();
      CHECK_FALSE(std::filesystem::exists(folder / "d.log"));
      // As if the process had been stopped before it removed the log.
      std::filesystem::copy_file(folder / "d", folder / "e", std::filesystem::copy_options::overwrite_existing);
      support::write_bytes(folder / "e.log", log);
      {
        const auto again = kind.open(folder / "e", nullptr);
        CHECK(again->state() == d->state());
        again->step(1);  // begins another log
        CHECK(again->state() == kind.states().done[2]);
      }
      CHECK(kind.state_in(folder / "e") == kind.states().done[2]);
      // If the bytes of the log differ, the log is not the one that the file includes.
      std::filesystem::copy_file(folder / "d", folder / "e", std::filesystem::copy_options::overwrite_existing);
      support::write_bytes(folder / "e.log", damaged == "whole"s ? log.substr(0, 32) : log + "x");
      CHECK_THROWS_AS(kind.open(folder / "e", nullptr), std::runtime_error);
    }
  });
}

TEST_CASE("a file with changes in a log beside it is not loaded without them") {
  const support::temporary_folder folder;
  const std::string path = folder / "d";
  const std::string refused =
      path + ".log: it has changes since " + path + " was saved; open that as durable, and save";
  const auto open_dedup = [&] { return durable_type(path, empty_dedup(), any); };
  open_dedup().add("a text of some words", 0);
  CHECK_THROWS_WITH(neardup::restore(path, empty_dedup(), any), refused);
  open_dedup().save();
  CHECK(neardup::restore(path, empty_dedup(), any).size() == 1);
  std::filesystem::remove(path);
  const auto open_sets = [&] { return durable_sets(path, neardup::set_index<>(jaccard{0.6}), any); };
  open_sets().insert(set_of(0), 0);
  using neardup::set_index;
  CHECK_THROWS_WITH(neardup::load<set_index<>>(path), refused);
  // If the log has another version or a damaged header, it may have changes, so loading is refused. Any other file with
  // the name of a log is ignored.
  const std::string log = support::read_bytes(path + ".log");
  support::write_bytes(path + ".log", support::with_version_7(log));
  CHECK_THROWS_WITH(neardup::load<set_index<>>(path), path + ".log: " + support::refusal_of_version(7));
  for (const std::string& damaged :
       {support::with_flipped_bit(log, 8 * 9), support::with_flipped_bit(log, 8 * 20), log.substr(0, 20)}) {
    support::write_bytes(path + ".log", damaged);
    CHECK_THROWS_WITH(neardup::load<set_index<>>(path), path + ".log: " + damaged_header);
  }
  support::write_bytes(path + ".log", "12:30 the job has begun\n");
  CHECK(neardup::load<set_index<>>(path).empty());
  support::write_bytes(path + ".log", log);
  open_sets().save();
  CHECK(neardup::load<set_index<>>(path).size() == 1);
}

TEST_CASE("what is durable has one writer at a time, follows links, and stays where it is") {
  for_each_kind([](const journaled_kind& kind) {
    const support::temporary_folder folder, elsewhere;
    const std::string refused = folder /
                                "d is being written by another program, or in another place of this one; "
                                "close it there, or try again later";
    const std::filesystem::path before = std::filesystem::current_path();
    {
      std::filesystem::current_path(folder.path());
      const auto first = kind.open("d", nullptr);
      std::filesystem::current_path(elsewhere.path());
      CHECK_THROWS_WITH(kind.open(folder / "d", nullptr), refused);
      CHECK_THROWS_WITH(neardup::file_lock(folder / "d"), refused);
      first->step(0);
      first->save();
      first->step(1);
    }
    std::filesystem::current_path(before);
    CHECK(elsewhere.files() == 0);
    CHECK(folder.files() == 2);  // the file and its log, and no lock
    CHECK(kind.state_in(folder / "d") == kind.states().done[2]);
#if !defined(_WIN32)  // on Windows, neardup does not follow links
    std::filesystem::create_directory(folder / "data");
    std::filesystem::create_symlink("data/real", folder / "link");
    std::filesystem::create_symlink("link", folder / "other");
    {
      const auto d = kind.open(folder / "other", nullptr);  // a link to a file that does not exist yet
      d->step(0);
      for (const std::string name : {"data/real", "link", "other"}) {
        CHECK_THROWS_AS(kind.open(folder / name, nullptr), std::runtime_error);
      }
      d->save();
      d->step(1);
    }
    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK_FALSE(std::filesystem::exists(folder / "link.log"));
    CHECK(kind.state_in(folder / "data/real") == kind.states().done[2]);
    std::filesystem::create_symlink(folder / "loop", folder / "loop");
    CHECK_THROWS_AS(kind.open(folder / "loop", nullptr), std::runtime_error);
#endif
  });
}

#if !defined(_WIN32)
TEST_CASE("a forked process cannot change what its parent has opened") {
  for_each_kind([](const journaled_kind& kind) {
    const support::temporary_folder folder;
    for (const bool has_log : {false, true}) {
      std::filesystem::remove(folder / "d");
      std::filesystem::remove(folder / "d.log");
      const auto d = kind.open(folder / "d", nullptr);
      if (has_log) d->step(0);
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
        ::_exit(refused([&] { d->step(has_log ? 1 : 0); }) && refused([&] { d->save(); }) ? 0 : 1);
      }
      int status = -1;
      ::waitpid(child, &status, 0);
      CHECK(status == 0);
      if (!has_log) d->step(0);
      d->step(1);
      CHECK(d->state() == kind.states().done[2]);
    }
    CHECK(kind.state_in(folder / "d") == kind.states().done[2]);
  });
}
#endif

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

}  // namespace journals
