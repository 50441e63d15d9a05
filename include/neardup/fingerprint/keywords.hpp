// Keywords: the tokens that tell most about a text, by TF-IDF.
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

#include "../detail/bytes.hpp"
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
  weight idf;           ///< what one occurrence weighs by the table
};

/// Only the n tokens of another tokenizer that have the highest TF-IDF: the heaviest first, each as often as it occurs.
///
/// Scores are count * idf by the eleven decimals of the table, exactly; of equal scores the token with the smaller
/// bytes comes first, so the order within the text does not matter. `top` ranks by weights in steps of 1/256, and tells
/// equal ones apart by their hashes. Copies share what is made of the table, 32 to 64 bytes a term; safe from many
/// threads.
/// With chinese_words and `without` these are the keywords of jieba's extract_tags, but for its order of equal scores,
/// which is that of the text.
/// Throws: std::invalid_argument if n is 0, or there is no table.
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

  /// The keywords of a text, the best first. Complexity: linear in its distinct tokens, and O(n log n).
  [[nodiscard]] std::vector<keyword> rank(std::string_view text) const {
    workspace memory;
    std::vector<keyword> result;
    for (const candidate& word : rank(text, memory, true)) {
      result.push_back({std::string(memory.tokens.text(word.number)), memory.tokens.count(word.number), word.score,
                        detail::weight_of_exact(word.value)});
    }
    return result;
  }

  [[nodiscard]] std::size_t n() const noexcept { return n_; }
  [[nodiscard]] const Inner& inner() const noexcept { return inner_; }
  /// A digest of the table that ranks them, with all of its decimals.
  [[nodiscard]] std::uint64_t idf_identity() const noexcept { return values_->identity(); }

 private:
  template <class Tokenizer, class Hasher>
  friend struct detail::token_kernel;

  struct candidate {
    std::uint64_t score;
    std::uint64_t value;  // by the table
    std::size_t number;   // of a distinct token
  };

  /// The distinct tokens of a text with their counts, and where each stands.
  class counted_tokens {
   public:
    /// Begins a text, which outlives its tokens.
    void start(std::string_view text) noexcept {
      text_ = text;
      distinct_.clear();
      waiting_count_ = 0;
      copies_.clear();
      spans_.clear();
    }

    /// Most tokens are pieces of the text. Others are gone after the call, and so copied.
    void add(std::string_view token) {
      constexpr std::less_equal<const char*> is_before;
      const bool is_piece =
          is_before(text_.data(), token.data()) && is_before(token.data(), text_.data() + text_.size());
      waiting_[waiting_count_] = {is_piece ? static_cast<std::size_t>(token.data() - text_.data()) : copy(token),
                                  token.size()};
      if (++waiting_count_ == batch) flush();
    }

    /// Counts what was added. Apart from add(), which is so small that it becomes a part of the tokenizer.
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
    static constexpr std::size_t batch = 256;  // as many as distinct_ takes at once

    struct span {
      std::size_t begin, size;  // in the text; beyond its size + 1 in the copies
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
    std::vector<span> spans_;  // by number of a distinct token
  };

  struct workspace {
    counted_tokens tokens;
    std::vector<candidate> ranked;
  };

  /// The keywords of a text, in the workspace; the best first, if that matters.
  const std::vector<candidate>& rank(std::string_view text, workspace& memory, bool sorted) const {
    counted_tokens& tokens = memory.tokens;
    std::vector<candidate>& all = memory.ranked;
    auto count_token = [&](std::string_view token) { tokens.add(token); };
    tokens.start(text);
    inner_(text, count_token);
    tokens.flush();
    const std::size_t size = tokens.size();
    // All entries are asked for first, so that the look-ups wait for memory together and not one after the other.
    for (std::size_t i = 0; i < size; ++i) values_->prefetch(tokens.hash(i));
    const auto is_before = [&](const candidate& a, const candidate& b) {
      return a.score != b.score ? a.score > b.score : tokens.text(a.number) < tokens.text(b.number);
    };
    // Keeps the n best, and returns the least score of these: others need not be kept any more.
    const auto keep_best = [&] {
      const auto last = all.begin() + static_cast<std::ptrdiff_t>(n_ - 1);
      std::nth_element(all.begin(), last, all.end(), is_before);
      all.resize(n_);
      return all.back().score;
    };
    const std::size_t room = n_ < size ? 2 * n_ + 64 : size + 1;  // so much is kept before the n best are looked for
    std::uint64_t least = 0;
    all.clear();
    for (std::size_t i = 0; i < size; ++i) {
      constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();  // 7 of any value are less
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
  std::shared_ptr<const detail::hashed_idf> values_;  // exact
  std::shared_ptr<const idf_table> table_;            // kept so that no other can be mistaken for it; if it is shared
};

namespace detail {

/// Keeps its memory from text to text, and hashes each keyword once.
template <class Inner, class Hasher>
struct token_kernel<keywords<Inner>, Hasher> {
  using writer = hash_writer<hasher_words<Hasher>>;
  using scratch = typename keywords<Inner>::workspace;

  static void hash_text(const keywords<Inner>& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                        const writer& out) {
    visit_ranked(tokenize, hash, text, memory, [&](const auto& value, std::uint64_t count, weight /*each*/) {
      for (std::uint64_t i = 0; i < count; ++i) out.add([&](std::size_t j) { return value[j]; });
    });
  }

  /// Whether the weights that visit_counted() gives are those of this table, too: they are known already.
  static bool weighs_by(const keywords<Inner>& tokenize, const Hasher& hash, const idf_table& table) noexcept {
    return tokenize.table_.get() == &table && hash.seed == xxh3<64>{}.seed;
  }

  /// Calls `visit(hash, count, weight)` for each keyword once, with what one occurrence weighs by its table. Only for
  /// XXH3, by which two keywords have two hashes: another hasher may make them one token.
  template <class Visit>
  static void visit_counted(const keywords<Inner>& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                            const Visit& visit) requires is_xxh3<Hasher> {
    visit_ranked(tokenize, hash, text, memory, visit);
  }

 private:
  template <class Visit>
  static void visit_ranked(const keywords<Inner>& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                           const Visit& visit) {
    for (const auto& word : tokenize.rank(text, memory, false)) {
      const std::uint64_t count = memory.tokens.count(word.number);
      const weight each = weight_of_exact(word.value);
      if constexpr (std::is_same_v<Hasher, xxh3<64>>) {
        // Known already, with the seed that they are counted by.
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

}  // namespace neardup::inline v0
