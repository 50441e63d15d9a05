// The search for repeated passages finds what a set of all passages seen so far finds.
#include <neardup/passages.hpp>
#include <neardup/threads.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::byte_ngrams;
using neardup::passage;
using neardup::passage_options;
using neardup::words;

using fields = std::vector<std::string>;  // the texts of a document

/// The units of a text, as strings.
template <class Tokenizer>
std::vector<std::string> units_of(std::string_view text, const Tokenizer& tokenizer) {
  std::vector<std::string> units;
  tokenizer(text, [&](std::string_view unit) { units.emplace_back(unit); });
  return units;
}

/// The oracle. A map of all passages seen gives the repeated passages, each with its first place.
template <class Tokenizer>
std::vector<passage> slow_passages(const std::vector<fields>& documents, const passage_options& how,
                                   const Tokenizer& tokenizer) {
  struct seen {
    std::array<std::size_t, 3> first;
    std::set<std::size_t> documents;
  };
  std::map<std::vector<std::string>, seen> all;
  std::vector<std::pair<std::array<std::size_t, 3>, const seen*>> places;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    for (std::size_t f = 0; f < documents[d].size(); ++f) {
      const std::vector<std::string> units = units_of(documents[d][f], tokenizer);
      for (std::size_t i = 0; i + how.length <= units.size(); ++i) {
        const auto at = units.begin() + static_cast<std::ptrdiff_t>(i);
        seen& known = all[{at, at + static_cast<std::ptrdiff_t>(how.length)}];
        if (known.documents.empty()) known.first = {d, f, i};
        known.documents.insert(d);
        places.push_back({{d, f, i}, &known});
      }
    }
  }
  std::vector<passage> result;
  for (const auto& [place, known] : places) {
    const auto& [d, f, i] = place;
    if (known->first == place || known->documents.size() < how.least_documents || d < how.earlier_documents) continue;
    const passage next{d, f, i, i + how.length, known->first[0], known->first[1], known->first[2]};
    if (!result.empty()) {
      passage& last = result.back();
      const std::size_t more = last.end - last.begin - how.length + 1;
      const bool follows = last.document == d && last.field == f && i == last.begin + more &&
                           last.first_document == next.first_document && last.first_field == next.first_field &&
                           next.first_begin == last.first_begin + more;
      if (follows) {
        ++last.end;
        continue;
      }
    }
    result.push_back(next);
  }
  return result;
}

template <class Tokenizer>
std::vector<passage> found_in(const std::vector<fields>& documents, const passage_options& how,
                              const Tokenizer& tokenizer, std::uint64_t memory = 1 << 20) {
  const auto read = [&](const auto& sink) {
    for (const fields& texts : documents) {
      for (std::size_t f = 0; f < texts.size(); ++f) sink(texts[f], f);
    }
  };
  std::vector<passage> result;
  neardup::detail::held_partitions store;
  neardup::visit_passages(read, how, tokenizer, store, memory, [&](const passage& p) { result.push_back(p); });
  return result;
}

using blob = std::vector<std::byte>;

/// Returns views of the blobs, in random order.
std::vector<std::span<const std::byte>> shuffled(const std::vector<blob>& blobs, oracle::random_engine& random) {
  std::vector<std::span<const std::byte>> views(blobs.begin(), blobs.end());
  for (std::size_t i = 1; i < views.size(); ++i) std::swap(views[i], views[random() % (i + 1)]);
  return views;
}

/// Returns the passages that tasks find. The parts of the documents and the number of partitions are random.
template <class Tokenizer>
std::vector<passage> found_by_tasks(const std::vector<fields>& documents, const passage_options& how,
                                    const Tokenizer& tokenizer, oracle::random_engine& random) {
  std::vector<std::size_t> ends{documents.size()};  // the ends of the parts
  for (std::size_t i = random() % 4; i > 0; --i) ends.push_back(random() % (documents.size() + 1));
  std::sort(ends.begin(), ends.end());
  const auto partitions = static_cast<std::uint32_t>(1 + random() % 5);
  const neardup::passage_shuffle tasks(how, partitions, tokenizer);
  const auto read = [&](std::size_t part) {
    return [&documents, first = part == 0 ? 0 : ends[part - 1], end = ends[part]](const auto& sink) {
      for (std::size_t d = first; d < end; ++d) {
        for (std::size_t f = 0; f < documents[d].size(); ++f) sink(documents[d][f], f);
      }
    };
  };
  std::vector<std::vector<blob>> moved(partitions);  // the blobs of each partition
  const auto move = [&](std::vector<blob> blobs) {
    REQUIRE(blobs.size() == partitions);
    for (std::size_t i = 0; i < blobs.size(); ++i) moved[i].push_back(std::move(blobs[i]));
  };
  for (std::size_t part = 0; part < ends.size(); ++part) move(tasks.scatter_anchors(read(part)));
  std::vector<blob> repeated_blobs;
  for (std::uint32_t i = 0; i < partitions; ++i) {
    repeated_blobs.push_back(tasks.repeated_anchors(shuffled(std::exchange(moved[i], {}), random), i));
  }
  blob repeated(random() % 2);  // blobs need not begin at multiples of 8
  const std::size_t begin = repeated.size();
  for (const auto& one : shuffled(repeated_blobs, random)) repeated.insert(repeated.end(), one.begin(), one.end());
  for (std::size_t part = 0; part < ends.size(); ++part) {
    move(tasks.scatter(read(part), part == 0 ? 0 : ends[part - 1], std::span(repeated).subspan(begin)));
  }
  std::vector<passage> found;
  for (std::uint32_t i = partitions; i-- > 0;) {
    const std::vector<passage> some = tasks.gather(shuffled(moved[i], random), i);
    found.insert(found.end(), some.begin(), some.end());
  }
  return tasks.join(found);
}

/// A random corpus: small alphabets, copied stretches, texts that repeat themselves, empty and short texts.
std::vector<fields> random_corpus(oracle::random_engine& random, std::size_t length, bool has_words) {
  const std::size_t letters = 1 + random() % (random() % 3 == 0 ? 20 : 3);
  std::vector<fields> documents(1 + random() % 8);
  std::vector<std::string> earlier;
  for (fields& document : documents) {
    document.resize(1 + random() % (random() % 4 == 0 ? 3 : 1));
    for (std::string& text : document) {
      const std::size_t size = random() % (3 * length + 8);
      std::vector<std::string> units;
      for (std::size_t i = 0; i < size; ++i) units.emplace_back(1, static_cast<char>('a' + random() % letters));
      if (!earlier.empty() && random() % 2 == 0) {
        // A stretch of an earlier text, at a random place.
        const std::string& from = earlier[random() % earlier.size()];
        const std::size_t begin = random() % (from.size() + 1);
        const std::string piece = from.substr(begin, random() % (2 * length + 2));
        std::vector<std::string> copied;
        for (const char c : piece) {
          if (c != ' ') copied.emplace_back(1, c);
        }
        units.insert(units.begin() + static_cast<std::ptrdiff_t>(random() % (units.size() + 1)), copied.begin(),
                     copied.end());
      }
      if (random() % 8 == 0 && units.size() > 2) {
        const std::size_t period = 1 + random() % 3;
        for (std::size_t i = period; i < units.size(); ++i) units[i] = units[i - period];
      }
      for (const std::string& unit : units) text += has_words && !text.empty() ? " " + unit : unit;
      earlier.push_back(text);
    }
  }
  return documents;
}

}  // namespace

TEST_CASE("the passages of random corpora are those of a set of all passages seen") {
  oracle::random_engine random(75);
  const char* const wanted = std::getenv("NEARDUP_PASSAGES_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : static_cast<int>(oracle::effort(1500, 1500, 500));
  std::size_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    passage_options how;
    how.length = 1 + random() % (round % 8 == 0 ? 200 : round % 2 == 0 ? 33 : 6);
    const bool has_words = round % 3 == 0;
    const std::vector<fields> documents = random_corpus(random, how.length, has_words);
    how.least_documents = 1 + (random() % 3 == 0 ? random() % 4 : 0);
    how.earlier_documents = random() % 4 == 0 ? random() % (documents.size() + 1) : 0;
    how.run = neardup::threads{round % 2 == 0 ? std::size_t{1} : std::size_t{8}};
    CAPTURE(round, how.length, how.least_documents, how.earlier_documents, documents);
    const auto wanted_passages =
        has_words ? slow_passages(documents, how, words{}) : slow_passages(documents, how, byte_ngrams{1});
    const std::uint64_t memory = std::uint64_t{1} << random() % 31;
    const auto result =
        has_words ? found_in(documents, how, words{}, memory) : found_in(documents, how, byte_ngrams{1}, memory);
    REQUIRE(result == wanted_passages);
    REQUIRE((has_words ? found_by_tasks(documents, how, words{}, random)
                       : found_by_tasks(documents, how, byte_ngrams{1}, random)) == wanted_passages);
    found += result.size();
  }
  CHECK(found > static_cast<std::size_t>(rounds));
}

TEST_CASE("the passages of long texts are those of a set of all passages seen") {
  oracle::random_engine random(76);
  const std::size_t size = oracle::effort(50'000, 50'000, 10'000);
  for (const std::size_t letters : {std::size_t{2}, std::size_t{26}}) {
    std::vector<fields> documents(3);
    for (fields& document : documents) {
      document.resize(1);
      while (document[0].size() < size) document[0] += static_cast<char>('a' + random() % letters);
    }
    documents[2][0].replace(size / 5 * 3, size / 5, documents[0][0].substr(size / 50 * 3, size / 5));
    for (const std::size_t length : {std::size_t{13}, std::size_t{500}}) {
      const passage_options how{.length = length};
      const std::vector<passage> wanted = slow_passages(documents, how, byte_ngrams{1});
      CHECK((found_in(documents, how, byte_ngrams{1}, 1) == wanted));
      CHECK((found_in(documents, how, byte_ngrams{1}, std::uint64_t{1} << 30) == wanted));
    }
  }
}

TEST_CASE("passages are found among many anchors") {
  oracle::random_engine random(79);
  std::vector<std::string> texts(3);
  for (std::size_t t = 0; t < 2; ++t) {
    while (texts[t].size() < 1'200'000) texts[t] += static_cast<char>('a' + random() % 26);
  }
  std::vector<passage> wanted;
  for (std::size_t i = 0; i < 100; ++i) {
    wanted.push_back({2, 0, texts[2].size(), texts[2].size() + 150, 0, 0, 10'000 * i});
    texts[2] += texts[0].substr(10'000 * i, 150) + "-";
  }
  CHECK(neardup::passages(texts, {.length = 100}, byte_ngrams{1}) == wanted);
}

TEST_CASE("tasks refuse blobs that are damaged, given twice, or of another task") {
  const std::vector<std::string> texts{"one two three", "zero one two three"};
  const neardup::passage_shuffle tasks({.length = 2}, 2), longer({.length = 3}, 2), more({.length = 2}, 3);
  const neardup::passage_shuffle bytes({.length = 2}, 2, byte_ngrams{1});
  const auto all = [](const std::vector<blob>& blobs) {
    return std::vector<std::span<const std::byte>>(blobs.begin(), blobs.end());
  };
  const std::vector<blob> anchors = tasks.scatter_anchors(texts);
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (anchors[i].empty()) continue;
    const std::vector<blob> own{anchors[i], {}};
    CHECK_NOTHROW(tasks.repeated_anchors(all(own), i));
    CHECK_THROWS_AS(tasks.repeated_anchors(all(own), 1 - i), std::runtime_error);
    CHECK_THROWS_AS(longer.repeated_anchors(all(own), i), std::runtime_error);
    CHECK_THROWS_AS(more.repeated_anchors(all(own), i), std::runtime_error);
    CHECK_THROWS_AS(bytes.repeated_anchors(all(own), i), std::runtime_error);
    CHECK_THROWS_AS(tasks.gather(all(own), i), std::runtime_error);
  }
  CHECK_THROWS_AS(tasks.repeated_anchors({}, 2), std::invalid_argument);
  CHECK_THROWS_AS(tasks.join(std::vector<passage>{{0, 0, 0, 1, 0, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(neardup::passage_shuffle({}, 0).scatter_anchors(texts), std::invalid_argument);
  CHECK_THROWS_AS(neardup::passage_shuffle({}, 4097).scatter_anchors(texts), std::invalid_argument);

  const auto repeated_of = [&](const std::vector<std::string>& some) {
    blob repeated;
    const std::vector<blob> of = tasks.scatter_anchors(some);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const blob one = tasks.repeated_anchors(all({of[i]}), i);
      repeated.insert(repeated.end(), one.begin(), one.end());
    }
    return repeated;
  };
  const blob repeated = repeated_of(texts), other = repeated_of({texts[0], texts[1], "a b a b"});
  blob twice = repeated;
  twice.insert(twice.end(), repeated.begin(), repeated.end());
  CHECK_THROWS_AS(tasks.scatter(texts, 0, twice), std::runtime_error);
  CHECK_THROWS_AS(tasks.scatter(texts, 0, std::span(repeated).first(repeated.size() - 1)), std::runtime_error);
  CHECK_THROWS_AS(tasks.scatter(texts, std::uint64_t{1} << 32, repeated), std::length_error);

  const std::vector<blob> windows = tasks.scatter(texts, 0, repeated), later = tasks.scatter(texts, 2, repeated);
  const std::vector<blob> of_others = tasks.scatter(texts, 2, other);
  std::size_t found = 0, refused = 0;
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (windows[i].empty()) continue;
    found += tasks.gather(all({later[i], windows[i]}), i).size();
    CHECK_THROWS_AS(tasks.gather(all({windows[i], windows[i]}), i), std::runtime_error);
    CHECK_THROWS_AS(tasks.gather(all({windows[i]}), 1 - i), std::runtime_error);
    for (std::size_t at = 0; at < windows[i].size(); ++at) {
      blob damaged = windows[i];
      damaged[at] ^= std::byte{16};
      CHECK_THROWS_AS(tasks.gather(all({damaged}), i), std::runtime_error);
      damaged.resize(at);
      if (at > 0) CHECK_THROWS_AS(tasks.gather(all({damaged}), i), std::runtime_error);
    }
    if (of_others[i].empty()) continue;
    CHECK_THROWS_AS(tasks.gather(all({windows[i], of_others[i]}), i), std::runtime_error);
    ++refused;
  }
  CHECK(found == 4);
  CHECK(refused > 0);
}

TEST_CASE("a passage may overlap the place where it stood first") {
  const std::vector<std::string> texts{"ha ha ha ha"};
  CHECK(neardup::passages(texts, {.length = 2}) == std::vector<passage>{{0, 0, 1, 3, 0, 0, 0}, {0, 0, 2, 4, 0, 0, 0}});
  const std::vector<std::string> letters{"aaa"};
  CHECK(neardup::passages(letters, {.length = 2}, byte_ngrams{1}) == std::vector<passage>{{0, 0, 1, 3, 0, 0, 0}});
}

TEST_CASE("each copy of a passage is found behind any number of other words") {
  std::string run, other;
  for (int i = 0; i < 60; ++i) run += " run" + std::to_string(i);
  std::vector<std::string> texts{"it begins" + run};
  for (int before = 1; before <= 7; ++before) {
    texts.push_back({});
    for (int i = 0; i < before; ++i) texts.back() += " before" + std::to_string(before) + "x" + std::to_string(i);
    texts.back() += run + " behind" + std::to_string(before);
  }
  for (const std::size_t length : {5U, 10U, 20U, 50U, 60U}) {
    const std::vector<passage> found = neardup::passages(texts, {.length = length});
    REQUIRE(found.size() == 7);
    for (std::size_t i = 0; i < 7; ++i) CHECK(found[i] == passage{i + 1, 0, i + 1, i + 61, 0, 0, 2});
  }
  CHECK(neardup::passages(texts, {.length = 61}).empty());
}

TEST_CASE("a text that occurs a hundred thousand times is found each time, in little memory") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "word" + std::to_string(i * i) + " ";
  struct counting_store : neardup::detail::held_partitions {
    std::size_t bytes = 0;
    void append(std::uint32_t partition, std::span<const std::byte> some) {
      bytes += some.size();
      held_partitions::append(partition, some);
    }
  } store;
  constexpr std::size_t copies = 100'000;
  const auto read = [&](const auto& sink) {
    for (std::size_t i = 0; i < copies; ++i) sink(text);
  };
  std::size_t next = 1;
  neardup::visit_passages(read, {.length = 50, .run = neardup::threads{4}}, words{}, store, 1 << 25,
                          [&](const passage& p) {
                            REQUIRE(p == passage{next, 0, 0, 100, 0, 0, 0});
                            ++next;
                          });
  CHECK(next == copies);
  // A text has some 5 anchors of 48 bytes, and a found passage. With all windows, it would take 51 * 16 bytes more.
  CHECK(store.bytes < copies * 600);
}

TEST_CASE("a run of words that stands in most texts is searched in little memory") {
  struct watching_store : neardup::detail::held_partitions {
    std::size_t largest = 0;
    void read(std::uint32_t partition, std::span<std::byte> to) {
      largest = (std::max)(largest, to.size());
      held_partitions::read(partition, to);
    }
  } store;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "word" + std::to_string(i * i) + " ";
  constexpr std::uint64_t memory = 1 << 20;
  const std::vector<std::string> copies(20'000, text);
  std::size_t found = 0;
  neardup::visit_passages(copies, {.length = 50}, words{}, store, memory, [&](const passage&) { ++found; });
  CHECK(found == copies.size() - 1);
  CHECK(store.largest < memory / 8);

  // The windows around the run have one anchor. They are different, and more than fit into the memory.
  oracle::random_engine random(80);
  std::vector<fields> documents(150);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const auto draw = [&] {
      std::string letters;
      while (letters.size() < 30) letters += static_cast<char>('a' + random() % 26);
      return letters;
    };
    documents[i] = {draw() + "the run that stands in most texts" + draw()};
    if (i % 3 == 2) documents[i][0].replace(i % 60, 60, documents[i / 2][0].substr(i % 60, 60));
  }
  for (const std::size_t least : {1U, 2U, 3U}) {
    passage_options how{.length = 40, .least_documents = least};
    const std::vector<passage> wanted = slow_passages(documents, how, byte_ngrams{1});
    CHECK((found_in(documents, how, byte_ngrams{1}, 1) == wanted));
    how.run = neardup::threads{8};
    CHECK((found_in(documents, how, byte_ngrams{1}, 1) == wanted));
  }
}

TEST_CASE("a passage lies in one text, and repeats one of an earlier document, field or place") {
  const std::vector<fields> documents{{"one two three", "four one two"}, {"three four", "one"}, {"two three"}};
  const std::vector<passage> found = found_in(documents, {.length = 2}, words{});
  CHECK(found == std::vector<passage>{{0, 1, 1, 3, 0, 0, 0}, {2, 0, 0, 2, 0, 0, 1}});
}

TEST_CASE("passages of an earlier corpus are found in later documents only") {
  const std::vector<std::string> texts{"a b c", "a b c", "b c d", "c d e"};
  CHECK(neardup::passages(texts, {.length = 2, .earlier_documents = 2}) ==
        std::vector<passage>{{2, 0, 0, 2, 0, 0, 1}, {3, 0, 0, 2, 2, 0, 1}});
}

TEST_CASE("a visitor ends the visit") {
  const std::vector<std::string> texts(9, "one two three");
  neardup::detail::held_partitions store;
  int visited = 0;
  neardup::visit_passages(texts, {.length = 2}, words{}, store, 1 << 20, [&](const passage&) { return ++visited < 3; });
  CHECK(visited == 3);
}

TEST_CASE("a length of 0 or above 2^20, and tokens that are not in the text, are refused") {
  const std::vector<std::string> texts{"One two", "one two"};
  CHECK_THROWS_AS(neardup::passages(texts, {.length = 0}), std::invalid_argument);
  CHECK_THROWS_AS(neardup::passages(texts, {.length = (1U << 20) + 1}), std::invalid_argument);
  CHECK(neardup::passages(texts, {.length = 1U << 20}).empty());
  const auto elsewhere = [](std::string_view, const auto& sink) { sink(std::string_view("elsewhere")); };
  CHECK_THROWS_AS(neardup::passages(texts, {.length = 1}, elsewhere), std::invalid_argument);
  const auto in_field_1 = [](const auto& sink) { sink("a text", 1); };
  CHECK_THROWS_AS(neardup::passages(in_field_1, {.length = 1}), std::invalid_argument);
}

TEST_CASE("a text of 4 GiB is refused") {
  // The view is longer than the text. It has to be refused before a byte is read.
  const auto read = [](const auto& sink) { sink(std::string_view("text", std::size_t{1} << 32)); };
  CHECK_THROWS_AS(neardup::passages(read, {.length = 4}, byte_ngrams{1}), std::length_error);
}

TEST_CASE("exceptions of the documents, the store and the visitor pass through") {
  struct expected {};
  struct full_store : neardup::detail::held_partitions {
    [[noreturn]] void append(std::uint32_t /*partition*/, std::span<const std::byte> /*bytes*/) { throw expected(); }
  } full;
  const std::vector<std::string> texts(3, "one two three");
  const auto ignore = [](const passage&) {};
  CHECK_THROWS_AS(neardup::visit_passages(texts, {.length = 2}, words{}, full, 1 << 20, ignore), expected);
  neardup::detail::held_partitions store;
  const auto stop = [](const passage&) { throw expected(); };
  CHECK_THROWS_AS(neardup::visit_passages(texts, {.length = 2}, words{}, store, 1 << 20, stop), expected);
  const auto fail = [](const auto& sink) {
    sink("one two three");
    throw expected();
  };
  CHECK_THROWS_AS(neardup::passages(fail, {.length = 2}), expected);
}

TEST_CASE("views of passages are whole words or whole characters, without overlaps") {
  const std::string text = "(One, two) -- three; four five. Six!";
  const std::vector<passage> found{{0, 0, 0, 2, 0, 0, 0}, {0, 0, 1, 3, 0, 0, 0}, {0, 0, 4, 5, 0, 0, 0}};
  CHECK(neardup::passage_views(text, found) == std::vector<std::string_view>{"One, two) -- three", "five"});
  const std::string characters = "a\u00e4\u4e2db";  // 1, 2, 3 and 1 bytes
  const auto cut = [&](std::size_t begin, std::size_t end) {
    const passage one{0, 0, begin, end, 0, 0, 0};
    const auto views = neardup::passage_views(characters, std::span(&one, 1), byte_ngrams{1});
    return views.empty() ? std::string() : std::string(views.front());
  };
  CHECK(cut(0, 7) == characters);
  CHECK(cut(0, 3) == "a\u00e4");
  CHECK(cut(0, 2).empty());
  CHECK(cut(0, 5) == "a\u00e4");
  CHECK(cut(2, 6) == "\u4e2d");
  CHECK(cut(2, 5).empty());
  CHECK(cut(5, 7) == "b");
  const std::string words_apart = "one two, three";
  const auto cut_words = [&](std::size_t begin, std::size_t end) {
    const passage one{0, 0, begin, end, 0, 0, 0};
    const auto views = neardup::passage_views(words_apart, std::span(&one, 1), byte_ngrams{1});
    return views.empty() ? std::string() : std::string(views.front());
  };
  CHECK(cut_words(1, 12) == "two");
  CHECK(cut_words(4, 9) == "two");
  CHECK(cut_words(7, 9).empty());
  CHECK(cut_words(5, 12).empty());
}

TEST_CASE("a unit that is cut has an equal one that stays") {
  oracle::random_engine random(77);
  for (int round = 0; round < 200; ++round) {
    const std::size_t length = 1 + random() % 5;
    const std::vector<fields> documents = random_corpus(random, length, true);
    const std::vector<passage> found = found_in(documents, {.length = length}, words{});
    std::set<std::string> cut, kept;
    for (std::size_t d = 0; d < documents.size(); ++d) {
      for (std::size_t f = 0; f < documents[d].size(); ++f) {
        const std::vector<std::string> units = units_of(documents[d][f], words{});
        std::vector<bool> is_cut(units.size());
        for (const passage& p : found) {
          if (p.document != d || p.field != f) continue;
          for (std::size_t i = p.begin; i < p.end; ++i) is_cut[i] = true;
        }
        for (std::size_t i = 0; i < units.size(); ++i) (is_cut[i] ? cut : kept).insert(units[i]);
      }
    }
    CHECK(std::includes(kept.begin(), kept.end(), cut.begin(), cut.end()));
  }
}

TEST_CASE("the product modulo 2^61 - 1 is that of a loop of doublings") {
  using neardup::detail::hash_prime;
  oracle::random_engine random(78);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t a = random() % hash_prime, b = round == 0 ? hash_prime - 1 : random() % hash_prime;
    std::uint64_t product = 0;
    for (int bit = 60; bit >= 0; --bit) {
      product = product * 2 % hash_prime;
      if ((b >> bit & 1U) != 0) product = (product + a) % hash_prime;
    }
    CHECK(neardup::detail::prime_product(a, b) == product);
  }
}
