// The features of documents that were compared or added last, so that a check need not read them from the store.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stores.hpp"

namespace docid {

/// Features of a document; valid until the next call of add().
struct feature_views {
  std::span<const std::uint32_t> title;
  std::span<const std::uint32_t> content;
};

/// Keeps features in chunks, one document behind the other. Of more than `limit` bytes the oldest chunk goes; a document
/// that is read again then comes into the newest one. Memory: 4 bytes a feature and 8 a document beside the 8 that each
/// document number has; of these only the former count.
class feature_memory {
 public:
  explicit feature_memory(std::size_t limit) : limit_(limit) {}

  [[nodiscard]] std::optional<feature_views> find(doc_number document) const {
    if (document >= places_.size()) return std::nullopt;
    const auto [chunk_number, begin] = places_[document];
    if (chunk_number < first_chunk_) return std::nullopt;
    return views_at(chunks_[chunk_number - first_chunk_].numbers.get() + begin);
  }

  /// Has what find() will read of a document on its way from memory: `step` 0 where it is, `step` 1 what it is.
  void prefetch(doc_number document, int step) const noexcept {
#if defined(__GNUC__)
    if (document >= places_.size()) return;
    const place& at = places_[document];
    if (step == 0) {
      __builtin_prefetch(&at);
    } else if (at.chunk >= first_chunk_) {
      __builtin_prefetch(chunks_[at.chunk - first_chunk_].numbers.get() + at.begin);
    }
#else
    static_cast<void>(document), static_cast<void>(step);
#endif
  }

  /// Precondition: it is not there.
  feature_views add(doc_number document, std::span<const std::uint32_t> title, std::span<const std::uint32_t> content) {
    const std::size_t size = 2 + title.size() + content.size();
    if (chunks_.empty() || chunks_.back().size - end_ < size) open_chunk(size);
    std::uint32_t* const to = chunks_.back().numbers.get() + end_;
    to[0] = static_cast<std::uint32_t>(title.size());
    to[1] = static_cast<std::uint32_t>(content.size());
    std::copy(content.begin(), content.end(), std::copy(title.begin(), title.end(), to + 2));
    if (document >= places_.size()) places_.resize(std::size_t{document} + 1);
    places_[document] = {static_cast<std::uint32_t>(first_chunk_ + chunks_.size() - 1),
                         static_cast<std::uint32_t>(end_)};
    end_ += size;
    return views_at(to);
  }

  /// Documents from this number on are no more: their numbers may come again.
  void forget_from(doc_number document) noexcept {
    if (document < places_.size()) places_.erase(places_.begin() + document, places_.end());
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct chunk {
    std::unique_ptr<std::uint32_t[]> numbers;
    std::size_t size;
  };
  struct place {
    std::uint32_t chunk = 0;  // counted from 1 on; 0: nowhere
    std::uint32_t begin = 0;
  };

  static feature_views views_at(const std::uint32_t* from) {
    return {{from + 2, from[0]}, {from + 2 + from[0], from[1]}};
  }

  void open_chunk(std::size_t least) {
    // 4 MB, less where the limit is low: with each chunk that goes a good part stays.
    const std::size_t usual = std::clamp(limit_ / 64, std::size_t{1} << 10, std::size_t{1} << 20);
    const std::size_t size = std::max(usual, least);
    while (!chunks_.empty() && bytes_ + size * sizeof(std::uint32_t) > limit_) {
      bytes_ -= chunks_.front().size * sizeof(std::uint32_t);
      chunks_.pop_front();
      ++first_chunk_;
    }
    chunks_.push_back({std::make_unique_for_overwrite<std::uint32_t[]>(size), size});
    bytes_ += size * sizeof(std::uint32_t);
    end_ = 0;
  }

  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::size_t first_chunk_ = 1;
  std::deque<chunk> chunks_;
  std::size_t end_ = 0;  // of the last chunk
  std::vector<place> places_;
};

}  // namespace docid
