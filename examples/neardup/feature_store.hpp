// The features of very many documents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "platform.hpp"

namespace command {

/// Features of documents, in memory up to a limit; those of further documents lie in a temporary file, and are in memory
/// while they are in use. Memory: 4 bytes per feature and 12 per document.
class feature_store {
 public:
  /// `limit`: bytes.
  explicit feature_store(std::uint64_t limit) : limit_(limit) {}

  /// Throws: output_error if the temporary file cannot be written.
  void add(std::span<const std::uint32_t> features) {
    if (chunks_.empty() || chunks_.back().size - end_ <= features.size()) open_chunk(features.size() + 1);
    places_.push_back((chunks_.size() - 1) << 32 | end_);
    std::uint32_t* const to = chunks_.back().features + end_;
    *to = static_cast<std::uint32_t>(features.size());
    std::copy(features.begin(), features.end(), to + 1);
    end_ += features.size() + 1;
  }

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
    const std::uint32_t* const from = chunks_[places_[i] >> 32].features + (places_[i] & 0xffffffffU);
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
    // 16 MB, less where the limit is low.
    const auto usual =
        static_cast<std::size_t>(std::clamp(limit_ / 64, std::uint64_t{1} << 14, std::uint64_t{1} << 22));
    chunk next{nullptr, std::nullopt, nullptr, std::max(usual, least)};
    const std::uint64_t bytes = next.size * sizeof(std::uint32_t);
    if (in_memory_ == 0 || in_memory_ + bytes <= limit_) {
      next.own = std::make_unique_for_overwrite<std::uint32_t[]>(next.size);
      next.features = next.own.get();
      in_memory_ += bytes;
    } else {
      next.filed.emplace(bytes);
      next.features = static_cast<std::uint32_t*>(next.filed->data());
    }
    chunks_.push_back(std::move(next));
    end_ = 0;
  }

  std::uint64_t limit_;
  std::uint64_t in_memory_ = 0;
  std::vector<chunk> chunks_;
  std::size_t end_ = 0;                // of the last chunk
  std::vector<std::uint64_t> places_;  // chunk and place in it: there the number of features, and then these
};

}  // namespace command
