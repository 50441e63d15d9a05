// The hashes of the words of a text, or of their shingles, many at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "../detail/instruction_set.hpp"
#include "../text/shingles.hpp"
#include "../text/word_spans.hpp"
#include "hash_block.hpp"
#include "xxh3.hpp"
#include "xxh3_spans.hpp"

namespace neardup::inline v0::detail {

/// Lower-cases the ASCII letters among eight bytes.
inline std::uint64_t fold_bytes(std::uint64_t x) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  const std::uint64_t low = x & ones * 0x7f;
  // The top bit of a byte: at least 'A', and not beyond 'Z'.
  const std::uint64_t upper = (low + ones * (0x80 - 'A')) & ~(low + ones * (0x80 - 'Z' - 1)) & ~x & ones * 0x80;
  return x | upper >> 2;
}

/// The words of a text written one after the other, shingle_separator between, so that every n of them are one piece.
class joined_words {
 public:
  /// Begins a text: shingles of n words, n >= 1.
  void start(std::size_t n, bool fold) noexcept {
    n_ = n;
    fold_ = fold;
    emitted_ = false;
    next_ = 0;
    begins_.clear();
    ends_.clear();
    size_ = 0;
  }

  /// Appends words. Gives the new shingles, at most as many, as places in data().
  void append(std::string_view text, const token_spans& words, token_spans& shingles) {
    if (next_ > token_spans::capacity && 2 * next_ > begins_.size()) drop_used();
    write(text, words);
    shingles.count = 0;
    for (; next_ + n_ <= begins_.size(); ++next_) {
      shingles.begin[shingles.count] = begins_[next_];
      shingles.end[shingles.count++] = ends_[next_ + n_ - 1];
    }
  }

  /// At the end of a text of fewer than n words: all of them as one shingle, if there is one.
  void finish(token_spans& shingles) noexcept {
    shingles.count = 0;
    if (emitted_ || next_ > 0 || begins_.empty()) return;
    shingles.begin[0] = begins_.front();
    shingles.end[0] = ends_.back();
    shingles.count = 1;
  }

  /// The joined words; 64 bytes more may be read.
  [[nodiscard]] const char* data() const noexcept { return joined_.data(); }

 private:
  static constexpr std::size_t slack = 64;

  void write(std::string_view text, const token_spans& words) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < words.count; ++i) bytes += words.end[i] - words.begin[i] + 1;
    if (joined_.size() < size_ + bytes + slack) joined_.resize(2 * (size_ + bytes) + slack);
    const std::size_t old_count = begins_.size();
    begins_.resize(old_count + words.count);
    ends_.resize(old_count + words.count);
    char* out = joined_.data() + size_;
    for (std::size_t i = 0; i < words.count; ++i) {
      const std::size_t length = words.end[i] - words.begin[i];
      const char* const word = text.data() + words.begin[i];
      // Copying 16 bytes whatever the length is one move; what is too much will be overwritten.
      std::memcpy(out, word, length <= 16 && words.begin[i] + 16 <= text.size() ? 16 : length);
      begins_[old_count + i] = static_cast<std::uint32_t>(out - joined_.data());
      out += length;
      ends_[old_count + i] = static_cast<std::uint32_t>(out - joined_.data());
      *out++ = shingle_separator;
    }
    if (fold_) {
      for (std::size_t i = size_; i < size_ + bytes; i += sizeof(std::uint64_t)) {
        std::uint64_t x;
        std::memcpy(&x, joined_.data() + i, sizeof x);
        x = fold_bytes(x);
        std::memcpy(joined_.data() + i, &x, sizeof x);
      }
    }
    size_ += bytes;
  }

  /// Drops the words that no later shingle has.
  void drop_used() {
    const std::size_t dropped = next_ < begins_.size() ? begins_[next_] : size_;
    std::copy(joined_.begin() + static_cast<std::ptrdiff_t>(dropped),
              joined_.begin() + static_cast<std::ptrdiff_t>(size_), joined_.begin());
    size_ -= dropped;
    const auto used = static_cast<std::ptrdiff_t>(next_);
    begins_.erase(begins_.begin(), begins_.begin() + used);
    ends_.erase(ends_.begin(), ends_.begin() + used);
    for (std::uint32_t& begin : begins_) begin -= static_cast<std::uint32_t>(dropped);
    for (std::uint32_t& end : ends_) end -= static_cast<std::uint32_t>(dropped);
    next_ = 0;
    emitted_ = true;
  }

  std::vector<char> joined_;
  std::vector<std::uint32_t> begins_;  // of the words in joined_
  std::vector<std::uint32_t> ends_;
  std::size_t size_ = 0;  // of joined_ in use
  std::size_t n_ = 1;     // words a shingle
  std::size_t next_ = 0;  // the first word of the next shingle
  bool fold_ = false;
  bool emitted_ = false;
};

/// Memory for the hashing of words.
struct word_scratch {
  token_spans words;
  token_spans shingles;
  joined_words joined;
};

/// Hashes the tokens of spans, in an order of its own. Precondition: 8 bytes may be read at each beginning.
inline void hash_spans(const char* text, const token_spans& spans, std::uint64_t seed, std::uint64_t* hashes,
                       instruction_set level) noexcept {
#if NEARDUP_X86_KERNELS
  if (level == instruction_set::avx512) return hash_spans_avx512(text, spans, seed, hashes);
#endif
  static_cast<void>(level);
  hash_spans_portable(text, spans, seed, hashes);
}

template <std::size_t Words, class Consume>
void add_span_hashes(const char* text, const token_spans& spans, std::uint64_t seed, hash_block<Words>& block,
                     instruction_set level, const Consume& consume) {
  if (block.room() < spans.count) consume(block);
  for (std::size_t j = 0; j < Words; ++j) {
    hash_spans(text, spans, seed + j * xxh3<>::seed_step, block.columns[j] + block.count, level);
  }
  block.count += spans.count;
}

/// Calls `consume(block)`, which empties it, whenever the hashes of the shingles of n words of a text fill a block; the
/// last ones stay there. Precondition: the text is smaller than 2 GiB.
template <std::size_t Words, class Consume>
void hash_words(std::string_view text, std::size_t n, bool fold, std::uint64_t seed, word_scratch& scratch,
                hash_block<Words>& block, const Consume& consume) {
  const instruction_set level = active_instruction_set();
  word_span_finder finder(text, level);
  token_spans& words = scratch.words;
  if (n == 1 && !fold) {
    while (finder.next(words)) {
      // Words at the very end cannot be loaded whole.
      while (words.count > 0 && words.begin[words.count - 1] + sizeof(std::uint64_t) > text.size()) {
        --words.count;
        if (block.room() == 0) consume(block);
        const char* const word = text.data() + words.begin[words.count];
        const std::size_t length = words.end[words.count] - words.begin[words.count];
        for (std::size_t j = 0; j < Words; ++j) {
          block.columns[j][block.count] = XXH3_64bits_withSeed(word, length, seed + j * xxh3<>::seed_step);
        }
        ++block.count;
      }
      add_span_hashes(text.data(), words, seed, block, level, consume);
    }
    return;
  }
  scratch.joined.start(n, fold);
  while (finder.next(words)) {
    scratch.joined.append(text, words, scratch.shingles);
    add_span_hashes(scratch.joined.data(), scratch.shingles, seed, block, level, consume);
  }
  scratch.joined.finish(scratch.shingles);
  add_span_hashes(scratch.joined.data(), scratch.shingles, seed, block, level, consume);
}

}  // namespace neardup::inline v0::detail
