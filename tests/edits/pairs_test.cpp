// Pairs of texts by edit similarity: exactly the pairs that a comparison of each with each finds.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <neardup/dedup/group_texts.hpp>
#include <neardup/edits/edit_distance.hpp>
#include <neardup/edits/pairs.hpp>
#include <neardup/threads.hpp>

#include "catch.hpp"
#include "oracle/decision.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::edit;
using similar_row = std::tuple<std::size_t, std::size_t, std::size_t>;
constexpr std::size_t any_q = 0;
constexpr std::size_t no_grams = neardup::detail::edit_join::most_q + 1;

/// Random texts over a few letters; many are earlier texts with edits, some are equal or empty.
std::vector<std::string> edited_texts(std::size_t count, std::size_t length, std::size_t letters, unsigned seed) {
  std::mt19937 random(seed + oracle::seed_shift());
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto letter = [&] {
    std::string character;
    const std::size_t i = below(letters);
    if (i < 26) return std::string(1, static_cast<char>('a' + i));
    char bytes[4];
    return std::string(bytes, neardup::encode(static_cast<char32_t>(0x4e00 + i), bytes));
  };
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> text;
    if (i > 0 && below(3) > 0) {
      text = texts[below(i)];
      for (std::size_t edits = below(length / 3 + 2); edits > 0; --edits) {
        const std::size_t at = below(text.size() + 1);
        const auto place = text.begin() + static_cast<std::ptrdiff_t>(at);
        if (at == text.size() || below(3) == 0) {
          text.insert(place, letter());
        } else if (below(2) == 0) {
          text.erase(place);
        } else {
          *place = letter();
        }
      }
    } else {
      for (std::size_t n = below(2 * length); n > 0; --n) text.push_back(letter());
    }
    texts.push_back(text);
  }
  std::vector<std::string> joined;
  for (const auto& text : texts) joined.push_back(std::accumulate(text.begin(), text.end(), std::string()));
  return joined;
}

bool have_similarity(const std::string& a, const std::string& b, double similarity) {
  return !a.empty() && !b.empty() && neardup::edit_similarity(a, b) >= similarity;
}

std::vector<similar_row> similar_one_by_one(const std::vector<std::string>& texts, double similarity) {
  std::vector<similar_row> result;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      if (have_similarity(texts[i], texts[j], similarity))
        result.emplace_back(i, j, neardup::edit_distance(texts[i], texts[j]));
    }
  }
  return result;
}

std::vector<similar_row> similar_by(const std::vector<std::string>& texts, double similarity, std::size_t q,
                                    const neardup::join_options& how = {}) {
  std::vector<similar_row> result;
  neardup::detail::visit_text_pairs(
      neardup::detail::source_of_texts(texts), texts.size(), neardup::edit{similarity}, how, q,
      [&](const neardup::similar_text_pair& p) {
        REQUIRE(p.similarity == neardup::edit_similarity(texts[p.first], texts[p.second]));
        result.emplace_back(p.first, p.second, p.distance);
        return true;
      });
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<similar_row> rows_of(const std::vector<neardup::similar_text_pair>& pairs) {
  std::vector<similar_row> result;
  for (const auto& [first, second, distance, similarity] : pairs) result.emplace_back(first, second, distance);
  return result;
}

/// Returns the labels of `group`, computed by the rule of tests/oracle/decision.hpp. The first `known` texts are
/// representatives.
std::vector<std::size_t> grouped_slowly(const std::vector<std::string>& texts, std::size_t known, double similarity,
                                        const neardup::group_options& how) {
  const auto order = oracle::order_of(texts.size(), known, how.preference);
  const auto match = [&](std::size_t i, std::size_t j) -> std::optional<oracle::closeness> {
    if (!how.across.empty() && how.across[i] == how.across[j]) return std::nullopt;
    if (!have_similarity(texts[i], texts[j], similarity)) return std::nullopt;
    return oracle::closeness::of_number(neardup::edit_similarity(texts[i], texts[j]));
  };
  if (how.by == neardup::grouping::components) return oracle::connected(order, match);
  return oracle::originals(order, known, how.among_themselves, match);
}

struct kind_of_texts {
  std::size_t length, letters;
};
constexpr kind_of_texts kinds_of_texts[] = {{3, 3}, {8, 2}, {12, 26}, {30, 500}, {100, 26}, {90, 2000}, {200, 5}};
constexpr double least_similarities[] = {0.05, 0.3, 0.5, 0.55, 0.7, 0.8, 0.9, 0.97, 1.0};

}  // namespace

TEST_CASE("a join orders q-grams only if there are many texts") {
  for (const std::size_t count : {300, 20'000}) {
    const std::vector<std::string> texts = edited_texts(count, 8, 2000, 5);
    bool meets_all = false;
    const edit least{.8, [&](const neardup::edit_progress& p) { meets_all = p.meets_all; }};
    neardup::visit_pairs(texts, least, [](const neardup::similar_text_pair&) { return true; });
    CHECK(meets_all == (count == 300));
  }
}

TEST_CASE("a join of texts tells how far it is") {
  const std::vector<std::string> texts = edited_texts(700, 20, 26, 3);
  for (const double similarity : {.3, .8}) {
    for (const std::size_t q : {no_grams, std::size_t{2}}) {
      for (const unsigned parts : {1U, 3U}) {
        std::vector<neardup::edit_progress> told;
        const edit least{similarity, [&](const neardup::edit_progress& p) { told.push_back(p); }};
        neardup::detail::visit_text_pairs(neardup::detail::source_of_texts(texts), texts.size(), least,
                                          {.run = neardup::threads{parts}}, q,
                                          [](const neardup::similar_text_pair&) { return true; });
        REQUIRE(told.size() > 5);
        CHECK(told.front().done == 0);
        CHECK(told.back().done == told.back().all);
        CHECK(std::is_sorted(told.begin(), told.end(), [](const auto& a, const auto& b) { return a.done < b.done; }));
        CHECK(told.front().meets_all == (q == no_grams));
      }
    }
    for (const auto by : {neardup::grouping::representatives, neardup::grouping::components}) {
      std::vector<neardup::edit_progress> told;
      const edit least{similarity, [&](const neardup::edit_progress& p) { told.push_back(p); }};
      static_cast<void>(neardup::group(texts, least, {.by = by}));
      REQUIRE(told.size() > 5);
      CHECK(told.front().done == 0);
      CHECK(told.back().done + 64 >= told.back().all);
      CHECK(told.back().done <= told.back().all);
    }
  }
}

TEST_CASE("the progress is told within a comparison of two long texts, and its exception ends it") {
  std::mt19937 random(5);
  std::string text, other;
  for (int i = 0; i < 80'000; ++i) {
    text.push_back(static_cast<char>('a' + random() % 8));
    other.push_back(i % 5 == 0 ? 'x' : text.back());
  }
  const std::vector<std::string> texts{text, other}, more{other};
  const auto ends = [](const auto& call) {
    std::size_t calls = 0;
    call([&](const neardup::edit_progress&) { ++calls; });
    CHECK(calls > 4);  // so some calls are in the middle of the work
    const std::size_t all = calls;
    calls = 0;
    const auto stop = [&](const neardup::edit_progress&) {
      if (++calls == 3) throw std::runtime_error("stopped");
    };
    CHECK_THROWS_AS(call(stop), std::runtime_error);
    CHECK(calls == 3);
    CHECK(all > calls);
  };
  ends([&](const auto& tell) { static_cast<void>(neardup::pairs(texts, edit{.3, tell})); });
  for (const auto by : {neardup::grouping::representatives, neardup::grouping::components}) {
    ends([&](const auto& tell) { static_cast<void>(neardup::group(texts, edit{.3, tell}, {.by = by})); });
  }
  ends([&](const auto& tell) { static_cast<void>(neardup::extend_groups(std::vector{text}, more, edit{.3, tell})); });
}

TEST_CASE("whole numbers decide about texts at the very limit of an edit similarity") {
  // The limits are hundredths. Some texts of `length` characters differ in d characters such that their similarity,
  // (length - d) / length, equals the limit.
  std::size_t at_limit = 0;
  for (std::size_t length = 1; length <= 50; ++length) {
    std::vector<std::string> texts{std::string(length, 'a')};
    for (std::size_t d = 1; d <= length; ++d) texts.push_back(std::string(length - d, 'a') + std::string(d, 'b'));
    for (int hundredths = 1; hundredths <= 100; ++hundredths) {
      char digits[8];
      std::snprintf(digits, sizeof digits, "%d.%02d", hundredths / 100, hundredths % 100);
      const double limit = std::strtod(digits, nullptr);
      for (std::size_t d = 0; d <= length; ++d) {
        const bool is_similar = 100 * (length - d) >= static_cast<std::size_t>(hundredths) * length;
        at_limit += 100 * (length - d) == static_cast<std::size_t>(hundredths) * length ? 1 : 0;
        if ((neardup::edit_similarity(texts[0], texts[d]) >= limit) != is_similar)
          FAIL(length << ' ' << d << ' ' << digits);
        const std::size_t most = neardup::detail::most_edits(limit, length);
        if ((d <= most) != is_similar) FAIL(length << ' ' << d << ' ' << digits << ", most " << most);
      }
    }
  }
  CHECK(at_limit > 200);
  const std::string text(25, 'a'), other = std::string(17, 'a') + std::string(8, 'b');
  std::size_t found = 0;
  neardup::visit_pairs(std::vector<std::string>{text, other}, edit{.68}, [&](const neardup::similar_text_pair& pair) {
    CHECK(pair.similarity == .68);
    ++found;
    return true;
  });
  CHECK(found == 1);
}

TEST_CASE("similar texts are those that a comparison of each with each finds", "[edits]") {
  unsigned seed = 1;
  std::size_t pairs = 0;
  for (const auto& [length, letters] : kinds_of_texts) {
    const std::vector<std::string> texts = edited_texts(oracle::is_debug_mode ? 20 : 40, length, letters, seed++);
    for (const double similarity : least_similarities) {
      const auto expected = similar_one_by_one(texts, similarity);
      pairs += expected.size();
      for (std::size_t q = any_q; q <= no_grams; ++q) {
        CAPTURE(length, letters, similarity, q);
        REQUIRE(similar_by(texts, similarity, q) == expected);
      }
      REQUIRE(similar_by(texts, similarity, any_q, {.run = neardup::threads{3}}) == expected);
      REQUIRE(rows_of(neardup::pairs(texts, edit{similarity}, {.run = neardup::threads{3}})) == expected);
    }
  }
  REQUIRE(pairs > 500);
}

TEST_CASE("texts of more than 64 code points and of more than 255 equal ones are compared right", "[edits]") {
  std::vector<std::string> texts{std::string(1000, 'a'), std::string(900, 'a') + std::string(100, 'b'),
                                 std::string(700, 'a')};
  texts.push_back(texts[0] + "x");
  for (const std::size_t q : {any_q, std::size_t{2}, no_grams}) {
    for (const double similarity : {0.69, 0.7, 0.9, 0.91, 0.999}) {
      REQUIRE(similar_by(texts, similarity, q) == similar_one_by_one(texts, similarity));
    }
  }
}

TEST_CASE("of equal texts the first is paired alone if that is asked for", "[edits]") {
  const std::vector<std::string> texts{"one text", "one text", "one test", "", "one text", ""};
  REQUIRE(similar_by(texts, 0.8, any_q) == similar_one_by_one(texts, 0.8));
  REQUIRE(similar_by(texts, 0.8, any_q, {.copies_once = true}) ==
          std::vector<similar_row>{{0, 1, 0}, {0, 2, 1}, {0, 4, 0}});
}

TEST_CASE("two corpora of texts are paired across", "[edits]") {
  const std::vector<std::string> all = edited_texts(80, 20, 40, 77);
  const std::vector<std::string> a(all.begin(), all.begin() + 30), b(all.begin() + 30, all.end());
  for (const double similarity : least_similarities) {
    std::vector<similar_row> expected, result;
    for (const auto& [i, j, distance] : similar_one_by_one(all, similarity)) {
      if (i < 30 && j >= 30) expected.emplace_back(i, j - 30, distance);
    }
    neardup::visit_pairs(a, b, edit{similarity}, [&](const neardup::similar_text_pair& p) {
      result.emplace_back(p.first, p.second, p.distance);
    });
    std::sort(result.begin(), result.end());
    REQUIRE(result == expected);
    REQUIRE(rows_of(neardup::pairs(a, b, edit{similarity})) == expected);
  }
  REQUIRE(neardup::pairs(a, std::vector<std::string>(), edit{0.5}).empty());
}

TEST_CASE("groups of similar texts are those of a comparison one by one", "[edits]") {
  unsigned seed = 100;
  for (const auto& [length, letters] : kinds_of_texts) {
    const std::size_t count = oracle::is_thorough() ? 40 : 16;
    const std::vector<std::string> texts = edited_texts(count, length, letters, seed++);
    std::vector<double> preference;
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      preference.push_back(static_cast<double>(i * 37 % 11));
      values.push_back(static_cast<std::uint32_t>(i * i % 3));
    }
    for (const double similarity : {0.3, 0.55, 0.8, 0.97}) {
      for (const std::size_t known : {std::size_t{0}, std::size_t{15}}) {
        for (const bool among : {true, false}) {
          for (const int which : {0, 1, 2, 3}) {
            const bool prefers = which % 2 == 1;
            neardup::group_options how{.among_themselves = among};
            if (prefers) how.preference = std::span<const double>(preference).subspan(known);
            if (which >= 2) how.across = values;
            std::vector<std::size_t> expected = grouped_slowly(texts, known, similarity, how);
            expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(known));
            const std::span all(texts);
            REQUIRE(neardup::extend_groups(all.first(known), all.subspan(known), edit{similarity}, how) == expected);
            for (const std::size_t q : {any_q, std::size_t{2}}) {
              CAPTURE(length, letters, similarity, known, among, which, q);
              REQUIRE(neardup::detail::label_similar_texts(neardup::detail::source_of_texts(texts), known,
                                                           edit{similarity}, how, q) == expected);
            }
          }
        }
      }
      neardup::group_options how{.by = neardup::grouping::components, .preference = preference};
      REQUIRE(neardup::group(texts, edit{similarity}, how) == grouped_slowly(texts, 0, similarity, how));
      how.across = values;
      REQUIRE(neardup::group(texts, edit{similarity}, how) == grouped_slowly(texts, 0, similarity, how));
    }
  }
}

TEST_CASE("wrong arguments of a join of texts are refused, and a visitor may end it", "[edits]") {
  const std::vector<std::string> texts{"abc", "abc", "abd", "abe"};
  const auto nothing = [](const neardup::similar_text_pair&) {};
  for (const double wrong : {0.0, -1.0, 1.5, 80.0, std::nan("")}) {
    REQUIRE_THROWS_AS(neardup::visit_pairs(texts, edit{wrong}, nothing), std::invalid_argument);
    REQUIRE_THROWS_AS(neardup::visit_pairs(texts, texts, edit{wrong}, nothing), std::invalid_argument);
    REQUIRE_THROWS_AS(neardup::pairs(texts, edit{wrong}), std::invalid_argument);
    REQUIRE_THROWS_AS(neardup::group(texts, edit{wrong}), std::invalid_argument);
  }
  const std::vector<double> one{1};
  REQUIRE_THROWS_AS(neardup::group(texts, edit{0.5}, {.preference = one}), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::extend_groups(texts, texts, edit{0.5}, {.preference = one}), std::invalid_argument);
  const std::vector<std::uint32_t> few(texts.size() - 1);
  REQUIRE_THROWS_AS(neardup::group(texts, edit{0.5}, {.across = few}), std::invalid_argument);
  REQUIRE_THROWS_AS(neardup::extend_groups(texts, texts, edit{0.5}, {.by = neardup::grouping::components}),
                    std::invalid_argument);
  for (const std::size_t most : {1U, 2U, 3U}) {
    std::size_t visits = 0;
    neardup::visit_pairs(texts, edit{0.5}, [&](const neardup::similar_text_pair&) { return ++visits < most; });
    REQUIRE(visits == most);
  }
  struct stopped {};
  const auto throws = [](const neardup::similar_text_pair&) { throw stopped(); };
  REQUIRE_THROWS_AS(neardup::visit_pairs(texts, edit{0.5}, throws, {.run = neardup::threads{2}}), stopped);
}
