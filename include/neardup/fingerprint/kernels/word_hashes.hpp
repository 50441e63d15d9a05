// The hashes of the words of a text, or of their shingles, many at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "../../text/normalise.hpp"
#include "../../text/kernels/normalise_blocks.hpp"
#include "../../text/kernels/normalised_words.hpp"
#include "../../text/shingles.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "hash_block.hpp"
#include "../xxh3.hpp"
#include "xxh3_spans.hpp"

namespace neardup::inline v0::detail {

/// The words of a text written one after the other, shingle_separator between, so that every n of them are one piece.
class joined_words {
 public:
  static constexpr std::size_t kept_size = std::size_t{1} << 16;  // joined bytes that are not worth dropping

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
    const std::size_t used = next_ < begins_.size() ? begins_[next_] : size_;
    if (used > kept_size && 2 * used > size_) drop_used();
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
    if (bytes > 0xffffffffU - slack - size_) fail<std::length_error>("words of 4 GiB in the shingles of a stream");
    if (joined_.size() < size_ + bytes + slack) joined_.resize(2 * (size_ + bytes) + slack);
    const std::size_t old_count = begins_.size();
    begins_.resize(old_count + words.count);
    ends_.resize(old_count + words.count);
    char* out = joined_.data() + size_;
    // Copying 16 bytes whatever the length is one move; what is too much will be overwritten.
    constexpr std::size_t step = 16;
    const std::size_t last_step = text.size() < step ? 0 : text.size() - step;
    for (std::size_t i = 0; i < words.count; ++i) {
      const std::size_t length = words.end[i] - words.begin[i];
      const char* const word = text.data() + words.begin[i];
      if (length <= step && words.begin[i] < last_step) {
        copy_step(word, out);
      } else {
        copy_word(word, length, out);
      }
      begins_[old_count + i] = static_cast<std::uint32_t>(out - joined_.data());
      out += length;
      ends_[old_count + i] = static_cast<std::uint32_t>(out - joined_.data());
      *out++ = shingle_separator;
    }
    size_ += bytes;
  }

  void copy_step(const char* word, char* out) const noexcept {
    std::uint64_t x[2];
    std::memcpy(x, word, sizeof x);
    if (fold_) {
      x[0] = fold_bytes(x[0]);
      x[1] = fold_bytes(x[1]);
    }
    std::memcpy(out, x, sizeof x);
  }

  void copy_word(const char* word, std::size_t length, char* out) const noexcept {
    std::memcpy(out, word, length);
    if (!fold_) return;
    for (std::size_t i = 0; i < length; ++i) out[i] = ascii_folder::fold(out[i]);
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

/// Memory for the words of a normalised text.
struct normalised_scratch {
  std::vector<char> joined;
  std::vector<std::uint32_t> begins;  // of the words in it
  std::vector<std::uint32_t> ends;
};

/// Memory for the hashing of words.
struct word_scratch {
  token_spans words;
  token_spans shingles;
  joined_words joined;
  normalised_scratch normalised;
};

/// Calls `consume(block)`, which empties it, whenever the hashes of the words of a text fill a block; the last ones
/// stay there. Precondition: the text is smaller than 2 GiB.
template <std::size_t Words>
void hash_single_words(std::string_view text, std::uint64_t seed, word_scratch& scratch, hash_block<Words>& block,
                       const block_consumer<Words>& consume) {
  const instruction_set level = active_instruction_set();
  word_span_finder finder(text, level);
  token_spans& words = scratch.words;
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
    add_span_hashes(text.data(), words.places(), seed, block, level, consume);
  }
}

/// The same for the shingles that the words of a text complete, after those that `scratch.joined` has of the text
/// before.
template <std::size_t Words>
void hash_more_shingles(std::string_view text, std::uint64_t seed, word_scratch& scratch, hash_block<Words>& block,
                        const block_consumer<Words>& consume) {
  const instruction_set level = active_instruction_set();
  word_span_finder finder(text, level);
  while (finder.next(scratch.words)) {
    scratch.joined.append(text, scratch.words, scratch.shingles);
    add_span_hashes(scratch.joined.data(), scratch.shingles.places(), seed, block, level, consume);
  }
}

/// At the end of all texts: the one shingle of fewer words than it should have, if there is one.
template <std::size_t Words>
void hash_last_shingle(std::uint64_t seed, word_scratch& scratch, hash_block<Words>& block,
                       const block_consumer<Words>& consume) {
  scratch.joined.finish(scratch.shingles);
  add_span_hashes(scratch.joined.data(), scratch.shingles.places(), seed, block, active_instruction_set(), consume);
}

/// The same for the shingles of n words, or the words themselves; `fold` lower-cases ASCII letters.
template <std::size_t Words>
void hash_words(std::string_view text, std::size_t n, bool fold, std::uint64_t seed, word_scratch& scratch,
                hash_block<Words>& block, const block_consumer<Words>& consume) {
  if (n == 1 && !fold) return hash_single_words(text, seed, scratch, block, consume);
  scratch.joined.start(n, fold);
  hash_more_shingles(text, seed, scratch, block, consume);
  hash_last_shingle(seed, scratch, block, consume);
}

/// The same for the words of the normalised text.
template <std::size_t Words>
void hash_normalised_words(std::string_view text, std::size_t n, std::uint64_t seed, normalised_scratch& scratch,
                           hash_block<Words>& block, const block_consumer<Words>& consume) {
  constexpr std::size_t step = 2048;
  constexpr std::size_t kept_size = joined_words::kept_size;
  const instruction_set level = active_instruction_set();
  const auto grow = [](auto& values, std::size_t size) {
    if (values.size() < size) values.resize(2 * size);
  };
  const auto hash = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; i += span_places::capacity) {
      const std::size_t count = (std::min)(last - i, span_places::capacity);
      const span_places places{scratch.begins.data() + i, scratch.ends.data() + i + n - 1, count};
      add_span_hashes(scratch.joined.data(), places, seed, block, level, consume);
    }
  };
  word_join_cursor cursor{text.data(), text.data() + text.size(),        nullptr, 0, nullptr, nullptr,
                          0,           word_join_cursor::tail::separator};
  bool emitted = false;
  std::size_t next = 0;  // the first word of the next shingle
  grow(scratch.begins, 1);
  scratch.begins[0] = 0;
  for (bool at_end = false; !at_end;) {
    const std::size_t part = (std::min)(step, static_cast<std::size_t>(cursor.end - cursor.at));
    grow(scratch.joined, cursor.size + word_join_cursor::joined_room(part));
    grow(scratch.begins, cursor.count + word_join_cursor::words_room(part));
    grow(scratch.ends, cursor.count + word_join_cursor::words_room(part));
    cursor.joined = scratch.joined.data();
    cursor.begin = scratch.begins.data();
    cursor.close = scratch.ends.data();
    join_words(cursor, cursor.at + part, level);
    at_end = cursor.at == cursor.end;
    if (at_end && cursor.last != word_join_cursor::tail::separator) cursor.close_word();
    if (cursor.count - next >= n) {
      hash(next, cursor.count - n + 1);
      next = cursor.count - n + 1;
      emitted = true;
    }
    const std::size_t dropped = scratch.begins[next];
    if (at_end || dropped < kept_size || 2 * dropped < cursor.size) continue;
    // Drops the words that no later shingle has.
    std::copy(cursor.joined + dropped, cursor.joined + cursor.size, cursor.joined);
    for (std::size_t i = next; i <= cursor.count; ++i) {
      cursor.begin[i - next] = cursor.begin[i] - static_cast<std::uint32_t>(dropped);
    }
    for (std::size_t i = next; i < cursor.count; ++i) {
      cursor.close[i - next] = cursor.close[i] - static_cast<std::uint32_t>(dropped);
    }
    cursor.size -= dropped;
    cursor.count -= next;
    next = 0;
  }
  if (!emitted && cursor.count > 0) {
    // Fewer words than n are one shingle.
    const span_places places{scratch.begins.data(), scratch.ends.data() + cursor.count - 1, 1};
    add_span_hashes(scratch.joined.data(), places, seed, block, level, consume);
  }
}

}  // namespace neardup::inline v0::detail
