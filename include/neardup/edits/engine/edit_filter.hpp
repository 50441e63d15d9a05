// SPDX-License-Identifier: MIT
// The count filter, which rejects pairs of distant texts without computing their edit distance, and a class that
// computes edit distances up to a bound.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "distinct_texts.hpp"
#include "edit_bands.hpp"

namespace neardup::inline v0::detail {

/// Returns the largest d with edit_similarity_of(d, longer) >= similarity. `longer` is the length of the longer text.
inline std::size_t most_edits(double similarity, std::size_t longer) {
  const auto length = static_cast<double>(longer);
  const auto is_enough = [&](std::size_t d) { return longer == 0 || edit_similarity_of(d, longer) >= similarity; };
  auto most = static_cast<std::size_t>((std::max)(0.0, (1 - similarity) * length)) + 1;
  most = (std::min)(most, longer);
  while (most > 0 && !is_enough(most)) --most;
  return most;
}

/// Count filter: compares how often characters, and pairs of adjacent characters, occur in two texts. The counts of a
/// text are in bins. An edit changes one character and at most two pairs. So the counts of two texts within d edits
/// differ little. Counts stop at 255, which can only reduce differences. So no pair within d edits is rejected.
class edit_filter {
 public:
  explicit edit_filter(const distinct_texts& texts) {
    const std::size_t mean = texts.size() == 0 ? 0 : texts.total_length() / texts.size();
    // The counts of a text take a byte per bin. The number of bins is at least twice the mean number of pairs of
    // adjacent characters in a text, within limits.
    pair_bins_ = std::clamp(std::bit_ceil(2 * mean), 2 * character_bins, std::size_t{4096});
    characters_.assign(texts.size() * character_bins, 0);
    pairs_.assign(texts.size() * pair_bins_, 0);
    sums_.resize(texts.size());
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      std::uint8_t* const characters = characters_.data() + rank * character_bins;
      std::uint8_t* const pairs = pairs_.data() + rank * pair_bins_;
      const auto text = texts.text(rank);
      const auto add = [](std::uint8_t& bin, std::uint32_t& sum) {
        if (bin == 255) return;
        ++bin;
        ++sum;
      };
      for (std::size_t i = 0; i < text.size(); ++i) {
        add(characters[mix(text[i]) % character_bins], sums_[rank].characters);
        if (i == 0) continue;
        const std::uint64_t pair = std::uint64_t{text[i - 1]} << 32 | text[i];
        add(pairs[mix(pair) % pair_bins_], sums_[rank].pairs);
      }
    }
  }

  /// Returns false only if the edit distance of the two texts exceeds `most`.
  [[nodiscard]] bool passes(std::size_t a, std::size_t b, std::size_t most) const noexcept {
    // Let m be the sum of x[i] - y[i] over the bins i with x[i] > y[i], and l the sum of y[i] - x[i] over the other
    // bins. If the edit distance is at most `most`, then max(m, l) <= most for characters, and max(m, l) <= 2 * most
    // for pairs. The sum of the absolute differences is m + l. The difference of the totals is |m - l|. Added together,
    // they are 2 * max(m, l).
    const std::uint64_t limit = 2 * std::uint64_t{most};
    std::uint64_t differences =
        difference(sums_[a].characters, sums_[b].characters) +
        of_bins(characters_.data() + a * character_bins, characters_.data() + b * character_bins);
    if (differences > limit) return false;
    differences = difference(sums_[a].pairs, sums_[b].pairs);
    for (std::size_t bin = 0; bin < pair_bins_; bin += character_bins) {
      differences += of_bins(pairs_.data() + a * pair_bins_ + bin, pairs_.data() + b * pair_bins_ + bin);
      if (differences > 2 * limit) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return character_bins + pair_bins_; }

 private:
  static constexpr std::size_t character_bins = 64;

  struct sums {
    std::uint32_t characters = 0, pairs = 0;
  };

  static std::uint64_t difference(std::uint32_t a, std::uint32_t b) noexcept { return a > b ? a - b : b - a; }

  /// Returns the sum of the absolute differences of 64 bins. Compilers translate this loop to the instruction PSADBW.
  static std::uint64_t of_bins(const std::uint8_t* x, const std::uint8_t* y) noexcept {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < character_bins; ++i) {
      const int by = static_cast<int>(x[i]) - static_cast<int>(y[i]);
      sum += static_cast<std::uint32_t>(by < 0 ? -by : by);
    }
    return sum;
  }

  std::size_t pair_bins_ = 0;
  std::vector<std::uint8_t> characters_, pairs_;  // separate: the characters alone reject most pairs of texts
  std::vector<sums> sums_;
};

/// Computes edit distances up to a bound. If one text has at most 64 code points, a word of 64 bits holds a column of
/// the dynamic-programming matrix, as differences of adjacent cells; see edit_bands. The object has scratch memory, so
/// each thread needs its own object.
class edit_distances {
 public:
  /// Makes an object. `alphabet` and `pause` are the arguments of edit_bands.
  explicit edit_distances(std::size_t alphabet, const std::function<void()>& pause = nullptr)
      : matches_(alphabet),
        one_(alphabet, pause, instruction_set::portable),
        several_(alphabet, pause, active_instruction_set()) {}

  /// Returns the edit distance if it is at most `most`, otherwise any number above `most`.
  [[nodiscard]] std::size_t at_most(std::span<const char32_t> a, std::span<const char32_t> b, std::size_t most) {
    drop_common_ends(a, b);
    if (a.size() > b.size()) std::swap(a, b);
    if (b.size() - a.size() > most) return most + 1;
    if (a.empty()) return b.size();
    if (a.size() > word_bits) return one_.at_most(b, a, most).value_or(most + 1);
    for (std::size_t i = 0; i < a.size(); ++i) matches_[a[i]] |= std::uint64_t{1} << i;
    const std::size_t distance = of_a_word(a.size(), b, most);
    for (const char32_t c : a) matches_[c] = 0;
    return distance;
  }

  /// Begins to compare `text` with other texts.
  void begin(std::span<const char32_t> text) {
    text_ = text;
    waiting_.clear();
    ids_.clear();
    batch_ = 1;
  }

  /// Compares the text of begin() with `other`. Calls `take(id, distance)` if the distance is at most `most`, now or in
  /// a later call of compare() or finish(). Texts wait until a batch is full. The first batches are small, because
  /// callers may need only one match.
  template <class Take>
  void compare(std::size_t id, std::span<const char32_t> other, std::size_t most, const Take& take) {
    std::span<const char32_t> a = text_, b = other;
    drop_common_ends(a, b);
    // edit_bands cannot drop common ends. So texts with long common ends are compared separately.
    const std::size_t rest = (std::min)(a.size(), b.size()), all = (std::min)(text_.size(), other.size());
    if (rest <= word_bits || rest < all / 4 * 3) {
      const std::size_t distance = at_most(a, b, most);
      if (distance <= most) take(id, distance);
      return;
    }
    ids_.push_back(id);
    waiting_.push_back({other, most});
    if (waiting_.size() < batch_) return;
    batch_ = (std::min)(2 * batch_, several_.lanes());
    finish(take);
  }

  /// Compares the texts that still wait.
  template <class Take>
  void finish(const Take& take) {
    if (waiting_.empty()) return;
    if (waiting_.size() == 1) {
      waiting_[0].distance = one_.at_most(text_, waiting_[0].pattern, waiting_[0].most);
    } else {
      several_.answer(text_, waiting_);
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i].distance) take(ids_[i], *waiting_[i].distance);
    }
    waiting_.clear();
    ids_.clear();
  }

 private:
  /// Returns the edit distance between `text` and the pattern in matches_, or a number above `most`. The pattern has
  /// `rows` code points, at most 64, so one word holds a column of the matrix. See edit_bands.
  [[nodiscard]] std::size_t of_a_word(std::size_t rows, std::span<const char32_t> text,
                                      std::size_t most) const noexcept {
    std::uint64_t rises = ~std::uint64_t{0}, falls = 0;
    std::size_t distance = rows, left = text.size();
    for (const char32_t c : text) {
      const std::uint64_t match = matches_[c];
      const std::uint64_t free = (((match & rises) + rises) ^ rises) | match | falls;
      std::uint64_t steps_up = falls | ~(free | rises);
      std::uint64_t steps_down = rises & free;
      distance += steps_up >> (rows - 1) & 1U;
      distance -= steps_down >> (rows - 1) & 1U;
      --left;
      if (distance > most + left) return most + 1;  // each remaining column lowers the distance by at most 1
      steps_up = steps_up << 1 | 1U;
      steps_down <<= 1;
      const std::uint64_t diagonal = match | falls;
      rises = steps_down | ~(diagonal | steps_up);
      falls = steps_up & diagonal;
    }
    return distance;
  }

  std::vector<std::uint64_t> matches_;  // bit i of matches_[c]: row i of the pattern is character c
  edit_bands one_, several_;            // compute the distances of longer patterns
  std::span<const char32_t> text_;
  std::vector<edit_bands::question> waiting_;
  std::vector<std::size_t> ids_;  // ids of the texts in the waiting questions
  std::size_t batch_ = 1;         // number of questions that are answered at once
};

}  // namespace neardup::inline v0::detail
