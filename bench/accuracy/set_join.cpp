#include "set_join.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace accuracy {

namespace {

/// Returns the least whole number not below `x`. Allows for a rounding error that makes `x` too large.
std::size_t ceiling(double x) { return static_cast<std::size_t>(std::ceil(x - 1e-9)); }

/// An entry of a posting list: the document that has the feature, and the position of the feature in its prefix.
struct posting {
  std::uint32_t rank;  // of the document, if documents are sorted by size
  std::uint32_t position;
};

class joiner {
 public:
  joiner(const feature_sets& sets, double threshold) : sets_(sets), threshold_(threshold) {
    for (std::uint32_t i = 0; i < sets.size(); ++i) {
      if (!sets[i].empty()) by_size_.push_back(i);
    }
    std::stable_sort(by_size_.begin(), by_size_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sets[a].size() < sets[b].size(); });
    sizes_.reserve(by_size_.size());
    for (const std::uint32_t document : by_size_) {
      sizes_.push_back(sets[document].size());
      sketches_.push_back(sketch_of(sets[document]));
    }
    build_index();
  }

  void run(unsigned thread, unsigned threads, const join_visitor& visit) const {
    std::vector<std::uint32_t> common(by_size_.size());  // common features found so far, by rank
    for (std::size_t rank = thread; rank < by_size_.size(); rank += threads) {
      const auto set = sets_[by_size_[rank]];
      const std::size_t least = ceiling(threshold_ * static_cast<double>(set.size()));
      const auto first_rank =
          static_cast<std::uint32_t>(std::lower_bound(sizes_.begin(), sizes_.end(), least) - sizes_.begin());
      // If the posting lists are long, comparing the sketches of all sets takes less than reading them.
      std::size_t postings = 0;
      for (std::size_t i = 0; i + least <= set.size(); ++i) postings += bucket(set[i]).size();
      if (postings / 2 > rank - first_rank) {
        scan(thread, rank, first_rank, visit);
      } else {
        look_up(thread, rank, first_rank, least, common, visit);
      }
    }
  }

 private:
  /// A bit is 1 if an odd number of features hash to it. If n features are in only one of two sets, their sketches
  /// differ in at most n bits.
  using sketch = std::array<std::uint64_t, 8>;

  static sketch sketch_of(std::span<const std::uint32_t> set) {
    sketch result{};
    for (const std::uint32_t feature : set) {
      const std::uint64_t bit = (feature * 0x9E3779B97F4A7C15U) >> 55U;
      result[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    }
    return result;
  }

  [[nodiscard]] std::span<const posting> bucket(std::uint32_t feature) const {
    return std::span(postings_).subspan(offsets_[feature], offsets_[feature + 1] - offsets_[feature]);
  }

  /// Compares the set `rank` with each set of the ranks [first_rank, rank). A pair is verified unless the two sketches
  /// differ in more bits than the sketches of two similar sets can.
  void scan(unsigned thread, std::size_t rank, std::size_t first_rank, const join_visitor& visit) const {
    const sketch& mine = sketches_[rank];
    for (std::size_t other = first_rank; other < rank; ++other) {
      const std::size_t sizes = sizes_[rank] + sizes_[other];
      const std::size_t allowed = sizes - 2 * needed(sizes_[rank], sizes_[other]);
      std::size_t different = 0;
      for (std::size_t i = 0; i < mine.size(); ++i) {
        different += static_cast<std::size_t>(std::popcount(mine[i] ^ sketches_[other][i]));
      }
      if (different <= allowed) verify(thread, rank, other, visit);
    }
  }

  /// Looks up the prefix of the set `rank` in the posting lists, and verifies the pairs with sets of the ranks
  /// [first_rank, rank) that may have enough features in common.
  void look_up(unsigned thread, std::size_t rank, std::uint32_t first_rank, std::size_t least,
               std::vector<std::uint32_t>& common, const join_visitor& visit) const {
    constexpr std::uint32_t hopeless = ~std::uint32_t{0};
    const auto set = sets_[by_size_[rank]];
    std::vector<std::uint32_t> candidates;
    for (std::size_t i = 0; i + least <= set.size(); ++i) {
      const auto bucket = this->bucket(set[i]);
      auto p = std::lower_bound(bucket.begin(), bucket.end(), first_rank,
                                [](const posting& a, std::uint32_t b) { return a.rank < b; });
      for (; p != bucket.end() && p->rank < rank; ++p) {
        std::uint32_t& count = common[p->rank];
        if (count == hopeless) continue;
        if (count == 0) candidates.push_back(p->rank);
        const std::size_t rest = (std::min)(set.size() - i, sizes_[p->rank] - p->position);
        count = count + rest < needed(set.size(), sizes_[p->rank]) ? hopeless : count + 1;
      }
    }
    for (const std::uint32_t candidate : candidates) {
      if (common[candidate] != hopeless) verify(thread, rank, candidate, visit);
      common[candidate] = 0;
    }
  }

  /// Returns the least overlap with which sets of these sizes are similar enough.
  [[nodiscard]] std::size_t needed(std::size_t a, std::size_t b) const {
    return ceiling(threshold_ / (1 + threshold_) * static_cast<double>(a + b));
  }

  /// Returns how many of the rarest features of a set are in the posting lists. A look-up uses more features of its own
  /// set. The posting lists need fewer, because only sets that are at least as large look up this set.
  [[nodiscard]] std::size_t indexed_prefix(std::size_t size) const { return size - needed(size, size) + 1; }

  void build_index() {
    // A feature of only one document is in no overlap.
    const auto indexed = [&](std::uint32_t feature) { return sets_.frequencies()[feature] > 1; };
    offsets_.assign(sets_.frequencies().size() + 1, 0);
    const auto for_each = [&](auto&& use) {
      for (std::uint32_t rank = 0; rank < by_size_.size(); ++rank) {
        const auto set = sets_[by_size_[rank]];
        const std::size_t prefix = indexed_prefix(set.size());
        for (std::uint32_t i = 0; i < prefix; ++i) {
          if (indexed(set[i])) use(set[i], posting{rank, i});
        }
      }
    };
    for_each([&](std::uint32_t feature, posting) { ++offsets_[feature + 1]; });
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    postings_.resize(offsets_.back());
    std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
    for_each([&](std::uint32_t feature, posting p) { postings_[next[feature]++] = p; });
  }

  void verify(unsigned thread, std::size_t rank, std::size_t candidate, const join_visitor& visit) const {
    const auto a = sets_[by_size_[rank]];
    const auto b = sets_[by_size_[candidate]];
    const std::size_t enough = needed(a.size(), b.size());
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (common + (std::min)(a.size() - i, b.size() - j) < enough) return;
      common += a[i] == b[j] ? 1U : 0U;
      const bool step_a = a[i] <= b[j];
      const bool step_b = b[j] <= a[i];
      i += step_a ? 1U : 0U;
      j += step_b ? 1U : 0U;
    }
    if (jaccard(a.size(), b.size(), common) < threshold_) return;
    const auto [low, high] = std::minmax(by_size_[rank], by_size_[candidate]);
    visit(thread, low, high, common);
  }

  const feature_sets& sets_;
  double threshold_;
  std::vector<std::uint32_t> by_size_;  // documents, sorted by the size of their set
  std::vector<std::size_t> sizes_;      // of the sets, in the same order
  std::vector<sketch> sketches_;
  std::vector<posting> postings_;
  std::vector<std::size_t> offsets_;  // by feature
};

}  // namespace

feature_sets::feature_sets(const std::vector<std::vector<std::uint64_t>>& hashes) {
  std::vector<std::uint64_t> all;
  offsets_.push_back(0);
  for (const auto& document : hashes) {
    all.insert(all.end(), document.begin(), document.end());
    offsets_.push_back(all.size());
  }
  features_.reserve(all.size());
  std::sort(all.begin(), all.end());

  std::vector<std::uint64_t> distinct;
  std::vector<std::uint32_t> counts;
  for (const std::uint64_t hash : all) {
    if (distinct.empty() || distinct.back() != hash) {
      distinct.push_back(hash);
      counts.push_back(0);
    }
    ++counts.back();
  }
  std::vector<std::uint32_t> by_rarity(distinct.size());
  std::iota(by_rarity.begin(), by_rarity.end(), 0U);
  std::stable_sort(by_rarity.begin(), by_rarity.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return counts[a] < counts[b]; });
  std::vector<std::uint32_t> rank(distinct.size());
  frequencies_.resize(distinct.size());
  for (std::uint32_t i = 0; i < by_rarity.size(); ++i) {
    rank[by_rarity[i]] = i;
    frequencies_[i] = counts[by_rarity[i]];
  }

  for (const auto& document : hashes) {
    const auto first = static_cast<std::ptrdiff_t>(features_.size());
    for (const std::uint64_t hash : document) {
      const auto found = std::lower_bound(distinct.begin(), distinct.end(), hash);
      features_.push_back(rank[static_cast<std::size_t>(found - distinct.begin())]);
    }
    std::sort(features_.begin() + first, features_.end());
  }
}

std::size_t overlap(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint32_t from_a = a[i];
    const std::uint32_t from_b = b[j];
    common += from_a == from_b ? 1U : 0U;
    i += from_a <= from_b ? 1U : 0U;
    j += from_b <= from_a ? 1U : 0U;
  }
  return common;
}

double jaccard(std::size_t size_a, std::size_t size_b, std::size_t common) {
  const std::size_t all = size_a + size_b - common;
  return all == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(all);
}

void similarity_join(const feature_sets& sets, double threshold, unsigned threads, const join_visitor& visit) {
  if (!(threshold > 0 && threshold <= 1)) throw std::invalid_argument("a similarity is above 0 and at most 1");
  const joiner join(sets, threshold);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&, i] { join.run(i, threads, visit); });
  join.run(0, threads, visit);
  for (std::thread& other : others) other.join();
}

}  // namespace accuracy
