// A cache of the features of documents that were recently compared or added, so that checks need not read them from the
// store.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../stores/stores.hpp"

namespace docid {

/// A view of a feature set. It is valid until the next call of add().
using feature_view = std::span<const std::uint32_t>;

/// Keeps the features of documents in chunks, one document after the other. If the chunks would exceed `limit` bytes,
/// the oldest chunks are dropped, and their documents are no longer found. Each document has `Sets` feature sets.
/// Memory: 4 bytes for each feature and each set, and 8 bytes for each document number. These 8 bytes do not count
/// towards the limit.
template <std::size_t Sets>
class feature_memory {
 public:
  using views = std::array<feature_view, Sets>;

  explicit feature_memory(std::size_t limit) : limit_(limit) {}

  [[nodiscard]] std::optional<views> find(doc_number document) const {
    if (document >= places_.size()) return std::nullopt;
    const auto [chunk_number, begin] = places_[document];
    if (chunk_number < first_chunk_) return std::nullopt;
    return views_at(chunks_[chunk_number - first_chunk_].numbers.get() + begin);
  }

  /// Prefetches the data that find() reads for a document: with `step` 0 its position, with `step` 1 its features.
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

  /// Adds the features of a document.
  /// Precondition: the document is not in memory.
  views add(doc_number document, const views& sets) {
    std::size_t size = Sets;
    for (const feature_view& one : sets) size += one.size();
    if (chunks_.empty() || chunks_.back().size - end_ < size) open_chunk(size);
    std::uint32_t* const to = chunks_.back().numbers.get() + end_;
    std::uint32_t* next = to + Sets;
    for (std::size_t i = 0; i < Sets; ++i) {
      to[i] = static_cast<std::uint32_t>(sets[i].size());
      next = std::copy(sets[i].begin(), sets[i].end(), next);
    }
    if (document >= places_.size()) places_.resize(std::size_t{document} + 1);
    places_[document] = {static_cast<std::uint32_t>(first_chunk_ + chunks_.size() - 1),
                         static_cast<std::uint32_t>(end_)};
    end_ += size;
    return views_at(to);
  }

  /// Removes the stored features of `document`, because its features have changed.
  void forget(doc_number document) noexcept {
    if (document < places_.size()) places_[document] = {};
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct chunk {
    std::unique_ptr<std::uint32_t[]> numbers;
    std::size_t size;
  };
  struct place {
    std::uint32_t chunk = 0;  // counted from 1; 0 if the document is not in memory
    std::uint32_t begin = 0;
  };

  static views views_at(const std::uint32_t* from) {
    views result;
    const std::uint32_t* next = from + Sets;
    for (std::size_t i = 0; i < Sets; next += from[i], ++i) result[i] = feature_view(next, from[i]);
    return result;
  }

  void open_chunk(std::size_t least) {
    // A chunk has 4 MB. If the limit is below 64 MB, a chunk has a 16th of the limit, so that dropping a chunk leaves
    // most of the features.
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
  std::size_t end_ = 0;  // size of the used part of the last chunk
  std::vector<place> places_;
};

}  // namespace docid
