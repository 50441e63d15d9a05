// Products of all weighters, tokenizers, hashers, lengths of text and ways to a fingerprint, against the model. The
// tokenizers are type-erased, so that one composition is compiled per weighter and hasher.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>
#include <neardup/text/chinese/chinese_words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "support/any_text_tokenizer.hpp"
#include "support/fingerprint_model.hpp"
#include "support/tokens.hpp"

namespace {

/// A type-erased tokenizer of whole texts, whose stream buffers the text to its end.
support::any_text_tokenizer of_whole_texts(std::function<void(std::string_view, const support::any_sink&)> tokenize) {
  struct stream final : support::any_stream {
    explicit stream(std::function<void(std::string_view, const support::any_sink&)> t) : tokens(std::move(t)) {}
    void feed(std::string_view chunk, const support::any_sink& /*sink*/) override { text += chunk; }
    void finish(const support::any_sink& sink) override {
      tokens(text, sink);
      text.clear();
    }
    void reset() override { text.clear(); }
    std::function<void(std::string_view, const support::any_sink&)> tokens;
    std::string text;
  };
  return {tokenize, [tokenize] { return std::make_unique<stream>(tokenize); }};
}

/// Equal hashes for tokens that differ only in ASCII case.
struct fold_and_hash {
  std::uint64_t operator()(std::string_view token) const { return neardup::xxh3<64>{.seed = 5}(neardup::fold(token)); }
};

neardup::idf_table product_table() {
  return neardup::idf_table::parse("The 3.25\nthe 0.5\nship 3.25\nSHIP 1\nsea 7.5\nof 6\nthe\x1fship 4\n");
}

std::vector<support::any_text_tokenizer> product_tokenizers() {
  using namespace neardup;
  using support::any_text_tokenizer;
  const auto chinese =
      chinese_words(std::make_shared<const word_dictionary>(word_dictionary::parse("\u4e2d\u6587 9\n")));
  const stop_words list({"is"});
  return {any_text_tokenizer::of(words{}),
          any_text_tokenizer::of(byte_ngrams{5}),
          any_text_tokenizer::of(code_point_ngrams{2}),
          any_text_tokenizer::of(shingles{2, words{}}),
          any_text_tokenizer::of(folded{words{}}),
          any_text_tokenizer::of(narrowed{words{}}),
          any_text_tokenizer::of(normalised{shingles{2, words{}}}),
          any_text_tokenizer::of(canonical{words{}}),
          any_text_tokenizer::of(masked{words{}}),
          any_text_tokenizer::of(without{list, shingles{2, without{list, words{}}}}),
          any_text_tokenizer::of(chinese),
          any_text_tokenizer::of(without{list, chinese, 2}),
          of_whole_texts(sentences{}),
          of_whole_texts(longest{3, words{}}),
          of_whole_texts(keywords{5, words{}, product_table()})};
}

struct weighter_products {
  std::vector<support::any_text_tokenizer> tokenizers = product_tokenizers();
  std::vector<std::string> texts;
  std::size_t weighters = 0, compositions = 0, fingerprints = 0;

  weighter_products() {
    oracle::random_texts random(33);
    texts = {"", "ship", "The SHIP, the ship!\nOn the \u4e2d\u6587 of the \xe4\xb8 Sea; it is THE sea, of sea", ""};
    while (texts[3].size() < 110'000) texts[3] += random.next_runs(1000) + texts[2];
  }

  /// Checks a weighter with all tokenizers and both hashers; `model(counts)` returns the weights of the hashes.
  template <class Weighter, class Model>
  void check(const Weighter& weigh, const Model& model) {
    check_hasher(weigh, neardup::xxh3<64>{}, model);
    check_hasher(weigh, fold_and_hash{}, model);
    ++weighters;
  }

  template <class Weighter, class Hasher, class Model>
  void check_hasher(const Weighter& weigh, const Hasher& hasher, const Model& model) {
    const neardup::simhasher hash{tokenizers[0], weigh, hasher};
    typename std::remove_cvref_t<decltype(hash)>::workspace scratch;
    for (std::size_t t = 0; t < tokenizers.size(); ++t) {
      auto with = hash;
      with.tokenizer = tokenizers[t];
      neardup::text_stream stream{with};
      ++compositions;
      for (std::size_t length = 0; length < texts.size(); ++length) {
        // The long text is tested with a sample of the products; all of them take a minute.
        if (length == 3 && (t + weighters) % 5 != 0 && oracle::effort(1, 0, 0) == 0) continue;
        const std::string_view text = texts[length];
        const bool merges = std::is_same_v<Hasher, fold_and_hash>;
        CAPTURE(t, weighters, length, merges);
        const auto expected =
            support::fingerprint_of_weights<64>(model(support::count_tokens(tokenizers[t], hasher, text)));
        REQUIRE(with(text, scratch) == expected);
        const auto bag = with.bag(text);
        REQUIRE(with(bag) == expected);
        for (const std::string_view chunk : support::cut_every(text, length == 3 ? 4099 : 1)) stream.feed(chunk);
        REQUIRE(stream.finish() == expected);
        fingerprints += 3;
        if (length == 3) continue;
        for (std::size_t at = 0; at <= text.size(); ++at) {
          for (const std::string_view chunk : support::cut_at(text, at)) stream.feed(chunk);
          if (stream.finish() == expected) continue;
          CAPTURE(at);
          FAIL("cut here, the text has another fingerprint");
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("each weighter with each tokenizer and hasher, whole, streamed and by bag", "[products]") {
  using namespace neardup;
  using support::level_weights;
  using support::top_weights;
  using support::weigh_counts;
  using support::weigh_texts;
  const idf_table table = product_table();
  const auto by_idf = [&](const std::string& token, std::uint64_t) { return std::uint64_t{table.lookup(token).raw()}; };
  const auto by_tf_idf = [&](const std::string& token, std::uint64_t count) {
    return table.lookup(token).raw() * count;
  };
  const auto by_log = [](std::uint64_t count) { return std::uint64_t{log_tf{}(count).raw()}; };
  const auto unit_model = [](const auto& c) { return weigh_counts(c, [](std::uint64_t) { return 256; }); };
  const auto tf_model = [](const auto& c) { return weigh_counts(c, [](std::uint64_t count) { return 256 * count; }); };
  const auto log_model = [&](const auto& c) { return weigh_counts(c, by_log); };
  const auto idf_model = [&](const auto& c) { return weigh_texts(c, by_idf); };
  const auto tf_idf_model = [&](const auto& c) { return weigh_texts(c, by_tf_idf); };
  const auto levels_model = [&](const auto& c) { return level_weights(weigh_counts(c, by_log), 3); };
  weighter_products all;
  all.check(unit{}, unit_model);
  all.check(tf{}, tf_model);
  all.check(log_tf{}, log_model);
  all.check(idf{table}, idf_model);
  all.check(tf_idf{table}, tf_idf_model);
  all.check(levels{3, log_tf{}}, levels_model);
  const auto shared = std::make_shared<const idf_table>(table);
  const auto named = [&](std::string_view name) { return any_weighter(any_weighter::parse(name), shared); };
  all.check_hasher(named("unit"), xxh3<64>{}, unit_model);
  all.check_hasher(named("tf"), xxh3<64>{}, tf_model);
  all.check_hasher(named("logtf"), xxh3<64>{}, log_model);
  all.check_hasher(named("idf"), xxh3<64>{}, idf_model);
  all.check_hasher(named("tfidf"), xxh3<64>{}, tf_idf_model);
  all.check_hasher(named("levels:3:logtf"), xxh3<64>{}, levels_model);
  all.check(top{7, levels{4, tf_idf{table}}},
            [&](const auto& c) { return top_weights(level_weights(weigh_texts(c, by_tf_idf), 4), 7); });
  all.check([](std::string_view token, std::uint64_t count) { return token.size() + 2 * count; },
            [](const auto& c) {
              return weigh_texts(
                  c, [](const std::string& token, std::uint64_t count) { return 256 * (token.size() + 2 * count); });
            });
  std::printf(
      "%zu tokenizers x %zu weighters x 2 hashers x 3 ways x lengths 0, 1 token, 70 bytes: each with each; with a text "
      "of "
      "110 kB: every fifth tokenizer, or each (NEARDUP_EXHAUSTIVE=1); %zu compositions, %zu fingerprints\n",
      all.tokenizers.size(), all.weighters, all.compositions, all.fingerprints);
}
