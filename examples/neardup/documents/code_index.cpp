#include "code_index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "../ground/pipeline.hpp"

namespace command {

namespace {

/// Returns bits [begin, begin + width) of a code, with width <= 64.
std::uint64_t bits_at(std::span<const std::uint64_t> words, std::size_t begin, std::size_t width) {
  const std::size_t word = begin / 64, shift = begin % 64;
  std::uint64_t value = words[word] >> shift;
  if (shift + width > 64) value |= words[word + 1] << (64 - shift);
  return width < 64 ? value & ((std::uint64_t{1} << width) - 1) : value;
}

/// Returns the number of bits in which two codes differ within [begin, begin + width).
int differing_bits_at(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t begin,
                      std::size_t width) {
  int count = 0;
  for (std::size_t done = 0; done < width; done += 64) {
    const std::size_t part = std::min<std::size_t>(64, width - done);
    count += std::popcount(bits_at(a, begin + done, part) ^ bits_at(b, begin + done, part));
  }
  return count;
}

/// Returns the number of values that differ from a given value of `width` bits in at most `radius` bits.
double values_within(std::size_t width, int radius) {
  double all = 0, with = 1;
  for (int i = 0; i <= radius; ++i) {
    all += with;
    with *= static_cast<double>(width - std::min(width, static_cast<std::size_t>(i))) / (i + 1);
  }
  return all;
}

/// Calls `visit` for each value that differs from `value` in at most `radius` of the bits [first, width).
template <class Visit>
void visit_within(std::size_t value, std::size_t width, int radius, std::size_t first, const Visit& visit) {
  visit(value);
  if (radius == 0) return;
  for (std::size_t bit = first; bit < width; ++bit) {
    visit_within(value ^ std::size_t{1} << bit, width, radius - 1, bit + 1, visit);
  }
}

// Estimated nanoseconds: to look at a bucket, to compare with a code in a bucket, to compare with the next code of all
// codes, and to put a code into a table. With these estimates, a join of 100,000 random codes of 512 bits within 100
// bits takes 57 s. Comparing each code with all codes took 88 s.
constexpr double of_bucket = 30, of_candidate = 30, of_next = 15, of_entry = 25;

}  // namespace

code_index::code_index(const wide_codes& codes, std::span<const std::uint32_t> numbers, int distance,
                       std::size_t searches)
    : codes_(codes), numbers_(numbers) {
  plan(distance, searches);
  const auto count = static_cast<double>(numbers_.size());
  double cost = 0;
  for (table& one : tables_) {
    fill(one);
    // squares / count is the mean, over the codes of this index, of the size of the bucket in which a code is.
    double squares = 0;
    for (std::size_t i = 0; i + 1 < one.starts.size(); ++i) {
      const double size = one.starts[i + 1] - one.starts[i];
      squares += size * size;
    }
    const double probes = values_within(one.width, one.radius);
    cost += probes * (of_bucket + of_candidate * squares / std::max(1.0, count));
  }
  if (cost > of_next * count) tables_.clear();
}

void code_index::plan(int distance, std::size_t searches) {
  constexpr std::size_t least_bits = 6, most_bits = 20;
  // With up to twice as many buckets as codes, a table takes at most 12 bytes for each code.
  const std::size_t most_width = std::clamp<std::size_t>(std::bit_width(numbers_.size()), least_bits, most_bits);
  const auto count = static_cast<double>(numbers_.size()), asked = static_cast<double>(searches);
  const std::size_t bits = codes_.bits();
  bucket_bits_ = most_width;
  double best = asked * of_next * count;
  std::size_t blocks = 0;
  const auto radius_of = [distance](std::size_t i, std::size_t of) {
    const std::size_t shared = static_cast<std::size_t>(distance) + 1;
    return static_cast<int>(shared / of + (i < shared % of ? 1 : 0)) - 1;
  };
  const auto width_of = [bits](std::size_t i, std::size_t of) { return bits / of + (i < bits % of ? 1 : 0); };
  const auto consider = [&](std::size_t of) {
    double cost = 0;
    for (std::size_t i = 0; i < of; ++i) {
      const int radius = radius_of(i, of);
      const std::size_t width = width_of(i, of);
      if (radius > 0 && width > most_width) return;
      const double probes = values_within(width, radius);
      const double buckets = std::ldexp(1.0, static_cast<int>(radius > 0 ? width : std::min(width, bucket_bits_)));
      cost += of_entry * (count + buckets / 16) + asked * probes * (of_bucket + of_candidate * count / buckets);
      if (cost >= best) return;
    }
    best = cost;
    blocks = of;
  };
  // If there were more blocks than distance + 1, some blocks would have no table.
  const std::size_t most_blocks = std::min(static_cast<std::size_t>(distance) + 1, bits / least_bits);
  for (std::size_t of = 1; of <= most_blocks; ++of) consider(of);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    tables_.push_back({begin, width_of(i, blocks), radius_of(i, blocks), {}, {}});
    begin += tables_.back().width;
  }
}

std::size_t code_index::bucket_of(const table& in, std::span<const std::uint64_t> words) const {
  if (in.radius > 0 || in.width <= bucket_bits_) return bits_at(words, in.begin, in.width);
  std::uint64_t hash = 0;
  for (std::size_t done = 0; done < in.width; done += 64) {
    hash = (std::rotl(hash, 25) ^ bits_at(words, in.begin + done, std::min<std::size_t>(64, in.width - done))) *
           0x9e3779b97f4a7c15;  // an odd number with mixed bits
    hash ^= hash >> 32;
  }
  return hash & ((std::uint64_t{1} << bucket_bits_) - 1);
}

void code_index::fill(table& in) const {
  const std::size_t bits = in.radius > 0 ? in.width : std::min(in.width, bucket_bits_);
  in.starts.assign((std::size_t{1} << bits) + 1, 0);
  std::vector<std::uint32_t> buckets;
  buckets.reserve(numbers_.size());
  for (const std::uint32_t number : numbers_) {
    buckets.push_back(static_cast<std::uint32_t>(bucket_of(in, codes_[number].to_words())));
    ++in.starts[buckets.back() + 1];
  }
  std::partial_sum(in.starts.begin(), in.starts.end(), in.starts.begin());
  in.places.resize(numbers_.size());
  std::vector<std::uint32_t> next(in.starts.begin(), in.starts.end() - 1);
  for (std::uint32_t i = 0; i < buckets.size(); ++i) in.places[next[buckets[i]]++] = i;
}

void code_index::for_each(wide_code code, int k, std::uint32_t end,
                          const std::function<void(std::uint32_t number, int distance)>& visit) const {
  const auto words = code.to_words();
  if (tables_.empty()) {
    for (const std::uint32_t number : numbers_) {
      if (number >= end) break;
      const int distance = differing_bits(words, codes_[number].to_words(), k);
      if (distance <= k) visit(number, distance);
    }
    return;
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const table& in = tables_[t];
    const auto look = [&](std::size_t bucket) {
      for (std::uint32_t p = in.starts[bucket]; p < in.starts[bucket + 1]; ++p) {
        const std::uint32_t number = numbers_[in.places[p]];
        if (number >= end) break;
        const auto other = codes_[number].to_words();
        const int distance = differing_bits(words, other, k);
        if (distance > k) continue;
        // If buckets are numbered by hashes, a bucket also has codes with other values of the block.
        if (differing_bits_at(words, other, in.begin, in.width) > in.radius) continue;
        // An earlier table may have found the code. Then this table does not visit it again.
        const bool is_known =
            std::any_of(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(t), [&](const table& earlier) {
              return differing_bits_at(words, other, earlier.begin, earlier.width) <= earlier.radius;
            });
        if (!is_known) visit(number, distance);
      }
    };
    visit_within(bucket_of(in, words), in.width, in.radius, 0, look);
  }
}

namespace {

/// Calls `visit` for each pair of a code in `some` and a code in `index` within `distance` bits. If `is_below`, the
/// code in `index` must have the lower number.
void search_all(const wide_codes& codes, std::span<const std::uint32_t> some, const code_index& index, bool is_below,
                int distance, unsigned threads, const code_pair_visitor& visit) {
  struct match {
    std::uint32_t a, b;
    int distance;
  };
  constexpr std::size_t in_task = 128;
  const std::size_t tasks_at_once = std::size_t{threads} * 16;
  std::vector<std::vector<match>> found(tasks_at_once);
  for (std::size_t begin = 0; begin < some.size(); begin += in_task * tasks_at_once) {
    const std::size_t left = some.size() - begin, tasks = std::min(tasks_at_once, (left + in_task - 1) / in_task);
    run_parallel(threads, tasks, [&](std::size_t task) {
      const auto own = some.subspan(begin + task * in_task);
      for (const std::uint32_t a : own.first(std::min(own.size(), in_task))) {
        index.for_each(codes[a], distance, is_below ? a : std::numeric_limits<std::uint32_t>::max(),
                       [&](std::uint32_t b, int bits) {
                         found[task].push_back({a, b, bits});
                       });
      }
    });
    for (std::vector<match>& matches : found) {
      for (const match& one : matches) visit(one.a, one.b, one.distance);
      matches.clear();
    }
  }
}

}  // namespace

void visit_code_pairs(const wide_codes& codes, std::span<const std::uint32_t> some, const wide_codes& other_codes,
                      std::span<const std::uint32_t> others, int distance, unsigned threads,
                      const code_pair_visitor& visit) {
  if (some.empty() || others.empty()) return;
  const code_index index(other_codes, others, distance, some.size());
  search_all(codes, some, index, false, distance, threads, visit);
}

void visit_code_pairs(const wide_codes& codes, std::span<const std::uint32_t> some, int distance, unsigned threads,
                      const code_pair_visitor& visit) {
  if (some.size() < 2) return;
  const code_index index(codes, some, distance, some.size());
  search_all(codes, some, index, true, distance, threads,
             [&](std::uint32_t later, std::uint32_t earlier, int bits) { visit(earlier, later, bits); });
}

}  // namespace command
