// Names of features, and the tokenizers that the names choose.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/feature_choice.hpp>

#include "catch.hpp"

namespace {

using neardup::feature_choice;
using neardup::parse_features;

std::vector<std::string> tokens_of(const std::string& features, std::string_view text) {
  std::vector<std::string> found;
  auto add = [&](std::string_view token) { found.emplace_back(token); };
  neardup::with_tokenizer(parse_features(features), [&](const auto& tokenizer) { tokenizer(text, add); });
  return found;
}

std::string message_of(std::string_view name) {
  try {
    static_cast<void>(parse_features(name));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("features have names that are read as they are written", "[feature_choice]") {
  REQUIRE(parse_features("words") == feature_choice{neardup::feature_kind::words, 1});
  REQUIRE(parse_features("words:1") == feature_choice{neardup::feature_kind::words, 1});
  REQUIRE(parse_features("chars:5") == feature_choice{neardup::feature_kind::chars, 5});
  REQUIRE(parse_features("counted:words:2") == feature_choice{neardup::feature_kind::words, 2, true});
  REQUIRE(to_string(feature_choice{neardup::feature_kind::masked_words, 3, true}) == "counted:masked:words:3");
  REQUIRE(parse_features("bytes:1000") == feature_choice{neardup::feature_kind::bytes, 1000});
  for (const neardup::feature_kind kind :
       {neardup::feature_kind::words, neardup::feature_kind::chars, neardup::feature_kind::bytes,
        neardup::feature_kind::masked_words, neardup::feature_kind::canonical_words,
        neardup::feature_kind::canonical_chars, neardup::feature_kind::letters,
        neardup::feature_kind::longest_sentences, neardup::feature_kind::code, neardup::feature_kind::spaced_words}) {
    for (const std::size_t size : {1U, 2U, 7U, 999U, 1000U}) {
      for (const bool is_counted : {false, true}) {
        const feature_choice features{kind, size, is_counted};
        REQUIRE(parse_features(to_string(features)) == features);
      }
    }
  }
}

TEST_CASE("a wrong name of features says what is wrong", "[feature_choice]") {
  REQUIRE(message_of("letter:2") ==
          "'letter:2': features are words, words:N, chars:N, bytes:N, masked:words:N, canonical:words:N, "
          "canonical:chars:N, letters:N, longest:N, code:N or spaced:words:N, or counted: and one of these");
  REQUIRE(message_of("counted:").starts_with("'counted:': features are words, words:N, "));
  REQUIRE(message_of("counted").starts_with("'counted': features are words, words:N, "));
  REQUIRE(message_of("counted:counted:words").starts_with("'counted:counted:words': features are words, "));
  REQUIRE(message_of("counted:words:0") == "'counted:words:0': N must be from 1 to 1000");
  REQUIRE(message_of("counted:chars") == "'counted:chars': say how long they are, as in chars:5");
  REQUIRE(message_of("").starts_with("'': features are words, words:N, "));
  REQUIRE(message_of("letters") == "'letters': say how long they are, as in chars:5");
  REQUIRE(message_of("longest") == "'longest': say how many sentences, as in longest:3");
  REQUIRE(message_of("code") == "'code': say how many tokens, as in code:4");
  REQUIRE(message_of("spaced").starts_with("'spaced': features are words, "));
  REQUIRE(message_of("chars") == "'chars': say how long they are, as in chars:5");
  REQUIRE(message_of("canonical:chars") == "'canonical:chars': say how long they are, as in chars:5");
  REQUIRE(message_of("canonical").starts_with("'canonical': features are words, "));
  REQUIRE(message_of("canonical:words:x") == "'canonical:words:x': N is a whole number");
  REQUIRE(message_of("words:") == "'words:': N is a whole number");
  REQUIRE(message_of("words:x") == "'words:x': N is a whole number");
  REQUIRE(message_of("words:2 ") == "'words:2 ': N is a whole number");
  REQUIRE(message_of("words:-1") == "'words:-1': N is a whole number");
  REQUIRE(message_of("words:0") == "'words:0': N must be from 1 to 1000");
  REQUIRE(message_of("words:1001") == "'words:1001': N must be from 1 to 1000");
  REQUIRE(message_of("words:99999999999999999999999") == "'words:99999999999999999999999': N must be from 1 to 1000");
}

TEST_CASE("with_tokenizer cuts as the features are called", "[feature_choice]") {
  using list = std::vector<std::string>;
  REQUIRE(tokens_of("words", "One, TWO three") == list{"one", "two", "three"});
  REQUIRE(tokens_of("words:2", "One, TWO three") == list{"one\x1ftwo", "two\x1fthree"});
  REQUIRE(tokens_of("chars:3", "AB, c") == list{"ab ", "b c"});
  REQUIRE(tokens_of("counted:words", "One, one two ONE") == list{"one\x1f"
                                                                 "1",
                                                                 "one\x1f"
                                                                 "2",
                                                                 "two\x1f"
                                                                 "1",
                                                                 "one\x1f"
                                                                 "3"});
  REQUIRE(tokens_of("bytes:3", "AB, c") == list{"AB,", "B, ", ", c"});
  REQUIRE(tokens_of("letters:4", "Python is sexy!") ==
          list{"pyth", "ytho", "thon", "honi", "onis", "niss", "isse", "ssex", "sexy"});
  REQUIRE(tokens_of("letters:2", "a\u3000B \u4e2d c") == list{"ab", "b\u4e2d",
                                                              "\u4e2d"
                                                              "c"});
  REQUIRE(tokens_of("longest:2", "One. A sentence! The longest sentence of all? Two.") ==
          list{"The longest sentence of all", "A sentence"});
  REQUIRE(tokens_of("canonical:words", "Stra\u00dfe e\u0301") == list{"strasse", "\u00e9"});
  REQUIRE(tokens_of("canonical:chars:2", "\u1e9ee\u0301") == list{"ss", "s\u00e9"});
  REQUIRE(tokens_of("code:1", "x<<=-2;") == list{"x", "<<=", "-", "2", ";"});
  REQUIRE(tokens_of("code:2", "a < B") == list{"a\x1f<",
                                               "<\x1f"
                                               "B"});
  REQUIRE(tokens_of("spaced:words", "It's\u3000one,  two ") == list{"It's", "one,", "two"});
  REQUIRE(tokens_of("spaced:words:2", "\u5206\u8bcd \u5f88 \u597d") ==
          list{"\u5206\u8bcd\x1f\u5f88", "\u5f88\x1f\u597d"});
  REQUIRE(tokens_of("masked:words", "From 10.0.0.7 ETH1") == list{"from", "0", "eth0"});
  REQUIRE(tokens_of("masked:words:2", "From 10.0.0.7 ETH1") == list{"from\x1f"
                                                                    "0",
                                                                    "0\x1f"
                                                                    "eth0"});
}
