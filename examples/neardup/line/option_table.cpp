#include "option_table.hpp"

#include <array>

namespace command {

namespace {

constexpr std::array options_of_groups{
    option_row{"--lines", flag, takes::texts, section::input,
               "each line is a document. Without this option, each file is a document", usual::always,
               "each line is a document (else each file is one)"},
    option_row{"--fingerprints", flag, takes::fingerprints, section::input,
               "the input is lists of fingerprints, as hash --format bin writes them, not texts"},
    option_row{"--no-header", flag, takes::fingerprints, section::input,
               "the lists of fingerprints have no header. --features and --bits say how they were made"},
    option_row{"--jsonl", flag, takes::texts, section::input, "each line is a JSON object, a document", usual::always},
    option_row{
        "--input-format", "F", takes::texts, section::input,
        "text (the default), lines or jsonl. csv or tsv: each row of a table with a header is a document. warc: each "
        "text of a crawl is a document, also in WET files. mail: each message is a document, in a file (.eml) or in a "
        "mail box (mbox). codes: each line has a hexadecimal code and an id, with blanks between them. auto: the name "
        "or the first bytes of each file decide",
        usual::with_verb, "csv, tsv, warc, mail, codes, or auto: what each file is"},
    option_row{"--encoding", "NAME", takes::texts, section::input,
               "the encoding of the texts, if it is not UTF-8: GB18030, BIG5, SHIFT_JIS, EUC-KR, WINDOWS-1252 … The "
               "name is a label of the WHATWG Encoding Standard, as in web pages, or a name that iconv knows. unique "
               "prints the texts that it keeps in their own encoding, but UTF-16 as UTF-8"},
    option_row{"--mail", "WHAT", takes::texts, section::input,
               "which text of a mail is read. own (the default): only what its author wrote. all: quoted text, too"},
    option_row{
        "--text-field", "NAME…", takes::texts, section::input,
        "the field that has the text (default: text). Give the option several times to read several fields. doc.text, "
        "or the JSON pointer /doc/text/0, is a field within a field. messages[*].content is all turns of a chat",
        usual::with_verb, "its text (default: text), as doc.text within a field, or messages[*].content"},
    option_row{"--weighted-field", "NAME", takes::weights, section::input,
               "a record has no text, but features with weights in this field: [[\"word\", 1.5], …]"},
    option_row{"--code-field", "NAME", takes::codes, section::input,
               "a record has no text, but a code in this field: hexadecimal digits, up to 1,024 bits. Other programs "
               "make such codes of pictures, audio and video. Only --distance says which codes are near-duplicates"},
    option_row{"--id-field", "NAME", takes::texts, section::input,
               "the field that has the id, a string or a number (default: id, if a record has this field)"},
    option_row{"--include", "GLOB…", takes::texts, section::input,
               "read only these files in folders. Patterns are those of .gitignore. If the option is given several "
               "times, a file has to match one of the patterns",
               usual::always, "of the files in folders only these, as in .gitignore"},
    option_row{"--exclude", "GLOB…", takes::texts, section::input,
               "do not read these files, and no files in these folders", usual::always, "not these files and folders"},
    option_row{"--hidden", flag, takes::texts, section::input,
               "also read hidden files and folders (.name) that are in folders"},
    option_row{"--binary", flag, takes::texts, section::input,
               "also read binary files and files of other formats, as bytes"},
    option_row{
        "--files-from", "FILE", takes::texts, section::input,
        "read the files and folders that this list names, one on each line. -: read the list from standard input",
        usual::with_verb, "read what this list names, one a line (-: standard input)"},
    option_row{"--null,-0", flag, takes::texts, section::input,
               "each name in the list ends with a zero byte, not with a line end"},
    option_row{"--skip-bad", flag, takes::texts, section::input,
               "go on after bad input. The end of the run prints how much was skipped", usual::with_verb,
               "go on after bad input; the count is printed at the end"},
    option_row{"--strict", flag, takes::texts, section::input,
               "a document with ill-formed characters, or without tokens, is an error"},
    option_row{
        "--features", "F", takes::features, section::features,
        "what the documents are compared by. words: words of the normalised text. words:N: N words in a row. chars:N: "
        "N characters of the normalised text. bytes:N: N bytes of the text as it is. masked:words:N: numbers, dates "
        "and addresses count as one word. canonical:words:N and canonical:chars:N: the spelling of characters does "
        "not matter. letters:N: N characters without the spaces. longest:N: the N longest sentences. code:N: N tokens "
        "of source code. spaced:words:N: words are what is between white space. zh:words or zh:keywords: Chinese "
        "words by a dictionary. counted:F, such as counted:words:2, counts each occurrence of a feature; F is any of "
        "these but zh:words and zh:keywords (default: the value of --check-features if it is given, else {features})",
        usual::always, "what is compared: words:N, chars:N, zh:words, … (default: {features})"},
    option_row{"--dictionary", "FILE", takes::dictionary, section::features,
               "the dictionary for zh:words, in the format of jieba's dict.txt (default: that of Debian's package "
               "python3-jieba)"},
    option_row{"--user-dictionary", "FILE", takes::dictionary, section::features,
               "further words, one on each line: 'word' or 'word frequency', with a space"},
    option_row{"--model", "FOLDER", takes::dictionary, section::features,
               "jieba's model of unknown words (default: finalseg/ beside the dictionary)"},
    option_row{"--no-hmm", flag, takes::dictionary, section::features,
               "do not use a model of unknown words. Unknown words are then single characters"},
    option_row{"--stop-words", "FILE", takes::dictionary, section::features,
               "words that do not count, one on each line. zh: the built-in list of Chinese stop words. To name a file "
               "zh, write ./zh"},
    option_row{"--fold-chinese", flag, takes::dictionary, section::features,
               "traditional and simplified Chinese characters count as the same, by the tables of OpenCC (Debian's "
               "package libopencc1.1)"},
    option_row{
        "--weights", "W", takes::weights, section::fingerprint,
        "the weights of the features in a fingerprint. unit (the default): each distinct feature counts once. tf, "
        "logtf, idf or tfidf: a first pass learns idf from the input, unless --idf-file is given. levels:N: tf in "
        "levels 1 to N by its size. quantiles:N: tf in levels by its rank. levels:N:W and quantiles:N:W: levels of "
        "the weights W"},
    option_row{"--idf-file", "FILE", takes::weights, section::fingerprint,
               "read idf from this file, which has lines of 'term value'"},
    option_row{"--top", "N", takes::weights, section::fingerprint,
               "use only the N features of a document that have the highest tfidf, whatever --weights says. Of equal "
               "ones, use those with smaller bytes"},
    option_row{
        "--kind", "KIND", takes::fingerprints, section::fingerprint,
        "the kind of fingerprints. simhash. minwise: one-bit min-wise codes of the distinct features. auto (the "
        "default): if --similarity chooses the distance, the kind that needs the smaller distance, else simhash. Where "
        "documents are compared, this option, with any value, finds candidates by fingerprints, which may miss pairs"},
    option_row{"--bits", "N", takes::fingerprints, section::fingerprint,
               "the bits of a fingerprint: 32, 64, 128 or 256 (default: 64). Codes may have any number of whole bytes, "
               "up to 1024 bits"},
    option_row{"--seed", "N", takes::seed, section::fingerprint,
               "the seed of the hash, and of the sample of advise (default: 0)"},
    option_row{
        "--similarity", "S", takes::similarity, section::comparison,
        "near-duplicates have at least this exact Jaccard similarity, above 0 to 1 (default: {similarity}, unless "
        "--distance or --min-similarity is given). This value chooses all settings that are not given, without a look "
        "at the documents. advise looks at the documents",
        usual::always, "near-duplicates have at least this Jaccard similarity (default: {similarity})"},
    option_row{
        "--exact", flag, takes::exact, section::comparison,
        "miss no pair: find candidates by features, and refuse options that can miss a pair. A run misses no pair by "
        "default, too. It finds candidates by fingerprints only if --distance, --kind, --bits or --blocks asks for "
        "that, if --weights or --top needs it, or if an index has only fingerprints"},
    option_row{"--distance", "K", takes::comparison, section::comparison,
               "candidates are documents whose fingerprints differ in at most K bits (default, if fingerprints are "
               "compared: enough to find 99 % of the similar pairs, 97 % by simhash. Theory gives these shares; advise "
               "looks at the documents)"},
    option_row{
        "--blocks", "N", takes::blocks, section::comparison,
        "compare fingerprints by an index of N blocks. The number changes speed and memory (default: the fastest)"},
    option_row{"--min-similarity", "X", takes::comparison, section::comparison,
               "check that each candidate has at least this exact similarity, 0 to 1 (default: --similarity)"},
    option_row{"--check", "M", takes::comparison, section::comparison,
               "the measure of similarity. jaccard of the features (the default). cosine of their weights. edit: the "
               "edit distance of the normalised texts, in characters. containment, for groups, unique, pairs and "
               "report: the share of the smaller text's features that the larger text has, and at least {contained} "
               "features. With containment, a run misses no pair, and the larger text is kept"},
    option_row{
        "--check-features", "F", takes::comparison, section::comparison,
        "the features whose similarity is checked, if the fingerprints are made of others (default: --features if it "
        "is given, else {features})"},
    option_row{
        "--same", "WHAT…", takes::same, section::comparison,
        "near-duplicates must also have the same words of this kind, each as often. numbers: everything that is "
        "written in digits. words:FILE: the words in a file, one on each line. If the option is given several times, "
        "all of them must be the same"},
    option_row{"--within", "FIELD", takes::pairing, section::comparison,
               "compare only records that have the same value in this field, such as language. A value is a string, a "
               "number, true or false",
               usual::with_verb, "compare only records that have the same value in this field"},
    option_row{"--across", "FIELD", takes::pairing, section::comparison,
               "compare only records that have different values in this field, such as split", usual::with_verb,
               "compare only records that have different values in this field"},
    option_row{
        "--memory", "SIZE", takes::comparison, section::comparison,
        "the memory for documents and features, as 500M or 8G; the process takes more. Features that do not fit are "
        "kept in a temporary file. For each document up to 460 bytes stay in memory in any case, or 50 to 60 bytes by "
        "fingerprints (default: half of the machine's memory, or of what a container or ulimit leaves)"},
    option_row{"--against", "PATH…", takes::far_from_against, section::comparison,
               "another corpus, or a file of an index. Documents of the input that are near one of its documents are "
               "dropped. The corpus is read as PATH is. If the option is given several times, all of them count",
               usual::with_verb, "another corpus, or an index: drop what is near one of its documents"},
    option_row{
        "--against", "PATH…", takes::near_against, section::comparison,
        "another corpus, or a file of an index. Pairs have one document of the input and one of this corpus. The "
        "corpus is read as PATH is. If the option is given several times, all of them count",
        usual::with_verb, "another corpus, or an index: pairs of one of its documents and one of PATH"},
    option_row{"--also-within", flag, takes::comparison, section::comparison,
               "with --against: also compare the documents of PATH with one another. Without it, they are compared "
               "only with the other corpus"},
    option_row{
        "--copies-once", flag, takes::copies, section::comparison,
        "of documents with the same features, pair only the first with other documents. Pair the rest with the first"},
    option_row{"--grouping", "G", takes::grouping, section::comparison,
               "representatives (the default): a group is one document and the documents that are similar to it. "
               "components: a group is everything that a chain of pairs connects, also if its ends are not similar"},
    option_row{
        "--keep", "WHICH", takes::grouping, section::comparison,
        "which document of a group is kept, or stands for the group: first (the default), longest, highest:FIELD "
        "or lowest:FIELD. FIELD is a field of the record. Numbers come before strings, which are compared by "
        "their bytes, as dates are. NaN comes last. unique reads files twice. With a value other than first, "
        "or with --grouping components, it copies standard input and pipes to a temporary file",
        usual::with_verb, "first (default), longest, highest:FIELD, lowest:FIELD"},
    option_row{"--no-verify", flag, takes::verification, section::index, "do not check the whole file first"},
    option_row{"--format", "F", takes::format, section::output, "text (default) or jsonl", usual::with_verb},
    option_row{"--output", "FILE", takes::saved_output, section::output,
               "the file to write. It is written whole or not at all", usual::always},
    option_row{"--output", "FILE", takes::output, section::output,
               "write to this file instead of standard output, when everything is done. If the name ends with .gz or "
               ".zst, the file is compressed",
               usual::always, "write there; .gz and .zst are compressed"},
    option_row{"--dropped", "FILE", takes::far_from_against, section::output,
               "write a line for each dropped document: similarity, distance in bits, its id, and the id of the "
               "document that stands for it, with tabs between them. With --jsonl the lines are JSON. The file is "
               "written as --output is",
               usual::with_verb, "what is dropped, and what stands for it"},
    option_row{"--dropped-records", "FILE", takes::far_from_against, section::output,
               "write the dropped records, byte for byte, in the form of the records that are kept"},
    option_row{"--by", "WHAT", takes::grouping, section::output,
               "count the dropped documents of each source, on standard error. The source is field:NAME of a record, "
               "host (of the id, a URL), host:NAME (of a field), folder or file; of mail also sender or thread. A "
               "source that loses more than half of its documents, and a group that stands for more than a tenth of "
               "all dropped documents, cause a warning",
               usual::no},
    option_row{"--exit-status", flag, takes::exit_status, section::output,
               "the exit status is 0 if something was found, and 1 if nothing was found (else 0 for both)"},
    option_row{"--threads", "N", takes::running, section::output,
               "the number of threads (default: all cores). It never changes the result", usual::with_verb,
               "default: all cores; never changes the result"},
    option_row{"--quiet", flag, takes::running, section::output,
               "print no progress bar and no notes. Errors and skipped input are still reported"},
    option_row{"--help,-h", flag, takes::short_help, section::output, "print this text", usual::always},
    option_row{"--help,-h", flag, takes::help, section::output, "print the options that most people need",
               usual::always},
    option_row{"--help-all", flag, takes::short_help, section::output, "print the same text", usual::always},
    option_row{"--help-all", flag, takes::help, section::output,
               "print all options of a verb, the rules, and more examples", usual::always,
               "print all options, rules and examples"},
    option_row{"--version", flag, takes::help, section::output, "print the version"},
};

}  // namespace

std::span<const option_row> shared_options() { return options_of_groups; }

std::vector<option_row> options_of(const verb& chosen) {
  std::vector<option_row> rows;
  for (const char* const part : {section::input, section::features, section::fingerprint, section::comparison,
                                 section::search, section::index, section::machines, section::output}) {
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
