// Removes parts of texts from records.
#pragma once

#include "record.hpp"

namespace command {

/// The bytes [begin, end) of a text.
struct text_range {
  std::size_t begin, end;
};

/// Reads records again, and removes parts of their texts. All other bytes of a record are unchanged.
class record_editor {
 public:
  /// Precondition: the settings outlive the editor.
  explicit record_editor(const input_settings& settings)
      : settings_(settings), read_(make_record_reader(settings)), fold_(settings.fold) {}

  /// Returns the texts of a record, folded if the settings demand it. The texts are valid until the next call.
  /// Precondition: the record was read before without an error.
  const std::vector<std::string_view>& texts_of(const source& from, std::uint64_t line, std::string_view raw);

  /// Returns the name of the field that has text number `text` of the last record. Returns "" if a record has only one
  /// text.
  [[nodiscard]] std::string name_of(std::size_t text) const;

  /// Returns the last record without some ranges of its texts. `removed` has the ranges for each text. Ranges are
  /// disjoint, in order, and consist of whole characters.
  /// Precondition: the settings do not fold Chinese characters. The record is in UTF-8, perhaps ill-formed, and is a
  /// line of text or a JSON object.
  /// Complexity: linear.
  /// Throws: input_error if a range has to be removed from a text that is an array of strings.
  [[nodiscard]] std::string without(const std::vector<std::vector<text_range>>& removed) const;

 private:
  [[nodiscard]] std::string_view content() const { return std::string_view(buffer_).substr(0, size_); }

  const input_settings& settings_;
  record_reader read_;
  std::shared_ptr<const chinese_fold> fold_;
  std::vector<std::string> folded_;
  std::vector<std::string_view> compared_;  // the folded texts
  record record_;
  std::string raw_, where_;
  std::size_t begin_ = 0;  // begin of the content in raw_
  bool is_json_ = false;
  std::string buffer_;    // the content and its padding
  std::size_t size_ = 0;  // size of the content
  bool is_repaired_ = false;
};

}  // namespace command
