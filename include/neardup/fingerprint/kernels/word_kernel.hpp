// Words under XXH3, folded or not, and their shingles; of text as it is, and of normalised text in one pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "../../text/kernels/normalise_blocks.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "../../text/normalise.hpp"
#include "../../text/shingles.hpp"
#include "../../text/utf8.hpp"
#include "../../text/words.hpp"
#include "../hashers.hpp"
#include "token_kernel.hpp"
#include "xxh3_spans.hpp"

namespace neardup::inline v0::detail {

/// How a tokenizer made of words, shingles and folded cuts a text.
struct word_recipe {
  std::size_t n;  // words per shingle
  bool fold;
};

template <class T>
inline constexpr bool is_word_tokenizer = std::is_same_v<T, words>;
template <class Inner>
inline constexpr bool is_word_tokenizer<folded<Inner>> = is_word_tokenizer<Inner>;
template <>
inline constexpr bool is_word_tokenizer<shingles<words>> = true;
template <>
inline constexpr bool is_word_tokenizer<shingles<folded<words>>> = true;

inline word_recipe recipe_of(const words& /*tokenizer*/) { return {1, false}; }
template <class Inner>
word_recipe recipe_of(const folded<Inner>& tokenizer);
template <class Inner>
word_recipe recipe_of(const shingles<Inner>& tokenizer) {
  check_shingle_size(tokenizer.n);
  return {tokenizer.n, recipe_of(tokenizer.inner).fold};
}
template <class Inner>
word_recipe recipe_of(const folded<Inner>& tokenizer) {
  return {recipe_of(tokenizer.inner).n, true};
}

/// The words of a text written one after the other, shingle_separator between, so that every n of them are one piece.
class joined_words {
 public:
  /// Begins a text: shingles of n words, n >= 1.
  void start(std::size_t n) {
    n_ = n;
    emitted_ = false;
    next_ = 0;
    count_ = 0;
    size_ = 0;
    make_room(0, span_places::capacity);
    begins_[0] = 0;
  }

  /// Appends words, in lower case with `fold`.
  void append(std::string_view text, const token_spans& words, bool fold) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < words.count; ++i) bytes += words.end[i] - words.begin[i] + 1;
    if (bytes > max_size - size_) fail<std::length_error>("the words of a shingle in a stream exceed 4 GiB");
    make_room(bytes, words.count);
    char* out = bytes_.data() + size_;
    // Copying 16 bytes whatever the length is one move; what is too much will be overwritten.
    const std::size_t last_step = text.size() < step ? 0 : text.size() - step;
    for (std::size_t i = 0; i < words.count; ++i) {
      const std::size_t length = words.end[i] - words.begin[i];
      const char* const word = text.data() + words.begin[i];
      if (length <= step && words.begin[i] < last_step) {
        copy_step(word, out, fold);
      } else {
        copy_word(word, length, out, fold);
      }
      out += length;
      ends_[count_] = static_cast<std::uint32_t>(out - bytes_.data());
      *out++ = shingle_separator;
      begins_[++count_] = static_cast<std::uint32_t>(out - bytes_.data());
    }
    size_ += bytes;
  }

  /// Appends the words that a cursor gives of the next `part` bytes of its text; its last word may stay open.
  template <class Cursor>
  void append(Cursor& cursor, std::size_t part, instruction_set level) {
    make_room(Cursor::joined_room(part), Cursor::words_room(part));
    cursor.joined = bytes_.data();
    cursor.begin = begins_.data();
    cursor.close = ends_.data();
    cursor.size = size_;
    cursor.count = count_;
    take_blocks(cursor, cursor.at + part, level);
    if (cursor.at == cursor.end) cursor.finish();
    size_ = cursor.size;
    count_ = cursor.count;
  }

  /// Calls `hash(data, spans)` for the shingles that are complete since the last call.
  template <class Hash>
  void hash_shingles(const Hash& hash) {
    if (count_ - next_ < n_) return;
    const std::size_t end = count_ - n_ + 1;
    for (; next_ < end; next_ += (std::min)(end - next_, span_places::capacity)) {
      hash(bytes_.data(), span_places{begins_.data() + next_, ends_.data() + next_ + n_ - 1,
                                      (std::min)(end - next_, span_places::capacity)});
    }
    emitted_ = true;
    drop_used();
  }

  /// At the end of a text of fewer than n words: all of them as one shingle, if there is one.
  template <class Hash>
  void hash_last_shingle(const Hash& hash) {
    if (!emitted_ && count_ > 0) hash(bytes_.data(), span_places{begins_.data(), ends_.data() + count_ - 1, 1});
  }

 private:
  static constexpr std::size_t step = 16;
  static constexpr std::size_t slack = 64;  // kernels read and write whole vectors
  static constexpr std::size_t max_size = 0xffffffffU - slack;

  void make_room(std::size_t bytes, std::size_t words) {
    const auto grow = [](auto& values, std::size_t size) {
      if (values.size() < size) values.resize(2 * size);
    };
    grow(bytes_, size_ + bytes + slack);
    grow(begins_, count_ + words + slack);
    grow(ends_, count_ + words + slack);
  }

  static void copy_step(const char* word, char* out, bool fold) noexcept {
    std::uint64_t x[2];
    std::memcpy(x, word, sizeof x);
    if (fold) {
      x[0] = fold_bytes(x[0]);
      x[1] = fold_bytes(x[1]);
    }
    std::memcpy(out, x, sizeof x);
  }

  static void copy_word(const char* word, std::size_t length, char* out, bool fold) noexcept {
    std::memcpy(out, word, length);
    if (!fold) return;
    for (std::size_t i = 0; i < length; ++i) out[i] = ascii_folder::fold(out[i]);
  }

  /// Drops the words that no later shingle has, if they are worth it.
  void drop_used() {
    constexpr std::size_t kept_size = std::size_t{1} << 16;
    const std::uint32_t dropped = begins_[next_];
    if (dropped < kept_size || 2 * std::size_t{dropped} < size_) return;
    std::copy(bytes_.data() + dropped, bytes_.data() + size_, bytes_.data());
    size_ -= dropped;
    for (std::size_t i = next_; i <= count_; ++i) begins_[i - next_] = begins_[i] - dropped;
    for (std::size_t i = next_; i < count_; ++i) ends_[i - next_] = ends_[i] - dropped;
    count_ -= next_;
    next_ = 0;
  }

  std::vector<char> bytes_;
  std::vector<std::uint32_t> begins_;  // of the words in it, and of what follows the last one
  std::vector<std::uint32_t> ends_;
  std::size_t size_ = 0;   // of the bytes in use
  std::size_t count_ = 0;  // words
  std::size_t n_ = 1;      // words per shingle
  std::size_t next_ = 0;   // the first word of the next shingle
  bool emitted_ = false;
};

/// Memory for the hashing of words.
struct word_scratch {
  token_spans words;
  joined_words joined;
};

/// What hashes the shingles of joined words.
template <std::size_t Words>
auto shingle_hasher(std::uint64_t seed, const hash_writer<Words>& out) noexcept {
  return [seed, &out, level = active_instruction_set()](const char* text, const span_places& spans) {
    add_span_hashes(text, spans, seed, level, out);
  };
}

/// Writes the hashes of the words of a text. Precondition: the text is smaller than 2 GiB.
template <std::size_t Words>
void hash_single_words(std::string_view text, std::uint64_t seed, token_spans& words, const hash_writer<Words>& out) {
  const instruction_set level = active_instruction_set();
  word_span_finder finder(text, level);
  while (finder.next(words)) {
    // Words at the very end cannot be loaded whole.
    while (words.count > 0 && words.begin[words.count - 1] + sizeof(std::uint64_t) > text.size()) {
      --words.count;
      const std::string_view word =
          text.substr(words.begin[words.count], words.end[words.count] - words.begin[words.count]);
      out.add(
          [&](std::size_t j) { return XXH3_64bits_withSeed(word.data(), word.size(), seed + j * xxh3<>::seed_step); });
    }
    add_span_hashes(text.data(), words.places(), seed, level, out);
  }
}

/// The same for the shingles that the words of a text complete, after those that `scratch.joined` has of the text
/// before.
template <std::size_t Words>
void hash_more_shingles(std::string_view text, bool fold, std::uint64_t seed, word_scratch& scratch,
                        const hash_writer<Words>& out) {
  const auto hash = shingle_hasher(seed, out);
  word_span_finder finder(text, active_instruction_set());
  while (finder.next(scratch.words)) {
    scratch.joined.append(text, scratch.words, fold);
    scratch.joined.hash_shingles(hash);
  }
}

template <class Tokenizer, std::size_t Bits>
  requires is_word_tokenizer<Tokenizer>
struct token_kernel<Tokenizer, xxh3<Bits>> {
  using writer = hash_writer<xxh3<Bits>::words>;
  using scratch = word_scratch;

  static constexpr std::size_t end_of_sizes = std::size_t{1} << 31;

  static void hash_text(const Tokenizer& tokenize, const xxh3<Bits>& hash, std::string_view text, scratch& memory,
                        const writer& out) {
    if (text.size() >= end_of_sizes) {
      return hash_one_by_one(hash, out, [&](auto& add) { tokenize(text, add); });
    }
    const word_recipe recipe = recipe_of(tokenize);
    if (recipe.n == 1 && !recipe.fold) return hash_single_words(text, hash.seed, memory.words, out);
    memory.joined.start(recipe.n);
    hash_more_shingles(text, recipe.fold, hash.seed, memory, out);
    memory.joined.hash_last_shingle(shingle_hasher(hash.seed, out));
  }

  /// Joined words keep what shingles need of one piece for the next.
  class stream {
   public:
    explicit stream(const Tokenizer& tokenizer) : recipe_(recipe_of(tokenizer)) {}

    void feed(std::string_view chunk, const xxh3<Bits>& hash, const writer& out) {
      pieces_.feed(chunk, [&](std::string_view piece) { take(piece, hash, out); });
    }

    void finish(const xxh3<Bits>& hash, const writer& out) {
      pieces_.finish([&](std::string_view piece) { take(piece, hash, out); });
      if (begun_) scratch_.joined.hash_last_shingle(shingle_hasher(hash.seed, out));
      begun_ = false;
    }

    void reset() noexcept {
      pieces_.reset();
      begun_ = false;
    }

   private:
    void take(std::string_view piece, const xxh3<Bits>& hash, const writer& out) {
      if (recipe_.n == 1 && !recipe_.fold) return hash_single_words(piece, hash.seed, scratch_.words, out);
      if (!begun_) scratch_.joined.start(recipe_.n);
      begun_ = true;
      hash_more_shingles(piece, recipe_.fold, hash.seed, scratch_, out);
    }

    word_recipe recipe_;
    text_pieces<words> pieces_{words{}, enough_for_kernels};
    word_scratch scratch_;
    bool begun_ = false;  // joined words are this text's
  };
};

}  // namespace neardup::inline v0::detail
