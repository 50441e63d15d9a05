// Which types are tokenizers, and which arguments they accept.
#include <concepts>
#include <functional>
#include <string>
#include <string_view>

#include <neardup/text.hpp>

#include "catch.hpp"
#include "support/tokens.hpp"

namespace {

using support::tokens;
using support::tokens_of;

constexpr auto generic = [](std::string_view text, auto&& sink) { sink(text); };
using function_tokenizer = std::function<void(std::string_view, const std::function<void(std::string_view)>&)>;

struct counts_itself {
  template <class Sink>
  void operator()(std::string_view, Sink&&) {}  // not const
};

// Tokenizers: the library's, compositions, a lambda, a std::function.
static_assert(neardup::tokenizer<neardup::words> && neardup::tokenizer<neardup::byte_ngrams>);
static_assert(neardup::tokenizer<neardup::shingles<neardup::folded<neardup::words>>>);
static_assert(neardup::tokenizer<decltype(generic)>);
static_assert(neardup::tokenizer<neardup::normalised<decltype(generic)>>);
static_assert(neardup::tokenizer<function_tokenizer>);
static_assert(!neardup::tokenizer<counts_itself>);
static_assert(!neardup::tokenizer<int>);
static_assert(!neardup::tokenizer<decltype([](std::string_view) {})>);

// All tokenizers of the library can stream. A user's callable needs a member `cut` for that.
static_assert(neardup::detail::streaming_tokenizer<neardup::words>);
static_assert(neardup::detail::streaming_tokenizer<neardup::byte_ngrams>);
static_assert(neardup::detail::streaming_tokenizer<neardup::code_point_ngrams>);
static_assert(neardup::detail::streaming_tokenizer<neardup::shingles<neardup::normalised<neardup::words>>>);
static_assert(!neardup::detail::streaming_tokenizer<decltype(generic)>);
static_assert(!neardup::detail::streaming_tokenizer<neardup::folded<decltype(generic)>>);

}  // namespace

TEST_CASE("a sink may be an lvalue, a temporary, const, or a std::function", "[tokenizer]") {
  tokens found;
  auto lvalue = [&](std::string_view token) { found.emplace_back(token); };
  const auto constant = lvalue;
  const std::function<void(std::string_view)> erased = lvalue;
  const auto check = [&](const auto& tokenize) {
    const auto with = [&](auto&& sink) {
      found.clear();
      tokenize("to be", sink);
      return found;
    };
    const tokens expected = with(lvalue);
    CHECK(!expected.empty());
    CHECK(with(constant) == expected);
    CHECK(with(erased) == expected);
    found.clear();
    tokenize("to be", [&](std::string_view token) { found.emplace_back(token); });
    CHECK(found == expected);
  };
  check(neardup::words{});
  check(neardup::byte_ngrams{2});
  check(neardup::code_point_ngrams{2});
  check(neardup::shingles{2, neardup::words{}});
  check(neardup::folded{neardup::words{}});
  check(neardup::normalised{neardup::words{}});
}

TEST_CASE("a callable of one's own can be folded, normalised and shingled", "[tokenizer]") {
  CHECK(tokens_of(neardup::folded{generic}, "AbC \u00c4") == tokens{"abc \u00c4"});
  CHECK(tokens_of(neardup::normalised{generic}, "AbC, \u00c4!") == tokens{"abc \u00e4"});
  const function_tokenizer erased = [](std::string_view text, const std::function<void(std::string_view)>& sink) {
    for (const char& c : text) sink({&c, 1});
  };
  CHECK(tokens_of(neardup::shingles{2, neardup::folded{erased}}, "ABC") == tokens{"a\x1f"
                                                                                  "b",
                                                                                  "b\x1f"
                                                                                  "c"});
}

TEST_CASE("the deduction guides take components by name", "[tokenizer]") {
  const neardup::shingles pairs{2, neardup::folded{neardup::words{}}};
  static_assert(std::same_as<decltype(pairs), const neardup::shingles<neardup::folded<neardup::words>>>);
  const neardup::shingles deep{2, neardup::shingles{3, neardup::byte_ngrams{4}}};
  static_assert(std::same_as<decltype(deep), const neardup::shingles<neardup::shingles<neardup::byte_ngrams>>>);
  CHECK(deep.inner.n == 3);
  CHECK(deep.inner.inner.n == 4);
  // A deduction guide copies an argument of its own template: folded{folded{t}} is folded{t}.
  const neardup::folded twice{neardup::folded{neardup::words{}}};
  CHECK(tokens_of(twice, "A b") == tokens{"a", "b"});
}
