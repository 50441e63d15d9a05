// Removes parts of the texts of records, for `unique`: passages of another corpus, and parts that occurred before.
#pragma once

#include <neardup/text/sentences.hpp>

#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../read/record_editor.hpp"

namespace command {

/// Finds the passage of a record that has the most pairs of words in common with a document of another corpus.
class passage_names {
 public:
  explicit passage_names(context& c) : settings_(c.settings.input), editor_(settings_) {}

  /// Returns the best passage of the record that visit_documents() passes. `pairs`: the pairs of words of the other
  /// document.
  /// Returns: nullopt if `pairs` is empty, or if the record has none of the pairs.
  std::optional<shown_passage> best_in(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw,
                                       std::span<const common::word_pair> pairs);

 private:
  const input_settings& settings_;
  record_editor editor_;
  byte_buffer file_;
};

/// Tells which parts of texts --parts removes.
struct part_settings {
  neardup::text_parts cut;
  double similarity = 1;          ///< least similarity of a part and an earlier part
  std::size_t least_length = 20;  ///< least length of a part that is removed, in characters
  std::size_t least_documents = 1;
};

/// Parses `text`, the value of --parts.
/// Throws: usage_error if the value is wrong.
neardup::text_parts parse_parts(const std::string& text);

/// Writes the input without the passages that the other corpus contains.
void run_without_passages(context& c);

/// Writes the input without the parts that occurred before.
void run_without_parts(context& c, const part_settings& how);

}  // namespace command
