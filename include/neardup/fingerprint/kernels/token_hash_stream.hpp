// From a text that arrives in chunks to the hashes of its tokens, as token_hashes.hpp does it for whole texts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../error.hpp"
#include "../../text/ngrams.hpp"
#include "../../text/normalise.hpp"
#include "../../text/tokenizer.hpp"
#include "../../text/unicode.hpp"
#include "../../text/utf8.hpp"
#include "code_point_hashes.hpp"
#include "hash_block.hpp"
#include "../hashers.hpp"
#include "token_hashes.hpp"
#include "word_hashes.hpp"
#include "../xxh3.hpp"

namespace neardup::inline v0::detail {

/// Collects chunks until there is enough for the kernels, and cuts larger ones, so that little memory is needed.
class chunk_buffer {
 public:
  /// Calls `work()` whenever `text` has grown enough.
  template <class Work>
  void feed(std::string_view chunk, const Work& work) {
    while (!chunk.empty()) {
      const std::string_view part = chunk.substr(0, largest);
      chunk.remove_prefix(part.size());
      text.append(part);
      unworked_ += part.size();
      if (unworked_ < enough) continue;
      unworked_ = 0;
      work();
    }
  }

  void reset() noexcept {
    text.clear();
    unworked_ = 0;
  }

  std::string text;

 private:
  static constexpr std::size_t enough = 4096;
  static constexpr std::size_t largest = 65536;

  std::size_t unworked_ = 0;  // bytes that came since the last work
};

/// Hashes the tokens of a text in chunks, as hash_piece does those of a whole one.
/// This one takes any tokenizer that has a token_stream, and goes token by token.
template <class Tokenizer, class Hasher>
class token_hash_stream {
 public:
  static constexpr std::size_t words = hasher_words<Hasher>;

  explicit token_hash_stream(const Tokenizer& tokenizer) : tokens_(tokenizer) {}

  void feed(const Hasher& hash, std::string_view chunk, hash_scratch<words>& scratch,
            const block_consumer<words>& consume) {
    auto add = [&](std::string_view token) { append(hash, token, scratch.block, consume); };
    tokens_.feed(chunk, add);
  }

  void finish(const Hasher& hash, hash_scratch<words>& scratch, const block_consumer<words>& consume) {
    auto add = [&](std::string_view token) { append(hash, token, scratch.block, consume); };
    tokens_.finish(add);
  }

  void reset() noexcept { tokens_.reset(); }

 private:
  static void append(const Hasher& hash, std::string_view token, hash_block<words>& block,
                     const block_consumer<words>& consume) {
    const auto value = to_hash_words(hash(token));
    if (block.room() == 0) consume(block);
    for (std::size_t j = 0; j < words; ++j) block.columns[j][block.count] = value[j];
    ++block.count;
  }

  token_stream<Tokenizer> tokens_;
};

/// N-grams of bytes: the last n - 1 bytes begin the next piece.
template <std::size_t Bits>
class token_hash_stream<byte_ngrams, xxh3<Bits>> {
 public:
  static constexpr std::size_t words = xxh3<Bits>::words;

  explicit token_hash_stream(const byte_ngrams& tokenizer) : n_(tokenizer.n) { check_window_size(n_); }

  void feed(const xxh3<Bits>& hash, std::string_view chunk, hash_scratch<words>& scratch,
            const block_consumer<words>& consume) {
    buffer_.feed(chunk, [&] { work(hash, scratch, consume); });
  }

  void finish(const xxh3<Bits>& hash, hash_scratch<words>& scratch, const block_consumer<words>& consume) {
    if (buffer_.text.size() >= n_ || !emitted_) hash_piece(byte_ngrams{n_}, hash, buffer_.text, scratch, consume);
    reset();
  }

  void reset() noexcept {
    buffer_.reset();
    emitted_ = false;
  }

 private:
  void work(const xxh3<Bits>& hash, hash_scratch<words>& scratch, const block_consumer<words>& consume) {
    std::string& text = buffer_.text;
    if (text.size() < n_) return;
    emitted_ = true;
    hash_piece(byte_ngrams{n_}, hash, text, scratch, consume);
    text.erase(0, text.size() - (n_ - 1));
  }

  std::size_t n_;
  chunk_buffer buffer_;
  bool emitted_ = false;
};

/// N-grams of code points: the last n - 1 of them, and the sequence that a chunk cut, begin the next piece.
template <std::size_t Bits>
class token_hash_stream<code_point_ngrams, xxh3<Bits>> {
 public:
  static constexpr std::size_t words = xxh3<Bits>::words;

  explicit token_hash_stream(const code_point_ngrams& tokenizer) : n_(tokenizer.n) { check_window_size(n_); }

  void feed(const xxh3<Bits>& hash, std::string_view chunk, hash_scratch<words>& scratch,
            const block_consumer<words>& consume) {
    buffer_.feed(chunk, [&] { work(hash, incomplete_suffix(buffer_.text), scratch, consume); });
  }

  void finish(const xxh3<Bits>& hash, hash_scratch<words>& scratch, const block_consumer<words>& consume) {
    work(hash, 0, scratch, consume);
    if (!emitted_) hash_piece(code_point_ngrams{n_}, hash, buffer_.text, scratch, consume);
    reset();
  }

  void reset() noexcept {
    buffer_.reset();
    emitted_ = false;
  }

 private:
  /// Hashes what is there, its last `unfinished` bytes aside, if it has n code points.
  void work(const xxh3<Bits>& hash, std::size_t unfinished, hash_scratch<words>& scratch,
            const block_consumer<words>& consume) {
    std::string& text = buffer_.text;
    const std::size_t end = text.size() - unfinished;
    if (!is_well_formed(std::string_view(text).substr(0, end), active_instruction_set())) {
      std::string& repaired = scratch.rewritten_from(text);
      append_repaired(std::string_view(text).substr(0, end), repaired);
      text.replace(0, end, repaired);
    }
    const std::size_t whole = text.size() - unfinished;
    std::size_t kept = whole;  // where the last n - 1 code points begin
    for (std::size_t i = 1; i < n_; ++i) {
      if (kept == 0) return;
      do --kept;
      while (is_continuation(text, kept));
    }
    if (kept == 0) return;
    emitted_ = true;
    hash_piece(code_point_ngrams{n_}, hash, std::string_view(text).substr(0, whole), scratch, consume);
    text.erase(0, kept);
  }

  std::size_t n_;
  chunk_buffer buffer_;
  bool emitted_ = false;
};

/// Words, folded or not, and their shingles: pieces end where a word does, and joined words keep what shingles need.
/// Throws: std::length_error at a word of 2 GiB.
template <class Tokenizer, std::size_t Bits>
  requires is_word_tokenizer<Tokenizer>
class token_hash_stream<Tokenizer, xxh3<Bits>> {
 public:
  static constexpr std::size_t words = xxh3<Bits>::words;

  explicit token_hash_stream(const Tokenizer& tokenizer) : recipe_(recipe_of(tokenizer)) {}

  void feed(const xxh3<Bits>& hash, std::string_view chunk, hash_scratch<words>& scratch,
            const block_consumer<words>& consume) {
    buffer_.feed(chunk, [&] { work(hash, last_edge(), scratch, consume); });
  }

  void finish(const xxh3<Bits>& hash, hash_scratch<words>& scratch, const block_consumer<words>& consume) {
    work(hash, buffer_.text.size(), scratch, consume);
    if (begun_) hash_last_shingle(hash.seed, scratch.words, scratch.block, consume);
    reset();
  }

  void reset() noexcept {
    buffer_.reset();
    searched_ = 0;
    begun_ = false;
  }

 private:
  /// The last place of the text where a character begins that ends all words before it; 0 if there is none.
  std::size_t last_edge() {
    const std::string_view text = buffer_.text;
    const std::size_t complete = text.size() - incomplete_suffix(text);
    // A byte that continues nothing always begins a character, whatever stands before it.
    for (std::size_t i = complete; i > searched_;) {
      const std::size_t end = i;
      do --i;
      while (i > searched_ && is_continuation(text, i));
      const decoded character = decode_one(text.substr(i));
      // More bytes that continue something than this character has: the first of them is ill-formed.
      if (i + character.length < end) return i + character.length;
      const character_class kind = classify(character.code_point);
      if (i > 0 && kind != character_class::letter && kind != character_class::mark) return i;
    }
    searched_ = complete;
    if (text.size() >= std::size_t{1} << 31) fail<std::length_error>("a word of 2 GiB and more in a stream");
    return 0;
  }

  void work(const xxh3<Bits>& hash, std::size_t end, hash_scratch<words>& scratch,
            const block_consumer<words>& consume) {
    if (end == 0) return;
    const std::string_view piece = std::string_view(buffer_.text).substr(0, end);
    if (recipe_.n == 1 && !recipe_.fold) {
      hash_single_words(piece, hash.seed, scratch.words, scratch.block, consume);
    } else {
      if (!begun_) scratch.words.joined.start(recipe_.n, recipe_.fold);
      begun_ = true;
      hash_more_shingles(piece, hash.seed, scratch.words, scratch.block, consume);
    }
    buffer_.text.erase(0, end);
    searched_ = 0;
  }

  word_recipe recipe_;
  chunk_buffer buffer_;
  std::size_t searched_ = 0;  // bytes of the text that are known to hold no edge
  bool begun_ = false;        // joined words are this text's
};

/// Text that is rewritten first, and then goes the way of the inner tokenizer.
template <class Rewriter, class Inner, class Hasher>
class rewritten_hash_stream {
 public:
  static constexpr std::size_t words = hasher_words<Hasher>;

  explicit rewritten_hash_stream(const Inner& tokenizer) : inner_(tokenizer) {}

  void feed(const Hasher& hash, std::string_view chunk, hash_scratch<words>& scratch,
            const block_consumer<words>& consume) {
    // A large chunk in parts, so that little memory is needed.
    for (constexpr std::size_t largest = 65536; !chunk.empty();
         chunk.remove_prefix((std::min)(largest, chunk.size()))) {
      text_.clear();
      rewriter_.append(chunk.substr(0, largest), text_);
      inner_.feed(hash, text_, scratch, consume);
    }
  }

  void finish(const Hasher& hash, hash_scratch<words>& scratch, const block_consumer<words>& consume) {
    text_.clear();
    rewriter_.finish(text_);
    inner_.feed(hash, text_, scratch, consume);
    inner_.finish(hash, scratch, consume);
  }

  void reset() noexcept {
    rewriter_.reset();
    inner_.reset();
  }

 private:
  Rewriter rewriter_;
  std::string text_;
  token_hash_stream<Inner, Hasher> inner_;
};

template <class Inner, std::size_t Bits>
  requires(!is_word_tokenizer<folded<Inner>>)
class token_hash_stream<folded<Inner>, xxh3<Bits>> : public rewritten_hash_stream<ascii_folder, Inner, xxh3<Bits>> {
 public:
  explicit token_hash_stream(const folded<Inner>& tokenizer)
      : rewritten_hash_stream<ascii_folder, Inner, xxh3<Bits>>(tokenizer.inner) {}
};

template <class Inner, std::size_t Bits>
class token_hash_stream<normalised<Inner>, xxh3<Bits>>
    : public rewritten_hash_stream<text_normaliser, Inner, xxh3<Bits>> {
 public:
  explicit token_hash_stream(const normalised<Inner>& tokenizer)
      : rewritten_hash_stream<text_normaliser, Inner, xxh3<Bits>>(tokenizer.inner) {}
};

}  // namespace neardup::inline v0::detail
