#include "index_search.hpp"

#include <algorithm>
#include <bit>
#include <neardup/dedup/group_sets.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/threads.hpp>

#include "../ground/pipeline.hpp"
#include "check.hpp"
#include "groups.hpp"

namespace command {

namespace {

/// Finds sets that may be similar to a set of a batch. If a set of n features is similar to a set of the batch, it
/// shares at least least_partner(n) features with the union of the batch.
class batch_filter {
 public:
  batch_filter(std::span<const feature_set> batch, const neardup::set_bounds& bounds) : bounds_(bounds) {
    std::size_t features = 0;
    for (const feature_set set : batch) {
      if (set.empty()) continue;
      features += set.size();
      smallest_ = smallest_ == 0 ? set.size() : std::min(smallest_, set.size());
      largest_ = std::max(largest_, set.size());
    }
    constexpr std::size_t bits_per_feature = 64, most_bits = std::size_t{1} << 27;
    const std::size_t bits = std::bit_ceil(std::clamp(bits_per_feature * features, std::size_t{4096}, most_bits));
    bits_.resize(bits / 64);
    mask_ = static_cast<std::uint32_t>(bits - 1);
    for (const feature_set set : batch) {
      for (const std::uint32_t feature : set) bits_[(feature & mask_) / 64] |= std::uint64_t{1} << feature % 64;
    }
    for (std::size_t n = 0; n < least_.size(); ++n) least_[n] = n == 0 ? 0 : bounds_.least_partner(n);
    smallest_ = smallest_ == 0 ? 0 : bounds_.least_partner(smallest_);
  }

  [[nodiscard]] bool may_be_similar(feature_set set) const {
    const std::size_t n = set.size();
    if (n == 0 || n < smallest_) return false;
    const std::size_t least = n < least_.size() ? least_[n] : bounds_.least_partner(n);
    if (least > n || least > largest_) return false;
    std::size_t may_lack = n - least;
    for (const std::uint32_t feature : set) {
      if ((bits_[(feature & mask_) / 64] >> feature % 64 & 1) == 0 && may_lack-- == 0) return false;
    }
    return true;
  }

 private:
  const neardup::set_bounds& bounds_;
  std::size_t smallest_ = 0;  // size of the smallest set that may be similar
  std::size_t largest_ = 0;   // size of the largest set in the batch
  std::uint32_t mask_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> least_ = std::vector<std::size_t>(1024);
};

/// Some of the indexed sets, by ascending number.
class chosen_sets {
 public:
  chosen_sets(std::span<const feature_set> all, std::vector<std::uint32_t> numbers)
      : all_(all), numbers_(std::move(numbers)) {}

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  [[nodiscard]] feature_set operator[](std::size_t i) const { return all_[numbers_[i]]; }
  [[nodiscard]] std::uint32_t number(std::size_t i) const { return numbers_[i]; }

 private:
  std::span<const feature_set> all_;
  std::vector<std::uint32_t> numbers_;
};

/// Returns the indexed sets that may be similar to a set of the batch. Returns all indexed sets if the batch is so
/// large that most of them would be chosen.
chosen_sets choose(const run_settings& settings, const indexed_sets& indexed, std::span<const feature_set> batch) {
  constexpr std::size_t step = std::size_t{1} << 14, large_share = 8;
  const bool is_large = batch.size() > indexed.numbers / large_share;
  const std::span<const feature_set> sets = indexed.all();
  const neardup::set_bounds bounds(set_threshold_of(settings.comparison));
  const batch_filter filter(is_large ? std::span<const feature_set>() : batch, bounds);
  std::vector<std::vector<std::uint32_t>> chosen((indexed.numbers + step - 1) / step);
  run_parallel(settings.threads, chosen.size(), [&](std::size_t part) {
    for (std::size_t i = part * step; i < std::min(indexed.numbers, (part + 1) * step); ++i) {
      const feature_set set = sets[i];
      if (is_large ? !set.empty() : filter.may_be_similar(set)) chosen[part].push_back(static_cast<std::uint32_t>(i));
    }
  });
  std::vector<std::uint32_t> all;
  for (const auto& some : chosen) all.insert(all.end(), some.begin(), some.end());
  return {sets, std::move(all)};
}

using match_visitor = std::function<void(std::size_t i, std::span<const indexed_match> matches)>;

/// Visits the matches of `batch`, which is a part of a larger batch, and begins at its set `first`. If there are too
/// many matches for memory, visits one half of `batch` after the other.
void visit_part(const run_settings& settings, const chosen_sets& chosen, std::span<const feature_set> batch,
                std::size_t first, const match_visitor& visit) {
  const std::size_t most_matches = std::max(std::size_t{1} << 18, 8 * batch.size());
  std::vector<std::vector<indexed_match>> found(batch.size());
  std::size_t count = 0;
  const auto has_room = [&] { return count <= most_matches || batch.size() == 1; };
  neardup::visit_pairs(batch, chosen, set_threshold_of(settings.comparison),
                       [&](const neardup::similar_pair<std::size_t>& pair) {
                         found[pair.first].push_back({chosen.number(pair.second), pair.similarity});
                         ++count;
                         return has_room();
                       },
                       {.run = neardup::threads{settings.threads}});
  if (!has_room()) {
    found.clear();
    const std::size_t half = batch.size() / 2;
    visit_part(settings, chosen, batch.first(half), first, visit);
    return visit_part(settings, chosen, batch.subspan(half), first + half, visit);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::sort(found[i].begin(), found[i].end(), [](const auto& a, const auto& b) {
      return a.similarity != b.similarity ? a.similarity > b.similarity : a.number < b.number;
    });
    visit(first + i, found[i]);
  }
}

/// Returns true if the postings of the index find all sets that are similar enough.
bool has_postings_for(const run_settings& settings, const indexed_sets& indexed) {
  return set_measure_of(settings.comparison) == neardup::set_similarity::jaccard &&
         *settings.comparison.min_similarity >= indexed.similarity;
}

/// Visits the matches that the postings find. Searches for so few sets at a time that their matches take little memory.
void visit_by_postings(const run_settings& settings, const indexed_sets& indexed, std::span<const feature_set> batch,
                       const match_visitor& visit) {
  constexpr std::size_t first_step = 16, most_in_step = 8192, usual_matches = std::size_t{1} << 18;
  std::size_t step = first_step;
  for (std::size_t begin = 0, end = 0; begin < batch.size(); begin = end) {
    end = std::min(begin + step, batch.size());
    const auto found =
        indexed.search(batch.subspan(begin, end - begin), *settings.comparison.min_similarity, settings.threads);
    std::size_t matches = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      visit(begin + i, found[i]);
      matches += found[i].size();
    }
    step = matches > usual_matches ? std::max(step / 4, std::size_t{1}) : std::min(2 * step, most_in_step);
  }
}

}  // namespace

void visit_similar_in_index(const run_settings& settings, const indexed_sets& indexed,
                            std::span<const feature_set> batch, const match_visitor& visit) {
  if (batch.empty()) return;
  indexed.check_file();
  if (has_postings_for(settings, indexed)) return visit_by_postings(settings, indexed, batch, visit);
  visit_part(settings, choose(settings, indexed, batch), batch, 0, visit);
}

std::vector<std::optional<std::uint32_t>> closest_in_index(
    const run_settings& settings, const indexed_sets& indexed, std::span<const feature_set> batch,
    const std::function<bool(std::size_t i, std::uint32_t number)>& is_allowed) {
  std::vector<std::optional<std::uint32_t>> closest(batch.size());
  if (batch.empty()) return closest;
  if (is_allowed || has_postings_for(settings, indexed)) {
    visit_similar_in_index(settings, indexed, batch, [&](std::size_t i, std::span<const indexed_match> matches) {
      const auto first =
          std::ranges::find_if(matches, [&](const auto& match) { return !is_allowed || is_allowed(i, match.number); });
      if (first != matches.end()) closest[i] = first->number;
    });
    return closest;
  }
  const chosen_sets chosen = choose(settings, indexed, batch);
  neardup::group_options how = exact_grouping(settings, {});
  how.among_themselves = false;
  const std::vector<std::uint32_t> label =
      neardup::extend_groups(chosen, batch, set_threshold_of(settings.comparison), how);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (label[i] < chosen.size()) closest[i] = chosen.number(label[i]);
  }
  return closest;
}

}  // namespace command
