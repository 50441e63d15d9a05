// Pairs of documents in order, in memory or in a temporary file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"

namespace command {

/// A small struct, because there may be as many pairs as documents.
struct checked_pair {
  std::uint32_t a, b;
  double similarity;  // set if it is needed
};

/// A list of pairs that is read in ascending order of (a, b). Pairs that do not fit into memory are in a temporary
/// file, in sorted runs.
class sorted_pairs {
 public:
  /// Makes an empty list. `memory`: the bytes that the run may use. A quarter of them is for pairs.
  explicit sorted_pairs(std::uint64_t memory)
      : most_(static_cast<std::size_t>(std::clamp<std::uint64_t>(memory / 4 / sizeof(checked_pair), least_in_run,
                                                                 std::numeric_limits<std::int32_t>::max()))) {}

  /// Adds a pair.
  /// Throws: output_error if the temporary file cannot be written.
  void add(const checked_pair& pair) {
    ++size_;
    last_.push_back(pair);
    if (last_.size() == most_) file_last();
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Calls `visit(pairs)` with all pairs in order, some at a time. Call it once.
  template <class Visit>
  void visit_all(const Visit& visit) {
    if (runs_.empty()) {
      sort(last_);
      return visit(std::span<const checked_pair>(last_));
    }
    if (!last_.empty()) file_last();
    last_ = {};
    const std::size_t at_once = std::max<std::size_t>(most_ / (2 * runs_.size()), 256);
    std::vector<std::size_t> heap(runs_.size());  // runs by their next pair, the least one first
    std::iota(heap.begin(), heap.end(), std::size_t{0});
    for (run& one : runs_) refill(one, at_once);
    const auto is_later = [&](std::size_t x, std::size_t y) { return is_before(runs_[y].next(), runs_[x].next()); };
    std::make_heap(heap.begin(), heap.end(), is_later);
    std::vector<checked_pair> merged;
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), is_later);
      run& from = runs_[heap.back()];
      merged.push_back(from.next());
      ++from.place;
      if (from.place == from.pairs.size()) refill(from, at_once);
      if (from.pairs.empty()) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), is_later);
      }
      if (merged.size() < least_in_run && !heap.empty()) continue;
      visit(std::span<const checked_pair>(merged));
      merged.clear();
    }
  }

 private:
  static constexpr std::size_t least_in_run = std::size_t{1} << 16;

  /// A run in the file: the position of its rest, and the pairs that have been read.
  struct run {
    std::uint64_t offset, bytes;
    std::vector<checked_pair> pairs;
    std::size_t place = 0;

    [[nodiscard]] const checked_pair& next() const { return pairs[place]; }
  };

  static bool is_before(const checked_pair& x, const checked_pair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
  static void sort(std::vector<checked_pair>& pairs) { std::sort(pairs.begin(), pairs.end(), is_before); }

  void file_last() {
    sort(last_);
    const std::uint64_t bytes = last_.size() * sizeof(checked_pair);
    const std::uint64_t offset = file_.append({reinterpret_cast<const char*>(last_.data()), bytes});
    runs_.push_back({offset, bytes, {}, 0});
    last_.clear();
  }

  void refill(run& one, std::size_t at_once) {
    one.pairs.resize(static_cast<std::size_t>(std::min<std::uint64_t>(one.bytes / sizeof(checked_pair), at_once)));
    one.place = 0;
    const std::size_t bytes = one.pairs.size() * sizeof(checked_pair);
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t count =
          file_.read_at(one.offset + done, reinterpret_cast<char*>(one.pairs.data()) + done, bytes - done);
      if (count == 0) throw output_error("a temporary file was cut off");
      done += count;
    }
    one.offset += bytes;
    one.bytes -= bytes;
  }

  std::size_t most_;
  std::uint64_t size_ = 0;
  std::vector<checked_pair> last_;
  temporary_file file_;
  std::vector<run> runs_;
};

}  // namespace command
