// SPDX-License-Identifier: MIT
// Joins sets exactly: finds all pairs of sets that are similar enough. A set is looked up by its rare features.
//
// Prefix filter: all features are in one order, rare ones first. Let two sets have at least c features in common. Then
// the first common feature is among the first n - c + 1 features of each set, where n is the size of that set. Sets are
// processed by ascending size. Each set looks up all features of its prefix, and finds sets that are not larger. So a
// set needs postings only for a shorter prefix (overlap_bounds::short_prefix). A position filter and a bitmap filter
// drop candidates. The features of the remaining candidates are compared.
//
// If every feature is frequent, nearly all pairs of sets share prefix features. In this case, sets are looked up by
// parts of the universe of features (set_parts.hpp). For each class of sizes, a sample shows which of the two ways
// costs less. For containment, the join looks up all features of the larger set, and counts the posted features of the
// smaller set among them. Each set has a few more postings than necessary, and a candidate must share several of them.
// So few sets become candidates by chance.
// Source: Chaudhuri, Ganti and Kaushik, A Primitive Operator for Similarity Joins in Data Cleaning, ICDE 2006 (the
// prefixes); Bayardo, Ma and Srikant, Scaling Up All Pairs Similarity Search, WWW 2007 (the sizes); Xiao, Wang, Lin and
// Yu, Efficient Similarity Joins for Near Duplicate Detection, WWW 2008 (the positions and the shorter prefix).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../detail/visits.hpp"
#include "../../runner.hpp"
#include "bitmap_filter.hpp"
#include "common_elements.hpp"
#include "distinct_sets.hpp"
#include "overlap_bounds.hpp"
#include "set_parts.hpp"
#include "set_prefixes.hpp"

namespace neardup::inline v0::detail {

/// A pair of similar sets. `a` and `b` are their ranks, a < b; `common` is their overlap.
struct similar_ranks {
  std::uint32_t a, b, common;
};

/// The kinds of keys by which a join looks up sets. A key is the token of a prefix feature, or a hash of a part.
enum class set_keys : unsigned char {
  cheapest,       // the cheapest keys for each class of sizes
  prefixes,       // prefix features, rare ones first
  equal_parts,    // parts of the universe, if the measure allows it
  similar_parts,  // fewer, larger parts, which may differ in one feature
};

/// Batch sizes and keys of a join. The values change memory and speed, never results.
struct set_join_sizes {
  std::size_t min_postings = std::size_t{1} << 22;  // the least number of postings in a chunk, if there are that many
  std::size_t max_chunks = 8;
  std::size_t block = std::size_t{1} << 12;  // least number of consecutive sets whose prefixes are stored together
  set_keys keys = set_keys::cheapest;
  failure_limits failures = {};
};

/// Returns true if set_join joins the rows of one feature faster than a comparison row by row: if the feature has at
/// least `large` rows, and at least large * large candidate pairs. In a candidate pair, at least one of the two rows is
/// in the shorter prefix of its set. A frequent feature may have few candidate pairs: for example, if all texts of a
/// template have the feature, but few of these texts have it in the shorter prefix.
/// position_of(row) is the position of the feature in the prefix of the row's set.
/// Precondition: the rows ascend by size.
template <class Row, class PositionOf>
[[nodiscard]] bool is_corpus(std::span<const Row> rows, const overlap_bounds& bounds, std::size_t large,
                             const PositionOf& position_of) {
  if (rows.size() < large) return false;
  std::size_t size = 0, prefix = 0, posted = 0;  // `posted`: number of rows in shorter prefixes
  for (const Row& r : rows) {
    if (r.size != size) prefix = bounds.short_prefix(size = r.size);
    posted += position_of(r) < prefix ? 1 : 0;
  }
  return posted >= large * large / rows.size();
}

/// Joins distinct sets, either all or selected ones. The *rank* of a set is its number among all distinct sets, and its
/// *place* is its number among the selected sets.
template <class Feature>
class set_join {
 public:
  using take_type = std::function<bool(std::size_t part, std::span<const similar_ranks>)>;

  set_join(const distinct_sets<Feature>& sets, const set_prefixes& prefixes, const overlap_bounds& bounds,
           const any_runner& run, const set_join_sizes& sizes)
      : sets_(sets), prefixes_(prefixes), bounds_(bounds), run_(run), how_(sizes) {}

  /// Joins only the sets that have one of these ranks.
  /// Precondition: the ranks ascend, and the array `ranks` outlives the join.
  void choose(std::span<const std::uint32_t> ranks) noexcept {
    chosen_ = ranks;
    is_all_ = false;
  }
  /// Skips the pairs of two marked sets, and the pairs of two unmarked sets. is_marked[rank] is the mark of a set.
  /// Precondition: the vector outlives the join.
  void join_across(const std::vector<bool>& is_marked) noexcept { side_ = &is_marked; }
  /// Skips the pairs that `classes` leaves out. The number of a set in `classes` is its rank.
  /// Precondition: `classes` outlives the join.
  void leave_out(set_classes& classes) noexcept { classes_ = &classes; }
  /// Makes visit() give up when `failures` reaches its limit.
  /// Precondition: `failures` outlives the join.
  void give_up_at(failure_limit& failures) noexcept { failures_ = &failures; }

  /// Returns the greatest number of parts that work concurrently.
  [[nodiscard]] std::size_t parts() const { return parts_for(run_, size(), 256); }

  /// Calls `take(part, pairs)` with batches of similar pairs. Each pair is passed once, and the order of the pairs is
  /// arbitrary. The parts of the runner call `take` concurrently. If `take` returns false, the join ends soon.
  /// Returns: false if `take` returned false, or the join gave up.
  /// Throws: exceptions of `take`; std::bad_alloc.
  bool visit(const take_type& take) {
    std::vector<worker> workers(parts());
    std::size_t all_postings = 0;
    for_each_size(0, size(), [&](std::size_t begin, std::size_t end, std::size_t n) {
      all_postings += (end - begin) * bounds_.indexed(n);
    });
    const std::size_t room = (std::max)(how_.min_postings, all_postings / how_.max_chunks);
    chunk of;
    for (std::size_t begin = 0; begin < size(); begin = of.end) {
      if (!next_chunk(begin, room, of)) continue;
      fill(of);
      if (of.count != 0 && !probe_by_class(of, workers, take)) return false;
    }
    return true;
  }

 private:
  /// A posting says that a set has a token: the token of a prefix feature, or the key of a part. Sizes and positions
  /// are clipped to 16 bits.
  struct posting {
    std::uint32_t token;
    std::uint32_t place;
    std::uint16_t position;
    std::uint16_t size;
    std::uint32_t bitmap;  // see small_bitmap()
  };
  static constexpr std::size_t postings_a_line = 64 / sizeof(posting);
  static constexpr std::size_t large = 0xffff;  // a size or position that does not fit into 16 bits
  static constexpr std::size_t ahead = 8;
  static constexpr std::size_t few = 16;  // longer posting lists are searched for the sizes that fit

  /// The places [begin, end) of sets.
  struct place_range {
    std::size_t begin, end;
    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  };

  /// A chunk is the consecutive sets [begin, end), with postings of either their prefix features or the keys of their
  /// parts.
  struct chunk {
    std::size_t begin = 0, end = 0;
    part_cut cut = {};           // cut.parts == 0: postings of prefix features
    std::size_t probed_end = 0;  // sets at this place or later are too large to be similar to the chunk's sets
    int bits = 0;
    std::size_t count = 0;  // number of postings; `postings` may be larger
    large_array<posting> postings;
    large_array<std::uint32_t> starts;
    std::vector<std::atomic<std::uint32_t>> runs;  // see scan_by_class()
  };

  struct posting_list {
    std::uint32_t token, begin, end;
  };
  struct looked_up {
    std::size_t place, lists_end;
  };

  /// Scratch memory of one part of the runner.
  struct worker {
    std::vector<looked_up> sets;
    std::size_t seen_begin = 0;        // the place of seen[0]
    std::vector<std::uint32_t> seen;   // seen[i]: the last set of which the set at seen_begin + i was a candidate
    std::vector<std::uint32_t> times;  // times[i]: number of common features of these two sets; only for containment
    std::vector<std::uint32_t> least;  // least[i]: required overlap with a set of least_base + i features
    std::size_t least_base = 0, least_for = 0;
    std::size_t first = 0, last = 0;  // the places of the chunk's sets whose sizes fit
    std::uint32_t bitmap = 0;         // small_bitmap() of the set that is looked up
    std::vector<posting_list> lists;  // lists of all sets to look up, concatenated
    std::vector<set_candidate> candidates;
    std::vector<set_candidate> filtered;  // memory of scan_long()
    std::vector<similar_ranks> found;
    std::size_t candidates_seen = 0, pairs = 0;  // not yet added to the counts of all workers
    part_keys keys;                              // keys of the set that is looked up
  };

  [[nodiscard]] std::size_t size() const noexcept { return is_all_ ? sets_.size() : chosen_.size(); }
  [[nodiscard]] std::uint32_t rank(std::size_t place) const noexcept {
    return is_all_ ? static_cast<std::uint32_t>(place) : chosen_[place];
  }
  [[nodiscard]] std::size_t size_at(std::size_t place) const noexcept { return sets_.size_of(rank(place)); }

  /// Returns the first place in [begin, end) whose set has at least `n` features, or `end` if all sets have fewer
  /// features.
  [[nodiscard]] std::size_t first_of_size(std::size_t begin, std::size_t end, std::size_t n) const noexcept {
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (size_at(middle) < n) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  /// Calls use(first, last, n) for each size n of the sets in [begin, end). The sets in [first, last) have n features.
  template <class Use>
  void for_each_size(std::size_t begin, std::size_t end, const Use& use) const {
    while (begin < end) {
      const std::size_t n = size_at(begin), next = first_of_size(begin, end, n + 1);
      use(begin, next, n);
      begin = next;
    }
  }

  /// Sets `of` to the chunk of about `room` postings that begins at place `begin`. fill() makes these postings later.
  /// Returns: false if no set of the chunk can be similar to any set.
  bool next_chunk(std::size_t begin, std::size_t room, chunk& of) const {
    of.begin = begin;
    std::size_t n = 0, prefix = 0, postings = 0, end = begin;
    for (; end < size() && postings < room; ++end) {
      if (size_at(end) != n) prefix = bounds_.indexed(n = size_at(end));
      postings += prefix;
    }
    of.end = end;
    std::size_t low = end, high = size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (bounds_.least_partner(size_at(middle)) <= n) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    of.probed_end = low;
    return postings != 0;
  }

  [[nodiscard]] std::size_t number_at(std::size_t place) const noexcept { return sets_.first_of(rank(place)); }
  [[nodiscard]] prefix_tokens prefix_at(std::size_t place) const noexcept { return prefixes_[number_at(place)]; }

  /// Prefetches prefixes of sets that are some places after `place`, but before `end`.
  void prefetch_prefix(std::size_t place, std::size_t end) const noexcept {
    if (place + 2 * ahead < end) prefixes_.prefetch_place(number_at(place + 2 * ahead));
    if (place + ahead < end) prefixes_.prefetch_tokens(number_at(place + ahead));
  }

  /// Returns the salt of a set: a number for marked sets, 0 for other sets. The marked sets are one side, and the other
  /// sets are the other side. A set posts its tokens combined (by exclusive or) with its own salt. It looks up its
  /// tokens combined with the salt of the other side. So a set finds only sets of the other side.
  [[nodiscard]] std::uint32_t salt(std::size_t place) const {
    return side_ != nullptr && (*side_)[rank(place)] ? 0x85ebca6bU : 0;
  }
  [[nodiscard]] std::uint32_t salt_of_others(std::size_t place) const {
    return side_ == nullptr ? 0 : salt(place) ^ 0x85ebca6bU;
  }

  /// Returns the bitmap of a set, folded to 32 bits. As in the whole bitmap, each feature of the set flips one bit. If
  /// the sets are small, this bitmap discards most candidates before the join reads anything but the posting.
  [[nodiscard]] std::uint32_t small_bitmap(std::size_t place) const noexcept {
    const set_bitmap& bitmap = sets_.bitmap_of(rank(place));
    const std::uint64_t both = bitmap[0] ^ bitmap[1];
    return static_cast<std::uint32_t>(both ^ both >> 32U);
  }

  /// Returns how many bits of `word` are 1. std::popcount would call a function on a processor without popcount.
  [[nodiscard]] static std::uint32_t count_ones(std::uint32_t word) noexcept {
    word -= word >> 1U & 0x55555555U;
    word = (word & 0x33333333U) + (word >> 2U & 0x33333333U);
    return ((word + (word >> 4U)) & 0x0f0f0f0fU) * 0x01010101U >> 24U;
  }

  /// Makes the postings of the prefix features of the sets in the chunk `of`.
  void fill(chunk& of) {
    std::size_t count = 0;
    for (std::size_t place = of.begin; place < of.end; ++place) {
      if (place + ahead < of.end) prefixes_.prefetch_place(number_at(place + ahead));
      count += prefix_at(place).posted;
    }
    sort_postings(of, count, of.end - of.begin, [&](std::size_t i, const auto& use) {
      const std::size_t place = of.begin + i;
      prefetch_prefix(place, of.end);
      const prefix_tokens prefix = prefix_at(place);
      const std::uint32_t own_salt = salt(place), bitmap = small_bitmap(place);
      const auto n = static_cast<std::uint16_t>((std::min)(size_at(place), large));
      for (std::size_t p = 0; p < prefix.posted; ++p) {
        use(posting{prefix.tokens[p] ^ own_salt, static_cast<std::uint32_t>(place),
                    static_cast<std::uint16_t>((std::min)(p, large)), n, bitmap});
      }
    });
  }

  /// Makes the chunk `of` with the postings of every `stride`-th set of `sets`. Tokens are keys of parts.
  void fill_by_parts(chunk& of, place_range sets, part_cut cut, std::size_t stride) {
    of.begin = sets.begin;
    of.end = sets.end;
    of.cut = cut;
    std::vector<std::size_t> firsts{0};  // the first posting of each set
    for (std::size_t place = sets.begin; place < sets.end; place += stride) {
      firsts.push_back(firsts.back() + cut.posted(size_at(place)));
    }
    large_array<posting> flat(firsts.back());
    const std::size_t count = firsts.size() - 1;
    constexpr std::size_t step = 1024;
    in_steps(run_, parts_for(run_, count, step), count, step,
             [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
               part_keys keys;
               for (std::size_t i = first; i < last; ++i) {
                 const std::size_t place = sets.begin + i * stride;
                 const std::uint32_t own_salt = salt(place);
                 const auto n = static_cast<std::uint16_t>((std::min)(size_at(place), large));
                 const std::uint32_t bitmap = small_bitmap(place);
                 std::size_t at = firsts[i];
                 for (const std::uint32_t key : keys.to_post(sets_[rank(place)], cut)) {
                   flat[at++] = {key ^ own_salt, static_cast<std::uint32_t>(place), 0, n, bitmap};
                 }
               }
               return true;
             });
    sort_postings(of, flat.size(), flat.size(), [from = flat.data()](std::size_t i, const auto& use) { use(from[i]); });
  }

  /// Makes `count` postings, ordered by the first bits of their tokens. each(i, use) calls use(posting) for each
  /// posting of item i < items.
  template <class Each>
  void sort_postings(chunk& of, std::size_t count, std::size_t items, const Each& each) {
    of.count = count;
    if (count > of.postings.size()) of.postings = large_array<posting>(count);
    of.bits = std::clamp(bit_width(count) - 1, 1, 28);
    const std::size_t starts = (std::size_t{1} << of.bits) + 1;
    if (of.starts.size() != starts) of.starts = large_array<std::uint32_t>(starts);
    radix_partition_each(
        items, of.bits, each,
        [bits = of.bits](const posting& p) { return static_cast<std::size_t>(p.token >> (32 - bits)); },
        of.postings.span().first(count), of.starts.span(), run_);
    if (classes_ != nullptr) {
      of.runs = std::vector<std::atomic<std::uint32_t>>(count);
      for (auto& run : of.runs) run.store(1, std::memory_order_relaxed);
    }
  }

  /// Calls probe_all() for all sets that may have partners in `of`, with the cheapest keys for each class of sizes.
  bool probe_by_class(chunk& of, std::vector<worker>& workers, const take_type& take) {
    for (worker& memory : workers) {
      memory.seen_begin = of.begin;
      memory.seen.assign(of.end - of.begin, (std::numeric_limits<std::uint32_t>::max)());
      if (bounds_.looks_up_all()) memory.times.resize(memory.seen.size());
    }
    std::size_t done = of.begin;
    if (bounds_.bounds_differences() && how_.keys != set_keys::prefixes) {
      chunk by_parts;
      for (std::size_t begin = of.begin, end = begin; begin < of.probed_end; begin = end) {
        const size_class sizes = size_class_from(size_at(begin), size_at(of.probed_end - 1), bounds_);
        end = first_of_size(begin, of.probed_end, sizes.last + 1);
        const place_range partners{first_of_size(of.begin, of.end, bounds_.least_partner(sizes.first)),
                                   (std::min)(of.end, end)};
        if (partners.begin >= partners.end) continue;
        const part_cut cut = cheapest_cut(of, by_parts, partners, {begin, end}, sizes.differing);
        if (cut.parts == 0) continue;
        if (!probe_all(of, {done, begin}, workers, take)) return false;
        std::size_t all_postings = 0;
        for_each_size(partners.begin, partners.end, [&](std::size_t from, std::size_t to, std::size_t n) {
          all_postings += (to - from) * cut.posted(n);
        });
        // Parts have more postings than prefixes. So the partners are divided into chunks, which limits the memory.
        const std::size_t pieces = all_postings / (2 * (std::max)(how_.min_postings, of.count)) + 1;
        const std::size_t step = (partners.size() + pieces - 1) / pieces;
        for (std::size_t from = partners.begin; from < partners.end; from += step) {
          fill_by_parts(by_parts, {from, (std::min)(from + step, partners.end)}, cut, 1);
          if (!probe_all(by_parts, {(std::max)(begin, from), end}, workers, take)) return false;
        }
        done = end;
      }
    }
    return probe_all(of, {done, of.probed_end}, workers, take);
  }

  /// Returns the cheapest keys by which the sets `probed` find their partners in a chunk. A cut without parts stands
  /// for prefix features. The costs are measured on a sample of `probed`. Parts are considered only if making their
  /// keys costs less than a search by prefix features. Overwrites `sample` with the keys of a sample of the partners.
  part_cut cheapest_cut(const chunk& of, chunk& sample, place_range partners, place_range probed,
                        std::size_t differing) {
    if (how_.keys == set_keys::equal_parts) return part_cut::into_equal(differing);
    if (how_.keys == set_keys::similar_parts) return part_cut::into_similar(differing);
    using costs = set_join_costs;
    const std::size_t size = size_at(probed.begin + probed.size() / 2);
    // The costs are estimates. So parts are chosen only if they are cheaper by a quarter.
    double least = .75 * static_cast<double>(probed.size()) * cost_of_probe(of, probed, 1);
    part_cut result;
    for (const part_cut cut : {part_cut::into_equal(differing), part_cut::into_similar(differing)}) {
      constexpr std::size_t sampled = 4096, least_stride = 16;
      const double makes = static_cast<double>(partners.size() + probed.size()) * costs::cut(size) +
                           static_cast<double>(partners.size()) * costs::sort(cut.posted(size));
      if (makes >= least) continue;
      const std::size_t stride = (std::max)(partners.size() / sampled, least_stride);
      fill_by_parts(sample, partners, cut, stride);
      const double probes = static_cast<double>(probed.size()) * cost_of_probe(sample, probed, stride);
      if (makes + probes >= least) continue;
      least = makes + probes;
      result = cut;
    }
    return result;
  }

  /// Returns the mean cost of a search for all partners of a set, estimated from a sample of the sets `probed`. The
  /// chunk `of` has every `stride`-th partner only.
  double cost_of_probe(const chunk& of, place_range probed, std::size_t stride) const {
    constexpr std::size_t most_sets = 64, most_postings = 256;
    const std::size_t sets = (std::min)(most_sets, probed.size() / 8 + 1);
    worker memory;
    double keys = 0, postings = 0, candidates = 0;
    for (std::size_t i = 0; i < sets; ++i) {
      const std::size_t place = probed.begin + (2 * i + 1) * probed.size() / (2 * sets), n = size_at(place);
      look_up(of, memory, place, place + 1);
      prepare(of, memory, n);
      keys += static_cast<double>(memory.lists.size());
      for (std::size_t key = 0; key < memory.lists.size(); ++key) {
        const std::size_t position = of.cut.parts == 0 ? key : 0;
        const std::span<const posting> list =
            partners_in(of, memory, memory.lists[key], n, position, memory.first, (std::min)(memory.last, place));
        const std::size_t step = list.size() / most_postings + 1;
        std::size_t taken = 0, looks = 0;
        for (std::size_t at = 0; at < list.size(); at += step, ++looks) {
          const posting& p = list[at];
          taken += p.token == memory.lists[key].token && least_common(memory, n, position, p) != 0 ? 1 : 0;
        }
        postings += static_cast<double>(list.size());
        if (looks > 0)
          candidates += static_cast<double>(list.size()) * static_cast<double>(taken) / static_cast<double>(looks);
      }
    }
    const auto share = static_cast<double>(stride);
    return set_join_costs::probe(keys, postings * share, candidates * share) / static_cast<double>(sets);
  }

  /// Returns the postings of `list` whose sets are at the places [first, last), and may be partners of a set of `n`
  /// features. Assumes that the first common feature is at `position` of the set of `n` features, and leaves out sets
  /// that are too large for this position.
  static std::span<const posting> partners_in(const chunk& of, const worker& memory, const posting_list& list,
                                              std::size_t n, std::size_t position, std::size_t first,
                                              std::size_t last) {
    const auto is_before = [](const posting& p, std::size_t limit) { return p.place < limit; };
    const posting *const begin = of.postings.data() + list.begin, *const end = of.postings.data() + list.end;
    const posting* const from = std::lower_bound(begin, end, first, is_before);
    const posting* to = std::lower_bound(from, end, last, is_before);
    // The required overlap grows with the size of the other set. At most n - position features can be common, so larger
    // sets are skipped.
    const auto fits = std::upper_bound(memory.least.begin(), memory.least.end(), n - position);
    if (position != 0 && fits != memory.least.end()) {
      const std::size_t size = memory.least_base + static_cast<std::size_t>(fits - memory.least.begin());
      to = std::lower_bound(from, to, size, [](const posting& p, std::size_t limit) { return p.size < limit; });
    }
    return {from, to};
  }

  /// Searches the chunk `of` for partners of each set in `probed`, and passes the pairs to `take`.
  /// Returns: false if `take` returned false, or if `failures_` says that the join has to give up.
  bool probe_all(chunk& of, place_range probed, std::vector<worker>& workers, const take_type& take) {
    if (probed.begin >= probed.end) return true;
    for (worker& memory : workers) memory.least_for = 0;
    return in_steps(run_, workers.size(), probed.size(), 64,
                    [&](std::size_t part, std::size_t first, std::size_t last) {
                      first += probed.begin;
                      last += probed.begin;
                      worker& memory = workers[part];
                      while (first < last) {
                        first = look_up(of, memory, first, last);
                        for (const looked_up& set : memory.sets) {
                          probe(of, memory, set);
                          if (memory.found.empty()) continue;
                          if (!take(part, std::span<const similar_ranks>(memory.found))) return false;
                          memory.found.clear();
                        }
                      }
                      if (failures_ == nullptr) return true;
                      failures_->count(std::exchange(memory.candidates_seen, 0), std::exchange(memory.pairs, 0));
                      return !failures_->is_reached();
                    });
  }

  /// Sets memory.sets to the first sets at the places [first, last), and memory.lists to their posting lists. All lists
  /// are prefetched before the first list is read.
  /// Returns: the place after the last set of memory.sets.
  std::size_t look_up(const chunk& of, worker& memory, std::size_t first, std::size_t last) const {
    constexpr std::size_t most = 256;  // most posting lists at a time; the lists of the last set may exceed it
    memory.sets.clear();
    memory.lists.clear();
    while (first < last && memory.lists.size() < most) {
      const std::size_t place = first++;
      if (of.cut.parts == 0) prefetch_prefix(place, last);
      const std::uint32_t others = salt_of_others(place);
      const auto add = [&](std::uint32_t token) {
        memory.lists.push_back({token ^ others, 0, 0});
        prefetch(&of.starts[(token ^ others) >> (32 - of.bits)]);
      };
      if (of.cut.parts != 0) {
        for (const std::uint32_t key : memory.keys.to_look_up(sets_[rank(place)], of.cut)) add(key);
      } else if (bounds_.looks_up_all()) {
        for (const Feature feature : sets_[rank(place)]) add(feature_token(feature));
      } else {
        for (const std::uint32_t token : prefix_at(place).tokens) add(token);
      }
      memory.sets.push_back({place, memory.lists.size()});
    }
    for (posting_list& list : memory.lists) {
      const std::size_t bucket = list.token >> (32 - of.bits);
      list.begin = of.starts[bucket];
      list.end = of.starts[bucket + 1];
      const std::size_t end = (std::min)(list.end, list.begin + std::uint32_t{few});
      for (std::size_t i = list.begin / postings_a_line * postings_a_line; i < end; i += postings_a_line) {
        prefetch(&of.postings[i]);
      }
    }
    return first;
  }

  /// Prepares `memory` for a set of `n` features. Sets memory.least to the required overlaps with sets of each size.
  /// Sets [memory.first, memory.last) to the places of the sets in the chunk that have from least_partner(n) to n
  /// features.
  void prepare(const chunk& of, worker& memory, std::size_t n) const {
    if (memory.least_for == n) return;
    const bool stays = bounds_.looks_up_all() && memory.least_for != 0;
    memory.least_for = n;
    const std::size_t least_size = bounds_.least_partner(n);
    memory.first = first_of_size(of.begin, of.end, least_size);
    memory.last = first_of_size(memory.first, of.end, n + 1);
    if (stays) return;
    memory.least.clear();
    const std::size_t last = bounds_.looks_up_all() ? of.end : memory.last;
    if (memory.first == last) return;
    memory.least_base = size_at(memory.first);
    const std::size_t most = (std::min)(size_at(last - 1), large - 1);
    for (std::size_t size = memory.least_base; size <= most; ++size) {
      memory.least.push_back(static_cast<std::uint32_t>(bounds_.least(size, bounds_.looks_up_all() ? size : n)));
    }
  }

  void probe(chunk& of, worker& memory, const looked_up& set) {
    const std::size_t place = set.place, n = size_at(place);
    prepare(of, memory, n);
    const std::size_t first = memory.first, last = (std::min)(memory.last, place);
    const std::size_t lists_begin = &set == memory.sets.data() ? 0 : (&set - 1)->lists_end;
    if (first >= last) return;
    memory.candidates.clear();
    memory.bitmap = small_bitmap(place);
    for (std::size_t i = lists_begin; i < set.lists_end; ++i) {
      const std::size_t position = of.cut.parts == 0 ? i - lists_begin : 0;
      scan(of, memory, memory.lists[i], place, n, position, first, last);
    }
    if (bounds_.looks_up_all()) keep_frequent(memory, n);
    if (!memory.candidates.empty()) compare(memory, place, n, memory.candidates);
  }

  /// Adds the sets of a posting list to the candidates for the set at `place`.
  NEARDUP_ALWAYS_INLINE void scan(chunk& of, worker& memory, const posting_list& list, std::size_t place, std::size_t n,
                                  std::size_t position, std::size_t first, std::size_t last) {
    const bool counts = bounds_.looks_up_all();
    std::span<const posting> postings = of.postings.span().subspan(list.begin, list.end - list.begin);
    if (postings.size() > few) {
      postings = partners_in(of, memory, list, n, counts ? 0 : position, first, last);
      const auto begin = static_cast<std::size_t>(postings.data() - of.postings.data());
      if (classes_ != nullptr && !counts && postings.size() > 4 * few &&
          are_mostly_of_one_class(of, begin, begin + postings.size())) {
        return scan_by_class(of, memory, place, n, position, list.token, begin, begin + postings.size());
      }
      if (!counts && !postings.empty() && postings.back().size != large) {
        return scan_long(memory, postings, list.token, place, n, position);
      }
    }
    for (const posting p : postings) {
      if (p.place >= last) return;
      if (p.token != list.token || p.place < first) continue;
      if (counts) {
        count_common_feature(memory, place, p);
      } else {
        add_candidate(memory, place, n, position, p);
      }
    }
  }

  /// Adds candidates as scan() does, but faster if the list of postings is long.
  /// Precondition: the set of each posting has a size that can match.
  /// If most sets are of one template, about half of the postings pass the filters. So the filters have no branches: a
  /// mispredicted branch takes longer than all filters. Whole bitmaps are compared before the sets are marked in
  /// memory.seen.
  void scan_long(worker& memory, std::span<const posting> postings, std::uint32_t token, std::size_t place,
                 std::size_t n, std::size_t position) const {
    if (memory.filtered.size() < postings.size()) memory.filtered.resize(2 * postings.size());
    set_candidate* const filtered = memory.filtered.data();
    const std::span<const std::uint32_t> least_of(memory.least);
    const std::size_t least_base = memory.least_base;
    const std::uint32_t bitmap = memory.bitmap;
    std::size_t fitting = 0, left = 0;
    for (const posting& p : postings) {
      const std::size_t least = least_of[p.size - least_base];
      const unsigned fits =
          (p.token == token ? 1U : 0U) & (least + p.position <= p.size ? 1U : 0U) & (least + position <= n ? 1U : 0U);
      filtered[left] = {p.place, static_cast<std::uint32_t>(least)};
      fitting += fits;
      left += fits & (count_ones(p.bitmap ^ bitmap) + 2 * least <= n + p.size ? 1U : 0U);
    }
    left = filter(place, n, std::span(filtered, left));
    memory.candidates_seen += fitting - left;
    for (const set_candidate& other : std::span(filtered, left)) {
      std::uint32_t& seen = memory.seen[other.place - memory.seen_begin];
      if (seen == place) continue;
      seen = static_cast<std::uint32_t>(place);
      memory.candidates.push_back(other);
    }
  }

  /// Returns true if adjacent postings of [begin, end) seem to be mostly of sets of one class. Examines eight postings.
  [[nodiscard]] bool are_mostly_of_one_class(const chunk& of, std::size_t begin, std::size_t end) const {
    constexpr std::size_t some = 8;
    const auto class_at = [&](std::size_t i) {
      return classes_->of(rank(of.postings[begin + (end - begin) * i / some].place));
    };
    std::size_t before = class_at(0), equal = 0;
    for (std::size_t i = 1; i < some; ++i) {
      const std::size_t own = class_at(i);
      equal += own == before ? 1 : 0;
      before = own;
    }
    return 2 * equal >= some;
  }

  /// Scans a list whose sets are mostly of one class. The result is the same as for scan(). Each candidate is compared
  /// at once, because a similar candidate may change the class of the set at `place`.
  /// Invariant: the postings [i, i + runs[i]) are of sets of one class.
  /// So the postings [i, i + runs[i]) are skipped if their class is the class of the set at `place`. Adjacent ranges of
  /// one class are united first.
  void scan_by_class(chunk& of, worker& memory, std::size_t place, std::size_t n, std::size_t position,
                     std::uint32_t token, std::size_t begin, std::size_t end) {
    const auto class_at = [&](std::size_t i) { return classes_->of(rank(of.postings[i].place)); };
    std::size_t own = classes_->of(rank(place)), i = begin;
    while (i < end) {
      const posting p = of.postings[i];
      const std::size_t theirs = class_at(i);
      if (theirs == own) {
        std::uint32_t length = of.runs[i].load(std::memory_order_relaxed);
        const std::size_t next = i + length;
        if (next < end && class_at(next) == theirs) {
          length += of.runs[next].load(std::memory_order_relaxed);
          of.runs[i].store(length, std::memory_order_relaxed);
        }
        i += length;
        continue;
      }
      ++i;
      if (p.token != token || least_common(memory, n, position, p) == 0) continue;
      if (classes_->leaves_out(rank(place), rank(p.place))) continue;
      const std::size_t before = memory.candidates.size();
      add_candidate(memory, place, n, position, p);
      if (memory.candidates.size() == before) continue;
      compare(memory, place, n, std::span(memory.candidates).subspan(before));
      memory.candidates.resize(before);
      own = classes_->of(rank(place));
    }
  }

  /// Returns the required overlap of a set of `n` features with the set of the posting `p`, or 0 if the sets cannot be
  /// similar enough. Assumes that the first common feature of the two sets is at `position` of the set of `n` features,
  /// and at `p.position` of the other set.
  [[nodiscard]] std::size_t least_common(const worker& memory, std::size_t n, std::size_t position,
                                         const posting& p) const noexcept {
    if (p.size < large) {
      const std::size_t least = memory.least[p.size - memory.least_base];
      return std::size_t{p.size} < least + p.position || n < least + position ? 0 : least;
    }
    const std::size_t size = size_at(p.place), least = bounds_.least(size, n);
    return least > size ? 0 : least;
  }

  // g++ 12 calls scan() and add_candidate() otherwise: a join of 10^6 texts takes 1.03 times as long.
  NEARDUP_ALWAYS_INLINE void add_candidate(worker& memory, std::size_t place, std::size_t n, std::size_t position,
                                           const posting& p) {
    const std::size_t least = least_common(memory, n, position, p);
    if (least == 0) return;
    if (p.size != large && count_ones(p.bitmap ^ memory.bitmap) + 2 * least > n + p.size) {
      ++memory.candidates_seen;
      return;
    }
    std::uint32_t& seen = memory.seen[p.place - memory.seen_begin];
    if (seen == place) return;
    seen = static_cast<std::uint32_t>(place);
    memory.candidates.push_back({p.place, static_cast<std::uint32_t>(least)});
    prefetch(&sets_.bitmap_of(rank(p.place)));
  }

  void count_common_feature(worker& memory, std::size_t place, const posting& p) const {
    const std::size_t number = p.place - memory.seen_begin;
    if (memory.seen[number] != place) {
      memory.seen[number] = static_cast<std::uint32_t>(place);
      memory.times[number] = 0;
      memory.candidates.push_back({p.place, 0});
    }
    ++memory.times[number];
  }

  /// Keeps the candidates of which at least least_met() postings were found, and sets their required overlaps.
  void keep_frequent(worker& memory, std::size_t n) const {
    std::size_t kept = 0;
    for (const set_candidate& other : memory.candidates) {
      const std::size_t size = size_at(other.place);
      const std::size_t least = size < large ? memory.least[size - memory.least_base] : bounds_.least(size, n);
      if (memory.times[other.place - memory.seen_begin] < overlap_bounds::least_met(least)) continue;
      prefetch(&sets_.bitmap_of(rank(other.place)));
      memory.candidates[kept++] = {other.place, static_cast<std::uint32_t>(least)};
    }
    memory.candidates.resize(kept);
  }

  /// Drops the candidates for the set at `place` that the bitmap filter excludes.
  /// Returns: the number of candidates that remain, at the front of `candidates`.
  std::size_t filter(std::size_t place, std::size_t n, std::span<set_candidate> candidates) const {
    return filter_by_bitmaps(
        candidates, n, sets_.bitmap_of(rank(place)), [&](std::size_t other) { return size_at(other); },
        [&](std::size_t other) -> const set_bitmap& { return sets_.bitmap_of(rank(other)); });
  }

  void compare(worker& memory, std::size_t place, std::size_t n, std::span<set_candidate> candidates) {
    const std::uint32_t b = rank(place);
    memory.candidates_seen += candidates.size();
    const std::size_t left = filter(place, n, candidates);
    if (left == 0) return;
    const std::span<const Feature> set = sets_[b];
    for (const set_candidate& other : candidates.first(left)) {
      const std::uint32_t a = rank(other.place);
      if (classes_ != nullptr && classes_->leaves_out(a, b)) continue;
      // Two sets of one side become candidates if tokens of the two sets happen to differ by the bits of the salt. Such
      // candidates are skipped.
      if (side_ != nullptr && (*side_)[a] == (*side_)[b]) continue;
      const std::size_t common = count_common(sets_[a], set, other.least);
      if (common < other.least) continue;
      ++memory.pairs;
      if (classes_ != nullptr) classes_->add(a, b);
      memory.found.push_back({(std::min)(a, b), (std::max)(a, b), static_cast<std::uint32_t>(common)});
    }
  }

  const distinct_sets<Feature>& sets_;
  const set_prefixes& prefixes_;
  const overlap_bounds& bounds_;
  any_runner run_;
  set_join_sizes how_;
  std::span<const std::uint32_t> chosen_;
  bool is_all_ = true;
  const std::vector<bool>* side_ = nullptr;
  set_classes* classes_ = nullptr;
  failure_limit* failures_ = nullptr;
};

}  // namespace neardup::inline v0::detail
