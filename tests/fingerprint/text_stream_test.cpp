// A text that is fed in chunks has the fingerprint of the whole text; for every composition see simhasher_test.cpp.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "support/tokens.hpp"
#include "support/widths.hpp"

namespace {

using neardup::simhasher;
using neardup::text_stream;
using neardup::words;
using support::cut_at;
using support::cut_every;
using support::exact_copy;

template <class Stream>
auto fingerprint_of_chunks(Stream& stream, const std::vector<std::string_view>& chunks) {
  for (const std::string_view chunk : chunks) stream.feed(exact_copy(chunk));
  return stream.finish();
}

/// A user's streaming tokenizer: each byte is a token.
struct bytes {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    for (std::size_t i = 0; i < text.size(); ++i) sink(text.substr(i, 1));
  }
  std::size_t cut(std::string_view text) const { return text.size(); }
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("each width gives the fingerprint of the whole text", "[text_stream]",
                       ((std::size_t Bits), Bits), NEARDUP_TEST_WIDTHS) {
  oracle::random_texts random(11);
  const neardup::default_simhasher<Bits> distinct;
  const auto each = neardup::make_simhasher<Bits>(neardup::normalised{neardup::code_point_ngrams{3}}, neardup::tf{});
  text_stream distinct_stream{distinct};
  text_stream each_stream{each};
  for (int i = 0; i < 20; ++i) {
    const std::string text = random.next(random.below(80));
    for (const std::size_t size : {1U, 2U, 5U, 50U, 1000U}) {
      REQUIRE(fingerprint_of_chunks(distinct_stream, cut_every(text, size)) == distinct(text));
      REQUIRE(fingerprint_of_chunks(each_stream, cut_every(text, size)) == each(text));
    }
  }
}

TEST_CASE("a stream forgets a text at finish and at reset", "[text_stream]") {
  const auto check = [](const auto& hash) {
    text_stream stream{hash};
    CHECK_FALSE(stream.finish());
    stream.feed("one two three \xf0\x9f");
    CHECK(stream.finish() == hash("one two three \xf0\x9f"));
    CHECK_FALSE(stream.finish());
    stream.feed("one two thr");
    stream.reset();
    stream.feed("ee four");
    CHECK(stream.finish() == hash("ee four"));
  };
  check(neardup::default_simhasher<>{});
  check(simhasher{words{}, neardup::tf{}});
  oracle::unless_sample([&](auto) {
    check(simhasher{words{}});
    check(simhasher{neardup::normalised{neardup::byte_ngrams{3}}, neardup::log_tf{}});
  });
}

TEST_CASE("a copy of a stream goes its own way", "[text_stream]") {
  const neardup::default_simhasher<> hash;
  text_stream stream{hash};
  stream.feed("one two thr");
  text_stream copy = stream;
  stream.feed("ee");
  copy.feed("ottle");
  CHECK(stream.finish() == hash("one two three"));
  CHECK(copy.finish() == hash("one two throttle"));
}

TEST_CASE("a tokenizer of one's own streams by a cut of its own", "[text_stream]") {
  const simhasher hash{neardup::shingles{2, bytes{}}};
  text_stream stream{hash};
  const std::string_view text = "abracadabra";
  for (std::size_t position = 0; position <= text.size(); ++position) {
    CHECK(fingerprint_of_chunks(stream, cut_at(text, position)) ==
          simhasher{neardup::shingles{2, neardup::byte_ngrams{1}}}(text));
  }
}

TEST_CASE("a stream that was moved away is empty and usable") {
  const neardup::simhasher hash{neardup::words{}, neardup::log_tf{}};
  neardup::text_stream stream{hash};
  stream.feed("some words here ");
  (void)stream.finish();
  stream.feed("more words ");
  neardup::text_stream taken = std::move(stream);
  stream.reset();
  stream.feed("and others");
  CHECK(stream.finish() == hash("and others"));
  CHECK(taken.finish() == hash("more words "));
}

TEMPLATE_TEST_CASE("a stream moved in the middle of a text goes on, and the other begins anew", "",
                   (neardup::shingles<neardup::normalised<words>>),
                   neardup::byte_ngrams NEARDUP_UNLESS_SAMPLE((neardup::shingles<words>), neardup::code_point_ngrams)) {
  const std::string first(3000, 'a');
  const std::string second = first + " b c " + first;
  const neardup::idf_table table({{"b", neardup::weight(3)}});
  const auto check = [&](const auto& hash) {
    text_stream stream{hash};
    stream.feed(second.substr(0, 5000));
    text_stream moved{std::move(stream)};
    CHECK(fingerprint_of_chunks(stream, {first}) == hash(first));  // NOLINT(bugprone-use-after-move): promised to work
    moved.feed(second.substr(5000));
    CHECK(moved.finish() == hash(second));
    stream.feed("what is forgotten");
    stream = std::move(moved);
    CHECK(fingerprint_of_chunks(stream, {first, "x"}) == hash(first + "x"));
  };
  check(simhasher{TestType{}, neardup::idf{table}});
  oracle::unless_sample([&](auto) {
    check(simhasher{TestType{}});
    check(simhasher{TestType{}, neardup::tf{}});
  });
}

TEST_CASE("a workspace that was moved away is usable") {
  const neardup::simhasher hash{neardup::words{}};
  decltype(hash)::workspace scratch;
  CHECK(hash("a few words", scratch) == hash("a few words"));
  auto taken = std::move(scratch);
  CHECK(hash("other words", scratch) == hash("other words"));
  CHECK(hash("a few words", taken) == hash("a few words"));
}

TEST_CASE("very wide fingerprints do not need a large stack") {
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}, neardup::xxh3<65536>{}};
  CHECK(hash("a b").has_value());
}
