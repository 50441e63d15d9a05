// The features of very many documents, and other numbers of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <stdexcept>
#include <vector>

#include "../ground/platform.hpp"

namespace command {

/// Numbers below 2^40, of which there are as many as documents: 5 bytes each.
class compact_numbers {
 public:
  /// Throws: std::length_error if the number does not fit.
  void push_back(std::uint64_t number) {
    std::array<std::uint8_t, bytes> digits{};
    for (std::uint8_t& digit : digits) {
      digit = static_cast<std::uint8_t>(number);
      number >>= 8;
    }
    if (number != 0) throw std::length_error("too much for numbers of 40 bits");
    digits_.push_back(digits);
  }

  [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept {
    std::uint64_t number = 0;
    for (std::size_t b = bytes; b-- > 0;) number = number << 8 | digits_[i][b];
    return number;
  }

  [[nodiscard]] std::size_t size() const noexcept { return digits_.size(); }

 private:
  static constexpr std::size_t bytes = 5;

  std::vector<std::array<std::uint8_t, bytes>> digits_;
};

/// Features of documents, in memory up to a limit; those of further documents lie in a temporary file, and are in memory
/// while they are in use. Memory: 4 bytes per feature and 5 per document.
class feature_store {
 public:
  /// `limit`: bytes, of which what else a run takes for each document is left free.
  feature_store(std::uint64_t limit, std::uint64_t bytes_per_document)
      : limit_(limit),
        bytes_per_document_(bytes_per_document),
        slot_bits_(std::clamp(static_cast<int>(std::bit_width(limit / 64)) - 1, 14, 22)) {}

  /// Throws: output_error if the temporary file cannot be written.
  void add(std::span<const std::uint32_t> features) {
    if (chunks_.empty() || chunks_.back().size - used_ <= features.size()) open_chunk(features.size() + 1);
    std::copy(features.begin(), features.end(), chunks_.back().features.get() + used_);
    used_ += features.size();
    ends_.push_back(slots_.back().begin + used_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  [[nodiscard]] bool is_in_memory() const noexcept { return chunks_.empty() || !chunks_.back().is_filed; }

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
    const std::uint64_t end = ends_[i];
    const slot& own = slots_[end >> slot_bits_];
    const std::uint64_t begin = i == 0 ? 0 : std::max(own.begin, ends_[i - 1]);
    return {own.features + (begin - own.begin), end - begin};
  }

 private:
  struct chunk {
    std::shared_ptr<std::uint32_t[]> features;
    std::size_t size;
    bool is_filed;
  };
  /// What a slot is a part of.
  struct slot {
    const std::uint32_t* features;  // of its chunk
    std::uint64_t begin;            // of its chunk, counted through all of them
  };

  void open_chunk(std::size_t least) {
    const std::size_t slots = ((least - 1) >> slot_bits_) + 1;
    chunk next{nullptr, slots << slot_bits_, false};
    const std::uint64_t bytes = next.size * sizeof(std::uint32_t);
    if (in_memory_ == 0 || in_memory_ + bytes + bytes_per_document_ * size() <= limit_) {
      next.features = std::make_unique_for_overwrite<std::uint32_t[]>(next.size);
      in_memory_ += bytes;
    } else {
      const std::shared_ptr<void> memory = memory_in_file(bytes);
      next.features = {memory, static_cast<std::uint32_t*>(memory.get())};
      next.is_filed = true;
    }
    slots_.insert(slots_.end(), slots, {next.features.get(), std::uint64_t{slots_.size()} << slot_bits_});
    chunks_.push_back(std::move(next));
    used_ = 0;
  }

  std::uint64_t limit_;
  std::uint64_t bytes_per_document_;
  int slot_bits_;  // a chunk is a slot of 16 MB, less where the limit is low; or several for what does not fit one
  std::uint64_t in_memory_ = 0;
  std::vector<chunk> chunks_;
  std::vector<slot> slots_;  // of all chunks
  std::size_t used_ = 0;     // of the last chunk, never all of it: so the end of a document lies in its chunk
  compact_numbers ends_;     // of documents, counted through all chunks
};

}  // namespace command
