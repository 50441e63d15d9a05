// any_tokenizer against the tokenizer that it holds: the same tokens, hashes, fingerprints and features.
#include <neardup/fingerprint.hpp>
#include <neardup/text/feature_choice.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "oracle/random_engine.hpp"

namespace {

using neardup::any_tokenizer;

any_tokenizer by_name(std::string_view features) {
  return neardup::with_tokenizer(neardup::parse_features(features),
                                 [](const auto& tokenizer) { return any_tokenizer(tokenizer); });
}

/// The same tokens, one by one, without a kernel.
struct slow_tokenizer {
  std::function<void(std::string_view, const std::function<void(std::string_view)>&)> tokenize;
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    tokenize(text, [&](std::string_view token) { sink(token); });
  }
};

slow_tokenizer slow_twin(std::string_view features) {
  return neardup::with_tokenizer(neardup::parse_features(features), [](const auto& tokenizer) {
    return slow_tokenizer{[tokenizer](std::string_view text, const auto& sink) { tokenizer(text, sink); }};
  });
}

constexpr std::string_view all_features[] = {
    "words",   "words:2", "chars:2",        "chars:5",           "bytes:3",
    "bytes:8", "words:3", "masked:words:2", "canonical:words:2", "canonical:chars:4"};

std::vector<std::string> texts() {
  const std::string pieces[] = {
      "near ", "Dup-licate 42 ", "\xE4\xB8\xAD\xE6\x96\x87", "na\xC3\xAFve\n", "e\xCC\x81t\xC3\xA9 ", "\xFF", "  ",
      "a",     "0x7f: ",         "\xEF\xAC\x81ne, "};
  std::vector<std::string> all{"", "x", "  "};
  oracle::random_engine random(17);
  constexpr std::size_t lengths[] = {3, 9, 40, 300, 2000};
  for (const std::size_t length : lengths) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += pieces[random() % std::size(pieces)];
    all.push_back(text);
  }
  return all;
}

}  // namespace

TEST_CASE("any tokenizer gives the tokens of the one that it holds", "[any_tokenizer]") {
  for (const std::string_view features : all_features) {
    const auto any = by_name(features);
    const auto copy = any;
    for (const std::string& text : texts()) {
      std::vector<std::string> tokens, of_copy, wanted;
      any(text, [&](std::string_view token) { tokens.emplace_back(token); });
      copy(text, [&](std::string_view token) { of_copy.emplace_back(token); });
      slow_twin(features)(text, [&](std::string_view token) { wanted.emplace_back(token); });
      CHECK(tokens == wanted);
      CHECK(of_copy == wanted);
    }
  }
}

TEST_CASE("any tokenizer gives the fingerprints and features of the one that it holds", "[any_tokenizer]") {
  using neardup::xxh3;
  using twin = slow_tokenizer;
  const auto holds_for = [](const auto& make) {
    // One workspace for all tokenizers.
    typename decltype(make(by_name("words")))::workspace scratch;
    for (const std::string_view features : all_features) {
      const auto fast = make(by_name(features));
      const auto slow = make(slow_twin(features));
      INFO(features);
      for (const std::string& text : texts()) {
        CHECK(fast(text, scratch) == fast(text));
        CHECK(fast(text) == slow(text));
      }
    }
  };
  holds_for([](const auto& t) { return neardup::simhasher(t, neardup::unit{}, xxh3<64>{7}); });
  holds_for([](const auto& t) { return neardup::simhasher(t, neardup::tf{}, xxh3<64>{7}); });
  holds_for([](const auto& t) { return neardup::make_minwise_hasher<64>(t, xxh3<64>{7}); });

  typename neardup::feature_extractor<any_tokenizer>::workspace scratch;
  for (const std::string_view features : all_features) {
    const neardup::feature_extractor<any_tokenizer> fast(by_name(features));
    const neardup::feature_extractor<twin> slow(slow_twin(features));
    for (const std::string& text : texts()) {
      const auto found = fast(text, scratch);
      CHECK(std::vector(found.begin(), found.end()) == slow(text));
    }
  }
}

TEST_CASE("any tokenizer makes fingerprints of any width", "[any_tokenizer]") {
  const auto holds_for = []<std::size_t Bits>(std::integral_constant<std::size_t, Bits>) {
    for (const std::string_view features : all_features) {
      const neardup::xxh3<Bits> hash{7};
      const auto tf_fast = neardup::make_simhasher<Bits>(by_name(features), neardup::tf{}, hash);
      const auto tf_slow = neardup::make_simhasher<Bits>(slow_twin(features), neardup::tf{}, hash);
      const auto fast = neardup::make_simhasher<Bits>(by_name(features), neardup::unit{}, hash);
      const auto slow = neardup::make_simhasher<Bits>(slow_twin(features), neardup::unit{}, hash);
      CAPTURE(Bits, features);
      for (const std::string& text : texts()) {
        CHECK(tf_fast(text) == tf_slow(text));
        CHECK(fast(text) == slow(text));
      }
    }
  };
  holds_for(std::integral_constant<std::size_t, 128>{});
  holds_for(std::integral_constant<std::size_t, 320>{});  // more words than a kernel hashes at a time
}

TEST_CASE("any tokenizer with a hasher other than XXH3 is called for each token", "[any_tokenizer]") {
  const auto reverse = [](std::string_view token) { return ~neardup::xxh3<64>{}(token); };
  const neardup::simhasher fast(by_name("words:2"), neardup::unit{}, reverse);
  const neardup::simhasher slow(slow_twin("words:2"), neardup::unit{}, reverse);
  for (const std::string& text : texts()) CHECK(fast(text) == slow(text));
}
