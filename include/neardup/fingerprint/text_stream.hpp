// The fingerprint of a text that arrives in chunks.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../simhash.hpp"
#include "../text/tokenizer.hpp"
#include "kernels/checked_parts.hpp"
#include "kernels/votes.hpp"
#include "simhasher.hpp"

namespace neardup::inline v0 {

/// Computes the fingerprint of a text fed in chunks, exactly that of the whole text, wherever it was cut.
/// `Simhasher` is a simhasher or a minwise_hasher.
///
/// It keeps the last piece of the text, of 4 KiB or one word more than that, and, unless each occurrence weighs the
/// same, the distinct tokens seen; by chunks of 4 KiB and more it is nearly as fast as for whole texts. If feed or
/// finish throws, the text is forgotten, and the stream is ready for the next one.
/// Throws: std::length_error in feed at a word of 2 GiB.
template <class Simhasher>
class text_stream {
  static_assert(detail::is_text_hasher<Simhasher>,
                "neardup: text_stream takes a simhasher or a minwise_hasher itself; what is derived from one may make "
                "other fingerprints, which a stream could not know");
  using tokenizer_type = typename Simhasher::tokenizer_type;
  using weighter_type = typename Simhasher::weighter_type;
  using hasher_type = typename Simhasher::hasher_type;
  static constexpr detail::vote_kind kind = Simhasher::fingerprint_type::kind == fingerprint_kind::minwise
                                                ? detail::vote_kind::minima
                                                : detail::vote_kind_of<weighter_type, hasher_type>();
  using collector = detail::vote_collector<weighter_type, hasher_type, Simhasher::bits, kind>;
  static_assert(streaming_tokenizer<tokenizer_type>,
                "neardup: this tokenizer takes whole texts; specialise neardup::token_stream for it");

 public:
  explicit text_stream(Simhasher hash) : hash_(std::move(hash)), tokens_(hash_.tokenizer) {}

  text_stream(const text_stream&) = default;
  /// Leaves `other` without a text, ready for the next one.
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): copies the simhasher, which may throw.
  text_stream(text_stream&& other)
      : hash_(other.hash_), tokens_(std::move(other.tokens_)), block_(other.block_), votes_(std::move(other.votes_)) {
    other.reset();
  }
  text_stream& operator=(text_stream other) {
    hash_ = std::move(other.hash_);
    tokens_ = std::move(other.tokens_);
    block_ = other.block_;
    votes_ = std::move(other.votes_);
    return *this;
  }
  ~text_stream() = default;

  /// Adds the next chunk of the text.
  void feed(std::string_view chunk) {
    reset_unless_done guard{this};
    receive([&](auto&... sink) { tokens_.feed(chunk, sink...); });
    guard.stream = nullptr;
  }

  /// Ends the text; the stream is ready for the next one.
  /// Returns: its fingerprint; nothing if it has no tokens, or if all of them weigh 0.
  [[nodiscard]] std::optional<typename Simhasher::fingerprint_type> finish() {
    const reset_unless_done guard{this};
    receive([&](auto&... sink) { tokens_.finish(sink...); });
    votes_.add(block_);
    return votes_.result(hash_.weighter, hash_.hasher);
  }

  /// Forgets the text so far.
  void reset() noexcept {
    tokens_.reset();
    block_.count = 0;
    votes_.clear();
  }

 private:
  template <class Feed>
  void receive(const Feed& feed) {
    votes_.receive(hash_.weighter, hash_.hasher, block_, feed);
  }

  struct reset_unless_done {
    text_stream* stream;
    ~reset_unless_done() {
      if (stream != nullptr) stream->reset();
    }
  };

  // If the tokenizer takes whole texts only, the static_assert above is to be the only error.
  using streamed =
      std::conditional_t<streaming_tokenizer<tokenizer_type>, tokenizer_type, detail::any_part<Simhasher::bits>>;

  Simhasher hash_;
  typename collector::template stream<streamed> tokens_;
  detail::hash_block<Simhasher::hash_words> block_;
  collector votes_;
};

}  // namespace neardup::inline v0
