// Lists passages that occur several times, for the verb `passages`, and for `report --passages`.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../compare/corpus.hpp"
#include "passage_finding.hpp"

namespace command {

struct text_place {
  std::uint32_t document, field, offset, size;
};

/// A run of units that occurs several times.
struct listed_passage {
  std::uint32_t units;      ///< words, or bytes of whole characters
  std::uint32_t documents;  ///< number of documents that contain the whole run
  text_place first;
};

/// Returns the length of a passage as a text, such as "12 words" or "80 bytes".
std::string length_of(const listed_passage& one, bool are_bytes);

/// Names the places of passages.
class place_names {
 public:
  /// Makes an object for the documents in `names`. `quote` converts a name to a JSON string.
  place_names(const context& c, const document_table& names, std::string (*quote)(std::string_view));

  [[nodiscard]] bool has_arrays() const noexcept { return has_arrays_; }
  [[nodiscard]] std::string id_of(const text_place& where) const { return names_.id(where.document); }
  /// Returns the name of the field, with the number of the text if there are arrays. Returns an empty text if there is
  /// only one field.
  [[nodiscard]] std::string field_of(const text_place& where) const;
  [[nodiscard]] std::string json_of(const text_place& where) const;

 private:
  const context& context_;
  const document_table& names_;
  std::string (*quote_)(std::string_view);
  const std::vector<std::string>& fields_;
  bool has_arrays_ = false;
};

/// Receives the passages of a list.
class passage_writer {
 public:
  passage_writer() = default;
  passage_writer(const passage_writer&) = delete;
  passage_writer& operator=(const passage_writer&) = delete;
  virtual ~passage_writer() = default;

  /// Begins the next passage, at its first place. `bytes`: the text of the passage.
  virtual void begin(const listed_passage& one, const std::string& bytes) = 0;
  /// Adds a further place of the passage.
  virtual void again(const text_place& where) = 0;
  virtual void end() = 0;
};

struct passage_totals {
  std::uint64_t passages = 0, places = 0;       ///< number of passages, and of their further places
  std::uint32_t longest = 0;                    ///< number of units of the longest passage
  std::uint64_t repeated_bytes = 0, bytes = 0;  ///< bytes of the input: in further places of passages; in all texts
};

/// Finds the passages that occur several times, and passes them to a writer, the longest first. Adds all documents to
/// `names`.
/// Memory: about --memory, and for each document up to 60 bytes.
passage_totals list_passages(context& c, const passage_settings& how, document_table& names, passage_writer& to);

/// Ends a run that lists passages: prints the totals.
void finish_passages(context& c, const passage_totals& totals);

/// Writes the `most` longest passages as a page for a browser.
void write_passages_page(context& c, const passage_settings& how, std::size_t most);

}  // namespace command
