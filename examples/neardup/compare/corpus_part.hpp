// A random part of a corpus. A run is tried on the part, to predict the cost of the run on the whole corpus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus_sample.hpp"

namespace command {

/// A part of a corpus. Each document belongs to the part with the same probability. The part of a small corpus is the
/// whole corpus. A part has about 1/13 of the bytes of the corpus, but at least 1.7 MB and at most 64 MB. If fewer than
/// 20 documents would be in the part, it has more bytes. The part depends only on the seed and on the documents in
/// their order.
class corpus_part {
 public:
  explicit corpus_part(std::uint64_t seed = 0) : seed_(seed) {}

  void add(std::string_view text) {
    const std::uint64_t priority = spread(seed_ ^ spread(documents_++));
    bytes_ += text.size();
    if (!is_kept(priority)) return;
    kept_.push_back({priority, std::string(text)});
    kept_bytes_ += text.size();
    while (kept_bytes_ > limit() && kept_.size() > least_documents) {
      limit_of_priority_ -= limit_of_priority_ / 8;
      std::erase_if(kept_, [&](const kept& one) {
        if (is_kept(one.priority)) return false;
        kept_bytes_ -= one.text.size();
        return true;
      });
    }
  }

  /// documents(): the number of documents of the corpus. size(): the number of documents of the part.
  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  [[nodiscard]] const std::string& operator[](std::size_t i) const noexcept { return kept_[i].text; }
  [[nodiscard]] bool is_whole() const noexcept { return kept_.size() == documents_; }

  /// mean_bytes(): the mean size of the documents of the corpus. median_bytes(): the median size of the documents of
  /// the part.
  /// Precondition: the corpus has documents.
  [[nodiscard]] double mean_bytes() const { return static_cast<double>(bytes_) / static_cast<double>(documents_); }
  [[nodiscard]] std::size_t median_bytes() const {
    std::vector<std::size_t> sizes;
    for (const kept& one : kept_) sizes.push_back(one.text.size());
    if (sizes.empty()) return 0;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return *middle;
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t part_bytes() const noexcept { return kept_bytes_; }

 private:
  struct kept {
    std::uint64_t priority;
    std::string text;
  };
  static constexpr std::size_t least_documents = 20;

  [[nodiscard]] bool is_kept(std::uint64_t priority) const noexcept { return priority <= limit_of_priority_; }
  [[nodiscard]] std::uint64_t limit() const noexcept {
    constexpr std::uint64_t share = 12, whole = std::uint64_t{1} << 21, most = std::uint64_t{1} << 26;
    return std::clamp(bytes_ / share, whole, most);
  }

  std::uint64_t seed_;
  std::uint64_t documents_ = 0, bytes_ = 0, kept_bytes_ = 0;
  std::uint64_t limit_of_priority_ = ~std::uint64_t{0};
  std::vector<kept> kept_;
};

}  // namespace command
