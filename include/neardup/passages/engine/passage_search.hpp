// SPDX-License-Identifier: MIT
// Searches for repeated passages. The search reads the texts twice. A window is `length` consecutive units.
//
// The first pass scatters anchors (passage_anchors.hpp) to partitions by their hashes. Each partition is sorted. The
// anchors that occur at least twice become a set; if a passage must be in three documents or more, the anchors that
// occur at least three times. The second pass hashes the windows whose anchors are in the set, and scatters the windows
// to partitions by their anchors. So equal windows are in one partition, in the order of the documents. A hash table
// finds the first occurrence of each window of a partition.
//
// The records of windows have 16 bytes each. A run of windows is stored as a header and the hashes of its windows. A
// run that equals an earlier run of its section is stored as a header and the hashes of its first and last window.
// These two windows cover all units of the run, so they determine the other windows. A partition consists of sections,
// which are read one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
#include "../../detail/xxh3.hpp"
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
  /// Computes hashes of the words of `text` with `seed`, and appends the hashes to `hashes`. If hash_words is empty,
  /// the units are bytes.
  std::function<void(std::string_view text, std::uint64_t seed, std::vector<std::uint64_t>& hashes)> hash_words;
};

/// The conditions that a repeated passage has to satisfy.
struct passage_conditions {
  std::size_t length = 0, least_documents = 1, earlier_documents = 0;
};

/// The header of a blob. A task of a search hands blobs to later tasks. A blob has records of one partition.
struct passage_blob_header {
  enum kind_type : std::uint32_t { anchors, repeated_anchors, windows };

  std::uint64_t magic;
  kind_type kind;
  std::uint32_t partition, partitions;
  std::uint32_t first_document, end_document;  // in blobs of windows: the range of the documents
  std::uint32_t zero;
  std::uint64_t settings;  // a checksum of the settings of the search
  std::uint64_t repeated;  // in blobs of windows: identifies the repeated anchors
  std::uint64_t bytes, checksum;

  static constexpr std::uint64_t magic_number = 0x316273736170646eU;  // "ndpassb1"
};
static_assert(sizeof(passage_blob_header) == 64);

/// A blob, which does not own its records.
struct passage_blob {
  passage_blob_header header;
  std::span<const std::byte> records;
};
using passage_blobs = std::vector<std::vector<std::byte>>;

/// Returns the bytes of a blob, or no bytes if there are no records. Sets the members of `header` that depend on the
/// records.
[[nodiscard]] std::vector<std::byte> bytes_of_blob(passage_blob_header header, std::span<const std::byte> records);

/// Reads the blob at the beginning of `bytes`, and removes it from `bytes`. `i`: the number of the blob, for messages.
/// Throws: std::runtime_error if the blob is damaged, or if its kind, number of partitions or settings differ from
/// those of `expected`.
[[nodiscard]] passage_blob take_blob(std::span<const std::byte>& bytes, const passage_blob_header& expected,
                                     std::size_t i);

/// Consecutive windows that occurred before: the windows [begin, begin + count) of a text.
struct repeated_windows {
  std::uint32_t document, field, begin, count, first_document, first_field, first_begin;

  friend auto operator<=>(const repeated_windows&, const repeated_windows&) = default;  // by document, field, ...

  /// Appends `next` if its windows directly follow the windows of this object, and if the same is true of the first
  /// occurrences.
  /// Returns: false if `next` was not appended.
  bool append(const repeated_windows& next) noexcept {
    const bool follows = count > 0 && next.document == document && next.field == field && next.begin == begin + count &&
                         next.first_document == first_document && next.first_field == first_field &&
                         next.first_begin == first_begin + count;
    if (follows) count += next.count;
    return follows;
  }
};

/// Sorts repeated windows, joins them to the longest possible runs, and calls `visit(run)` for each run except the
/// last. The next call may extend the last run. `last`: on entry the last run of the preceding call, on return the last
/// run of this call.
/// Returns: false if `visit` returned false.
template <class Visit>
bool visit_runs(std::span<repeated_windows> found, repeated_windows& last, const Visit& visit) {
  std::sort(found.begin(), found.end());
  for (const repeated_windows& one : found) {
    if (last.append(one)) continue;
    if (last.count > 0 && !visit(last)) return false;
    last = one;
  }
  return true;
}

/// A record of a partition: a header, or the hash of a window.
using window_record = window_hash;

/// Occurrences of an anchor are counted up to this number.
inline constexpr std::size_t most_counted = 3;

/// A run of fewer windows is never written as a copy, because a copy (a header and two hashes) would not be shorter.
inline constexpr std::size_t least_copied = 3;

/// The content of the header of a run of windows.
struct run_header {
  std::uint32_t document, field, begin, count;
  bool is_copy;  // if true, two hashes follow the header; otherwise `count` hashes

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

/// Checks that each run of windows in a blob is complete, and that its document is in the range that the header gives.
/// Throws: std::runtime_error if the check fails.
void check_windows(const passage_blob& blob);

/// A store that several threads use. `next`: the number of the next new partition of the store.
struct shared_store {
  any_partition_store store;
  mutex_type mutex;
  std::uint32_t next = 0;
};

/// Appends records to partitions. Some records of each partition wait in memory. A partition consists of sections. Each
/// section is one partition of `store`.
template <class Record>
class scattered_records {
 public:
  struct section {
    std::uint32_t number;
    std::uint64_t size;                  // number of records
    const std::byte* records = nullptr;  // the records, or nullptr if they are in the store
  };

  /// Begins to append to `partitions` partitions. `memory`: how many bytes of records may wait in memory.
  void begin(shared_store& store, std::uint32_t partitions, std::uint64_t memory) {
    store_ = &store;
    waiting_.resize(partitions);
    sections_.resize(partitions);
    most_ = to_size(std::clamp<std::uint64_t>(memory / partitions / sizeof(Record), 16, 1024));
  }
  void add(std::uint32_t partition, std::span<const Record> records) {
    std::vector<Record>& waiting = waiting_[partition];
    waiting.insert(waiting.end(), records.begin(), records.end());
    if (waiting.size() >= most_) append(partition);
  }
  /// Begins a new section in each partition whose last section has `most` bytes or more.
  void begin_sections(std::uint64_t most) {
    for (std::uint32_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].empty() || sections_[i].back().size * sizeof(Record) < most) continue;
      append(i);
      begin_section(i);
    }
  }
  /// Adds a section to the only partition. The bytes have to outlive this object.
  void add_section(std::span<const std::byte> records) {
    sections_[0].push_back({0, records.size() / sizeof(Record), records.data()});
  }
  void end() {
    for (std::uint32_t i = 0; i < waiting_.size(); ++i) append(i);
    waiting_ = {};
  }
  [[nodiscard]] std::uint32_t partitions() const noexcept { return static_cast<std::uint32_t>(sections_.size()); }
  [[nodiscard]] const std::vector<section>& sections(std::uint32_t partition) const { return sections_[partition]; }
  [[nodiscard]] std::uint64_t size(std::uint32_t partition) const {
    std::uint64_t sum = 0;
    for (const section& one : sections_[partition]) sum += one.size;
    return sum;
  }
  [[nodiscard]] std::span<Record> read(const section& one, scratch_array<Record>& memory) const {
    return read(std::span(&one, 1), memory);
  }
  [[nodiscard]] std::span<Record> read(std::uint32_t partition, scratch_array<Record>& memory) const {
    return read(std::span<const section>(sections_[partition]), memory);
  }

 private:
  void begin_section(std::uint32_t partition) {
    const std::lock_guard lock(store_->mutex);
    sections_[partition].push_back({store_->next++, 0});
  }
  void append(std::uint32_t partition) {
    std::vector<Record>& waiting = waiting_[partition];
    if (waiting.empty()) return;
    if (sections_[partition].empty()) begin_section(partition);
    section& to = sections_[partition].back();
    const std::lock_guard lock(store_->mutex);
    store_->store.append(to.number, std::as_bytes(std::span(waiting)));
    to.size += waiting.size();
    waiting.clear();
  }

  [[nodiscard]] std::span<Record> read(std::span<const section> some, scratch_array<Record>& memory) const {
    std::uint64_t size = 0;
    for (const section& one : some) size += one.size;
    const std::span<Record> records = memory.take(to_size(size));
    std::span<std::byte> to = std::as_writable_bytes(records);
    for (const section& one : some) {
      const std::size_t bytes = to_size(one.size * sizeof(Record));
      if (one.records != nullptr) {
        std::copy_n(one.records, bytes, to.begin());
      } else if (one.size > 0) {
        const std::lock_guard lock(store_->mutex);
        store_->store.read(one.number, to.first(bytes));
      }
      to = to.subspan(bytes);
    }
    return records;
  }

  shared_store* store_ = nullptr;
  std::vector<std::vector<Record>> waiting_;
  std::vector<std::vector<section>> sections_;
  std::size_t most_ = 0;  // most records of a partition that wait in memory
};

/// Finds the repeated windows of one partition. The search keeps the first occurrences of a limited number of windows
/// (see begin()), and spills the other windows. The caller has to search the spilled windows later.
class partition_search {
 public:
  using visit_type = std::function<void(const repeated_windows&)>;
  using spill_type = std::function<void(const run_header&, const window_hash&)>;

  /// Bytes of memory for each kept window, without its entry in documents_.
  static constexpr std::uint64_t bytes_a_window = 44;

  explicit partition_search(const passage_conditions& how) : how_(how) {}

  /// Begins a partition. The search keeps up to `most` windows.
  void begin(std::size_t most) {
    most_ = (std::min)(most, std::size_t{(std::numeric_limits<std::uint32_t>::max)() - 1});
    firsts_.clear();
    documents_.clear();
    firsts_.reserve(most_);
    windows_.reset(most_);
  }

  /// Reads a section of the partition. If `takes`, the search keeps new windows, until it has as many as it can keep.
  /// Then it passes new windows to `spill`. If `reports`, the search passes repeated windows to `visit`, if their first
  /// occurrences are kept. If passages must be in several documents, first read all sections with `takes`, then again
  /// with `reports`.
  void read(std::span<const window_record> records, bool takes, bool reports, const visit_type& visit,
            const spill_type& spill);

 private:
  /// A hash table of positions, with open addressing. A free entry is 0, which is no position.
  class position_table {
   public:
    void reset(std::size_t count) {
      bits_ = (std::max)(4, bit_width(2 * count));
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
  /// The first occurrence of a window, and the last document that has the window.
  struct first_window {
    window_hash hash;
    std::uint32_t document, field, begin, last;
  };

  const passage_conditions& how_;
  std::size_t most_ = 0;
  position_table windows_;  // 1 + the index in firsts_
  std::vector<first_window> firsts_;
  std::vector<std::uint32_t> documents_;  // [index in firsts_]: the number of documents, if several are necessary
  position_table runs_;                   // the position of the first window of a run of the section
};

/// A search for passages. find() may be called once.
class passage_search {
 public:
  using visit_type = std::function<bool(const repeated_windows&)>;

  /// Prepares a search for passages.
  /// Throws: std::invalid_argument if the length is 0 or above 2^20.
  passage_search(passage_source source, passage_conditions how, any_partition_store store, std::uint64_t memory,
                 any_runner run);

  /// Calls `visit` for all repeated windows, in the order of (document, field, begin). Windows that follow one another
  /// are passed together if their first occurrences also follow one another. The search ends if `visit` returns false.
  void find(const visit_type& visit);

  /// The tasks of a search on many machines, which follow each other as in find(). An object runs one task.
  /// `partitions` is the same number in all tasks. A task that scatters returns a blob for each partition. A blob
  /// without records is empty. A task that reads blobs gets the blobs of one partition, in any order.
  ///
  /// Scatters the anchors of some texts.
  [[nodiscard]] passage_blobs scatter_anchors_task(std::uint32_t partitions) {
    const passage_blob_header header = header_of_blob(passage_blob_header::anchors, 0, partitions);
    scatter_anchors(partitions);
    return blobs_of(anchors_, header);
  }
  /// Finds the repeated anchors of a partition.
  [[nodiscard]] std::vector<std::byte> repeated_anchors_task(std::span<const std::span<const std::byte>> anchors,
                                                             std::uint32_t partition, std::uint32_t partitions);
  /// Scatters the windows of some texts. `first_document`: the number of their first document among all documents.
  /// `repeated`: the blobs with the repeated anchors of all partitions, one after the other, in any order.
  [[nodiscard]] passage_blobs scatter_windows_task(std::uint64_t first_document, std::span<const std::byte> repeated,
                                                   std::uint32_t partitions);
  /// Calls `visit` for the repeated windows of one partition, in the order of find().
  void find_task(std::span<const std::span<const std::byte>> windows, std::uint32_t partition, std::uint32_t partitions,
                 const visit_type& visit);

 private:
  struct placed_text {
    std::size_t begin, size;
    std::uint32_t document, field;
  };
  /// The last run of windows that a worker has written with these hashes. The next run with the same hashes in the same
  /// section is written as a copy.
  struct written_run {
    window_hash first{0, 0}, last{0, 0};
    std::uint32_t count = 0, section = 0;

    friend bool operator==(const written_run&, const written_run&) = default;
  };
  /// An anchor that a worker has scattered, and how often.
  struct scattered_anchor {
    std::uint64_t anchor = 0, times = 0;
  };
  struct worker {
    explicit worker(std::size_t length) : finder(length), hasher(length), known(std::size_t{1} << 12) {}

    /// Adds an anchor of pass 1 to `anchors`, unless it is known to have been added `least` times.
    void take(std::uint64_t anchor, std::uint32_t least) {
      scattered_anchor& last = known[anchor_set::partition_of(anchor, static_cast<std::uint32_t>(known.size()))];
      if (last.anchor != anchor) last = {anchor, 0};
      if (last.times == least) return;
      ++last.times;
      anchors.push_back(anchor);
    }

    anchor_finder finder;
    window_hasher hasher;
    std::vector<std::uint64_t> first, second;  // hashes of words
    std::vector<std::uint64_t> anchors;        // to scatter in pass 1
    std::vector<scattered_anchor> known;
    std::uint64_t windows = 0;
    std::vector<window_record> records;                         // to scatter in pass 2
    std::vector<std::pair<std::uint32_t, std::size_t>> pieces;  // the partition and the number of consecutive records
    std::vector<written_run> written;
  };
  /// The memory of a thread that searches partitions.
  struct searcher {
    partition_search search;
    scratch_array<window_record> records;
    std::vector<repeated_windows> found;
  };

  /// Reads all texts, in batches of up to some MB. Calls `use(worker, units, first, last, runs, text)` for each piece
  /// of each text (see anchor_finder). After each batch, calls `after(worker)` for each worker. Each worker reads
  /// consecutive texts of a batch.
  template <class Use, class After>
  void read_texts(bool is_second, const Use& use, const After& after) {
    std::string bytes;
    std::vector<placed_text> texts;
    const std::size_t parts = workers_.size();
    // For each byte of a batch, up to 16 bytes of records wait in memory. So a batch is much smaller than memory_.
    const std::uint64_t most_bytes = std::clamp<std::uint64_t>(memory_ / 64, parts << 16, parts << 20);
    const auto read = [&](worker& own, const placed_text& text) {
      const std::string_view content = std::string_view(bytes).substr(text.begin, text.size);
      if (source_.hash_words) {
        own.first.clear();
        own.second.clear();
        source_.hash_words(content, 0, own.first);
        if (is_second && own.first.size() >= how_.length) source_.hash_words(content, golden_ratio, own.second);
      }
      const unit_values units = source_.hash_words ? unit_values(own.first, own.second) : unit_values(content);
      own.finder.for_each_piece(units, [&](std::size_t first, std::size_t last, std::span<const anchor_run> runs) {
        use(own, units, first, last, runs, text);
      });
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
    documents_ = first_document_;
    bytes_ = 0;
    source_.visit_texts([&](std::string_view text, std::size_t field) {
      if (field == 0) {
        const bool is_last = found_from_.size() == found_.partitions();
        if (!is_last && bytes_ / found_bytes_ >= found_from_.size()) found_from_.push_back(documents_);
        ++documents_;
      }
      bytes_ += text.size();
      if (documents_ == first_document_) fail<std::invalid_argument>("the first text of a document has the field 0");
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

  /// Appends to own.records the runs of a piece whose windows may be repeated.
  void write_runs(worker& own, const unit_values& units, std::size_t first, std::size_t last,
                  std::span<const anchor_run> runs, const placed_text& text) {
    constexpr std::size_t ahead = 8;
    bool has_prefixes = false;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (r + ahead < runs.size()) repeated_.look_ahead(runs[r + ahead].anchor);
      const anchor_run& run = runs[r];
      if (!repeated_.contains(run.anchor)) continue;
      if (!std::exchange(has_prefixes, true)) own.hasher.take(units, first, last);
      const std::size_t before = own.records.size();
      const std::uint32_t partition = anchor_set::partition_of(run.anchor, scattered_.partitions());
      const window_hash front = own.hasher[run.first], back = own.hasher[run.end - 1];
      run_header header{text.document, text.field, static_cast<std::uint32_t>(run.first),
                        static_cast<std::uint32_t>(run.size()), false};
      if (run.size() >= least_copied) {
        const auto section = static_cast<std::uint32_t>(scattered_.sections(partition).size());
        const written_run now{front, back, header.count, section};
        written_run& known = own.written[to_size((front.low ^ back.high * golden_ratio) % own.written.size())];
        header.is_copy = std::exchange(known, now) == now;
      }
      own.records.push_back(header.packed());
      if (header.is_copy) {
        own.records.insert(own.records.end(), {front, back});
      } else {
        for (std::size_t window = run.first; window < run.end; ++window) own.records.push_back(own.hasher[window]);
      }
      own.pieces.emplace_back(partition, own.records.size() - before);
    }
  }

  void scatter_anchors(std::uint32_t partitions);
  void find_repeated_anchors(std::uint32_t partitions);
  [[nodiscard]] std::uint32_t partitions_of_windows() const;
  void scatter_windows(std::uint32_t partitions);
  void find_repeated();
  void search_partition(searcher& own, const scattered_records<window_record>& from, std::uint32_t partition,
                        int depth);
  void visit_found(const visit_type& visit);
  [[nodiscard]] passage_blob_header header_of_blob(passage_blob_header::kind_type kind, std::uint32_t partition,
                                                   std::uint32_t partitions) const;
  /// Reads blobs of one partition, and sorts them by their documents.
  [[nodiscard]] std::vector<passage_blob> take_blobs(std::span<const std::span<const std::byte>> blobs,
                                                     const passage_blob_header& expected) const;
  template <class Record>
  [[nodiscard]] passage_blobs blobs_of(const scattered_records<Record>& from, passage_blob_header header) const {
    passage_blobs blobs(from.partitions());
    scratch_array<Record> memory;
    for (; header.partition < blobs.size(); ++header.partition) {
      blobs[header.partition] = bytes_of_blob(header, std::as_bytes(from.read(header.partition, memory)));
    }
    return blobs;
  }

  /// Returns the size in bytes at which a section ends.
  [[nodiscard]] std::uint64_t section_size() const {
    return std::clamp<std::uint64_t>(memory_ / 32 / run_.parts(), 1 << 10, 1 << 26);
  }

  static constexpr std::uint64_t most_of_text = (std::numeric_limits<std::uint32_t>::max)();
  static constexpr std::uint32_t max_partitions = 4096;
  static constexpr std::uint32_t max_anchor_partitions = 1024;

  passage_source source_;
  passage_conditions how_;
  shared_store store_;
  std::uint64_t memory_;
  any_runner run_;
  std::uint32_t least_count_;  // least number of occurrences of an anchor whose windows may be repeated
  scattered_records<std::uint64_t> anchors_;
  std::vector<std::vector<std::uint64_t>> repeated_words_;  // the words of each partition of repeated_
  anchor_set repeated_;
  std::vector<worker> workers_;
  std::uint64_t windows_ = 0, first_document_ = 0, documents_ = 0, bytes_ = 0;
  scattered_records<window_record> scattered_;
  mutex_type found_mutex_;
  scattered_records<repeated_windows> found_;
  std::uint64_t found_bytes_ = 1;          // about the bytes of documents per partition of found_
  std::vector<std::uint64_t> found_from_;  // the first document of each partition of found_
};

#if NEARDUP_BODIES

NEARDUP_INLINE void partition_search::read(std::span<const window_record> records, bool takes, bool reports,
                                           const visit_type& visit, const spill_type& spill) {
  std::size_t runs = 0;
  for (std::size_t h = 0; h < records.size(); h += run_header::of(records[h]).records()) ++runs;
  runs_.reset(runs);
  repeated_windows found{};
  for (std::size_t h = 0; h < records.size();) {
    const run_header run = run_header::of(records[h]);
    auto begin = static_cast<std::uint32_t>(h + 1);  // the index of the first hash of a window
    h += run.records();
    if (run.count >= least_copied) {
      const window_record &front = records[begin], &back = records[h - 1];
      std::uint32_t& same = runs_.find(front.low + back.high, [&](std::uint32_t other) {
        return run_header::of(records[other - 1]).count == run.count && records[other] == front &&
               records[other + run.count - 1] == back;
      });
      if (run.is_copy && same == 0) fail<std::runtime_error>("a blob has a copy of a run that it does not have");
      (run.is_copy ? begin : same) = run.is_copy ? same : begin;
    }
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const window_hash& hash = records[begin + i];
      std::uint32_t& entry =
          windows_.find(hash.low, [&](std::uint32_t other) { return firsts_[other - 1].hash == hash; });
      if (entry == 0) {
        if (!takes) continue;
        if (firsts_.size() == most_) {
          spill({run.document, run.field, run.begin + i, 1, false}, hash);
          continue;
        }
        firsts_.push_back({hash, run.document, run.field, run.begin + i, run.document});
        if (how_.least_documents > 1) documents_.push_back(1);
        entry = static_cast<std::uint32_t>(firsts_.size());
        continue;
      }
      first_window& first = firsts_[entry - 1];
      if (how_.least_documents > 1) {
        if (takes && first.last != run.document) ++documents_[entry - 1];
        first.last = run.document;
        if (documents_[entry - 1] < how_.least_documents) continue;
      }
      if (!reports || run.document < how_.earlier_documents) continue;
      const repeated_windows next{run.document, run.field, run.begin + i, 1, first.document, first.field, first.begin};
      if (next.document == next.first_document && next.field == next.first_field && next.begin == next.first_begin) {
        continue;  // the first occurrence, which was taken by an earlier call
      }
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
      store_{std::move(store), {}},
      memory_((std::max)(memory, std::uint64_t{1} << 12)),
      run_(std::move(run)),
      least_count_(static_cast<std::uint32_t>(std::clamp<std::size_t>(how.least_documents, 2, most_counted))) {
  constexpr std::size_t most_units = std::size_t{1} << 20;
  if (how.length == 0 || how.length > most_units) {
    fail<std::invalid_argument>({"a passage has 1 to ", most_units, " units, not ", how.length});
  }
  workers_.assign(run_.parts(), worker(how.length));
}

NEARDUP_INLINE void passage_search::find(const visit_type& visit) {
  const std::uint64_t anchor_partitions = std::clamp<std::uint64_t>(memory_ >> 16, 1, max_anchor_partitions);
  scatter_anchors(static_cast<std::uint32_t>(anchor_partitions));
  find_repeated_anchors(anchors_.partitions());
  const std::uint32_t partitions = partitions_of_windows();
  found_.begin(store_, partitions, memory_ / 16);
  found_bytes_ = bytes_ / partitions + 1;
  scatter_windows(partitions);
  find_repeated();
  visit_found(visit);
}

NEARDUP_INLINE void passage_search::scatter_anchors(std::uint32_t partitions) {
  anchors_.begin(store_, partitions, memory_ / 16);
  read_texts(
      false,
      [&](worker& own, const auto& /*units*/, std::size_t first, std::size_t last, const auto& runs, const auto&) {
        own.windows += last - first - how_.length + 1;
        for (const anchor_run& one : runs) own.take(one.anchor, least_count_);
      },
      [&](worker& own) {
        for (const std::uint64_t& anchor : own.anchors) {
          anchors_.add(anchor_set::partition_of(anchor, partitions), std::span(&anchor, 1));
        }
        own.anchors.clear();
      });
  anchors_.end();
}

NEARDUP_INLINE void passage_search::find_repeated_anchors(std::uint32_t partitions) {
  const std::uint64_t most_words = memory_ / 4 / sizeof(std::uint64_t) / partitions;
  repeated_words_.resize(anchors_.partitions());
  const std::size_t parts = workers_.size();
  std::vector<scratch_array<std::uint64_t>> arrays(2 * parts);
  in_steps(run_, parts, anchors_.partitions(), 1, [&](std::size_t part, std::size_t partition, std::size_t /*last*/) {
    const std::span<std::uint64_t> anchors = anchors_.read(static_cast<std::uint32_t>(partition), arrays[2 * part]);
    sort_words(anchors, arrays[2 * part + 1].take(anchors.size()));
    repeated_words_[partition] = anchor_set::words_of(anchors, partitions, least_count_, most_words);
    return true;
  });
  repeated_ = anchor_set({repeated_words_.begin(), repeated_words_.end()});
  for (worker& own : workers_) {
    windows_ += own.windows;
    own.known = {};
  }
}

NEARDUP_INLINE std::uint32_t passage_search::partitions_of_windows() const {
  // With 2^16 windows per partition, the hash table of a partition fits the cache. But a partition should write 16 kB
  // at a time, and the hash tables of all threads must fit into half of the memory.
  const std::uint64_t fit = windows_ * (2 * partition_search::bytes_a_window * workers_.size()) / memory_;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((std::max)((std::min)(windows_ >> 16, memory_ >> 17), fit), 1, max_partitions));
}

NEARDUP_INLINE void passage_search::scatter_windows(std::uint32_t partitions) {
  scattered_.begin(store_, partitions, memory_ / 8);
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
          scattered_.add(partition, rest.first(count));
          rest = rest.subspan(count);
        }
        own.records.clear();
        own.pieces.clear();
        if (&own == &workers_.back()) scattered_.begin_sections(section_size());
      });
  scattered_.end();
}

NEARDUP_INLINE void passage_search::find_repeated() {
  const std::size_t parts = workers_.size();
  workers_.clear();
  repeated_words_ = {};
  std::vector<searcher> searchers;
  for (std::size_t i = 0; i < parts; ++i) searchers.push_back({partition_search(how_), {}, {}});
  in_steps(run_, parts, scattered_.partitions(), 1, [&](std::size_t part, std::size_t partition, std::size_t /*last*/) {
    search_partition(searchers[part], scattered_, static_cast<std::uint32_t>(partition), 0);
    return true;
  });
  found_.end();
}

NEARDUP_INLINE void passage_search::search_partition(searcher& own, const scattered_records<window_record>& from,
                                                     std::uint32_t partition, int depth) {
  constexpr std::uint32_t spill_partitions = 16;
  const auto pass_on = [&] {
    const std::lock_guard lock(found_mutex_);
    for (const repeated_windows& one : own.found) {
      const auto next = std::upper_bound(found_from_.begin(), found_from_.end(), one.document);
      found_.add(static_cast<std::uint32_t>(next - found_from_.begin() - 1), std::span(&one, 1));
    }
    own.found.clear();
  };
  const auto visit = [&](const repeated_windows& one) {
    own.found.push_back(one);
    if (own.found.size() >= 1024) pass_on();
  };
  // Windows that the search cannot keep are scattered to further partitions by their hashes.
  scattered_records<window_record> rest;
  const auto spill = [&](const run_header& header, const window_hash& hash) {
    if (rest.partitions() == 0) rest.begin(store_, spill_partitions, memory_ / 8 / run_.parts());
    const std::uint64_t to = hash.high >> 4 * (depth % 15) & (spill_partitions - 1);
    rest.add(static_cast<std::uint32_t>(to), std::array{header.packed(), hash});
  };
  const std::uint64_t most = memory_ / 2 / run_.parts() / partition_search::bytes_a_window + 1;
  own.search.begin(to_size((std::min)(from.size(partition), most)));
  const bool counts_first = how_.least_documents > 1;
  for (int read = counts_first ? 0 : 1; read < 2; ++read) {
    for (const auto& section : from.sections(partition)) {
      own.search.read(from.read(section, own.records), read == 0 || !counts_first, read == 1, visit, spill);
      rest.begin_sections(section_size());
    }
  }
  pass_on();
  rest.end();
  for (std::uint32_t i = 0; i < rest.partitions(); ++i) search_partition(own, rest, i, depth + 1);
}

NEARDUP_INLINE void passage_search::visit_found(const visit_type& visit) {
  scratch_array<repeated_windows> memory;
  repeated_windows last{};
  for (std::uint32_t i = 0; i < found_.partitions(); ++i) {
    const std::span<repeated_windows> found = found_.read(i, memory);
    if (!visit_runs(found, last, visit)) return;
  }
  if (last.count > 0) visit(last);
}

NEARDUP_INLINE std::vector<std::byte> bytes_of_blob(passage_blob_header header, std::span<const std::byte> records) {
  if (records.empty()) return {};
  check_byte_order("a blob of a search for passages");
  header.bytes = records.size();
  header.checksum = checksum_of(records, checksum_of(std::as_bytes(std::span(&header, 1))));
  std::vector<std::byte> bytes(sizeof header + records.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy(records.begin(), records.end(), bytes.begin() + sizeof header);
  return bytes;
}

NEARDUP_INLINE passage_blob take_blob(std::span<const std::byte>& bytes, const passage_blob_header& expected,
                                      std::size_t i) {
  passage_blob blob{};
  passage_blob_header& header = blob.header;
  const bool is_whole = bytes.size() >= sizeof header;
  if (is_whole) std::memcpy(&header, bytes.data(), sizeof header);
  if (!is_whole || header.magic != expected.magic || header.bytes > bytes.size() - sizeof header) {
    fail<std::runtime_error>({"blob ", i, ": damaged"});
  }
  blob.records = bytes.subspan(sizeof header, to_size(header.bytes));
  bytes = bytes.subspan(sizeof header + blob.records.size());
  passage_blob_header zeroed = header;
  zeroed.checksum = 0;
  if (header.checksum != checksum_of(blob.records, checksum_of(std::as_bytes(std::span(&zeroed, 1))))) {
    fail<std::runtime_error>({"blob ", i, ": damaged"});
  }
  if (header.kind != expected.kind || header.partitions != expected.partitions ||
      header.settings != expected.settings || header.partition >= header.partitions) {
    fail<std::runtime_error>({"blob ", i, ": of another task, or of a search with other settings"});
  }
  return blob;
}

NEARDUP_INLINE void check_windows(const passage_blob& blob) {
  constexpr std::uint64_t most = (std::numeric_limits<std::uint32_t>::max)();
  const std::size_t size = blob.records.size() / sizeof(window_record);
  if (size >= most) fail<std::length_error>("a blob of 2^32 - 1 records or more");
  for (std::size_t i = 0; i < size;) {
    window_record record;
    std::memcpy(&record, blob.records.data() + i * sizeof record, sizeof record);
    const run_header run = run_header::of(record);
    if (run.count == 0 || run.records() > size - i || run.begin + std::uint64_t{run.count} > most ||
        run.document < blob.header.first_document || run.document >= blob.header.end_document) {
      fail<std::runtime_error>("a blob with a damaged run");
    }
    i += run.records();
  }
}

NEARDUP_INLINE passage_blob_header passage_search::header_of_blob(passage_blob_header::kind_type kind,
                                                                  std::uint32_t partition,
                                                                  std::uint32_t partitions) const {
  if (partition >= partitions || partitions > max_partitions) {
    fail<std::invalid_argument>(
        {"there is no partition ", partition, " of ", partitions, "; at most ", max_partitions});
  }
  const std::array<std::uint64_t, 4> settings{how_.length, how_.least_documents, how_.earlier_documents,
                                              source_.hash_words ? 1U : 0U};
  passage_blob_header header{};
  header.magic = passage_blob_header::magic_number;
  header.kind = kind;
  header.partition = partition;
  header.partitions = partitions;
  header.settings = checksum_of(std::as_bytes(std::span(settings)));
  return header;
}

NEARDUP_INLINE std::vector<passage_blob> passage_search::take_blobs(std::span<const std::span<const std::byte>> blobs,
                                                                    const passage_blob_header& expected) const {
  std::vector<passage_blob> taken;
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    std::span<const std::byte> bytes = blobs[i];
    if (bytes.empty()) continue;
    taken.push_back(take_blob(bytes, expected, i));
    if (!bytes.empty()) fail<std::runtime_error>({"blob ", i, ": damaged"});
    if (taken.back().header.partition != expected.partition) {
      fail<std::runtime_error>({"blob ", i, ": of partition ", taken.back().header.partition});
    }
  }
  std::sort(taken.begin(), taken.end(), [](const passage_blob& a, const passage_blob& b) {
    return a.header.first_document < b.header.first_document;
  });
  return taken;
}

NEARDUP_INLINE std::vector<std::byte> passage_search::repeated_anchors_task(
    std::span<const std::span<const std::byte>> anchors, std::uint32_t partition, std::uint32_t partitions) {
  anchors_.begin(store_, 1, 0);
  for (const passage_blob& blob :
       take_blobs(anchors, header_of_blob(passage_blob_header::anchors, partition, partitions))) {
    anchors_.add_section(blob.records);
  }
  find_repeated_anchors(partitions);
  return bytes_of_blob(header_of_blob(passage_blob_header::repeated_anchors, partition, partitions),
                       std::as_bytes(std::span(repeated_words_[0])));
}

NEARDUP_INLINE passage_blobs passage_search::scatter_windows_task(std::uint64_t first_document,
                                                                  std::span<const std::byte> repeated,
                                                                  std::uint32_t partitions) {
  constexpr static std::uint64_t no_anchors = 0;
  const passage_blob_header expected = header_of_blob(passage_blob_header::repeated_anchors, 0, partitions);
  passage_blob_header header = header_of_blob(passage_blob_header::windows, 0, partitions);
  std::vector<std::span<const std::uint64_t>> words(partitions, std::span(&no_anchors, 1));
  for (std::size_t i = 0; !repeated.empty(); ++i) {
    const passage_blob blob = take_blob(repeated, expected, i);
    std::span<const std::uint64_t>& own = words[blob.header.partition];
    if (own.data() != &no_anchors) fail<std::runtime_error>({"blob ", i, ": a partition was given twice"});
    const std::size_t size = blob.records.size() / sizeof(std::uint64_t);
    if (reinterpret_cast<std::uintptr_t>(blob.records.data()) % alignof(std::uint64_t) == 0) {
      own = {reinterpret_cast<const std::uint64_t*>(blob.records.data()), size};
    } else {
      std::memcpy(repeated_words_.emplace_back(size).data(), blob.records.data(), size * sizeof(std::uint64_t));
      own = repeated_words_.back();
    }
    header.repeated += mix(blob.header.checksum);
  }
  repeated_ = anchor_set(std::move(words));
  first_document_ = first_document;
  scatter_windows(partitions);
  header.first_document = static_cast<std::uint32_t>(first_document);
  header.end_document = static_cast<std::uint32_t>(documents_);
  return blobs_of(scattered_, header);
}

NEARDUP_INLINE void passage_search::find_task(std::span<const std::span<const std::byte>> windows,
                                              std::uint32_t partition, std::uint32_t partitions,
                                              const visit_type& visit) {
  scattered_.begin(store_, 1, 0);
  const std::vector<passage_blob> blobs =
      take_blobs(windows, header_of_blob(passage_blob_header::windows, partition, partitions));
  std::uint64_t done = 0;
  for (const passage_blob& blob : blobs) {
    if (blob.header.first_document < done) {
      fail<std::runtime_error>({"two blobs have windows of document ", blob.header.first_document});
    }
    done = blob.header.end_document;
    if (blob.header.repeated != blobs.front().header.repeated) {
      fail<std::runtime_error>("the windows were not scattered by the same repeated anchors");
    }
    check_windows(blob);
    scattered_.add_section(blob.records);
  }
  found_.begin(store_, 1, memory_ / 16);
  found_from_ = {0};
  find_repeated();
  visit_found(visit);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
