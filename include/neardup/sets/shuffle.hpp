// SPDX-License-Identifier: MIT
// Joins feature sets in pieces. A scatter sends the sets to partitions, and a gather finds the pairs of one partition.
// Partitions may be files, or the partitions of an engine such as Spark.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../detail/equal_groups.hpp"
#include "../error.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/bitmap_filter.hpp"
#include "engine/common_elements.hpp"
#include "engine/overlap_bounds.hpp"
#include "engine/shuffle_blob.hpp"
#include "engine/shuffle_join.hpp"
#include "feature_counts.hpp"
#include "feature_sets.hpp"

namespace neardup::inline v0 {

/// The data of a set that a shuffle moves, in addition to the number of the document and the prefix features.
enum class shuffle_payload : std::uint8_t {
  /// The shuffle moves no further data of a set. gather_pairs() returns candidate pairs.
  ids,
  /// The shuffle also moves a bitmap of 128 bits. gather_pairs() returns candidate pairs, most of which are similar.
  sketch,
  /// The shuffle moves the whole set. gather_pairs() returns pairs. The choice `sets` costs least if sets are small.
  sets,
};

/// Settings of a shuffle. All scatters and gathers of one shuffle need the same settings. Each blob contains the
/// settings.
struct shuffle_settings {
  /// The least similarity of a pair, with its measure.
  set_threshold least = jaccard{0.8};
  /// The number of partitions.
  std::uint32_t partitions = 1;
  shuffle_payload payload = shuffle_payload::sets;
  /// True if the feature_counts that each scatter gets include all sets of the shuffle, also copies. The rows of
  /// features that occur once are then left out. Most rows are such rows.
  bool all_counted = false;
  /// True if only some pairs of copies are wanted; see join_options::copies_once.
  bool copies_once = false;
  /// The number of the first document of a second corpus. If this member is set, each pair has one document of each
  /// corpus, and copies_once has no effect.
  std::uint64_t second_from = no_second;
  /// A number that identifies how the features were made, such as a hash of the tokenizer's name and the seed. A gather
  /// refuses blobs with another number.
  std::uint64_t identity = 0;

  static constexpr std::uint64_t no_second = (std::numeric_limits<std::uint64_t>::max)();
};

namespace detail {

template <class Feature>
[[nodiscard]] blob_header header_of(const shuffle_settings& settings, const overlap_bounds& bounds,
                                    std::uint64_t counts, std::uint32_t partition) {
  if (settings.partitions == 0) fail<std::invalid_argument>("a shuffle into 0 partitions");
  if (partition >= settings.partitions) {
    fail<std::invalid_argument>({"partition ", partition, " of ", settings.partitions});
  }
  blob_header header{};
  header.magic = blob_header::magic_number;
  header.version = blob_header::current_version;
  header.width = sizeof(Feature);
  header.measure = static_cast<std::uint8_t>(settings.least.measure);
  header.payload = static_cast<std::uint8_t>(settings.payload);
  header.flags = static_cast<std::uint8_t>((settings.all_counted ? blob_header::all_counted : 0) |
                                           (settings.copies_once ? blob_header::copies_once : 0));
  header.similarity = std::bit_cast<std::uint64_t>(settings.least.similarity);
  header.min_common = bounds.min_common();
  header.partitions = settings.partitions;
  header.partition = partition;
  header.second_from = settings.second_from;
  header.identity = settings.identity;
  header.counts = counts;
  return header;
}

/// Checks the offsets of sets in a flat array.
/// Throws: std::invalid_argument if the offsets do not ascend, or do not agree with the numbers of sets and features.
template <class Offset>
void check_offsets(std::span<const Offset> offsets, std::size_t sets, std::size_t features) {
  bool are_right = offsets.size() == sets + 1 && std::is_sorted(offsets.begin(), offsets.end());
  if constexpr (std::is_signed_v<Offset>) are_right = are_right && offsets.front() >= 0;
  if (!are_right || static_cast<std::uint64_t>(offsets.back()) > features) {
    fail<std::invalid_argument>(
        {"the offsets of ", sets, " sets are not that many and one, ascending, within the features"});
  }
}
template <class Feature, class Offset>
[[nodiscard]] std::span<const Feature> set_at(std::span<const Feature> features, std::span<const Offset> offsets,
                                              std::size_t i) noexcept {
  const auto begin = static_cast<std::size_t>(offsets[i]);
  return features.subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
}

}  // namespace detail

/// Scatters sets to partitions. A set goes to the partition of each of its prefix features, as a record in a blob.
/// Prefix features are the rarest features of a set. Similar sets share at least one prefix feature, so at least one
/// partition gets both sets.
///
/// Several scatters, also on different machines, may process parts of a corpus. All scatters need equal settings and
/// equal feature_counts. To gather a partition, pass to gather_pairs() the blobs of the partition from all scatters.
/// Thread safety: none. Each thread needs its own scatter.
template <std::unsigned_integral Feature = std::uint64_t>
class set_scatter {
  static_assert(sizeof(Feature) == 4 || sizeof(Feature) == 8, "neardup: features have 32 or 64 bits");

 public:
  /// Makes a scatter that has no sets yet.
  /// Precondition: `counts` outlives the scatter, and does not change.
  /// Throws: std::invalid_argument unless 0 < settings.least.similarity <= 1 and settings.partitions > 0;
  /// std::bad_alloc.
  set_scatter(const shuffle_settings& settings, const feature_counts<Feature>& counts)
      : settings_(settings),
        bounds_(settings.least),
        counts_(&counts),
        header_(detail::header_of<Feature>(settings, bounds_, counts.identity(), 0)),
        writers_(settings.partitions) {}

  /// Adds sets that are in flat arrays, such as arrays of Arrow. Set i belongs to the document documents[i]. Its
  /// features are ascending and distinct, and have the indices from offsets[i] to offsets[i + 1] - 1. Equal sets of one
  /// call become one record, so pass thousands of sets in each call.
  /// Throws: std::invalid_argument if the offsets or features are not as described, or if settings.all_counted is set
  /// although a set was not counted; std::length_error if a call has 2^32 - 1 sets or more, or a set has as many
  /// features; std::bad_alloc. After an exception the blobs must not be used, because they may contain some of the
  /// sets.
  template <std::integral Offset>
  void add(std::span<const std::uint64_t> documents, std::span<const Feature> features,
           std::span<const Offset> offsets) {
    detail::check_offsets(offsets, documents.size(), features.size());
    if (documents.size() >= none) detail::fail<std::length_error>("a scatter of 2^32 - 1 sets at a time, or more");
    const auto count = static_cast<std::uint32_t>(documents.size());
    const auto set_of = [&](std::size_t i) { return detail::set_at(features, offsets, i); };
    sketches_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::span<const Feature> set = set_of(i);
      if (set.size() >= none) detail::fail<std::length_error>("a set of 2^32 - 1 features or more");
      detail::check_ascending(set);
      sketches_.push_back(detail::sketch_of(set));
    }
    const detail::equal_groups<std::uint32_t> copies(
        count, [&](std::size_t i) { return sketches_[i].hash; },
        [&](std::uint32_t a, std::uint32_t b) { return detail::compare_sets(set_of(a), set_of(b)); }, {});
    const auto first_feature = static_cast<std::size_t>(offsets.front());
    const std::span<const Feature> all =
        features.subspan(first_feature, static_cast<std::size_t>(offsets.back()) - first_feature);
    feature_count_.resize(all.size());
    counts_->look_up(all, feature_count_);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (copies.is_copy(i)) continue;
      documents_.clear();
      for (const std::uint32_t copy : copies.members(i)) documents_.push_back(documents[copy]);
      std::sort(documents_.begin(), documents_.end());
      add_set(set_of(i), static_cast<std::size_t>(offsets[i]) - first_feature, sketches_[i]);
    }
  }

  /// Returns the number of bytes in the blobs of all partitions that take() has not taken.
  [[nodiscard]] std::size_t size() const noexcept {
    return std::accumulate(writers_.begin(), writers_.end(), std::size_t{0},
                           [](std::size_t sum, const detail::blob_writer& writer) { return sum + writer.size(); });
  }
  [[nodiscard]] std::uint32_t partitions() const noexcept { return settings_.partitions; }

  /// Takes the blob of a partition: the sets that were added since the last call of take() for this partition.
  /// Returns: a blob, or no bytes if no sets were added.
  /// Precondition: partition < partitions().
  [[nodiscard]] std::vector<std::byte> take(std::uint32_t partition) {
    detail::blob_header header = header_;
    header.partition = partition;
    return writers_[partition].take(header);
  }

 private:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

  /// Writes the rows of a set. All documents in documents_ have this set. `place` is the index in feature_count_ of the
  /// count of set[0]: feature_count_[place + i] is the count of the feature set[i].
  void add_set(std::span<const Feature> set, std::size_t place, const detail::set_sketch& sketch) {
    std::size_t prefix = bounds_.prefix(set.size());
    if (set.empty() || prefix == 0) return;
    const std::span<const std::uint16_t> counts = std::span(feature_count_).subspan(place, set.size());
    // The features that occur once come first in the prefix. The order of these features does not matter.
    std::size_t left_out = 0;
    std::uint16_t least = 0xffff;
    for (const std::uint16_t count : counts) {
      left_out += count < 2 ? 1 : 0;
      least = (std::min)(least, count);
    }
    if (!settings_.all_counted) {
      left_out = 0;
    } else if (least < (std::min)(documents_.size(), std::size_t{0xffff})) {
      detail::fail<std::invalid_argument>("all_counted, but a feature was not counted for each set that has it");
    }
    if (left_out >= prefix) return;
    prefix -= left_out;
    keys_.clear();
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (left_out == 0 || counts[i] > 1) keys_.push_back(std::uint64_t{counts[i]} << 32 | i);
    }
    const auto begin = keys_.begin(), end = begin + static_cast<std::ptrdiff_t>(prefix);
    if (end != keys_.end()) std::nth_element(begin, end, keys_.end());
    std::sort(begin, end);
    rows_.clear();
    for (std::size_t i = 0; i < prefix; ++i) {
      rows_.push_back(std::uint64_t{detail::partition_of(set[place_of(keys_[i])], settings_.partitions)} << 32 | i);
    }
    if (settings_.partitions > 1) std::sort(rows_.begin(), rows_.end());
    for (std::size_t first = 0, last = 0; first < rows_.size(); first = last) {
      const std::uint64_t partition = rows_[first] >> 32;
      while (last < rows_.size() && rows_[last] >> 32 == partition) ++last;
      write(writers_[static_cast<std::size_t>(partition)], set, sketch, left_out,
            std::span(rows_).subspan(first, last - first));
    }
  }

  /// Writes the record of a set. The record has the rows of the set that belong to one partition.
  void write(detail::blob_writer& to, std::span<const Feature> set, const detail::set_sketch& sketch,
             std::size_t left_out, std::span<const std::uint64_t> rows) {
    const bool has_set = settings_.payload == shuffle_payload::sets;
    const std::uint32_t prefix = has_set ? place_of(rows.back()) + 1 : 0;
    to.append(detail::record_head{static_cast<std::uint32_t>(set.size()), static_cast<std::uint32_t>(left_out), prefix,
                                  static_cast<std::uint32_t>(rows.size()),
                                  static_cast<std::uint32_t>(documents_.size()), 0});
    to.append(std::span<const std::uint64_t>(documents_));
    indexes_.clear();
    positions_.clear();
    if (has_set) {
      to.append(set);
      for (std::size_t i = 0; i < prefix; ++i) indexes_.push_back(place_of(keys_[i]));
      for (const std::uint64_t row : rows) positions_.push_back(place_of(row));
      to.append_indexes(indexes_, positions_, detail::index_width(set.size()));
    } else {
      to.append(detail::hash_of_set(set));
      if (settings_.payload == shuffle_payload::sketch) to.append(sketch.bitmap);
      features_.clear();
      for (const std::uint64_t row : rows) {
        features_.push_back(set[place_of(keys_[place_of(row)])]);
        positions_.push_back(static_cast<std::uint32_t>(left_out) + place_of(row));
      }
      to.append(std::span<const Feature>(features_));
      to.append(std::span<const std::uint32_t>(positions_));
    }
    to.count_record();
  }

  static std::uint32_t place_of(std::uint64_t key) noexcept { return static_cast<std::uint32_t>(key); }

  shuffle_settings settings_;
  detail::overlap_bounds bounds_;
  const feature_counts<Feature>* counts_;
  detail::blob_header header_;
  std::vector<detail::blob_writer> writers_;
  std::vector<detail::set_sketch> sketches_;
  std::vector<std::uint32_t> indexes_, positions_;
  std::vector<std::uint16_t> feature_count_;
  std::vector<std::uint64_t> documents_, keys_, rows_;
  std::vector<Feature> features_;
};

/// Pairs of documents. Each property of the pairs has its own array.
struct gathered_pairs {
  std::vector<std::uint64_t> first, second;
  std::vector<std::uint32_t> common;  ///< the overlaps of the sets; empty for candidates
  std::vector<double> similarity;     ///< empty for candidates

  [[nodiscard]] std::size_t size() const noexcept { return first.size(); }
};

/// Calls `visit(pairs)` with all pairs of one partition, in batches. `blobs` are the blobs of the partition from all
/// scatters. In each pair, first < second. The order of the pairs is unspecified. Calls do not overlap.
///
/// With shuffle_payload::sets, the pairs are exact: two documents are a pair if settings.least accepts their sets. A
/// pair belongs to the earliest prefix feature that its sets share, so each pair is found once in all partitions
/// together. With the other two payloads, the results are candidate pairs, which verify_sets() has to verify. Each
/// similar pair is a candidate pair in at least one partition, and once in each such partition.
/// Precondition: the bytes of the blobs do not change. The blobs may begin at any address.
/// Throws: std::runtime_error if a blob is damaged, or if its partition, settings or counts differ from those of the
/// first blob; the message names the blob by its index in `blobs`; exceptions of `visit`; std::length_error if there
/// are more than 2^32 - 1 records; std::bad_alloc.
/// Complexity: near-linear in the number of rows if few sets share a prefix feature. If many sets share a prefix
/// feature, the time depends on the payload: whole sets are joined as pairs() joins a corpus, and the other two
/// payloads take quadratic time.
/// Memory: about 120 bytes for each record, and 24 bytes for each of its rows. With the payloads `ids` and `sketch`,
/// each find of a candidate pair takes another 12 to 24 bytes.
template <std::unsigned_integral Feature = std::uint64_t, class Visit>
  requires std::invocable<Visit&, const gathered_pairs&>
void gather_pairs(std::span<const std::span<const std::byte>> blobs, const shuffle_settings& settings,
                  std::uint32_t partition, Visit&& visit, const any_runner& run = {}) {
  const detail::overlap_bounds bounds(settings.least);
  const bool has_sets = settings.payload == shuffle_payload::sets;
  detail::shuffle_join<Feature> join(detail::header_of<Feature>(settings, bounds, 0, partition), bounds, has_sets,
                                     settings.payload == shuffle_payload::sketch, run);
  for (const std::span<const std::byte> blob : blobs) join.add(blob);
  gathered_pairs some;
  const auto hand_over = [&] {
    visit(std::as_const(some));
    some.first.clear();
    some.second.clear();
    some.common.clear();
    some.similarity.clear();
  };
  constexpr std::size_t handed = std::size_t{1} << 16;
  join.visit([&](std::uint64_t first, std::uint64_t second, std::uint32_t common, double similarity) {
    some.first.push_back(first);
    some.second.push_back(second);
    if (has_sets) {
      some.common.push_back(common);
      some.similarity.push_back(similarity);
    }
    if (some.size() == handed) hand_over();
  });
  if (some.size() > 0) hand_over();
}

/// Returns all pairs of one partition, sorted by (first, second).
/// Throws, complexity, memory: the same as gather_pairs() with a visitor, and O(p log p) for p pairs.
/// Example: `const auto pairs = gather_pairs<std::uint64_t>(blobs, settings, 3);`
template <std::unsigned_integral Feature = std::uint64_t>
[[nodiscard]] gathered_pairs gather_pairs(std::span<const std::span<const std::byte>> blobs,
                                          const shuffle_settings& settings, std::uint32_t partition,
                                          const any_runner& run = {}) {
  gathered_pairs all;
  gather_pairs<Feature>(
      blobs, settings, partition,
      [&](const gathered_pairs& some) {
        all.first.insert(all.first.end(), some.first.begin(), some.first.end());
        all.second.insert(all.second.end(), some.second.begin(), some.second.end());
        all.common.insert(all.common.end(), some.common.begin(), some.common.end());
        all.similarity.insert(all.similarity.end(), some.similarity.begin(), some.similarity.end());
      },
      run);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all.first[a] != all.first[b] ? all.first[a] < all.first[b] : all.second[a] < all.second[b];
  });
  const auto arrange = [&](auto& values) {
    if (values.empty()) return;
    auto arranged = values;
    for (std::size_t i = 0; i < order.size(); ++i) arranged[i] = values[order[i]];
    values.swap(arranged);
  };
  arrange(all.first);
  arrange(all.second);
  arrange(all.common);
  arrange(all.similarity);
  return all;
}

/// The overlap and the similarity of candidate pair i, at index i. Both numbers are 0 if the two sets are not a pair.
struct verified_sets {
  std::vector<std::uint32_t> common;
  std::vector<double> similarity;
};

/// Verifies candidate pairs: compares set i of `a` with set i of `b` for each i. `a` and `b` are flat arrays of
/// features, with offsets, as in set_scatter::add(). `settings.least` is the threshold.
/// Throws: std::invalid_argument if the numbers of sets differ, or the offsets do not ascend; std::bad_alloc.
template <std::unsigned_integral Feature, std::integral Offset>
[[nodiscard]] verified_sets verify_sets(std::span<const Feature> a, std::span<const Offset> a_offsets,
                                        std::span<const Feature> b, std::span<const Offset> b_offsets,
                                        const shuffle_settings& settings) {
  const detail::overlap_bounds bounds(settings.least);
  const std::size_t count = a_offsets.empty() ? 0 : a_offsets.size() - 1;
  detail::check_offsets(a_offsets, count, a.size());
  detail::check_offsets(b_offsets, count, b.size());
  verified_sets result{std::vector<std::uint32_t>(count), std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const Feature> x = detail::set_at(a, a_offsets, i), y = detail::set_at(b, b_offsets, i);
    const std::size_t common = bounds.common_if_similar(x, y);
    if (common == 0) continue;
    result.common[i] = static_cast<std::uint32_t>(common);
    result.similarity[i] = bounds.similarity(x.size(), y.size(), common);
  }
  return result;
}

}  // namespace neardup::inline v0
