// The command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <neardup/dedup/recall.hpp>
#include <neardup/fingerprint/idf_table.hpp>
#include <neardup/fingerprint_kind.hpp>
#include <neardup/text/feature_choice.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "features.hpp"

namespace command {

enum class verb { groups, pairs, unique, hash, tokens, find, index, query, join, verify, merge, manifest, advise };

/// What one document is.
enum class unit_of_input { files, lines, json_lines, fingerprints };

enum class output_format { text, json_lines, binary };

enum class weighting { unit, tf, log_tf, idf, tf_idf };

/// How similar two candidates are.
enum class similarity_measure { jaccard, cosine, edit };

using neardup::feature_choice;

/// What advise is to find, and what it may recommend.
struct advice_settings {
  double recall = neardup::default_recall;  ///< wanted share of the near-duplicates
  std::optional<feature_choice> features;   ///< nothing: several are tried
  std::optional<std::size_t> bits;          ///< nothing: 64 and 128
};

/// A similarity that chose other options: the values that were typed, where any were.
struct similarity_choice {
  std::optional<std::string> similarity, min_similarity;
};

struct options {
  verb action = verb::groups;

  std::vector<std::string> paths;
  bool first_may_be_verb = false;  ///< the first path stands where a verb would, and looks like one
  unit_of_input unit = unit_of_input::files;
  std::vector<std::string> text_fields{"text"};
  std::string weighted_field;  ///< in place of texts: an array of words with their weights; empty: none
  std::string id_field = "id";
  bool id_field_required = false;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool skip_bad = false;
  bool strict = false;

  feature_setting features;
  dictionary_files words;
  weighting weights = weighting::unit;
  std::string idf_file;
  std::shared_ptr<const neardup::idf_table> idf;  ///< of --weights idf and tfidf, once it is read or learnt
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
  bool keeps_longest = false;
  std::string clue;                    ///< of find
  std::size_t most = 10;               ///< results of find
  std::string index_file;              ///< of query; of index the one that is added to, or empty
  bool keeps_features = false;         ///< index: for the similarity that query tells; hash: for verify and merge
  std::optional<std::uint64_t> shard;  ///< of hash: its number
  bool verifies = true;                ///< files of neardup's, before they are used
  bool lists_have_headers = true;
  bool names_composition = false;  ///< of lists: an option says what the fingerprints are made of
  advice_settings advice;
  std::optional<similarity_choice> choice;

  output_format format = output_format::text;
  std::string output_file;  ///< empty: standard output
  unsigned threads = 1;
  std::uint64_t memory = 0;  ///< for features, bytes; those beyond it lie in a temporary file
  bool quiet = false;

  /// Whether it compares the fingerprints of all documents.
  [[nodiscard]] bool compares() const {
    return action == verb::groups || action == verb::pairs || action == verb::unique;
  }

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
    return action == verb::unique && (by_components || keeps_longest || unit == unit_of_input::fingerprints);
  }

  /// Whether the texts are needed again once their fingerprints are known.
  [[nodiscard]] bool needs_second_look() const { return groups_first() || learns_idf(); }
};

bool is_verb(std::string_view name);

/// "groups, pairs, …, manifest and advise"
std::string names_of_verbs();

/// What the command line asks for: a run, or a text to print (help, version).
using command_line = std::variant<options, std::string>;

/// Throws: usage_error.
command_line parse_command_line(int count, char** arguments);

}  // namespace command
