// SPDX-License-Identifier: MIT
// The prefixes of many sets. A prefix is the rarest features of a set, which a join looks up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "../../runner.hpp"
#include "distinct_sets.hpp"
#include "overlap_bounds.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// The tokens of a set's prefix features, rare ones first. The first `first_position` features of the prefix are left
/// out, because no other set has them.
struct prefix_tokens {
  std::span<const std::uint32_t> tokens;
  std::size_t first_position;
};

/// The prefixes of distinct sets, long enough to find similar sets of any size. If bounds.looks_up_all(), searches look
/// up all features, not only prefixes. In this case, a prefix has only the features that are posted.
class set_prefixes {
 public:
  /// Finds the prefixes, for blocks of at least `block` consecutive sets of the source. Each block has arrays of its
  /// own. A large corpus has 16 blocks for each part of the runner, or more if blocks would exceed 2^16 sets. Blocks
  /// are large because random reads of few large arrays miss the TLB less often. `counts`: the document frequencies of
  /// the tokens.
  /// Complexity: one pass over all features.
  /// Memory: 16 bytes per set, and 4 bytes for each prefix feature that more than one set has.
  template <class Feature>
  set_prefixes(const distinct_sets<Feature>& sets, const token_counts& counts, const overlap_bounds& bounds,
               const any_runner& run, std::size_t block)
      : block_((std::max)(block, (std::min)(sets.source_size() / 16 / run.parts(), std::size_t{1} << 16))),
        blocks_(sets.source_size() / block_ + 1) {
    std::vector<bool> is_first(sets.source_size());
    for (std::size_t rank = 0; rank < sets.size(); ++rank) is_first[sets.first_of(rank)] = true;
    struct worker {
      prefix_finder finder;
      std::size_t size = 0, prefix = 0;  // of the previous set
      std::vector<std::uint32_t> tokens;
    };
    std::vector<worker> workers(parts_for(run, sets.source_size(), 256));
    in_steps(run, workers.size(), blocks_.size(), 1, [&](std::size_t part, std::size_t number, std::size_t) {
      worker& own = workers[part];
      own.tokens.clear();
      block_of_sets& to = blocks_[number];
      const std::size_t begin = number * block_, end = (std::min)(begin + block_, sets.source_size());
      to.places = large_array<place>(end - begin + 1);
      for (std::size_t i = begin; i < end; ++i) {
        if (i + 1 < end && is_first[i + 1]) prefetch_counts(sets.set_of(i + 1), counts);
        place& at = to.places[i - begin];
        at.begin = own.tokens.size();
        at.left_out = is_first[i] ? add(own, sets.set_of(i), counts, bounds) : 0;
      }
      to.places[end - begin] = {own.tokens.size(), 0};
      to.tokens = large_array<std::uint32_t>(own.tokens.size());
      std::copy(own.tokens.begin(), own.tokens.end(), to.tokens.data());
      return true;
    });
  }

  /// Returns the prefix of a set. `number` is the number of the set in the source.
  /// Precondition: no set with a smaller number equals the set.
  [[nodiscard]] prefix_tokens operator[](std::size_t number) const noexcept {
    const block_of_sets& block = blocks_[number / block_];
    const place* const at = &block.places[number % block_];
    return {block.tokens.span(at[0].begin, at[1].begin), at->left_out};
  }

  /// Prefetches for operator[]. Call prefetch_place() some calls before operator[], and prefetch_tokens() in between.
  void prefetch_place(std::size_t number) const noexcept {
    prefetch(&blocks_[number / block_].places[number % block_]);
  }
  void prefetch_tokens(std::size_t number) const noexcept {
    const std::span<const std::uint32_t> tokens = (*this)[number].tokens;
    if (!tokens.empty()) prefetch(&tokens.front());
    if (tokens.size() > 16) prefetch(&tokens[16]);
  }

 private:
  /// `begin` is the index, in the block, of the first token of a set; the next set's tokens follow. `left_out`: see
  /// add().
  struct place {
    std::size_t begin, left_out;
  };
  struct block_of_sets {
    large_array<std::uint32_t> tokens;
    large_array<place> places;
  };

  /// Appends the tokens of the prefix of `set` to own.tokens.
  /// Returns: how many features at the beginning of the prefix are left out.
  template <class Worker, class Feature>
  static std::uint32_t add(Worker& own, std::span<const Feature> set, const token_counts& counts,
                           const overlap_bounds& bounds) {
    if (set.size() != own.size) {
      own.size = set.size();
      own.prefix = bounds.looks_up_all() ? bounds.indexed(set.size()) : bounds.prefix(set.size());
    }
    if (own.prefix == 0) return 0;
    const std::span<const std::uint64_t> keys = own.finder.find_repeated(set, own.prefix, counts);
    for (const std::uint64_t key : keys) own.tokens.push_back(static_cast<std::uint32_t>(key));
    return static_cast<std::uint32_t>(own.prefix - keys.size());
  }

  std::size_t block_;
  std::vector<block_of_sets> blocks_;
};

}  // namespace neardup::inline v0::detail
