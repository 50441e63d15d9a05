// Keywords: the tokens that tell most about a text, by TF-IDF.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "../text/tokenizer.hpp"
#include "hashers.hpp"
#include "idf.hpp"
#include "idf_table.hpp"
#include "kernels/distinct_hashes.hpp"
#include "kernels/token_kernel.hpp"

namespace neardup::inline v0 {

/// A token with how often its text has it.
struct keyword {
  std::string text;
  std::uint64_t count;
  std::uint64_t score;  ///< count times the idf of the table, in units of 10^-11; at most 2^64 - 1
};

/// Only the n tokens of another tokenizer that have the highest TF-IDF: the heaviest first, each as often as it occurs.
///
/// Scores are count * idf by the eleven decimals of the table, exactly; of equal scores the token with the smaller bytes
/// comes first, so the order within the text does not matter. `top` ranks by weights in steps of 1/256, and tells equal
/// ones apart by their hashes. Copies share what is made of the table, 32 to 64 bytes
/// a term; safe from many threads.
/// With chinese_words and `without` these are the keywords of jieba's extract_tags, but for its order of equal scores,
/// which is that of the text.
/// Throws: std::invalid_argument if n is 0, or there is no table.
/// Example: `simhasher hash{keywords{20, words, table}, tf_idf{table}}`
template <tokenizer Inner>
class keywords {
 public:
  keywords(std::size_t n, Inner inner, const std::shared_ptr<const idf_table>& table)
      : n_(n), inner_(std::move(inner)) {
    if (n == 0) detail::fail<std::invalid_argument>("keywords{n, tokenizer, table} needs n of 1 or more");
    if (table == nullptr) detail::fail<std::invalid_argument>("keywords needs an idf table");
    values_ = std::make_shared<const detail::hashed_idf>(*table, xxh3<64>{}.seed, true);
  }
  keywords(std::size_t n, Inner inner, const idf_table& table)
      : keywords(n, std::move(inner), std::shared_ptr<const idf_table>(std::shared_ptr<void>(), &table)) {}

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    workspace memory;
    for (const candidate& word : rank(text, memory, true)) {
      for (std::uint64_t i = 0; i < word.count; ++i) sink(word.text);
    }
  }

  /// The keywords of a text, the best first. Complexity: linear in its distinct tokens, and O(n log n).
  [[nodiscard]] std::vector<keyword> rank(std::string_view text) const {
    workspace memory;
    std::vector<keyword> result;
    for (const candidate& word : rank(text, memory, true)) {
      result.push_back({std::string(word.text), word.count, word.score});
    }
    return result;
  }

 private:
  template <class Tokenizer, class Hasher>
  friend struct detail::token_kernel;

  struct candidate {
    std::uint64_t score, count;
    std::string_view text;
  };

  /// The distinct tokens of a text with their counts, and where each stands.
  class counted_tokens {
   public:
    void clear() noexcept {
      distinct_.clear();
      block_.count = 0;
      bytes_.clear();
      ends_.clear();
      place_.clear();
    }

    void add(std::string_view token) {
      ends_.push_back(bytes_.size() + token.size());
      bytes_.append(token);
      block_.columns[0][block_.count++] = xxh3<64>{}(token);
      if (block_.count == batch) flush();
    }

    void flush() {
      const std::size_t before = ends_.size() - block_.count;
      distinct_.add(block_);
      // New ones are numbered in two runs, each in the order of the text.
      while (place_.size() < distinct_.size()) {
        for (std::size_t i = 0; i < block_.count && place_.size() < distinct_.size(); ++i) {
          if (block_.columns[0][i] == distinct_.column(0)[place_.size()]) place_.push_back(before + i);
        }
      }
      block_.count = 0;
    }

    [[nodiscard]] std::size_t size() const noexcept { return place_.size(); }
    [[nodiscard]] std::uint64_t hash(std::size_t i) const noexcept { return distinct_.column(0)[i]; }
    [[nodiscard]] std::uint64_t count(std::size_t i) const noexcept { return distinct_.counts()[i]; }
    [[nodiscard]] std::string_view text(std::size_t i) const noexcept {
      const std::size_t begin = place_[i] == 0 ? 0 : ends_[place_[i] - 1];
      return std::string_view(bytes_).substr(begin, ends_[place_[i]] - begin);
    }

   private:
    static constexpr std::size_t batch = 256;  // as many as distinct_ takes at once

    detail::hash_block<1> block_;
    detail::distinct_hashes<1, true> distinct_;
    std::string bytes_;               // of all tokens
    std::vector<std::size_t> ends_;   // of each token there
    std::vector<std::size_t> place_;  // by number of a distinct token: that of a token
  };

  struct workspace {
    counted_tokens tokens;
    std::vector<std::uint64_t> scores, ordered;  // of all distinct tokens
    std::vector<candidate> ranked;
  };

  /// The keywords of a text, in the workspace; the best first, if that matters.
  const std::vector<candidate>& rank(std::string_view text, workspace& memory, bool sorted) const {
    counted_tokens& tokens = memory.tokens;
    std::vector<std::uint64_t>& scores = memory.scores;
    std::vector<candidate>& all = memory.ranked;
    auto count_token = [&](std::string_view token) { tokens.add(token); };
    tokens.clear();
    inner_(text, count_token);
    tokens.flush();
    scores.clear();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();  // 7 of any value are less
      const std::uint64_t value = values_->value(tokens.hash(i)), count = tokens.count(i);
      scores.push_back(count > 7 && value != 0 && count > most / value ? most : count * value);
    }
    // Texts are compared only where scores are equal, at the end of the n best.
    std::uint64_t least = 0;
    if (n_ < scores.size()) {
      memory.ordered = scores;
      const auto last = memory.ordered.begin() + static_cast<std::ptrdiff_t>(n_ - 1);
      std::nth_element(memory.ordered.begin(), last, memory.ordered.end(), std::greater<>());
      least = *last;
    }
    all.clear();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] >= least) all.push_back({scores[i], tokens.count(i), tokens.text(i)});
    }
    const auto is_before = [](const candidate& a, const candidate& b) {
      return a.score != b.score ? a.score > b.score : a.text < b.text;
    };
    if (n_ < all.size()) {
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(n_);
      std::nth_element(all.begin(), end, all.end(), is_before);
      all.erase(end, all.end());
    }
    if (sorted) std::sort(all.begin(), all.end(), is_before);
    return all;
  }

  std::size_t n_;
  Inner inner_;
  std::shared_ptr<const detail::hashed_idf> values_;  // exact
};

namespace detail {

/// Keeps its memory from text to text, and hashes each keyword once.
template <class Inner, class Hasher>
struct token_kernel<keywords<Inner>, Hasher> {
  using writer = hash_writer<hasher_words<Hasher>>;
  using scratch = typename keywords<Inner>::workspace;

  static void hash_text(const keywords<Inner>& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                        const writer& out) {
    for (const auto& word : tokenize.rank(text, memory, false)) {
      const auto value = to_hash_words(hash(word.text));
      for (std::uint64_t i = 0; i < word.count; ++i) out.add([&](std::size_t j) { return value[j]; });
    }
  }
};

}  // namespace detail

template <class Inner, class Table>
keywords(std::size_t, Inner, Table) -> keywords<Inner>;

}  // namespace neardup::inline v0
