#include "taking.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <neardup/dedup/checks.hpp>
#include <neardup/index/layout.hpp>
#include <neardup/threads.hpp>
#include <sstream>
#include <unordered_set>

#include "../documents/index_file.hpp"
#include "../ground/encoding.hpp"
#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../read/glob.hpp"
#include "comparison.hpp"
#include "help.hpp"
#include "option_table.hpp"

namespace command {

std::ptrdiff_t streams_in(const std::vector<std::string>& paths) { return std::count(paths.begin(), paths.end(), "-"); }

void refuse_if_given(const typed_options& typed, std::initializer_list<const char*> names, const std::string& why) {
  for (const char* const name : names) {
    if (typed.has(name)) throw usage_error(name + why);
  }
}

void refuse_comparing(const typed_options& typed, std::initializer_list<const char*> names, const std::string& why) {
  refuse_if_given(typed, names, why);
  refuse_if_given(
      typed, {"--add-to",         "--audit",          "--by",    "--also-within", "--keep",   "--grouping", "--check",
              "--check-features", "--min-similarity", "--exact", "--distance",    "--blocks", "--kind",     "--bits",
              "--weights",        "--weighted-field", "--top",   "--idf-file",    "--seed",   "--same"},
      why);
}

void refuse_empty_name(const typed_options& typed, const char* option) {
  if (typed.has(option) && typed.text(option).empty())
    throw usage_error(std::string(option) + " '': not the name of a file");
}

namespace {

// ---- Input ----------------------------------------------------------------------------------------------------------

/// Sets the options of lists of fingerprints. Refuses options that need texts, because lists have none.
void take_lists(const typed_options& typed, run_settings& to) {
  to.lists.are_verified = !typed.has("--no-verify");
  to.lists.have_headers = !typed.has("--no-header");
  if (to.input.unit != unit_of_input::fingerprints)
    return refuse_if_given(typed, {"--no-header"}, " needs --fingerprints");
  refuse_if_given(typed, {"--min-similarity", "--check", "--check-features", "--keep", "--keep-postings"},
                  " with --fingerprints: there are no texts");
  refuse_if_given(typed, {"--skip-bad", "--strict", "--binary"},
                  " has no effect with --fingerprints; leave out one of the two");
  if (streams_in(to.input.paths) + streams_in(to.against.paths) > 0) {
    throw usage_error("--fingerprints reads files, not standard input");
  }
  constexpr std::array named{"--features", "--weights", "--top", "--seed", "--fold-chinese"};
  to.lists.are_named = std::any_of(named.begin(), named.end(), [&](const char* option) { return typed.has(option); }) ||
                       !to.lists.have_headers;
  if (!to.lists.have_headers && !(typed.has("--features") && typed.has("--bits"))) {
    throw usage_error("--no-header: say what the fingerprints are made of, at least --features and --bits");
  }
}

/// Sets the names of the fields that are read from records.
void take_fields(const typed_options& typed, run_settings& to) {
  const unit_of_input unit = to.input.unit;
  if (!has_fields(unit)) {
    refuse_if_given(typed, {"--text-field", "--id-field"}, " needs --jsonl, or another format of records");
  }
  if (unit == unit_of_input::warc) refuse_if_given(typed, {"--text-field"}, ": records of WARC have no fields");
  if (is_of_mail(unit)) refuse_if_given(typed, {"--text-field"}, ": the text of a mail is its body");
  if (unit != unit_of_input::json_lines && unit != unit_of_input::automatic) {
    refuse_if_given(typed, {"--weighted-field"}, " needs --jsonl");
  }
  if (const auto what = typed["--mail"]) {
    if (!is_of_mail(unit) && unit != unit_of_input::automatic)
      throw usage_error("--mail needs --input-format mail or auto");
    to.input.reads_quotes = parse_name("--mail", *what, {"own", "all"}, "must be own or all") == 1;
  }
  const std::vector<std::string> fields = typed.all("--text-field");
  std::unordered_set<std::string_view> before;
  for (const std::string& field : fields) {
    if (!before.insert(field).second) throw usage_error("--text-field '" + field + "' is given more than once");
  }
  if (!fields.empty()) to.input.text_fields = fields;
  if (const auto weighted = typed["--weighted-field"]) {
    for (const char* const other : {"--text-field", "--features", "--check-features", "--weights"}) {
      if (typed.has(other)) throw usage_error("--weighted-field and " + std::string(other) + " do not go together");
    }
    to.input.weighted_field = *weighted;
    to.fingerprint.are_given = true;
    to.input.text_fields = {*weighted};
  }
  to.input.id_field = typed["--id-field"].value_or(to.input.id_field);
  to.input.id_field_required = typed.has("--id-field");
}

/// Returns the format that --input-format names.
unit_of_input named_unit(const std::string& format) {
  using unit = unit_of_input;
  constexpr std::array units{unit::automatic, unit::files, unit::lines, unit::json_lines, unit::csv,
                             unit::tsv,       unit::warc,  unit::mail,  unit::codes};
  return units[parse_name(
      "--input-format", format, {"auto", "text", "lines", "jsonl", "csv", "tsv", "warc", "mail", "codes"},
      "formats are auto, text, lines, jsonl, csv, tsv, mail, codes, and warc, which WET files are, too")];
}

/// Sets the options of codes. Refuses options that need texts, because codes have none.
void take_codes(const typed_options& typed, run_settings& to) {
  const auto field = typed["--code-field"];
  if (!field && to.input.unit != unit_of_input::codes) return;
  const std::string named = field ? "--code-field" : "--input-format codes";
  if (!typed.takes(takes::codes)) {
    throw usage_error(named + ": " + typed.chosen->name +
                      " reads texts; pairs, groups, unique, index, query and report read codes");
  }
  if (field && (!has_fields(to.input.unit) || to.input.unit == unit_of_input::warc || is_of_mail(to.input.unit))) {
    throw usage_error("--code-field needs --jsonl, or a table");
  }
  for (const option_row& row : options_of(*typed.chosen)) {
    const bool is_of_texts =
        row.section == std::string_view(section::features) ||
        (row.section == std::string_view(section::fingerprint) && row.name != std::string_view("--bits"));
    if (is_of_texts && typed.has(row.long_name())) {
      throw usage_error(row.long_name() + " with " + named + ": codes are compared as they are");
    }
  }
  refuse_if_given(typed,
                  {"--text-field", "--weighted-field", "--similarity", "--exact", "--min-similarity", "--check",
                   "--check-features", "--same", "--keep-postings", "--parts", "--copies", "--cut-passages", "--audit"},
                  " with " + named + ": there are no texts");
  if (typed["--keep"] == "longest") throw usage_error("--keep longest with " + named + ": there are no texts");
  if (field) {
    to.input.code_field = *field;
    to.input.text_fields = {*field};
  }
  to.fingerprint.are_codes = true;
}

void take_input(const typed_options& typed, run_settings& to) {
  const bool lists = typed.has("--fingerprints"), lines = typed.has("--lines"), json_lines = typed.has("--jsonl");
  if (lines && json_lines) throw usage_error("--lines and --jsonl do not go together");
  if (lists && (lines || json_lines)) throw usage_error("--fingerprints goes with neither --lines nor --jsonl");
  if (typed.has("--input-format") && (lists || lines || json_lines)) {
    throw usage_error("--input-format and " +
                      std::string(lists   ? "--fingerprints"
                                  : lines ? "--lines"
                                          : "--jsonl") +
                      " do not go together");
  }
  to.input.unit = lists                         ? unit_of_input::fingerprints
                  : lines                       ? unit_of_input::lines
                  : json_lines                  ? unit_of_input::json_lines
                  : typed.has("--input-format") ? named_unit(typed.text("--input-format"))
                                                : unit_of_input::files;
  if (const auto encoding = typed["--encoding"]; encoding && !is_name_of_utf8(*encoding)) {
    const charset meant = charset_of(*encoding);
    if (lists) throw usage_error("--encoding with --fingerprints: there are no texts");
    if (meant.name.empty()) throw usage_error("--encoding '" + *encoding + "': not the name of an encoding");
    // UTF-16 needs no decoder, because it becomes UTF-8 before lines are found.
    if (meant.form != charset_form::wide) static_cast<void>(decoder(*encoding));  // throws if the encoding is unknown
    const bool is_table = to.input.unit == unit_of_input::csv || to.input.unit == unit_of_input::tsv;
    if (is_table && meant.has_seven_bits()) {
      throw usage_error("--encoding " + *encoding +
                        ": its characters have the bytes of commas, tabs and quotes; make UTF-8 of the table first");
    }
    to.input.encoding = *encoding;
  }
  to.against.paths = typed.all("--against");
  take_lists(typed, to);
  take_fields(typed, to);
  take_codes(typed, to);
  to.input.include = expanded_globs("--include", typed.all("--include"));
  to.input.exclude = expanded_globs("--exclude", typed.all("--exclude"));
  to.input.reads_hidden = typed.has("--hidden");
  to.input.reads_binary = typed.has("--binary");
  to.input.skip_bad = typed.has("--skip-bad");
  to.input.strict = typed.has("--strict");
}

void take_files(const typed_options& typed, run_settings& to) {
  for (const auto& [option, file] : {std::pair("--idf-file", &to.fingerprint.idf_file),
                                     {"--output", &to.output.file},
                                     {"--dictionary", &to.fingerprint.words.dictionary},
                                     {"--user-dictionary", &to.fingerprint.words.user_dictionary},
                                     {"--model", &to.fingerprint.words.model},
                                     {"--stop-words", &to.fingerprint.words.stop_words},
                                     {"--files-from", &to.input.names_from},
                                     {"--dropped", &to.output.dropped},
                                     {"--dropped-records", &to.output.dropped_records},
                                     {"--audit", &to.output.audit}}) {
    *file = typed.text(option);
    refuse_empty_name(typed, option);
  }
}

void take_listed(const typed_options& typed, run_settings& to) {
  const bool ends_with_zero = typed.has("--null");
  if (to.input.names_from.empty()) {
    if (ends_with_zero) throw usage_error("--null needs --files-from");
    return;
  }
  const std::string name = to.input.names_from == "-" ? "standard input" : to.input.names_from;
  std::istringstream list(text_of_file(to.input.names_from));
  to.input.first_listed = to.input.paths.size();
  std::uint64_t number = 0;
  for (std::string path; std::getline(list, path, ends_with_zero ? '\0' : '\n');) {
    ++number;
    const std::string where = name + ':' + std::to_string(number);
    if (path.find('\0') != path.npos) throw input_error({where, "a zero byte in a name; --null reads such lists"});
    // A carriage return at the end shows that the list was written on Windows.
    if (!ends_with_zero && path.ends_with('\r')) path.pop_back();
    if (path.empty() && ends_with_zero) throw input_error({where, "a name is empty"});
    if (path.empty()) continue;
    // A "-" in a list is a file of that name, not standard input.
    to.input.paths.push_back(path == "-" ? "./-" : path);
    to.input.listed_at.push_back(number);
  }
}

/// Refuses files of the library, which are not texts.
void refuse_own_files(const run_settings& to) {
  if (to.input.unit == unit_of_input::fingerprints) return;
  const auto refuse_own = [](const std::string& path) {
    const auto header = header_of(path);
    if (!header) return;
    throw usage_error(path + (header->is_list() ? " is a list of fingerprints, no text: --fingerprints reads lists"
                              : header->is_index()
                                  ? " is an index, no text: neardup query --index " + path + " searches it"
                                  : std::string(" is a file of neardup's, no text")));
  };
  std::for_each_n(to.input.paths.begin(), std::min(to.input.first_listed, to.input.paths.size()), refuse_own);
  std::for_each(to.against.paths.begin(), to.against.paths.end(), refuse_own);
}

void refuse_missing_input(const run_settings& to, const char* without_input) {
  if (without_input != nullptr && to.input.paths.empty() && to.input.names_from.empty()) {
    throw usage_error(without_input);
  }
  if (streams_in(to.input.paths) + streams_in(to.against.paths) + (to.input.names_from == "-" ? 1 : 0) > 1) {
    throw usage_error("standard input (-) can be read only once");
  }
}

/// Refuses options of folders if no input is a folder. A path that does not exist is reported later.
void refuse_without_folder(const typed_options& typed, const run_settings& to) {
  const auto is_file = [](const std::string& path) {
    using std::filesystem::file_type;
    std::error_code error;
    const file_type type = path == "-" ? file_type::fifo : std::filesystem::status(path, error).type();
    return type != file_type::directory && type != file_type::not_found && type != file_type::none;
  };
  if (!std::ranges::all_of(to.input.paths, is_file) || !std::ranges::all_of(to.against.paths, is_file)) return;
  refuse_if_given(typed, {"--include", "--exclude", "--hidden"}, " chooses files in folders, and no input is a folder");
}

// ---- Settings stored in files ---------------------------------------------------------------------------------------

}  // namespace

void take_composition(typed_options& typed, const index_settings& stored) {
  if (stored.folds_chinese) typed.set_default("--fold-chinese", "true");
  if (stored.has_codes() != reads_codes(typed)) {
    throw usage_error(stored.has_codes() ? stored.path +
                                               " is an index of codes; --input-format codes or --code-field "
                                               "NAME reads codes"
                                         : stored.path + " is no index of codes");
  }
  if (stored.has_sets()) {
    std::string option = option_of_fingerprints(typed);
    if (option.empty()) option = option_of_weights(typed);
    if (option.empty() && has_two_similarities(typed)) option = "--similarity with --min-similarity";
    if (!option.empty())
      throw usage_error(option + ": " + stored.path + " has features, and no fingerprints; leave out " + option);
    const auto features = typed.has("--check-features") ? std::nullopt : typed["--features"];
    if (features && to_string(parse_feature_setting("--features", *features)) != stored.features) {
      throw usage_error("--features " + *features + ": " + stored.path + " has " + stored.features +
                        "; leave out --features");
    }
    return typed.set_default("--features", stored.features);
  }
  const std::string bits = std::to_string(stored.bits);
  if (const auto wanted = typed["--bits"]; wanted && *wanted != bits) {
    throw usage_error(typed.is_typed("--bits")
                          ? "--bits " + *wanted + ": " + stored.path + " has fingerprints of " + bits +
                                " bits; leave it out"
                          : stored.path + ": fingerprints of " + bits + " bits, where another index has " + *wanted);
  }
  typed.set_default("--bits", bits);
  if (stored.has_codes()) return;
  typed.set_default("--features", stored.features);
  typed.set_default("--weights", stored.weights);
  if (stored.kind == "minwise" && typed["--weights"].value_or("unit") != "unit") {
    throw usage_error("--weights " + typed.text("--weights") + ": " + stored.path +
                      " has min-wise codes, which have no weights; leave it out");
  }
  if (typed["--kind"] == "auto") typed.set("--kind", {stored.kind});
  typed.set_default("--kind", stored.kind);
  if (!stored.top.empty()) typed.set_default("--top", stored.top);
  if ((typed.text("--weights").ends_with("idf") || !stored.top.empty()) && !typed.has("--idf-file")) {
    throw usage_error(stored.path + " was made with --weights " + typed.text("--weights") +
                      (stored.top.empty() ? "" : " --top " + stored.top) + ": name the same --idf-file");
  }
}

void refuse_other_features(const typed_options& typed, const index_settings& stored) {
  const auto features = typed["--check-features"];
  if (!features) return;
  // Settings are compared after parsing, because words:1 means the same as words.
  if (to_string(parse_feature_setting("--check-features", *features)) == stored.check_features) return;
  throw usage_error("--check-features " + *features + ": " + stored.path + " has " +
                    (stored.has_sets() ? stored.check_features : "fingerprints, and no features"));
}

void take_pairing(typed_options& typed, const index_settings& stored) {
  for (const std::string option : {"--within", "--across"}) {
    const std::string field = typed.text(option);
    if (!typed.has(option) || field == stored.field) continue;
    std::string said = option;
    said.append(" ").append(field);
    throw usage_error(said + ": " + stored.path +
                      (stored.field.empty() ? " keeps no values of a field; make it with neardup index " + said
                                            : " keeps the values of the field " + stored.field));
  }
  if (stored.field.empty() || typed.has("--within") || typed.has("--across")) return;
  typed.set_default("--" + stored.paired, stored.field);
}

void take_what_is_kept(const typed_options& typed, const index_settings& stored, run_settings& to) {
  if (stored.has_sets()) return;
  for (const char* const option : {"--check", "--exact", "--min-similarity"}) {
    if (!typed.has(option)) continue;
    const std::string value = option == std::string("--check") ? " " + typed.text(option) : "";
    throw usage_error(option + value + ": " + stored.path + " is an index of fingerprints, without features");
  }
  if (to.against.without_features.empty()) to.against.without_features = stored.path;
}

void refuse_check_of_index(const typed_options& typed) {
  const std::string check = typed["--check"].value_or("jaccard");
  // An index has sets of features, but neither their weights nor texts.
  const bool compares_sets = may_be_exact(typed) && !typed.has("--weights") && !typed.has("--top") &&
                             !typed.has("--weighted-field") && !has_two_similarities(typed);
  if (check == "jaccard" || check == "containment" || (check == "cosine" && compares_sets)) return;
  throw usage_error("--check " + check + ": an index keeps " +
                    (check == "cosine" ? "sets of features without weights, "
                                         "options of fingerprints and a second similarity"
                                       : "no texts") +
                    "; leave out --check, or name files of texts");
}

namespace {

/// For options that were not given, takes the settings of an index of --against, as the verb `query` does. If any index
/// has no features, documents are compared by fingerprints alone.
void take_from_index_of_against(typed_options& typed, const index_settings& stored, run_settings& to) {
  take_what_is_kept(typed, stored, to);
  take_composition(typed, stored);
  take_pairing(typed, stored);
  if (to.against.without_features.empty()) refuse_other_features(typed, stored);
  if (stored.has_sets()) return typed.set_default("--check-features", stored.check_features);
  if (typed.has("--distance") || typed.has("--similarity")) return;
  typed.set_default("--distance", std::to_string(stored.distance));
}

/// Sets the index to which kept documents are added.
void take_grown_index(const typed_options& typed, run_settings& to) {
  if (!typed.has("--add-to")) return;
  refuse_empty_name(typed, "--add-to");
  to.against.grown_index = typed.text("--add-to");
  refuse_if_given(typed, {"--fingerprints"}, " with --add-to: neardup index --append adds lists");
  refuse_if_given(typed, {"--also-within"}, " with --add-to: the input is compared with itself in any case");
  const bool is_first = typed["--keep"].value_or("first") == "first";
  const bool are_representatives = typed["--grouping"].value_or("representatives") == "representatives";
  if (!is_first || !are_representatives || typed.text("--check") == "containment") {
    throw usage_error(
        std::string(!is_first              ? "--keep"
                    : !are_representatives ? "--grouping"
                                           : "--check containment") +
        " with --add-to: documents of the index and earlier documents of the input are kept; leave out one of the two");
  }
}

/// Separates the indexes of --against from texts and lists, and takes the settings of these indexes.
void take_against(typed_options& typed, run_settings& to) {
  if (std::find(to.against.paths.begin(), to.against.paths.end(), "") != to.against.paths.end()) {
    throw usage_error("--against '': not the name of a file or folder");
  }
  std::copy_if(to.against.paths.begin(), to.against.paths.end(), std::back_inserter(to.against.indexes), is_index);
  std::erase_if(to.against.paths, is_index);
  to.input.indexes = to.against.indexes;
  take_grown_index(typed, to);
  to.against.also_within = typed.has("--also-within") || !to.against.grown_index.empty();
  if (to.against.also_within && !to.against.any()) throw usage_error("--also-within needs --against");
  std::vector<std::string> searched = to.against.indexes;
  if (!to.against.grown_index.empty()) searched.push_back(to.against.grown_index);
  if (searched.empty()) return;
  to.comparison.is_bound_to_index = true;
  refuse_check_of_index(typed);
  std::vector<index_settings> indexes;
  const bool is_paired = typed.has("--within") || typed.has("--across");
  for (const std::string& path : searched) {
    const index_settings& one = indexes.emplace_back(read_index_settings(path));
    const index_settings& first = indexes.front();
    const bool has_same_pairs = is_paired || (one.paired == first.paired && one.field == first.field);
    if (one.distance == first.distance && one.check_features == first.check_features && has_same_pairs) continue;
    throw usage_error(first.path + " and " + path + ": made with other " +
                      (has_same_pairs ? "distances or features" : "values of --within or --across") +
                      "; make them alike, or compare with one after the other");
  }
  for (const index_settings& one : indexes) take_from_index_of_against(typed, one, to);
}

/// If --bits or --kind was not given, takes the value in the header of the first list.
void take_from_lists(typed_options& typed, const run_settings& to) {
  if (!to.lists.have_headers) return typed.set_default("--kind", "simhash");  // the default kind of `hash`
  const stored_fingerprints stored =
      read_header(to.input.paths.front(), "; to read a list without a header, give --no-header");
  typed.set_default("--bits", std::to_string(stored.bits));
  const std::string kind(to_string(stored.kind));
  const std::string given = typed["--kind"].value_or("auto");
  if (given == "auto") typed.set("--kind", {kind});
  // An invalid kind is not refused here, but when --kind is parsed.
  if (given != kind && (given == "simhash" || given == "minwise")) {
    throw usage_error("--kind " + given + ": the fingerprints in " + to.input.paths.front() + " are of the kind " +
                      kind);
  }
}

// ---- Output ---------------------------------------------------------------------------------------------------------

void take_format(const typed_options& typed, bool writes_lists, output_settings& to) {
  const auto format = typed["--format"];
  if (!format) return;
  const bool is_list = format == "bin" && writes_lists;
  if (format != "text" && format != "jsonl" && !is_list) {
    throw usage_error("--format '" + *format + "': formats are text and jsonl" + (writes_lists ? ", and bin" : ""));
  }
  to.format = is_list ? output_format::binary : format == "jsonl" ? output_format::json_lines : output_format::text;
}

}  // namespace

void take_output(const typed_options& typed, run_settings& to, bool writes_lists) {
  take_format(typed, writes_lists, to.output);
  const std::string& file = to.output.file;
  const bool is_packed = file.ends_with(".gz") || file.ends_with(".zst");
  if (is_packed && (to.output.is_saved || to.output.format == output_format::binary)) {
    throw usage_error("--output " + file +
                      ": this file cannot be compressed, because later runs read parts of it; use another name");
  }
  for (const char* const option : {"--output", "--dropped", "--dropped-records", "--audit"}) {
    if (typed[option] != "-") continue;
    const std::string_view instead = option == std::string_view("--output") ? "leave it out to write to standard output"
                                     : file.empty()                         ? "standard output takes the result"
                                                                            : "give the name of a file";
    throw usage_error(std::string(option) + " -: " + std::string(instead) + "; ./- is a file of that name");
  }
  to.output.quiet = typed.has("--quiet");
  to.threads = static_cast<unsigned>(neardup::threads{}.parts());
  take_number(typed, "--threads", to.threads, 1U, 1024U);
  to.input.threads = to.threads;
  to.grouping.memory = available_memory() / 2;
  take_number(typed, "--memory", to.grouping.memory, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  constexpr std::uint64_t few = 1000;
  if (typed.has("--memory") && to.grouping.memory > 0 && to.grouping.memory < few && !to.output.quiet) {
    const std::string size = std::to_string(to.grouping.memory);
    say("--memory " + size + " means " + size + (size == "1" ? " byte" : " bytes") +
        ", and all features lie in a temporary file; write --memory " + size + "G for gigabytes");
  }
  // If standard output is not a file, "/dev/stdout" does not equal any file that is read.
  to.input.written = {file.empty() ? "/dev/stdout" : file};
  for (const std::string& other : {to.output.dropped, to.output.dropped_records, to.output.audit}) {
    if (!other.empty()) to.input.written.push_back(other);
  }
}

void refuse_overwriting(const run_settings& to, const std::vector<std::string>& others, bool reads_documents) {
  std::vector<std::string> read = to.input.paths;
  read.insert(read.end(), to.against.paths.begin(), to.against.paths.end());
  read.insert(read.end(), to.against.indexes.begin(), to.against.indexes.end());
  read.insert(read.end(), others.begin(), others.end());
  if (!to.against.grown_index.empty()) read.push_back(to.against.grown_index);
  for (std::size_t i = read.size(); i-- > to.input.paths.size() + to.against.paths.size();) {
    if (!is_index(read[i])) continue;
    const std::vector<std::string> beside = files_beside_index(read[i]);
    read.insert(read.end(), beside.begin(), beside.end());
  }
  read.insert(read.end(),
              {to.fingerprint.idf_file, to.fingerprint.words.dictionary, to.fingerprint.words.user_dictionary,
               to.fingerprint.words.stop_words, to.fingerprint.words.model, to.input.names_from});
  constexpr std::string_view words_in = "words:";
  for (const std::string& same : to.fingerprint.same) {
    if (same.starts_with(words_in)) read.push_back(same.substr(words_in.size()));
  }
  const auto identity_of = [](const std::string& file) { return file.empty() ? "" : identity_of_file(file); };
  // Standard output may be an input file, as in `query --index FILE … >> FILE`.
  const std::string printed = to.output.file.empty() && !to.output.is_saved ? identity_of("/dev/stdout") : "";
  struct written_file {
    const char* option;
    std::string name, identity;
  };
  std::vector<written_file> written;
  for (const auto& [option, name] : {std::pair<const char*, const std::string&>("--output", to.output.file),
                                     {"--dropped", to.output.dropped},
                                     {"--dropped-records", to.output.dropped_records},
                                     {"--audit", to.output.audit}}) {
    if (std::string found = identity_of(name); !found.empty()) written.push_back({option, name, std::move(found)});
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::string& path = read[i];
    const std::string input = identity_of(path == "-" ? "/dev/stdin" : path);
    if (input.empty()) continue;
    // A document of the input is compared with standard output only when the document is read.
    const bool is_document = reads_documents && i < to.input.paths.size();
    if (input == printed && !is_document) throw usage_error(path + " is also the output of this run");
    for (const written_file& file : written) {
      if (input == file.identity) throw usage_error(std::string(file.option) + ' ' + file.name + " is also an input");
    }
  }
  if (to.output.file.empty()) written.insert(written.begin(), {"--output", to.output.file, identity_of("/dev/stdout")});
  for (auto file = written.begin(); file != written.end(); ++file) {
    const auto same = std::find_if(written.begin(), file, [&](const written_file& other) {
      return !other.identity.empty() && other.identity == file->identity;
    });
    if (same != file) {
      throw usage_error(std::string(file->option) + " and " + same->option + " name the same file");
    }
  }
}

/// Refuses options that have no effect if sets are compared instead of fingerprints.
void refuse_with_exact(const typed_options& typed) {
  const bool is_containment = typed.text("--check") == "containment" && typed.takes(takes::exact);
  if (!typed.has("--exact") && !is_containment) return;
  const std::string with = typed.has("--exact") ? " with --exact: " : " with --check containment: ";
  refuse_if_given(typed, {"--distance", "--kind", "--bits", "--blocks"},
                  with + "no candidates come from fingerprints; leave out one of the two");
  refuse_if_given(typed, {"--fingerprints"}, with + "lists of fingerprints have no features to compare");
  const bool is_cosine = typed.text("--check") == "cosine";
  if (typed["--weights"].value_or("unit") != "unit" || (is_cosine && typed.has("--weighted-field"))) {
    throw usage_error(std::string(typed.has("--weights") ? "--weights" : "--weighted-field") + with +
                      "features are compared without weights; leave out one of the two");
  }
  if (typed.has("--top")) {
    throw usage_error("--top" + with + "all features are compared; leave out one of the two");
  }
  if (has_two_similarities(typed)) {
    throw usage_error("--similarity and --min-similarity" + with + "there is one least similarity; name it once");
  }
}

// ---- The common part of verbs ---------------------------------------------------------------------------------------

run_settings settings_of(const typed_options& typed) {
  run_settings to;
  to.input.paths = typed.paths;
  to.input.first_may_be_verb = typed.first_may_be_verb;
  to.input.hint = [verbs = typed.verbs, chosen = typed.chosen](const std::string& path,
                                                               bool may_be_verb) -> std::string {
    if (verb_called(verbs, path) != nullptr) return "; a verb comes first: neardup " + path + " …";
    if (may_be_verb) return ", and no verb; " + hint_at_verbs(verbs, path);
    const bool may_be_text = chosen->name == std::string_view("query") || path.find(' ') != path.npos;
    if (!may_be_text || chosen->name == std::string_view("find")) return "";
    return "; to give a text, use a file or standard input: echo TEXT | neardup " + std::string(chosen->name) +
           " … -; and neardup find TEXT PATH… finds the documents that hold it";
  };
  take_files(typed, to);
  return to;
}

run_settings take_reading(typed_options& typed, const reading_steps& steps) {
  refuse_with_exact(typed);
  run_settings to = settings_of(typed);
  const bool lists = typed.has("--fingerprints");
  if (!lists && !typed.has("--index")) refuse_if_given(typed, {"--no-verify"}, " needs --index");
  if (lists && typed.has("--distance")) {
    refuse_if_given(typed, {"--similarity"},
                    " with --distance: lists have no texts to check; leave out one of the two");
  }
  take_input(typed, to);
  if (steps.paths) steps.paths(to);
  take_listed(typed, to);
  if (to.input.paths.empty() && lists) throw usage_error("no input: name lists");
  take_against(typed, to);
  refuse_own_files(to);
  if (lists) take_from_lists(typed, to);
  if (steps.stored) steps.stored(typed, to);
  take_fingerprint(typed, steps.widths, to);
  if (steps.comparison) {
    steps.comparison(typed, to);
  } else if (typed.takes(takes::comparison)) {
    take_comparison(typed, to);
    to.comparison.reads_features = true;
  }
  refuse_what_same_cannot(typed, to);
  const std::string unchecked = ": nothing is checked, and similarities are estimates";
  if (lists || !to.against.without_features.empty()) {
    // Lists, and indexes of fingerprints, have no features or texts to check.
    to.comparison.min_similarity.reset();
    if (to.choice) {
      to.unchecked = to.choice->text() + " means: --distance " + std::to_string(to.comparison.distance) + unchecked;
    }
    to.choice.reset();
  } else if (typed.takes(takes::comparison) && !to.fingerprint.are_codes && !to.comparison.min_similarity) {
    to.unchecked = "--distance " + typed.text("--distance") + " alone" + unchecked + "; --min-similarity X checks them";
  }
  take_output(typed, to, steps.writes_lists);
  if (steps.last) steps.last(typed, to);
  to.comparison.has_fingerprints = !to.comparison.is_exact;
  const bool in_files = steps.is_stored || lists || !to.against.indexes.empty() || !to.against.grown_index.empty() ||
                        to.output.format == output_format::binary || to.output.is_saved;
  if (in_files && to.fingerprint.are_given) {
    throw usage_error(
        "fingerprints with --weighted-field cannot be kept in a file, because the file cannot say how the weights were "
        "made; print them as text or jsonl");
  }
  if (to.fingerprint.are_given && to.comparison.min_similarity && !typed.has("--check")) {
    throw usage_error(
        "--weighted-field: the default measure, jaccard, ignores weights; --check cosine compares with weights, and "
        "--check jaccard without them");
  }
  refuse_missing_input(to, steps.without_input);
  refuse_without_folder(typed, to);
  refuse_overwriting(to, steps.other_files ? steps.other_files() : std::vector<std::string>(), true);
  // Unless --bits is given, the width of codes is known only after the first code has been read.
  if (typed.takes(takes::comparison) && !(to.fingerprint.are_codes && to.input.code_bits == 0)) check_distance(to);
  // Repeated ids are noted in a message, and in the file of --dropped. To find them, a run keeps a hash of each id.
  to.input.watches_ids =
      (to.input.watches_ids || typed.takes(takes::comparison)) && (!to.output.quiet || !to.output.dropped.empty());
  to.input.is_read_twice = to.input.is_read_twice || to.fingerprint.learns_idf();
  return to;
}

std::vector<std::string> input_words(const typed_options& typed) {
  std::vector<std::string> words;
  for (const option_row& row : shared_options()) {
    if (row.section != std::string_view(section::input) || !typed.has(row.long_name())) continue;
    for (const std::string& value : typed.all(row.long_name())) {
      if (row.value != nullptr || words.empty() || words.back() != row.long_name()) words.push_back(row.long_name());
      if (row.value != nullptr) words.push_back(value);
    }
  }
  return words;
}

void refuse_input_options(const typed_options& typed, const std::string& why) {
  for (const option_row& row : shared_options()) {
    if (row.section == std::string_view(section::input)) refuse_if_given(typed, {row.long_name().c_str()}, why);
  }
}

}  // namespace command
