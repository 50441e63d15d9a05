// Compares masking with examples and with regular expressions over the whole text. Chunks may be cut anywhere.
#include <cstddef>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/text/mask.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/shingles.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::mask;

/// The slow twin, by regular expressions. It masks first the single runs, then the dates of several runs.
std::string plain_mask(const std::string& text) {
  static const std::string month =
      "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|January|February|March|April|June|July|August|September|"
      "October|November|December)";
  static const std::regex run("[0-9A-Za-z]+(?:[.:/,+_-]{1,2}[0-9A-Za-z]+)*");
  static const std::string hex = "0[xX][0-9a-fA-F]+|(?=[a-fA-F]*[0-9])[0-9a-fA-F]{6,}";
  static const std::string identifier =
      "(?=[0-9A-Za-z]{8})(?:[A-Za-z]+[0-9]+[A-Za-z]+[0-9][0-9A-Za-z]*|[0-9]+[A-Za-z]+[0-9]+[A-Za-z][0-9A-Za-z]*)";
  static const std::string number = "(?:[0-9]+|[0-9]+[TZ][0-9]*|" + hex + "|" + identifier + ")";
  static const std::regex is_number(number);
  static const std::regex is_month(month);
  static const std::regex all_numbers("(?=.*[0-9])(?:" + number + "|" + month + ")(?:[.:/,+_-]{1,2}(?:" + number + "|" +
                                      month + "))*");
  static const std::regex has_number("(?:^|.*[.:/,+_-])" + number + "(?:[.:/,+_-].*|$)");
  static const std::regex has_month("(?:^|.*[.:/,+_-])" + month + "(?:[.:/,+_-].*|$)");
  static const std::regex uuid("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  static const std::regex address("(?=.*[0-9])(?=.*::|(?:.*:){3})[0-9a-fA-F]{1,4}(?::{1,2}[0-9a-fA-F]{1,4})*");
  static const std::regex word("[0-9A-Za-z]+");
  static const std::regex digits("[0-9]+");

  const auto replaced = [](const std::string& in, const std::regex& what, const auto& by) {
    std::string out;
    std::size_t kept = 0;
    for (std::sregex_iterator i(in.begin(), in.end(), what), end; i != end; ++i) {
      out += in.substr(kept, static_cast<std::size_t>(i->position()) - kept) + by(i->str());
      kept = static_cast<std::size_t>(i->position() + i->length());
    }
    return out + in.substr(kept);
  };
  // Placeholders: \1 is a number, \2 is a date, \3 stands before a month, \4 is a date of several runs.
  std::string out = replaced(text, run, [&](const std::string& piece) -> std::string {
    if (piece.size() > 128) return piece;
    if (std::regex_match(piece, is_month)) return "\3" + piece;
    if (std::regex_match(piece, uuid) || std::regex_match(piece, address)) return "\1";
    if (std::regex_match(piece, all_numbers) && std::regex_match(piece, has_number)) {
      return std::regex_match(piece, has_month) ? "\2" : "\1";
    }
    return replaced(piece, word, [&](const std::string& part) {
      return std::regex_match(part, is_number) ? "0" : std::regex_replace(part, digits, "0");
    });
  });
  static const std::vector<std::regex> dates{
      std::regex("[\1\2\4] {1,2}\3" + month + "(?![0-9A-Za-z]|[.:/,+_-]{1,2}[0-9A-Za-z])"),
      std::regex("\3" + month + " {1,2}[\1\2]"), std::regex("[\2\4] {1,2}[\1\2]"), std::regex("\1 {1,2}\2")};
  // Dates are matched from left to right.
  for (bool changed = true; changed;) {
    changed = false;
    std::smatch first, found;
    for (const std::regex& date : dates) {
      if (std::regex_search(out, found, date) && (first.empty() || found.position() < first.position())) first = found;
    }
    if (!first.empty()) {
      out = first.prefix().str() + "\4" + first.suffix().str();
      changed = true;
    }
  }
  out = std::regex_replace(out, std::regex("[\1\2\4]"), "0");
  return std::regex_replace(out, std::regex("\3"), "");
}

}  // namespace

TEST_CASE("what varies in a log is masked", "[mask]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", ""},
      {"no number here", "no number here"},
      {"sshd[811]: port 50514 ssh2", "sshd[0]: port 0 ssh0"},
      {"2026-08-01T10:00:01.250Z up", "0 up"},
      {"2026-08-01 10:00:01,250 up", "0 0 up"},
      {"Nov 22 10:00:01 host", "0 host"},
      {"Nov  2 10:00:01 host", "0 host"},
      {"on 22 November 2026 at noon", "on 0 at noon"},
      {"[22/Nov/2026:10:00:01 +0000] \"GET /a/17/b HTTP/1.1\" 200", "[0 +0] \"GET /a/0/b HTTP/0.0\" 0"},
      {"May I come in March", "May I come in March"},
      {"may 3", "may 0"},
      {"from 10.0.0.7:50514 to 10.0.0.9", "from 0 to 0"},
      {"fe80::1ff:fe23:4567 and 00:1a:2b:3c:4d:5e", "0 and 0"},
      {"id=550e8400-e29b-41d4-a716-446655440000;", "id=0;"},
      {"at 0x7ffe12ab in deadbeef01 not in deadbeef", "at 0 in 0 not in deadbeef"},
      {"eth0 eth1 utf8 10ms 3.5GB", "eth0 eth0 utf0 0ms 0.0GB"},
      {"session a1b2c3d4 ended", "session 0 ended"},
      {"blk_-1608999687919862906 terminating", "blk_-0 terminating"},
      {"v1.2.3-rc4", "v0.0.0-rc0"},
      {"\u7b2c3\u7ae0, 4 \u9875", "\u7b2c0\u7ae0, 0 \u9875"},
      {"x " + std::string(128, '1') + " y", "x 0 y"},
      {"x " + std::string(129, '1') + " y", "x " + std::string(129, '1') + " y"},
      {"1.", "0."},
      {"Nov", "Nov"},
      {"Nov ", "Nov "},
      {"5 ", "0 "},
      {"5 Nov-", "0-"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(mask(text) == expected);
    CHECK(plain_mask(text) == expected);
    CHECK(mask(expected) == (text.size() == 133 ? text : expected));
  }
}

TEST_CASE("masking agrees with its plain twin", "[mask]") {
  const std::vector<std::string> pieces{"1",  "22",   "2026",     "Nov",    "May",      "June", "T", "Z",
                                        "a",  "f00d", "deadbeef", "eth",    "x",        "0x1f", " ", "  ",
                                        ":",  "::",   "-",        ".",      "/",        "+",    ",", "_",
                                        "\n", "[",    "]",        "\u4e2d", "10:00:01", "ab12", "zz"};
  oracle::random_engine random(4);
  const std::size_t count = oracle::is_thorough() ? 40'000 : 4000;
  for (std::size_t n = 0; n < count; ++n) {
    std::string text;
    for (std::size_t i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
    INFO(text);
    const std::string masked = mask(text);
    if (masked != plain_mask(text)) FAIL(masked << " is not " << plain_mask(text));
    // A text that is cut into chunks gives the same result.
    neardup::detail::text_masker masker;
    std::string pieced;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = 1 + random() % 4;
      masker.append(std::string_view(text).substr(at, length), pieced);
      at += length;
    }
    masker.finish(pieced);
    if (pieced != masked) FAIL(pieced << " in pieces, " << masked << " at once");
  }
}

TEST_CASE("masked tokenizers give the tokens of the masked text, in pieces, too", "[mask]") {
  const neardup::masked tokenizer{neardup::normalised{neardup::shingles{2, neardup::words{}}}};
  const std::string text = "Nov 22 10:00:01 sshd[811]: Failed password for root from 10.0.0.7 port 50514 ssh2";
  const auto expected = support::tokens_of(tokenizer.inner, "0 sshd[0]: Failed password for root from 0 port 0 ssh0");
  CHECK(support::tokens_of(tokenizer, text) == expected);
  for (std::size_t i = 0; i <= text.size(); ++i) {
    support::token_stream<std::remove_const_t<decltype(tokenizer)>> stream(tokenizer);
    CHECK(support::tokens_of_chunks(stream, support::cut_at(text, i)) == expected);
  }
}

TEST_CASE("data in base64 is one number", "[mask]") {
  const std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::mt19937 random(5 + oracle::seed_shift());
  const auto data = [&](std::size_t size) {
    std::string text;
    // A run ends at three joiners, so the data never have three signs (+ or /) in a row.
    for (std::size_t signs = 0; size > 0; --size) {
      text += digits[random() % (signs < 2 ? digits.size() : digits.size() - 2)];
      signs = text.back() == '+' || text.back() == '/' ? signs + 1 : 0;
    }
    return text;
  };
  for (const std::size_t size : {60U, 76U, 128U, 129U, 130U, 200U, 5000U}) {
    for (int round = 0; round < 50; ++round) {
      // A run never begins with a joiner, so this run begins with a letter.
      const std::string picture = std::string("iV").append(data(size)).append("x");
      const std::string text =
          std::string("<img src=\"data:image/png;base64,").append(picture).append("==\"> and more");
      CAPTURE(text);
      REQUIRE(mask(text) == "<img src=\"data:image/png;base64,0==\"> and more");
      REQUIRE(mask(std::string("key: ").append(picture).append("= end")) == "key: 0= end");
      // The result does not depend on the cut.
      const std::size_t cut = random() % text.size(), second = cut + random() % (text.size() - cut);
      neardup::detail::text_masker masker;
      std::string out;
      masker.append(std::string_view(text).substr(0, cut), out);
      masker.append(std::string_view(text).substr(cut, second - cut), out);
      masker.append(std::string_view(text).substr(second), out);
      masker.finish(out);
      REQUIRE(out == mask(text));
    }
  }
  // 300 equal letters are data only after "base64,".
  CHECK(mask(std::string("data:;base64,").append(300, 'A')) == "data:;base64,0");
  // Long words, names and paths are not data.
  for (const std::string_view text :
       {"https://example.org/a/very/long/path/with-many-words/and-a-few-more/of-them/index.html",
        "theVeryLongNameOfAFunctionThatDoesEverythingAtOnceAndNothingWell",
        "/usr/share/doc/libboost-program-options-dev/examples/Some_Folder/and_another_one/README",
        "AbstractSingletonProxyFactoryBeanWithAllTheTrimmingsAndMoreForEveryone"}) {
    CHECK(mask(text) == text);
  }
}
