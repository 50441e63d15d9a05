// All pairs of sets that are similar enough, exactly: by the rare features that they share.
//
// Take all features in one order, rare ones first. Of two sets that have at least c features in common, the first common
// one stands among the first n - c + 1 of each set of n. Sets are taken by ascending size: so of a set only those that
// a set of the same size or a larger one can share first go into postings, which are far fewer, and each set looks up
// all of its own. What meets is discarded by where the common feature stands in both sets, then by a bitmap of each; of
// what is left the features are compared.
// Where a small set is looked for in a large one, all features of the large one are looked up. So it is known how many of
// those in postings it has, and with a few more of these in postings than need be, hardly any set has enough by chance.
// Sources: Chaudhuri, Ganti and Kaushik, A Primitive Operator for Similarity Joins in Data Cleaning, ICDE 2006 (the
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
#include "../../detail/instructions.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../detail/union_find.hpp"
#include "../../instruction_set.hpp"
#include "../../runner.hpp"
#include "common_elements.hpp"
#include "distinct_sets.hpp"
#include "overlap_bounds.hpp"
#include "set_prefixes.hpp"

namespace neardup::inline v0::detail {

/// A set that met another one, and the number of elements that they must have in common.
struct met_set {
  std::uint32_t place;
  std::uint32_t least;
};

/// Keeps those whose bitmaps do not tell that they have too little in common with a set of `size` elements.
/// Returns: how many these are.
template <class SizeOf, class BitmapOf>
std::size_t filter_by_bitmaps_portable(std::span<met_set> met, std::size_t size, const set_bitmap& own,
                                       const SizeOf& size_of, const BitmapOf& bitmap_of) noexcept {
  std::size_t kept = 0;
  for (const met_set& other : met) {
    const set_bitmap& bits = bitmap_of(other.place);
    const std::size_t differing = static_cast<std::size_t>(portable_popcount(bits[0] ^ own[0])) +
                                  static_cast<std::size_t>(portable_popcount(bits[1] ^ own[1]));
    met[kept] = other;
    kept += differing + 2 * std::size_t{other.least} <= size + size_of(other.place) ? 1 : 0;
  }
  return kept;
}

#if NEARDUP_X86_KERNELS
template <class SizeOf, class BitmapOf>
NEARDUP_TARGET_AVX2 std::size_t filter_by_bitmaps_avx2(std::span<met_set> met, std::size_t size, const set_bitmap& own,
                                                       const SizeOf& size_of, const BitmapOf& bitmap_of) noexcept {
  std::size_t kept = 0;
  for (const met_set& other : met) {
    const set_bitmap& bits = bitmap_of(other.place);
    const auto differing =
        static_cast<std::size_t>(_mm_popcnt_u64(bits[0] ^ own[0]) + _mm_popcnt_u64(bits[1] ^ own[1]));
    met[kept] = other;
    kept += differing + 2 * std::size_t{other.least} <= size + size_of(other.place) ? 1 : 0;
  }
  return kept;
}
#endif

/// Two sets that are similar enough, by their ranks, a < b, and how many features they have in common.
struct similar_ranks {
  std::uint32_t a, b, common;
};

/// How much a join does at a time: the answers do not depend on it.
struct set_join_sizes {
  std::size_t min_postings = std::size_t{1} << 22;  // of a chunk, if there are more
  std::size_t max_chunks = 8;
  std::size_t block = std::size_t{1} << 12;  // sets of which the prefixes are kept in one piece
};

/// Joins distinct sets, all or some of them.
template <class Feature>
class set_join {
 public:
  using take_type = std::function<bool(std::size_t part, std::span<const similar_ranks>)>;

  set_join(const distinct_sets<Feature>& sets, const set_prefixes& prefixes, const overlap_bounds& bounds,
           const any_runner& run, const set_join_sizes& sizes)
      : sets_(sets), prefixes_(prefixes), bounds_(bounds), run_(run), how_(sizes) {}

  /// Only these, by ascending rank. They have to stay.
  void choose(std::span<const std::uint32_t> ranks) noexcept {
    chosen_ = ranks;
    is_all_ = false;
  }
  /// Only pairs of which one is marked here, by rank, and the other is not. It has to stay.
  void join_across(const std::vector<bool>& is_marked) noexcept { side_ = &is_marked; }
  /// Unites what is similar instead of reporting it, and compares nothing that is united already: numbers are ranks.
  void unite_in(shared_components<std::uint32_t>& components) noexcept { components_ = &components; }

  /// The most parts that work at a time.
  [[nodiscard]] std::size_t parts() const { return parts_for(run_, size(), 256); }

  /// Calls `take(part, pairs)` with all pairs, each once, some at a time, in no order, parts at the same time. If it
  /// returns false, all ends soon.
  /// Returns: whether it never did. Throws: what `take` throws; std::bad_alloc.
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
      if (of.firsts.back() != 0 && !probe_all(of, workers, take)) return false;
    }
    return true;
  }

 private:
  /// One of the first features of a set. Sizes and places beyond 16 bits are cut to these.
  struct posting {
    std::uint32_t token;
    std::uint32_t place;  // of the set, among the chosen ones
    std::uint16_t position;
    std::uint16_t size;
  };
  static constexpr std::size_t large = 0xffff;  // a size that does not fit
  static constexpr std::size_t ahead = 8;

  /// Sets in a row, and their postings by token.
  struct chunk {
    std::size_t begin = 0, end = 0;
    std::size_t probed_end = 0;  // of the sets that may be similar to some of these
    int bits = 0;
    std::vector<std::size_t> firsts;  // of the postings of each set
    large_array<posting> postings;
    std::vector<std::uint32_t> starts;
    scratch_array<posting> scratch;
    std::vector<std::atomic<std::uint32_t>> runs;  // see scan_by_component
  };

  struct posting_list {
    std::uint32_t token, begin, end;
  };
  struct looked_up {
    std::size_t place, first_position;
    std::size_t lists_end;
  };

  /// What a part needs.
  struct worker {
    std::vector<looked_up> sets;
    std::vector<std::uint32_t> seen;   // by place in the chunk, the set that met it last
    std::vector<std::uint32_t> times;  // and how often, if all features are looked up
    std::vector<std::uint32_t> least;  // what must be in common with sets of some sizes
    std::size_t least_base = 0, least_for = 0;
    std::size_t first = 0, last = 0;  // places of sets of a chunk that are not too small or too large
    std::vector<posting_list> lists;  // of one of these after the other
    std::vector<met_set> met;
    std::vector<similar_ranks> found;
  };

  [[nodiscard]] std::size_t size() const noexcept { return is_all_ ? sets_.size() : chosen_.size(); }
  [[nodiscard]] std::uint32_t rank(std::size_t place) const noexcept {
    return is_all_ ? static_cast<std::uint32_t>(place) : chosen_[place];
  }
  [[nodiscard]] std::size_t size_at(std::size_t place) const noexcept { return sets_.size_of(rank(place)); }

  /// The first place from `begin` to `end` of a set of at least `n`.
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

  /// Calls use(first, last, n) for the sets of each size n.
  template <class Use>
  void for_each_size(std::size_t begin, std::size_t end, const Use& use) const {
    while (begin < end) {
      const std::size_t n = size_at(begin), next = first_of_size(begin, end, n + 1);
      use(begin, next, n);
      begin = next;
    }
  }

  /// The chunk from `begin` on, without its postings. Returns: false if none of its sets is similar to any.
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

  /// Memory for what follows in some steps.
  void prefetch_prefix(std::size_t place, std::size_t end) const noexcept {
    if (place + 2 * ahead < end) prefixes_.prefetch_place(number_at(place + 2 * ahead));
    if (place + ahead < end) prefixes_.prefetch_tokens(number_at(place + ahead));
  }

  /// What is added to tokens of the sets of a side, so that they meet those of the other one only.
  [[nodiscard]] std::uint32_t salt(std::size_t place) const {
    return side_ != nullptr && (*side_)[rank(place)] ? 0x85ebca6bU : 0;
  }
  [[nodiscard]] std::uint32_t salt_of_others(std::size_t place) const {
    return side_ == nullptr ? 0 : salt(place) ^ 0x85ebca6bU;
  }

  void fill(chunk& of) {
    of.firsts.assign(1, 0);
    for_each_size(of.begin, of.end, [&](std::size_t begin, std::size_t end, std::size_t n) {
      const std::size_t prefix = bounds_.indexed(n);
      for (std::size_t i = begin; i < end; ++i) {
        if (i + ahead < end) prefixes_.prefetch_place(number_at(i + ahead));
        const prefix_tokens own = prefix_at(i);
        const std::size_t indexed = prefix > own.first_position ? prefix - own.first_position : 0;
        of.firsts.push_back(of.firsts.back() + indexed);
      }
    });
    const std::size_t count = of.firsts.back();
    if (count > of.postings.size()) of.postings = large_array<posting>(count);
    const std::span<posting> flat = of.postings.span();
    constexpr std::size_t step = 1024;
    in_steps(run_, parts_for(run_, of.end - of.begin, step), of.end - of.begin, step,
             [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 prefetch_prefix(of.begin + i, of.begin + last);
                 const std::size_t place = of.begin + i, at = of.firsts[i], indexed = of.firsts[i + 1] - at;
                 const std::uint32_t own = salt(place);
                 const prefix_tokens prefix = prefix_at(place);
                 const auto n = static_cast<std::uint16_t>((std::min)(size_at(place), large));
                 for (std::size_t p = 0; p < indexed; ++p) {
                   const std::size_t position = prefix.first_position + p;
                   flat[at + p] = {prefix.tokens[p] ^ own, static_cast<std::uint32_t>(place),
                                   static_cast<std::uint16_t>((std::min)(position, large)), n};
                 }
               }
               return true;
             });
    of.bits = std::clamp(static_cast<int>(std::bit_width(count)) - 1, 1, 28);
    of.starts.resize((std::size_t{1} << of.bits) + 1);
    radix_partition(
        count, of.bits, [from = flat.data()](std::size_t i) { return from[i]; },
        [bits = of.bits](const posting& p) { return static_cast<std::size_t>(p.token >> (32 - bits)); },
        [to = flat.data()](std::size_t place, const posting& p) { to[place] = p; }, std::span<std::uint32_t>(of.starts),
        of.scratch, run_);
    of.scratch.release();
    if (components_ != nullptr) {
      of.runs = std::vector<std::atomic<std::uint32_t>>(count);
      for (auto& run : of.runs) run.store(1, std::memory_order_relaxed);
    }
  }

  bool probe_all(chunk& of, std::vector<worker>& workers, const take_type& take) {
    for (worker& own : workers) {
      own.seen.assign(of.end - of.begin, (std::numeric_limits<std::uint32_t>::max)());
      own.least_for = 0;
      if (bounds_.looks_up_all()) own.times.resize(own.seen.size());
    }
    return in_steps(run_, workers.size(), of.probed_end - of.begin, 64,
                    [&](std::size_t part, std::size_t first, std::size_t last) {
                      worker& own = workers[part];
                      while (first < last) {
                        first = look_up(of, own, first, last);
                        for (const looked_up& set : own.sets) {
                          probe(of, own, set);
                          if (own.found.empty()) continue;
                          if (!take(part, std::span<const similar_ranks>(own.found))) return false;
                          own.found.clear();
                        }
                      }
                      return true;
                    });
  }

  /// Looks up the lists of some sets from `first` on, so that the memory of all is asked for before any is needed.
  /// Returns: where the next one begins.
  std::size_t look_up(const chunk& of, worker& own, std::size_t first, std::size_t last) const {
    constexpr std::size_t most = 256;  // lists, but for the last set
    own.sets.clear();
    own.lists.clear();
    while (first < last && own.lists.size() < most) {
      const std::size_t place = of.begin + first++;
      prefetch_prefix(place, of.begin + last);
      const std::uint32_t others = salt_of_others(place);
      const auto add = [&](std::uint32_t token) {
        own.lists.push_back({token ^ others, 0, 0});
        prefetch(&of.starts[(token ^ others) >> (32 - of.bits)]);
      };
      std::size_t first_position = 0;
      if (bounds_.looks_up_all()) {
        for (const Feature feature : sets_[rank(place)]) add(feature_token(feature));
      } else {
        const prefix_tokens prefix = prefix_at(place);
        for (const std::uint32_t token : prefix.tokens) add(token);
        first_position = prefix.first_position;
      }
      own.sets.push_back({place, first_position, own.lists.size()});
    }
    for (posting_list& list : own.lists) {
      const std::size_t bucket = list.token >> (32 - of.bits);
      list.begin = of.starts[bucket];
      list.end = of.starts[bucket + 1];
      if (list.begin != list.end) prefetch(&of.postings[list.begin]);
    }
    return first;
  }

  /// What sets of each size must have in common with one of `n`, and the places of those that can.
  void prepare(const chunk& of, worker& own, std::size_t n) const {
    if (own.least_for == n) return;
    const bool stays = bounds_.looks_up_all() && own.least_for != 0;
    own.least_for = n;
    const std::size_t least_size = bounds_.least_partner(n);
    own.first = first_of_size(of.begin, of.end, least_size);
    own.last = first_of_size(own.first, of.end, n + 1);
    if (stays) return;
    own.least.clear();
    const std::size_t last = bounds_.looks_up_all() ? of.end : own.last;
    if (own.first == last) return;
    own.least_base = size_at(own.first);
    const std::size_t most = (std::min)(size_at(last - 1), large - 1);
    for (std::size_t size = own.least_base; size <= most; ++size) {
      own.least.push_back(static_cast<std::uint32_t>(bounds_.least(size, bounds_.looks_up_all() ? size : n)));
    }
  }

  void probe(chunk& of, worker& own, const looked_up& set) {
    const std::size_t place = set.place, n = size_at(place);
    prepare(of, own, n);
    const std::size_t first = own.first, last = (std::min)(own.last, place);
    const std::size_t lists_begin = &set == own.sets.data() ? 0 : (&set - 1)->lists_end;
    if (first >= last) return;
    own.met.clear();
    for (std::size_t i = lists_begin; i < set.lists_end; ++i) {
      scan(of, own, own.lists[i], place, n, set.first_position + (i - lists_begin), first, last);
    }
    if (bounds_.looks_up_all()) keep_often_met(of, own, n);
    if (!own.met.empty()) compare(own, place, n, own.met);
  }

  /// Takes what has a token in common with a set.
  void scan(chunk& of, worker& own, const posting_list& list, std::size_t place, std::size_t n, std::size_t position,
            std::size_t first, std::size_t last) {
    const std::uint32_t token = list.token, end = list.end;
    std::uint32_t begin = list.begin;
    const bool counts = bounds_.looks_up_all();
    constexpr std::size_t few = 16;
    if (end - begin > few) {
      const auto is_before = [](const posting& p, std::size_t limit) { return p.place < limit; };
      const posting* const all = of.postings.data();
      begin = static_cast<std::uint32_t>(std::lower_bound(all + begin, all + end, first, is_before) - all);
      if (components_ != nullptr && !counts && end - begin > 4 * few) {
        return scan_by_component(of, own, place, n, position, token, begin, end, last);
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      const posting p = of.postings[i];
      if (p.place >= last) return;
      if (p.token != token || p.place < first) continue;
      if (counts) {
        count_meeting(of, own, place, p);
      } else {
        meet(of, own, place, n, position, p);
      }
    }
  }

  /// Where many sets are similar, most are united already: those in a row that are in one component stay so, whatever
  /// follows, and are skipped from then on.
  void scan_by_component(chunk& of, worker& own, std::size_t place, std::size_t n, std::size_t position,
                         std::uint32_t token, std::size_t begin, std::size_t end, std::size_t last) {
    std::size_t run_begin = begin, run_root = sets_.size();
    const auto close = [&](std::size_t i) {
      if (i > run_begin) of.runs[run_begin].store(static_cast<std::uint32_t>(i - run_begin), std::memory_order_relaxed);
    };
    std::size_t root = components_->find(rank(place));
    std::size_t i = begin;
    while (i < end && of.postings[i].place < last) {
      const posting p = of.postings[i];
      std::size_t its_root = components_->find(rank(p.place));
      if (its_root != root && p.token == token) {
        const std::size_t before = own.met.size();
        meet(of, own, place, n, position, p);
        if (own.met.size() > before) {
          compare(own, place, n, std::span(own.met).subspan(before));
          own.met.resize(before);
          root = components_->find(root);
          its_root = components_->find(its_root);
        }
      }
      if (run_root != sets_.size()) run_root = components_->find(run_root);
      if (its_root != run_root) {
        close(i);
        run_begin = i;
        run_root = its_root;
      }
      i += its_root == root ? of.runs[i].load(std::memory_order_relaxed) : 1;
    }
    close((std::min)(i, end));
  }

  void meet(const chunk& of, worker& own, std::size_t place, std::size_t n, std::size_t position, const posting& p) {
    std::size_t least = 0;
    if (p.size < large) {
      least = own.least[p.size - own.least_base];
      if (std::size_t{p.size} < least + p.position || n < least + position) return;
    } else {
      least = bounds_.least(size_at(p.place), n);
      if (least > size_at(p.place)) return;
    }
    std::uint32_t& seen = own.seen[p.place - of.begin];
    if (seen == place) return;
    seen = static_cast<std::uint32_t>(place);
    own.met.push_back({p.place, static_cast<std::uint32_t>(least)});
    prefetch(&sets_.bitmap_of(rank(p.place)));
  }

  void count_meeting(const chunk& of, worker& own, std::size_t place, const posting& p) const {
    const std::size_t number = p.place - of.begin;
    if (own.seen[number] != place) {
      own.seen[number] = static_cast<std::uint32_t>(place);
      own.times[number] = 0;
      own.met.push_back({p.place, 0});
    }
    ++own.times[number];
  }

  /// Of the sets that were met those that have been often enough.
  void keep_often_met(const chunk& of, worker& own, std::size_t n) const {
    std::size_t kept = 0;
    for (const met_set& other : own.met) {
      const std::size_t size = size_at(other.place);
      const std::size_t least = size < large ? own.least[size - own.least_base] : bounds_.least(size, n);
      if (own.times[other.place - of.begin] < overlap_bounds::least_met(least)) continue;
      prefetch(&sets_.bitmap_of(rank(other.place)));
      own.met[kept++] = {other.place, static_cast<std::uint32_t>(least)};
    }
    own.met.resize(kept);
  }

  void compare(worker& own, std::size_t place, std::size_t n, std::span<met_set> met) {
    const std::uint32_t b = rank(place);
    const auto size_of = [&](std::size_t other) { return size_at(other); };
    const auto bitmap_of = [&](std::size_t other) -> const set_bitmap& { return sets_.bitmap_of(rank(other)); };
    std::size_t left = 0;
#if NEARDUP_X86_KERNELS
    if (has_avx2(level_)) {
      left = filter_by_bitmaps_avx2(met, n, sets_.bitmap_of(b), size_of, bitmap_of);
    } else
#endif
    {
      left = filter_by_bitmaps_portable(met, n, sets_.bitmap_of(b), size_of, bitmap_of);
    }
    if (left == 0) return;
    const std::span<const Feature> set = sets_[b];
    for (const met_set& other : met.first(left)) {
      const std::uint32_t a = rank(other.place);
      if (components_ != nullptr && components_->find(a) == components_->find(b)) continue;
      const std::size_t common = count_common(sets_[a], set, other.least);
      if (common < other.least) continue;
      if (components_ != nullptr) {
        components_->unite(a, b);
      } else {
        own.found.push_back({(std::min)(a, b), (std::max)(a, b), static_cast<std::uint32_t>(common)});
      }
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
  shared_components<std::uint32_t>* components_ = nullptr;
  instruction_set level_ = active_instruction_set();
};

}  // namespace neardup::inline v0::detail
