// Finds passages of the input that occurred before, for `unique --passages` and for the verb `passages`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <neardup/passages.hpp>
#include <neardup/text/ngrams.hpp>
#include <neardup/text/words.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../compare/context.hpp"
#include "../documents/run_files.hpp"
#include "../line/words.hpp"
#include "../read/record_editor.hpp"

namespace command {

/// Reads the length of passages (N or bytes:N) from `option`, if it is given, and reads --least-documents.
/// Throws: usage_error if a value is wrong.
passage_settings take_passage_settings(const typed_options& given, const std::string& option);

/// Refuses indexes in --against, because an index has no texts. `what`: the verb or the option that searches for
/// passages.
/// Throws: usage_error.
void refuse_indexes(const run_settings& to, const std::string& what);

/// The texts of --against and of the input, which are read several times. The first pass counts the documents, and
/// reports bad input. Later passes ignore documents that were appended after the first pass.
class text_passes {
 public:
  explicit text_passes(context& c);

  /// Calls `visit(document, is_of_input)` for each document. The documents of --against come first.
  /// Throws: input_error if input is bad, or if a later pass reads other texts than the first pass.
  void visit(const std::function<void(const placed_document&, bool is_of_input)>& visit);

 private:
  /// The documents of one source.
  struct part {
    std::shared_ptr<source> from;
    std::uint64_t documents = 0, checksum = 0;

    bool operator==(const part&) const = default;
  };

  /// Throws input_error if `again` differs from parts_. The error names a source that has changed.
  void check_unchanged(const std::vector<part>& again) const;

  context& context_;
  input_settings theirs_;
  std::optional<source_walker> against_;
  bool is_again_ = false;        // true after the first pass
  std::uint64_t documents_ = 0;  // number of documents in the first pass
  std::vector<part> parts_;      // the sources that had documents in the first pass
};

/// The places of the units of a text, in bytes. A unit is a word or a byte.
class unit_places {
 public:
  unit_places(std::string_view text, bool are_bytes);

  [[nodiscard]] std::size_t size() const noexcept { return are_bytes_ ? text_.size() : words_.size(); }

  /// Returns the place of the units [begin, end). If units are bytes, incomplete characters at both ends are left out.
  /// Precondition: begin < end <= size().
  [[nodiscard]] text_range operator()(std::size_t begin, std::size_t end) const;

 private:
  std::string_view text_;
  bool are_bytes_;
  std::vector<std::string_view> words_;
};

/// Calls `use(tokenizer)` with the tokenizer that makes the units.
template <class Use>
auto with_units(bool are_bytes, const Use& use) {
  return are_bytes ? use(neardup::byte_ngrams{1}) : use(neardup::words{});
}

inline found_passage packed(const neardup::passage& p) {
  const auto narrow = [](std::size_t number) { return static_cast<std::uint32_t>(number); };
  return {narrow(p.document),       narrow(p.field),       narrow(p.begin),      narrow(p.end),
          narrow(p.first_document), narrow(p.first_field), narrow(p.first_begin)};
}

/// Throws: input_error if a text of the document is too long for a search for passages.
void check_lengths(const placed_document& d);

/// Finds the passages that occurred before. Calls `first_pass(document, is_of_input)` once for each document, then
/// `use(passage)` for each passage in the order of places.
/// Memory: about --memory. `use` may take another quarter of it.
void find_repeated(context& c, const passage_settings& how, text_passes& texts,
                   const std::function<void(const placed_document&, bool is_of_input)>& first_pass,
                   const std::function<void(const found_passage&)>& use);

}  // namespace command
