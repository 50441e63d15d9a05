// The features of very many documents.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compact_numbers.hpp"
#include "platform.hpp"

namespace command {

/// Features of documents, in memory up to a limit; those of further documents lie in a temporary file, and are in memory
/// while they are in use. Memory: 4 bytes per feature and 9 per document.
class feature_store {
 public:
  /// `limit`: bytes, of which what else a run takes for each document is left free.
  explicit feature_store(std::uint64_t limit)
      : limit_(limit), slot_bits_(std::clamp(static_cast<int>(std::bit_width(limit / 64)) - 1, 14, 22)) {}

  /// Throws: output_error if the temporary file cannot be written.
  void add(std::span<const std::uint32_t> features) {
    if (chunks_.empty() || chunks_.back().size - end_ <= features.size()) open_chunk(features.size() + 1);
    places_.push_back((first_slot_ << slot_bits_) + end_);
    std::uint32_t* const to = chunks_.back().features + end_;
    *to = static_cast<std::uint32_t>(features.size());
    std::copy(features.begin(), features.end(), to + 1);
    end_ += features.size() + 1;
  }

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
    const std::uint64_t place = places_[i];
    const std::uint32_t* const from = slots_[place >> slot_bits_] + (place & ((std::uint64_t{1} << slot_bits_) - 1));
    return {from + 1, *from};
  }

 private:
  struct chunk {
    std::unique_ptr<std::uint32_t[]> own;
    std::optional<file_memory> filed;
    std::uint32_t* features;
    std::size_t size;
  };

  void open_chunk(std::size_t least) {
    constexpr std::uint64_t bytes_per_document = 60;  // beside its features
    const std::size_t slot = std::size_t{1} << slot_bits_;
    const std::size_t slots = (least + slot - 1) / slot;
    chunk next{nullptr, std::nullopt, nullptr, slots * slot};
    const std::uint64_t bytes = next.size * sizeof(std::uint32_t);
    if (in_memory_ == 0 || in_memory_ + bytes + bytes_per_document * size() <= limit_) {
      next.own = std::make_unique_for_overwrite<std::uint32_t[]>(next.size);
      next.features = next.own.get();
      in_memory_ += bytes;
    } else {
      next.filed.emplace(bytes);
      next.features = static_cast<std::uint32_t*>(next.filed->data());
    }
    first_slot_ = slots_.size();
    for (std::size_t i = 0; i < slots; ++i) slots_.push_back(next.features + i * slot);
    chunks_.push_back(std::move(next));
    end_ = 0;
  }

  std::uint64_t limit_;
  int slot_bits_;  // a chunk is a slot of 16 MB, less where the limit is low; or several for what does not fit one
  std::uint64_t in_memory_ = 0;
  std::vector<chunk> chunks_;
  std::vector<std::uint32_t*> slots_;  // of all chunks
  std::uint64_t first_slot_ = 0;       // of the last chunk
  std::size_t end_ = 0;                // of the last chunk
  compact_numbers places_;             // slot and place in it: there the number of features, and then these
};

}  // namespace command
