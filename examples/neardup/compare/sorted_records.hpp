// Lists of records in memory or in a temporary file: sorted, or in the order in which they were added.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "../ground/platform.hpp"

namespace command {

/// Reads to.size() records of a temporary file into `to`, beginning at byte `offset`.
/// Throws: output_error if the file has fewer records.
template <class Record>
void read_records(const temporary_file& file, std::uint64_t offset, std::span<Record> to) {
  file.read_at(offset, reinterpret_cast<char*>(to.data()), to.size_bytes());
}

/// Appends records to a temporary file.
/// Returns: the offset of the first record.
template <class Record>
std::uint64_t append_records(temporary_file& file, const std::vector<Record>& records) {
  return file.append({reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record)});
}

/// A list of records that is read in ascending order (operator<). Records that do not fit into memory are in a
/// temporary file, in sorted runs.
template <class Record>
class sorted_records {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  /// Makes an empty list. `memory`: the bytes for records. At least 65,536 records are kept in memory.
  explicit sorted_records(std::uint64_t memory)
      : most_(static_cast<std::size_t>(std::clamp<std::uint64_t>(memory / sizeof(Record), least_in_run,
                                                                 std::numeric_limits<std::int32_t>::max()))) {}

  /// Adds a record.
  /// Precondition: peek() has not been called yet.
  /// Throws: output_error if the temporary file cannot be written.
  void add(const Record& record) {
    ++size_;
    last_.push_back(record);
    if (last_.size() == most_) file_last();
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Returns the next record, which stays in the list. Returns null if there is no further record.
  const Record* peek() {
    if (!is_sorted_) sort_all();
    if (runs_.empty()) return next_ < last_.size() ? &last_[next_] : nullptr;
    return heap_.empty() ? nullptr : &runs_[heap_.front()].next();
  }

  /// Removes the record that peek() returned.
  void take() {
    if (runs_.empty()) {
      ++next_;
      return;
    }
    std::pop_heap(heap_.begin(), heap_.end(), is_later{runs_});
    run& from = runs_[heap_.back()];
    ++from.place;
    if (from.place == from.records.size()) refill(from);
    if (from.records.empty()) {
      heap_.pop_back();
    } else {
      std::push_heap(heap_.begin(), heap_.end(), is_later{runs_});
    }
  }

  /// Calls `visit(records)` with all records in order, in batches. Do not use the list afterwards.
  template <class Visit>
  void visit_all(const Visit& visit) {
    if (!is_sorted_) sort_all();
    if (runs_.empty()) return visit(std::span<const Record>(last_));
    std::vector<Record> merged;
    while (const Record* const next = peek()) {
      merged.push_back(*next);
      take();
      if (merged.size() < least_in_run && !heap_.empty()) continue;
      visit(std::span<const Record>(merged));
      merged.clear();
    }
  }

 private:
  static constexpr std::size_t least_in_run = std::size_t{1} << 16;

  /// A sorted run in the file: the offset and the number of its unread records, and the records that were read last.
  struct run {
    std::uint64_t offset, count;
    std::vector<Record> records;
    std::size_t place = 0;

    [[nodiscard]] const Record& next() const { return records[place]; }
  };
  struct is_later {
    const std::vector<run>& runs;
    bool operator()(std::size_t x, std::size_t y) const { return runs[y].next() < runs[x].next(); }
  };

  void file_last() {
    std::sort(last_.begin(), last_.end());
    const std::uint64_t count = last_.size();
    runs_.push_back({append_records(file_, last_), count, {}, 0});
    last_.clear();
  }

  void sort_all() {
    is_sorted_ = true;
    if (runs_.empty()) return std::sort(last_.begin(), last_.end());
    if (!last_.empty()) file_last();
    last_ = {};
    at_once_ = std::max<std::size_t>(most_ / (2 * runs_.size()), 256);
    for (run& one : runs_) refill(one);
    heap_.resize(runs_.size());
    std::iota(heap_.begin(), heap_.end(), std::size_t{0});
    std::make_heap(heap_.begin(), heap_.end(), is_later{runs_});
  }

  void refill(run& one) {
    one.records.resize(static_cast<std::size_t>(std::min<std::uint64_t>(one.count, at_once_)));
    one.place = 0;
    read_records(file_, one.offset, std::span(one.records));
    one.offset += one.records.size() * sizeof(Record);
    one.count -= one.records.size();
  }

  std::size_t most_, at_once_ = 0;
  std::uint64_t size_ = 0;
  std::vector<Record> last_;
  temporary_file file_;
  std::vector<run> runs_;
  bool is_sorted_ = false;
  std::size_t next_ = 0;           // position in last_, if there are no runs
  std::vector<std::size_t> heap_;  // runs, ordered by their next records, the least record first
};

/// Records in the order in which they were added. They can be read several times. If there are more records than fit
/// into memory, all records are in a temporary file.
template <class Record>
class kept_records {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  /// Makes an empty list. `memory`: the bytes for records. At least 1,024 records are kept in memory.
  explicit kept_records(std::uint64_t memory)
      : most_(static_cast<std::size_t>(
            std::clamp<std::uint64_t>(memory / sizeof(Record), at_once, std::numeric_limits<std::int32_t>::max()))) {}

  void add(const Record& record) {
    if (held_.size() >= most_) file_all();
    held_.push_back(record);
    ++size_;
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Starts to read at the first record. Call this function before each pass.
  void rewind() {
    if (filed_ > 0) {
      if (size_ > filed_) file_all();
      held_.clear();
    }
    next_ = 0;
    read_ = 0;
  }

  /// Returns the next record, which stays in the list. Returns null if there is no further record.
  /// Precondition: rewind() was called, and no record was added after that call.
  const Record* peek() {
    if (filed_ > 0 && next_ == held_.size()) {
      held_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(at_once, filed_ - read_)));
      next_ = 0;
      read_records(file_, read_ * sizeof(Record), std::span(held_));
      read_ += held_.size();
    }
    return next_ < held_.size() ? &held_[next_] : nullptr;
  }

  void take() noexcept { ++next_; }

 private:
  static constexpr std::size_t at_once = 1024;

  void file_all() {
    append_records(file_, held_);
    filed_ += held_.size();
    held_.clear();
  }

  std::size_t most_;
  // While records are added: the records that are not in the file yet. While records are read: all records or, if there
  // is a file, the records that were read last.
  std::vector<Record> held_;
  temporary_file file_;
  std::uint64_t size_ = 0, filed_ = 0, read_ = 0;
  std::size_t next_ = 0;  // position in held_
};

}  // namespace command
