// The fingerprint of a text that arrives in chunks.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../text/tokenizer.hpp"
#include "kernels/hash_block.hpp"
#include "simhasher.hpp"
#include "kernels/token_hash_stream.hpp"
#include "kernels/token_hashes.hpp"
#include "kernels/votes.hpp"

namespace neardup::inline v0 {

/// Computes the fingerprint of a text fed in chunks, exactly that of the whole text, wherever it was cut.
///
/// It keeps the last piece of the text, of 4 KiB or one word more than that, and, unless each occurrence weighs the
/// same, the distinct tokens seen; by chunks of 4 KiB and more it is nearly as fast as for whole texts. If feed or
/// finish throws, the text is forgotten, and the stream is ready for the next one.
/// Throws: std::length_error in feed at a word of 2 GiB.
template <class Simhasher>
class text_stream {
  using tokenizer_type = decltype(Simhasher::tokenizer);
  using hasher_type = decltype(Simhasher::hasher);
  using collector = detail::vote_collector<decltype(Simhasher::weighter), hasher_type, Simhasher::bits>;
  static_assert(streaming_tokenizer<tokenizer_type>,
                "neardup: this tokenizer takes whole texts; specialise neardup::token_stream for it");

 public:
  explicit text_stream(Simhasher hash) : hash_(std::move(hash)), tokens_(hash_.tokenizer) {}

  text_stream(const text_stream&) = default;
  text_stream& operator=(const text_stream&) = default;
  /// Leaves `other` without a text, ready for the next one.
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): copies the simhasher, which may throw.
  text_stream(text_stream&& other)
      : hash_(other.hash_),
        tokens_(std::move(other.tokens_)),
        scratch_(std::move(other.scratch_)),
        votes_(std::move(other.votes_)) {
    other.reset();
  }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): the same.
  text_stream& operator=(text_stream&& other) {
    if (this == &other) return *this;
    hash_ = other.hash_;
    tokens_ = std::move(other.tokens_);
    scratch_ = std::move(other.scratch_);
    votes_ = std::move(other.votes_);
    other.reset();
    return *this;
  }
  ~text_stream() = default;

  /// Adds the next chunk of the text.
  void feed(std::string_view chunk) {
    reset_unless_done guard{this};
    if constexpr (collector::takes_blocks) {
      tokens_.feed(hash_.hasher, chunk, scratch_, flusher());
    } else {
      auto add = [this](std::string_view token) { votes_.add(hash_.weighter, hash_.hash(token), token); };
      tokens_.feed(chunk, add);
    }
    guard.stream = nullptr;
  }

  /// Ends the text; the stream is ready for the next one.
  /// Returns: its fingerprint; nothing if it has no tokens, or if all of them weigh 0.
  [[nodiscard]] std::optional<typename Simhasher::fingerprint_type> finish() {
    const reset_unless_done guard{this};
    if constexpr (collector::takes_blocks) {
      tokens_.finish(hash_.hasher, scratch_, flusher());
      flusher()(scratch_.block);
    } else {
      auto add = [this](std::string_view token) { votes_.add(hash_.weighter, hash_.hash(token), token); };
      tokens_.finish(add);
    }
    return votes_.result(hash_.weighter, hash_.hasher);
  }

  /// Forgets the text so far.
  void reset() noexcept {
    tokens_.reset();
    scratch_.block.count = 0;
    votes_.clear();
  }

 private:
  struct reset_unless_done {
    text_stream* stream;
    ~reset_unless_done() {
      if (stream != nullptr) stream->reset();
    }
  };

  auto flusher() noexcept {
    return [this](detail::hash_block<Simhasher::hash_words>& full) {
      if constexpr (collector::takes_blocks) votes_.add(full);
      full.count = 0;
    };
  }

  Simhasher hash_;
  // Weighters that read tokens get them one by one.
  std::conditional_t<collector::takes_blocks, detail::token_hash_stream<tokenizer_type, hasher_type>,
                     token_stream<tokenizer_type>>
      tokens_;
  detail::hash_scratch<Simhasher::hash_words> scratch_;
  collector votes_;
};

}  // namespace neardup::inline v0
