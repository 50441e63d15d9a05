// SPDX-License-Identifier: MIT
// Keywords: the tokens of a text that have the highest TF-IDF.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "../text/tokenizer.hpp"
#include "hashers.hpp"
#include "idf.hpp"
#include "idf_table.hpp"
#include "kernels/distinct_hashes.hpp"
#include "kernels/token_kernel.hpp"

namespace neardup::inline v0 {

/// A keyword with its count in the text.
struct keyword {
  std::string text;
  std::uint64_t count;
  std::uint64_t score;  ///< count * idf in units of 10^-11, saturating at 2^64 - 1
  weight idf;           ///< the weight of one occurrence, from the IDF table
};

/// A tokenizer that passes only the n tokens with the highest TF-IDF of an inner tokenizer. The token with the
/// highest score comes first. Each token is passed as often as it occurs in the text.
///
/// The score is count * idf, with the eleven decimals of the table. Tokens with equal scores are in byte order. So the
/// order within the text does not matter. The weighter `top` differs: it ranks by weights that are rounded to 1/256,
/// and breaks ties by hash. With chinese_words and stop words (`without`), the tokens are the keywords of jieba's
/// extract_tags, except for ties, which jieba breaks by the order in the text.
/// Throws: std::invalid_argument if n is 0 or the table is null.
/// Memory: 32 to 64 bytes per term of the IDF table, for a hash table that all copies of this object share.
/// Thread safety: several threads may call all members at once.
/// Example: `simhasher hash{keywords{20, words, table}, tf_idf{table}}`
template <class Inner>
class keywords {
  static_assert(tokenizer<Inner>, "neardup: keywords{n, tokenizer, table} needs a tokenizer, such as words{}");

 public:
  keywords(std::size_t n, Inner inner, const std::shared_ptr<const idf_table>& table)
      : n_(n), inner_(std::move(inner)) {
    if (n == 0) detail::fail<std::invalid_argument>("keywords{n, tokenizer, table} needs n of 1 or more");
    if (table == nullptr) detail::fail<std::invalid_argument>("keywords needs an idf table");
    values_ = std::make_shared<const detail::hashed_idf>(*table, xxh3<64>{}.seed, true);
    if (table.use_count() > 0) table_ = table;
  }
  keywords(std::size_t n, Inner inner, const idf_table& table)
      : keywords(n, std::move(inner), std::shared_ptr<const idf_table>(std::shared_ptr<void>(), &table)) {}

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    workspace memory;
    for (const candidate& word : rank(text, memory, true)) {
      for (std::uint64_t i = 0; i < memory.tokens.count(word.number); ++i) sink(memory.tokens.text(word.number));
    }
  }

  /// Returns the keywords of a text. The keyword with the highest score comes first.
  /// Complexity: linear in the length of the text, plus O(n log n) for n keywords.
  [[nodiscard]] std::vector<keyword> rank(std::string_view text) const {
    workspace memory;
    return rank(text, memory);
  }
  struct workspace;  ///< scratch memory, reused from text to text; each thread needs its own object
  [[nodiscard]] std::vector<keyword> rank(std::string_view text, workspace& memory) const {
    std::vector<keyword> result;
    for (const candidate& word : rank(text, memory, true)) {
      result.push_back({std::string(memory.tokens.text(word.number)), memory.tokens.count(word.number), word.score,
                        detail::weight_of_exact(word.value)});
    }
    return result;
  }

  [[nodiscard]] std::size_t n() const noexcept { return n_; }
  [[nodiscard]] const Inner& inner() const noexcept { return inner_; }
  /// Returns a digest of the table that ranks the tokens. The digest depends on all decimals of the values.
  [[nodiscard]] std::uint64_t idf_identity() const noexcept { return values_->identity(); }

 private:
  template <class Tokenizer, class Hasher>
  friend struct detail::token_kernel;

  struct candidate {
    std::uint64_t score;
    std::uint64_t value;  // value of the term in the table
    std::size_t number;   // index of a distinct token
  };

  /// The distinct tokens of a text. Each token has a count, and the position of its first occurrence.
  class counted_tokens {
   public:
    /// Begins a text.
    /// Precondition: the text outlives the use of its tokens.
    void start(std::string_view text) noexcept {
      text_ = text;
      distinct_.clear();
      waiting_count_ = 0;
      copies_.clear();
      spans_.clear();
    }

    /// Adds a token. Most tokens are substrings of the text. Any other token is copied, because it becomes invalid
    /// after the call.
    void add(std::string_view token) {
      constexpr std::less_equal<const char*> is_before;
      const bool is_piece =
          is_before(text_.data(), token.data()) && is_before(token.data(), text_.data() + text_.size());
      waiting_[waiting_count_] = {is_piece ? static_cast<std::size_t>(token.data() - text_.data()) : copy(token),
                                  token.size()};
      if (++waiting_count_ == batch) flush();
    }

    /// Counts the tokens in waiting_. The function is not inlined, so that add() stays small enough to be inlined into
    /// the tokenizer.
    NEARDUP_NOINLINE void flush() {
      for (std::size_t i = 0; i < waiting_count_; ++i) block_.columns[0][i] = xxh3<64>{}(text_of(waiting_[i]));
      block_.count = waiting_count_;
      const std::size_t known = distinct_.size();
      distinct_.add(block_);
      spans_.resize(distinct_.size());
      for (std::size_t i = known; i < spans_.size(); ++i) spans_[i] = waiting_[distinct_.origins()[i]];
      waiting_count_ = 0;
    }

    [[nodiscard]] std::size_t size() const noexcept { return distinct_.size(); }
    [[nodiscard]] std::uint64_t hash(std::size_t i) const noexcept { return distinct_.column(0)[i]; }
    [[nodiscard]] std::uint64_t count(std::size_t i) const noexcept { return distinct_.counts()[i]; }
    [[nodiscard]] std::string_view text(std::size_t i) const noexcept { return text_of(spans_[i]); }

   private:
    static constexpr std::size_t batch = 256;  // tokens that distinct_ adds at a time

    struct span {
      std::size_t begin, size;  // offset in the text, or text size + 1 + offset in copies_
    };

    [[nodiscard]] std::string_view text_of(const span& token) const noexcept {
      if (token.begin <= text_.size()) return {text_.data() + token.begin, token.size};
      return {copies_.data() + (token.begin - text_.size() - 1), token.size};
    }

    NEARDUP_NOINLINE std::size_t copy(std::string_view token) {
      copies_.append(token);
      return text_.size() + 1 + copies_.size() - token.size();
    }

    std::string_view text_;
    detail::hash_block<1> block_;
    span waiting_[batch];
    std::size_t waiting_count_ = 0;
    detail::distinct_hashes<1, true, true> distinct_;
    std::string copies_;
    std::vector<span> spans_;  // indexed by index of a distinct token
  };

 public:
  struct workspace {
    counted_tokens tokens;
    std::vector<candidate> ranked;
  };

 private:
  /// Returns the keywords of a text, in `memory`. If `sorted`, the keyword with the highest score comes first.
  const std::vector<candidate>& rank(std::string_view text, workspace& memory, bool sorted) const {
    counted_tokens& tokens = memory.tokens;
    std::vector<candidate>& all = memory.ranked;
    auto count_token = [&](std::string_view token) { tokens.add(token); };
    tokens.start(text);
    inner_(text, count_token);
    tokens.flush();
    const std::size_t size = tokens.size();
    // Prefetches all table entries before the lookups, so that the cache misses overlap.
    for (std::size_t i = 0; i < size; ++i) values_->prefetch(tokens.hash(i));
    const auto is_before = [&](const candidate& a, const candidate& b) {
      return a.score != b.score ? a.score > b.score : tokens.text(a.number) < tokens.text(b.number);
    };
    // Keeps the n best candidates, and drops candidates with a lower score.
    // Returns: the least score of the kept candidates.
    const auto keep_best = [&] {
      const auto last = all.begin() + static_cast<std::ptrdiff_t>(n_ - 1);
      std::nth_element(all.begin(), last, all.end(), is_before);
      all.resize(n_);
      return all.back().score;
    };
    const std::size_t room = n_ < size ? 2 * n_ + 64 : size + 1;  // this many candidates trigger keep_best()
    std::uint64_t least = 0;
    all.clear();
    for (std::size_t i = 0; i < size; ++i) {
      constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();  // 7 * value never overflows
      const std::uint64_t value = values_->value(tokens.hash(i)), count = tokens.count(i);
      const std::uint64_t score = count > 7 && value != 0 && count > most / value ? most : count * value;
      if (score < least) continue;
      all.push_back({score, value, i});
      if (all.size() == room) least = keep_best();
    }
    if (n_ < all.size()) static_cast<void>(keep_best());
    if (sorted) std::sort(all.begin(), all.end(), is_before);
    return all;
  }

  std::size_t n_;
  Inner inner_;
  std::shared_ptr<const detail::hashed_idf> values_;  // the values with all decimals
  std::shared_ptr<const idf_table> table_;            // the table, if it is shared; its address identifies it
};

namespace detail {

/// The token_kernel of the tokenizer `keywords`. The kernel reuses its memory for the next text. visit_counted() hashes
/// each keyword once.
template <class Inner, class Hasher>
struct token_kernel<keywords<Inner>, Hasher> {
  using scratch = typename keywords<Inner>::workspace;

  static void hash_text(const keywords<Inner>& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                        const hash_writer& out) {
    with_hash_sink(hash, out, [&](auto& sink) {
      for (const auto& word : tokenize.rank(text, memory, false)) {
        for (std::uint64_t i = memory.tokens.count(word.number); i > 0; --i) sink(memory.tokens.text(word.number));
      }
    });
  }

  /// Returns true if visit_counted() passes the weights of `table`. If so, the weights need not be looked up again.
  static bool weighs_by(const keywords<Inner>& tokenize, const Hasher& hash, const idf_table& table) noexcept {
    return tokenize.table_.get() == &table && hash.seed == xxh3<64>{}.seed;
  }

  /// Calls `visit(hash, count, weight)` once for each keyword. `weight` is the weight of one occurrence in the table of
  /// `tokenize`. The hasher must be XXH3, which gives distinct keywords distinct hashes. Another hasher may give two
  /// keywords the same hash.
  template <class Visit>
  static void visit_counted(const keywords<Inner>& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                            const Visit& visit) requires is_xxh3<Hasher> {
    for (const auto& word : tokenize.rank(text, memory, false)) {
      const std::uint64_t count = memory.tokens.count(word.number);
      const weight each = weight_of_exact(word.value);
      if constexpr (std::is_same_v<Hasher, xxh3<64>>) {
        // counted_tokens has already hashed each token, with the default seed.
        if (hash.seed == xxh3<64>{}.seed) {
          visit(std::array{memory.tokens.hash(word.number)}, count, each);
          continue;
        }
      }
      visit(to_hash_words(hash(memory.tokens.text(word.number))), count, each);
    }
  }
};

}  // namespace detail

template <class Inner, class Table>
keywords(std::size_t, Inner, Table) -> keywords<Inner>;

template <class Inner>
inline constexpr std::string_view detail::part_name<keywords<Inner>> = "keywords";

}  // namespace neardup::inline v0
