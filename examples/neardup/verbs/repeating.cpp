#include "repeating.hpp"

#include <algorithm>
#include <array>
#include <neardup/passages.hpp>
#include <optional>
#include <vector>

#include "../compare/corpus.hpp"
#include "../compare/sorted_records.hpp"
#include "../ground/text.hpp"
#include "cutting_writer.hpp"

namespace command {

namespace {

/// The passages that were found, in the order of their places.
using found_passages = kept_records<found_passage>;

/// The byte offset of the first place of each passage. The passages consist of words.
class first_offsets {
 public:
  /// Reads the texts again, and finds the offsets.
  first_offsets(found_passages& found, text_passes& texts) {
    for (found.rewind(); const found_passage* p = found.peek(); found.take()) places_.push_back({key_of(*p), 0});
    const auto precedes = [](const place& a, const place& b) { return a.key < b.key; };
    std::sort(places_.begin(), places_.end(), precedes);
    places_.erase(
        std::unique(places_.begin(), places_.end(), [](const place& a, const place& b) { return a.key == b.key; }),
        places_.end());
    places_.shrink_to_fit();
    auto next = places_.begin();
    std::uint32_t document = 0;
    texts.visit([&](const placed_document& d, bool /*is_of_input*/) {
      for (std::uint32_t field = 0; field < d.texts->size() && next != places_.end(); ++field) {
        if (next->key[0] != document || next->key[1] != field) continue;
        const unit_places of((*d.texts)[field], false);
        for (; next != places_.end() && next->key[0] == document && next->key[1] == field; ++next) {
          if (next->key[2] >= of.size()) fail_changed(*d.from);
          next->offset = of(next->key[2], next->key[2] + 1).begin;
        }
      }
      ++document;
    });
  }

  [[nodiscard]] std::size_t of(const found_passage& p) const {
    const std::array<std::uint32_t, 3> key = key_of(p);
    return std::lower_bound(places_.begin(), places_.end(), key,
                            [](const place& a, const auto& b) { return a.key < b; })
        ->offset;
  }

 private:
  struct place {
    std::array<std::uint32_t, 3> key;  // (document, field, number of the word)
    std::size_t offset;
  };
  static std::array<std::uint32_t, 3> key_of(const found_passage& p) {
    return {p.first_document, p.first_field, p.first_begin};
  }

  std::vector<place> places_;  // sorted by key
};

}  // namespace

void run_without_repeated(context& c, const passage_settings& how) {
  second_pass documents(c);
  document_table names(false);
  text_passes texts(c);
  found_passages found(c.settings.grouping.memory / 8);
  find_repeated(
      c, how, texts,
      [&](const placed_document& d, bool is_of_input) {
        if (is_of_input) documents.expect(d);
        if (c.dropped) names.add(d);
      },
      [&](const found_passage& p) {
        // The number of documents in --against is known only after the first pass, so passages of --against are skipped
        // here.
        if (p.document >= c.against) found.add(p);
      });
  std::optional<first_offsets> firsts;
  if (c.dropped && !how.are_bytes) firsts.emplace(found, texts);

  const bool as_json = c.settings.input.unit == unit_of_input::json_lines || c.settings.output.as_json();
  const std::vector<std::string>& fields = c.settings.input.text_fields;
  const bool has_arrays = std::any_of(fields.begin(), fields.end(),
                                      [](const std::string& field) { return field.find("[*]") != field.npos; });
  cutting_writer writer(c, false);
  // Writes a passage. `cut`: its bytes in a text. `first_offset`: the beginning of its first place.
  const auto write_passage = [&](const found_passage& p, std::string_view text, text_range cut,
                                 std::size_t first_offset) {
    const std::string_view bytes = text.substr(cut.begin, cut.end - cut.begin);
    const std::string offset = std::to_string(cut.begin), length = std::to_string(bytes.size());
    const std::string first = std::to_string(first_offset);
    if (!as_json) {
      *c.dropped << printable(names.id(p.document)) + '\t' + offset + '\t' + length + '\t' +
                        printable(names.id(p.first_document)) + '\t' + first + '\t' + printable(bytes) + '\n';
      return;
    }
    json_object line;
    line.add("id", json_string(names.id(p.document)));
    const std::string field = writer.name_of(p.field);
    if (!field.empty()) line.add("field", json_string(field));
    line.add("offset", offset).add("length", length).add("first", json_string(names.id(p.first_document)));
    if (!field.empty()) {
      // With arrays, the record of the first place may have other names, so the number of the text is written.
      line.add("first_field", has_arrays ? std::to_string(p.first_field) : json_string(fields[p.first_field]));
    }
    line.add("first_offset", first).add("passage", json_string(bytes));
    *c.dropped << line.text() + '\n';
  };
  found.rewind();
  auto number = static_cast<std::uint32_t>(c.against);
  std::vector<found_passage> own;  // the passages of a text
  std::vector<neardup::passage> own_units;
  documents.visit_documents(
      [&](bool /*has_tokens*/, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
        const std::uint32_t document = number++;
        const found_passage* next = found.peek();
        if (next == nullptr || next->document != document) return writer.keep(from, line, raw);
        const std::vector<std::string_view>& of_record = writer.texts_of(from, line, raw);
        std::vector<std::vector<text_range>> removed(of_record.size());
        for (std::size_t f = 0; f < of_record.size(); ++f) {
          const std::string_view text = of_record[f];
          own.clear();
          own_units.clear();
          for (; (next = found.peek()) != nullptr && next->document == document && next->field == f; found.take()) {
            own.push_back(*next);
            own_units.push_back({document, f, next->begin, next->end, 0, 0, 0});
          }
          if (own.empty()) continue;
          const unit_places places(text, how.are_bytes);
          for (const found_passage& p : own) {
            if (p.end > places.size()) fail_changed(*from);
          }
          with_units(how.are_bytes, [&](const auto& tokenizer) {
            for (const std::string_view view : neardup::passage_views(text, own_units, tokenizer)) {
              const auto begin = static_cast<std::size_t>(view.data() - text.data());
              removed[f].push_back({begin, begin + view.size()});
            }
          });
          if (!c.dropped) continue;
          // Incomplete words at the ends of a passage stay, so only the removed part of each passage is written.
          auto cut = removed[f].begin();
          for (const found_passage& p : own) {
            const text_range whole = places(p.begin, p.end);
            while (cut != removed[f].end() && cut->end <= whole.begin) ++cut;
            if (cut == removed[f].end()) break;
            const text_range shown{std::max(whole.begin, cut->begin), std::min(whole.end, cut->end)};
            if (shown.begin >= shown.end) continue;
            write_passage(p, text, shown, how.are_bytes ? p.first_begin + (shown.begin - p.begin) : firsts->of(p));
          }
        }
        writer.write(from, line, raw, of_record, removed);
      });
  writer.finish_run("; " + counted(found.size(), "passage", "passages") +
                    (found.size() == 1 ? " occurs earlier" : " occur earlier"));
}

}  // namespace command
