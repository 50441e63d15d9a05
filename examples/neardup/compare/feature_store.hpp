// An array of 40-bit numbers, and a store for the features of very many documents.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "../ground/platform.hpp"

namespace command {

/// An array of numbers below 2^40, with 5 bytes each.
class compact_numbers {
 public:
  /// Appends a number.
  /// Throws: std::length_error if the number is 2^40 or more.
  void push_back(std::uint64_t number) {
    if (number >> 40 != 0) throw std::length_error("too much for numbers of 40 bits");
    low_.push_back(static_cast<std::uint32_t>(number));
    high_.push_back(static_cast<std::uint8_t>(number >> 32));
  }

  [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept {
    return std::uint64_t{high_[i]} << 32 | low_[i];
  }

  [[nodiscard]] std::size_t size() const noexcept { return high_.size(); }

 private:
  std::vector<std::uint32_t> low_;
  std::vector<std::uint8_t> high_;
};

/// The features of documents. Up to a limit, features are in memory. The features of further documents are in a mapped
/// temporary file, so that the system keeps the used parts in memory. A join compares sets of similar size together. So
/// the file stores sets of similar size together. Otherwise each comparison would read a page.
/// Memory: 4 bytes per feature, and 5 bytes per document (9 in the file).
class feature_store {
 public:
  /// Makes an empty store. `limit`: the memory in bytes. The limit includes `bytes_per_document` bytes for other data
  /// of each document.
  feature_store(std::uint64_t limit, std::uint64_t bytes_per_document)
      : limit_(limit),
        bytes_per_document_(bytes_per_document),
        slot_bits_(std::clamp(static_cast<int>(std::bit_width(limit / 64)) - 1, 14, 22)) {}

  /// Adds the features of a document.
  /// Throws: output_error if the temporary file cannot be written.
  void add(std::span<const std::uint32_t> features) {
    feature_count_ += features.size();
    open_chunk* to = &in_memory_;
    if (!is_in_memory() || !has_room(*to, features.size())) to = &chunk_for(features.size());
    std::uint32_t* const end = std::copy(features.begin(), features.end(), to->features + to->used);
    to->used += features.size();
    ends_.push_back(to->begin + to->used);
    if (is_in_memory()) return;
    // In memory, a document begins at the end of the previous one. In the file, a document is followed by its size.
    *end = static_cast<std::uint32_t>(features.size());
    ++to->used;
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  [[nodiscard]] std::uint64_t feature_count() const noexcept { return feature_count_; }

  [[nodiscard]] bool is_in_memory() const noexcept { return filed_.empty(); }

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
    const std::uint64_t end = ends_[i];
    const slot& holder = slots_[end >> slot_bits_];
    const std::uint32_t* const behind = holder.features + (end - holder.begin);
    if (holder.is_filed) {
      const std::uint32_t* const begin = behind - *behind;
      // A read of the first document of a chunk usually belongs to a pass over all documents, so the rest of the chunk
      // is requested, too.
      if (begin == holder.features) will_need(begin, sizeof(std::uint32_t) << slot_bits_);
      return {begin, *behind};
    }
    const std::uint64_t begin = i == 0 ? 0 : std::max(holder.begin, ends_[i - 1]);
    return {holder.features + (begin - holder.begin), end - begin};
  }

 private:
  /// A slot is a piece of memory of up to 16 MB (see slot_bits_). A chunk is one slot, or several adjacent slots.
  struct slot {
    const std::uint32_t* features;  // beginning of the chunk
    std::uint64_t begin;            // begin of the chunk of this slot, counted through all chunks
    bool is_filed;
  };
  /// The chunk to which documents are added.
  struct open_chunk {
    std::uint32_t* features = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;  // used < size, so that the end of a document is inside its chunk
    std::uint64_t begin = 0;
  };

  [[nodiscard]] static bool has_room(const open_chunk& chunk, std::size_t count) noexcept {
    return chunk.size - chunk.used > count;
  }

  /// Returns a chunk with room for a document of `count` features. If the limit of the memory is reached, the chunk is
  /// in the file.
  open_chunk& chunk_for(std::size_t count) {
    const std::size_t slots = (count >> slot_bits_) + 1;
    const std::size_t size = slots << slot_bits_;
    const std::uint64_t bytes = size * sizeof(std::uint32_t);
    const bool fits = bytes_ == 0 || bytes_ + bytes + bytes_per_document_ * this->size() <= limit_;
    if (is_in_memory() && fits) {
      bytes_ += bytes;
      return in_memory_ = begin_chunk(memory_of_large_pages(bytes), slots, false);
    }
    if (is_in_memory()) filed_.resize(class_of(std::numeric_limits<std::uint32_t>::max()) + 1);
    open_chunk& chunk = filed_[class_of(count)];
    if (!has_room(chunk, count)) chunk = begin_chunk(memory_in_file(bytes), slots, true);
    return chunk;
  }

  open_chunk begin_chunk(std::shared_ptr<void> memory, std::size_t slots, bool is_filed) {
    const open_chunk made{static_cast<std::uint32_t*>(memory.get()), slots << slot_bits_, 0,
                          std::uint64_t{slots_.size()} << slot_bits_};
    slots_.insert(slots_.end(), slots, {made.features, made.begin, is_filed});
    chunks_.push_back(std::move(memory));
    return made;
  }

  /// Returns the size class of a document. There are four classes for each doubling of the number of features.
  [[nodiscard]] static std::size_t class_of(std::size_t count) noexcept {
    if (count < 4) return count;
    const auto width = static_cast<std::size_t>(std::bit_width(count));
    return 4 * (width - 2) + (count >> (width - 3) & 3U);
  }

  std::uint64_t limit_;
  std::uint64_t bytes_per_document_;
  // A slot has 2^slot_bits_ features. A slot has 16 MB, or less if the limit is low. A larger document has a chunk of
  // several slots.
  int slot_bits_;
  std::uint64_t bytes_ = 0;  // number of bytes in memory
  std::uint64_t feature_count_ = 0;
  std::vector<std::shared_ptr<void>> chunks_;
  std::vector<slot> slots_;  // the slots of all chunks
  open_chunk in_memory_;
  std::vector<open_chunk> filed_;  // for each size class; empty while all features are in memory
  compact_numbers ends_;           // ends of documents, counted through all chunks
};

}  // namespace command
