// SPDX-License-Identifier: MIT
// Computes the hashes of the tokens of a text. A tokenizer with a fast path (a token_source of its own) passes tokens
// in blocks, so that many hashes are computed at a time.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "../../text/tokenizer.hpp"
#include "../hashers.hpp"
#include "hash_block.hpp"
#include "xxh3_spans.hpp"

namespace neardup::inline v0::detail {

/// The greatest length of a window of bytes that kernels hash.
inline constexpr std::size_t max_vector_window = 8;

/// The greatest n for which kernels hash the n-grams of code points.
inline constexpr std::size_t max_kernel_gram = 64;

/// A sink that writes XXH3 hashes to `out`. It takes single tokens and blocks of tokens (see token_source).
///
/// Windows are hashed in code_point_windows.hpp and xxh3_windows.hpp. Include these two headers if you hash the tokens
/// of an arbitrary tokenizer. Without them, a program that hashes n-grams does not compile.
class block_hasher {
 public:
  block_hasher(std::uint64_t seed, const hash_writer& out) noexcept : seed_(seed), out_(out) {}

  void operator()(std::string_view token) const { add_token_hash(token, seed_, out_); }

  /// Adds the tokens at the ranges `spans` of a text.
  /// Precondition: 8 bytes are readable from the beginning of each span on.
  void operator()(const char* text, const span_view& spans) const { add_span_hashes(text, spans, seed_, level_, out_); }

  /// Adds all windows of n bytes.
  /// Returns: false, and adds nothing, if there is no kernel for n, or the text has fewer than n bytes.
  template <std::same_as<std::size_t> Size>  // a template, so that the kernel is looked up where it is used
  [[nodiscard]] bool bytes(std::string_view text, Size n) const {
    if (n == 0 || n > max_vector_window || n > text.size()) return false;
    add_byte_windows(text, n, seed_, level_, out_);
    return true;
  }

  /// Adds all windows of n code points.
  /// Returns: false, and adds nothing, if there is no kernel for n.
  /// Precondition: the text is well-formed UTF-8.
  template <std::same_as<std::size_t> Size>
  [[nodiscard]] bool code_points(std::string_view text, Size n) const {
    if (n == 0 || n > max_kernel_gram) return false;
    if (!text.empty()) add_code_point_windows(text, n, seed_, level_, out_);
    return true;
  }

 private:
  std::uint64_t seed_;
  instruction_set level_ = active_instruction_set();
  const hash_writer& out_;
};

/// Calls `use(sink)` with a sink that writes the hashes of tokens to `out`.
template <class Hasher, class Use>
void with_hash_sink(const Hasher& hash, const hash_writer& out, const Use& use) {
  if constexpr (is_xxh3<Hasher>) {
    block_hasher sink(hash.seed, out);
    use(sink);
  } else {
    auto sink = [&](std::string_view token) {
      const auto value = to_hash_words(hash(token));
      out.add([&](std::size_t j) { return value[j]; });
    };
    use(sink);
  }
}

/// Hashes the tokens that any tokenizer finds in a text.
///
/// A tokenizer with a faster way specialises this template in its own header. The specialisation may add `counts` and
/// `count(tokenize, hash, text, tallies)`; see count_tokens. A kernel that knows the count and the weight of each token
/// may add `visit_counted` and `weighs_by`; see the specialisation for `keywords` in fingerprint/keywords.hpp.
template <class Tokenizer, class Hasher>
struct token_kernel {
  /// Scratch memory, reused for the next text.
  using scratch = text_reader<Tokenizer, is_xxh3<Hasher>>;

  /// Writes the hashes of all tokens of a text, in unspecified order. `tokenize` finds the tokens.
  static void hash_text(const Tokenizer& tokenize, const Hasher& hash, std::string_view text, scratch& memory,
                        const hash_writer& out) {
    with_hash_sink(hash, out, [&](auto& sink) { memory.read(tokenize, text, sink); });
  }
};

/// True if count_tokens() may count the tokens of a tokenizer. A call may still return false.
template <class Tokenizer, class Hasher>
concept counts_tokens = requires {
  requires token_kernel<Tokenizer, Hasher>::counts;
}
|| (is_xxh3<Hasher> && requires { requires token_source<Tokenizer, true>::gives_windows; });

/// Counts the bits of the hashes of all tokens of a text. tallies[j] counts word j. xxh3_windows.hpp defines this
/// function.
/// Returns: false if the tokens cannot be counted in this way, or if this would not be faster. The counts are then
/// unspecified.
template <class Tokenizer, class Hasher, class Tallies>
bool count_tokens(const Tokenizer& tokenize, const Hasher& hash, std::string_view text, Tallies& tallies);

/// Scratch memory for hashing a text, reused for the next text.
template <class Tokenizer, class Hasher>
struct hash_scratch {
  hash_block<hasher_words<Hasher>> block;
  typename token_kernel<Tokenizer, Hasher>::scratch kernel;
};

/// Calls `consume(block)` with the hashes of all tokens of a text, in unspecified order.
template <class Tokenizer, class Hasher, class Consume>
void hash_tokens(const Tokenizer& tokenize, const Hasher& hash, std::string_view text,
                 hash_scratch<Tokenizer, Hasher>& scratch, const Consume& consume) {
  scratch.block.count = 0;
  const hash_writer out(scratch.block, consume);
  token_kernel<Tokenizer, Hasher>::hash_text(tokenize, hash, text, scratch.kernel, out);
  out.flush();
}

/// Sets `result` to the sorted, distinct full hashes of the tokens of a text.
template <class Tokenizer, class Hasher>
void collect_features(const Tokenizer& tokenize, const Hasher& hash, std::string_view text,
                      hash_scratch<Tokenizer, Hasher>& scratch,
                      std::vector<std::array<std::uint64_t, hasher_words<Hasher>>>& result) {
  result.clear();
  hash_tokens(tokenize, hash, text, scratch, [&](const hash_block<hasher_words<Hasher>>& block) {
    for (std::size_t i = 0; i < block.count; ++i) {
      auto& words = result.emplace_back();
      for (std::size_t j = 0; j < words.size(); ++j) words[j] = block.columns[j][i];
    }
  });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
}

}  // namespace neardup::inline v0::detail
