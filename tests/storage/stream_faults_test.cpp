// A bounded durable stream with batches and replacements, under failing operations and power failures: acknowledged
// changes are there, with their times.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/stream_deduplicator.hpp>
#include <neardup/storage.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/faulty_files.hpp"
#include "support/temporary_folder.hpp"

namespace {

const neardup::fingerprint_composition made_of_any{.tokenizer = "any"};

using plain_type = neardup::deduplicator<neardup::feature_extractor<neardup::words>, std::string>;
using neardup::jaccard;
using stream_type = neardup::stream_deduplicator<plain_type>;
using lasting_stream = neardup::durable_deduplicator<stream_type>;

stream_type empty_stream() {
  return stream_type(plain_type(jaccard{0.7}), {.max_documents = 5, .max_age = 20, .duplicates_renew = true});
}

std::string words_of(int i) {
  std::string text;
  for (int word = 0; word < 12; ++word) text += "word" + std::to_string(i * 100 + word) + " ";
  return text;
}

/// Adds the documents of these numbers; the number is the id.
void add_some(lasting_stream& s, const std::vector<int>& numbers, std::uint64_t now) {
  std::vector<std::string> texts, ids;
  for (const int number : numbers) {
    texts.push_back(words_of(number % 10));
    ids.push_back(std::to_string(number));
  }
  s.add_batch(texts, ids, {}, {.now = now});
}

struct stream_step {
  std::uint64_t time;
  std::function<void(lasting_stream&)> run;
};
const std::vector<stream_step> stream_steps = {
    {1,
     [](lasting_stream& s) {
       add_some(s, {0, 1, 10}, 1);
     }},
    {3,
     [](lasting_stream& s) {
       add_some(s, {2, 3}, 3);
     }},
    {4, [](lasting_stream& s) { s.add(words_of(0), "x", 4); }},
    {5, [](lasting_stream& s) { s.replace("short", "2", 5); }},
    {5, [](lasting_stream& s) { s.erase("3"); }},
    {6,
     [](lasting_stream& s) {
       add_some(s, {4, 5, 6}, 6);
     }},
    {7, [](lasting_stream& s) { s.save(); }},
    {8, [](lasting_stream& s) { s.add("", "none", 8); }},
    {9, [](lasting_stream& s) { s.replace(words_of(5), "4", 9); }},
    {25, [](lasting_stream& s) { s.expire(25); }},
    {27,
     [](lasting_stream& s) {
       add_some(s, {7, 17, 8}, 27);
     }},
    {40, [](lasting_stream& s) { s.add(words_of(9), "9", 40); }},
};

/// The observable state of a stream.
std::string stream_state(const lasting_stream& s) {
  std::string state = std::to_string(s.added());
  s.for_each_kept([&](const auto& kept) {
    state += " " + kept.id + "/" + std::to_string(kept.serial) + "@" + std::to_string(kept.time);
  });
  return state;
}

struct stream_states {
  std::vector<std::string> done;   // before the first step, and after each step
  std::vector<std::string> begun;  // before each step, after expiring documents that are too old for it
};
stream_states states_of_stream() {
  stream_states states;
  const support::temporary_folder folder;
  lasting_stream s(folder / "s", empty_stream(), made_of_any);
  states.done.push_back(stream_state(s));
  for (const stream_step& step : stream_steps) {
    const support::temporary_folder copied;
    for (const char* const name : {"s", "s.log"}) std::filesystem::copy_file(folder / name, copied / name);
    lasting_stream other(copied / "s", empty_stream(), made_of_any);
    REQUIRE(stream_state(other) == states.done.back());
    other.expire(step.time);
    states.begun.push_back(stream_state(other));
    step.run(s);
    states.done.push_back(stream_state(s));
  }
  return states;
}

}  // namespace

TEST_CASE("when an operation fails, a stream on the disk keeps what it has acknowledged, with its ages") {
  const stream_states expected = states_of_stream();
  std::size_t failed = 0, ahead = 0, without_old = 0;
  for (const bool for_good : {false, true}) {
    for (std::size_t call = 1;; ++call) {
      const support::temporary_folder folder;
      support::faulty_files files;
      files.failing_call = call;
      files.fails_for_good = for_good;
      std::size_t done = 0;
      try {
        lasting_stream s(files, folder / "s", empty_stream(), made_of_any);
        for (; done < stream_steps.size(); ++done) {
          try {
            stream_steps[done].run(s);
          } catch (const std::runtime_error&) {
            const std::string now = stream_state(s);
            REQUIRE((now == expected.done[done] || now == expected.begun[done]));
            throw;
          }
          REQUIRE(stream_state(s) == expected.done[done + 1]);
        }
      } catch (const std::runtime_error&) {
        ++failed;
      }
      CAPTURE(call, for_good, done);
      const lasting_stream again(folder / "s", empty_stream(), made_of_any);
      const std::string found = stream_state(again);
      const bool is_any = done < stream_steps.size();
      const bool is_begun = is_any && found == expected.begun[done];
      const bool is_next = is_any && for_good && found == expected.done[done + 1];
      REQUIRE((found == expected.done[done] || is_begun || is_next));
      ahead += is_next && !is_begun && found != expected.done[done] ? 1 : 0;
      without_old += is_begun && found != expected.done[done] ? 1 : 0;
      if (files.failures == 0) break;
    }
  }
  std::printf(
      "%zu failed calls of a stream, after %zu the step under way was there, after %zu only what is not too old\n",
      failed, ahead, without_old);
  CHECK(failed > 60);
}

TEST_CASE("after a power failure at any call, a stream on the disk has all that it acknowledged") {
  const stream_states expected = states_of_stream();
  const support::temporary_folder folder;
  support::faulty_files files;
  files.keeps_states = true;
  std::vector<std::size_t> acknowledged;  // the number of acknowledged steps for each state of the disk
  {
    lasting_stream s(files, folder / "s", empty_stream(), made_of_any);
    for (std::size_t i = 0; i <= stream_steps.size(); ++i) {
      acknowledged.resize(files.states.size(), i);
      if (i < stream_steps.size()) stream_steps[i].run(s);
    }
  }
  oracle::random_engine random(3);
  std::size_t tried = 0;
  for (std::size_t at = 0; at < acknowledged.size(); ++at) {
    for (std::size_t i = 0; i < oracle::effort(20, 3); ++i) {
      using loss = support::simulated_disk::loss;
      const auto left = files.states[at].after(i == 0 ? loss::all : i == 1 ? loss::nothing : loss::some, random);
      const support::temporary_folder restarted;
      for (const auto& [name, content] : left) support::write_bytes(restarted / name, content);
      const lasting_stream s(restarted / "s", empty_stream(), made_of_any);
      const std::string found = stream_state(s);
      // A state of the disk is that of an acknowledged step, or of the step in progress.
      bool is_one = false;
      for (std::size_t done = acknowledged[at] == 0 ? 0 : acknowledged[at] - 1; done <= acknowledged[at]; ++done) {
        is_one =
            is_one || found == expected.done[done] || (done < stream_steps.size() && found == expected.begun[done]);
      }
      CAPTURE(at, i, acknowledged[at], found);
      REQUIRE(is_one);
      // The last state of a step contains all of it.
      const bool is_last = at + 1 == acknowledged.size() || acknowledged[at + 1] != acknowledged[at];
      if (is_last) REQUIRE(found == expected.done[acknowledged[at]]);
      ++tried;
    }
  }
  std::printf("%zu power failures of a stream\n", tried);
  CHECK(tried > 100);
}

TEST_CASE("a stream is saved and restored with its times, and times that do not fit are refused") {
  const support::temporary_folder folder;
  stream_type seen = empty_stream();
  seen.add(words_of(1), "1", 10);
  seen.add(words_of(2), "2", 12);
  seen.add(words_of(3), "3", 15);
  seen.add(words_of(1), "4", 16);  // now document 1 is the youngest
  save(folder / "s", seen, made_of_any);
  const auto ids_and_times = [](const stream_type& s) {
    std::string all;
    s.for_each_kept([&](const auto& kept) { all += kept.id + "@" + std::to_string(kept.time) + " "; });
    return all;
  };
  stream_type again = restore(folder / "s", empty_stream(), made_of_any);
  CHECK(ids_and_times(again) == "2@12 3@15 1@16 ");
  CHECK(again.added() == 4);
  CHECK_THROWS_AS(again.add(words_of(5), "5", 15), std::invalid_argument);  // time does not go back after restoring,
                                                                            // either
  again.expire(33);
  CHECK(ids_and_times(again) == "3@15 1@16 ");
  // A deduplicator without a stream would lose the times; a stream gives documents without times the time 0.
  CHECK_THROWS_WITH(
      restore(folder / "s", plain_type(jaccard{0.7}), made_of_any),
      Catch::Matchers::EndsWith("open it with a stream_deduplicator, whose limits may be others, or none"));
  save(folder / "p", seen.get(), made_of_any);
  CHECK(ids_and_times(restore(folder / "p", empty_stream(), made_of_any)) == "1@0 2@0 3@0 ");

  const std::string bytes = support::read_bytes(folder / "s");
  const neardup::mapped_file mapped(folder / "s");
  const neardup::detail::container file(mapped.bytes(), "s", neardup::detail::file_content::deduplicator);
  const std::string times(neardup::detail::to_text(file.find(neardup::detail::section_tag::times)));
  REQUIRE(times.size() == 48);
  for (const auto& [place, value] : std::vector<std::pair<std::size_t, char>>{{0, 3}, {0, 2}, {8, 17}, {24, 11}}) {
    std::string damaged = times;
    damaged[place] = value;
    const std::array<neardup::detail::section_source, 3> sections{
        {{neardup::detail::section_tag::options, 0, file.find(neardup::detail::section_tag::options)},
         {neardup::detail::section_tag::documents, 0, file.find(neardup::detail::section_tag::documents)},
         {neardup::detail::section_tag::times, 0, neardup::detail::to_bytes(damaged)}}};
    neardup::detail::write_container(neardup::detail::system_files(), folder / "t", file.header(), sections);
    CHECK_THROWS_WITH(restore(folder / "t", empty_stream(), made_of_any),
                      folder / "t" + ": the times of the documents are damaged");
  }
}

TEST_CASE("a least overlap of 1 is the default of a saved deduplicator") {
  const support::temporary_folder folder;
  const auto open = [&](const jaccard& least) {
    return neardup::durable_deduplicator(folder / "d", plain_type(least), made_of_any);
  };
  open({0.7}).add(words_of(1), "1");
  CHECK(open({0.7, 1}).size() == 1);
  CHECK_THROWS_AS(open({0.7, 2}), std::invalid_argument);
}

TEST_CASE("a durable stream that is opened as a plain deduplicator is refused, and can be opened as a stream again") {
  using durable_plain = neardup::durable_deduplicator<plain_type>;
  using durable_stream = neardup::durable_deduplicator<stream_type>;
  const support::temporary_folder folder;
  const auto open_plain = [&] { return durable_plain(folder / "s", plain_type(jaccard{0.7}), made_of_any); };
  const auto open_stream = [&] { return durable_stream(folder / "s", empty_stream(), made_of_any); };
  const auto is_refused = [&](const std::string& name) {
    CHECK_THROWS_WITH(open_plain(), Catch::Matchers::StartsWith((folder / name) + ": saved by a stream_deduplicator"));
  };
  open_plain().add(words_of(1), "1");
  open_stream().add(words_of(2), "2", 3);  // into the log
  is_refused("s.log");
  open_stream().save();
  is_refused("s");
  durable_stream again = open_stream();
  CHECK(again.size() == 2);
  CHECK(again.add(words_of(3), "3", 4).is_new());
}
