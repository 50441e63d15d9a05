// The fingerprint of a text that arrives in chunks.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "../text/tokenizer.hpp"
#include "hash_block.hpp"
#include "simhasher.hpp"
#include "votes.hpp"

namespace neardup::inline v0 {

/// Computes the fingerprint of a text fed in chunks, exactly that of the whole text, wherever it was cut.
///
/// It keeps the cut token, the last shingle and, unless the weighter is linear, the distinct tokens seen: never the
/// text. If feed or finish throws, the text is forgotten, and the stream is ready for the next one.
template <class Simhasher>
class text_stream {
  using tokenizer_type = decltype(Simhasher::tokenizer);
  using collector = detail::vote_collector<decltype(Simhasher::weighter), Simhasher::hash_words, Simhasher::bits>;
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
    if constexpr (collector::takes_blocks) flush();
    return votes_.result(hash_.weighter);
  }

  /// Forgets the text so far.
  void reset() noexcept {
    tokens_.reset();
    block_.count = 0;
    votes_.clear();
  }

 private:
  struct reset_unless_done {
    text_stream* stream;
    ~reset_unless_done() {
      if (stream != nullptr) stream->reset();
    }
  };

  void count(std::string_view token) {
    const auto hash = hash_.hash(token);
    if constexpr (collector::takes_blocks) {
      if (block_.room() == 0) flush();
      for (std::size_t j = 0; j < Simhasher::hash_words; ++j) block_.columns[j][block_.count] = hash[j];
      ++block_.count;
    } else {
      votes_.add(hash_.weighter, hash, token);
    }
  }

  void flush() {
    votes_.add(block_);
    block_.count = 0;
  }

  Simhasher hash_;
  token_stream<tokenizer_type> tokens_;
  detail::hash_block<Simhasher::hash_words> block_;
  collector votes_;
};

}  // namespace neardup::inline v0
