// SPDX-License-Identifier: MIT
// A set_index on the disk: a file, and a log of the changes since the file was written.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/file_operations.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../sets/feature_sets.hpp"
#include "../sets/set_index.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "engine/set_sections.hpp"
#include "journal.hpp"
#include "mapped_file.hpp"
#include "set_index_file.hpp"

namespace neardup::inline v0 {

/// A durable set_index. The sets of the mapped file PATH are the base of the index. The log PATH.log has the changes
/// since the file was written. A change is on the disk when its call returns. Opening takes time in proportion to the
/// size of the log. save() writes all sets to a new file.
///
/// After a crash, the next process finds all changes whose calls had returned, and perhaps also the change that was in
/// progress. Only one object at a time may use a path. A file_lock prevents a second object. Like set_index_file, this
/// class works on little-endian machines only.
/// Guarantee: strong, in memory and on the disk. After three kinds of failures, all changes throw until save()
/// succeeds: save() has failed, an error of the log cannot be undone, or memory was exhausted after a change was
/// written to the log. In a forked process, all changes throw.
/// Example: `durable_set_index seen("seen.sets", set_index<>{jaccard{0.8}}, made_of);  seen.insert(features, 7);
///          for (const auto& match : seen.get().search(query)) …`
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class durable_set_index {
 public:
  using feature_type = Feature;
  using id_type = Id;
  using set_type = std::span<const Feature>;

  /// Opens the index at `path`. If there is no file, `initial` is written to a new file.
  /// Throws: std::runtime_error if the file is damaged, if its settings (similarity, measure, least overlap, Feature,
  /// Id) differ from those of `initial`, or if another object uses it; the message names the file. std::runtime_error
  /// if the log is damaged, or belongs to another file; the message names the log. std::invalid_argument if the
  /// composition of the file differs from `made_of`; std::bad_alloc.
  durable_set_index(std::string path, const set_index<Feature, Id>& initial, fingerprint_composition made_of)
      : durable_set_index(detail::system_files(), std::move(path), initial, std::move(made_of)) {}

  // Only tests call this constructor, with their own file operations.
  durable_set_index(detail::file_operations& files, std::string path, const set_index<Feature, Id>& initial,
                    fingerprint_composition made_of)
      : journal_(std::make_unique<journal>(files, path)), made_of_(std::move(made_of)), initial_(&initial) {
    journal_->open(*this);
    initial_ = nullptr;
  }

  /// Stores a set under an id; see set_index::insert(). The change is on the disk when the function returns.
  /// Returns: false if the id is stored already; the index is then unchanged.
  /// Throws: the exceptions of set_index::insert(); std::runtime_error if the log cannot be written; the message names
  /// the log.
  bool insert(set_type set, id_argument<Id> id) {
    detail::check_ascending(set);
    if (sets_->contains(id)) return false;
    std::string record;
    put_set(record, id, set);
    journal_->append(record, [&] { sets_->insert(set, id); });
    return true;
  }

  /// Stores a set under an id. If the id is stored already, its set is replaced. The change is on the disk when the
  /// function returns.
  /// Returns: true if the id is new.
  /// Throws: the exceptions of set_index::insert(); std::runtime_error if the log cannot be written; the message names
  /// the log.
  bool insert_or_assign(set_type set, id_argument<Id> id) {
    detail::check_ascending(set);
    const bool is_new = !sets_->contains(id);
    std::string record;
    put_set(record, id, set);
    journal_->append(record, [&] { sets_->insert_or_assign(set, id); });
    return is_new;
  }

  /// Stores many sets; see set_index::insert_all(). Either all sets are on the disk, or none. The call waits for the
  /// disk once.
  /// Returns: the number of new ids.
  /// Throws: the exceptions of set_index::insert_all(); std::runtime_error if the log cannot be written; the message
  /// names the log. std::length_error if the sets take 4 GiB or more.
  template <set_range Sets>
  std::size_t insert_all(const Sets& sets, std::span<const Id> ids) {
    detail::check_features<Feature, Sets>();
    if (sets.size() != ids.size()) {
      detail::fail<std::invalid_argument>(
          {"insert_all: ", ids.size(), " ids for ", sets.size(), " sets; give one id for each set"});
    }
    std::string record;
    std::vector<set_type> new_sets;
    std::vector<Id> new_ids;
    std::set<Id> seen;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const set_type set(sets[i]);
      detail::check_ascending(set);
      if (sets_->contains(ids[i]) || !seen.insert(ids[i]).second) continue;
      put_set(record, ids[i], set);
      new_sets.push_back(set);
      new_ids.push_back(ids[i]);
    }
    if (!new_ids.empty()) journal_->append(record, [&] { sets_->insert_all(new_sets, new_ids); });
    return new_ids.size();
  }

  /// Removes an id. If no other id has the same set, the set is removed as well. The change is on the disk when the
  /// function returns.
  /// Returns: false if the id was not stored.
  /// Throws: std::runtime_error if the log cannot be written; the message names the log. The id is then still stored.
  bool erase(id_argument<Id> id) {
    if (!sets_->contains(id)) return false;
    std::string record("E");
    put_id(record, id);
    journal_->append(record, [&] { sets_->erase(id); });
    return true;
  }

  /// Writes all sets to a new file, and begins a new log. So the next start has fewer changes to replay.
  /// Throws: std::runtime_error if the new file cannot be written, or if the present file is damaged; the message names
  /// the file. std::bad_alloc.
  /// Complexity: linear in the number of features, and O(n log n) for n postings and ids.
  void save() { journal_->save(*this); }

  /// Returns the index, so that you can search and read it. The reference is valid until the next save().
  [[nodiscard]] const set_index<Feature, Id>& get() const noexcept { return *sets_; }
  [[nodiscard]] std::size_t size() const noexcept { return sets_->size(); }
  [[nodiscard]] bool empty() const noexcept { return sets_->empty(); }
  [[nodiscard]] bool contains(id_argument<Id> id) const noexcept { return sets_->contains(id); }

 private:
  friend class journal;
  using file_type = set_index_file<Feature, Id>;

  journaled_file read(const std::string& path) {
    open(path);
    check_settings(path);
    journaled_file found{detail::view_access::file(*file_).checksum()};
    if (const auto log = file_->mapped_.log(); log.size() == 2) found.log = {log[0], log[1]};
    return found;
  }
  std::uint64_t write(const std::string& path, const std::optional<log_extent>& log) {
    std::vector<std::uint64_t> extent;
    if (log) extent = {log->size, log->checksum};
    if (file_) file_->verify();  // damaged bytes must not get valid checksums
    const set_index<Feature, Id>& all = sets_ ? *sets_ : *initial_;
    const std::uint64_t number = detail::write_sets(journal_->files(), path, all, made_of_, {}, extent);
    open(path);
    return number;
  }

  void open(const std::string& path) {
    file_type opened{mapped_file(path)};
    set_index<Feature, Id> sets = opened.index();
    file_.emplace(std::move(opened));
    sets_.emplace(std::move(sets));
  }

  void check_settings(const std::string& path) const {
    detail::view_access::file(*file_).check_composition(made_of_);
    const auto text_of = [](const auto& index) {
      const char* const names[] = {"Jaccard", "cosine", "containment"};
      const set_threshold least = index.threshold();
      return detail::message_of({names[static_cast<int>(least.measure)], " of at least ", least.similarity, ", ",
                                 least.min_common, " or more common features"});
    };
    if (sets_->threshold() == initial_->threshold()) return;
    detail::fail<std::runtime_error>({path, ": is for ", text_of(*sets_), "; not for ", text_of(*initial_),
                                      "; open it with its threshold, or make it anew"});
  }

  // A record of the log is one or more changes. If an id gets a set, the change is 'S', the id, the number of features
  // (32 bits), and the features. If an id is erased, the change is 'E' and the id.

  static void put_id(std::string& record, const Id& id) {
    record.append(reinterpret_cast<const char*>(&id), sizeof id);
  }
  static void put_set(std::string& record, const Id& id, set_type set) {
    if (set.size() > 0xffffffffU)
      detail::fail<std::length_error>("a set has at most 2^30 - 1 features; split its text");
    record += 'S';
    put_id(record, id);
    detail::put(record, static_cast<std::uint32_t>(set.size()));
    record.append(reinterpret_cast<const char*>(set.data()), set.size_bytes());
  }

  bool replay(std::string_view record) {
    if (record.empty()) return false;
    std::vector<Feature> set;
    while (!record.empty()) {
      const char what = record.front();
      if (record.size() < 1 + sizeof(Id)) return false;
      Id id;
      std::memcpy(&id, record.data() + 1, sizeof id);
      record.remove_prefix(1 + sizeof id);
      if (what == 'E') {
        if (!sets_->erase(id)) return false;
        continue;
      }
      if (what != 'S' || record.size() < 4) return false;
      const auto count = std::size_t{detail::get<std::uint32_t>(detail::to_bytes(record), 0)};
      record.remove_prefix(4);
      if (count > record.size() / sizeof(Feature) || count >= std::size_t{1} << 30) return false;
      set.resize(count);
      if (count > 0) std::memcpy(set.data(), record.data(), count * sizeof(Feature));
      record.remove_prefix(count * sizeof(Feature));
      if (!detail::is_ascending(set_type(set))) return false;
      sets_->insert_or_assign(set, id);
    }
    return true;
  }

  std::unique_ptr<journal> journal_;
  fingerprint_composition made_of_;
  const set_index<Feature, Id>* initial_;  // set while the constructor runs
  std::optional<file_type> file_;          // the mapped file, which is the base of sets_
  std::optional<set_index<Feature, Id>> sets_;
};

}  // namespace neardup::inline v0
