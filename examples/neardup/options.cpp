#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <neardup/dedup/checks.hpp>
#include <neardup/dedup/edit_distance.hpp>
#include <neardup/dedup/recall.hpp>
#include <neardup/threads.hpp>
#include <neardup/version.hpp>
#include <string_view>
#include <system_error>

#include "errors.hpp"
#include "glob.hpp"
#include "index_file.hpp"
#include "lists.hpp"
#include "output.hpp"
#include "platform.hpp"
#include "settings.hpp"
#include "shard_files.hpp"

namespace command {

namespace {

struct verb_description {
  verb action;
  const char* name;
  const char* summary;
};

constexpr std::array<verb_description, 15> verbs{{
    {verb::groups, "groups", "the groups of near-duplicates (the default)"},
    {verb::pairs, "pairs", "the pairs of near-duplicates"},
    {verb::unique, "unique", "the input without what is a near-duplicate of an earlier kept record"},
    {verb::hash, "hash", "the fingerprints"},
    {verb::tokens, "tokens", "the features of each document, and what each weighs"},
    {verb::find, "find", "the documents that hold a sentence or two, or something near it"},
    {verb::index, "index", "an index file of the documents, to query or to add to"},
    {verb::query, "query", "the near-duplicates of the documents in an index file"},
    {verb::join, "join", "of many machines: the candidates between two shards, or in one"},
    {verb::verify, "verify", "of many machines: the candidates that are near-duplicates"},
    {verb::merge, "merge", "of many machines: the groups in all shards"},
    {verb::manifest, "manifest", "of many machines: which files are whole, and what is missing"},
    {verb::advise, "advise", "which options find the near-duplicates of these documents"},
    {verb::report, "report", "the groups as a page for a browser, differences marked"},
    {verb::diff, "diff", "what differs between two texts, in words"},
}};

const verb_description* find_verb(std::string_view name) {
  const auto* const found =
      std::find_if(verbs.begin(), verbs.end(), [name](const verb_description& v) { return name == v.name; });
  return found == verbs.end() ? nullptr : found;
}

const verb_description* find_verb(verb action) {
  return std::find_if(verbs.begin(), verbs.end(), [action](const verb_description& v) { return action == v.action; });
}

/// In how many letters a word may differ from the one that is meant: one of four, at most three.
std::size_t most_differences(std::string_view word) { return std::clamp<std::size_t>((word.size() + 3) / 4, 1, 3); }

/// CLI11's help in the words of this program.
class help_formatter : public CLI::Formatter {
 public:
  explicit help_formatter(std::string usage) : usage_(std::move(usage)) { column_width(26); }

  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: " + usage_ + "\n";
  }
  std::string make_positionals(const CLI::App* /*app*/) const override { return ""; }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() ? "" : " " + type.substr(0, type.find(':'));
  }

 private:
  std::string usage_;
};

const char* describe(verb action) {
  switch (action) {
    case verb::pairs:
      return "Prints the pairs of near-duplicates among documents, in the order of the input.\n"
             "Text: similarity, distance in bits and the two ids, with tabs between them. The similarity is the exact\n"
             "one of the check; without a check it is what the distance stands for: the cosine, of min-wise codes the "
             "Jaccard\n"
             "similarity.\n";
    case verb::unique:
      return "Copies the input without the records that are near-duplicates of an earlier kept one, byte for byte:\n"
             "a filter for --lines and --jsonl. Of whole files it prints the paths that are kept.\n"
             "Documents without tokens are kept. Blank lines of JSON Lines are dropped.\n";
    case verb::hash:
      return "Prints the fingerprint and the id of each document, in the order of the input.\n"
             "A document without tokens has '-' in place of a fingerprint (null in jsonl).\n"
             "--format bin writes a list of fingerprints, which all verbs but advise read with --fingerprints: of "
             "each\n"
             "document with tokens its fingerprint and its number in the input, from 0.\n"
             "--shard N writes the list of shard N of a corpus that is compared on many machines: an id is N << 40 | "
             "the\n"
             "number of a document with tokens. With --keep-features, FILE.features holds what verify and merge need.\n"
             "What is given about the comparison has to be the same for all shards.\n";
    case verb::tokens:
      return "Prints the features of each document in the order in which they come first, one a line, with a tab and "
             "the\n"
             "weight after each; with --top the heaviest first. An empty line stands between documents. With --format "
             "jsonl\n"
             "a document is one record of id and tokens, which --jsonl --weighted-field tokens takes.\n";
    case verb::find:
      return "Prints the documents that hold the clue, a sentence or two, or something near it: those that hold most "
             "of it\n"
             "first, equal ones in the order of the input. Text: the share of the clue's features that stand together "
             "in the\n"
             "document, a tab, and the id. A clue that is shorter than a feature, such as a single word where "
             "features\n"
             "are pairs of words, is looked for as a whole word. It reads the input once, in one thread, and looks at "
             "every document.\n";
    case verb::index:
      return "Writes an index of the documents to the file that --output names, for query.\n"
             "With --index FILE it is that one's documents and these; the two files may be the same. The file is "
             "whole\n"
             "when the program ends, or what was there before.\n";
    case verb::query:
      return "Prints the near-duplicates of the documents among those in an index file, in the order of the input.\n"
             "Text: similarity, distance in bits, the document's id and the id in the index, with tabs between them. "
             "The\n"
             "similarity is exact if the index was made with --keep-features; otherwise it is what the distance "
             "stands\n"
             "for: the cosine, of min-wise codes the Jaccard similarity. What the fingerprints are made of is taken "
             "from the index.\n";
    case verb::join:
      return "Writes to the file that --output names the pairs of documents whose fingerprints are near each other,\n"
             "between two shards, or within one: each pair once. Of N shards the N * (N + 1) / 2 joins are tasks of\n"
             "their own. The distance is that of the shards, which stands in their .features files; where these do\n"
             "not lie beside them, --similarity or --distance has to be the same as for hash --shard.\n";
    case verb::verify:
      return "Compares the candidates that join wrote by the features that lie beside their shards, and writes the\n"
             "pairs that are near-duplicates to the file that --output names. Name the candidates and their shards "
             "(or\n"
             "the .features files alone), in any order.\n";
    case verb::merge:
      return "Prints the groups of near-duplicates in all shards, as groups does for all their texts at once: the "
             "same\n"
             "bytes. Name all shards, and all files that verify wrote, in any order.\n";
    case verb::manifest:
      return "Prints which files of shards are whole, by their checksums, which are damaged or of shards that have\n"
             "changed, and which tasks are missing; the last line is complete or incomplete. Name files or folders.\n";
    case verb::advise:
      return "Looks at the documents, and says which features, bits and distance find their near-duplicates.\n"
             "It draws a sample of at most 2,000 documents, finds all their near-duplicates in the input exactly,\n"
             "and works out which share of them each setup finds, and how many candidates it leaves to be checked.\n"
             "Prints what the documents are like, the setups in a table, and the recommended one as a command.\n"
             "Times are for comparing setups; they are not of this machine.\n"
             "The input is read twice, standard input through a temporary file. Several text fields are joined by\n"
             "line ends, so here a feature may span two of them. Of a text above 16 MB the first 16 MB count.\n";
    case verb::report:
      return "Writes the groups of near-duplicates as one HTML page that needs nothing else: sizes, similarities, "
             "which\n"
             "document each group is around and which others are in it, and what differs, side by side. It can be "
             "sorted\n"
             "and filtered. Stretches that are equal are shortened. The input is read twice, standard input through a\n"
             "temporary file.\n";
    case verb::diff:
      return "Prints the lines in which the texts of two files differ: [-words of A only-] and {+words of B only+}, "
             "or\n"
             "in a terminal these in red and green. @@ -12 +14 @@ are the numbers of the next line in A and in B. "
             "Each\n"
             "character of a script without spaces is a word. With --format jsonl one record per piece of the texts:\n"
             "{\"same\": …}, {\"removed\": …} or {\"added\": …}.\n";
    case verb::groups: break;
  }
  return "Prints the groups of near-duplicates among documents.\n"
         "Text: the size of a group and the least similarity of a member to the first one, then each member's\n"
         "similarity to the first and its id. The first is the one that --keep prefers; all others stand in the\n"
         "order of the input, groups in that of their first members. The similarity is the exact one of the check;\n"
         "without a check it is what the distance stands for: the cosine, of min-wise codes the Jaccard similarity.\n";
}

std::string verb_list() {
  std::string text = "\nVerbs (the first argument):\n";
  for (const verb_description& v : verbs) {
    std::string name = v.name;
    name.resize(24, ' ');
    text += "  " + name + v.summary + "\n";
  }
  return text + "  neardup VERB --help     what a verb prints, and the options that most people need\n";
}

std::string rules() {
  return R"(Rules:
  A document's id is its path; PATH:LINE for a line; the id field of a JSON record, or PATH:LINE if it has none.
  Files in folders come in the order of their names. A file that is reached twice, by a link or by two arguments, is
  read once. Pipes, sockets and devices inside folders are left out, and unless asked for hidden files and folders
  (.name) and binary files (a zero byte in the first 32 KB); name them to have them read. What cannot be read in a
  folder, a link that leads nowhere or back, and the output are said and passed over: the exit status is 2 in the end.
  --include and --exclude take patterns as in .gitignore: a name, or with a / at the beginning or inside the path below
  the folder; dir/ is a folder with all that is in it. *, ? and [a-z] stay within a name, ** does not; {a,b} is either.
  Files that gzip or zstd compressed are unpacked, whatever they are called; --output packs by the name, .gz or .zst.
  Names and ids in text are printed with \\ for a backslash, \n, \r, \t and \x1b for control characters; jsonl has them
  as they are, but for what is no UTF-8.
  A JSON record is an object that has each text field, a string. Several text fields count together, but no feature
  goes from one into the next. Of a key that stands twice the last counts. Blank lines are no records.
  A byte order mark, and the end of a line, are no part of a text.
  zh:words are the words of Chinese text, ASCII words and numbers among them, as jieba cuts the text as it stands;
  zh:keywords those of two characters and more that are no stop words. HTML is taken as text: strip it before.
  Ill-formed UTF-8 reads as U+FFFD; such documents, and documents without tokens, are counted and named at the end.
  A document without tokens is in no group and no pair. One with fewer than )" +
         std::to_string(neardup::default_min_tokens) + R"( distinct features is, without a check,
  a near-duplicate of those only that have the same features.
  Without --similarity, --distance and --min-similarity a run is one of --similarity )" +
         number(neardup::default_similarity) + R"(. --distance alone means no
  check: fingerprints alone decide.
  --weights idf without a file, --keep but first, --grouping components, report and advise read everything twice;
  standard input and pipes are copied to a temporary file (in TMPDIR, or /tmp) then. The check keeps features, 4
  bytes each; what is above --memory lies in a temporary file, too.
  Exit status: 0 done; with --exit-status 1 if nothing was found; 2 wrong usage, bad input, something passed over, or
  output that could not be written.
)";
}

constexpr const char* examples = R"(
Examples:
  neardup docs/ --include '*.md'                           near-duplicates among the Markdown files of a folder
  neardup groups --similarity 0.6 docs/                    also what has more changes
  neardup pairs --distance 3 docs/                         quick and strict: by fingerprints alone
  neardup unique --jsonl corpus.jsonl > clean.jsonl        a corpus without close copies
  neardup unique --jsonl corpus.jsonl.gz --output clean.jsonl.zst
  find . -name '*.txt' -print0 | neardup groups -0 --files-from -
  neardup pairs --jsonl --text-field title --text-field body --format jsonl news.jsonl
  neardup pairs --lines --similarity 0.7 --check-features chars:2 poems.txt
  neardup hash --bits 128 *.txt
  neardup groups --features zh:keywords --weights tfidf --top 20 --idf-file idf.txt --dictionary dict.txt --distance 3 .
  neardup tokens --features words page.txt                 what a fingerprint is made of
  neardup unique --jsonl training.jsonl --against test.jsonl > clean.jsonl    without what is near the test set
  neardup report --jsonl corpus.jsonl --output groups.html                    to look at in a browser
  neardup diff old.txt new.txt
  neardup find "a sentence of the page" pages/             the pages that hold it, or nearly
  neardup index --output pages.index pages/                documents in a file, for query
  neardup query --index pages.index new.txt                what is in it already
  neardup advise --similarity 0.7 --jsonl corpus.jsonl     which options are best for this corpus
)";

/// What --help shows; --help-all shows all.
constexpr std::array usual_options{
    // also without a verb
    "--lines", "--jsonl", "--include", "--exclude", "--similarity", "--features", "--output", "--help", "--help-all",
    // with one
    "--text-field", "--files-from", "--skip-bad", "--index", "--against", "--keep", "--dropped", "--most", "--recall",
    "--format", "--exit-status", "--threads"};
constexpr int usual_without_verb = 9;

/// Some examples of one verb.
std::string examples_of(std::string_view verb) {
  std::string found = "\nExamples:\n";
  std::size_t most = 3;
  for (std::string_view rest(examples); !rest.empty() && most > 0;) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    if (line.find("neardup " + std::string(verb) + ' ') == line.npos) continue;
    found += line;
    --most;
  }
  return most == 3 ? "" : found;
}

/// The command line of a verb: what CLI11 is told, and what is made of what it finds.
class parser {
 public:
  /// `named`: the verb was written.
  parser(const verb_description& chosen, bool named)
      : app_(named ? describe(chosen.action) : "neardup finds near-duplicate documents.\n", "neardup") {
    result_.action = chosen.action;
    result_.text_fields.clear();
    app_.formatter(std::make_shared<help_formatter>(
        named ? "neardup " + std::string(chosen.name) + " [OPTIONS] " +
                    (chosen.action == verb::diff   ? "A B"
                     : chosen.action == verb::find ? "CLUE PATH…"
                                                   : "PATH…")
              : "neardup [VERB] [OPTIONS] PATH…        (PATH: a file, a folder, or - for standard input)\n" +
                    verb_list()));
    is_named_ = named;
    if (result_.action == verb::diff) {
      add_diff();
      add_output();
      return;
    }
    app_.footer(rules() + examples);
    if (result_.combines_shards()) {
      add_combination();
      return;
    }
    add_input();
    add_fingerprint();
    if (result_.action == verb::advise) add_advice();
    if (result_.has_index()) add_index();
    if (result_.compares()) add_comparison();
    if (result_.compares()) add_against();
    if (result_.action == verb::find) add_search();
    if (result_.action == verb::hash) add_shard();
    if (result_.action == verb::groups || result_.action == verb::unique || result_.action == verb::report) {
      add_grouping();
    }
    add_output();
  }

  /// Throws: usage_error.
  command_line parse(std::vector<std::string> words) {
    if (const auto text = read(std::move(words))) return *text;
    if (result_.combines_shards()) return combination();
    if (result_.action == verb::diff) {
      set_diff();
      return std::move(result_);
    }
    set_input();
    for (const char* const file : {"--idf-file", "--output", "--dictionary", "--user-dictionary", "--model",
                                   "--stop-words", "--index", "--files-from", "--dropped"}) {
      if (is_given(file) && app_.get_option(file)->results().front().empty()) {
        throw usage_error(std::string(file) + " '': not the name of a file");
      }
    }
    take_clue();
    take_listed();
    if (result_.paths.empty() && result_.unit == unit_of_input::fingerprints) throw usage_error("no input: name lists");
    set_against();
    refuse_own_files();
    set_from_files();
    set_shard();
    apply_settings(given_, result_);
    set_output();
    if (result_.action == verb::index && result_.output_file.empty()) {
      throw usage_error("index writes to a file: --output FILE");
    }
    if (result_.action == verb::report && result_.output_file.empty() && is_terminal(stdout)) {
      throw usage_error("report writes a page for a browser, not for a terminal: --output groups.html");
    }
    if (result_.action == verb::query && result_.index_file.empty()) throw usage_error("query needs --index FILE");
    if (result_.action == verb::query && !given_.distance) set_reach();
    const bool has_index = result_.has_index() || !result_.against_indexes.empty();
    if ((has_index || lists_ || result_.shard || result_.format == output_format::binary) && !can_be_named(result_)) {
      throw usage_error(
          "fingerprints of zh:words, of zh:keywords, with --top or with --weighted-field cannot be kept in a file: it "
          "names what they are made of, and has no name for a dictionary");
    }
    if (result_.paths.empty() && result_.names_from.empty()) {
      if (result_.action == verb::find) {
        throw usage_error("find takes a clue, and then files or folders: neardup find \"a sentence or two\" PATH…");
      }
      throw usage_error("no input: name files or folders, or - for standard input");
    }
    const auto streams_in = [](const auto& paths) { return std::count(paths.begin(), paths.end(), "-"); };
    if (streams_in(result_.paths) + streams_in(result_.against) + (result_.names_from == "-" ? 1 : 0) > 1) {
      throw usage_error("standard input (-) can be read only once");
    }
    refuse_overwriting();
    return std::move(result_);
  }

 private:
  CLI::Option* add(const char* name, auto& to, const char* value, const std::string& help) {
    return app_.add_option(name, to, help)->type_name(value)->group(group_);
  }
  void add_list(const char* name, std::vector<std::string>& to, const char* value, const char* help) {
    add(name, to, value, help)->allow_extra_args(false)->expected(1)->take_all();
  }
  void add_flag(const char* name, bool& to, const char* help) { app_.add_flag(name, to, help)->group(group_); }

  [[nodiscard]] bool has_option(const std::string& name) const { return app_.get_option_no_throw(name) != nullptr; }

  void add_input() {
    group_ = "Input";
    app_.add_option("PATH", result_.paths, "files, folders, or - for standard input");
    add_flag("--lines", lines_, "each line is a document (else each file is one)");
    if (result_.action != verb::advise && result_.action != verb::tokens && result_.action != verb::find) {
      add_flag("--fingerprints", lists_, "lists of fingerprints in place of texts, as hash\n--format bin writes them");
      add_flag("--no-header", no_header_, "the lists are records only; --features and --bits say\nof what");
    }
    add_flag("--jsonl", json_lines_, "each line is a JSON object, a document");
    add_list("--text-field", result_.text_fields, "NAME", "its text (default: text); may be given several times");
    if (result_.action != verb::advise && result_.action != verb::find) {
      add("--weighted-field", result_.weighted_field, "NAME",
          "in place of a text: an array of its features with their\n"
          "weights, [[\"word\", 1.5], …]");
    }
    add("--id-field", result_.id_field, "NAME", "its id, a string or a number (default: id, if it is there)");
    add_list("--include", result_.include, "GLOB",
             "of the files in folders only these, by patterns as in\n.gitignore; several times: any of them");
    add_list("--exclude", result_.exclude, "GLOB", "not these files, and not what is in these folders");
    add_flag("--hidden", result_.reads_hidden, "hidden files and folders in folders, too: .name");
    add_flag("--binary", result_.reads_binary, "binary files in folders, too");
    add("--files-from", result_.names_from, "FILE",
        "read what this list names, a file or folder a line; -: from\nstandard input");
    app_.add_flag("--null,-0", null_, "the names in the list end with a zero byte, not a line")->group(group_);
    add_flag("--skip-bad", result_.skip_bad, "go on after bad input; its count is said at the end");
    add_flag("--strict", result_.strict, "ill-formed UTF-8 and documents without tokens are\nerrors");
  }

  void add_diff() {
    group_ = "Comparison";
    app_.add_option("PATH", result_.paths, "two files, or a file and - for standard input");
    add("--context", context_, "N", "equal lines around those that differ (default: 3)");
  }

  void add_fingerprint() {
    group_ = "Fingerprint";
    const bool advises = result_.action == verb::advise;
    add("--features", given_.features, "F",
        advises ? "only these: words, words:N, chars:N of the normalised\n"
                  "text, or bytes:N of the raw one (default: several)"
                : "words, words:N, chars:N of the normalised text, bytes:N\n"
                  "of the raw one, masked:words:N where numbers, dates and\n"
                  "addresses are one word, zh:words or zh:keywords by a\n"
                  "dictionary "
                  "(default: " +
                      std::string(result_.compares() ? "--check-features, else " : "") +
                      neardup::to_string(feature_choice{}) + ")");
    if (!advises) add_words();
    if (!advises && result_.action != verb::find) add_weights();
    if (!advises && result_.action != verb::find && result_.action != verb::tokens) {
      add("--kind", given_.kind, "KIND",
          "simhash; minwise: one-bit min-wise codes of distinct\nfeatures; or auto: simhash, but where --similarity\n"
          "chooses the distance what has fewer candidates (the\ndefault)");
    }
    if (result_.action == verb::tokens || result_.action == verb::find) return;
    add("--bits", given_.bits, "N",
        advises ? "only this width: 64 or 128 (default: both)" : "32, 64, 128 or 256 (default: 64)");
    add("--seed", given_.seed, "N",
        advises ? "of the sample and of the hash (default: 0)" : "of the hash (default: 0)");
    group_ = "Comparison";
    const std::string similar = "near-duplicates have this exact Jaccard similarity,\nabove 0 to 1";
    const std::string usual = number(neardup::default_similarity);
    add("--similarity", given_.similarity, "S",
        advises ? similar + " (default: " + usual + ")"
                : similar + ": chooses all that is not given (default:\n" + usual +
                      ", unless --distance or --min-similarity is given),\n" +
                      "without a look at the documents; advise looks at them");
  }

  void add_words() {
    add("--dictionary", result_.words.dictionary, "FILE",
        "of zh:words, in the format of jieba's dict.txt\n(default: that of Debian's python3-jieba)");
    add("--user-dictionary", result_.words.user_dictionary, "FILE",
        "more words, one a line: 'word' or 'word frequency',\nwith a space");
    add("--model", result_.words.model, "FOLDER",
        "jieba's model of unknown words (default: finalseg/\nbeside the dictionary)");
    add_flag("--no-hmm", result_.words.no_model, "no such model: unknown words are single characters");
    add("--stop-words", result_.words.stop_words, "FILE", "words that do not count, one a line");
  }

  void add_weights() {
    add("--weights", given_.weights, "W",
        "unit: each distinct feature once (the default), tf,\n"
        "logtf, idf or tfidf: learnt from the input in a first\n"
        "pass");
    add("--idf-file", result_.idf_file, "FILE", "idf from this file, lines of 'term value'");
    add("--top", given_.top, "N",
        "only the N features of a document with the highest\n"
        "tfidf count, of equal ones those of smaller bytes");
  }

  void add_search() {
    group_ = "Search";
    add("--min-similarity", given_.min_similarity, "X", "the least share of the clue, 0 to 1 (default: 0.5)");
    add("--most", given_.most, "N", "so many documents at most (default: 10)");
  }

  void add_advice() {
    add("--recall", given_.recall, "R",
        "the share of them that is to be found, 0 to 1\n(default: " + number(advice_settings{}.recall) + ")");
    add("--check-features", given_.check_features, "F",
        "what the similarity is about (default: " + to_string(feature_choice{}) + ")");
  }

  void add_index() {
    group_ = "Index";
    const bool is_query = result_.action == verb::query;
    add("--index", result_.index_file, "FILE",
        is_query ? "where the documents are that are searched" : "add to the documents of this index");
    add("--distance", given_.distance, "K",
        is_query ? "within K bits (default: as many as the index answers)"
                 : "the most bits that it answers (default: enough for\n--similarity; when adding, that of the index)");
    if (is_query) {
      add("--min-similarity", given_.min_similarity, "X",
          "check each candidate, 0 to 1 (default: --similarity);\nfor an index with features only");
    } else {
      add("--blocks", given_.blocks, "N", "blocks of the index: speed against memory, never the\nresult");
      add("--check-features", given_.check_features, "F", "features that are kept (default: --features)");
      add_flag("--keep-features", result_.keeps_features, "keep features, for exact similarities (4 bytes each)");
    }
    add_flag("--no-verify", no_verify_, "do not check the whole file first");
  }

  void add_comparison() {
    add("--distance", given_.distance, "K",
        "candidates differ in at most K bits (default: enough\nto find 99 % of what is similar, 97 % by simhash, "
        "if\nsimilarities are spread evenly; advise looks)");
    add("--blocks", given_.blocks, "N",
        "blocks of the index: speed against memory, never the\nresult (default: what is fast)");
    add("--min-similarity", given_.min_similarity, "X",
        "check each candidate: exact similarity, 0 to 1\n(default: --similarity)");
    add("--check", given_.check, "M",
        "by which measure: jaccard of the features (the\n"
        "default), cosine of their weights, or edit: the edit\n"
        "distance of the normalised texts, by characters");
    add("--check-features", given_.check_features, "F", "features for the check (default: --features)");
    add("--memory", result_.memory, "SIZE",
        "of the features that the check keeps, as 500M or 8G;\nfurther ones lie in a temporary file (default: half\nof "
        "the machine's memory)")
        ->transform(CLI::AsSizeValue(false));
  }

  void add_shard() {
    group_ = "Shards";
    add("--shard", shard_, "N",
        "of a corpus for many machines: the number of this part\nof it, from 0; writes the file that --output names");
    add_flag("--keep-features", result_.keeps_features, "for verify and merge, in FILE.features");
    add("--distance", given_.distance, "K", "with --shard, as for groups");
    add("--min-similarity", given_.min_similarity, "X", "with --shard, as for groups");
    add("--check", given_.check, "M", "with --shard, as for groups");
    add("--check-features", given_.check_features, "F", "with --shard, as for groups");
  }

  /// Of the verbs that take files of shards, whose settings stand in these.
  void add_combination() {
    group_ = "Input";
    app_.add_option("PATH", result_.paths, "files of shards and pairs");
    if (result_.action == verb::join) {
      group_ = "Comparison";
      add("--similarity", given_.similarity, "S",
          "chooses the distance, as for hash --shard (default:\nthat of the shards; without their .features " +
              number(neardup::default_similarity) + ")");
      add("--distance", given_.distance, "K", "candidates differ in at most K bits (default: that of\nthe shards)");
      add("--check", given_.check, "M", "the measure of --similarity, as for hash --shard");
      add("--blocks", given_.blocks, "N", "speed against memory, never the result");
    }
    if (result_.action == verb::merge) {
      group_ = "Comparison";
      add("--grouping", given_.grouping, "G", "representatives (the default) or components, as of\ngroups");
    }
    add_output();
  }

  /// Throws: usage_error.
  command_line combination() {
    const std::string name = find_verb(result_.action)->name;
    if (result_.paths.empty()) throw usage_error("no input: name files of shards");
    if (is_given("--output") && result_.output_file.empty()) throw usage_error("--output '': not the name of a file");
    if (result_.writes_file_at_end() && result_.output_file.empty()) {
      throw usage_error(name + " writes to a file: --output FILE");
    }
    if (result_.action == verb::join && result_.paths.size() > 2) throw usage_error("join takes one shard, or two");
    if (result_.action == verb::join || result_.action == verb::merge) {
      const stored_fingerprints stored = read_header(result_.paths.front());
      given_.bits = std::to_string(stored.bits);
      given_.kind = to_string(stored.kind);
    }
    const std::optional<int> distance = result_.action == verb::join ? distance_of_shards(result_.paths) : std::nullopt;
    const bool is_told = given_.distance || given_.similarity || given_.check;
    if (distance && !is_told) given_.distance = std::to_string(*distance);
    apply_settings(given_, result_);
    if (distance && result_.distance != *distance) {
      const std::string told = given_.distance     ? "--distance " + *given_.distance
                               : given_.similarity ? "--similarity " + *given_.similarity
                                                   : "--check " + *given_.check;
      throw usage_error(told + (given_.distance ? "" : " stands for --distance " + std::to_string(result_.distance)) +
                        ": the shards were made for --distance " + std::to_string(*distance) +
                        ", which join takes from them if nothing is given");
    }
    set_output();
    refuse_overwriting();
    return std::move(result_);
  }

  void set_shard() {
    if (result_.action != verb::hash) return;
    if (is_given("--shard")) {
      result_.shard = parse_number<std::uint64_t>("--shard", shard_, 0, max_shard);
      if (result_.output_file.empty()) throw usage_error("--shard writes to a file: --output FILE");
      if (lists_) throw usage_error("--shard with --fingerprints: there are no texts");
      if (is_given("--format")) throw usage_error("--format says nothing here: --shard writes a list");
      return;
    }
    for (const char* const option :
         {"--keep-features", "--distance", "--min-similarity", "--check", "--check-features"}) {
      if (is_given(option)) throw usage_error(std::string(option) + " needs --shard");
    }
  }

  void add_against() {
    add_list("--against", result_.against, "PATH",
             result_.action == verb::unique
                 ? "another corpus: drop what is near one of its documents.\n"
                   "Texts as PATH has them, or a file of an index; several\ntimes: all of them"
                 : "another corpus: only its near-duplicates among the\ndocuments of PATH. Texts as PATH has them, or "
                   "a file of\n"
                   "an index; several times: all of them");
    add_flag("--also-within", result_.also_within, "with --against: near-duplicates within PATH, too");
  }

  void add_grouping() {
    add("--grouping", given_.grouping, "G",
        "representatives: a group is one document and what is\n"
        "similar to it (the default); components: all that a\n"
        "chain of pairs connects, however far apart");
    add("--keep", given_.keep, "WHICH",
        result_.action == verb::groups ? "which document a group is around: first (the default),\n"
                                         "longest, or by a number in its JSON record\nhighest:FIELD or lowest:FIELD"
                                       : "which document of a group is kept: first (the default),\n"
                                         "longest, or by a number in its JSON record\n"
                                         "highest:FIELD or lowest:FIELD. All but first, and\n"
                                         "--grouping components, read the input twice (standard\n"
                                         "input through a temporary file)");
  }

  void add_output() {
    group_ = "Output";
    if (result_.action == verb::diff) {
      add("--color", color_, "WHEN", "auto (the default): in a terminal, unless NO_COLOR is\nset; always; or never");
    }
    if (result_.action != verb::report)
      add("--format", format_, "F",
          result_.action == verb::hash ? "text (default), jsonl, or bin: a list" : "text (default) or jsonl");
    add("--output", result_.output_file, "FILE",
        result_.writes_file_at_end()
            ? "the file that is written, whole or not at all"
            : "write there, not to standard output, once all is done;\n.gz and .zst are compressed");
    if (result_.action == verb::unique) {
      add("--dropped", result_.dropped_file, "FILE",
          "what is dropped: similarity, distance in bits, its id\n"
          "and the id of what stands for it, with tabs between\nthem; JSON Lines with --jsonl. Written as --output is");
    }
    if (result_.action == verb::diff) {
      app_.set_help_flag("--help,-h", "this text")->group(group_);
      app_.set_help_all_flag("--help-all", "the same")->group(group_);
      return;
    }
    if (result_.compares() || result_.action == verb::query || result_.action == verb::find) {
      add_flag("--exit-status", result_.exit_status,
               result_.action == verb::find ? "0 if a document was found, 1 if none was (else 0 for both)"
                                            : "0 if there are near-duplicates, 1 if there are none\n(else 0 for both)");
    }
    add("--threads", threads_, "N", "default: all cores; never changes the result");
    add_flag("--quiet", result_.quiet, "no progress bar, no notes; errors and what was skipped\nare still said");
    app_.set_help_flag("--help,-h", "the options that most people need")->group(group_);
    app_.set_help_all_flag("--help-all", "every option of a verb, the rules, more examples")->group(group_);
    add_flag("--version", version_, "the version");
  }

  [[nodiscard]] bool is_given(const char* name) const {
    const CLI::Option* const option = app_.get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  }

  /// Hands the words to CLI11, and says what is wrong in words of ours. Returns: a text, if one was asked for.
  std::optional<std::string> read(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    try {
      app_.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
      hide_unusual_options();
      return help();
    } catch (const CLI::CallForAllHelp&) {
      return help();
    } catch (const CLI::ExtrasError&) {
      const std::vector<std::string> extras = app_.remaining();
      const auto option = std::find_if(extras.begin(), extras.end(), [](const auto& e) { return e.starts_with('-'); });
      throw usage_error(option != extras.end() ? unknown_option(*option)
                                               : "unexpected argument '" + extras.front() + "'");
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string what = error.what();
      const bool twice = what.find("At Most") != what.npos;
      throw usage_error(what.substr(0, what.find(':')) + (twice ? " is given more than once" : " needs a value"));
    } catch (const CLI::ParseError& error) {
      throw usage_error(error.what());
    }
    if (version_) return std::string("neardup ") + NEARDUP_VERSION_STRING + "\n";
    return std::nullopt;
  }

  [[nodiscard]] std::string help() const {
    std::string text = app_.help();
    for (std::size_t gap = 0; (gap = text.find("\n\n\n", gap)) != text.npos;) text.erase(gap, 1);
    return text;
  }

  void hide_unusual_options() {
    for (CLI::Option* const option : app_.get_options()) {
      const auto is_usual = [&](const char* name) { return option->check_name(name); };
      const auto last = is_named_ ? usual_options.end() : usual_options.begin() + usual_without_verb;
      if (std::none_of(usual_options.begin(), last, is_usual)) option->group("");
    }
    const auto shorten = [this](const char* name, const char* text) {
      if (CLI::Option* const option = app_.get_option_no_throw(name)) option->description(text);
    };
    if (result_.action != verb::advise) {
      shorten("--features", "what is compared: words:N, chars:N, zh:words, … (default: words:2)");
      shorten("--similarity", "near-duplicates have this Jaccard similarity (default: 0.8)");
    }
    shorten("--include", "of the files in folders only these, as in .gitignore");
    shorten("--exclude", "not these files and folders");
    shorten("--files-from", "read what this list names, one a line (-: standard input)");
    shorten("--keep", "first (default), longest, highest:FIELD, lowest:FIELD");
    shorten("--format", "text (default) or jsonl");
    if (!result_.writes_file_at_end()) shorten("--output", "write there; .gz and .zst are compressed");
    const std::string verb = std::find_if(verbs.begin(), verbs.end(), [this](const verb_description& v) {
                               return v.action == result_.action;
                             })->name;
    app_.footer(examples_of(verb) + "\nneardup " + (is_named_ ? verb + ' ' : "") + "--help-all lists every option" +
                (is_named_ ? "" : " of groups, neardup VERB --help-all those of a verb") +
                ",\nand what is read and printed how.\n");
  }

  [[nodiscard]] std::string unknown_option(const std::string& given) const {
    const std::string name = given.substr(0, given.find('='));
    std::string others;
    int count = 0;
    for (const verb_description& v : verbs) {
      if (v.action == result_.action || !parser(v, true).has_option(name)) continue;
      others += (others.empty() ? "" : ", ") + std::string(v.name);
      ++count;
    }
    if (count > 0) return "unknown option " + name + ": " + others + (count == 1 ? " has it" : " have it");

    // What is meant differs in few letters, or goes on where the given name ends.
    const std::string letters = name.substr(std::min(name.size(), name.find_first_not_of('-')));
    std::size_t most = most_differences(letters);
    std::string suggestion;
    for (const CLI::Option* option : app_.get_options()) {
      for (const std::string& known : option->get_lnames()) {
        constexpr std::size_t least_beginning = 3;
        if (letters.size() >= least_beginning && known.starts_with(letters) && suggestion.empty()) {
          suggestion = "--" + known;
        }
        const auto distance = neardup::edit_distance(letters, known, most);
        if (!distance || (!suggestion.empty() && *distance == most)) continue;
        most = *distance;
        suggestion = "--" + known;
      }
    }
    return "unknown option " + name + (suggestion.empty() ? "" : "; did you mean " + suggestion + "?");
  }

  /// Reads the list of --files-from.
  void take_listed() {
    if (result_.names_from.empty()) {
      if (null_) throw usage_error("--null needs --files-from");
      return;
    }
    const std::string name = result_.names_from == "-" ? "standard input" : result_.names_from;
    std::string list;
    try {
      input_file file = result_.names_from == "-" ? input_file::standard_input() : input_file(result_.names_from);
      const std::atomic<bool> never{false};
      constexpr std::size_t block = std::size_t{1} << 16;
      for (std::size_t count = block; count > 0;) {
        const std::size_t size = list.size();
        list.resize(size + block);
        count = file.read(list.data() + size, block, never);
        list.resize(size + count);
      }
    } catch (const std::system_error& error) {
      throw input_error({name, error.code().message()});
    }
    result_.first_listed = result_.paths.size();
    std::string_view rest(list);
    for (std::uint64_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find(null_ ? '\0' : '\n'), rest.size());
      std::string path(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::string where = name + ':' + std::to_string(number);
      if (path.find('\0') != path.npos) throw input_error({where, "a zero byte in a name; --null reads such lists"});
      if (path.empty() && null_) throw input_error({where, "a name is empty"});
      if (path.empty()) continue;
      // Here it is no standard input.
      result_.paths.push_back(path == "-" ? "./-" : std::move(path));
      result_.listed_at.push_back(number);
    }
  }

  void set_diff() {
    if (result_.paths.size() != 2) {
      throw usage_error("diff compares two files, and " + counted(result_.paths.size(), "is", "are") + " named");
    }
    if (result_.paths[0] == "-" && result_.paths[1] == "-")
      throw usage_error("standard input (-) can be read only once");
    if (is_given("--color")) {
      result_.color = static_cast<color_choice>(
          parse_name("--color", color_, {"auto", "always", "never"}, "is auto, always or never"));
    }
    if (is_given("--context")) result_.context = parse_number<std::size_t>("--context", context_, 0, 1'000'000'000);
    set_output();
    refuse_overwriting();
  }

  void take_clue() {
    if (result_.action != verb::find || result_.paths.empty()) return;
    result_.clue = result_.paths.front();
    result_.paths.erase(result_.paths.begin());
  }

  void set_input() {
    if (lines_ && json_lines_) throw usage_error("--lines and --jsonl do not go together");
    if (lists_ && (lines_ || json_lines_)) throw usage_error("--fingerprints goes with neither --lines nor --jsonl");
    result_.unit = lists_        ? unit_of_input::fingerprints
                   : lines_      ? unit_of_input::lines
                   : json_lines_ ? unit_of_input::json_lines
                                 : unit_of_input::files;
    set_lists();
    std::vector<std::string>& fields = result_.text_fields;
    if (!json_lines_) {
      if (!fields.empty()) throw usage_error("--text-field needs --jsonl");
      if (is_given("--id-field")) throw usage_error("--id-field needs --jsonl");
    }
    for (auto field = fields.begin(); field != fields.end(); ++field) {
      if (std::find(fields.begin(), field, *field) != field) {
        throw usage_error("--text-field '" + *field + "' is given more than once");
      }
    }
    if (is_given("--weighted-field")) {
      if (!json_lines_) throw usage_error("--weighted-field needs --jsonl");
      for (const char* const other : {"--text-field", "--features", "--check-features", "--weights"}) {
        if (is_given(other)) throw usage_error("--weighted-field and " + std::string(other) + " do not go together");
      }
      fields = {result_.weighted_field};
    }
    if (fields.empty()) fields = {"text"};
    result_.id_field_required = is_given("--id-field");
    expand_patterns("--include", result_.include);
    expand_patterns("--exclude", result_.exclude);
  }

  /// Lists have no texts: what needs these is refused.
  void set_lists() {
    result_.verifies = !no_verify_;
    result_.lists_have_headers = !no_header_;
    if (!lists_) {
      if (no_header_) throw usage_error("--no-header needs --fingerprints");
      return;
    }
    for (const char* const option : {"--min-similarity", "--check", "--check-features", "--keep-features", "--keep"}) {
      if (is_given(option)) throw usage_error(std::string(option) + " with --fingerprints: there are no texts");
    }
    if (given_.weights == "idf" && !is_given("--idf-file")) {
      throw usage_error("--weights idf with --fingerprints: there are no texts to learn from; name an --idf-file");
    }
    const auto has_stream = [](const auto& paths) { return std::find(paths.begin(), paths.end(), "-") != paths.end(); };
    if (has_stream(result_.paths) || has_stream(result_.against)) {
      throw usage_error("--fingerprints reads files, not standard input");
    }
    if (result_.action == verb::report) throw usage_error("report with --fingerprints: there are no texts");
    result_.names_composition = given_.features || given_.weights || given_.seed || no_header_;
    if (no_header_ && !(given_.features && given_.bits)) {
      throw usage_error("--no-header: say what the fingerprints are made of, at least --features and --bits");
    }
  }

  /// Files of neardup's are no texts.
  void refuse_own_files() const {
    if (lists_) return;
    const auto refuse_own = [](const std::string& path) {
      const auto header = header_of(path);
      if (!header) return;
      throw usage_error(path + (header->is_list() ? " is a list of fingerprints, no text: --fingerprints reads lists"
                                : header->is_index()
                                    ? " is an index, no text: neardup query --index " + path + " searches it"
                                    : std::string(" is a file of neardup's, no text")));
    };
    std::for_each_n(result_.paths.begin(), std::min(result_.first_listed, result_.paths.size()), refuse_own);
    std::for_each(result_.against.begin(), result_.against.end(), refuse_own);
  }

  /// Tells the indexes of --against from texts and lists.
  void set_against() {
    const bool is_given_empty = std::find(result_.against.begin(), result_.against.end(), "") != result_.against.end();
    if (is_given_empty) throw usage_error("--against '': not the name of a file or folder");
    std::copy_if(result_.against.begin(), result_.against.end(), std::back_inserter(result_.against_indexes), is_index);
    std::erase_if(result_.against, is_index);
    if (result_.also_within && !result_.has_against()) throw usage_error("--also-within needs --against");
    if (!result_.against_indexes.empty() && given_.check.value_or("jaccard") != "jaccard") {
      throw usage_error("--check " + *given_.check + ": an index keeps no texts; leave it out, or name texts");
    }
    for (const std::string& path : result_.against_indexes) {
      const std::string& first = result_.against_indexes.front();
      const index_settings a = read_index_settings(first), b = read_index_settings(path);
      if (a.distance != b.distance || a.check_features != b.check_features) {
        throw usage_error(
            std::string("--against ")
                .append(first)
                .append(" and ")
                .append(path)
                .append(
                    ": made with other distances or features; make them alike, or compare with one after the other"));
      }
    }
    for (const std::string& path : result_.against_indexes) set_from_index_of_against(path);
  }

  /// What is not given is that of the index, as query has it. Without features of all, fingerprints decide.
  void set_from_index_of_against(const std::string& path) {
    const index_settings stored = read_index_settings(path);
    if (given_.min_similarity && stored.check_features.empty()) {
      throw usage_error("--min-similarity: " + path + " was made without --keep-features");
    }
    result_.has_only_prints = result_.has_only_prints || stored.check_features.empty();
    take_composition(path, stored);
    if (given_.check_features.value_or(stored.check_features) != stored.check_features && !result_.has_only_prints) {
      throw usage_error("--check-features " + *given_.check_features + ": " + path + " keeps " + stored.check_features);
    }
    if (given_.distance || given_.similarity) return;
    given_.distance = std::to_string(stored.distance);
    if (stored.check_features.empty()) return;
    if (!given_.check_features) given_.check_features = stored.check_features;
    if (!given_.min_similarity) given_.min_similarity = number(neardup::default_similarity);
  }

  /// What the fingerprints of an index are made of.
  void take_composition(const std::string& path, const index_settings& stored) {
    if (!given_.bits) given_.bits = std::to_string(stored.bits);
    if (!given_.features) given_.features = stored.features;
    if (!given_.weights) given_.weights = stored.weights;
    if (!given_.kind) given_.kind = stored.kind;
    if (given_.weights->ends_with("idf") && !is_given("--idf-file")) {
      throw usage_error(path + " was made with --weights " + *given_.weights + ": name the same --idf-file");
    }
  }

  /// What is not given is taken from the files of neardup's that are.
  void set_from_files() {
    if (lists_ && result_.lists_have_headers) {
      const stored_fingerprints stored = read_header(result_.paths.front());
      if (!given_.bits) given_.bits = std::to_string(stored.bits);
      const std::string kind(to_string(stored.kind));
      if (given_.kind.value_or("auto") == "auto") given_.kind = kind;
      // Another value is refused where it is read.
      if (*given_.kind != kind && (*given_.kind == "simhash" || *given_.kind == "minwise"))
        throw usage_error("--kind " + *given_.kind + ": the fingerprints in " + result_.paths.front() +
                          " are of the kind " + kind);
    } else if (lists_ && !given_.kind) {
      given_.kind = "simhash";  // as hash writes them where nothing is said
    }
    if (result_.index_file.empty()) return;
    result_.index_checksum = checksum_of_file(result_.index_file);
    const index_settings stored = read_index_settings(result_.index_file);
    take_composition(result_.index_file, stored);
    if (!given_.distance && !given_.similarity) given_.distance = std::to_string(stored.distance);
    if (result_.action == verb::index) {
      if (!given_.blocks && given_.distance == std::to_string(stored.distance))
        given_.blocks = std::to_string(stored.blocks);
      if (result_.keeps_features != !stored.check_features.empty()) {
        throw usage_error(result_.index_file +
                          (stored.check_features.empty() ? " keeps no features: leave out" : " keeps features: add") +
                          " --keep-features");
      }
    } else if (given_.min_similarity && stored.check_features.empty()) {
      throw usage_error("--min-similarity: " + result_.index_file + " was made without --keep-features");
    }
    result_.keeps_features = !stored.check_features.empty() && !lists_;
    if (result_.action == verb::index &&
        given_.check_features.value_or(stored.check_features) != stored.check_features) {
      throw usage_error("--check-features " + *given_.check_features + ": " + result_.index_file + " keeps " +
                        (stored.check_features.empty() ? "no features" : stored.check_features));
    }
    if (!stored.check_features.empty()) given_.check_features = stored.check_features;
  }

  /// What --similarity of a query stands for has to be within what the index answers; where a check decides, all of
  /// that is looked through.
  void set_reach() {
    const int reach = read_index_settings(result_.index_file).distance;
    const std::string& typed = given_.similarity.value();
    if (result_.distance > reach) {
      throw usage_error("--similarity " + typed + " needs --distance " + std::to_string(result_.distance) + ": " +
                        result_.index_file + " answers up to " + std::to_string(reach) +
                        "; make it with --similarity " + typed);
    }
    if (result_.min_similarity) result_.distance = reach;
  }

  static void expand_patterns(const char* option, std::vector<std::string>& patterns) {
    std::vector<std::string> expanded;
    for (const std::string& pattern : patterns) {
      for (std::string& one : expanded_glob(option, pattern)) expanded.push_back(std::move(one));
    }
    patterns = std::move(expanded);
  }

  /// What is written must be none of the files that are named to be read, nor each other's. What lies in folders is
  /// looked at when it is found.
  void refuse_overwriting() const {
    std::vector<std::string> read = result_.paths;
    read.insert(read.end(), result_.against.begin(), result_.against.end());
    read.insert(read.end(), result_.against_indexes.begin(), result_.against_indexes.end());
    if (result_.combines_shards()) {
      for (const std::string& path : result_.paths)
        read.insert(read.end(), {features_path(path), features_path(link_target(path))});
    }
    if (result_.action != verb::index) read.push_back(result_.index_file);
    read.insert(read.end(), {result_.idf_file, result_.words.dictionary, result_.words.user_dictionary,
                             result_.words.stop_words, result_.names_from});
    const auto identity_of = [](const std::string& file) { return file.empty() ? "" : identity_of_file(file); };
    const std::string output = identity_of(result_.output_file), dropped = identity_of(result_.dropped_file);
    for (const std::string& path : read) {
      const std::string input = identity_of(path == "-" ? "/dev/stdin" : path);
      if (input.empty() || (input != output && input != dropped)) continue;
      throw usage_error((input == output ? "--output " + result_.output_file : "--dropped " + result_.dropped_file) +
                        " is also an input");
    }
    if (!dropped.empty() && dropped == (result_.output_file.empty() ? identity_of("/dev/stdout") : output)) {
      throw usage_error("--dropped and --output name the same file");
    }
  }

  void set_output() {
    if (is_given("--format")) {
      const bool is_list = format_ == "bin" && result_.action == verb::hash;
      if (format_ != "text" && format_ != "jsonl" && !is_list) {
        throw usage_error("--format '" + format_ + "': formats are text and jsonl" +
                          (result_.action == verb::hash ? ", and bin" : ""));
      }
      result_.format = is_list              ? output_format::binary
                       : format_ == "jsonl" ? output_format::json_lines
                                            : output_format::text;
      if (result_.action == verb::index) throw usage_error("--format says nothing here: index writes a file");
      if (result_.action == verb::unique && result_.unit != unit_of_input::files) {
        throw usage_error("--format says nothing here: unique copies the records as they are");
      }
    }
    const bool is_packed = result_.output_file.ends_with(".gz") || result_.output_file.ends_with(".zst");
    if (is_packed && (result_.writes_file_at_end() || result_.format == output_format::binary)) {
      throw usage_error("--output " + result_.output_file + ": what is read where it lies cannot be compressed");
    }
    for (const auto& [option, file] :
         {std::pair("--output", &result_.output_file), {"--dropped", &result_.dropped_file}}) {
      if (*file == "-") {
        throw usage_error(std::string(option) +
                          " -: leave it out to write to standard output; ./- is a file of that name");
      }
    }
    result_.threads = static_cast<unsigned>(neardup::threads{}.parts());
    if (!is_given("--memory")) result_.memory = physical_memory() / 2;
    if (is_given("--threads")) result_.threads = parse_number("--threads", threads_, 1U, 1024U);
  }

  CLI::App app_;
  std::string group_;
  options result_;
  // As typed, and checked afterwards, so that every message reads alike.
  typed_settings given_;
  std::string format_, threads_, shard_, color_, context_;
  bool lines_ = false, json_lines_ = false, lists_ = false, no_header_ = false, no_verify_ = false, version_ = false;
  bool null_ = false, is_named_ = false;
};

}  // namespace

bool is_verb(std::string_view name) { return find_verb(name) != nullptr; }

std::string verb_like(std::string_view word) {
  // As few differences as there may be in an option.
  std::size_t most = most_differences(word) + 1;
  std::string meant;
  for (const verb_description& v : verbs) {
    const auto distance = neardup::edit_distance(word, v.name, most);
    if (!distance || *distance == most) continue;
    most = *distance;
    meant = v.name;
  }
  return meant;
}

std::string names_of_verbs() { return names_of(verbs); }

command_line parse_command_line(int count, char** arguments) {
  std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  std::error_code ignored;
  if (!words.empty() && words.front() == "help" && !std::filesystem::exists("help", ignored)) {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::string first = words.empty() ? "" : words.front();
  const verb_description* const named = find_verb(first);
  if (named != nullptr) words.erase(words.begin());
  command_line result = parser(named != nullptr ? *named : verbs.front(), named != nullptr).parse(std::move(words));
  if (auto* const run = std::get_if<options>(&result); run != nullptr && named == nullptr) {
    // Names of files mostly have a point, or a folder before them.
    run->first_may_be_verb = run->first_listed > 0 && !run->paths.empty() && first == run->paths.front() &&
                             first.find_first_of("./\\-") == std::string::npos;
  }
  return result;
}

}  // namespace command
