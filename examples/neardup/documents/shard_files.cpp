#include "shard_files.hpp"

#include <charconv>
#include <filesystem>
#include <neardup/storage/mapped_file.hpp>
#include <system_error>

#include "../describe/features.hpp"
#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../write/output.hpp"
#include "lists.hpp"

namespace command {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) { throw input_error({path, what}); }

neardup::attachment_file open_attachments(const std::string& path) {
  return as_input([&] {
    neardup::attachment_file file{neardup::mapped_file(path)};
    file.verify();
    return file;
  });
}

[[noreturn]] void refuse_without(const std::string& path, const std::string& name) {
  refuse(path, "damaged, or not written by the command neardup: no " + name);
}

/// The value of a setting. Throws: input_error if there is none.
const std::string& value_of(const std::string& path, const named_values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) refuse_without(path, name);
  return found->second;
}

/// The value of a setting as a number. Throws: input_error if there is none.
template <class Number>
Number number_of(const std::string& path, const named_values& values, const std::string& name) {
  const std::string& text = value_of(path, values, name);
  Number number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) refuse_without(path, name);
  return number;
}

}  // namespace

// ---- documents ------------------------------------------------------------------------------------------------------

shard_documents::shard_documents(const std::string& path)
    : file(open_attachments(path)),
      settings(parse_values(path, file.attachment(0))),
      number(number_of<std::uint64_t>(path, settings, "shard")),
      list_checksum(number_of<std::uint64_t>(path, settings, "list")),
      documents(path, file.count(), file.attachment(1), file.attachment(2), file.attachment(3), file.attachment(4)),
      copies(records_of<copy_of_document>(path, file.attachment(5))) {
  const auto is_wrong = [&](const copy_of_document& copy) {
    return copy.record >= size() || copy.original >= copy.record;
  };
  const auto does_not_ascend = [](const auto& a, const auto& b) { return a.record >= b.record; };
  if ((size() > 0 && !documents.has_features()) || number > max_shard ||
      std::any_of(copies.begin(), copies.end(), is_wrong) ||
      std::adjacent_find(copies.begin(), copies.end(), does_not_ascend) != copies.end()) {
    refuse(path, "its parts do not fit each other");
  }
  // The remaining settings must be the same for all shards.
  settings.erase("shard");
  settings.erase("list");
}

std::size_t shard_documents::copies_before(std::size_t record) const {
  const auto first = std::lower_bound(copies.begin(), copies.end(), record,
                                      [](const copy_of_document& copy, std::size_t of) { return copy.record < of; });
  return static_cast<std::size_t>(first - copies.begin());
}

std::size_t shard_documents::original_of(std::size_t record) const {
  const std::size_t i = copies_before(record);
  return i < copies.size() && copies[i].record == record ? static_cast<std::size_t>(copies[i].original) : record;
}

named_values named_comparison(const fingerprint_settings& fingerprint, const comparison_settings& comparison) {
  named_values values{
      {"check", measure_names[static_cast<std::size_t>(comparison.check)]},
      {"check-features", to_string(comparison.check_features)},
      {"distance", std::to_string(comparison.distance)},
      {"kind", std::string(neardup::to_string(fingerprint.kind))},
      {"min-similarity", comparison.min_similarity ? number_in_full(*comparison.min_similarity) : "none"}};
  if (comparison.check_features.words) values["check-words"] = tables_of_words(comparison.check_features);
  return values;
}

std::optional<int> shard_comparison::distance() const {
  if (first.empty()) return std::nullopt;
  return number_of<int>(features_path(first), settings, "distance");
}

namespace {

/// The path of the file beside a shard, or beside the file that a link leads to. The file need not exist.
std::string found_features_path(const std::string& shard) {
  std::error_code ignored;
  const std::string beside = features_path(shard);
  return std::filesystem::exists(beside, ignored) ? beside : features_path(link_target(shard));
}

}  // namespace

shard_comparison comparison_of_shards(const std::vector<std::string>& shards) {
  shard_comparison of;
  for (const std::string& shard : shards) {
    const std::string path = found_features_path(shard);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      if (of.without.empty()) of.without = shard;
      continue;
    }
    as_input([&] {
      const neardup::attachment_file file{neardup::mapped_file(path)};
      named_values values = parse_values(path, file.attachment(0));
      if (number_of<std::uint64_t>(path, values, "list") != read_header(shard).checksum) {
        refuse(path, "is of another file than " + shard);
      }
      const int distance = number_of<int>(path, values, "distance");
      if (of.first.empty()) {
        of.first = shard;
        of.settings = std::move(values);
        of.made_of = file.made_of();
        return;
      }
      // Report the similarity, which was typed, rather than the distance, which follows from it.
      if (values["min-similarity"] != of.settings["min-similarity"]) {
        refuse(path, "was made with another min-similarity than " + features_path(of.first));
      }
      if (distance != of.distance()) {
        refuse(shard, "was made for --distance " + std::to_string(distance) + ", and " + of.first + " for " +
                          std::to_string(*of.distance()));
      }
    });
  }
  return of;
}

void apply_comparison(const std::string& path, const named_values& values, fingerprint_settings& fingerprint,
                      comparison_settings& to) {
  const auto value = [&](const char* name) -> const std::string& { return value_of(path, values, name); };
  to.distance = number_of<int>(path, values, "distance");
  fingerprint.kind =
      value("kind") == "minwise" ? neardup::fingerprint_kind::minwise : neardup::fingerprint_kind::simhash;
  const auto end = measure_names.begin() + measures_of_candidates;
  const auto measure = std::find(measure_names.begin(), end, value("check"));
  if (measure == end) refuse_without(path, "check");
  to.check = static_cast<similarity_measure>(measure - measure_names.begin());
  to.min_similarity.reset();
  if (value("min-similarity") != "none") {
    to.min_similarity = number_of<double>(path, values, "min-similarity");
  }
}

void save_parts(const std::string& path, std::size_t bits, std::uint64_t count,
                const neardup::fingerprint_composition& made_of, const named_values& settings,
                std::vector<std::span<const std::byte>> parts) {
  std::string lines;
  for (const auto& [name, value] : settings) lines.append(name).append(" ").append(value).append("\n");
  parts.insert(parts.begin(), std::as_bytes(std::span(lines)));
  save_whole(path, [&](const std::string& file) { neardup::save_attachments(file, bits, count, made_of, parts); });
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

pair_file::pair_file(const std::string& path)
    : file(open_attachments(path)),
      tasks(records_of<join_task>(path, file.attachment(1))),
      pairs(records_of<id_pair>(path, file.attachment(2))) {
  named_values values = parse_values(path, file.attachment(0));
  const std::string& hold = values["pairs"];
  if (hold != "candidates" && hold != "checked") refuse(path, "no file of pairs");
  is_checked = hold == "checked";
  is_exact = values.contains("join") && values["join"] == "exact";
  distance = number_of<int>(path, values, "distance");
  values.erase("pairs");
  values.erase("join");
  comparison = std::move(values);
  const auto is_wrong = [&](const id_pair& pair) {
    return pair.earlier >= pair.later || std::none_of(tasks.begin(), tasks.end(), [&](const join_task& task) {
             return task.earlier == shard_of(pair.earlier) && task.later == shard_of(pair.later);
           });
  };
  if (pairs.size() != file.count() || std::any_of(pairs.begin(), pairs.end(), is_wrong) ||
      std::adjacent_find(pairs.begin(), pairs.end(), std::greater_equal<>()) != pairs.end()) {
    refuse(path, "its parts do not fit each other");
  }
}

std::string difference_of(const pair_file& pairs, const named_values& of_shards) {
  const auto difference = [&](const std::string& name, const std::string& value) -> std::string {
    const auto other = of_shards.find(name);
    if (other != of_shards.end() && other->second == value) return "";
    return "is of --" + name + ' ' + value + ", and its shards of " +
           (other == of_shards.end() ? "none" : other->second);
  };
  // Report what was typed rather than the distance, which follows from it.
  for (const char* const name : {"check", "min-similarity"}) {
    const auto own = pairs.comparison.find(name);
    if (own == pairs.comparison.end()) continue;
    if (std::string found = difference(name, own->second); !found.empty()) return found;
  }
  for (const auto& [name, value] : pairs.comparison) {
    if (std::string found = difference(name, value); !found.empty()) return found;
  }
  return "";
}

void save_pairs(const std::string& path, const pair_facts& facts, const neardup::fingerprint_composition& made_of,
                std::span<const join_task> tasks, std::vector<id_pair>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  named_values values = facts.comparison;
  values["distance"] = std::to_string(facts.distance);
  values["pairs"] = facts.is_checked ? "checked" : "candidates";
  if (facts.is_exact) values["join"] = "exact";
  save_parts(path, facts.bits, pairs.size(), made_of, values, {std::as_bytes(tasks), std::as_bytes(std::span(pairs))});
}

// ---- the files of a run ---------------------------------------------------------------------------------------------

file_role role_of_file(const std::string& path) {
  constexpr int attachments = 5;  // content of attachment files (docs/format.md)
  const stored_fingerprints stored = read_header(path);
  if (stored.is_list()) return file_role::list;
  if (stored.content != attachments) return file_role::other;
  return as_input([&] {
    const neardup::attachment_file file{neardup::mapped_file(path)};
    const bool has_pairs = text_of(file.attachment(0)).find("pairs ") != std::string_view::npos;
    return has_pairs ? file_role::pairs : file_role::documents;
  });
}

void check_features_output(const std::string& shard) {
  const std::string path = features_path(shard);
  check_output(path);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  try {
    if (role_of_file(path) == file_role::documents) return;
  } catch (const input_error&) {
  }
  throw output_error(path + " is there already, and does not hold the features of a shard; move it away");
}

shard_inputs open_shard_inputs(const std::vector<std::string>& paths) {
  shard_inputs inputs;
  const auto add_documents = [&](const std::string& path) {
    for (const auto& earlier : inputs.documents) {
      if (earlier->file.path() == path) return;
    }
    inputs.documents.push_back(std::make_unique<shard_documents>(path));
  };
  for (const std::string& path : paths) {
    switch (role_of_file(path)) {
      case file_role::list:
        inputs.shards.push_back(path);
        add_documents(found_features_path(path));
        break;
      case file_role::documents: add_documents(path); break;
      case file_role::pairs: inputs.pairs.push_back(std::make_unique<pair_file>(path)); break;
      case file_role::other: refuse(path, "no shard, and no file of pairs");
    }
  }
  std::sort(inputs.documents.begin(), inputs.documents.end(),
            [](const auto& a, const auto& b) { return a->number < b->number; });
  for (std::size_t i = 1; i < inputs.documents.size(); ++i) {
    const shard_documents &first = *inputs.documents.front(), &one = *inputs.documents[i];
    const std::string& path = one.file.path();
    const shard_documents& before = *inputs.documents[i - 1];
    if (before.number == one.number) {
      refuse(path, "is shard " + std::to_string(one.number) + ", as is " + before.file.path());
    }
    check_composition(path, one.file.made_of(), first.file.made_of());
    const auto refuse_other = [&](const std::string& name, const std::string& value) {
      const auto other = first.settings.find(name);
      if (other != first.settings.end() && other->second == value) return;
      refuse(path, "was made with another " + name + " than " + first.file.path());
    };
    // Report the similarity, which was typed, rather than the distance, which follows from it.
    if (const auto least = one.settings.find("min-similarity"); least != one.settings.end())
      refuse_other(least->first, least->second);
    for (const auto& [name, value] : one.settings) refuse_other(name, value);
  }
  for (const auto& pairs : inputs.pairs) {
    if (inputs.documents.empty()) break;
    check_composition(pairs->file.path(), pairs->file.made_of(), inputs.documents.front()->file.made_of());
  }
  return inputs;
}

const shard_documents& shard_inputs::of(std::uint64_t shard, std::uint64_t checksum,
                                        const std::string& asked_by) const {
  const auto found =
      std::find_if(documents.begin(), documents.end(), [shard](const auto& one) { return one->number == shard; });
  if (found == documents.end()) refuse(asked_by, "needs shard " + std::to_string(shard) + ", which is not named");
  if ((*found)->list_checksum != checksum) {
    refuse(asked_by, "is of another shard " + std::to_string(shard) + " than " + (*found)->file.path());
  }
  return **found;
}

}  // namespace command
