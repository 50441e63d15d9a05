#include "help.hpp"

#include <algorithm>
#include <neardup/dedup/checks.hpp>
#include <neardup/edits/edit_distance.hpp>
#include <neardup/index/match.hpp>
#include <neardup/index/recall.hpp>
#include <neardup/text/feature_choice.hpp>
#include <neardup/threshold.hpp>
#include <utility>

#include "../ground/text.hpp"

namespace command {

namespace {

constexpr std::string_view rules_text = R"(Rules:
  The id of a document is its path. The id of a line is PATH:LINE. The id of a JSON record is its id field, or PATH:LINE
  if it has none.
  Files in folders come in the order of their names. A file that is reached twice, by a symbolic link or by two
  arguments, is read once. Hard links are files of their own. Pipes, sockets and devices inside folders are left out.
  Hidden files and folders (.name) and binary files (a zero byte in the first 32 KB) are left out, too, unless you ask
  for them. To read such a file, name it. Some paths in a folder cannot be read: a file without permission, a link that
  leads nowhere or back, and the output. They are reported and skipped, and the exit status is then 2.
  --include and --exclude take patterns as in .gitignore. A pattern without a / is a name. With a / at the beginning or
  inside, it is a path below the folder. dir/ is a folder with everything in it. *, ? and [a-z] stay within a name, and
  ** does not. {a,b} is either of both.
  Files that gzip or zstd compressed are unpacked, whatever their names are. --output compresses if the name ends with
  .gz or .zst.
  In text output, names and ids have \\ for a backslash, and \n, \r, \t and \x1b for control characters. In jsonl
  they are unchanged, except for bytes that are not UTF-8.
  A JSON record is an object that has each text field. A text field is a string, or an array of strings, which are the
  lines of one text. Several text fields are compared together, but no feature reaches from one into the next. If a key
  occurs twice, the last one counts. Blank lines are not records. A field is named by its key. If there is no such key,
  it is named by its path: doc.text, messages.0.content, or the JSON pointer /messages/0/content.
  A byte order mark and the end of a line are not part of a text.
  zh:words are the words of Chinese text as jieba cuts it, with ASCII words and numbers. zh:keywords are those of two
  characters and more that are not stop words. HTML is not removed: remove it before.
  Bytes that are ill-formed in their encoding are read as U+FFFD. The end of a run counts such documents and documents
  without tokens, and names the first one. With --strict they are bad input.
  A document without tokens is in no group and no pair. Without a check, a document with fewer than {tokens} distinct
  features is a near-duplicate only of documents with the same features.
  Without --similarity, --distance and --min-similarity, the similarity is {similarity}. --distance alone means no check:
  only fingerprints decide. query checks by the features that its index keeps.
  unique reads files twice. report, advise, and --weights idf without a file read everything twice. unique does so, too,
  with a --keep other than first, or with --grouping components. Then standard input and pipes are copied to a temporary
  file (in TMPDIR, or /tmp).
  The check keeps features, 4 bytes each. What is above --memory is kept in a temporary file, too.
  Exit status: 0 if all is done. With --exit-status, 1 if nothing was found. 2 for wrong usage, bad input, something
  that was skipped, or output that could not be written.
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
  neardup passages --length 50 --jsonl corpus.jsonl        the runs of 50 words and more that occur earlier
  neardup diff old.txt new.txt
  neardup find "a sentence of the page" pages/             the pages that hold it, or nearly
  neardup index --output pages.index pages/                   documents in a file, for query
  neardup query --index pages.index new.txt                what is in it already
  neardup advise --similarity 0.7 --jsonl corpus.jsonl     which features fit, and what the run takes
)";

/// Replaces names in braces, such as {similarity}, by default values.
std::string with_defaults(std::string_view text) {
  std::string filled(text);
  for (const auto& [name, value] :
       {std::pair<std::string_view, std::string>("{features}", to_string(neardup::feature_choice{})),
        {"{recall}", number(neardup::default_recall(neardup::fingerprint_kind::minwise))},
        {"{similarity}", number(neardup::default_similarity)},
        {"{contained}", std::to_string(neardup::default_min_contained)},
        {"{tokens}", std::to_string(neardup::default_min_tokens)}}) {
    if (const std::size_t place = filled.find(name); place != filled.npos) filled.replace(place, name.size(), value);
  }
  return filled;
}

}  // namespace

const verb* verb_called(verb_table verbs, std::string_view name) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const verb* v) { return name == v->name; });
  return found == verbs.end() ? nullptr : *found;
}

std::string meant_by(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t min_beginning = 3;
  const auto longer =
      std::find_if(names.begin(), names.end(), [&](const std::string& n) { return n.starts_with(word); });
  if (word.size() >= min_beginning && longer != names.end()) return *longer;
  // A quarter of the letters may differ, rounded up, but at most three letters.
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

std::string hint_at_verbs(verb_table verbs, std::string_view word) {
  std::vector<std::string> names;
  std::string list;
  for (const verb* const v : verbs) {
    list += names.empty() ? "" : v == verbs.back() ? " and " : ", ";
    list += names.emplace_back(v->name);
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

std::string list_of_verbs(verb_table verbs) {
  constexpr std::size_t column = 24;
  std::string text = "\nVerbs (the first argument):\n";
  for (const verb* const v : verbs) {
    std::string name = v->name;
    name.resize(column, ' ');
    text += "  " + name + v->summary + "\n";
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
