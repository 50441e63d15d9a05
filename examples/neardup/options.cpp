#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <neardup/version.hpp>
#include <string_view>
#include <system_error>
#include <thread>

#include "defaults.hpp"
#include "errors.hpp"
#include "glob.hpp"
#include "output.hpp"
#include "settings.hpp"

namespace command {

namespace {

struct verb_description {
  verb action;
  const char* name;
  const char* summary;
};

constexpr std::array<verb_description, 5> verbs{{
    {verb::groups, "groups", "the groups of near-duplicates (the default)"},
    {verb::pairs, "pairs", "the pairs of near-duplicates"},
    {verb::unique, "unique", "the input without what is a near-duplicate of an earlier kept record"},
    {verb::hash, "hash", "the fingerprints"},
    {verb::advise, "advise", "which options find the near-duplicates of these documents"},
}};

const verb_description* find_verb(std::string_view name) {
  const auto* const found =
      std::find_if(verbs.begin(), verbs.end(), [name](const verb_description& v) { return name == v.name; });
  return found == verbs.end() ? nullptr : found;
}

/// CLI11's help in the words of this program.
class help_formatter : public CLI::Formatter {
 public:
  explicit help_formatter(std::string usage) : usage_(std::move(usage)) { column_width(26); }

  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: " + usage_ + "\n";
  }
  std::string make_positionals(const CLI::App* /*app*/) const override { return ""; }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }

 private:
  std::string usage_;
};

const char* describe(verb action) {
  switch (action) {
    case verb::pairs:
      return "Prints the pairs of near-duplicates among documents, in the order of the input.\n"
             "Text: similarity, distance in bits and the two ids, with tabs between them. The similarity is the exact\n"
             "one of the check; without a check it is the cosine that the distance stands for.\n";
    case verb::unique:
      return "Copies the input without the records that are near-duplicates of an earlier kept one, byte for byte:\n"
             "a filter for --lines and --jsonl. Of whole files it prints the paths that are kept.\n"
             "Documents without tokens are kept. Blank lines of JSON Lines are dropped.\n";
    case verb::hash:
      return "Prints the fingerprint and the id of each document, in the order of the input.\n"
             "A document without tokens has '-' in place of a fingerprint (null in jsonl).\n";
    case verb::advise:
      return "Looks at the documents, and says which features, bits and distance find their near-duplicates.\n"
             "It draws a sample of at most 2,000 documents, finds all their near-duplicates in the input exactly,\n"
             "and works out which share of them each setup finds, and how many candidates it leaves to be checked.\n"
             "Prints what the documents are like, the setups in a table, and the recommended one as a command.\n"
             "Times are for comparing setups; they are not of this machine.\n"
             "The input is read twice, standard input through a temporary file. Several text fields are joined by\n"
             "line ends, so here a feature may span two of them. Of a text above 16 MB the first 16 MB count.\n";
    case verb::groups: break;
  }
  return "Prints the groups of near-duplicates among documents.\n"
         "Text: the size of a group and the least similarity of a member to the first one, then each member's\n"
         "similarity to the first and its id. The first is the one that --keep prefers; all others stand in the\n"
         "order of the input, groups in that of their first members. The similarity is the exact one of the check;\n"
         "without a check it is the cosine that the distance stands for.\n";
}

std::string verb_list() {
  std::string text = "\nVerbs (the first argument):\n";
  for (const verb_description& v : verbs) {
    std::string name = v.name;
    name.resize(24, ' ');
    text += "  " + name + v.summary + "\n";
  }
  return text + "  neardup VERB --help     what a verb prints, and its options\n";
}

std::string rules() {
  return R"(Rules:
  A document's id is its path; PATH:LINE for a line; the id field of a JSON record, or PATH:LINE if it has none.
  Files in folders come in the order of their names. A file that is reached twice, by a link or by two arguments, is
  read once. Pipes, sockets and devices inside folders are left out; name them to have them read.
  A JSON record is an object that has each text field, a string. Several text fields count together, but no feature
  goes from one into the next. Of a key that stands twice the last counts. Blank lines are no records.
  A byte order mark, and the end of a line, are no part of a text.
  Ill-formed UTF-8 reads as U+FFFD; such documents, and documents without tokens, are counted and named at the end.
  A document without tokens is in no group and no pair. One with fewer than )" +
         std::to_string(least_features) + R"( distinct features is, without a check,
  a near-duplicate of those only that have the same features.
  Without --similarity, --distance and --min-similarity a run is one of --similarity )" +
         number(default_similarity) + R"(. --distance alone means no
  check: fingerprints alone decide.
  What may have to be read again is copied to a temporary file (in TMPDIR, or /tmp) if it is standard input or a pipe:
  for the check the features of up to 1 GB are kept, those of further documents are read again; --weights idf without
  a file, --keep longest, --grouping components and advise read everything twice.
  Exit status: 0 done, 2 wrong usage, bad input, or output that could not be written.
)";
}

constexpr const char* examples = R"(
Examples:
  neardup docs/ --include '*.md'                           near-duplicates among the Markdown files of a folder
  neardup groups --similarity 0.6 docs/                    also what has more changes
  neardup pairs --distance 3 docs/                         quick and strict: by fingerprints alone
  neardup unique --jsonl corpus.jsonl > clean.jsonl        a corpus without close copies
  zcat corpus.jsonl.gz | neardup unique --jsonl - | gzip > clean.jsonl.gz
  neardup pairs --jsonl --text-field title --text-field body --format jsonl news.jsonl
  neardup pairs --lines --similarity 0.7 --check-features chars:2 poems.txt
  neardup hash --bits 128 *.txt
  neardup advise --similarity 0.7 --jsonl corpus.jsonl     which options are best for this corpus
)";

/// The number of letters to change, insert or remove to make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
    }
  }
  return row[b.size()];
}

std::string unknown_option(const CLI::App& app, const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  std::string message = "unknown option " + name;
  std::size_t best = 4;  // farther than this is no likeness
  std::string suggestion;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& known : option->get_lnames()) {
      const std::size_t distance = edit_distance(name, "--" + known);
      if (distance < best) {
        best = distance;
        suggestion = "--" + known;
      }
    }
  }
  if (!suggestion.empty()) message += "; did you mean " + suggestion + "?";
  return message;
}

void check_patterns(const char* option, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    if (const auto wrong = wrong_with_glob(pattern)) {
      throw usage_error(std::string(option) + " '" + pattern + "': " + *wrong);
    }
  }
}

/// What CLI11 fills in: as typed, checked afterwards, so that every message reads alike.
struct typed : typed_settings {
  std::string id_field, format, threads;
  bool lines = false;
  bool json_lines = false;
};

}  // namespace

bool is_verb(std::string_view name) { return find_verb(name) != nullptr; }

std::string names_of_verbs() {
  std::string text;
  for (const verb_description& v : verbs) {
    if (!text.empty()) text += &v == &verbs.back() ? " and " : ", ";
    text += v.name;
  }
  return text;
}

command_line parse_command_line(int count, char** arguments) {
  std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);

  options result;
  std::error_code ignored;
  if (!words.empty() && words.front() == "help" && !std::filesystem::exists("help", ignored)) {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const verb_description* chosen = words.empty() ? nullptr : find_verb(words.front());
  const bool named = chosen != nullptr;
  if (named) {
    words.erase(words.begin());
  } else {
    chosen = verbs.data();
  }
  result.action = chosen->action;

  typed given;
  result.text_fields.clear();
  CLI::App app{named ? describe(chosen->action) : "neardup finds near-duplicate documents.\n", "neardup"};
  app.formatter(std::make_shared<help_formatter>(
      named
          ? "neardup " + std::string(chosen->name) + " [OPTIONS] PATH…"
          : "neardup [VERB] [OPTIONS] PATH…        (PATH: a file, a folder, or - for standard input)\n" + verb_list()));
  app.footer(rules() + examples);

  const auto text_option = [&app](const char* name, auto& to, const char* value, const std::string& help,
                                  const char* group) {
    return app.add_option(name, to, help)->type_name(value)->group(group);
  };
  const auto list_option = [&app](const char* name, std::vector<std::string>& to, const char* value, const char* help,
                                  const char* group) {
    app.add_option(name, to, help)->type_name(value)->group(group)->allow_extra_args(false)->expected(1)->take_all();
  };

  const char* const input = "Input";
  app.add_option("PATH", result.paths, "files, folders, or - for standard input");
  app.add_flag("--lines", given.lines, "each line is a document (else each file is one)")->group(input);
  app.add_flag("--jsonl", given.json_lines, "each line is a JSON object, a document")->group(input);
  list_option("--text-field", result.text_fields, "NAME", "its text (default: text); may be given several times",
              input);
  CLI::Option* const id_field = text_option("--id-field", given.id_field, "NAME",
                                            "its id, a string or a number (default: id, if it is there)", input);
  list_option("--include", result.include, "GLOB",
              "of the files in folders only these; several times: any of them.\n"
              "*, ?, [a-z] stay within a name, ** does not; a pattern\n"
              "with a / is for the path below the folder, one without\n"
              "for the name",
              input);
  list_option("--exclude", result.exclude, "GLOB", "not these files, and not what is in these folders", input);
  app.add_flag("--skip-bad", result.skip_bad, "go on after bad input; its count is said at the end")->group(input);
  app.add_flag("--strict", result.strict, "ill-formed UTF-8 and documents without tokens are\nerrors")->group(input);

  const char* const print = "Fingerprint";
  const bool advises = result.action == verb::advise;
  text_option("--features", given.features, "F",
              advises ? "only these: words, words:N, chars:N of the normalised\n"
                        "text, or bytes:N of the raw one (default: several)"
                      : "words, words:N, chars:N of the normalised text, or\n"
                        "bytes:N of the raw one (default: --check-features,\n"
                        "else " +
                            to_string(default_features) + ")",
              print);
  const CLI::Option* idf_file = nullptr;
  if (!advises) {
    text_option("--weights", given.weights, "W",
                "unit: each distinct feature once (the default), tf,\n"
                "logtf, or idf: learnt from the input in a first pass",
                print);
    idf_file = text_option("--idf-file", result.idf_file, "FILE", "idf from this file, lines of 'term value'", print);
  }
  text_option("--bits", given.bits, "N",
              advises ? "only this width: 64 or 128 (default: both)" : "32, 64, 128 or 256 (default: 64)", print);
  text_option("--seed", given.seed, "N",
              advises ? "of the sample and of the hash (default: 0)" : "of the hash (default: 0)", print);

  const char* const compare = "Comparison";
  const std::string similar = "near-duplicates have this exact Jaccard similarity,\nabove 0 to 1";
  text_option("--similarity", given.similarity, "S",
              advises ? similar + " (default: " + number(default_similarity) + ")"
                      : similar + ": chooses all that is not given (default:\n" + number(default_similarity) +
                            ", unless --distance or --min-similarity is given),\n" +
                            "without a look at the documents; advise looks at them",
              compare);
  if (advises) {
    text_option("--recall", given.recall, "R",
                "the share of them that is to be found, 0 to 1\n(default: " + number(wanted_recall) + ")", compare);
    text_option("--check-features", given.check_features, "F",
                "what the similarity is about (default: " + to_string(default_features) + ")", compare);
  }
  if (result.compares()) {
    text_option("--distance", given.distance, "K",
                "candidates differ in at most K bits (default: enough\nto find " + number(100 * wanted_recall) +
                    " % of what is similar, if\nsimilarities are spread evenly; advise looks)",
                compare);
    text_option("--blocks", given.blocks, "N",
                "blocks of the index: speed against memory, never the\nresult (default: what is fast)", compare);
    text_option("--min-similarity", given.min_similarity, "X",
                "check each candidate: exact Jaccard similarity of its\nfeatures, 0 to 1 (default: --similarity)",
                compare);
    text_option("--check-features", given.check_features, "F", "features for the check (default: --features)", compare);
  }
  if (result.action == verb::groups || result.action == verb::unique) {
    text_option("--grouping", given.grouping, "G",
                "representatives: a group is one document and what is\n"
                "similar to it (the default); components: all that a\n"
                "chain of pairs connects, however far apart",
                compare);
    text_option("--keep", given.keep, "WHICH",
                result.action == verb::groups ? "which document a group is around: first (the default)\nor longest"
                                              : "which document of a group is kept: first (the default)\n"
                                                "or longest. This and --grouping components read the\n"
                                                "input twice (standard input through a temporary file)",
                compare);
  }

  const char* const output = "Output";
  CLI::Option* const format = text_option("--format", given.format, "F", "text (default) or jsonl", output);
  const CLI::Option* const output_file = text_option(
      "--output", result.output_file, "FILE",
      "write there, not to standard output; until all is done\nto FILE.partial (if that exists, FILE.partial.1, …),\n"
      "which stays if the run fails, and is never an input",
      output);
  CLI::Option* const threads =
      text_option("--threads", given.threads, "N", "default: all cores; never changes the result", output);
  app.add_flag("--quiet", result.quiet, "no progress bar, no notes; errors and what was skipped\nare still said")
      ->group(output);
  app.set_help_flag("--help,-h", "this text")->group(output);
  bool version = false;
  app.add_flag("--version", version, "the version")->group(output);

  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    std::string help = app.help();
    for (std::size_t gap = 0; (gap = help.find("\n\n\n", gap)) != help.npos;) help.erase(gap, 1);
    return help;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app.remaining();
    const auto option = std::find_if(extras.begin(), extras.end(), [](const auto& e) { return e.starts_with('-'); });
    throw usage_error(option != extras.end() ? unknown_option(app, *option)
                                             : "unexpected argument '" + extras.front() + "'");
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    const bool twice = what.find("At Most") != what.npos;
    throw usage_error(what.substr(0, what.find(':')) + (twice ? " is given more than once" : " needs a value"));
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  }
  if (version) return std::string("neardup ") + NEARDUP_VERSION_STRING + "\n";

  if (given.lines && given.json_lines) throw usage_error("--lines and --jsonl do not go together");
  result.unit = given.lines        ? unit_of_input::lines
                : given.json_lines ? unit_of_input::json_lines
                                   : unit_of_input::files;
  if (!given.json_lines) {
    if (!result.text_fields.empty()) throw usage_error("--text-field needs --jsonl");
    if (id_field->count() > 0) throw usage_error("--id-field needs --jsonl");
  }
  for (auto field = result.text_fields.begin(); field != result.text_fields.end(); ++field) {
    if (std::find(result.text_fields.begin(), field, *field) != field) {
      throw usage_error("--text-field '" + *field + "' is given more than once");
    }
  }
  check_patterns("--include", result.include);
  check_patterns("--exclude", result.exclude);
  if (result.text_fields.empty()) result.text_fields = {"text"};
  if (id_field->count() > 0) {
    result.id_field = given.id_field;
    result.id_field_required = true;
  }

  for (const CLI::Option* const file : {idf_file, output_file}) {
    if (file != nullptr && file->count() > 0 && file->results().front().empty()) {
      throw usage_error(file->get_name() + " '': not the name of a file");
    }
  }
  if (idf_file != nullptr && idf_file->count() > 0 && given.weights != "idf")
    throw usage_error("--idf-file needs --weights idf");
  apply_settings(given, result);

  if (format->count() > 0) {
    if (given.format != "text" && given.format != "jsonl") {
      throw usage_error("--format '" + given.format + "': formats are text and jsonl");
    }
    result.format = given.format == "jsonl" ? output_format::json_lines : output_format::text;
    if (result.action == verb::unique && result.unit != unit_of_input::files) {
      throw usage_error("--format says nothing here: unique copies the records as they are");
    }
  }
  result.threads = std::max(1U, std::thread::hardware_concurrency());
  if (threads->count() > 0) result.threads = parse_number("--threads", given.threads, 1U, 1024U);

  if (result.paths.empty()) throw usage_error("no input: name files or folders, or - for standard input");
  // Names of files mostly have a point, or a folder before them.
  const bool begins_with_path = !named && words.front() == result.paths.front();
  result.first_may_be_verb = begins_with_path && result.paths.front().find_first_of("./\\-") == std::string::npos;
  if (std::count(result.paths.begin(), result.paths.end(), "-") > 1) {
    throw usage_error("standard input (-) can be read only once");
  }
  return result;
}

}  // namespace command
