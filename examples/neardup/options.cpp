#include "options.hpp"

#include <filesystem>
#include <neardup/dedup/checks.hpp>
#include <neardup/threads.hpp>
#include <sstream>

#include "documents.hpp"
#include "errors.hpp"
#include "glob.hpp"
#include "help.hpp"
#include "index_file.hpp"
#include "lists.hpp"
#include "output.hpp"
#include "platform.hpp"
#include "shard_files.hpp"
#include "typed.hpp"

namespace command {

namespace {

std::ptrdiff_t streams_in(const std::vector<std::string>& paths) { return std::count(paths.begin(), paths.end(), "-"); }

void refuse_if_given(const typed_options& typed, std::initializer_list<const char*> names, const std::string& why) {
  for (const char* const name : names) {
    if (typed.has(name)) throw usage_error(name + why);
  }
}

// ---- input ----------------------------------------------------------------------------------------------------------

/// Lists have no texts: what needs these is refused.
void take_lists(const typed_options& typed, options& to) {
  to.verifies = !typed.has("--no-verify");
  to.lists_have_headers = !typed.has("--no-header");
  if (to.unit != unit_of_input::fingerprints) return refuse_if_given(typed, {"--no-header"}, " needs --fingerprints");
  refuse_if_given(typed, {"--min-similarity", "--check", "--check-features", "--keep-features", "--keep"},
                  " with --fingerprints: there are no texts");
  if (typed["--weights"] == "idf" && !typed.has("--idf-file")) {
    throw usage_error("--weights idf with --fingerprints: there are no texts to learn from; name an --idf-file");
  }
  if (streams_in(to.paths) + streams_in(to.against) > 0) {
    throw usage_error("--fingerprints reads files, not standard input");
  }
  if (to.action == verb::report) throw usage_error("report with --fingerprints: there are no texts");
  to.names_composition =
      typed.has("--features") || typed.has("--weights") || typed.has("--seed") || !to.lists_have_headers;
  if (!to.lists_have_headers && !(typed.has("--features") && typed.has("--bits"))) {
    throw usage_error("--no-header: say what the fingerprints are made of, at least --features and --bits");
  }
}

/// The fields of JSON records.
void take_fields(const typed_options& typed, options& to) {
  if (to.unit != unit_of_input::json_lines) {
    refuse_if_given(typed, {"--text-field", "--id-field", "--weighted-field"}, " needs --jsonl");
  }
  const std::vector<std::string> fields = typed.all("--text-field");
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    if (std::find(fields.begin(), field, *field) != field) {
      throw usage_error("--text-field '" + *field + "' is given more than once");
    }
  }
  if (!fields.empty()) to.text_fields = fields;
  if (const auto weighted = typed["--weighted-field"]) {
    for (const char* const other : {"--text-field", "--features", "--check-features", "--weights"}) {
      if (typed.has(other)) throw usage_error("--weighted-field and " + std::string(other) + " do not go together");
    }
    to.weighted_field = *weighted;
    to.text_fields = {*weighted};
  }
  to.id_field = typed["--id-field"].value_or(to.id_field);
  to.id_field_required = typed.has("--id-field");
}

std::vector<std::string> input_words(const typed_options& typed) {
  std::vector<std::string> words;
  for (const option_row& row : all_options()) {
    if (row.section != std::string_view("Input") || !typed.has(row.long_name())) continue;
    for (const std::string& value : typed.all(row.long_name())) {
      if (row.value != nullptr || words.empty() || words.back() != row.long_name()) words.push_back(row.long_name());
      if (row.value != nullptr) words.push_back(value);
    }
  }
  return words;
}

void take_input(const typed_options& typed, options& to) {
  const bool lists = typed.has("--fingerprints"), lines = typed.has("--lines"), json_lines = typed.has("--jsonl");
  if (lines && json_lines) throw usage_error("--lines and --jsonl do not go together");
  if (lists && (lines || json_lines)) throw usage_error("--fingerprints goes with neither --lines nor --jsonl");
  to.unit = lists        ? unit_of_input::fingerprints
            : lines      ? unit_of_input::lines
            : json_lines ? unit_of_input::json_lines
                         : unit_of_input::files;
  to.against = typed.all("--against");
  take_lists(typed, to);
  take_fields(typed, to);
  to.include = expanded_globs("--include", typed.all("--include"));
  to.exclude = expanded_globs("--exclude", typed.all("--exclude"));
  to.reads_hidden = typed.has("--hidden");
  to.reads_binary = typed.has("--binary");
  to.skip_bad = typed.has("--skip-bad");
  to.strict = typed.has("--strict");
  to.input_words = input_words(typed);
}

/// The names of files.
void take_files(const typed_options& typed, options& to) {
  for (const auto& [option, file] : {std::pair("--idf-file", &to.idf_file),
                                     {"--output", &to.output_file},
                                     {"--dictionary", &to.words.dictionary},
                                     {"--user-dictionary", &to.words.user_dictionary},
                                     {"--model", &to.words.model},
                                     {"--stop-words", &to.words.stop_words},
                                     {"--index", &to.index_file},
                                     {"--files-from", &to.names_from},
                                     {"--dropped", &to.dropped_file}}) {
    *file = typed.text(option);
    if (typed.has(option) && file->empty()) throw usage_error(std::string(option) + " '': not the name of a file");
  }
}

/// Reads the list of --files-from.
void take_listed(const typed_options& typed, options& to) {
  const bool ends_with_zero = typed.has("--null");
  if (to.names_from.empty()) {
    if (ends_with_zero) throw usage_error("--null needs --files-from");
    return;
  }
  const std::string name = to.names_from == "-" ? "standard input" : to.names_from;
  std::istringstream list(text_of_file(to.names_from));
  to.first_listed = to.paths.size();
  std::uint64_t number = 0;
  for (std::string path; std::getline(list, path, ends_with_zero ? '\0' : '\n');) {
    ++number;
    const std::string where = name + ':' + std::to_string(number);
    if (path.find('\0') != path.npos) throw input_error({where, "a zero byte in a name; --null reads such lists"});
    if (path.empty() && ends_with_zero) throw input_error({where, "a name is empty"});
    if (path.empty()) continue;
    // Here it is no standard input.
    to.paths.push_back(path == "-" ? "./-" : path);
    to.listed_at.push_back(number);
  }
}

/// Files of neardup's are no texts.
void refuse_own_files(const options& to) {
  if (to.unit == unit_of_input::fingerprints) return;
  const auto refuse_own = [](const std::string& path) {
    const auto header = header_of(path);
    if (!header) return;
    throw usage_error(path + (header->is_list() ? " is a list of fingerprints, no text: --fingerprints reads lists"
                              : header->is_index()
                                  ? " is an index, no text: neardup query --index " + path + " searches it"
                                  : std::string(" is a file of neardup's, no text")));
  };
  std::for_each_n(to.paths.begin(), std::min(to.first_listed, to.paths.size()), refuse_own);
  std::for_each(to.against.begin(), to.against.end(), refuse_own);
}

void refuse_missing_input(const options& to) {
  if (to.paths.empty() && to.names_from.empty()) {
    throw usage_error(to.action == verb::find
                          ? "find takes a clue, and then files or folders: neardup find \"a sentence or two\" PATH…"
                          : "no input: name files or folders, or - for standard input");
  }
  if (streams_in(to.paths) + streams_in(to.against) + (to.names_from == "-" ? 1 : 0) > 1) {
    throw usage_error("standard input (-) can be read only once");
  }
}

// ---- settings that stand in files -----------------------------------------------------------------------------------

/// What the fingerprints of an index are made of.
void take_composition(typed_options& typed, const index_settings& stored) {
  typed.set_default("--bits", std::to_string(stored.bits));
  typed.set_default("--features", stored.features);
  typed.set_default("--weights", stored.weights);
  typed.set_default("--kind", stored.kind);
  if (typed.text("--weights").ends_with("idf") && !typed.has("--idf-file")) {
    throw usage_error(stored.path + " was made with --weights " + typed.text("--weights") +
                      ": name the same --idf-file");
  }
}

void refuse_other_features(const typed_options& typed, const index_settings& stored) {
  const auto features = typed["--check-features"];
  if (features.value_or(stored.check_features) == stored.check_features) return;
  throw usage_error("--check-features " + *features + ": " + stored.path + " keeps " +
                    (stored.check_features.empty() ? "no features" : stored.check_features));
}

void refuse_check_without_features(const typed_options& typed, const index_settings& stored) {
  if (typed.has("--min-similarity") && stored.check_features.empty()) {
    throw usage_error("--min-similarity: " + stored.path + " was made without --keep-features");
  }
}

/// What is not given is that of the index, as query has it. Without features of all, fingerprints decide.
void take_from_index_of_against(typed_options& typed, const index_settings& stored, options& to) {
  refuse_check_without_features(typed, stored);
  to.has_only_prints = to.has_only_prints || stored.check_features.empty();
  take_composition(typed, stored);
  if (!to.has_only_prints) refuse_other_features(typed, stored);
  if (typed.has("--distance") || typed.has("--similarity")) return;
  typed.set_default("--distance", std::to_string(stored.distance));
  if (stored.check_features.empty()) return;
  typed.set_default("--check-features", stored.check_features);
  typed.set_default("--min-similarity", number(neardup::default_similarity));
}

/// Tells the indexes of --against from texts and lists.
void take_against(typed_options& typed, options& to) {
  if (std::find(to.against.begin(), to.against.end(), "") != to.against.end()) {
    throw usage_error("--against '': not the name of a file or folder");
  }
  std::copy_if(to.against.begin(), to.against.end(), std::back_inserter(to.against_indexes), is_index);
  std::erase_if(to.against, is_index);
  to.also_within = typed.has("--also-within");
  if (to.also_within && !to.has_against()) throw usage_error("--also-within needs --against");
  to.copies_once = typed.has("--copies-once");
  if (to.copies_once && to.has_against()) {
    throw usage_error("--copies-once is about copies within PATH, not about --against");
  }
  if (to.against_indexes.empty()) return;
  const std::string check = typed["--check"].value_or("jaccard");
  if (check != "jaccard") {
    throw usage_error("--check " + check + ": an index keeps no texts; leave it out, or name texts");
  }
  std::vector<index_settings> indexes;
  for (const std::string& path : to.against_indexes) {
    const index_settings& one = indexes.emplace_back(read_index_settings(path));
    const index_settings& first = indexes.front();
    if (one.distance == first.distance && one.check_features == first.check_features) continue;
    throw usage_error("--against " + first.path + " and " + path +
                      ": made with other distances or features; make them alike, or compare with one after the other");
  }
  for (const index_settings& one : indexes) take_from_index_of_against(typed, one, to);
}

/// What lists are of is not given again.
void take_from_lists(typed_options& typed, const options& to) {
  if (!to.lists_have_headers) return typed.set_default("--kind", "simhash");  // as hash writes them by default
  const stored_fingerprints stored = read_header(to.paths.front());
  typed.set_default("--bits", std::to_string(stored.bits));
  const std::string kind(to_string(stored.kind));
  const std::string given = typed["--kind"].value_or("auto");
  if (given == "auto") typed.set("--kind", {kind});
  // Another value is refused where it is read.
  if (given != kind && (given == "simhash" || given == "minwise")) {
    throw usage_error("--kind " + given + ": the fingerprints in " + to.paths.front() + " are of the kind " + kind);
  }
}

/// What is not given is that of the index of index and query.
void take_from_index(typed_options& typed, const index_settings& stored, options& to) {
  to.index_checksum = read_header(stored.path).checksum;
  const bool has_features = !stored.check_features.empty();
  take_composition(typed, stored);
  const std::string distance = std::to_string(stored.distance);
  if (!typed.has("--similarity")) typed.set_default("--distance", distance);
  if (to.action == verb::index) {
    if (typed["--distance"] == distance) typed.set_default("--blocks", std::to_string(stored.blocks));
    if (to.keeps_features != has_features) {
      throw usage_error(stored.path + (has_features ? " keeps features: add" : " keeps no features: leave out") +
                        " --keep-features");
    }
    refuse_other_features(typed, stored);
  } else {
    refuse_check_without_features(typed, stored);
  }
  to.keeps_features = has_features && to.unit != unit_of_input::fingerprints;
  if (has_features) typed.set("--check-features", {stored.check_features});
}

/// What --similarity of a query stands for has to be within what the index answers; where a check decides, all of that
/// is looked through.
void take_reach(const typed_options& typed, int reach, options& to) {
  const std::string similarity = typed.text("--similarity");
  if (to.distance > reach) {
    throw usage_error("--similarity " + similarity + " needs --distance " + std::to_string(to.distance) + ": " +
                      to.index_file + " answers up to " + std::to_string(reach) + "; make it with --similarity " +
                      similarity);
  }
  if (to.min_similarity) to.distance = reach;
}

// ---- output ---------------------------------------------------------------------------------------------------------

void take_format(const typed_options& typed, options& to) {
  const auto format = typed["--format"];
  if (!format) return;
  const bool is_list = format == "bin" && to.action == verb::hash;
  if (format != "text" && format != "jsonl" && !is_list) {
    throw usage_error("--format '" + *format + "': formats are text and jsonl" +
                      (to.action == verb::hash ? ", and bin" : ""));
  }
  to.format = is_list ? output_format::binary : format == "jsonl" ? output_format::json_lines : output_format::text;
  if (to.action == verb::unique && to.unit != unit_of_input::files) {
    throw usage_error("--format says nothing here: unique copies the records as they are");
  }
}

void take_output(const typed_options& typed, options& to) {
  take_format(typed, to);
  const bool is_packed = to.output_file.ends_with(".gz") || to.output_file.ends_with(".zst");
  if (is_packed && (to.writes_file_at_end() || to.format == output_format::binary)) {
    throw usage_error("--output " + to.output_file + ": what is read where it lies cannot be compressed");
  }
  for (const char* const option : {"--output", "--dropped"}) {
    if (typed[option] != "-") continue;
    throw usage_error(option + std::string(" -: leave it out to write to standard output; ./- is a file of that name"));
  }
  to.exit_status = typed.has("--exit-status");
  to.quiet = typed.has("--quiet");
  to.threads = static_cast<unsigned>(neardup::threads{}.parts());
  take_number(typed, "--threads", to.threads, 1U, 1024U);
  to.memory = physical_memory() / 2;
  take_number(typed, "--memory", to.memory, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
}

/// What is written must be none of the files that are named to be read, nor each other's. What lies in folders is looked
/// at when it is found.
void refuse_overwriting(const options& to) {
  std::vector<std::string> read = to.paths;
  read.insert(read.end(), to.against.begin(), to.against.end());
  read.insert(read.end(), to.against_indexes.begin(), to.against_indexes.end());
  if (to.combines_shards()) {
    for (const std::string& path : to.paths) {
      read.insert(read.end(), {features_path(path), features_path(link_target(path))});
    }
  }
  if (to.action != verb::index) read.push_back(to.index_file);
  read.insert(read.end(),
              {to.idf_file, to.words.dictionary, to.words.user_dictionary, to.words.stop_words, to.names_from});
  const auto identity_of = [](const std::string& file) { return file.empty() ? "" : identity_of_file(file); };
  const std::string output = identity_of(to.output_file), dropped = identity_of(to.dropped_file);
  // As in `query --index FILE … >> FILE`.
  const std::string printed = to.output_file.empty() && !to.writes_file_at_end() ? identity_of("/dev/stdout") : "";
  const bool reads_documents = !to.combines_shards() && to.action != verb::diff;
  for (const std::string& path : read) {
    const std::string input = identity_of(path == "-" ? "/dev/stdin" : path);
    // Documents are looked at when they are read.
    const bool is_document = reads_documents && std::find(to.paths.begin(), to.paths.end(), path) != to.paths.end();
    if (!input.empty() && input == printed && !is_document) throw usage_error(path + " is also the output of this run");
    if (input.empty() || (input != output && input != dropped)) continue;
    throw usage_error((input == output ? "--output " + to.output_file : "--dropped " + to.dropped_file) +
                      " is also an input");
  }
  if (!dropped.empty() && dropped == (to.output_file.empty() ? identity_of("/dev/stdout") : output)) {
    throw usage_error("--dropped and --output name the same file");
  }
}

// ---- verbs ----------------------------------------------------------------------------------------------------------

void take_shard(const typed_options& typed, options& to) {
  to.keeps_features = typed.has("--keep-features");
  if (to.action != verb::hash) return;
  const auto shard = typed["--shard"];
  if (!shard) {
    return refuse_if_given(typed, {"--keep-features", "--distance", "--min-similarity", "--check", "--check-features"},
                           " needs --shard");
  }
  to.shard = parse_number<std::uint64_t>("--shard", *shard, 0, max_shard);
  if (to.output_file.empty()) throw usage_error("--shard writes to a file: --output FILE");
  if (to.unit == unit_of_input::fingerprints) throw usage_error("--shard with --fingerprints: there are no texts");
  refuse_if_given(typed, {"--format"}, " says nothing here: --shard writes a list");
}

void take_diff(const typed_options& typed, options& to) {
  if (to.paths.size() != 2) {
    throw usage_error("diff compares two files, and " + counted(to.paths.size(), "is", "are") + " named");
  }
  if (streams_in(to.paths) > 1) throw usage_error("standard input (-) can be read only once");
  take_name(typed, "--color", to.color, {"auto", "always", "never"}, "is auto, always or never");
  take_number<std::size_t>(typed, "--context", to.context, 0, 1'000'000'000);
  take_output(typed, to);
}

/// The verbs that take files of shards, whose settings stand in these.
void take_combination(typed_options& typed, options& to) {
  if (to.paths.empty()) throw usage_error("no input: name files of shards");
  if (to.writes_file_at_end() && to.output_file.empty()) {
    throw usage_error(row_of(to.action).name + std::string(" writes to a file: --output FILE"));
  }
  const bool joins = to.action == verb::join;
  if (joins && to.paths.size() > 2) throw usage_error("join takes one shard, or two");
  if (to.action != verb::manifest) {
    const stored_fingerprints stored = read_header(to.paths.front());
    typed.set("--bits", {std::to_string(stored.bits)});
    typed.set("--kind", {std::string(to_string(stored.kind))});
  }
  const std::optional<int> distance = joins ? distance_of_shards(to.paths) : std::nullopt;
  const char* const told = typed.has("--distance")     ? "--distance"
                           : typed.has("--similarity") ? "--similarity"
                                                       : "--check";
  if (distance && !typed.has(told)) typed.set("--distance", {std::to_string(*distance)});
  apply_settings(typed, to);
  if (distance && to.distance != *distance) {
    throw usage_error(told + (" " + typed.text(told)) +
                      (typed.has("--distance") ? "" : " stands for --distance " + std::to_string(to.distance)) +
                      ": the shards were made for --distance " + std::to_string(*distance) +
                      ", which join takes from them if nothing is given");
  }
  take_output(typed, to);
}

void refuse_without_file(const options& to) {
  if (to.action == verb::index && to.output_file.empty()) throw usage_error("index writes to a file: --output FILE");
  if (to.action == verb::report && to.output_file.empty() && is_terminal(stdout)) {
    throw usage_error("report writes a page for a browser, not for a terminal: --output groups.html");
  }
  if (to.action == verb::query && to.index_file.empty()) throw usage_error("query needs --index FILE");
}

/// The verbs that read texts, or lists of fingerprints.
void take_reading(typed_options& typed, options& to) {
  const bool lists = typed.has("--fingerprints");
  take_input(typed, to);
  if (to.action == verb::find && !to.paths.empty()) {
    to.clue = to.paths.front();
    to.paths.erase(to.paths.begin());
  }
  take_listed(typed, to);
  if (to.paths.empty() && lists) throw usage_error("no input: name lists");
  take_against(typed, to);
  refuse_own_files(to);
  take_shard(typed, to);
  if (lists) take_from_lists(typed, to);
  const auto stored = to.index_file.empty() ? std::nullopt : std::optional(read_index_settings(to.index_file));
  if (stored) take_from_index(typed, *stored, to);
  apply_settings(typed, to);
  take_output(typed, to);
  refuse_without_file(to);
  if (to.action == verb::query && !typed.has("--distance")) take_reach(typed, stored->distance, to);
  const bool has_index = to.has_index() || !to.against_indexes.empty();
  if ((has_index || lists || to.shard || to.format == output_format::binary) && !can_be_named(to)) {
    throw usage_error(
        "fingerprints of zh:words, of zh:keywords, with --top or with --weighted-field cannot be kept in a file: it "
        "names what they are made of, and has no name for a dictionary");
  }
  refuse_missing_input(to);
}

}  // namespace

command_line parse_command_line(int count, char** arguments) {
  std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  std::error_code ignored;
  if (!words.empty() && words.front() == "help" && !std::filesystem::exists("help", ignored)) {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::string first = words.empty() ? "" : words.front();
  const verb_row* const named = find_verb(first);
  if (named != nullptr) words.erase(words.begin());
  const verb_row& chosen = named != nullptr ? *named : all_verbs().front();
  auto read = read_words(chosen, named != nullptr, std::move(words));
  if (auto* const text = std::get_if<std::string>(&read)) return std::move(*text);

  auto& typed = std::get<typed_options>(read);
  options to;
  to.action = chosen.action;
  to.paths = typed.paths;
  // Names of files mostly have a point, or a folder before them.
  to.first_may_be_verb = named == nullptr && !to.paths.empty() && first == to.paths.front() &&
                         first.find_first_of("./\\-") == std::string::npos;
  take_files(typed, to);
  if (to.action == verb::diff) {
    take_diff(typed, to);
  } else if (to.combines_shards()) {
    take_combination(typed, to);
  } else {
    take_reading(typed, to);
  }
  refuse_overwriting(to);
  return to;
}

}  // namespace command
