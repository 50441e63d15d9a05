#include "cutting.hpp"

#include <algorithm>
#include <array>
#include <neardup/dedup/parts/repeated_parts.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/threads.hpp>
#include <unordered_map>

#include "../compare/check.hpp"
#include "../ground/text.hpp"
#include "../line/words.hpp"
#include "cutting_writer.hpp"

namespace command {

namespace {

using common::passage;
using common::passage_finder;

}  // namespace

std::optional<shown_passage> passage_names::best_in(const std::shared_ptr<source>& from, std::uint64_t line,
                                                    std::string_view raw, std::span<const common::word_pair> pairs) {
  if (pairs.empty()) return std::nullopt;
  const std::vector<std::string_view>& texts = editor_.texts_of(*from, line, line == 0 ? read_file(*from, file_) : raw);
  std::optional<passage> best;
  std::size_t field = 0;
  for (std::size_t f = 0; f < texts.size(); ++f) {
    for (const passage& one : passage_finder(texts[f]).passages_of(pairs)) {
      if (best && one.common <= best->common) continue;
      best = one;
      field = f;
    }
  }
  if (!best) return std::nullopt;
  return shown_in(settings_, editor_.name_of(field), texts[field], *best);
}

neardup::text_parts parse_parts(const std::string& text) {
  using neardup::part_kind;
  constexpr std::array kinds{part_kind::paragraph, part_kind::sentence, part_kind::line};
  return {kinds[parse_name("--parts", text, {"paragraph", "sentence", "line"},
                           "parts are paragraph, sentence and line; --passages N takes out runs of N words")]};
}

void run_without_passages(context& c) {
  corpus all(c.settings, true);
  second_pass documents(c);
  read_corpus(c, all, [&](const placed_document& d) { documents.expect(d); });
  c.notes.phase("comparing " + counted(all.check.size(), "document", "documents"));
  const checked_sets theirs(all.check, {0, all.against}), ours(all.check, {all.against, all.check.size()});
  auto found = neardup::pairs(theirs, ours, neardup::containment{*c.settings.comparison.min_similarity},
                              {.run = neardup::threads{c.settings.threads}});
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  });

  cutting_writer writer(c, false);
  auto next = found.begin();
  std::uint32_t number = 0;  // number of the document among the documents with tokens
  std::uint64_t scattered = 0;
  documents.visit_documents([&](bool has_tokens, const std::shared_ptr<source>& from, std::uint64_t line,
                                std::string_view raw) {
    const auto first = next;
    while (has_tokens && next != found.end() && next->second == number) ++next;
    const std::size_t i = all.against + number;
    number += has_tokens ? 1 : 0;
    if (first == next) return writer.keep(from, line, raw);
    const std::vector<std::string_view>& texts = writer.texts_of(from, line, raw);
    std::vector<std::vector<text_range>> removed(texts.size());
    bool is_found = false;
    for (std::size_t f = 0; f < texts.size(); ++f) {
      const passage_finder finder(texts[f], next - first > 1);
      for (auto pair = first; pair != next; ++pair) {
        for (const passage& one : finder.passages_of(all.against_pairs[pair->first])) {
          if (one.common < neardup::default_min_contained) continue;
          removed[f].push_back({one.begin, one.end});
          is_found = true;
          if (!c.dropped) continue;
          write_dropped(
              c, {"id", "against", all.documents.id(i), all.documents.id(pair->first), all.distance(i, pair->first),
                  pair->similarity, all.documents.place_of_repeated(i), all.documents.place_of_repeated(pair->first),
                  shown_in(c.settings.input, writer.name_of(f), texts[f], one)});
        }
      }
    }
    scattered += is_found ? 0 : 1;
    writer.write(from, line, raw, texts, removed);
  });
  writer.finish_run(scattered == 0 ? ""
                                   : "; " + counted(scattered, "record", "records") +
                                         " kept whole with what stands in the other corpus in pieces of fewer than " +
                                         std::to_string(neardup::default_min_contained) + " pairs of words");
}

void run_without_parts(context& c, const part_settings& how) {
  using collection = neardup::part_collection<neardup::any_tokenizer>;
  collection collected(
      {.similarity = how.similarity, .min_documents = how.least_documents, .run = neardup::threads{c.settings.threads}},
      make_tokenizer(c.settings.fingerprint.features));
  const auto for_each_part = [&](std::string_view text, const auto& visit) {
    how.cut(text, [&](std::string_view part) {
      if (code_points(part) >= how.least_length) visit(part);
    });
  };
  document_table names(false);
  second_pass documents(c);
  read_texts(c.settings.input, c.sources, c.notes, [&](const placed_document& d) {
    if (!has_words(c.settings.input, c.notes, d)) return;
    documents.expect(d);
    if (c.dropped) names.add(d);
    collected.begin_document();
    for (const std::string& text : *d.texts) {
      for_each_part(text, [&](std::string_view part) { collected.add(part); });
    }
  });
  c.notes.phase("comparing " + counted(collected.size(), "part", "parts"));
  const std::vector<std::uint32_t> label = collected.decide();
  struct first_place {
    std::uint32_t document;
    std::size_t offset;
  };
  // firsts[part]: the place of a part that later parts repeat.
  std::unordered_map<std::uint32_t, first_place> firsts;
  for (std::uint32_t i = 0; i < label.size() && c.dropped; ++i) {
    if (label[i] != i) firsts.try_emplace(label[i]);
  }

  const bool as_json = drops_as_json(c.settings);
  cutting_writer writer(c, true);
  std::uint32_t number = 0, document = 0;
  std::uint64_t count = 0;
  const auto write_part = [&](std::uint32_t i, std::size_t field, std::size_t offset, std::string_view part) {
    const first_place& first = firsts.at(label[i]);
    const double similarity = collected.similarity(i, label[i]);
    if (!as_json) {
      *c.dropped << similarity_text(similarity) + '\t' + printable(names.id(document)) + '\t' + std::to_string(offset) +
                        '\t' + std::to_string(part.size()) + '\t' + printable(names.id(first.document)) + '\t' +
                        std::to_string(first.offset) + '\t' + printable(part) + '\n';
      return;
    }
    json_object line;
    line.add("id", json_string(names.id(document)));
    if (const std::string name = writer.name_of(field); !name.empty()) line.add("field", json_string(name));
    line.add("offset", std::to_string(offset)).add("length", std::to_string(part.size()));
    line.add("first", json_string(names.id(first.document))).add("first_offset", std::to_string(first.offset));
    line.add("similarity", similarity_number(similarity)).add("part", json_string(part));
    *c.dropped << line.text() + '\n';
  };
  documents.visit_documents(
      [&](bool /*has_tokens*/, const std::shared_ptr<source>& from, std::uint64_t line, std::string_view raw) {
        const std::vector<std::string_view>& texts = writer.texts_of(from, line, raw);
        std::vector<std::vector<text_range>> removed(texts.size());
        for (std::size_t f = 0; f < texts.size(); ++f) {
          for_each_part(texts[f], [&](std::string_view part) {
            const auto offset = static_cast<std::size_t>(part.data() - texts[f].data());
            const std::uint32_t i = number++;
            if (label[i] != i) {
              removed[f].push_back({offset, offset + part.size()});
              ++count;
              if (c.dropped) write_part(i, f, offset, part);
            } else if (const auto first = firsts.find(i); first != firsts.end()) {
              first->second = {document, offset};
            }
          });
        }
        ++document;
        writer.write(from, line, raw, texts, removed);
      });
  writer.finish_run("; " + grouped(count) + " of " + counted(collected.size(), "part", "parts") +
                    (count == 1 ? " occurs earlier" : " occur earlier"));
}

}  // namespace command
