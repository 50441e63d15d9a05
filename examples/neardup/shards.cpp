// Near-duplicates on many machines: `neardup hash --shard`, `neardup join` and `neardup merge`.
#include <filesystem>
#include <neardup/dedup/all_pairs.hpp>
#include <neardup/storage/fingerprint_list.hpp>
#include <neardup/threads.hpp>
#include <queue>
#include <system_error>

#include "check.hpp"
#include "context.hpp"
#include "groups.hpp"
#include "lists.hpp"
#include "readers.hpp"
#include "shard_files.hpp"

namespace command {

namespace {

// ---- hash --shard ---------------------------------------------------------------------------------------------------

/// Collects the documents of a shard. One that equals an earlier one in all that is compared is near whatever that one
/// is near: it is kept as its copy, and not in the list, so that a crowd of copies has no pairs.
template <std::size_t Bits>
void hash_to_shard(context& c) {
  std::vector<neardup::simhash<Bits>> fingerprints;
  document_columns columns;
  for_each_document(c, [&](const placed_document& d) {
    if (!d.facts.has_tokens) return;
    fingerprints.push_back(d.facts.fingerprint.as<Bits>());
    columns.add(d.name(), d.facts.features);
  });

  const std::uint64_t count = fingerprints.size();
  std::vector<bool> is_copy(count, false);
  std::vector<copy_of_document> copies;
  if (c.settings.keeps_features) {
    const auto first = first_of_equal(count, [&](std::uint64_t a, std::uint64_t b) {
      const auto by_fingerprint = fingerprints[a] <=> fingerprints[b];
      return by_fingerprint != 0 ? by_fingerprint : compare_features(columns.features_of(a), columns.features_of(b));
    });
    for (std::uint64_t i = 0; i < count; ++i) {
      // A text without letters is not even near itself by --check edit.
      is_copy[i] = first[i] != i && are_near_duplicates(c.settings, columns.features_of(i), columns.features_of(i));
      if (is_copy[i]) copies.push_back({i, first[i]});
    }
  }
  std::vector<neardup::list_entry<Bits>> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!is_copy[i]) entries.push_back({fingerprints[i], id_of(*c.settings.shard, i)});
  }

  const auto made_of = composition_of_options(c.settings);
  if (c.settings.keeps_features) {
    std::string beginning;  // of the list, with the checksum of its header
    neardup::write_list<Bits>(entries, made_of, [&](std::string_view bytes) {
      if (beginning.empty()) beginning = bytes.substr(0, 64);
    });
    columns.drop_features(is_copy);
    named_values settings = comparison_of(c.settings);
    settings["shard"] = std::to_string(*c.settings.shard);
    settings["list"] = std::to_string(parse_header(beginning).value().checksum);
    auto parts = columns.bytes();
    parts.push_back(std::as_bytes(std::span(copies)));
    save_parts(features_path(c.settings.output_file), Bits, count, made_of, settings, std::move(parts));
  }
  // The list comes last: where it is, the shard is whole.
  save_whole(c.settings.output_file,
             [&](const std::string& file) { neardup::save_list<Bits>(file, entries, made_of); });
  finish(c, " in shard " + std::to_string(*c.settings.shard));
}

// ---- join -----------------------------------------------------------------------------------------------------------

/// A list whose ids are those of a shard. Throws: input_error.
template <std::size_t Bits>
struct shard {
  std::string path;
  std::uint64_t number = 0;
  std::uint64_t checksum = 0;
  neardup::fingerprint_composition made_of;
  std::vector<neardup::simhash<Bits>> fingerprints;
  std::vector<std::uint64_t> ids;  // ascending

  explicit shard(const std::string& file) : path(file), checksum(read_header(file).checksum) {
    as_input([&] {
      const neardup::fingerprint_list<Bits> list{neardup::mapped_file(file)};
      list.verify();
      made_of = list.made_of();
      fingerprints.reserve(list.size());
      ids.reserve(list.size());
      for (std::size_t i = 0; i < list.size(); ++i) {
        const auto [fingerprint, id] = list[i];
        if (i == 0) number = shard_of(id);
        if (shard_of(id) != number || (i > 0 && id <= ids.back())) {
          throw std::runtime_error(file + ": no shard, its ids are not those of hash --shard");
        }
        fingerprints.push_back(fingerprint);
        ids.push_back(id);
      }
    });
    // Only what lies beside it tells the number of an empty one.
    std::error_code ignored;
    if (ids.empty() && std::filesystem::exists(features_path(file), ignored)) {
      number = shard_documents(features_path(file)).number;
    }
  }
};

/// Every candidate pair of two shards, or within one, once.
template <std::size_t Bits>
void join_shards(context& c) {
  std::vector<shard<Bits>> shards;
  for (const std::string& path : c.settings.paths) shards.emplace_back(path);
  if (shards.size() == 2) {
    check_composition(shards[1].path, shards[1].made_of, shards[0].made_of);
    if (shards[0].number == shards[1].number) {
      throw input_error({shards[1].path, "is shard " + std::to_string(shards[1].number) + ", as is " + shards[0].path});
    }
    if (shards[1].number < shards[0].number) std::swap(shards[0], shards[1]);
  }
  const shard<Bits>&earlier = shards.front(), &later = shards.back();
  const neardup::join_options how{.blocks = c.settings.blocks, .run = neardup::threads{c.settings.threads}};
  std::vector<id_pair> pairs;
  const auto add = [&](std::size_t i, std::size_t j, int /*distance*/) {
    pairs.push_back({later.ids[j], earlier.ids[i]});
  };
  if (shards.size() == 2) {
    neardup::visit_pairs(earlier.fingerprints, later.fingerprints, c.settings.distance, add, how);
  } else {
    neardup::visit_pairs(earlier.fingerprints, c.settings.distance, add, how);
  }
  const join_task task{earlier.number, later.number, earlier.checksum, later.checksum};
  save_pairs(c.settings, false, earlier.made_of, std::span(&task, 1), pairs);
  const std::string of =
      shards.size() == 2 ? "shards " + std::to_string(earlier.number) + " and " : std::string("shard ");
  if (!c.settings.quiet) {
    say(of + std::to_string(later.number) + ": " + counted(pairs.size(), "candidate", "candidates"));
  }
}

// ---- merge ----------------------------------------------------------------------------------------------------------

/// For each document of all shards the one that stands for its group. Documents are numbered through, shard by shard.
/// Memory: 8 bytes a document.
class group_labels {
 public:
  explicit group_labels(const shard_inputs& inputs) : inputs_(inputs) {
    std::uint64_t count = 0;
    for (const auto& documents : inputs.documents) {
      first_.emplace_back(documents->number, count);
      count += documents->size();
    }
    label_.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) label_[i] = i;
  }

  /// Pairs come by their later document, then the earlier one. Whoever was not taken by then stands for a group.
  void join_representative(const id_pair& pair) {
    const std::uint64_t earlier = place(pair.earlier), later = place(pair.later);
    if (label_[later] == later && label_[earlier] == earlier) label_[later] = earlier;
  }

  /// Pairs come in any order.
  void unite(const id_pair& pair) {
    const std::uint64_t a = find(place(pair.earlier)), b = find(place(pair.later));
    label_[std::max(a, b)] = std::min(a, b);
  }

  /// Copies go where the first of them went.
  void finish() {
    // Whom a label names stands before, and has its last one by then.
    for (std::uint64_t i = 0; i < label_.size(); ++i) label_[i] = label_[label_[i]];
    for (std::size_t s = 0; s < first_.size(); ++s) {
      for (const auto& [record, original] : inputs_.documents[s]->copies) {
        label_[first_[s].second + record] = label_[first_[s].second + original];
      }
    }
  }

  /// Calls `visit(members)` for each group of two and more, by their first documents; ends what labels there were.
  template <class Visit>
  void for_each_group(const Visit& visit) {
    // The labels become rings: from who stands for a group through its members and back. A bit marks members.
    constexpr std::uint64_t is_member = std::uint64_t{1} << 63;
    for (std::uint64_t i = label_.size(); i-- > 0;) {
      const std::uint64_t first = label_[i];
      if (first >= i) continue;  // it stands for a group, whose ring has begun, or for itself
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

  /// The shard of a document, by its place among all, and its record there.
  [[nodiscard]] std::pair<std::size_t, std::uint64_t> where(std::uint64_t document) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), document,
                                        [](std::uint64_t number, const auto& shard) { return number < shard.second; });
    const auto at = static_cast<std::size_t>(after - first_.begin()) - 1;
    return {at, document - first_[at].second};
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return label_.size(); }

 private:
  [[nodiscard]] std::uint64_t place(std::uint64_t id) const {
    const auto shard = std::lower_bound(first_.begin(), first_.end(), std::pair{shard_of(id), std::uint64_t{0}},
                                        [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t at = static_cast<std::size_t>(shard - first_.begin());
    if (at == first_.size() || shard->first != shard_of(id) || record_of(id) >= inputs_.documents[at]->size()) {
      throw input_error({"", "a pair names a document that is in none of the shards"});
    }
    return shard->second + record_of(id);
  }
  std::uint64_t find(std::uint64_t document) {
    while (label_[document] != document) document = label_[document] = label_[label_[document]];
    return document;
  }

  const shard_inputs& inputs_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> first_;  // of each shard its number and first place
  std::vector<std::uint64_t> label_;
};

/// Throws: input_error unless each two shards, and each with itself, were joined and checked, once.
void check_all_are_joined(const shard_inputs& inputs) {
  std::vector<join_task> found;
  for (const auto& pairs : inputs.pairs) {
    const std::string& path = pairs->file.path();
    if (!pairs->is_checked) throw input_error({path, "holds candidates: have verify check them first"});
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

/// Calls `visit(id_pair)` for all pairs by their later documents, then the earlier ones: merges sorted files.
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

/// The groups of all shards, as `neardup groups` prints them.
template <std::size_t Bits>
void merge_shards(context& c) {
  options& settings = c.settings;
  const shard_inputs inputs = open_shard_inputs(settings.paths);
  if (inputs.shards.empty()) throw usage_error("merge: name the shards and the checked pairs");
  check_all_are_joined(inputs);
  apply_comparison_of(*inputs.documents.front(), settings);

  std::vector<neardup::fingerprint_list<Bits>> lists;
  for (const auto& documents : inputs.documents) {
    const std::string& features = documents->file.path();
    const std::string path = features.substr(0, features.size() - features_path("").size());
    if (read_header(path).checksum != documents->list_checksum) {
      throw input_error({features, "is of another file than " + path});
    }
    as_input([&] { lists.emplace_back(neardup::mapped_file(path)).verify(); });
  }

  group_labels labels(inputs);
  for_each_pair_in_order(inputs, [&](const id_pair& pair) {
    settings.by_components ? labels.unite(pair) : labels.join_representative(pair);
  });
  labels.finish();

  const auto fingerprint_of = [&](std::size_t shard, std::uint64_t record) {
    const shard_documents& documents = *inputs.documents[shard];
    const std::uint64_t original = documents.original_of(record);
    const std::size_t place = original - documents.copies_before(original);  // copies are not in the list
    if (place >= lists[shard].size() || record_of(lists[shard][place].id) != original) {
      throw input_error({documents.file.path(), "does not fit its list"});
    }
    return lists[shard][place].fingerprint;
  };
  group_counts counts;
  std::vector<group_member> group;
  labels.for_each_group([&](const std::vector<std::uint64_t>& members) {
    group.clear();
    const auto [first_shard, first_record] = labels.where(members.front());
    const auto fingerprint = fingerprint_of(first_shard, first_record);
    const auto features = inputs.documents[first_shard]->features(first_record);
    for (const std::uint64_t document : members) {
      const auto [shard, record] = labels.where(document);
      const int distance = neardup::hamming_distance(fingerprint, fingerprint_of(shard, record));
      const double similarity =
          settings.min_similarity
              ? similarity_at_least(settings.check, features, inputs.documents[shard]->features(record), 0).value_or(0)
              : estimate_of(settings, distance);
      group.push_back(
          {document, std::string(inputs.documents[shard]->documents.name(record)), false, distance, similarity});
    }
    c.out << text_of_group(settings, counts.groups++, group);
    counts.documents += members.size();
  });
  c.notes.advance(labels.size(), 0);
  finish_groups(c, counts);
}

}  // namespace

void run_hash_to_shard(context& c) {
  with_bits(c.settings.bits, [&](auto bits) { hash_to_shard<bits>(c); });
}
void run_join(context& c) {
  with_bits(c.settings.bits, [&](auto bits) { join_shards<bits>(c); });
}
void run_merge(context& c) {
  with_bits(c.settings.bits, [&](auto bits) { merge_shards<bits>(c); });
}

}  // namespace command
