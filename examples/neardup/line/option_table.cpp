#include "option_table.hpp"

#include <array>

namespace command {

namespace {

constexpr std::array options_of_groups{
    option_row{"--lines", flag, takes::texts, section::input, "each line is a document (else each file is one)",
               usual::always},
    option_row{"--fingerprints", flag, takes::fingerprints, section::input,
               "lists of fingerprints in place of texts, as hash --format bin writes them"},
    option_row{"--no-header", flag, takes::fingerprints, section::input,
               "the lists have no header; --features and --bits say how they were made"},
    option_row{"--jsonl", flag, takes::texts, section::input, "each line is a JSON object, a document", usual::always},
    option_row{
        "--input-format", "F", takes::texts, section::input,
        "text (the default), lines, jsonl; csv or tsv: each row of a table with a header is a document; warc: each "
        "text of a crawl, WET files among them; mail: each message, of a file (.eml) or of a mail box (mbox); codes: "
        "each line is a hexadecimal code and an id, with blanks between "
        "them; auto: what the name or the first bytes of each file say",
        usual::with_verb, "csv, tsv, warc, mail, codes, or auto: what each file is"},
    option_row{
        "--encoding", "NAME", takes::texts, section::input,
        "of the texts, if it is not UTF-8: GB18030, BIG5, SHIFT_JIS, EUC-KR, WINDOWS-1252 … as iconv names them; what "
        "unique copies stays as it is"},
    option_row{"--mail", "WHAT", takes::texts, section::input,
               "of a mail what its author wrote (own, the default), or all: quoted text, too"},
    option_row{
        "--text-field", "NAME…", takes::texts, section::input,
        "its text (default: text); may be given several times. doc.text and /doc/text/0, a JSON pointer, name what "
        "lies within a field, and messages[*].content all turns of a chat",
        usual::with_verb, "its text (default: text), as doc.text within a field, or messages[*].content"},
    option_row{"--weighted-field", "NAME", takes::weights, section::input,
               "in place of a text: an array of its features with their weights, [[\"word\", 1.5], …]"},
    option_row{"--code-field", "NAME", takes::codes, section::input,
               "in place of a text: a code in hexadecimal digits, up to 1,024 bits, as other programs make them of "
               "pictures, audio and video. Codes are near-duplicates by --distance alone"},
    option_row{"--id-field", "NAME", takes::texts, section::input,
               "its id, a string or a number (default: id, if it is there)"},
    option_row{"--include", "GLOB…", takes::texts, section::input,
               "of the files in folders only these, by patterns as in .gitignore; several times: any of them",
               usual::always, "of the files in folders only these, as in .gitignore"},
    option_row{"--exclude", "GLOB…", takes::texts, section::input, "not these files, and not what is in these folders",
               usual::always, "not these files and folders"},
    option_row{"--hidden", flag, takes::texts, section::input, "hidden files and folders in folders, too: .name"},
    option_row{"--binary", flag, takes::texts, section::input, "binary files and other formats, as bytes"},
    option_row{"--files-from", "FILE", takes::texts, section::input,
               "read what this list names, a file or folder a line; -: from standard input", usual::with_verb,
               "read what this list names, one a line (-: standard input)"},
    option_row{"--null,-0", flag, takes::texts, section::input,
               "the names in the list end with a zero byte, not with a line end"},
    option_row{"--skip-bad", flag, takes::texts, section::input,
               "go on after bad input; the count is printed at the end", usual::with_verb},
    option_row{"--strict", flag, takes::texts, section::input,
               "documents with ill-formed characters, or without tokens, are errors"},
    option_row{
        "--features", "F", takes::features, section::fingerprint,
        "words, words:N, chars:N of the normalised text, bytes:N of the raw one, masked:words:N where numbers, "
        "dates and addresses are one word, canonical:words:N and canonical:chars:N where it does not matter how "
        "characters are spelt, letters:N of the text without spaces, longest:N, the N longest sentences, code:N of "
        "source code, spaced:words:N, words as white space parts them, zh:words or zh:keywords by a dictionary; "
        "counted: before any but the last two: each occurrence counts "
        "(default: --check-features if that is given, else {features})",
        usual::always, "what is compared: words:N, chars:N, zh:words, … (default: {features})"},
    option_row{"--dictionary", "FILE", takes::dictionary, section::fingerprint,
               "of zh:words, in the format of jieba's dict.txt (default: that of Debian's python3-jieba)"},
    option_row{"--user-dictionary", "FILE", takes::dictionary, section::fingerprint,
               "more words, one a line: 'word' or 'word frequency', with a space"},
    option_row{"--model", "FOLDER", takes::dictionary, section::fingerprint,
               "jieba's model of unknown words (default: finalseg/ beside the dictionary)"},
    option_row{"--no-hmm", flag, takes::dictionary, section::fingerprint,
               "no such model: unknown words are single characters"},
    option_row{"--stop-words", "FILE", takes::dictionary, section::fingerprint,
               "words that do not count, one a line; zh: a list of Chinese ones that is built in (./zh is a file)"},
    option_row{"--fold-chinese", flag, takes::dictionary, section::fingerprint,
               "traditional and simplified Chinese characters are one, by the tables of OpenCC (Debian: libopencc1.1)"},
    option_row{
        "--weights", "W", takes::weights, section::fingerprint,
        "unit: each distinct feature once (the default), tf, logtf, idf or tfidf; idf is learnt from the input in a "
        "first pass, unless --idf-file names it. levels:N: tf in levels 1 to N by its size, quantiles:N by its rank; "
        "levels:N:W of other weights"},
    option_row{"--idf-file", "FILE", takes::weights, section::fingerprint, "idf from this file, lines of 'term value'"},
    option_row{"--top", "N", takes::weights, section::fingerprint,
               "only the N features of a document with the highest tfidf, whatever --weights gives them; of equal ones "
               "those of smaller bytes"},
    option_row{
        "--kind", "KIND", takes::fingerprints, section::fingerprint,
        "simhash; minwise: one-bit min-wise codes of distinct features; or auto, which holds where none is named, "
        "too: where --similarity chooses the distance the one that needs the smaller one, else simhash. Where "
        "documents are compared, naming any takes candidates by fingerprints"},
    option_row{"--bits", "N", takes::fingerprints, section::fingerprint,
               "32, 64, 128 or 256 (default of fingerprints: 64); of codes any number of whole bytes up to 1024"},
    option_row{"--seed", "N", takes::seed, section::fingerprint,
               "of the hash, and of the sample of advise (default: 0)"},
    option_row{
        "--similarity", "S", takes::fingerprints, section::comparison,
        "near-duplicates have at least this exact Jaccard similarity, above 0 to 1: chooses all that is not given "
        "(default: {similarity}, unless --distance or --min-similarity is given), without a look at the "
        "documents; advise looks at them",
        usual::always, "near-duplicates have at least this Jaccard similarity (default: {similarity})"},
    option_row{
        "--exact", flag, takes::exact, section::comparison,
        "miss nothing: candidates by features. That is the default, unless --distance, --kind, --bits or --blocks asks "
        "for fingerprints, --weights or --top needs them, or an index has nothing else; with it, what would miss a "
        "pair is refused"},
    option_row{"--distance", "K", takes::comparison, section::comparison,
               "candidates by fingerprints, which differ in at most K bits (default where fingerprints are compared: "
               "enough to "
               "find 99 % of what is similar, 97 % by simhash, by theory; advise looks at the documents)"},
    option_row{"--blocks", "N", takes::blocks, section::comparison,
               "compare fingerprints, by an index of N blocks: speed against memory (default: what is fast)"},
    option_row{"--min-similarity", "X", takes::comparison, section::comparison,
               "check each candidate: exact similarity, 0 to 1 (default: --similarity)"},
    option_row{"--check", "M", takes::comparison, section::comparison,
               "by which measure: jaccard of the features (the default), cosine of their weights, or edit: the edit "
               "distance of the normalised texts, by characters. groups, unique, pairs and report have containment, "
               "too: the share of the features of the smaller text, and at least {contained}, that the larger one "
               "has. It is always exact, and the text stays that holds the others"},
    option_row{
        "--check-features", "F", takes::comparison, section::comparison,
        "features that are compared, where the fingerprints have others (default: --features if that is given, else "
        "{features})"},
    option_row{
        "--same", "WHAT…", takes::same, section::comparison,
        "near-duplicates have the same numbers: all that is written in digits, each as often (numbers); or the same of "
        "the words in a file, one a line (words:FILE); several times: all of it. Texts that differ in these are not "
        "alike, however similar they are"},
    option_row{"--within", "FIELD", takes::pairing, section::comparison,
               "compare only records that have the same value in this field, a text or a number, such as language"},
    option_row{"--across", "FIELD", takes::pairing, section::comparison,
               "compare only records that have different values in this field, such as split"},
    option_row{
        "--memory", "SIZE", takes::comparison, section::comparison,
        "of a run, as 500M or 8G: features of the check that do not fit lie in a temporary file; for each document "
        "up to 460 bytes stay in memory in any case, by fingerprints 50 to 60 (default: half of what the machine has, "
        "or of "
        "what a container or ulimit leaves)"},
    option_row{"--against", "PATH…", takes::far_from_against, section::comparison,
               "another corpus: drop what is near one of its documents. Texts as PATH has them, or a file of an index; "
               "several times: all of them",
               usual::with_verb, "another corpus, or an index: drop what is near one of its documents"},
    option_row{"--against", "PATH…", takes::near_against, section::comparison,
               "another corpus: only its near-duplicates among the documents of PATH. Texts as PATH has them, or a "
               "file of an index; several times: all of them",
               usual::with_verb},
    option_row{"--also-within", flag, takes::comparison, section::comparison,
               "with --against: near-duplicates within PATH, too"},
    option_row{
        "--copies-once", flag, takes::copies, section::comparison,
        "of documents with the same features, only the first is paired with others; the rest with that one alone"},
    option_row{"--grouping", "G", takes::grouping, section::comparison,
               "representatives: a group is one document and what is similar to it (the default); components: all that "
               "a chain of pairs connects, however far apart"},
    option_row{"--keep", "WHICH", takes::grouping, section::comparison,
               "which document of a group is kept, or which one it is around: first (the default), longest, or by a "
               "field of its record highest:FIELD or lowest:FIELD: numbers, after these texts by their bytes, such as "
               "dates, and last NaN. unique reads files twice; with all but first, "
               "and with --grouping components, it also reads standard input and pipes twice, through a temporary file",
               usual::with_verb, "first (default), longest, highest:FIELD, lowest:FIELD"},
    option_row{"--no-verify", flag, takes::verification, section::index, "do not check the whole file first"},
    option_row{"--format", "F", takes::format, section::output, "text (default) or jsonl", usual::with_verb},
    option_row{"--output", "FILE", takes::saved_output, section::output,
               "the file that is written, whole or not at all", usual::always},
    option_row{"--output", "FILE", takes::output, section::output,
               "write there, not to standard output, once all is done; .gz and .zst are compressed", usual::always,
               "write there; .gz and .zst are compressed"},
    option_row{"--dropped", "FILE", takes::far_from_against, section::output,
               "what is dropped: similarity, distance in bits, its id and the id of what stands for it, with tabs "
               "between them; JSON Lines with --jsonl. Written as --output is",
               usual::with_verb, "what is dropped, and what stands for it"},
    option_row{"--dropped-records", "FILE", takes::far_from_against, section::output,
               "the records that are dropped, byte for byte, as those that are kept are printed"},
    option_row{"--by", "WHAT", takes::grouping, section::output,
               "count what goes by its source, on standard error: field:NAME of a record, host (of its id, a URL), "
               "host:NAME (of a field), folder or file, of mail sender or thread; and warn where a source loses more "
               "than half, or one group stands "
               "for more than a tenth of all that goes",
               usual::no},
    option_row{"--exit-status", flag, takes::exit_status, section::output,
               "0 if something was found, 1 if nothing was (else 0 for both)"},
    option_row{"--threads", "N", takes::running, section::output, "default: all cores; never changes the result",
               usual::with_verb},
    option_row{"--quiet", flag, takes::running, section::output,
               "no progress bar, no notes; errors and skipped input are still reported"},
    option_row{"--help,-h", flag, takes::short_help, section::output, "this text", usual::always},
    option_row{"--help,-h", flag, takes::help, section::output, "the options that most people need", usual::always},
    option_row{"--help-all", flag, takes::short_help, section::output, "the same", usual::always},
    option_row{"--help-all", flag, takes::help, section::output, "every option of a verb, the rules, more examples",
               usual::always},
    option_row{"--version", flag, takes::help, section::output, "the version"},
};

}  // namespace

std::span<const option_row> shared_options() { return options_of_groups; }

std::vector<option_row> options_of(const verb& chosen) {
  std::vector<option_row> rows;
  for (const char* const part : {section::input, section::fingerprint, section::comparison, section::search,
                                 section::index, section::machines, section::output}) {
    const auto is_here = [&](const option_row& row) { return row.section == std::string_view(part); };
    for (const option_row& row : chosen.own) {
      if (is_here(row)) rows.push_back(row);
    }
    for (const option_row& row : options_of_groups) {
      if (is_here(row) && (row.of & chosen.groups) != 0) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace command
