// What unique takes out of the texts of records, and where: passages of another corpus, and parts that stood before.
#pragma once

#include <neardup/text/parts.hpp>

#include "../compare/context.hpp"
#include "../compare/corpus.hpp"
#include "../read/record_editor.hpp"

namespace command {

/// Names the place in the texts of a record where most of a document of the other corpus stands.
class passage_names {
 public:
  explicit passage_names(context& c) : settings_(c.settings.input), editor_(settings_) {}

  /// The record as second_pass visits it. Nothing if the pairs of words of the other document are unknown, or none of them
  /// is there.
  std::optional<shown_passage> best_in(const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw,
                                       std::span<const common::word_pair> pairs);

 private:
  const input_settings& settings_;
  record_editor editor_;
  byte_buffer file_;
};

/// Which parts --parts looks for, and which of them it lets stand.
struct part_settings {
  neardup::text_parts cut;
  double similarity = 1;          ///< of a part and an earlier one
  std::size_t least_length = 20;  ///< of a part, characters
  std::size_t least_documents = 1;
};

/// Throws: usage_error.
neardup::text_parts parse_parts(const std::string& text);

/// Writes the input without the passages that stand in the other corpus.
void run_without_passages(context& c);

/// Writes the input without the parts that stood before.
void run_without_parts(context& c, const part_settings& how);

}  // namespace command
