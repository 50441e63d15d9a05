// `neardup merge`: combines the groups of all shards.
#include <algorithm>
#include <array>
#include <neardup/dedup/pair_groups.hpp>
#include <neardup/storage/fingerprint_list.hpp>
#include <queue>

#include "../compare/groups.hpp"
#include "combining.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array merge_options{
    option_row{"--grouping", "G", takes::own, section::comparison,
               "representatives (the default) or components, as of groups"},
};

/// The documents of all shards, numbered shard by shard, and their groups. Memory: 8 bytes per document.
class shard_groups {
 public:
  explicit shard_groups(const shard_inputs& inputs) : inputs_(inputs) {
    for (const auto& documents : inputs.documents) {
      first_.emplace_back(documents->number, size_);
      size_ += documents->size();
    }
  }

  /// The number of a document among all. Throws: input_error if it is in none of the shards.
  [[nodiscard]] std::uint64_t place(std::uint64_t id) const {
    const auto shard = std::lower_bound(first_.begin(), first_.end(), std::pair{shard_of(id), std::uint64_t{0}},
                                        [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t at = static_cast<std::size_t>(shard - first_.begin());
    if (at == first_.size() || shard->first != shard_of(id) || record_of(id) >= inputs_.documents[at]->size()) {
      throw input_error({"", "a pair names a document that is in none of the shards"});
    }
    return shard->second + record_of(id);
  }

  /// Calls `visit(copy, of)` for documents that are copies of an earlier one of their shard. In an exact join, a
  /// document without features is in no group.
  template <class Visit>
  void for_each_copy(const Visit& visit) const {
    for (std::size_t s = 0; s < first_.size(); ++s) {
      for (const auto& [record, original] : inputs_.documents[s]->copies) {
        if (inputs_.are_exact() && inputs_.documents[s]->features(record).empty()) continue;
        visit(first_[s].second + record, first_[s].second + original);
      }
    }
  }

  /// Takes the labels: label[i] <= i is the representative of document i.
  void take(std::vector<std::uint64_t> label) noexcept { label_ = std::move(label); }

  /// Calls `visit(members)` for each group of at least two documents, ordered by first member. Invalidates the labels.
  template <class Visit>
  void for_each_group(const Visit& visit) {
    // Turns label_ into circular lists: representative -> members -> representative. The top bit marks members.
    constexpr std::uint64_t is_member = std::uint64_t{1} << 63;
    for (std::uint64_t i = label_.size(); i-- > 0;) {
      const std::uint64_t first = label_[i];
      if (first >= i) continue;  // document i is a representative
      label_[i] = label_[first] | is_member;
      label_[first] = i;
    }
    std::vector<std::uint64_t> members;
    for (std::uint64_t i = 0; i < label_.size(); ++i) {
      if ((label_[i] & is_member) != 0 || label_[i] == i) continue;
      members.assign(1, i);
      for (std::uint64_t next = label_[i]; next != i; next = label_[next] & ~is_member) members.push_back(next);
      visit(members);
    }
  }

  /// The shard of a document, given its number among all, and its record number there.
  [[nodiscard]] std::pair<std::size_t, std::uint64_t> where(std::uint64_t document) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), document,
                                        [](std::uint64_t number, const auto& shard) { return number < shard.second; });
    const auto at = static_cast<std::size_t>(after - first_.begin()) - 1;
    return {at, document - first_[at].second};
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  const shard_inputs& inputs_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> first_;  // of each shard: its number and that of its first
                                                                // document
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> label_;
};

/// Throws: input_error unless every two shards, and each with itself, were joined and checked exactly once.
void check_all_are_joined(const shard_inputs& inputs) {
  std::vector<join_task> found;
  for (const auto& pairs : inputs.pairs) {
    const std::string& path = pairs->file.path();
    if (!pairs->is_checked) throw input_error({path, "holds candidates: have verify check them first"});
    if (pairs->is_exact != inputs.are_exact()) {
      throw input_error(
          {path, std::string(pairs->is_exact ? "is of an exact join" : "is of candidates by fingerprints") + ", and " +
                     inputs.pairs.front()->file.path() + " is not"});
    }
    const std::string difference = difference_of(*pairs, inputs.documents.front()->settings);
    if (!difference.empty()) throw input_error({path, difference});
    for (const join_task& task : pairs->tasks) {
      static_cast<void>(inputs.of(task.earlier, task.earlier_checksum, path));
      static_cast<void>(inputs.of(task.later, task.later_checksum, path));
      found.push_back(task);
    }
  }
  std::sort(found.begin(), found.end());
  const auto named = [](const join_task& task) {
    return "shards " + std::to_string(task.earlier) + " and " + std::to_string(task.later);
  };
  const auto twice = std::adjacent_find(found.begin(), found.end());
  if (twice != found.end()) throw input_error({"", "the pairs of " + named(*twice) + " are there twice"});
  for (std::size_t i = 0; i < inputs.documents.size(); ++i) {
    for (std::size_t j = i; j < inputs.documents.size(); ++j) {
      const shard_documents &a = *inputs.documents[i], &b = *inputs.documents[j];
      const join_task task{a.number, b.number, a.list_checksum, b.list_checksum};
      if (std::binary_search(found.begin(), found.end(), task)) continue;
      throw input_error({"", "the checked pairs of " + named(task) + " are missing"});
    }
  }
}

/// Calls `visit(id_pair)` for all pairs sorted by (later, earlier), by merging sorted files.
template <class Visit>
void for_each_pair_in_order(const shard_inputs& inputs, const Visit& visit) {
  using rest_of_file = std::span<const id_pair>;
  const auto is_behind = [](const rest_of_file& a, const rest_of_file& b) { return a.front() > b.front(); };
  std::priority_queue<rest_of_file, std::vector<rest_of_file>, decltype(is_behind)> files(is_behind);
  for (const auto& file : inputs.pairs) {
    if (!file->pairs.empty()) files.push(file->pairs);
  }
  while (!files.empty()) {
    const rest_of_file next = files.top();
    files.pop();
    visit(next.front());
    if (next.size() > 1) files.push(next.subspan(1));
  }
}

/// Prints the groups of all shards, as `neardup groups` does.
template <class Fingerprint>
void merge_shards(context& c, run_settings& settings) {
  const shard_inputs inputs = open_shard_inputs(settings.input.paths);
  if (inputs.shards.empty()) throw usage_error("merge: name the shards and the checked pairs");
  check_all_are_joined(inputs);
  apply_comparison_of(*inputs.documents.front(), settings.fingerprint, settings.comparison);
  // An exact join compares sets, so the printed similarities do, too.
  const similarity_measure check = settings.comparison.check;
  const bool are_sets = inputs.are_exact();
  const auto features_of = [&](std::size_t shard, std::uint64_t record) {
    const auto features = inputs.documents[shard]->features(record);
    return are_sets ? set_in(features, check) : features;
  };
  if (are_sets && check == similarity_measure::cosine) settings.comparison.check = similarity_measure::cosine_of_sets;

  std::vector<neardup::fingerprint_list<Fingerprint::bits, Fingerprint>> lists;
  for (const auto& documents : inputs.documents) {
    const std::string& features = documents->file.path();
    const std::string path = features.substr(0, features.size() - features_path("").size());
    if (read_header(path).checksum != documents->list_checksum) {
      throw input_error({features, "is of another file than " + path});
    }
    as_input([&] { lists.emplace_back(neardup::mapped_file(path)).verify(); });
  }

  const auto fingerprint_of = [&](std::size_t shard, std::uint64_t record) {
    const shard_documents& documents = *inputs.documents[shard];
    const std::uint64_t original = documents.original_of(record);
    const std::size_t place = original - documents.copies_before(original);  // copies are not in the list
    if (place >= lists[shard].size() || record_of(lists[shard][place].id) != original) {
      throw input_error({documents.file.path(), "does not fit its list"});
    }
    return lists[shard][place].fingerprint;
  };
  shard_groups groups(inputs);
  const auto distance_of = [&](std::uint64_t a, std::uint64_t b) {
    const auto [shard, record] = groups.where(a);
    const auto [other_shard, other_record] = groups.where(b);
    return neardup::hamming_distance(fingerprint_of(shard, record), fingerprint_of(other_shard, other_record));
  };
  const auto similarity_of = [&](std::uint64_t a, std::uint64_t b) {
    const auto [shard, record] = groups.where(a);
    const auto [other_shard, other_record] = groups.where(b);
    return similarity_at_least(settings.comparison.check, features_of(shard, record),
                               features_of(other_shard, other_record), 0)
        .value_or(0);
  };
  const auto closeness_of = [&](std::uint64_t a, std::uint64_t b) {
    return settings.comparison.min_similarity ? similarity_of(a, b) : -static_cast<double>(distance_of(a, b));
  };
  if (settings.grouping.by_components) {
    neardup::pair_components<> components(groups.size());
    groups.for_each_copy([&](std::uint64_t copy, std::uint64_t of) { components.add(copy, of); });
    for_each_pair_in_order(
        inputs, [&](const id_pair& pair) { components.add(groups.place(pair.later), groups.place(pair.earlier)); });
    groups.take(components.finish());
  } else {
    neardup::pair_groups<> labels(groups.size());
    groups.for_each_copy([&](std::uint64_t copy, std::uint64_t of) { labels.add_copy(copy, of); });
    for_each_pair_in_order(inputs, [&](const id_pair& pair) {
      const std::uint64_t later = groups.place(pair.later), earlier = groups.place(pair.earlier);
      labels.add(later, earlier, [&] { return closeness_of(earlier, later); });
    });
    groups.take(labels.finish());
  }

  const auto check_files = [&] {
    as_input([&] {
      for (const auto& list : lists) list.check_file();
      for (const auto& documents : inputs.documents) documents->file.check_file();
      for (const auto& pairs : inputs.pairs) pairs->file.check_file();
    });
  };
  check_files();
  group_counts counts;
  std::vector<group_member> group;
  groups.for_each_group([&](const std::vector<std::uint64_t>& members) {
    group.clear();
    const std::uint64_t first = members.front();
    for (const std::uint64_t document : members) {
      const auto [shard, record] = groups.where(document);
      const auto distance = inputs.are_exact() ? std::nullopt : std::optional(distance_of(first, document));
      const double similarity = settings.comparison.min_similarity ? similarity_of(first, document)
                                                                   : estimate_of(settings.fingerprint, *distance);
      group.push_back(
          {document, std::string(inputs.documents[shard]->documents.name(record)), false, distance, similarity});
    }
    c.out << text_of_group(settings, counts.groups++, group);
    counts.documents += members.size();
  });
  check_files();
  c.notes.advance(groups.size(), 0);
  finish_groups(c, counts);
}

bool run_merge(typed_options& typed) {
  run_settings settings = take_combination(
      typed, [&](run_settings& to) { take_kind_of_shards(typed, to); },
      [&](run_settings& to) { take_comparison(typed, to); });
  context c(settings);
  with_fingerprint(settings.fingerprint.bits, settings.fingerprint.kind,
                   [&]<class Fingerprint>(Fingerprint) { merge_shards<Fingerprint>(c, settings); });
  return c.found_any;
}

}  // namespace

extern const verb merge_verb;
const verb merge_verb{"merge",
                      "PATH…",
                      "of many machines: the groups in all shards",
                      R"(
Prints the groups of near-duplicates in all shards, as groups does for all their texts at once: the same
bytes. Name all shards, and all files that join wrote, or verify after it, in any order.
)",
                      takes::format | takes::output | takes::running | takes::help,
                      merge_options,
                      run_merge};

}  // namespace command
