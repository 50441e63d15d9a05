// A pass over the texts of the input that comes before the one that decides.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <neardup/text/utf8.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "context.hpp"
#include "documents.hpp"

namespace command {

/// A document of such a pass; valid while it is visited.
struct passing_document {
  const std::vector<std::string_view>& texts;
  bool ill_formed;
  bool is_cut;          ///< it is larger than what was asked for
  std::uint64_t bytes;  ///< of its line or file
  const source& from;
  std::uint64_t line;                  ///< from 1; 0 if the source is the document
  std::optional<std::string_view> id;  ///< its own

  /// How messages name it.
  [[nodiscard]] std::string where() const { return line == 0 ? from.name() : from.name() + ':' + std::to_string(line); }
};

/// For the first of two passes: what is skipped or passed over is said in the second. Throws: input_error unless it is skipped.
inline void pass_over(const options& settings, const bad_input& bad) {
  if (!settings.skip_bad && bad.kind == trouble::ends_run) throw input_error(bad);
}

/// Calls `visit(passing_document)` for each document in the order of the input, with no more than `most_bytes` of each
/// text, and `bad(bad_input)` for what is no document; sources that cannot be read again are copied. In this thread.
/// Throws: what these do; output_error if a copy cannot be written.
template <class Visit, class Bad>
void for_each_text(context& c, std::size_t most_bytes, const Visit& visit, const Bad& bad) {
  record_reader reader(c.settings);
  record texts;
  const auto visit_limited = [&](std::uint64_t bytes, const source& from, std::uint64_t line) {
    bool is_cut = false;
    for (std::string_view& text : texts.fields) {
      if (text.size() <= most_bytes) continue;
      text = text.substr(0, most_bytes);
      text.remove_suffix(neardup::incomplete_suffix(text));
      is_cut = true;
    }
    std::optional<std::string_view> id;
    if (texts.has_id) id = texts.id;
    visit(passing_document{texts.fields, texts.ill_formed, is_cut, bytes, from, line, id});
  };

  std::uint64_t lines_before = 0;
  const auto pass_lines = [&](const batch& lines) {
    if (lines.offset == 0) lines_before = 0;
    lines_before += for_each_line(lines, [&](const line_of_batch& line) {
      if (reader.is_blank(line.content)) return;
      const std::uint64_t number = lines_before + line.index + 1;
      if (const auto wrong = reader.read(line.content, texts)) {
        bad(bad_input{lines.from->name() + ':' + std::to_string(number), *wrong});
      } else {
        visit_limited(line.raw.size(), *lines.from, number);
      }
    });
  };

  byte_buffer buffer;
  std::string content;
  const auto pass_file = [&](source& file) {
    content.clear();
    file_facts facts;
    try {
      facts = read_file(file, true, buffer, [&](std::string_view piece, bool /*whole*/) {
        if (content.size() <= most_bytes) content.append(piece);
      });
    } catch (const std::system_error& error) {
      bad(unreadable(file, error));
      return;
    }
    texts.fields.assign(1, content);
    texts.ill_formed = facts.ill_formed;
    visit_limited(facts.size, file, 0);
  };

  const std::atomic<bool> never{false};
  batch_reader batches(c.settings, c.sources, true);
  for (batch next; batches.next(next, never);) {
    if (next.bad && next.from != nullptr) {
      if (next.offset == 0) lines_before = 0;
      bad(bad_input{next.from->name() + ':' + std::to_string(lines_before + 1), next.bad->what});
    } else if (next.bad) {
      bad(*next.bad);
    } else if (next.has_lines()) {
      pass_lines(next);
    } else {
      for (const auto& file : next.files) pass_file(*file);
    }
  }
}

}  // namespace command
