#include "run_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <neardup/storage/mapped_file.hpp>
#include <system_error>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../read/file_header.hpp"
#include "../write/output.hpp"
#include "lists.hpp"

namespace command {

namespace {

constexpr std::size_t feature_width = 64;
constexpr std::size_t settings_at = 0, parts_at = 1, data_at = 2;
constexpr std::array names_of_kinds{"features", "counts",  "scattered", "pairs",
                                    "texts",    "anchors", "windows",   "passages"};
constexpr std::array names_of_payloads{"ids", "sketches", "sets"};

[[noreturn]] void refuse_file(const std::string& path, const std::string& what) { throw input_error({path, what}); }

/// Returns the value of a setting.
/// Throws: input_error if the setting is missing.
const std::string& setting(const std::string& path, const named_values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) refuse_damage(path, "no " + name);
  return found->second;
}

template <class Number>
Number number_setting(const std::string& path, const named_values& values, const std::string& name) {
  const std::string& text = setting(path, values, name);
  Number number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
    refuse_damage(path, name + " is " + text);
  }
  return number;
}

template <class Names>
std::size_t named_setting(const std::string& path, const named_values& values, const std::string& name,
                          const Names& names) {
  const std::string& text = setting(path, values, name);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) refuse_damage(path, name + " is " + text);
  return static_cast<std::size_t>(found - names.begin());
}

std::string text_of_length(const passage_settings& passages) {
  return (passages.are_bytes ? "bytes:" : "") + std::to_string(passages.length);
}

void add_passages(named_values& values, const passage_settings& passages) {
  values["passages"] = text_of_length(passages);
  values["least-documents"] = std::to_string(passages.least_documents);
}

passage_settings passages_in(const std::string& path, named_values values) {
  passage_settings passages;
  std::string& length = values["passages"];
  passages.are_bytes = length.starts_with("bytes:");
  if (passages.are_bytes) length.erase(0, 6);
  passages.length = number_setting<std::size_t>(path, values, "passages");
  passages.least_documents = number_setting<std::size_t>(path, values, "least-documents");
  return passages;
}

run_file kind_in(const std::string& path, const named_values& values) {
  return static_cast<run_file>(named_setting(path, values, "holds", names_of_kinds));
}

/// Opens a file of kind `kind`. Checks the whole file if `reads_all`, otherwise only the part before the data.
/// Throws: input_error if the file is of another kind, or is damaged.
neardup::attachment_file open_file(const std::string& path, run_file kind, bool reads_all) {
  const run_file found = kind_of(path);
  if (found != kind) refuse_file(path, std::string("holds ") + name_of(found) + ", not " + name_of(kind));
  return as_input([&] {
    neardup::attachment_file file{neardup::mapped_file(path)};
    if (file.bits() != feature_width) {
      refuse_file(path, "features of " + std::to_string(file.bits()) + " bits, not " + std::to_string(feature_width));
    }
    if (reads_all) {
      file.verify();
    } else {
      file.verify(settings_at);
      file.verify(parts_at);
    }
    return file;
  });
}

named_values values_in(const neardup::attachment_file& file) {
  return parse_values(file.path(), file.attachment(settings_at));
}

run_plan plan_in(const neardup::attachment_file& file) {
  const std::string& path = file.path();
  const named_values values = values_in(file);
  run_plan plan;
  const run_file kind = kind_in(path, values);
  plan.counts = kind == run_file::counts || kind == run_file::anchors
                    ? checksum_of_file(path)
                    : number_setting<std::uint64_t>(path, values, "counts");
  if (values.contains("passages")) plan.passages = passages_in(path, values);
  plan.similarity = number_setting<double>(path, values, "similarity");
  plan.check = static_cast<similarity_measure>(named_setting(path, values, "check", measure_names));
  if (plan.check == similarity_measure::cosine) plan.check = similarity_measure::cosine_of_sets;
  plan.payload = static_cast<neardup::shuffle_payload>(named_setting(path, values, "payload", names_of_payloads));
  plan.partitions = number_setting<std::uint32_t>(path, values, "partitions");
  const auto parts = records_of<part_facts>(path, file.attachment(parts_at));
  plan.parts.assign(parts.begin(), parts.end());
  plan.made_of = file.made_of();
  const auto does_not_ascend = [](const part_facts& a, const part_facts& b) { return a.number >= b.number; };
  if (plan.partitions == 0 || !(plan.similarity > 0) || plan.similarity > 1 || plan.parts.empty() ||
      plan.parts.back().number > max_part ||
      std::adjacent_find(plan.parts.begin(), plan.parts.end(), does_not_ascend) != plan.parts.end()) {
    refuse_damage(path);
  }
  return plan;
}

void save_file(const std::string& path, run_file kind, std::uint64_t count,
               const neardup::fingerprint_composition& made_of, named_values values,
               std::vector<std::span<const std::byte>> attachments) {
  values["holds"] = names_of_kinds[static_cast<std::size_t>(kind)];
  std::string text;
  for (const auto& [name, value] : values) text.append(name).append(1, ' ').append(value).append(1, '\n');
  attachments.insert(attachments.begin(), std::as_bytes(std::span(text)));
  save_whole(path, [&](const std::string& file) {
    neardup::save_attachments(file, feature_width, count, made_of, attachments);
  });
}

named_values values_of(const run_plan& plan) {
  named_values values{{"counts", std::to_string(plan.counts)},
                      {"similarity", number_in_full(plan.similarity)},
                      {"check", measure_names[static_cast<std::size_t>(plan.check)]},
                      {"payload", names_of_payloads[static_cast<std::size_t>(plan.payload)]},
                      {"partitions", std::to_string(plan.partitions)}};
  if (plan.passages) add_passages(values, *plan.passages);
  return values;
}

}  // namespace

const char* name_of(run_file kind) {
  switch (kind) {
    case run_file::features: return "features of a part";
    case run_file::counts: return "counts of features";
    case run_file::scattered: return "scattered sets";
    case run_file::pairs: return "pairs of a partition";
    case run_file::texts: return "texts of a part";
    case run_file::anchors: return "repeated anchors";
    case run_file::windows: return "scattered passages";
    case run_file::passages: return "passages of a partition";
    case run_file::other: break;
  }
  return "something else";
}

bool is_temporary_file(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  return name.extension() == ".tmp" || name.string().find(".partial") != std::string::npos;
}

run_file kind_of(const std::string& path) {
  constexpr int attachments = 5;  // content of attachment files (docs/format.md)
  const stored_fingerprints stored = read_header(path);
  if (stored.content != attachments) return run_file::other;
  return as_input([&] {
    const neardup::attachment_file file{neardup::mapped_file(path)};
    file.verify(settings_at);
    const named_values values = values_in(file);
    return values.contains("holds") ? kind_in(path, values) : run_file::other;
  });
}

std::vector<std::string> files_of(const std::vector<std::string>& paths, run_file kind) {
  return files_of(paths, kind, {});
}

std::vector<std::string> files_of(const std::vector<std::string>& paths, run_file kind,
                                  std::initializer_list<run_file> others) {
  const auto is_asked = [&](run_file is) {
    return is == kind || std::find(others.begin(), others.end(), is) != others.end();
  };
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      if (const run_file is = kind_of(path); !is_asked(is)) {
        refuse_file(path, std::string("holds ") + name_of(is) + ", not " + name_of(kind));
      }
      found.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      const std::string file = entry.path().string();
      if (!entry.is_regular_file() || is_temporary_file(file)) continue;
      if (!header_of(file)) continue;  // a file of another program
      if (is_asked(kind_of(file))) inside.push_back(file);
    }
    if (error) refuse_file(path, error.message());
    std::sort(inside.begin(), inside.end());
    found.insert(found.end(), inside.begin(), inside.end());
  }
  return found;
}

std::uint64_t checksum_of_file(const std::string& path) { return read_header(path).checksum; }

// ---- The plan -------------------------------------------------------------------------------------------------------

comparison_settings run_plan::comparison() const {
  comparison_settings settings;
  settings.min_similarity = similarity;
  settings.check = check;
  settings.is_exact = true;
  settings.has_fingerprints = false;
  return settings;
}

neardup::shuffle_settings run_plan::shuffle() const {
  const auto measure = check == similarity_measure::jaccard       ? neardup::set_similarity::jaccard
                       : check == similarity_measure::containment ? neardup::set_similarity::containment
                                                                  : neardup::set_similarity::cosine;
  return {.least = {measure, similarity},
          .partitions = partitions,
          .payload = payload,
          .all_counted = true,
          .copies_once = true,
          .identity = counts};
}

const part_facts* run_plan::find(std::uint64_t part) const {
  const auto found = std::lower_bound(parts.begin(), parts.end(), part,
                                      [](const part_facts& p, std::uint64_t number) { return p.number < number; });
  return found == parts.end() || found->number != part ? nullptr : &*found;
}

std::uint64_t run_plan::first_of(std::size_t i) const {
  std::uint64_t sum = 0;
  for (std::size_t part = 0; part < i; ++part) sum += parts[part].documents;
  return sum;
}

void check_same_run(const std::string& path, const run_plan& plan, const std::string& first_path,
                    const run_plan& first) {
  if (plan.counts == first.counts && plan.parts == first.parts && plan.partitions == first.partitions) return;
  const auto compare = [&](const char* name, const std::string& one, const std::string& other) {
    if (one != other)
      refuse_file(path, std::string("is of ") + name + ' ' + one + ", and " + first_path + " of " + other);
  };
  if (plan.passages && first.passages) {
    compare("--passages", text_of_length(*plan.passages), text_of_length(*first.passages));
    compare("--least-documents", std::to_string(plan.passages->least_documents),
            std::to_string(first.passages->least_documents));
  }
  compare("--similarity", number(plan.similarity), number(first.similarity));
  compare("--check", measure_names[static_cast<std::size_t>(plan.check)],
          measure_names[static_cast<std::size_t>(first.check)]);
  compare("--partitions", std::to_string(plan.partitions), std::to_string(first.partitions));
  refuse_file(path, "was made with other counts than " + first_path);
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

namespace {

/// A part with values has its number here, not in "part". So older programs, which ignore values, refuse the part.
constexpr const char* part_and_values = "part-and-values";

std::string paired_in(const named_values& values) {
  for (const std::string rule : {"within", "across"}) {
    if (const auto found = values.find(rule); found != values.end()) return rule + ' ' + found->second;
  }
  return "";
}

}  // namespace

part_file::part_file(const std::string& path, bool reads_all)
    : file_(open_file(path, run_file::features, reads_all)),
      paired_(paired_in(values_in(file_))),
      number_(number_setting<std::uint64_t>(path, values_in(file_), paired_.empty() ? "part" : part_and_values)),
      checksum_(checksum_of_file(path)),
      names_(path, file_.count(), file_.attachment(1), file_.attachment(2), reads_all),
      features_(path, file_.count(), file_.attachment(3), file_.attachment(4), false) {
  if (number_ > max_part) refuse_damage(path);
  if (!paired_.empty()) {
    values_.emplace(path, file_.count(), file_.attachment(5), file_.attachment(6), reads_all);
  }
}

void save_part(const std::string& path, std::uint64_t number, const neardup::fingerprint_composition& made_of,
               const document_columns<part_file::feature>& columns, const std::string& paired,
               const column<char>& values) {
  named_values settings{{paired.empty() ? "part" : part_and_values, std::to_string(number)}};
  std::vector<std::span<const std::byte>> parts{
      std::as_bytes(std::span(columns.names.ends)), std::as_bytes(std::span(columns.names.values)),
      std::as_bytes(std::span(columns.features.ends)), std::as_bytes(std::span(columns.features.values))};
  if (!paired.empty()) {
    const std::size_t space = paired.find(' ');
    settings[paired.substr(0, space)] = paired.substr(space + 1);
    parts.push_back(std::as_bytes(std::span(values.ends)));
    parts.push_back(std::as_bytes(std::span(values.values)));
  }
  save_file(path, run_file::features, columns.names.size(), made_of, std::move(settings), std::move(parts));
}

template <class Part>
std::vector<std::unique_ptr<Part>> open_parts(const std::vector<std::string>& paths, const run_plan& plan,
                                              const std::string& plan_from, bool reads_all) {
  std::vector<std::unique_ptr<Part>> parts(plan.parts.size());
  for (const std::string& path : paths) {
    auto part = std::make_unique<Part>(path, reads_all);
    const part_facts* const facts = plan.find(part->number());
    const std::string name = "part " + std::to_string(part->number());
    if (facts == nullptr)
      refuse_file(path, std::string("is ").append(name).append(", which ").append(plan_from).append(" does not have"));
    if (*facts != part->facts())
      refuse_file(path, std::string("is another ").append(name).append(" than the one of ").append(plan_from));
    auto& place = parts[static_cast<std::size_t>(facts - plan.parts.data())];
    if (place) refuse_file(path, "is " + name + ", as is " + place->file().path());
    place = std::move(part);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i]) refuse_file(plan_from, "needs the features of part " + std::to_string(plan.parts[i].number));
  }
  return parts;
}
template std::vector<std::unique_ptr<part_file>> open_parts(const std::vector<std::string>&, const run_plan&,
                                                            const std::string&, bool);
template std::vector<std::unique_ptr<text_part_file>> open_parts(const std::vector<std::string>&, const run_plan&,
                                                                 const std::string&, bool);

// ---- Counts, scattered sets, pairs -----------------------------------------------------------------------------------

counts_file::counts_file(const std::string& path)
    : file(open_file(path, run_file::counts, true)), plan(plan_in(file)), counts(as_input([&] {
        try {
          return neardup::feature_counts<std::uint64_t>::map(file.attachment(data_at));
        } catch (const std::runtime_error& error) {
          throw std::runtime_error(path + ": " + error.what());
        }
      })) {}

void save_counts(const std::string& path, const run_plan& plan, const neardup::feature_counts<std::uint64_t>& counts) {
  const std::vector<std::byte> bytes = counts.save();
  named_values values = values_of(plan);
  values.erase("counts");
  save_file(path, run_file::counts, plan.parts.size(), plan.made_of, values,
            {std::as_bytes(std::span(plan.parts)), std::span(bytes)});
}

scattered_file::scattered_file(const std::string& path)
    : file(open_file(path, kind_of(path) == run_file::windows ? run_file::windows : run_file::scattered, false)),
      plan(plan_in(file)),
      part(number_setting<std::uint64_t>(path, values_in(file), "part")) {
  if (plan.find(part) == nullptr) refuse_damage(path);
}

std::span<const std::byte> scattered_file::blob(std::uint32_t partition) const {
  as_input([&] { file.verify(data_at + partition); });
  return file.attachment(data_at + partition);
}

void save_scattered(const std::string& path, const run_plan& plan, const part_facts& part,
                    std::span<const std::vector<std::byte>> blobs) {
  named_values values = values_of(plan);
  values["part"] = std::to_string(part.number);
  std::vector<std::span<const std::byte>> attachments{std::as_bytes(std::span(plan.parts))};
  for (const std::vector<std::byte>& blob : blobs) attachments.emplace_back(blob);
  save_file(path, plan.passages ? run_file::windows : run_file::scattered, part.documents, plan.made_of, values,
            attachments);
}

pairs_file::pairs_file(const std::string& path)
    : file(open_file(path, run_file::pairs, true)),
      plan(plan_in(file)),
      partition(number_setting<std::uint32_t>(path, values_in(file), "partition")),
      pairs(records_of<pair_of_run>(path, file.attachment(data_at))) {
  const auto is_wrong = [](const pair_of_run& pair) { return pair.earlier >= pair.later; };
  const auto is_behind = [](const pair_of_run& a, const pair_of_run& b) { return !a.is_before(b); };
  if (partition >= plan.partitions || pairs.size() != file.count() ||
      std::any_of(pairs.begin(), pairs.end(), is_wrong) ||
      std::adjacent_find(pairs.begin(), pairs.end(), is_behind) != pairs.end()) {
    refuse_damage(path);
  }
}

void save_pairs(const std::string& path, const run_plan& plan, std::uint32_t partition,
                std::span<const pair_of_run> pairs) {
  named_values values = values_of(plan);
  values["partition"] = std::to_string(partition);
  save_file(path, run_file::pairs, pairs.size(), plan.made_of, values,
            {std::as_bytes(std::span(plan.parts)), std::as_bytes(pairs)});
}

template <class File>
std::vector<std::unique_ptr<File>> open_partitions(const std::vector<std::string>& paths, const std::string& what) {
  std::vector<std::unique_ptr<File>> files;
  for (const std::string& path : paths) {
    files.push_back(std::make_unique<File>(path));
    check_same_run(path, files.back()->plan, paths.front(), files.front()->plan);
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a->partition < b->partition; });
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i]->partition != files[i - 1]->partition) continue;
    refuse_file(files[i]->file.path(),
                "is of partition " + std::to_string(files[i]->partition) + ", as is " + files[i - 1]->file.path());
  }
  for (std::uint32_t i = 0; i < files.front()->plan.partitions; ++i) {
    if (i < files.size() && files[i]->partition == i) continue;
    refuse_file("", "the " + what + " of partition " + std::to_string(i) + " are missing");
  }
  return files;
}
template std::vector<std::unique_ptr<pairs_file>> open_partitions(const std::vector<std::string>&, const std::string&);
template std::vector<std::unique_ptr<passages_file>> open_partitions(const std::vector<std::string>&,
                                                                     const std::string&);

// ---- Texts, anchors, passages ---------------------------------------------------------------------------------------

namespace {

constexpr std::size_t anchors_at = 6;

/// Returns the composition that files of a search for passages have. These files have no fingerprints, so the
/// composition has only a name.
neardup::fingerprint_composition composition_of_texts() {
  neardup::fingerprint_composition made_of;
  made_of.tokenizer = "texts";
  return made_of;
}

}  // namespace

void text_columns::add(std::string_view name, const std::vector<std::string>& texts) {
  names.add(name);
  std::vector<std::uint64_t> ends;
  for (const std::string& text : texts) {
    bytes += text;
    ends.push_back(bytes.size());
  }
  text_ends.add(ends);
}

text_part_file::text_part_file(const std::string& path, bool reads_all)
    : file_(open_file(path, run_file::texts, reads_all)),
      number_(number_setting<std::uint64_t>(path, values_in(file_), "part")),
      checksum_(checksum_of_file(path)),
      passages_(passages_in(path, values_in(file_))),
      partitions_(number_setting<std::uint32_t>(path, values_in(file_), "partitions")),
      names_(path, file_.count(), file_.attachment(1), file_.attachment(2), reads_all),
      text_ends_(path, file_.count(), file_.attachment(3), file_.attachment(4), reads_all),
      bytes_(text_of(file_.attachment(5))) {
  if (number_ > max_part) refuse_damage(path);
}

std::vector<std::string_view> text_part_file::texts(std::size_t i) const {
  const std::span<const std::uint64_t> ends = text_ends_[i];
  const std::size_t before = static_cast<std::size_t>(ends.data() - text_ends_.values().data());
  std::uint64_t begin = before == 0 ? 0 : text_ends_.values()[before - 1];
  std::vector<std::string_view> texts;
  for (const std::uint64_t end : ends) {
    if (begin > end || end > bytes_.size()) refuse_damage(file_.path());
    texts.push_back(bytes_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
  }
  return texts;
}

std::span<const std::byte> text_part_file::anchors(std::uint32_t partition) const {
  as_input([&] { file_.verify(anchors_at + partition); });
  return file_.attachment(anchors_at + partition);
}

void save_text_part(const std::string& path, std::uint64_t number, const passage_settings& passages,
                    const text_columns& columns, std::span<const std::vector<std::byte>> anchors) {
  named_values values{{"part", std::to_string(number)}, {"partitions", std::to_string(anchors.size())}};
  add_passages(values, passages);
  std::vector<std::span<const std::byte>> attachments{
      std::as_bytes(std::span(columns.names.ends)), std::as_bytes(std::span(columns.names.values)),
      std::as_bytes(std::span(columns.text_ends.ends)), std::as_bytes(std::span(columns.text_ends.values)),
      std::as_bytes(std::span(columns.bytes))};
  for (const std::vector<std::byte>& blob : anchors) attachments.emplace_back(blob);
  save_file(path, run_file::texts, columns.names.size(), composition_of_texts(), std::move(values),
            std::move(attachments));
}

anchors_file::anchors_file(const std::string& path)
    : file(open_file(path, run_file::anchors, true)), plan(plan_in(file)), repeated(file.attachment(data_at)) {
  if (!plan.passages) refuse_damage(path);
}

void save_anchors(const std::string& path, const run_plan& plan, std::span<const std::byte> repeated) {
  named_values values = values_of(plan);
  values.erase("counts");
  save_file(path, run_file::anchors, plan.parts.size(), composition_of_texts(), values,
            {std::as_bytes(std::span(plan.parts)), repeated});
}

passages_file::passages_file(const std::string& path)
    : file(open_file(path, run_file::passages, false)),
      plan(plan_in(file)),
      partition(number_setting<std::uint32_t>(path, values_in(file), "partition")) {
  if (partition >= plan.partitions || !plan.passages) refuse_damage(path);
}

std::span<const found_passage> passages_file::of_part(std::size_t i) const {
  as_input([&] { file.verify(data_at + i); });
  return records_of<found_passage>(file.path(), file.attachment(data_at + i));
}

void save_passages(const std::string& path, const run_plan& plan, std::uint32_t partition,
                   std::span<const found_passage> passages) {
  named_values values = values_of(plan);
  values["partition"] = std::to_string(partition);
  std::vector<std::span<const std::byte>> attachments{std::as_bytes(std::span(plan.parts))};
  auto next = passages.begin();
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const std::uint64_t end = plan.first_of(i) + plan.parts[i].documents;
    const auto first = next;
    while (next != passages.end() && next->document < end) ++next;
    attachments.push_back(std::as_bytes(std::span(first, next)));
  }
  save_file(path, run_file::passages, passages.size(), composition_of_texts(), std::move(values),
            std::move(attachments));
}

}  // namespace command
