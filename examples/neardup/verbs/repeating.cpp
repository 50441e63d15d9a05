#include "repeating.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <neardup/passages.hpp>
#include <optional>
#include <vector>

#include "../compare/corpus.hpp"
#include "../compare/sorted_records.hpp"
#include "../documents/run_files.hpp"
#include "../ground/text.hpp"
#include "cutting_writer.hpp"
#include "run_steps.hpp"

namespace command {

namespace {

/// The passages that were found, in the order of their places.
using found_passages = kept_records<found_passage>;

/// The byte offset of the first place of each passage. The passages consist of words.
class first_offsets {
 public:
  /// The place of a word.
  struct place {
    std::array<std::uint32_t, 3> key;  // (document, field, number of the word)
    std::size_t offset;
  };

  explicit first_offsets(found_passages& found) {
    for (found.rewind(); const found_passage* p = found.peek(); found.take()) places_.push_back({key_of(*p), 0});
    const auto precedes = [](const place& a, const place& b) { return a.key < b.key; };
    std::sort(places_.begin(), places_.end(), precedes);
    places_.erase(
        std::unique(places_.begin(), places_.end(), [](const place& a, const place& b) { return a.key == b.key; }),
        places_.end());
    places_.shrink_to_fit();
  }

  /// Returns the first place whose offset is not found yet, or null if all offsets are found.
  [[nodiscard]] const place* next() const { return next_ == places_.size() ? nullptr : &places_[next_]; }

  /// Finds the offsets of the places in a text. Calls have ascending (document, field).
  /// Returns: false if the text has fewer words.
  bool find_in(std::uint32_t document, std::uint32_t field, std::string_view text) {
    const auto is_of_text = [&] { return next() != nullptr && next()->key[0] == document && next()->key[1] == field; };
    if (!is_of_text()) return true;
    const unit_places of(text, false);
    for (; is_of_text(); ++next_) {
      place& one = places_[next_];
      if (one.key[2] >= of.size()) return false;
      one.offset = of(one.key[2], one.key[2] + 1).begin;
    }
    return true;
  }

  [[nodiscard]] std::size_t of(const found_passage& p) const {
    const std::array<std::uint32_t, 3> key = key_of(p);
    return std::lower_bound(places_.begin(), places_.end(), key,
                            [](const place& a, const auto& b) { return a.key < b; })
        ->offset;
  }

 private:
  static std::array<std::uint32_t, 3> key_of(const found_passage& p) {
    return {p.first_document, p.first_field, p.first_begin};
  }

  std::vector<place> places_;  // sorted by key
  std::size_t next_ = 0;
};

/// Returns the id of a document.
using id_of_document = std::function<std::string(std::uint32_t document)>;

/// Writes the input without the passages `found`. `firsts`: the offsets of first places, if needed. `first_document`:
/// the number of the first document of the input.
void write_without(context& c, const passage_settings& how, const second_pass& documents, std::uint32_t first_document,
                   found_passages& found, const std::optional<first_offsets>& firsts, const id_of_document& id) {
  const bool as_json = drops_as_json(c.settings);
  const std::vector<std::string>& fields = c.settings.input.text_fields;
  const bool has_arrays = std::any_of(fields.begin(), fields.end(),
                                      [](const std::string& field) { return field.find("[*]") != field.npos; });
  // The first document of all parts is kept, because its passages occur nowhere earlier.
  cutting_writer writer(c, false, first_document > c.against);
  // Writes a passage. `cut`: its bytes in a text. `first_offset`: the beginning of its first place.
  const auto write_passage = [&](const found_passage& p, std::string_view text, text_range cut,
                                 std::size_t first_offset) {
    const std::string_view bytes = text.substr(cut.begin, cut.end - cut.begin);
    const std::string offset = std::to_string(cut.begin), length = std::to_string(bytes.size());
    const std::string first = std::to_string(first_offset);
    if (!as_json) {
      *c.dropped << printable(id(p.document)) + '\t' + offset + '\t' + length + '\t' + printable(id(p.first_document)) +
                        '\t' + first + '\t' + printable(bytes) + '\n';
      return;
    }
    json_object line;
    line.add("id", json_string(id(p.document)));
    const std::string field = writer.name_of(p.field);
    if (!field.empty()) line.add("field", json_string(field));
    line.add("offset", offset).add("length", length).add("first", json_string(id(p.first_document)));
    if (!field.empty()) {
      // With arrays, the record of the first place may have other names, so the number of the text is written.
      line.add("first_field", has_arrays ? std::to_string(p.first_field) : json_string(fields[p.first_field]));
    }
    line.add("first_offset", first).add("passage", json_string(bytes));
    *c.dropped << line.text() + '\n';
  };
  found.rewind();
  std::uint32_t number = first_document;
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
          const unit_places units(text, how.are_bytes);
          for (const found_passage& p : own) {
            if (p.end > units.size()) fail_changed(*from);
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
            const text_range whole = units(p.begin, p.end);
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

/// The texts of all parts of a run on many machines. A part is checked when it is first used.
class texts_of_run {
 public:
  texts_of_run(std::vector<std::unique_ptr<text_part_file>> parts, const run_plan& plan) : parts_(std::move(parts)) {
    for (std::size_t i = 0; i <= parts_.size(); ++i) firsts_.push_back(plan.first_of(i));
    is_checked_.resize(parts_.size());
  }

  [[nodiscard]] const text_part_file& part(std::size_t i) {
    if (!is_checked_[i]) as_input([&] { parts_[i]->file().verify(); });
    is_checked_[i] = true;
    return *parts_[i];
  }
  /// Calls `use(part, i)` for document i of the part that has `document`.
  template <class Use>
  auto with(std::uint32_t document, const Use& use) {
    const auto next = std::upper_bound(firsts_.begin(), firsts_.end(), document);
    if (next == firsts_.begin() || next == firsts_.end()) throw input_error({"", "a passage is of no document"});
    const auto i = static_cast<std::size_t>(next - firsts_.begin()) - 1;
    return use(part(i), static_cast<std::size_t>(document - firsts_[i]));
  }
  void check_files() const {
    as_input([&] {
      for (const auto& part : parts_) part->file().check_file();
    });
  }

 private:
  std::vector<std::unique_ptr<text_part_file>> parts_;
  std::vector<std::uint64_t> firsts_;  // the number of the first document of each part, then the number of documents
  std::vector<bool> is_checked_;
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
  if (c.dropped && !how.are_bytes) {
    firsts.emplace(found);
    std::uint32_t document = 0;
    texts.visit([&](const placed_document& d, bool /*is_of_input*/) {
      for (std::uint32_t field = 0; field < d.texts->size(); ++field) {
        if (!firsts->find_in(document, field, (*d.texts)[field])) fail_changed(*d.from);
      }
      ++document;
    });
  }
  write_without(c, how, documents, static_cast<std::uint32_t>(c.against), found, firsts,
                [&](std::uint32_t document) { return names.id(document); });
}

void run_without_gathered(context& c, const gathered_setting& of) {
  const auto partitions = open_partitions<passages_file>(of.passages, "passages");
  const run_plan& plan = partitions.front()->plan;
  const part_facts* const facts = plan.find(of.part);
  if (facts == nullptr) {
    throw usage_error("--part " + std::to_string(of.part) + ": " + partitions.front()->file.path() +
                      " does not have this part");
  }
  const auto place = static_cast<std::size_t>(facts - plan.parts.data());
  texts_of_run texts(open_parts<text_part_file>(of.texts, plan, partitions.front()->file.path(), false), plan);
  const text_part_file& own = texts.part(place);
  std::vector<neardup::passage> pieces;
  for (const auto& partition : partitions) {
    for (const found_passage& p : partition->of_part(place)) {
      pieces.push_back({p.document, p.field, p.begin, p.end, p.first_document, p.first_field, p.first_begin});
    }
    as_input([&] { partition->file.check_file(); });
  }
  found_passages found(c.settings.grouping.memory / 8);
  for (const neardup::passage& p : with_shuffle(plan, [&](const auto& shuffle) { return shuffle.join(pieces); })) {
    found.add(packed(p));
  }
  pieces = {};

  second_pass documents(c);
  std::size_t count = 0;
  const auto refuse = [&](const std::string& name) {
    throw input_error({name, "is not what " + own.file().path() + " was made from"});
  };
  read_texts(c.settings.input, c.sources, c.notes, [&](const placed_document& d) {
    documents.expect(d);
    if (count == own.size() || !std::ranges::equal(own.texts(count), *d.texts)) refuse(d.name());
    ++count;
  });
  if (count != own.size()) refuse(c.settings.input.paths.front());
  std::optional<first_offsets> firsts;
  if (c.dropped && !plan.passages->are_bytes) {
    firsts.emplace(found);
    while (const first_offsets::place* const next = firsts->next()) {
      const std::uint32_t document = next->key[0], field = next->key[1];
      texts.with(document, [&](const text_part_file& part, std::size_t i) {
        const std::vector<std::string_view> all = part.texts(i);
        if (field >= all.size() || !firsts->find_in(document, field, all[field])) refuse_damage(part.file().path());
      });
    }
  }
  write_without(c, *plan.passages, documents, static_cast<std::uint32_t>(plan.first_of(place)), found, firsts,
                [&](std::uint32_t document) {
                  return texts.with(
                      document, [](const text_part_file& part, std::size_t i) { return std::string(part.name(i)); });
                });
  texts.check_files();
}

}  // namespace command
