// The fingerprint of a text that arrives in chunks.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "../text/tokenizer.hpp"
#include "accumulator.hpp"
#include "simhasher.hpp"

namespace neardup::inline v0 {

/// Computes the fingerprint of a text fed in chunks, exactly that of the whole text, wherever it was cut.
///
/// It keeps the cut token, the last shingle and, unless the weighter is linear, the distinct tokens seen: never the
/// text. If feed or finish throws, the text is forgotten, and the stream is ready for the next one.
template <class Simhasher>
class text_stream {
  using tokenizer_type = decltype(Simhasher::tokenizer);
  using weighter_type = decltype(Simhasher::weighter);
  static_assert(streaming_tokenizer<tokenizer_type>,
                "neardup: this tokenizer takes whole texts; specialise neardup::token_stream for it");

 public:
  explicit text_stream(Simhasher hash) : hash_(std::move(hash)), tokens_(hash_.tokenizer) {}

  /// Adds the next chunk of the text.
  void feed(std::string_view chunk) {
    reset_unless_done guard{this};
    auto add = [this](std::string_view token) { count(token); };
    tokens_.feed(chunk, add);
    guard.stream = nullptr;
  }

  /// Ends the text; the stream is ready for the next one.
  /// Returns: its fingerprint; nothing if it has no tokens, or if all of them weigh 0.
  [[nodiscard]] std::optional<typename Simhasher::fingerprint_type> finish() {
    const reset_unless_done guard{this};
    auto add = [this](std::string_view token) { count(token); };
    tokens_.finish(add);
    if constexpr (linear_weighter<weighter_type>) {
      return sums_.result();
    } else {
      return hash_(bag_, scratch_);
    }
  }

  /// Forgets the text so far.
  void reset() noexcept {
    tokens_.reset();
    bag_.clear();
    sums_.clear();
  }

 private:
  struct reset_unless_done {
    text_stream* stream;
    ~reset_unless_done() {
      if (stream != nullptr) stream->reset();
    }
  };

  void count(std::string_view token) {
    if constexpr (linear_weighter<weighter_type>) {
      sums_.add(Simhasher::narrow(hash_.hash(token)), detail::occurrence_weight(hash_.weighter, token));
    } else {
      bag_.add(hash_.hash(token), token);
    }
  }

  Simhasher hash_;
  token_stream<tokenizer_type> tokens_;
  typename Simhasher::bag_type bag_;
  typename Simhasher::workspace scratch_;
  accumulator<Simhasher::bits> sums_;
};

}  // namespace neardup::inline v0
