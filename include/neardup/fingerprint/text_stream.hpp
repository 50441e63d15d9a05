// SPDX-License-Identifier: MIT
// Computes the fingerprint of a text that arrives in chunks, and the fingerprints of many texts on several threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "../runner.hpp"
#include "../simhash.hpp"
#include "../text/tokenizer.hpp"
#include "kernels/checked_parts.hpp"
#include "kernels/votes.hpp"
#include "simhasher.hpp"

namespace neardup::inline v0 {

/// Computes the fingerprint of a text that arrives in chunks. The result is the fingerprint of the whole text, wherever
/// the chunks end. `Simhasher` is a simhasher or a minwise_hasher.
///
/// With chunks of at least 4 KiB, a text_stream is nearly as fast as hashing the whole text. If feed() or finish()
/// throws, the text is discarded, and the text_stream is ready for the next text.
/// Memory: 13 to 40 kB with 64 bits, and at most twice the longest piece that the tokenizer does not cut, such as a
/// word. With the weighter tf, each further 64 bits take 6 kB. Also the distinct tokens of the text, except for a
/// minwise_hasher or the weighter tf. During a call, 9 kB of the stack for each 64 bits, or the heap above 64 KiB.
/// Throws: feed() throws std::length_error if a word has nearly 2 GiB or more.
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
  static constexpr bool takes_chunks = detail::streaming_tokenizer<tokenizer_type>;
  static_assert(takes_chunks,
                "neardup: this tokenizer takes whole texts; give it a member `std::size_t cut(std::string_view text) "
                "const` that says where a text may be cut");

 public:
  /// Makes a text_stream that hashes with `hash`.
  /// Throws: the exceptions of the tokenizer if its settings are wrong, for example n-grams with n = 0.
  explicit text_stream(Simhasher hash) : hash_(std::move(hash)) {
    if constexpr (takes_chunks) reader_.start(hash_.tokenizer);
  }

  text_stream(const text_stream&) = default;
  /// Moves a text_stream. Afterwards `other` has no text, and is ready for the next text.
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): copies the simhasher, which may throw.
  text_stream(text_stream&& other)
      : hash_(other.hash_), reader_(std::move(other.reader_)), votes_(std::move(other.votes_)) {
    other.reset();
  }
  text_stream& operator=(text_stream other) {
    hash_ = std::move(other.hash_);
    reader_ = std::move(other.reader_);
    votes_ = std::move(other.votes_);
    return *this;
  }
  ~text_stream() = default;

  /// Adds the next chunk of the text.
  void feed(std::string_view chunk) {
    reset_unless_done guard{this};
    receive([&](auto& sink) { reader_.feed(hash_.tokenizer, chunk, sink); });
    guard.stream = nullptr;
  }

  /// Ends the text. The text_stream is then ready for the next text.
  /// Returns: the fingerprint, or nullopt if the text has no tokens or all its tokens have weight 0.
  [[nodiscard]] std::optional<typename Simhasher::fingerprint_type> finish() {
    const reset_unless_done guard{this};
    receive([&](auto& sink) { reader_.finish(hash_.tokenizer, sink); });
    return votes_.result(hash_.weighter, hash_.hasher);
  }

  /// Discards the text that was added so far.
  void reset() noexcept {
    reader_.reset();
    votes_.clear();
  }

 private:
  template <class Feed>
  void receive(const Feed& feed) {
    // Without this condition, a tokenizer without chunks would cause more errors than the static_assert above.
    if constexpr (takes_chunks) {
      detail::with_scratch<detail::hash_block<Simhasher::hash_words>>([&](auto& block) {
        votes_.receive(hash_.weighter, hash_.hasher, block, feed);
        votes_.add(block);
      });
    }
  }

  struct reset_unless_done {
    text_stream* stream;
    ~reset_unless_done() {
      if (stream != nullptr) stream->reset();
    }
  };

  Simhasher hash_;
  detail::text_reader<tokenizer_type, collector::takes_blocks> reader_;
  collector votes_;
};

/// Computes the fingerprints of many texts: result[i] is hash(texts[i]).
///
/// `texts` has size(), and texts[i] converts to std::string_view, as in a vector, a deque or a span. The runner `run`
/// spreads the work over threads: neardup::threads, or a runner of your own. The default is the calling thread only.
/// The result is the same for every runner. Each thread has one workspace, and takes a few texts at a time. So all
/// threads end at about the same time, whatever the lengths of the texts.
/// Throws: the exceptions of `hash`. If several calls of `hash` throw, the exception for the first of their texts is
/// thrown.
/// Example: `auto fingerprints = fingerprint_all(hash, texts, threads{8});`
template <class Simhasher, class Texts>
[[nodiscard]] std::vector<std::optional<typename Simhasher::fingerprint_type>> fingerprint_all(
    const Simhasher& hash, const Texts& texts, const any_runner& run = {}) {
  static_assert(std::convertible_to<decltype(texts[std::size_t{0}]), std::string_view>,
                "neardup: texts[i] must convert to std::string_view");
  const std::size_t count = texts.size();
  const std::size_t wanted = run.parts();
  // A thread takes up to 16 texts at a time, and fewer if there are few texts.
  const std::size_t step = (std::min)(std::size_t{16}, count / wanted / 4 + 1);
  const std::size_t parts = (std::min)(wanted, (count + step - 1) / step);
  std::vector<std::optional<typename Simhasher::fingerprint_type>> result(count);
  std::vector<typename Simhasher::workspace> scratch(parts);
  detail::in_steps(run, parts, count, step, [&](std::size_t part, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) result[i] = hash(std::string_view(texts[i]), scratch[part]);
    return true;
  });
  return result;
}

}  // namespace neardup::inline v0
