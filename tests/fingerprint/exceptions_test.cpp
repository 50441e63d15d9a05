// A tokenizer, hasher or weighter throws, at every possible call: everything is unchanged and still works.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::simhasher;
using neardup::words;

struct planned : std::runtime_error {
  planned() : std::runtime_error("planned") {}
};

/// Throws after `calls` calls of burn(), or never if `calls` is negative. Copies share their counter.
class fuse {
 public:
  void set(int calls) const { *left_ = calls; }
  void burn() const {
    if (*left_ == 0) throw planned();
    --*left_;
  }

 private:
  std::shared_ptr<int> left_ = std::make_shared<int>(-1);
};

struct throwing_tokenizer {
  fuse breaks;
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    words{}(text, [&](std::string_view token) {
      breaks.burn();
      sink(token);
    });
    breaks.burn();
  }
  std::size_t cut(std::string_view text) const { return words{}.cut(text); }
};

struct throwing_hasher {
  fuse breaks;
  std::uint64_t operator()(std::string_view token) const {
    breaks.burn();
    return neardup::xxh3<64>{}(token);
  }
};

struct throwing_weighter {
  fuse breaks;
  neardup::weight operator()(std::string_view, std::uint64_t count) const {
    breaks.burn();
    return neardup::log_tf{}(count);
  }
};

struct throwing_linear_weighter {
  fuse breaks;
  neardup::weight per_occurrence(std::string_view) const {
    breaks.burn();
    return neardup::weight(2);
  }
};

constexpr std::string_view sample_text = "one two three one two one \u4e2d\u6587 four";

/// Calls every operation that takes a text. A part of `hash` throws at its 1st, 2nd, ... call, until all operations
/// succeed.
template <class Simhasher>
void require_unchanged(const Simhasher& hash, const fuse& breaks) {
  const auto expected = hash(sample_text);
  const auto start = hash.bag("two five");
  auto merged = start;
  merged.merge(hash.bag(sample_text));
  typename Simhasher::workspace scratch;
  int failures = 0;
  for (int calls = 0;; ++calls) {
    int failed = 0;
    const auto attempt = [&](auto act) {
      breaks.set(calls);
      try {
        act();
      } catch (const planned&) {
        ++failed;
      }
      breaks.set(-1);
    };
    attempt([&] { static_cast<void>(hash(sample_text)); });
    attempt([&] { static_cast<void>(hash(sample_text, scratch)); });
    REQUIRE(hash(sample_text, scratch) == expected);
    attempt([&] { static_cast<void>(hash.features(sample_text)); });

    auto bag = start;
    attempt([&] { hash.add_to(bag, sample_text); });
    REQUIRE((bag == start || bag == merged));

    if constexpr (neardup::detail::linear_weighter<decltype(Simhasher::weighter)>) {
      neardup::accumulator<Simhasher::bits> sums;
      hash.add_to(sums, "two five");
      const auto before = sums;
      int before_failed = failed;
      attempt([&] { hash.add_to(sums, sample_text); });
      REQUIRE((sums == before) == (failed > before_failed));
    }

    failures += failed;
    if (failed == 0) break;
  }
  CHECK(failures > 4);
}

/// Does the same with a stream. After a failure, the stream must have discarded the text.
template <class Simhasher>
void require_stream_forgets(const Simhasher& hash, const fuse& breaks) {
  const auto expected = hash(sample_text);
  neardup::text_stream stream{hash};
  int failures = 0;
  for (int calls = 0;; ++calls) {
    bool failed = false;
    breaks.set(calls);
    try {
      for (const std::string_view chunk : support::cut_every(sample_text, 5)) stream.feed(chunk);
      static_cast<void>(stream.finish());
    } catch (const planned&) {
      failed = true;
      ++failures;
    }
    breaks.set(-1);
    // Without reset: chunks fed before the failure must not be part of the next text.
    for (const std::string_view chunk : support::cut_every(sample_text, 7)) stream.feed(chunk);
    REQUIRE(stream.finish() == expected);
    if (!failed) break;
  }
  CHECK(failures > 4);
}

}  // namespace

TEST_CASE("a tokenizer that throws changes nothing", "[exceptions]") {
  const throwing_tokenizer tokenize;
  require_unchanged(simhasher{neardup::shingles{2, tokenize}, neardup::levels{2, neardup::log_tf{}}}, tokenize.breaks);
  require_stream_forgets(simhasher{neardup::shingles{2, neardup::folded{tokenize}}}, tokenize.breaks);
  oracle::unless_sample([&](auto) {
    require_unchanged(simhasher{tokenize}, tokenize.breaks);
    require_unchanged(simhasher{tokenize, neardup::tf{}}, tokenize.breaks);
    require_stream_forgets(simhasher{tokenize}, tokenize.breaks);
    require_stream_forgets(simhasher{tokenize, neardup::tf{}}, tokenize.breaks);
  });
}

TEST_CASE("a hasher that throws changes nothing", "[exceptions]") {
  const throwing_hasher h;
  require_unchanged(simhasher{words{}, neardup::tf{}, h}, h.breaks);
  require_stream_forgets(simhasher{words{}, neardup::tf{}, h}, h.breaks);
  oracle::unless_sample([&](auto) {
    require_unchanged(simhasher{words{}, neardup::unit{}, h}, h.breaks);
    require_stream_forgets(simhasher{words{}, neardup::unit{}, h}, h.breaks);
    require_stream_forgets(simhasher{neardup::normalised{words{}}, neardup::tf{}, h}, h.breaks);
  });
}

TEST_CASE("a weighter that throws changes nothing", "[exceptions]") {
  const throwing_weighter weigh;
  require_unchanged(simhasher{words{}, neardup::top{2, weigh}}, weigh.breaks);
  require_stream_forgets(simhasher{words{}, neardup::top{2, weigh}}, weigh.breaks);
  const throwing_linear_weighter linear;
  require_unchanged(simhasher{words{}, linear}, linear.breaks);
  oracle::unless_sample([&](auto) {
    require_unchanged(simhasher{words{}, weigh}, weigh.breaks);
    require_stream_forgets(simhasher{words{}, weigh}, weigh.breaks);
    require_stream_forgets(simhasher{words{}, neardup::levels{2, weigh}}, weigh.breaks);
    require_stream_forgets(simhasher{words{}, linear}, linear.breaks);
  });
}
