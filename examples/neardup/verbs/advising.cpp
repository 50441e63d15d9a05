#include "advising.hpp"

#include <algorithm>

#include "../ground/text.hpp"

namespace command {

namespace {

/// Quotes a word for a POSIX shell if necessary.
std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

void print_table(output& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      out << (i == 0 ? row[i] + gap : "  " + gap + row[i]);
    }
    out << '\n';
  }
}

std::string path_words(const advised_run& settings, bool in_full) {
  const auto end = settings.input.paths.begin() +
                   static_cast<std::ptrdiff_t>(std::min(settings.input.paths.size(), settings.input.first_listed));
  constexpr std::ptrdiff_t max_shown = 10;
  if (!in_full && end - settings.input.paths.begin() > max_shown) return " PATH…";
  const auto looks_like_an_option = [](const std::string& path) { return path.size() > 1 && path.starts_with('-'); };
  std::string text = std::any_of(settings.input.paths.begin(), end, looks_like_an_option) ? " --" : "";
  std::for_each(settings.input.paths.begin(), end, [&](const std::string& path) { text += ' ' + shell_word(path); });
  return text;
}

std::string input_options(const advised_run& settings) {
  std::string text;
  if (settings.fingerprint.seed != 0) text += " --seed " + std::to_string(settings.fingerprint.seed);
  for (const std::string& word : settings.input_words) text += ' ' + shell_word(word);
  return text;
}

std::string exact_command(const advised_run& settings, double similarity, const compared_by& by, bool in_full) {
  return "neardup groups --similarity " + number(similarity) + " --exact " +
         (by.features ? "--check-features " + by.name() : "--check edit") + input_options(settings) +
         path_words(settings, in_full);
}

}  // namespace command
