// `neardup groups --pairs` and `neardup pairs --pairs`: print the results of a run on many machines.
#include <algorithm>
#include <map>
#include <neardup/dedup/pair_groups.hpp>
#include <numeric>
#include <queue>

#include "../compare/groups.hpp"
#include "../compare/sorted_pairs.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../line/option_table.hpp"
#include "run_steps.hpp"

namespace command {

namespace {

using document_number = std::uint64_t;

/// The documents of all parts, numbered part by part, and the pairs of all partitions.
class gathered_run {
 public:
  /// Opens the files of a run.
  /// Throws: input_error if the files belong to several runs, or if one is missing.
  gathered_run(const std::vector<std::string>& parts, const std::vector<std::string>& pairs) {
    files_ = open_partitions<pairs_file>(pairs, "pairs");
    parts_ = open_parts<part_file>(parts, plan(), files_.front()->file.path(), true);
    for (const auto& part : parts_) {
      first_.push_back(size_);
      size_ += part->size();
      if (part->paired() == parts_.front()->paired()) continue;
      throw input_error({part->file().path(),
                         "was made with other values of --within or --across than " + parts_.front()->file().path()});
    }
    is_paired_ = !parts_.empty() && !parts_.front()->paired().empty();
    is_within_ = !is_paired_ || parts_.front()->paired().starts_with("within ");
  }

  /// Returns true if the parts were made with --within or --across.
  [[nodiscard]] bool is_paired() const noexcept { return is_paired_; }
  /// Returns true if documents with the same value of the field may be pairs.
  [[nodiscard]] bool is_within() const noexcept { return is_within_; }
  /// Returns the value of a document in the field of --within or --across. The value is empty without these options.
  [[nodiscard]] std::string_view value(document_number document) const {
    if (!is_paired_) return {};
    const auto [part, record] = where(document);
    return part->value(record);
  }
  /// Returns true if --within or --across lets two documents be a pair.
  [[nodiscard]] bool may_pair(document_number a, document_number b) const {
    return !is_paired_ || (value(a) == value(b)) == is_within_;
  }

  [[nodiscard]] const run_plan& plan() const { return files_.front()->plan; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  [[nodiscard]] std::string name(document_number document) const {
    const auto [part, record] = where(document);
    return std::string(part->name(record));
  }
  [[nodiscard]] std::span<const part_file::feature> features(document_number document) const {
    const auto [part, record] = where(document);
    return part->features_of(record);
  }

  /// Returns the similarity of two documents, also if it is below the limit.
  [[nodiscard]] double similarity(document_number a, document_number b) const {
    return similarity_of_sets(plan().check, features(a), features(b));
  }

  /// Calls `visit(later, earlier, similarity)` once for each pair, in the order of (later, earlier).
  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    using rest_of_file = std::span<const pair_of_run>;
    const auto is_behind = [](const rest_of_file& a, const rest_of_file& b) { return b.front().is_before(a.front()); };
    std::priority_queue<rest_of_file, std::vector<rest_of_file>, decltype(is_behind)> files(is_behind);
    for (const auto& file : files_) {
      if (!file->pairs.empty()) files.push(file->pairs);
    }
    const pair_of_run* last = nullptr;
    while (!files.empty()) {
      const rest_of_file next = files.top();
      files.pop();
      const pair_of_run& pair = next.front();
      // With sketches, a pair may be in several partitions.
      if (last == nullptr || last->is_before(pair)) visit(number(pair.later), number(pair.earlier), pair.similarity);
      last = &pair;
      if (next.size() > 1) files.push(next.subspan(1));
    }
  }

  /// Returns true if the documents of a pair have the same features.
  [[nodiscard]] bool are_copies(document_number a, document_number b, double similarity) const {
    return similarity == 1 && features(a).size() == features(b).size();
  }

  /// Checks the files.
  /// Throws: input_error if a file was changed since it was opened.
  void check_files() const {
    as_input([&] {
      for (const auto& file : files_) file->file.check_file();
      for (const auto& part : parts_) part->file().check_file();
    });
  }

 private:
  /// Returns the part of a document, and the number of the document in the part.
  [[nodiscard]] std::pair<const part_file*, std::size_t> where(document_number document) const {
    const auto at =
        static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), document) - first_.begin()) - 1;
    return {parts_[at].get(), static_cast<std::size_t>(document - first_[at])};
  }

  /// Returns the number of the document with this id.
  /// Throws: input_error if the document is in no part.
  [[nodiscard]] document_number number(std::uint64_t id) const {
    const part_facts* const facts = plan().find(part_of(id));
    if (facts == nullptr || record_of(id) >= facts->documents) {
      throw input_error({"", "a pair names a document that is in no part"});
    }
    return first_[static_cast<std::size_t>(facts - plan().parts.data())] + record_of(id);
  }

  std::vector<std::unique_ptr<pairs_file>> files_;
  std::vector<std::unique_ptr<part_file>> parts_;
  std::vector<document_number> first_;  // the first document of each part
  std::uint64_t size_ = 0;
  bool is_paired_ = false, is_within_ = true;
};

/// Returns the number of documents.
/// Throws: input_error, which names `what`, if 32 bits cannot number the documents.
std::uint32_t count_of_few(const gathered_run& run, const std::string& what) {
  if (run.size() >= UINT32_MAX) throw input_error({"", what + " of more than 4,294,967,294 documents"});
  return static_cast<std::uint32_t>(run.size());
}

/// Returns the representative of each document. Documents are decided in the order of the input.
std::vector<document_number> group_in_order(const gathered_run& run, bool by_components) {
  if (by_components) {
    neardup::pair_components<document_number> components(run.size());
    run.for_each_pair([&](document_number a, document_number b, double) { components.add(a, b); });
    return components.finish();
  }
  neardup::pair_groups<document_number> groups(run.size());
  run.for_each_pair([&](document_number later, document_number earlier, double similarity) {
    if (run.are_copies(later, earlier, similarity)) groups.add_copy(later, earlier);
  });
  run.for_each_pair([&](document_number later, document_number earlier, double similarity) {
    if (!run.are_copies(later, earlier, similarity)) groups.add(later, earlier, [&] { return similarity; });
  });
  return groups.finish();
}

/// A pair for each copy: the number of the document that it equals, and its own number.
using copy_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

copy_list copies_in(const gathered_run& run) {
  copy_list copies;
  run.for_each_pair([&](document_number later, document_number earlier, double similarity) {
    if (!run.are_copies(later, earlier, similarity)) return;
    copies.emplace_back(static_cast<std::uint32_t>(earlier), static_cast<std::uint32_t>(later));
  });
  std::sort(copies.begin(), copies.end());
  return copies;
}

/// Calls `visit(a, b, similarity)`, with a < b, for each pair that --within and --across allow. The copies in `copies`
/// also have the pairs of the document that they equal. If `copies_once`, only the pairs in the files are visited, and
/// `copies` must be empty.
template <class Visit>
void for_each_pair_of_copies(const gathered_run& run, const copy_list& copies, bool copies_once, const Visit& visit) {
  const auto add = [&](std::uint32_t a, std::uint32_t b, double similarity) {
    if (run.may_pair(a, b)) visit(std::min(a, b), std::max(a, b), similarity);
  };
  const auto equal_to = [&](document_number document) {
    const auto number = static_cast<std::uint32_t>(document);
    std::vector<std::uint32_t> all{number};
    for (auto at = std::lower_bound(copies.begin(), copies.end(), std::pair(number, std::uint32_t{0}));
         at != copies.end() && at->first == number; ++at) {
      all.push_back(at->second);
    }
    return all;
  };
  run.for_each_pair([&](document_number later, document_number earlier, double similarity) {
    if (!copies_once && run.are_copies(later, earlier, similarity)) return;
    if (copies.empty()) return add(static_cast<std::uint32_t>(earlier), static_cast<std::uint32_t>(later), similarity);
    for (const std::uint32_t a : equal_to(earlier)) {
      for (const std::uint32_t b : equal_to(later)) add(a, b, similarity);
    }
  });
  for (std::size_t i = 0; i < copies.size();) {
    const std::vector<std::uint32_t> all = equal_to(copies[i].first);
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a + 1; b < all.size(); ++b) add(all[a], all[b], 1);
    }
    i += all.size() - 1;
  }
}

/// Returns the representatives of a run with containment, --within or --across. For containment, documents with more
/// features come first, because they may contain other documents.
std::vector<document_number> group_by_sorted_pairs(const gathered_run& run, const run_settings& settings) {
  const std::uint32_t count = count_of_few(run, run.is_paired() ? "--within and --across" : "--check containment");
  std::vector<std::uint32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0U);
  if (settings.comparison.checks_containment()) {
    std::vector<std::uint32_t> sizes(count);
    for (std::uint32_t i = 0; i < count; ++i) sizes[i] = static_cast<std::uint32_t>(run.features(i).size());
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  }
  for (std::uint32_t i = 0; i < count; ++i) place[order[i]] = i;
  const bool by_components = settings.grouping.by_components;
  neardup::pair_groups<std::uint32_t> groups(count);
  neardup::pair_components<std::uint32_t> components(count);
  copy_list copies = copies_in(run);
  if (run.is_within()) {
    // Of equal documents with equal values, only the first has pairs. Each later document is only linked to the first
    // one.
    std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> first;  // keys: the document `of`, and a value
    for (const auto& [of, copy] : copies) first.try_emplace({of, run.value(of)}, of);
    std::erase_if(copies, [&](const auto& one) {
      const auto [found, is_first] = first.try_emplace({one.first, run.value(one.second)}, one.second);
      if (is_first) return false;
      groups.add_copy(place[one.second], place[found->second]);
      components.add(place[one.second], place[found->second]);
      return true;
    });
  }
  sorted_pairs pairs(settings.grouping.memory);  // sorted by the later document, then the earlier one
  for_each_pair_of_copies(run, copies, false, [&](std::uint32_t a, std::uint32_t b, double similarity) {
    if (by_components) {
      components.add(place[a], place[b]);
    } else {
      pairs.add({std::max(place[a], place[b]), std::min(place[a], place[b]), similarity});
    }
  });
  std::vector<std::uint32_t> label;
  if (by_components) {
    label = components.finish();
  } else {
    pairs.visit_all([&](std::span<const checked_pair> some) {
      for (const checked_pair& p : some) groups.add(p.a, p.b, [&] { return p.similarity; });
    });
    label = groups.finish();
  }
  std::vector<document_number> result(count);
  for (std::uint32_t i = 0; i < count; ++i) result[order[i]] = order[label[i]];
  return result;
}

/// Prints the groups as `neardup groups` does.
void print_groups_of_run(context& c, const gathered_run& run) {
  std::vector<std::pair<document_number, document_number>> members;  // (representative, other member)
  {
    const std::vector<document_number> label = run.is_paired() || c.settings.comparison.checks_containment()
                                                   ? group_by_sorted_pairs(run, c.settings)
                                                   : group_in_order(run, c.settings.grouping.by_components);
    for (document_number i = 0; i < label.size(); ++i) {
      if (label[i] != i) members.emplace_back(label[i], i);
    }
  }
  std::sort(members.begin(), members.end());
  run.check_files();
  group_counts counts;
  std::vector<group_member> group;
  for (std::size_t i = 0; i < members.size();) {
    const document_number first = members[i].first;
    group.assign(1, {first, run.name(first), false, std::nullopt, 1});
    for (; i < members.size() && members[i].first == first; ++i) {
      const document_number other = members[i].second;
      group.push_back({other, run.name(other), false, std::nullopt, run.similarity(first, other)});
    }
    c.out << text_of_group(c.settings, counts.groups++, group);
    counts.documents += group.size();
  }
  run.check_files();
  c.notes.advance(run.size(), 0);
  finish_groups(c, counts);
}

/// Prints the pairs as `neardup pairs` does.
void print_pairs_of_run(context& c, const gathered_run& run, bool copies_once) {
  static_cast<void>(count_of_few(run, "pairs"));
  if (copies_once && run.is_paired()) {
    throw usage_error("--copies-once: the parts were made with --within or --across, where a copy has its own pairs");
  }
  sorted_pairs pairs(c.settings.grouping.memory);
  for_each_pair_of_copies(run, copies_once ? copy_list() : copies_in(run), copies_once,
                          [&](std::uint32_t a, std::uint32_t b, double similarity) {
                            pairs.add({a, b, similarity});
                          });
  run.check_files();
  const bool as_json = c.settings.output.as_json();
  pairs.visit_all([&](std::span<const checked_pair> some) {
    for (const checked_pair& pair : some) {
      if (c.settings.comparison.checks_containment()) {
        c.out << text_of_containment(as_json, {run.name(pair.a), run.name(pair.b), run.features(pair.a).size(),
                                               run.features(pair.b).size(), "b", pair.similarity});
      } else {
        c.out << text_of_match(c.settings.fingerprint, as_json,
                               {"a", "b", run.name(pair.a), run.name(pair.b), std::nullopt, pair.similarity});
      }
    }
  });
  run.check_files();
  c.notes.advance(run.size(), 0);
  finish(c, ": " + counted(pairs.size(), "pair", "pairs") + " of near-duplicates", pairs.size());
}

template <class Print>
bool run_of_pairs(typed_options& typed, std::initializer_list<std::string_view> allowed, const Print& print) {
  for (const option_row& row : options_of(*typed.chosen)) {
    const std::string name = row.long_name();
    if (!typed.has(name) || std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    throw usage_error(name + " with --pairs: it is about texts, and these are compared already");
  }
  const std::vector<std::string> named = typed.all("--pairs");
  run_settings settings = take_files_of_run(typed, named);
  take_grouping(typed, settings);
  const std::vector<std::string> pairs = files_of(named, run_file::pairs);
  if (pairs.empty()) throw usage_error("--pairs: the names lead to no file of pairs; gather writes such files");
  settings.input.paths = files_of(settings.input.paths, run_file::features);
  refuse_output_among(settings, pairs);
  refuse_output_among(settings, settings.input.paths);
  const gathered_run run(settings.input.paths, pairs);
  settings.comparison = run.plan().comparison();
  context c(settings);
  print(c, run);
  return c.found_any;
}

}  // namespace

bool run_groups_of_run(typed_options& typed) {
  return run_of_pairs(
      typed, {"--pairs", "--grouping", "--format", "--output", "--memory", "--exit-status", "--threads", "--quiet"},
      print_groups_of_run);
}

bool run_pairs_of_run(typed_options& typed) {
  const bool copies_once = typed.has("--copies-once");
  return run_of_pairs(
      typed, {"--pairs", "--copies-once", "--format", "--output", "--memory", "--exit-status", "--threads", "--quiet"},
      [&](context& c, const gathered_run& run) { print_pairs_of_run(c, run, copies_once); });
}

}  // namespace command
