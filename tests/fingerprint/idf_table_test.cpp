// idf_table: its text form, the median, and the learner.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint/idf_table.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/fingerprint.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/random_text.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::string_view_literals;
using neardup::idf_learner;
using neardup::idf_table;
using neardup::weight;

std::string message_of(std::string_view contents, std::string_view name) {
  try {
    static_cast<void>(idf_table::parse(contents, name));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

weight only_value(std::string_view text) { return idf_table::parse("t " + std::string(text)).find("t").value(); }

}  // namespace

TEST_CASE("an empty table weighs every term 1", "[idf]") {
  const idf_table table;
  CHECK(table.size() == 0);
  CHECK(table.lookup("any") == weight(1));
  CHECK_FALSE(table.find("any"));
  CHECK(table.to_text().empty());
  CHECK(idf_table::parse("") == table);
}

TEST_CASE("the format is that of jieba's idf.txt", "[idf]") {
  const idf_table table = idf_table::parse(
      "\u52b3\u52a8\u9632\u62a4 13.900677652\n\u751f\u5316\u5b66 13.900677652\n\u5965\u840b\u5c14 11.5\nIT 3\n");
  CHECK(table.size() == 4);
  CHECK(table.lookup("\u5965\u840b\u5c14") == weight(11.5));
  CHECK(table.lookup("\u751f\u5316\u5b66") == weight(13.900677652));
  CHECK(table.find("IT") == weight(3));
  CHECK_FALSE(table.find("it"));
  CHECK(table.lookup("it") == weight(13.900677652));
}

TEST_CASE("lines end as they may, blanks around do not count, terms may hold some", "[idf]") {
  const idf_table expected({{"a", weight(1)}, {"b c", weight(2)}});
  CHECK(idf_table::parse("a 1\nb c 2\n") == expected);
  CHECK(idf_table::parse("a 1\nb c 2") == expected);
  CHECK(idf_table::parse("a 1\r\n\r\n\n b c\t2 \r\n") == expected);
  CHECK(idf_table::parse("\xef\xbb\xbf"
                         "a 1\nb c   2") == expected);
  CHECK(idf_table::parse("a 5\na 1\nb c 2") == expected);  // the last line of a term counts
}

TEST_CASE("values are plain decimals, read to the nearest 1/256", "[idf]") {
  CHECK(only_value("0").raw() == 0);
  CHECK(only_value("007").raw() == 7 * 256);
  CHECK(only_value("1.") == weight(1));
  CHECK(only_value(".5") == weight(0.5));
  CHECK(only_value("0.001953125").raw() == 1);  // 1/512, half a step
  CHECK(only_value("0.001953124999999999999999999").raw() == 0);
  CHECK(only_value("0.00195312500000000000000000000000001").raw() == 1);
  CHECK(only_value("11.73940000000000000000000000000000000000") == weight(11.7394));
  CHECK(only_value("16777215.99609375").raw() == 0xffffffff);
  CHECK(only_value("16777215.9999").raw() == 0xffffffff);
  std::mt19937 random(1 + oracle::seed_shift());
  for (int i = 0; i < 2000; ++i) {
    const std::string text = std::to_string(random() % 20) + "." + std::to_string(random());
    REQUIRE(only_value(text) == weight(std::stod(text)));
  }
}

TEST_CASE("a table keeps eleven decimals, and weighs in steps of 1/256", "[idf]") {
  const idf_table table = idf_table::parse("a 11.73920430708\nb 11.739204307079\nc 0.000000000019\nd 2\n");
  CHECK(table.lookup_exact("a") == 1173920430708);
  CHECK(table.lookup_exact("b") == 1173920430707);
  CHECK(table.lookup("a") == table.lookup("b"));
  CHECK(table.lookup_exact("c") == 1);
  CHECK(table.lookup("c") == weight(0));
  CHECK(table.lookup_exact("none") == 1173920430707);  // the upper of the two middle values
  CHECK(table.to_text() == "a 11.73920430708\nb 11.73920430707\nc 0.00000000001\nd 2\n");
  CHECK(idf_table::parse(table.to_text()) == table);
  CHECK(idf_table({{"a", weight::from_raw(1)}}).lookup_exact("a") == 390625000);
}

TEST_CASE("a bad line is an error with the name and the line", "[idf]") {
  const std::string_view bad[] = {
      "a",       "a b",   "1",       "a -1",    "a +1",  "a 1e3",      "a 0x10",
      "a nan",   "a inf", "a 1.2.3", "a .",     "a 1,5", "a 16777216", "a 99999999999999999999999",
      "a 1\0"sv, " 1",    "\t 1",    "a \u0661"};
  for (const std::string_view line : bad) {
    CAPTURE(support::printable(line));
    const std::string first = message_of(line, "my.idf");
    CHECK(first.rfind("my.idf:1: ", 0) == 0);
    const std::string fourth = message_of("a 1\n\nb 2\r\n" + std::string(line) + "\nc 3\n", "my.idf");
    CHECK(fourth.rfind("my.idf:4: ", 0) == 0);
  }
  CHECK(message_of("a", "idf table").rfind("idf table:1: ", 0) == 0);
}

TEST_CASE("a table comes back from its text exactly", "[idf]") {
  std::mt19937 random(2 + oracle::seed_shift());
  oracle::random_texts texts(8);
  for (int round = 0; round < 100; ++round) {
    std::vector<idf_table::term> terms;
    for (std::size_t i = texts.below(20); i > 0; --i) {
      const std::string term = texts.next(1 + texts.below(6));
      const std::string_view blanks = " \t\r\n";
      if (blanks.find(term.front()) != blanks.npos || blanks.find(term.back()) != blanks.npos ||
          term.find('\n') != term.npos) {
        continue;
      }
      terms.push_back({term, weight::from_raw(static_cast<std::uint32_t>(random()))});
    }
    const idf_table table(terms);
    const std::string text = table.to_text();
    const idf_table back = idf_table::parse(text);
    REQUIRE(back == table);
    REQUIRE(back.median() == table.median());
    REQUIRE(back.to_text() == text);
  }
  const idf_table marked({{"\xef\xbb\xbfx", weight(2)}});
  CHECK(idf_table::parse(marked.to_text()) == marked);
}

TEST_CASE("the text is in the order of the terms, with the fewest digits", "[idf]") {
  const idf_table table({{"b", weight(2)}, {"\u4e2d", weight(0.5)}, {"a", weight::from_raw(1)}, {"B", weight(0)}});
  CHECK(table.to_text() == "B 0\na 0.00390625\nb 2\n\u4e2d 0.5\n");
}

TEST_CASE("a term that no line can hold is an error, not a broken file", "[idf]") {
  for (const std::string_view term : {"", " ", "a\nb", " a", "a ", "a\t", "\ra", "a\r"}) {
    CAPTURE(support::printable(term));
    CHECK_THROWS_AS(idf_table({{std::string(term), weight(1)}}).to_text(), std::runtime_error);
  }
}

TEST_CASE("an unknown term weighs the median, the upper one of two", "[idf]") {
  const auto median_of = [](const std::vector<double>& values) {
    std::vector<idf_table::term> terms;
    for (const double value : values) terms.push_back({"t" + std::to_string(terms.size()), weight(value)});
    const idf_table table(terms);
    CHECK(table.lookup("unknown") == table.median());
    return static_cast<double>(table.median());
  };
  CHECK(median_of({5}) == 5);
  CHECK(median_of({1, 9}) == 9);
  CHECK(median_of({9, 1, 4}) == 4);
  CHECK(median_of({9, 1, 4, 6}) == 6);
  CHECK(median_of({3, 3, 3, 8, 8}) == 3);
  CHECK(median_of({0, 0, 0}) == 0);
}

TEST_CASE("of terms with the same text the last counts, also for the median", "[idf]") {
  const idf_table table({{"a", weight(100)}, {"a", weight(1)}, {"b", weight(2)}});
  CHECK(table.size() == 2);
  CHECK(table.lookup("a") == weight(1));
  CHECK(table.median() == weight(2));
}

TEST_CASE("the learner weighs ln(1 + N / df), within 1/256", "[idf]") {
  oracle::random_texts texts(9);
  idf_learner learner;
  std::map<std::string, std::uint64_t> frequencies;
  constexpr std::uint64_t documents = 300;
  for (std::uint64_t i = 0; i < documents; ++i) {
    const std::string text = texts.next(texts.below(25));
    learner.add(neardup::words{}, text);
    const oracle::tokens tokens = oracle::words(text);
    for (const std::string& token : std::set<std::string>(tokens.begin(), tokens.end())) ++frequencies[token];
  }
  CHECK(learner.documents() == documents);
  for (const std::uint64_t least : {0U, 1U, 2U, 10U}) {
    const idf_table table = learner.table(least);
    std::size_t terms = 0;
    double worst = 0;
    for (const auto& [term, frequency] : frequencies) {
      if (frequency < least) {
        CHECK_FALSE(table.find(term));
        continue;
      }
      ++terms;
      REQUIRE(table.find(term));
      const double expected = std::log(1 + static_cast<double>(documents) / static_cast<double>(frequency));
      worst = std::fmax(worst, std::fabs(static_cast<double>(*table.find(term)) - expected));
    }
    CHECK(table.size() == terms);
    CHECK(worst < 1.0 / 256);
    CHECK(idf_table::parse(table.to_text()) == table);
  }
  CHECK(learner.table(documents + 1).size() == 0);
}

TEST_CASE("a learner of nothing gives the empty table", "[idf]") {
  idf_learner learner;
  CHECK(learner.table() == idf_table{});
  CHECK(learner.table(0) == idf_table{});
  learner.add(neardup::words{}, "");
  CHECK(learner.documents() == 1);
  CHECK(learner.table(0) == idf_table{});
}

TEST_CASE("a tokenizer that throws leaves the learner as it was", "[idf]") {
  idf_learner learner;
  learner.add(neardup::words{}, "a b");
  const idf_table before = learner.table();
  for (int calls = 0; calls < 4; ++calls) {
    const auto broken = [calls](std::string_view, auto&& sink) {
      for (int i = 0; i < calls; ++i) sink(std::string_view("abc").substr(static_cast<std::size_t>(i), 1));
      throw std::runtime_error("tokenizer");
    };
    CHECK_THROWS_AS(learner.add(broken, ""), std::runtime_error);
    CHECK(learner.documents() == 1);
    CHECK(learner.table() == before);
    CHECK(learner.table(0) == before);
  }
  learner.add(neardup::words{}, "b c");
  CHECK(learner.table().lookup("c") == learner.table().lookup("a"));
  CHECK(learner.table().lookup("b") < learner.table().lookup("c"));
}
