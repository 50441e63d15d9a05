// SPDX-License-Identifier: MIT
// Token kernels turn a text into the hashes of its tokens, many at a time. This header has the interface, and the
// default for tokenizers without a fast path.
//
// A tokenizer with a fast path has a header of its own here, which specialises token_kernel; registry.hpp lists them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../text/tokenizer.hpp"
#include "../hashers.hpp"

namespace neardup::inline v0::detail {

/// A block of hashes of `Words` words, by column: word j of hash i is columns[j][i].
template <std::size_t Words>
struct hash_block {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t slack = 16;  // room for kernels that write whole vectors

  alignas(64) std::uint64_t columns[Words][capacity + slack];
  std::size_t count = 0;

  hash_block() noexcept {}  // NOLINT(modernize-use-equals-default): the columns stay uninitialised

  [[nodiscard]] std::size_t room() const noexcept { return capacity - count; }
};

/// A block that kernels fill, and the callback that consumes it when it is full. Precondition: both outlive the writer.
/// `consume` is type-erased, so that kernels are instantiated once for all compositions of one width.
template <std::size_t Words>
class hash_writer {
 public:
  template <class Consume>
  hash_writer(hash_block<Words>& target, const Consume& consume) noexcept
      : block(target),
        object_(&consume),
        call_([](const void* object, const hash_block<Words>& full) { (*static_cast<const Consume*>(object))(full); }) {
  }

  /// Flushes unless there is room for `count` hashes. Returns: the number of hashes that there is room for.
  /// Precondition: count <= hash_block::capacity.
  std::size_t make_room(std::size_t count) const {
    if (block.room() < count) flush();
    return block.room();
  }

  /// The end of column `j`.
  [[nodiscard]] std::uint64_t* end(std::size_t j) const noexcept { return block.columns[j] + block.count; }

  /// Adds a hash whose word j is word(j).
  template <class Word>
  void add(const Word& word) const {
    make_room(1);
    for (std::size_t j = 0; j < Words; ++j) *end(j) = word(j);
    ++block.count;
  }

  /// Passes the hashes so far to `consume`.
  void flush() const {
    call_(object_, block);
    block.count = 0;
  }

  hash_block<Words>& block;

 private:
  const void* object_;
  void (*call_)(const void* object, const hash_block<Words>& block);
};

/// Writes the hashes of the tokens that `tokenize(sink)` yields, one by one.
template <class Hasher, class Tokenize>
void hash_one_by_one(const Hasher& hash, const hash_writer<hasher_words<Hasher>>& out, const Tokenize& tokenize) {
  auto add = [&](std::string_view token) {
    const auto value = to_hash_words(hash(token));
    out.add([&](std::size_t j) { return value[j]; });
  };
  tokenize(add);
}

/// Turns the tokens of a text into hashes. This default handles any tokenizer and hasher, one token at a time.
///
/// A specialisation may add `count(tokenize, hash, text, tallies)`, which counts the bits of all hashes, those of word
/// j in tallies[j]. It returns false if that is impossible or not worthwhile; the counts are unspecified then. A kernel
/// that knows the count and weight of each token may add `visit_counted` and `weighs_by`, as the kernel of `keywords`
/// does, which is in fingerprint/keywords.hpp.
template <class Tokenizer, class Hasher>
struct token_kernel {
  using writer = hash_writer<hasher_words<Hasher>>;

  /// Scratch memory, reused from text to text.
  struct scratch {};

  /// Writes the hashes, by `hash`, of all tokens that `tokenize` finds in a text, in unspecified order.
  static void hash_text(const Tokenizer& tokenize, const Hasher& hash, std::string_view text, scratch& /*memory*/,
                        const writer& out) {
    hash_one_by_one(hash, out, [&](auto& add) { tokenize(text, add); });
  }

  /// Hashes the tokens of a text that is fed in chunks.
  class stream {
   public:
    explicit stream(const Tokenizer& tokenizer) : tokens_(tokenizer) {}

    void feed(std::string_view chunk, const Hasher& hash, const writer& out) {
      hash_one_by_one(hash, out, [&](auto& add) { tokens_.feed(chunk, add); });
    }
    void finish(const Hasher& hash, const writer& out) {
      hash_one_by_one(hash, out, [&](auto& add) { tokens_.finish(add); });
    }
    void reset() noexcept { tokens_.reset(); }

   private:
    token_stream<Tokenizer> tokens_;
  };
};

/// Scratch memory of hashing a text, reused from text to text.
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
  const hash_writer<hasher_words<Hasher>> out(scratch.block, consume);
  token_kernel<Tokenizer, Hasher>::hash_text(tokenize, hash, text, scratch.kernel, out);
  out.flush();
}

/// Sets `result` to the distinct full hashes of the tokens of a text, sorted.
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

/// The least size in bytes of the pieces of text that a stream passes to a kernel.
inline constexpr std::size_t enough_for_kernels = 4096;

/// A stream whose kernel processes each piece as a text of its own.
template <class Tokenizer, class Hasher>
class piecewise_kernel_stream {
  using kernel = token_kernel<Tokenizer, Hasher>;
  using writer = hash_writer<hasher_words<Hasher>>;

 public:
  explicit piecewise_kernel_stream(const Tokenizer& tokenizer) : pieces_(tokenizer, enough_for_kernels) {}

  void feed(std::string_view chunk, const Hasher& hash, const writer& out) {
    pieces_.feed(chunk, hash_piece(hash, out));
  }
  void finish(const Hasher& hash, const writer& out) { pieces_.finish(hash_piece(hash, out)); }
  void reset() noexcept { pieces_.reset(); }

 private:
  auto hash_piece(const Hasher& hash, const writer& out) {
    return [&](std::string_view piece) { kernel::hash_text(pieces_.tokenize, hash, piece, scratch_, out); };
  }

  typename kernel::scratch scratch_;
  text_pieces<Tokenizer> pieces_;
};

}  // namespace neardup::inline v0::detail
