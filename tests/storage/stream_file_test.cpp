// A stream that is saved keeps its times. (For faults see journal_test.cpp.)
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/dedup/deduplicator.hpp>
#include <neardup/dedup/stream_deduplicator.hpp>
#include <neardup/storage.hpp>

#include "catch.hpp"
#include "support/temporary_folder.hpp"

namespace {

const neardup::fingerprint_composition made_of_any{.tokenizer = "any"};

using plain_type = neardup::deduplicator<neardup::feature_extractor<neardup::words>, std::string>;
using neardup::jaccard;
using stream_type = neardup::stream_deduplicator<plain_type>;

stream_type empty_stream() {
  return stream_type(plain_type(jaccard{0.7}), {.max_documents = 5, .max_age = 20, .duplicates_renew = true});
}

std::string words_of(int i) {
  std::string text;
  for (int word = 0; word < 12; ++word) text += "word" + std::to_string(i * 100 + word) + " ";
  return text;
}

}  // namespace

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
  // If the file of a stream were restored as a deduplicator, the times would be lost. If a file without times is
  // restored as a stream, all documents get the time 0.
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
    CHECK_THROWS_WITH(
        restore(folder / "t", empty_stream(), made_of_any),
        folder / "t" + ": the times of the documents are damaged; restore the file from a copy, or make it anew");
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
