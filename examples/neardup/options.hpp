// The command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <neardup/dedup/recall.hpp>
#include <neardup/text/feature_choice.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace command {

enum class verb { groups, pairs, unique, hash, index, query, advise };

/// What one document is.
enum class unit_of_input { files, lines, json_lines, fingerprints };

enum class output_format { text, json_lines, binary };

enum class weighting { unit, tf, log_tf, idf };

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
  std::string id_field = "id";
  bool id_field_required = false;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool skip_bad = false;
  bool strict = false;

  feature_choice features;
  weighting weights = weighting::unit;
  std::string idf_file;
  std::size_t bits = 64;
  std::uint64_t seed = 0;

  int distance = 3;
  int blocks = 0;                        ///< 0: the library's default
  std::optional<double> min_similarity;  ///< nothing: no check
  feature_choice check_features;
  bool by_components = false;  ///< else by representatives, see neardup::grouping
  bool keeps_longest = false;
  std::string index_file;       ///< of query; of index the one that is added to, or empty
  bool keeps_features = false;  ///< index: for the similarity that query tells
  bool verifies = true;         ///< files of neardup's, before they are used
  bool lists_have_headers = true;
  bool names_composition = false;  ///< of lists: an option says what the fingerprints are made of
  advice_settings advice;
  std::optional<similarity_choice> choice;

  output_format format = output_format::text;
  std::string output_file;  ///< empty: standard output
  unsigned threads = 1;
  bool quiet = false;

  /// Whether it compares the fingerprints of all documents.
  [[nodiscard]] bool compares() const {
    return action == verb::groups || action == verb::pairs || action == verb::unique;
  }

  /// Whether it works with a file of an index.
  [[nodiscard]] bool has_index() const { return action == verb::index || action == verb::query; }

  /// Whether unique has to know all documents before it keeps one.
  [[nodiscard]] bool groups_first() const {
    return action == verb::unique && (by_components || keeps_longest || unit == unit_of_input::fingerprints);
  }

  /// Whether the texts are needed again once their fingerprints are known.
  [[nodiscard]] bool needs_second_look() const {
    return (min_similarity.has_value() && !has_index()) || groups_first() ||
           (weights == weighting::idf && idf_file.empty());
  }
};

bool is_verb(std::string_view name);

/// "groups, pairs, unique, hash, index, query and advise"
std::string names_of_verbs();

/// What the command line asks for: a run, or a text to print (help, version).
using command_line = std::variant<options, std::string>;

/// Throws: usage_error.
command_line parse_command_line(int count, char** arguments);

}  // namespace command
