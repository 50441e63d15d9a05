// The command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace command {

enum class verb { groups, pairs, unique, hash };

/// What one document is.
enum class unit_of_input { files, lines, json_lines };

enum class output_format { text, json_lines };

enum class weighting { unit, tf, log_tf, idf };

/// Which pieces of a text are its features.
struct feature_choice {
  enum class unit { words, chars, bytes };

  unit kind = unit::words;
  std::size_t size = 2;

  friend bool operator==(const feature_choice&, const feature_choice&) = default;
};

struct options {
  verb action = verb::groups;

  std::vector<std::string> paths;
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
  int blocks = 0;  ///< 0: the library's default
  std::optional<double> min_similarity;
  feature_choice check_features;
  bool components = false;

  output_format format = output_format::text;
  std::string output_file;  ///< empty: standard output
  unsigned threads = 1;
  bool quiet = false;

  /// Whether the texts are needed again once their fingerprints are known.
  [[nodiscard]] bool needs_second_look() const {
    return min_similarity.has_value() || components || (weights == weighting::idf && idf_file.empty());
  }
};

/// What the command line asks for: a run, or a text to print (help, version).
using command_line = std::variant<options, std::string>;

/// Throws: usage_error.
command_line parse_command_line(int count, char** arguments);

/// "words:2", as --features takes it.
std::string to_string(const feature_choice& features);

}  // namespace command
