#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <neardup/version.hpp>
#include <string_view>
#include <system_error>
#include <thread>

#include "errors.hpp"

namespace command {

namespace {

struct verb_description {
  verb action;
  const char* name;
  const char* summary;
};

constexpr std::array<verb_description, 4> verbs{{
    {verb::groups, "groups", "the groups of near-duplicates (the default)"},
    {verb::pairs, "pairs", "the pairs of near-duplicates"},
    {verb::unique, "unique", "the input without what is a near-duplicate of an earlier kept record"},
    {verb::hash, "hash", "the fingerprints"},
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
             "one with --min-similarity, else the cosine that the distance stands for.\n";
    case verb::unique:
      return "Copies the input without the records that are near-duplicates of an earlier kept one, byte for byte:\n"
             "a filter for --lines and --jsonl. Of whole files it prints the paths that are kept.\n"
             "Documents without tokens are kept. Blank lines of JSON Lines are dropped.\n";
    case verb::hash:
      return "Prints the fingerprint and the id of each document, in the order of the input.\n"
             "A document without tokens has '-' in place of a fingerprint (null in jsonl).\n";
    case verb::groups: break;
  }
  return "Prints the groups of near-duplicates among documents: what is connected by a chain of pairs.\n"
         "Text: the size of a group and the least similarity of a member to the first one, then each member's\n"
         "similarity to the first and its id. The similarity is the exact one with --min-similarity, else the\n"
         "cosine that the distance stands for. Members stand in the order of the input, groups in the order of\n"
         "their first members.\n";
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

constexpr const char* rules = R"(
Rules:
  A document's id is its path; PATH:LINE for a line; the id field of a JSON record, or PATH:LINE if it has none.
  Files in folders come in the order of their names. A file that is reached twice, by a link or by two arguments, is
  read once. Pipes, sockets and devices inside folders are left out; name them to have them read.
  A JSON record is an object that has each text field, a string. Several text fields count together, but no feature
  goes from one into the next. Of a key that stands twice the last counts. Blank lines are no records.
  A byte order mark, and the end of a line, are no part of a text.
  Ill-formed UTF-8 reads as U+FFFD; such documents, and documents without tokens, are counted and named at the end.
  A document without tokens is in no group and no pair.
  Exit status: 0 done, 2 wrong usage, bad input, or output that could not be written.
)";

constexpr const char* examples = R"(
Examples:
  neardup docs/ --include '*.md'                           near-duplicates among the Markdown files of a folder
  neardup groups --distance 10 --min-similarity 0.8 docs/  wider net, and each pair checked exactly
  neardup unique --jsonl corpus.jsonl > clean.jsonl        a corpus without close copies
  zcat corpus.jsonl.gz | neardup unique --jsonl - | gzip > clean.jsonl.gz
  neardup pairs --jsonl --text-field title --text-field body --format jsonl news.jsonl
  neardup pairs --lines --features chars:2 --distance 8 --min-similarity 0.7 poems.txt
  neardup hash --bits 128 *.txt
)";

template <class Number>
Number parse_number(const std::string& option, const std::string& text, Number low, Number high) {
  Number value{};
  const char* begin = text.data();
  const char* const end = begin + text.size();
  std::from_chars_result parsed{begin, std::errc::invalid_argument};
  if constexpr (std::is_integral_v<Number>) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    parsed = std::from_chars(hexadecimal ? begin + 2 : begin, end, value, hexadecimal ? 16 : 10);
  } else {
    parsed = std::from_chars(begin, end, value);
  }
  if (text.empty() || parsed.ec == std::errc::invalid_argument || parsed.ptr != end) {
    throw usage_error(option + " '" + text + "': not a " + (std::is_integral_v<Number> ? "whole " : "") + "number");
  }
  if (parsed.ec != std::errc{} || !(value >= low && value <= high)) {
    std::string range;
    if constexpr (std::is_integral_v<Number>) {
      range = std::to_string(low) + " to " + std::to_string(high);
    } else {
      range = "0 to 1";
    }
    throw usage_error(option + " " + text + ": goes from " + range);
  }
  return value;
}

feature_choice parse_features(const std::string& option, const std::string& text) {
  constexpr const char* forms = "words, words:N, chars:N or bytes:N";
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  feature_choice features;
  if (kind == "words") {
    features.kind = feature_choice::unit::words;
  } else if (kind == "chars") {
    features.kind = feature_choice::unit::chars;
  } else if (kind == "bytes") {
    features.kind = feature_choice::unit::bytes;
  } else {
    throw usage_error(option + " '" + text + "': features are " + forms);
  }
  if (colon != std::string::npos) {
    features.size = parse_number<std::size_t>(option + " " + kind, text.substr(colon + 1), 1, 1000);
  } else if (kind == "words") {
    features.size = 1;
  } else {
    throw usage_error(option + " " + text + ": say how long, as in " + kind + ":5");
  }
  return features;
}

weighting parse_weights(const std::string& text) {
  if (text == "unit") return weighting::unit;
  if (text == "tf") return weighting::tf;
  if (text == "logtf") return weighting::log_tf;
  if (text == "idf") return weighting::idf;
  throw usage_error("--weights '" + text + "': weights are unit, tf, logtf or idf");
}

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

/// What CLI11 fills in: as typed, checked afterwards, so that every message reads alike.
struct typed {
  std::string id_field, features, weights, idf_file, bits, seed, distance, blocks, min_similarity, check_features,
      format, threads;
  bool lines = false;
  bool json_lines = false;
};

}  // namespace

std::string to_string(const feature_choice& features) {
  const char* const kind = features.kind == feature_choice::unit::words   ? "words:"
                           : features.kind == feature_choice::unit::chars ? "chars:"
                                                                          : "bytes:";
  return kind + std::to_string(features.size);
}

command_line parse_command_line(int count, char** arguments) {
  std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);

  options result;
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
  app.footer(std::string(rules + 1) + examples);

  const auto text_option = [&app](const char* name, std::string& to, const char* value, const char* help,
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
  CLI::Option* const features = text_option("--features", given.features, "F",
                                            "words, words:N, chars:N of the normalised text, or\n"
                                            "bytes:N of the raw one (default: words:2)",
                                            print);
  text_option("--weights", given.weights, "W",
              "unit: each distinct feature once (the default), tf,\n"
              "logtf, or idf: learnt from the input in a first pass",
              print);
  CLI::Option* const idf_file =
      text_option("--idf-file", result.idf_file, "FILE", "idf from this file, lines of 'term value'", print);
  text_option("--bits", given.bits, "N", "32, 64, 128 or 256 (default: 64)", print);
  text_option("--seed", given.seed, "N", "of the hash (default: 0)", print);

  CLI::Option* format = nullptr;
  CLI::Option* check_features = nullptr;
  const bool compares = result.action != verb::hash;
  if (compares) {
    const char* const compare = "Comparison";
    text_option("--distance", given.distance, "K", "near-duplicates differ in at most K bits (default: 3)", compare);
    text_option("--blocks", given.blocks, "N",
                "blocks of the index: speed against memory, never the\nresult (default: chosen from bits and distance)",
                compare);
    text_option("--min-similarity", given.min_similarity, "X",
                "check each candidate: exact Jaccard similarity of the\nfeatures, 0 to 1 (default: no check)", compare);
    check_features = text_option("--check-features", given.check_features, "F",
                                 "features for the check (default: those of the\nfingerprint)", compare);
    if (result.action == verb::unique) {
      app.add_flag("--components", result.components,
                   "keep the first of each connected group instead: what\n"
                   "is linked to an earlier record through later ones\n"
                   "goes, too. Reads its input twice (standard input\n"
                   "through a temporary file)")
          ->group(compare);
    }
  }

  const char* const output = "Output";
  format = text_option("--format", given.format, "F", "text (default) or jsonl", output);
  text_option("--output", result.output_file, "FILE",
              "write there, not to standard output; until all is done\nto FILE.partial", output);
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
  if (result.text_fields.empty()) result.text_fields = {"text"};
  if (id_field->count() > 0) {
    result.id_field = given.id_field;
    result.id_field_required = true;
  }

  if (features->count() > 0) result.features = parse_features("--features", given.features);
  result.check_features = result.features;
  if (!given.weights.empty()) result.weights = parse_weights(given.weights);
  if (idf_file->count() > 0 && result.weights != weighting::idf) throw usage_error("--idf-file needs --weights idf");
  if (!given.bits.empty()) {
    result.bits = parse_number<std::size_t>("--bits", given.bits, 1, 65536);
    if (result.bits != 32 && result.bits != 64 && result.bits != 128 && result.bits != 256) {
      throw usage_error("--bits " + given.bits + ": fingerprints have 32, 64, 128 or 256 bits");
    }
  }
  if (!given.seed.empty()) result.seed = parse_number<std::uint64_t>("--seed", given.seed, 0, UINT64_MAX);

  const int bits = static_cast<int>(result.bits);
  if (!given.distance.empty()) result.distance = parse_number("--distance", given.distance, 0, bits - 1);
  if (!given.blocks.empty()) result.blocks = parse_number("--blocks", given.blocks, 1, bits);
  if (!given.min_similarity.empty()) {
    result.min_similarity = parse_number("--min-similarity", given.min_similarity, 0.0, 1.0);
  }
  if (check_features != nullptr && check_features->count() > 0) {
    if (!result.min_similarity) throw usage_error("--check-features needs --min-similarity");
    result.check_features = parse_features("--check-features", given.check_features);
  }

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
  if (!given.threads.empty()) result.threads = parse_number("--threads", given.threads, 1U, 1024U);

  if (result.paths.empty()) throw usage_error("no input: name files or folders, or - for standard input");
  if (std::count(result.paths.begin(), result.paths.end(), "-") > 1) {
    throw usage_error("standard input (-) can be read only once");
  }
  return result;
}

}  // namespace command
