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

/// The tokens of a set's prefix features, rare ones first. The first `posted` tokens are posted.
struct prefix_tokens {
  std::span<const std::uint32_t> tokens;
  std::size_t posted;
};

/// The prefixes of distinct sets, long enough to find similar sets of any size. If bounds.looks_up_all(), searches look
/// up all features, not only prefixes. In this case, a prefix has only the features that are posted.
class set_prefixes {
 public:
  /// Finds the prefixes, for blocks of at least `block` consecutive sets of the source. Each block has arrays of its
  /// own. A large corpus has 16 blocks for each part of the runner, or more if blocks would exceed 2^16 sets. Blocks
  /// are large because random reads of few large arrays miss the TLB less often.
  /// Complexity: one pass over all features.
  /// Memory: 16 bytes per set, and 4 bytes for each prefix feature.
  template <class Feature>
  set_prefixes(const distinct_sets<Feature>& sets, const overlap_bounds& bounds, const any_runner& run,
               std::size_t block)
      : block_((std::max)(block, (std::min)(sets.source_size() / 16 / run.parts(), std::size_t{1} << 16))),
        blocks_(sets.source_size() / block_ + 1) {
    std::vector<bool> is_first(sets.source_size());
    for (std::size_t rank = 0; rank < sets.size(); ++rank) is_first[sets.first_of(rank)] = true;
    std::vector<worker> workers(parts_for(run, sets.source_size(), 256), worker(bounds));
    in_steps(run, workers.size(), blocks_.size(), 1, [&](std::size_t part, std::size_t number, std::size_t) {
      worker& own = workers[part];
      own.tokens.clear();
      block_of_sets& to = blocks_[number];
      const std::size_t begin = number * block_, end = (std::min)(begin + block_, sets.source_size());
      to.places = large_array<place>(end - begin + 1);
      for (std::size_t i = begin; i < end; ++i) {
        to.places[i - begin] = {own.tokens.size(), 0};
        if (is_first[i]) to.places[i - begin].posted = add(own, sets.set_of(i), sets.counts());
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
    return {block.tokens.span(at[0].begin, at[1].begin), at->posted};
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
  /// `begin` is the index, in the block, of the first token of a set; the next set's tokens follow.
  struct place {
    std::size_t begin, posted;
  };
  struct block_of_sets {
    large_array<std::uint32_t> tokens;
    large_array<place> places;
  };

  /// For sets of one size: the length of the stored prefix, and the length of the posted prefix.
  struct prefix_sizes {
    explicit prefix_sizes(const overlap_bounds& of) : bounds(&of) {}
    void set_size(std::size_t n) {
      if (n == size) return;
      size = n;
      posted = bounds->indexed(n);
      prefix = bounds->looks_up_all() ? posted : bounds->prefix(n);
    }
    const overlap_bounds* bounds;
    std::size_t size = 0, prefix = 0, posted = 0;
  };
  struct worker {
    explicit worker(const overlap_bounds& bounds) : sizes(bounds) {}
    prefix_finder finder;
    prefix_sizes sizes;
    std::vector<std::uint32_t> tokens;
  };

  /// Appends the tokens of the prefix of `set` to own.tokens.
  /// Returns: how many tokens are posted.
  template <class Feature>
  static std::size_t add(worker& own, std::span<const Feature> set, const sampled_counts& counts) {
    own.sizes.set_size(set.size());
    if (own.sizes.prefix == 0) return 0;
    for (const std::uint64_t key : own.finder.find(set, own.sizes.prefix, counts)) {
      own.tokens.push_back(static_cast<std::uint32_t>(key));
    }
    return own.sizes.posted;
  }

  std::size_t block_;
  std::vector<block_of_sets> blocks_;
};

}  // namespace neardup::inline v0::detail
