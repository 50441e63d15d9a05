// The tokenizers and weighters of the library, each with its oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "any_text_tokenizer.hpp"
#include "oracle/effort.hpp"
#include "oracle/fingerprint.hpp"
#include "oracle/text.hpp"

namespace support {

struct tokenizer_case {
  std::string name;
  any_text_tokenizer tokenize;
  std::function<oracle::tokens(std::string_view)> oracle;
};

inline std::vector<tokenizer_case> tokenizer_cases() {
  using namespace neardup;
  const auto any = [](auto tokenize) { return any_text_tokenizer::of(tokenize); };
  using text = std::string_view;
  return {
      {"words", any(words{}), oracle::words},
      {"byte_ngrams{3}", any(byte_ngrams{3}), [](text t) { return oracle::byte_ngrams(t, 3); }},
      {"code_point_ngrams{2}", any(code_point_ngrams{2}), [](text t) { return oracle::code_point_ngrams(t, 2); }},
      {"shingles{2, folded{words}}", any(shingles{2, folded{words{}}}),
       [](text t) { return oracle::shingles(oracle::words(oracle::fold(t)), 2); }},
      {"shingles{3, code_point_ngrams{1}}", any(shingles{3, code_point_ngrams{1}}),
       [](text t) { return oracle::shingles(oracle::code_point_ngrams(t, 1), 3); }},
      {"normalised{words}", any(normalised{words{}}), [](text t) { return oracle::words(oracle::normalise(t)); }},
      {"normalised{code_point_ngrams{3}}", any(normalised{code_point_ngrams{3}}),
       [](text t) { return oracle::code_point_ngrams(oracle::normalise(t), 3); }},
  };
}

/// IDF weights of some terms that random texts have. Most weights are fractions, one is 0.
inline oracle::numbers sample_idf() {
  return {{"a", 300}, {"b", 77}, {"\u4e2d", 2000}, {"ab", 1}, {"A", 0}, {"c", 1200}};
}

inline neardup::idf_table sample_idf_table() {
  std::vector<neardup::idf_table::term> terms;
  for (const auto& [text, units] : sample_idf()) {
    terms.push_back({text, neardup::weight::from_raw(static_cast<std::uint32_t>(units))});
  }
  return neardup::idf_table(terms);
}

/// Calls `visit(name, weighter, oracle)` for each weighter. oracle(counts, bits, seed) returns the weight of each token
/// in units of 1/256. A sample has one weighter of each form: without a table, with a table, one that adjusts the
/// weights of another, and a user's.
template <class Visit>
void for_each_weighter(Visit visit) {
  using namespace neardup;
  using oracle::numbers;
  const idf_table table = sample_idf_table();
  const auto plain = [](auto weigh) {
    return [weigh](const numbers& n, std::size_t, std::uint64_t) { return weigh(n); };
  };
  [[maybe_unused]] const auto by_idf = [](const numbers& n) { return oracle::idf(n, sample_idf()); };
  const auto by_tf_idf = [](const numbers& n) { return oracle::tf_idf(n, sample_idf()); };
  visit("unit", unit{}, plain(oracle::unit));
  visit("tf_idf", tf_idf{table}, plain(by_tf_idf));
  visit("levels{4, top{5, tf_idf}}", levels{4, top{5, tf_idf{table}}},
        [=](const numbers& n, std::size_t bits, std::uint64_t seed) {
          return oracle::levels(oracle::top(by_tf_idf(n), 5, bits, seed), 4);
        });
  visit(
      "a lambda of token and count",
      [](std::string_view token, std::uint64_t count) { return 0.5 * static_cast<double>(token.size() * count); },
      plain([](numbers n) {
        for (auto& [token, number] : n) number *= 128 * token.size();
        return n;
      }));
  oracle::unless_sample([&](auto) {
    visit("tf", tf{}, plain(oracle::tf));
    visit("log_tf", log_tf{}, plain(oracle::log_tf));
    visit("idf", idf{table}, plain(by_idf));
    visit("levels{5, tf}", levels{5, tf{}}, plain([](const numbers& n) { return oracle::levels(oracle::tf(n), 5); }));
    visit("levels{3, tf_idf}", levels{3, tf_idf{table}},
          plain([=](const numbers& n) { return oracle::levels(by_tf_idf(n), 3); }));
    visit("tfidf by name", any_weighter(any_weighter::parse("tfidf"), std::make_shared<const idf_table>(table)),
          plain(by_tf_idf));
    visit("levels:5:tf by name", any_weighter(any_weighter::parse("levels:5:tf")),
          plain([](const numbers& n) { return oracle::levels(oracle::tf(n), 5); }));
    visit("top{3, tf}", top{3, tf{}}, [](const numbers& n, std::size_t bits, std::uint64_t seed) {
      return oracle::top(oracle::tf(n), 3, bits, seed);
    });
  });
}

}  // namespace support
