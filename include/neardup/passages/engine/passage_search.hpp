// SPDX-License-Identifier: MIT
// Searches for repeated passages. The search reads the texts twice.
//
// The first pass scatters anchors (passage_anchors.hpp) to partitions by their hashes. Each partition is sorted. The
// anchors that occur more than once become a set. The second pass hashes the windows whose anchors are in the set, and
// scatters them to partitions by their anchors. So equal windows are in one partition, in the order of the documents. A
// table of each partition has the first occurrence of each window.
//
// The records of windows have 16 bytes each. A run of windows is a header and the hashes of its windows. A run that is
// equal to an earlier run is a header and two hashes: the first and the last window of a run determine all others,
// because these two windows together cover all units of the run.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../partition_store.hpp"
#include "../../runner.hpp"
#include "passage_anchors.hpp"

namespace neardup::inline v0::detail {

/// The texts of a search, and the function that splits them into units.
struct passage_source {
  /// Receives a text. If `field` is 0, the text begins a document. If `field` is higher, the text is a further text of
  /// the same document.
  using sink = std::function<void(std::string_view text, std::size_t field)>;
  /// A function that passes all texts to a sink, in order. The function is called twice, and has to pass the same texts
  /// each time.
  std::function<void(const sink&)> visit_texts;
  /// Appends the hashes of the words of a text, computed with a seed. If the function is empty, the units are bytes.
  std::function<void(std::string_view text, std::uint64_t seed, std::vector<std::uint64_t>& hashes)> hash_words;
};

/// The conditions that a repeated passage has to satisfy.
struct passage_conditions {
  std::size_t length = 0, least_documents = 1, earlier_documents = 0;
};

/// Consecutive windows that occurred before: the windows [begin, begin + count) of a text.
struct repeated_windows {
  std::uint32_t document, field, begin, count, first_document, first_field, first_begin;

  friend auto operator<=>(const repeated_windows&, const repeated_windows&) = default;  // by document, then field

  /// Appends the windows `next` if they follow these windows, and if the first occurrences of `next` follow the first
  /// occurrences of these windows.
  /// Returns: false if `next` was not appended.
  bool append(const repeated_windows& next) noexcept {
    const bool follows = count > 0 && next.document == document && next.field == field && next.begin == begin + count &&
                         next.first_document == first_document && next.first_field == first_field &&
                         next.first_begin == first_begin + count;
    if (follows) count += next.count;
    return follows;
  }
};

/// A record of a partition: a header, or the hash of a window.
using window_record = window_hash;

/// Occurrences of an anchor are counted up to this number.
inline constexpr std::size_t most_counted = 3;

/// A run of fewer windows is never written as a copy, because its copy would not be shorter.
inline constexpr std::size_t least_copied = 3;

/// The content of the header of a run.
struct run_header {
  std::uint32_t document, field, begin, count;
  bool is_copy;  // two hashes follow, not `count`

  [[nodiscard]] window_record packed() const noexcept {
    return {std::uint64_t{field} << 32 | document, (std::uint64_t{count} << 1 | (is_copy ? 1U : 0U)) << 32 | begin};
  }
  [[nodiscard]] static run_header of(const window_record& r) noexcept {
    return {static_cast<std::uint32_t>(r.low), static_cast<std::uint32_t>(r.low >> 32),
            static_cast<std::uint32_t>(r.high), static_cast<std::uint32_t>(r.high >> 33), (r.high >> 32 & 1U) != 0};
  }
  /// Returns the number of records of the run, including its header.
  [[nodiscard]] std::size_t records() const noexcept { return 1 + (is_copy ? 2 : std::size_t{count}); }
};

/// Finds the repeated windows of one partition.
/// Memory: 16 to 24 bytes for each record. Another 8 bytes if passages must be in several documents.
class partition_search {
 public:
  using visit_type = std::function<void(const repeated_windows&)>;

  explicit partition_search(const passage_conditions& how) : how_(how) {}

  /// Calls `visit` for the repeated windows of each run.
  /// Precondition: there are fewer than 2^32 records.
  void search(std::span<const window_record> records, const visit_type& visit);

 private:
  /// A hash table of positions in the records, with open addressing. A free entry is 0, which is never the position of
  /// a window, because a header precedes each window.
  class position_table {
   public:
    void reset(std::size_t count) {
      bits_ = (std::max)(4, static_cast<int>(std::bit_width(2 * count)));
      slots_.assign(std::size_t{1} << bits_, 0);
    }
    /// Returns the entry with a position for which is_equal(position) is true. If the table has no such entry, returns
    /// the free entry in which the caller has to store the position.
    template <class IsEqual>
    [[nodiscard]] std::uint32_t& find(std::uint64_t hash, const IsEqual& is_equal) noexcept {
      std::size_t i = to_size(hash * golden_ratio >> (64 - bits_));
      while (slots_[i] != 0 && !is_equal(slots_[i])) i = (i + 1) & (slots_.size() - 1);
      return slots_[i];
    }

   private:
    int bits_ = 4;
    std::vector<std::uint32_t> slots_;
  };

  void find_firsts(std::span<const window_record> records);
  void count_document(std::uint32_t window, std::uint32_t document) {
    if (how_.least_documents < 2 || last_[window] == document + 1) return;
    last_[window] = document + 1;
    ++documents_[window];
  }

  const passage_conditions& how_;
  position_table windows_, runs_;
  // first_[position]: the position of the first window that equals the window at `position`. For the first record after
  // the header of a copy: the position of the first window of the run that is copied.
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> header_;            // header_[position]: the header of the run
  std::vector<std::uint32_t> documents_, last_;  // [first position]: number of documents so far; 1 + the last document
};

/// A search for passages. An object is made for one call of find().
class passage_search {
 public:
  using visit_type = std::function<bool(const repeated_windows&)>;

  /// Prepares a search for passages.
  /// Throws: std::invalid_argument if the length is 0 or above 2^20.
  passage_search(passage_source source, passage_conditions how, any_partition_store store, std::uint64_t memory,
                 any_runner run);

  /// Calls `visit` for all repeated windows, in the order of (document, field, begin). Windows that follow one another
  /// are passed together if their first occurrences also follow one another. The search ends if `visit` returns false.
  void find(const visit_type& visit) {
    scatter_anchors();
    find_repeated_anchors();
    scatter_windows();
    find_repeated();
    visit_found(visit);
  }

 private:
  struct placed_text {
    std::size_t begin, size;
    std::uint32_t document, field;
  };
  /// The last run that a worker has written with these hashes. The next run with the same hashes is written as a copy.
  struct written_run {
    window_hash first{0, 0}, last{0, 0};
    std::size_t count = 0;
  };
  /// An anchor that a worker has scattered, and how often.
  struct scattered_anchor {
    std::uint64_t anchor = 0, times = 0;
  };
  struct worker {
    explicit worker(std::size_t length) : finder(length), hasher(length), known(std::size_t{1} << 12) {}

    /// Takes an anchor of pass 1. An anchor that was scattered `least` times is repeated, and need not be scattered.
    void take(std::uint64_t anchor, std::uint32_t least) {
      scattered_anchor& last = known[part_of(mix(anchor) >> 32, known.size())];
      if (last.anchor != anchor) last = {anchor, 0};
      if (last.times == least) {
        ++repeated;
      } else {
        ++last.times;
        anchors.push_back(anchor);
      }
    }

    anchor_finder finder;
    window_hasher hasher;
    std::vector<std::uint64_t> first, second;  // hashes of words
    std::vector<std::uint64_t> anchors;        // pass 1
    std::vector<scattered_anchor> known;
    std::uint64_t windows = 0, anchors_seen = 0, repeated = 0;  // `repeated`: occurrences of repeated anchors
    std::vector<window_record> records;                         // pass 2
    std::vector<std::pair<std::uint32_t, std::size_t>> pieces;  // the partition and the number of consecutive records
    std::vector<written_run> written;
  };
  /// Appends records to partitions of a store. Some records of each partition wait in memory.
  template <class Record>
  class scattered_records {
   public:
    /// Begins with partition `first` of the store. `memory`: the bytes of the records that wait in memory.
    void begin(std::uint32_t first, std::uint32_t partitions, std::uint64_t memory) {
      first_ = first;
      waiting_.resize(partitions);
      stored_.assign(partitions, 0);
      most_ = to_size(std::clamp<std::uint64_t>(memory / partitions / sizeof(Record), 16, 1024));
    }
    void add(any_partition_store& store, std::uint32_t partition, std::span<const Record> records) {
      std::vector<Record>& waiting = waiting_[partition];
      waiting.insert(waiting.end(), records.begin(), records.end());
      if (waiting.size() >= most_) append(store, partition);
    }
    void end(any_partition_store& store) {
      for (std::uint32_t i = 0; i < waiting_.size(); ++i) {
        if (!waiting_[i].empty()) append(store, i);
        waiting_[i] = {};
      }
    }
    [[nodiscard]] std::uint64_t size(std::size_t partition) const noexcept { return stored_[partition]; }
    /// Reads all records of a partition. The mutex guards the store.
    [[nodiscard]] std::span<Record> read(any_partition_store& store, mutex_type& mutex, std::size_t partition,
                                         scratch_array<Record>& memory) const {
      const std::span<Record> records = memory.take(to_size(stored_[partition]));
      const std::lock_guard lock(mutex);
      if (!records.empty()) store.read(first_ + static_cast<std::uint32_t>(partition), std::as_writable_bytes(records));
      return records;
    }

   private:
    void append(any_partition_store& store, std::uint32_t partition) {
      store.append(first_ + partition, std::as_bytes(std::span(waiting_[partition])));
      stored_[partition] += waiting_[partition].size();
      waiting_[partition].clear();
    }

    std::uint32_t first_ = 0;
    std::vector<std::vector<Record>> waiting_;
    std::vector<std::uint64_t> stored_;  // records in the store
    std::size_t most_ = 0;               // records that wait in a partition
  };

  /// Reads all texts, up to some MB at a time. Calls `use(worker, units, first, last, runs, text)` for each piece of
  /// each text (see anchor_finder), and `after(worker)` for each worker when these texts are read. Workers have
  /// consecutive texts.
  template <class Use, class After>
  void read_texts(bool hashes_windows, const Use& use, const After& after) {
    std::string bytes;
    std::vector<placed_text> texts;
    const std::size_t parts = workers_.size();
    // For each byte of a text, records of up to 16 bytes wait in memory.
    const std::uint64_t most_bytes = std::clamp<std::uint64_t>(memory_ / 64, parts << 16, parts << 20);
    const auto read = [&](worker& own, const placed_text& text) {
      const std::string_view content = std::string_view(bytes).substr(text.begin, text.size);
      const auto read_as = [&](const auto& units) {
        own.finder.for_each_piece(units, [&](std::size_t first, std::size_t last, std::span<const anchor_run> runs) {
          use(own, units, first, last, runs, text);
        });
      };
      if (!source_.hash_words) return read_as(byte_values(content));
      own.first.clear();
      own.second.clear();
      source_.hash_words(content, 0, own.first);
      if (hashes_windows && own.first.size() >= how_.length) source_.hash_words(content, golden_ratio, own.second);
      read_as(word_values(own.first, own.second));
    };
    const auto read_all = [&] {
      in_steps(run_, parts, parts, 1, [&](std::size_t /*thread*/, std::size_t part, std::size_t /*last*/) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
          if (texts[i].begin * parts / bytes.size() == part) read(workers_[part], texts[i]);
        }
        return true;
      });
      for (worker& own : workers_) after(own);
      bytes.clear();
      texts.clear();
    };
    documents_ = 0;
    source_.visit_texts([&](std::string_view text, std::size_t field) {
      if (field == 0) ++documents_;
      if (documents_ == 0) fail<std::invalid_argument>("the first text of a document has the field 0");
      if (documents_ > most_of_text || field > most_of_text || text.size() >= most_of_text) {
        fail<std::length_error>({"passages: text ", field, " of document ", documents_ - 1, " has ", text.size(),
                                 " bytes; a text has less than 4 GiB, and 32 bits number texts"});
      }
      if (text.size() < how_.length) return;
      texts.push_back(
          {bytes.size(), text.size(), static_cast<std::uint32_t>(documents_ - 1), static_cast<std::uint32_t>(field)});
      bytes.append(text);
      if (bytes.size() >= most_bytes) read_all();
    });
    if (!texts.empty()) read_all();
  }

  /// Writes the runs of a piece whose windows may be repeated.
  template <class Values>
  void write_runs(worker& own, const Values& units, std::size_t first, std::size_t last,
                  std::span<const anchor_run> runs, const placed_text& text) {
    constexpr std::size_t ahead = 8;
    bool has_prefixes = false;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (r + ahead < runs.size()) repeated_.look_ahead(runs[r + ahead].anchor);
      const anchor_run& run = runs[r];
      if (!repeated_.contains(run.anchor)) continue;
      if (!std::exchange(has_prefixes, true)) own.hasher.take(units, first, last);
      const std::size_t before = own.records.size();
      const window_hash front = own.hasher[run.first], back = own.hasher[run.end - 1];
      run_header header{text.document, text.field, static_cast<std::uint32_t>(run.first),
                        static_cast<std::uint32_t>(run.size()), false};
      if (run.size() >= least_copied) {
        written_run& known = own.written[to_size((front.low ^ back.high * golden_ratio) % own.written.size())];
        header.is_copy = known.first == front && known.last == back && known.count == run.size();
        if (!header.is_copy) known = {front, back, run.size()};
      }
      own.records.push_back(header.packed());
      if (header.is_copy) {
        own.records.insert(own.records.end(), {front, back});
      } else {
        for (std::size_t window = run.first; window < run.end; ++window) own.records.push_back(own.hasher[window]);
      }
      own.pieces.emplace_back(anchor_set::partition_of(run.anchor, partitions_), own.records.size() - before);
    }
  }

  void scatter_anchors();
  void find_repeated_anchors();
  void scatter_windows();
  void find_repeated();
  void visit_found(const visit_type& visit);

  static constexpr std::uint64_t most_of_text = (std::numeric_limits<std::uint32_t>::max)();
  static constexpr std::uint32_t max_partitions = 4096;
  static constexpr std::uint32_t max_anchor_partitions = 1024;

  passage_source source_;
  passage_conditions how_;
  any_partition_store store_;
  std::uint64_t memory_;
  any_runner run_;
  std::uint32_t least_count_;        // least number of occurrences of an anchor whose windows may be repeated
  std::uint32_t anchor_partitions_;  // the first partitions of the store
  scattered_records<std::uint64_t> anchors_;
  anchor_set repeated_{1, 0};
  std::vector<worker> workers_;
  std::uint64_t windows_ = 0, documents_ = 0;
  std::uint32_t partitions_ = 1;
  scattered_records<window_record> scattered_;
  scattered_records<repeated_windows> found_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE void partition_search::find_firsts(std::span<const window_record> records) {
  first_.resize(records.size());
  header_.resize(records.size());
  documents_.assign(how_.least_documents > 1 ? records.size() : 0, 0);
  last_.assign(documents_.size(), 0);
  std::size_t runs = 0;
  for (std::size_t h = 0; h < records.size(); h += run_header::of(records[h]).records()) ++runs;
  runs_.reset(runs);
  windows_.reset(records.size() - runs);
  for (std::size_t h = 0; h < records.size();) {
    const run_header run = run_header::of(records[h]);
    const auto begin = static_cast<std::uint32_t>(h + 1);
    if (run.count >= least_copied) {
      const window_record &front = records[begin], &back = records[h + run.records() - 1];
      std::uint32_t& same = runs_.find(front.low + back.high, [&](std::uint32_t other) {
        return records[other] == front && records[other + run.count - 1] == back &&
               run_header::of(records[other - 1]).count == run.count;
      });
      if (same == 0) same = begin;
      if (run.is_copy) first_[begin] = same;
    }
    for (std::uint32_t i = 0; i < run.count; ++i) {
      if (run.is_copy) {
        count_document(first_[first_[begin] + i], run.document);
        continue;
      }
      const std::uint32_t position = begin + i;
      std::uint32_t& first = windows_.find(records[position].low,
                                           [&](std::uint32_t other) { return records[other] == records[position]; });
      if (first == 0) first = position;
      first_[position] = first;
      header_[position] = static_cast<std::uint32_t>(h);
      count_document(first, run.document);
    }
    h += run.records();
  }
}

NEARDUP_INLINE void partition_search::search(std::span<const window_record> records, const visit_type& visit) {
  find_firsts(records);
  repeated_windows found{};
  for (std::size_t h = 0; h < records.size();) {
    const run_header run = run_header::of(records[h]);
    const auto begin = static_cast<std::uint32_t>(h + 1);
    const std::uint32_t equal = run.is_copy ? first_[begin] : begin;  // position of the first equal windows
    h += run.records();
    if (run.document < how_.earlier_documents) continue;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const std::uint32_t first = first_[equal + i];
      if (first == begin + i && !run.is_copy) continue;
      if (how_.least_documents > 1 && documents_[first] < how_.least_documents) continue;
      const run_header place = run_header::of(records[header_[first]]);
      const std::uint32_t first_begin = place.begin + (first - header_[first] - 1);
      const repeated_windows next{run.document, run.field, run.begin + i, 1, place.document, place.field, first_begin};
      if (found.append(next)) continue;
      if (found.count > 0) visit(found);
      found = next;
    }
  }
  if (found.count > 0) visit(found);
}

NEARDUP_INLINE passage_search::passage_search(passage_source source, passage_conditions how, any_partition_store store,
                                              std::uint64_t memory, any_runner run)
    : source_(std::move(source)),
      how_(how),
      store_(std::move(store)),
      memory_((std::max)(memory, std::uint64_t{1} << 12)),
      run_(std::move(run)),
      least_count_(static_cast<std::uint32_t>(std::clamp<std::size_t>(how.least_documents, 2, most_counted))),
      anchor_partitions_(
          static_cast<std::uint32_t>(std::clamp<std::uint64_t>(memory_ >> 16, 1, max_anchor_partitions))) {
  constexpr std::size_t most_units = std::size_t{1} << 20;
  if (how.length == 0 || how.length > most_units) {
    fail<std::invalid_argument>({"a passage has 1 to ", most_units, " units, not ", how.length});
  }
  workers_.assign(run_.parts(), worker(how.length));
}

NEARDUP_INLINE void passage_search::scatter_anchors() {
  anchors_.begin(0, anchor_partitions_, memory_ / 16);
  read_texts(
      false,
      [&](worker& own, const auto& /*units*/, std::size_t first, std::size_t last, const auto& runs, const auto&) {
        own.windows += last - first - how_.length + 1;
        own.anchors_seen += runs.size();
        for (const anchor_run& one : runs) own.take(one.anchor, least_count_);
      },
      [&](worker& own) {
        for (const std::uint64_t& anchor : own.anchors) {
          anchors_.add(store_, anchor_set::partition_of(anchor, anchor_partitions_), std::span(&anchor, 1));
        }
        own.anchors.clear();
      });
  anchors_.end(store_);
}

NEARDUP_INLINE void passage_search::find_repeated_anchors() {
  std::uint64_t scattered = 0, repeated = 0, occurrences = 0;
  for (std::uint32_t i = 0; i < anchor_partitions_; ++i) scattered += anchors_.size(i);
  // One byte per scattered anchor, if memory_ / 4 suffices. A repeated anchor was scattered at least twice, so it has
  // at least 16 bits of the set.
  repeated_ = anchor_set(anchor_partitions_, (std::min)(memory_ / 4, scattered));
  mutex_type mutex;
  const std::size_t parts = workers_.size();
  std::vector<scratch_array<std::uint64_t>> arrays(2 * parts);
  in_steps(run_, parts, anchor_partitions_, 1, [&](std::size_t part, std::size_t partition, std::size_t /*last*/) {
    const std::span<std::uint64_t> anchors = anchors_.read(store_, mutex, partition, arrays[2 * part]);
    sort_words(anchors, arrays[2 * part + 1].take(anchors.size()));
    for (std::size_t i = 0, next = 0; i < anchors.size(); i = next) {
      for (next = i + 1; next < anchors.size() && anchors[next] == anchors[i];) ++next;
      if (next - i < least_count_) continue;
      repeated_.add(anchors[i]);
      workers_[part].repeated += next - i;
    }
    return true;
  });
  for (worker& own : workers_) {
    windows_ += own.windows;
    occurrences += own.anchors_seen;
    repeated += own.repeated;
    own.known = {};
  }
  // Estimates the share of the windows that the second pass scatters. Assumption: the runs of windows with repeated
  // anchors are as long as other runs.
  const double share = static_cast<double>(repeated) / static_cast<double>((std::max)(occurrences, std::uint64_t{1}));
  windows_ = static_cast<std::uint64_t>(static_cast<double>(windows_) * share);
}

NEARDUP_INLINE void passage_search::scatter_windows() {
  constexpr std::uint64_t usual_partition = std::uint64_t{1} << 16, bytes_a_window = 44;
  const std::uint64_t most_windows = (std::max)(memory_ / 4 / workers_.size() / bytes_a_window, std::uint64_t{1});
  partitions_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      (std::max)((std::min)(windows_ / usual_partition, std::uint64_t{1024}), windows_ / most_windows), 1,
      max_partitions));
  scattered_.begin(anchor_partitions_, partitions_, memory_ / 8);
  found_.begin(anchor_partitions_ + partitions_, partitions_, memory_ / 16);
  const std::uint64_t written =
      (std::min)(memory_ / 16 / workers_.size() / sizeof(written_run), std::uint64_t{1} << 18);
  for (worker& own : workers_) own.written.resize(to_size((std::min)(written, windows_ / 8) + 1));
  read_texts(
      true,
      [&](worker& own, const auto& units, std::size_t first, std::size_t last, const auto& runs, const auto& text) {
        write_runs(own, units, first, last, runs, text);
      },
      [&](worker& own) {
        std::span<const window_record> rest(own.records);
        for (const auto& [partition, count] : own.pieces) {
          scattered_.add(store_, partition, rest.first(count));
          rest = rest.subspan(count);
        }
        own.records.clear();
        own.pieces.clear();
      });
  scattered_.end(store_);
}

NEARDUP_INLINE void passage_search::find_repeated() {
  mutex_type mutex;
  const std::size_t parts = workers_.size();
  workers_.clear();
  repeated_ = anchor_set(1, 0);
  std::vector<partition_search> searches(parts, partition_search(how_));
  std::vector<scratch_array<window_record>> arrays(parts);
  in_steps(run_, parts, partitions_, 1, [&](std::size_t part, std::size_t partition, std::size_t /*last*/) {
    if (scattered_.size(partition) > (std::numeric_limits<std::uint32_t>::max)()) {
      fail<std::length_error>("passages: an anchor occurs more than 2^32 times");
    }
    const std::span<window_record> records = scattered_.read(store_, mutex, partition, arrays[part]);
    std::vector<repeated_windows> some;
    const auto pass_on = [&] {
      const std::lock_guard lock(mutex);
      for (const repeated_windows& one : some) {
        found_.add(store_, static_cast<std::uint32_t>(one.document * std::uint64_t{partitions_} / documents_),
                   std::span(&one, 1));
      }
      some.clear();
    };
    searches[part].search(records, [&](const repeated_windows& one) {
      some.push_back(one);
      if (some.size() >= 1024) pass_on();
    });
    pass_on();
    return true;
  });
  found_.end(store_);
}

NEARDUP_INLINE void passage_search::visit_found(const visit_type& visit) {
  mutex_type mutex;
  scratch_array<repeated_windows> memory;
  repeated_windows last{};
  for (std::uint32_t i = 0; i < partitions_; ++i) {
    const std::span<repeated_windows> found = found_.read(store_, mutex, i, memory);
    std::sort(found.begin(), found.end());
    for (const repeated_windows& one : found) {
      if (last.append(one)) continue;
      if (last.count > 0 && !visit(last)) return;
      last = one;
    }
  }
  if (last.count > 0) visit(last);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
