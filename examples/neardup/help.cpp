#include "help.hpp"

#include <neardup/dedup/checks.hpp>
#include <neardup/dedup/edit_distance.hpp>

#include "context.hpp"
#include "output.hpp"

namespace command {

namespace {

constexpr std::array verbs{
    verb_row{verb::groups, "groups", "PATH…", "the groups of near-duplicates (the default)", R"(
Prints the groups of near-duplicates among documents.
Text: the size of a group and the least similarity of a member to the first one, then each member's
similarity to the first and its id. The first is the one that --keep prefers; all others stand in the
order of the input, groups in that of their first members. The similarity is the exact one of the check;
without a check it is what the distance stands for: the cosine, of min-wise codes the Jaccard similarity.
)",
             run_groups},
    verb_row{verb::pairs, "pairs", "PATH…", "the pairs of near-duplicates", R"(
Prints the pairs of near-duplicates among documents, in the order of the input.
Text: similarity, distance in bits and the two ids, with tabs between them. The similarity is the exact
one of the check; without a check it is what the distance stands for: the cosine, of min-wise codes the
Jaccard similarity.
)",
             run_pairs},
    verb_row{verb::unique, "unique", "PATH…", "the input without its near-duplicates",
             R"(
Prints the input without near-duplicates: it drops each record that is similar to an earlier kept one, and
copies the others byte for byte (--lines, --jsonl). Of whole files it prints the paths that are kept.
Documents without tokens are kept. Blank lines of JSON Lines are dropped.
)",
             run_unique},
    verb_row{verb::hash, "hash", "PATH…", "the fingerprints", R"(
Prints the fingerprint and the id of each document, in the order of the input.
A document without tokens has '-' in place of a fingerprint (null in jsonl).
--format bin writes a list of fingerprints, which all verbs but advise read with --fingerprints: of each
document with tokens its fingerprint and its number in the input, from 0.
--shard N writes the list of shard N of a corpus that is compared on many machines: an id is N << 40 | the
number of a document with tokens. With --keep-features, FILE.features holds what verify and merge need.
What is given about the comparison has to be the same for all shards.
)",
             run_hash},
    verb_row{verb::tokens, "tokens", "PATH…", "the features of each document, and what each weighs", R"(
Prints the features of each document in the order in which they come first, one a line, with a tab and the
weight after each; with --top the heaviest first. An empty line stands between documents. With --format jsonl
a document is one record of id and tokens, which --jsonl --weighted-field tokens takes.
)",
             run_tokens},
    verb_row{verb::find, "find", "CLUE PATH…", "the documents that hold a sentence or two, or something near it",
             R"(
Prints the documents that hold the clue, a sentence or two, or something near it: those that hold most of it
first, equal ones in the order of the input. Text: the share of the clue's features that stand together in the
document, a tab, and the id. A clue that is shorter than a feature, such as a single word where features
are pairs of words, is looked for as a whole word. It reads the input once, and looks at every document.
)",
             run_find},
    verb_row{verb::index, "index", "PATH…", "an index file of the documents, to query or to add to", R"(
Writes an index of the documents to the file that --output names, for query.
With --index FILE it is that one's documents and these; the two files may be the same. The file is whole
when the program ends, or what was there before.
)",
             run_index},
    verb_row{verb::query, "query", "PATH…", "the near-duplicates of the documents in an index file", R"(
Prints the near-duplicates of the documents among those in an index file, in the order of the input.
Text: similarity, distance in bits, the document's id and the id in the index, with tabs between them. The
similarity is exact if the index was made with --keep-features; otherwise it is what the distance stands
for: the cosine, of min-wise codes the Jaccard similarity. What the fingerprints are made of is taken from
the index.
)",
             run_query},
    verb_row{verb::join, "join", "PATH…", "of many machines: the candidates between two shards, or in one", R"(
Writes to the file that --output names the pairs of documents whose fingerprints are near each other,
between two shards, or within one: each pair once. Of N shards the N * (N + 1) / 2 joins are tasks of
their own. The distance is that of the shards, which stands in their .features files; where these do
not lie beside them, --similarity or --distance has to be the same as for hash --shard.
)",
             run_join},
    verb_row{verb::verify, "verify", "PATH…", "of many machines: the candidates that are near-duplicates", R"(
Compares the candidates that join wrote by the features that lie beside their shards, and writes the
pairs that are near-duplicates to the file that --output names. Name the candidates and their shards (or
the .features files alone), in any order.
)",
             run_verify},
    verb_row{verb::merge, "merge", "PATH…", "of many machines: the groups in all shards", R"(
Prints the groups of near-duplicates in all shards, as groups does for all their texts at once: the same
bytes. Name all shards, and all files that verify wrote, in any order.
)",
             run_merge},
    verb_row{verb::manifest, "manifest", "PATH…", "of many machines: which files are whole, and what is missing", R"(
Prints which files of shards are whole, by their checksums, which are damaged or of shards that have
changed, and which tasks are missing; the last line is complete or incomplete. Name files or folders.
)",
             run_manifest},
    verb_row{verb::advise, "advise", "PATH…", "which options find the near-duplicates of these documents", R"(
Looks at the documents, and says which features, bits and distance find their near-duplicates.
It draws a sample of at most 2,000 documents, finds all their near-duplicates in the input exactly,
and works out which share of them each setup finds, and how many candidates it leaves to be checked.
Prints what the documents are like, the setups in a table, and the recommended one as a command.
Times are for comparing setups; they are not of this machine.
The input is read twice, standard input through a temporary file. Several text fields are joined by
line ends, so here a feature may span two of them. Of a text above 16 MB the first 16 MB count.
)",
             run_advise},
    verb_row{verb::report, "report", "PATH…", "the groups as a page for a browser, differences marked", R"(
Writes the groups of near-duplicates as one HTML page that needs nothing else: sizes, similarities, which
document each group is around and which others are in it, and what differs, side by side. It can be sorted
and filtered. Stretches that are equal are shortened. The input is read twice, standard input through a
temporary file.
)",
             run_report},
    verb_row{verb::diff, "diff", "A B", "what differs between two texts, in words", R"(
Prints the lines in which the texts of two files differ: [-words of A only-] and {+words of B only+}, or
in a terminal these in red and green. @@ -12 +14 @@ are the numbers of the next line in A and in B. Each
character of a script without spaces is a word. With --format jsonl one record per piece of the texts:
{"same": …}, {"removed": …} or {"added": …}.
)",
             run_diff},
};

// Short names for what the rows of the table hold; elsewhere they name classes and functions.
namespace table {

// Of which verbs an option is.
constexpr unsigned groups = bit_of(verb::groups), pairs = bit_of(verb::pairs), unique = bit_of(verb::unique),
                   hash = bit_of(verb::hash), tokens = bit_of(verb::tokens), find = bit_of(verb::find),
                   index = bit_of(verb::index), query = bit_of(verb::query), join = bit_of(verb::join),
                   verify = bit_of(verb::verify), merge = bit_of(verb::merge), manifest = bit_of(verb::manifest),
                   advise = bit_of(verb::advise), report = bit_of(verb::report), diff = bit_of(verb::diff);
constexpr unsigned comparing = groups | pairs | unique | report;
constexpr unsigned hashing = comparing | hash | index | query;
constexpr unsigned reading = hashing | tokens | find | advise;
constexpr unsigned combining = join | verify | merge | manifest;

// Sections of the help.
constexpr const char *input = "Input", *fingerprint = "Fingerprint", *comparison = "Comparison", *search = "Search",
                     *of_index = "Index", *shards = "Shards", *output = "Output";

constexpr const char* flag = nullptr;

constexpr std::array options_of_all{
    option_row{"--lines", flag, reading, input, "each line is a document (else each file is one)", usual::always},
    option_row{"--fingerprints", flag, hashing, input,
               "lists of fingerprints in place of texts, as hash --format bin writes them"},
    option_row{"--no-header", flag, hashing, input,
               "the lists have no header; --features and --bits say how they were made"},
    option_row{"--jsonl", flag, reading, input, "each line is a JSON object, a document", usual::always},
    option_row{"--text-field", "NAME…", reading, input, "its text (default: text); may be given several times",
               usual::with_verb},
    option_row{"--weighted-field", "NAME", hashing | tokens, input,
               "in place of a text: an array of its features with their weights, [[\"word\", 1.5], …]"},
    option_row{"--id-field", "NAME", reading, input, "its id, a string or a number (default: id, if it is there)"},
    option_row{"--include", "GLOB…", reading, input,
               "of the files in folders only these, by patterns as in .gitignore; several times: any of them",
               usual::always, "of the files in folders only these, as in .gitignore"},
    option_row{"--exclude", "GLOB…", reading, input, "not these files, and not what is in these folders", usual::always,
               "not these files and folders"},
    option_row{"--hidden", flag, reading, input, "hidden files and folders in folders, too: .name"},
    option_row{"--binary", flag, reading, input, "binary files in folders, too"},
    option_row{"--files-from", "FILE", reading, input,
               "read what this list names, a file or folder a line; -: from standard input", usual::with_verb,
               "read what this list names, one a line (-: standard input)"},
    option_row{"--null,-0", flag, reading, input, "the names in the list end with a zero byte, not with a line end"},
    option_row{"--skip-bad", flag, reading, input, "go on after bad input; the count is printed at the end",
               usual::with_verb},
    option_row{"--strict", flag, reading, input, "ill-formed UTF-8 and documents without tokens are errors"},

    option_row{"--features", "F", advise, fingerprint,
               "only these: words, words:N, chars:N of the normalised text, or bytes:N of the raw one (default: "
               "several)",
               usual::with_verb},
    option_row{"--features", "F", query, fingerprint,
               "of the fingerprints: has to be what the index is made of (default: that of the index)"},
    option_row{"--features", "F", reading & ~advise & ~query, fingerprint,
               "words, words:N, chars:N of the normalised text, bytes:N of the raw one, masked:words:N where numbers, "
               "dates and addresses are one word, zh:words or zh:keywords by a dictionary (default: --check-features "
               "where there is a check, else {features})",
               usual::always, "what is compared: words:N, chars:N, zh:words, … (default: {features})"},
    option_row{"--dictionary", "FILE", reading & ~advise, fingerprint,
               "of zh:words, in the format of jieba's dict.txt (default: that of Debian's python3-jieba)"},
    option_row{"--user-dictionary", "FILE", reading & ~advise, fingerprint,
               "more words, one a line: 'word' or 'word frequency', with a space"},
    option_row{"--model", "FOLDER", reading & ~advise, fingerprint,
               "jieba's model of unknown words (default: finalseg/ beside the dictionary)"},
    option_row{"--no-hmm", flag, reading & ~advise, fingerprint, "no such model: unknown words are single characters"},
    option_row{"--stop-words", "FILE", reading & ~advise, fingerprint, "words that do not count, one a line"},
    option_row{
        "--weights", "W", hashing | tokens, fingerprint,
        "unit: each distinct feature once (the default), tf, logtf, idf or tfidf; idf is learnt from the input in a "
        "first pass, unless --idf-file names it"},
    option_row{"--idf-file", "FILE", hashing | tokens, fingerprint, "idf from this file, lines of 'term value'"},
    option_row{"--top", "N", hashing | tokens, fingerprint,
               "only the N features of a document with the highest tfidf; of equal ones those of smaller bytes"},
    option_row{"--kind", "KIND", hashing, fingerprint,
               "simhash; minwise: one-bit min-wise codes of distinct features; or auto (the default): where "
               "--similarity chooses the distance the one that needs the smaller one, else simhash"},
    option_row{"--bits", "N", advise, fingerprint, "only this width: 64 or 128 (default: both)"},
    option_row{"--bits", "N", hashing, fingerprint, "32, 64, 128 or 256 (default: 64)"},
    option_row{"--seed", "N", hashing | advise, fingerprint, "of the hash, and of the sample of advise (default: 0)"},

    option_row{"--similarity", "S", advise, comparison,
               "near-duplicates have at least this exact Jaccard similarity, above 0 to 1 (default: {similarity})",
               usual::with_verb},
    option_row{
        "--similarity", "S", hashing, comparison,
        "near-duplicates have at least this exact Jaccard similarity, above 0 to 1: chooses all that is not given "
        "(default: {similarity}, unless --distance or --min-similarity is given), without a look at the "
        "documents; advise looks at them",
        usual::always, "near-duplicates have at least this Jaccard similarity (default: {similarity})"},
    option_row{"--similarity", "S", join, comparison,
               "chooses the distance, as for hash --shard (default: that of the shards; without their .features "
               "{similarity})",
               usual::with_verb},
    option_row{"--distance", "K", join, comparison,
               "candidates differ in at most K bits (default: that of the shards)"},
    option_row{"--check", "M", join, comparison, "the measure of --similarity, as for hash --shard"},
    option_row{"--recall", "R", advise, comparison, "the share of them that is to be found, 0 to 1 (default: {recall})",
               usual::with_verb},
    option_row{"--check-features", "F", advise, comparison, "what the similarity is about (default: {features})"},
    option_row{"--distance", "K", comparing, comparison,
               "candidates differ in at most K bits (default: enough to find 99 % of what is similar, 97 % by simhash, "
               "by theory; advise looks at the documents)"},
    option_row{"--blocks", "N", comparing | join, comparison,
               "blocks of the index: speed against memory, never the result (default: what is fast)"},
    option_row{"--min-similarity", "X", comparing, comparison,
               "check each candidate: exact similarity, 0 to 1 (default: --similarity)"},
    option_row{"--check", "M", comparing, comparison,
               "by which measure: jaccard of the features (the default), cosine of their weights, or edit: the edit "
               "distance of the normalised texts, by characters"},
    option_row{"--check-features", "F", comparing, comparison, "features for the check (default: --features)"},
    option_row{"--memory", "SIZE", comparing, comparison,
               "of a run, as 500M or 8G: features of the check that do not fit lie in a temporary file; 50 to 60 bytes "
               "for each document stay in memory in any case (default: half of the machine's)"},
    option_row{"--against", "PATH…", unique, comparison,
               "another corpus: drop what is near one of its documents. Texts as PATH has them, or a file of an index; "
               "several times: all of them",
               usual::with_verb},
    option_row{"--against", "PATH…", comparing & ~unique, comparison,
               "another corpus: only its near-duplicates among the documents of PATH. Texts as PATH has them, or a "
               "file of an index; several times: all of them",
               usual::with_verb},
    option_row{"--also-within", flag, comparing, comparison, "with --against: near-duplicates within PATH, too"},
    option_row{
        "--copies-once", flag, pairs, comparison,
        "of documents with the same features, only the first is paired with others; the rest with that one alone"},
    option_row{"--grouping", "G", comparing & ~pairs, comparison,
               "representatives: a group is one document and what is similar to it (the default); components: all that "
               "a chain of pairs connects, however far apart"},
    option_row{"--grouping", "G", merge, comparison, "representatives (the default) or components, as of groups"},
    option_row{"--keep", "WHICH", comparing & ~pairs, comparison,
               "which document of a group is kept, or which one it is around: first (the default), longest, or by a "
               "number in its JSON record highest:FIELD or lowest:FIELD. unique reads files twice; with all but first, "
               "and with --grouping components, standard input and pipes, too, through a temporary file",
               usual::with_verb, "first (default), longest, highest:FIELD, lowest:FIELD"},

    option_row{"--min-similarity", "X", find, search, "the least share of the clue, 0 to 1 (default: 0.5)"},
    option_row{"--most", "N", find, search, "at most N documents (default: 10)", usual::with_verb},

    option_row{"--index", "FILE", query, of_index, "where the documents are that are searched", usual::with_verb},
    option_row{"--index", "FILE", index, of_index, "add to the documents of this index", usual::with_verb},
    option_row{"--distance", "K", query, of_index, "within K bits (default: as many as the index answers)"},
    option_row{"--distance", "K", index, of_index,
               "the most bits that it answers (default: enough for --similarity; when adding, that of the index)"},
    option_row{"--min-similarity", "X", query, of_index,
               "check each candidate, 0 to 1 (default: --similarity); for an index with features only"},
    option_row{"--blocks", "N", index, of_index, "blocks of the index: speed against memory, never the result"},
    option_row{"--check-features", "F", index, of_index, "features that are kept (default: --features)"},
    option_row{"--keep-features", flag, index, of_index, "keep features, for exact similarities (4 bytes each)",
               usual::with_verb},
    option_row{"--no-verify", flag, index | query, of_index, "do not check the whole file first"},

    option_row{"--shard", "N", hash, shards,
               "of a corpus for many machines: the number of this part of it, from 0; writes the file that --output "
               "names"},
    option_row{"--keep-features", flag, hash, shards, "for verify and merge, in FILE.features"},
    option_row{"--distance", "K", hash, shards, "with --shard, as for groups"},
    option_row{"--min-similarity", "X", hash, shards, "with --shard, as for groups"},
    option_row{"--check", "M", hash, shards, "with --shard, as for groups"},
    option_row{"--check-features", "F", hash, shards, "with --shard, as for groups"},

    option_row{"--context", "N", diff, comparison, "equal lines around those that differ (default: 3)"},
    option_row{"--color", "WHEN", diff, output,
               "auto (the default): in a terminal, unless NO_COLOR is set; always; or never"},
    option_row{"--format", "F", hash, output, "text (default), jsonl, or bin: a list", usual::with_verb,
               "text (default) or jsonl"},
    option_row{"--format", "F", (reading | merge | diff) & ~(hash | report | index), output, "text (default) or jsonl",
               usual::with_verb},
    option_row{"--output", "FILE", index | join | verify, output, "the file that is written, whole or not at all",
               usual::always},
    option_row{"--output", "FILE", ~(index | join | verify), output,
               "write there, not to standard output, once all is done; .gz and .zst are compressed", usual::always,
               "write there; .gz and .zst are compressed"},
    option_row{"--dropped", "FILE", unique, output,
               "what is dropped: similarity, distance in bits, its id and the id of what stands for it, with tabs "
               "between them; JSON Lines with --jsonl. Written as --output is",
               usual::with_verb},
    option_row{"--exit-status", flag, comparing | query | find, output,
               "0 if something was found, 1 if nothing was (else 0 for both)", usual::with_verb},
    option_row{"--threads", "N", reading | combining, output, "default: all cores; never changes the result",
               usual::with_verb},
    option_row{"--quiet", flag, reading | combining, output,
               "no progress bar, no notes; errors and skipped input are still reported"},
    option_row{"--help,-h", flag, diff, output, "this text", usual::always},
    option_row{"--help,-h", flag, ~diff, output, "the options that most people need", usual::always},
    option_row{"--help-all", flag, diff, output, "the same", usual::always},
    option_row{"--help-all", flag, ~diff, output, "every option of a verb, the rules, more examples", usual::always},
    option_row{"--version", flag, ~diff, output, "the version"},
};

}  // namespace table

constexpr std::string_view rules_text = R"(Rules:
  A document's id is its path; PATH:LINE for a line; the id field of a JSON record, or PATH:LINE if it has none.
  Files in folders come in the order of their names. A file that is reached twice, by a link or by two arguments, is
  read once. Pipes, sockets and devices inside folders are left out, and unless asked for hidden files and folders
  (.name) and binary files (a zero byte in the first 32 KB); name them to have them read. What cannot be read in a
  folder, a link that leads nowhere or back, and the output are reported and skipped: the exit status is then 2.
  --include and --exclude take patterns as in .gitignore: a name, or with a / at the beginning or inside the path below
  the folder; dir/ is a folder with all that is in it. *, ? and [a-z] stay within a name, ** does not; {a,b} is either.
  Files that gzip or zstd compressed are unpacked, whatever they are called; --output packs by the name, .gz or .zst.
  Names and ids in text are printed with \\ for a backslash, \n, \r, \t and \x1b for control characters; jsonl has them
  as they are, but for what is no UTF-8.
  A JSON record is an object that has each text field, a string. Several text fields count together, but no feature
  goes from one into the next. If a key occurs twice, the last one counts. Blank lines are not records.
  A byte order mark and the end of a line are not part of a text.
  zh:words are the words of Chinese text, ASCII words and numbers among them, as jieba cuts the text as it stands;
  zh:keywords those of two characters and more that are not stop words. HTML is taken as text: strip it before.
  Ill-formed UTF-8 reads as U+FFFD; such documents, and documents without tokens, are counted and named at the end.
  A document without tokens is in no group and no pair. One with fewer than {tokens} distinct features is, without a
  check, a near-duplicate only of documents with the same features.
  Without --similarity, --distance and --min-similarity a run is one of --similarity {similarity}. --distance alone
  means no check: fingerprints alone decide.
  --weights idf without a file, --keep but first, --grouping components, report and advise read everything twice;
  standard input and pipes are copied to a temporary file (in TMPDIR, or /tmp) then. unique reads files twice.
  The check keeps features, 4 bytes each; what is above --memory lies in a temporary file, too.
  Exit status: 0 done; with --exit-status 1 if nothing was found; 2 wrong usage, bad input, something passed over, or
  output that could not be written.
)";

constexpr std::string_view examples = R"(
Examples:
  neardup docs/ --include '*.md'                           near-duplicates among the Markdown files of a folder
  neardup groups --similarity 0.6 docs/                    more changes allowed
  neardup pairs --distance 3 docs/                         quick and strict: by fingerprints alone
  neardup unique --jsonl corpus.jsonl > clean.jsonl        a corpus without close copies
  neardup unique --jsonl corpus.jsonl.gz --output clean.jsonl.zst
  find . -name '*.txt' -print0 | neardup groups -0 --files-from -
  neardup pairs --jsonl --text-field title --text-field body --format jsonl news.jsonl
  neardup pairs --lines --similarity 0.7 --check-features chars:2 poems.txt
  neardup hash --bits 128 *.txt
  neardup groups --features zh:words --dictionary dict.txt pages/             Chinese text
  neardup tokens --features words page.txt                 what a fingerprint is made of
  neardup unique --jsonl training.jsonl --against test.jsonl > clean.jsonl    without what is near the test set
  neardup report --jsonl corpus.jsonl --output groups.html                    to look at in a browser
  neardup diff old.txt new.txt
  neardup find "a sentence of the page" pages/             the pages that hold it, or nearly
  neardup index --keep-features --output pages.index pages/   documents in a file, for query
  neardup query --index pages.index new.txt                what is in it already
  neardup advise --similarity 0.7 --jsonl corpus.jsonl     which options are best for this corpus
)";

/// The same with defaults in place of their names in braces.
std::string with_defaults(std::string_view text) {
  std::string filled(text);
  for (const auto& [name, value] : {std::pair<std::string_view, std::string>("{features}", to_string(feature_choice{})),
                                    {"{recall}", number(advice_settings{}.recall)},
                                    {"{similarity}", number(neardup::default_similarity)},
                                    {"{tokens}", std::to_string(neardup::default_min_tokens)}}) {
    if (const std::size_t place = filled.find(name); place != filled.npos) filled.replace(place, name.size(), value);
  }
  return filled;
}

}  // namespace

std::span<const verb_row> all_verbs() { return verbs; }
std::span<const option_row> all_options() { return table::options_of_all; }

const verb_row* find_verb(std::string_view name) {
  const auto* const found = std::find_if(verbs.begin(), verbs.end(), [&](const verb_row& v) { return name == v.name; });
  return found == verbs.end() ? nullptr : found;
}

const verb_row& row_of(verb action) {
  return *std::find_if(verbs.begin(), verbs.end(), [&](const verb_row& v) { return action == v.action; });
}

std::string meant_by(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t min_beginning = 3;
  const auto longer =
      std::find_if(names.begin(), names.end(), [&](const std::string& n) { return n.starts_with(word); });
  if (word.size() >= min_beginning && longer != names.end()) return *longer;
  // One of four letters, at most three.
  std::size_t most = std::clamp<std::size_t>((word.size() + 3) / 4, 1, 3) + 1;
  std::string meant;
  for (const std::string& name : names) {
    const auto distance = neardup::edit_distance(word, name, most);
    if (!distance || *distance == most) continue;
    most = *distance;
    meant = name;
  }
  return meant;
}

std::string hint_at_verbs(std::string_view word) {
  std::vector<std::string> names;
  std::string list;
  for (const verb_row& v : verbs) {
    list += names.empty() ? "" : &v == &verbs.back() ? " and " : ", ";
    list += names.emplace_back(v.name);
  }
  const std::string meant = meant_by(word, names);
  return meant.empty() ? "verbs are " + list : "did you mean " + meant + "?";
}

std::string wrapped(std::string_view text, std::size_t width) {
  const std::string filled = with_defaults(text);
  std::string lines;
  std::size_t used = 0;
  for (std::string_view rest = filled; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const bool fits = used + 1 + code_points(word) <= width;
    if (!lines.empty()) lines += fits ? ' ' : '\n';
    used = (fits && !lines.empty() ? used + 1 : 0) + code_points(word);
    lines += word;
  }
  return lines;
}

std::string list_of_verbs() {
  constexpr std::size_t column = 24;
  std::string text = "\nVerbs (the first argument):\n";
  for (const verb_row& v : verbs) {
    std::string name = v.name;
    name.resize(column, ' ');
    text += "  " + name + v.summary + "\n";
  }
  return text + "  neardup VERB --help     what a verb prints, and the options that most people need\n";
}

std::string rules() { return with_defaults(rules_text); }

std::string all_examples() { return std::string(examples); }

std::string examples_of(std::string_view verb) {
  constexpr int most = 3;
  std::string found;
  int count = 0;
  for (std::string_view rest(examples); !rest.empty() && count < most;) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    if (line.find("neardup " + std::string(verb) + ' ') == line.npos) continue;
    found += line;
    ++count;
  }
  return found.empty() ? found : "\nExamples:\n" + found;
}

}  // namespace command
