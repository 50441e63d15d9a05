// The command line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <neardup/dedup/recall.hpp>
#include <neardup/fingerprint/idf_table.hpp>
#include <neardup/simhash.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "features.hpp"

namespace command {

enum class verb {
  groups,
  pairs,
  unique,
  hash,
  tokens,
  find,
  index,
  query,
  join,
  verify,
  merge,
  manifest,
  advise,
  report,
  diff
};

/// What one document is.
enum class unit_of_input { files, lines, json_lines, fingerprints };

enum class output_format { text, json_lines, binary };

enum class color_choice { automatic, always, never };

enum class weighting { unit, tf, log_tf, idf, tf_idf };
inline const std::vector<const char*> weight_names{"unit", "tf", "logtf", "idf", "tfidf"};

/// Which document of a group is kept, and stands for it.
enum class preference { first, longest, highest, lowest };

/// How similar two candidates are.
enum class similarity_measure { jaccard, cosine, edit };
inline const std::vector<const char*> measure_names{"jaccard", "cosine", "edit"};

using neardup::feature_choice;

/// What advise is to find, and what it may recommend.
struct advice_settings {
  double recall = neardup::default_recall(neardup::fingerprint_kind::minwise);  ///< wanted share of the near-duplicates
  std::optional<feature_choice> features;                                       ///< nothing: several are tried
  std::optional<std::size_t> bits;                                              ///< nothing: 64 and 128
};

/// A similarity that chose other options: the values that were typed, where any were.
struct similarity_choice {
  std::optional<std::string> similarity, min_similarity;
};

struct options {
  verb action = verb::groups;

  std::vector<std::string> paths;
  std::string names_from;  ///< a list of further paths; "-" is standard input, empty: none
  std::size_t first_listed =
      std::numeric_limits<std::size_t>::max();  ///< of the paths: from there on they are the list's
  std::vector<std::uint64_t> listed_at;         ///< the numbers of their lines, or of names that end with a zero
  bool first_may_be_verb = false;               ///< the first path stands where a verb would, and looks like one
  unit_of_input unit = unit_of_input::files;
  std::vector<std::string> text_fields{"text"};
  std::string weighted_field;  ///< in place of texts: an array of words with their weights; empty: none
  std::string id_field = "id";
  bool id_field_required = false;
  std::vector<std::string> against;          ///< the other corpus: texts, or with --fingerprints lists
  std::vector<std::string> against_indexes;  ///< and files of indexes
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool reads_hidden = false;  ///< in folders
  bool reads_binary = false;
  bool skip_bad = false;
  bool strict = false;
  std::vector<std::string> input_words;  ///< the options about the input, as they were typed

  feature_setting features;
  dictionary_files words;
  weighting weights = weighting::unit;
  std::string idf_file;
  std::shared_ptr<const neardup::idf_table> idf;  ///< of --weights idf and tfidf, once it is read or learnt
  std::shared_ptr<std::atomic<bool>> met_term;    ///< whether a feature was among the terms of idf_file
  std::size_t top = 0;                            ///< so many features of a document count; 0: all
  neardup::fingerprint_kind kind = neardup::fingerprint_kind::simhash;
  std::size_t bits = 64;
  std::uint64_t seed = 0;

  int distance = 3;
  int blocks = 0;                        ///< 0: the library's default
  std::optional<double> min_similarity;  ///< nothing: no check
  feature_setting check_features;
  similarity_measure check = similarity_measure::jaccard;
  bool by_components = false;  ///< else by representatives, see neardup::grouping
  preference keep = preference::first;
  std::string score_field;             ///< of preference::highest and lowest
  bool also_within = false;            ///< with another corpus: near-duplicates within the input, too
  bool copies_once = false;            ///< of pairs: of equal documents only the first is paired with others
  bool has_only_prints = false;        ///< fingerprints decide: of some documents there is no more than that
  std::string clue;                    ///< of find
  std::size_t most = 10;               ///< results of find
  std::string index_file;              ///< of query; of index the one that is added to, or empty
  std::uint64_t index_checksum = 0;    ///< of its header, from which other settings were taken
  bool keeps_features = false;         ///< index: for the similarity that query tells; hash: for verify and merge
  std::optional<std::uint64_t> shard;  ///< of hash: its number
  bool verifies = true;                ///< files of neardup's, before they are used
  bool lists_have_headers = true;
  bool names_composition = false;  ///< of lists: an option says what the fingerprints are made of
  advice_settings advice;
  std::optional<similarity_choice> choice;

  output_format format = output_format::text;
  color_choice color = color_choice::automatic;  ///< of diff
  std::size_t context = 3;                       ///< equal lines of diff around those that differ
  std::string output_file;                       ///< empty: standard output
  std::string dropped_file;                      ///< of unique: what it drops; empty: it is not written
  bool exit_status = false;                      ///< 1 if nothing was found
  unsigned threads = 1;
  std::uint64_t memory = 0;  ///< bytes of a run; features for which it has no room lie in a temporary file
  bool quiet = false;

  /// Whether it compares the fingerprints of all documents.
  [[nodiscard]] bool compares() const {
    return action == verb::groups || action == verb::pairs || action == verb::unique || action == verb::report;
  }

  /// Whether the input is compared with another corpus.
  [[nodiscard]] bool has_against() const { return !against.empty() || !against_indexes.empty(); }

  /// Whether the rarities of the features have to be learnt from the input.
  [[nodiscard]] bool learns_idf() const {
    return (weights == weighting::idf || weights == weighting::tf_idf) && idf_file.empty();
  }
  /// Whether it works with a file of an index.
  [[nodiscard]] bool has_index() const { return action == verb::index || action == verb::query; }

  /// Whether it works with what other runs have written about shards.
  [[nodiscard]] bool combines_shards() const {
    return action == verb::join || action == verb::verify || action == verb::merge || action == verb::manifest;
  }

  /// Whether a comparison is set up, here or for later runs.
  [[nodiscard]] bool sets_up_comparison() const {
    return compares() || has_index() || shard || action == verb::join || action == verb::merge;
  }

  /// Whether the features that the check compares are read.
  [[nodiscard]] bool reads_features() const {
    return compares() || (has_index() && min_similarity) || (shard && keeps_features);
  }

  /// Whether its file is written by the library, whole or not at all.
  [[nodiscard]] bool writes_file_at_end() const {
    return action == verb::index || action == verb::join || action == verb::verify || shard;
  }

  /// Whether unique has to know all documents before it keeps one.
  [[nodiscard]] bool groups_first() const {
    return action == verb::unique &&
           (by_components || keep != preference::first || unit == unit_of_input::fingerprints);
  }

  /// Whether the texts are needed again once their fingerprints are known.
  [[nodiscard]] bool needs_second_look() const {
    return groups_first() || learns_idf() || action == verb::report || action == verb::advise;
  }
};

/// What the command line asks for: a run, or a text to print (help, version).
using command_line = std::variant<options, std::string>;

/// Throws: usage_error.
command_line parse_command_line(int count, char** arguments);

}  // namespace command
