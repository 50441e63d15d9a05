// `neardup diff`: prints the lines in which two texts differ. Words that differ are marked.
#include <array>
#include <cstdlib>
#include <deque>

#include "../../common/text_difference.hpp"
#include "../documents/documents.hpp"
#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "../write/output.hpp"

namespace command {

namespace {

using common::change;
using common::text_piece;

constexpr std::array diff_options{
    option_row{"--context", "N", takes::own, section::comparison,
               "print N equal lines around lines that differ (default: 3)"},
    option_row{"--color", "WHEN", takes::own, section::output,
               "auto (the default): colours in a terminal, unless NO_COLOR is set. Other values: always, never"},
};

enum class color_choice { automatic, always, never };

/// A line of the merged texts, with removed and added pieces.
struct marked_line {
  std::vector<text_piece> pieces;  // pieces of the line, without the line end
  std::size_t number;              // number of the line among the merged lines
  std::size_t before, after;       // number of the line in each text, counted from 1

  [[nodiscard]] bool is_changed() const {
    return std::any_of(pieces.begin(), pieces.end(), [](const text_piece& p) { return p.what != change::none; });
  }
};

/// Prints the lines that differ, some lines around them, and their positions.
class line_printer {
 public:
  line_printer(output& out, bool colored, std::size_t context) : out_(out), colored_(colored), context_(context) {}

  void add(const marked_line& line) {
    if (line.is_changed()) {
      for (const marked_line& before : before_) print(before);
      before_.clear();
      print(line);
      after_ = context_;
    } else if (after_ > 0) {
      --after_;
      print(line);
    } else {
      before_.push_back(line);
      if (before_.size() > context_) before_.pop_front();
    }
  }

 private:
  void print(const marked_line& line) {
    if (line.number != next_) {
      const std::string place = "@@ -" + std::to_string(line.before) + " +" + std::to_string(line.after) + " @@";
      out_ << (colored_ ? "\x1b[36m" + place + "\x1b[m" : place) << '\n';
    }
    next_ = line.number + 1;
    for (const text_piece& piece : line.pieces) {
      const std::string text = shown(piece.text);
      if (piece.what == change::none) {
        out_ << text;
      } else if (piece.what == change::removed) {
        out_ << (colored_ ? "\x1b[31m" : "[-") << text << (colored_ ? "\x1b[m" : "-]");
      } else {
        out_ << (colored_ ? "\x1b[32m" : "{+") << text << (colored_ ? "\x1b[m" : "+}");
      }
    }
    out_ << '\n';
  }

  /// Returns `text` as printable() writes it, but keeps tabs, and shows a line end as ↵.
  static std::string shown(std::string_view text) {
    std::string result;
    for (const char& c : text) result += c == '\t' ? "\t" : c == '\n' ? "↵" : printable({&c, 1});
    return result;
  }

  output& out_;
  bool colored_;
  std::size_t context_;
  std::deque<marked_line> before_;  // equal lines, shown if a changed line follows
  std::size_t after_ = 0;           // number of further equal lines to print
  std::size_t next_ = 0;            // number of the line after the last printed line
};

/// Cuts pieces at line ends. Calls `visit(marked_line)` for each line.
template <class Visit>
void for_each_marked_line(const std::vector<text_piece>& pieces, const Visit& visit) {
  marked_line line{{}, 1, 1, 1};
  for (const text_piece& piece : pieces) {
    for (std::string_view rest = piece.text; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const bool ends = end != rest.npos;
      // A line end must be visible if only one of the texts has it.
      const std::size_t length = !ends ? rest.size() : piece.what == change::none ? end : end + 1;
      if (length > 0) line.pieces.push_back({piece.what, rest.substr(0, length)});
      rest.remove_prefix(ends ? end + 1 : length);
      if (!ends) continue;
      visit(line);
      line.pieces.clear();
      ++line.number;
      if (piece.what != change::added) ++line.before;
      if (piece.what != change::removed) ++line.after;
    }
  }
  if (!line.pieces.empty()) visit(line);
}

bool is_colored(color_choice color, const output_settings& settings) {
  if (color != color_choice::automatic) return color == color_choice::always;
  const char* const refused = std::getenv("NO_COLOR");
  return settings.file.empty() && is_terminal(stdout) && (refused == nullptr || *refused == '\0');
}

void print_difference(context& c, color_choice color, std::size_t around) {
  const std::string before = text_of_file(c.settings.input.paths[0]), after = text_of_file(c.settings.input.paths[1]);
  const std::vector<text_piece> pieces = common::text_difference(before, after);
  if (c.settings.output.as_json()) {
    for (const text_piece& piece : pieces) {
      const char* const name = piece.what == change::none      ? "same"
                               : piece.what == change::removed ? "removed"
                                                               : "added";
      c.out << "{\"" << name << "\":" << json_string(piece.text) << "}\n";
    }
  } else {
    line_printer printer(c.out, is_colored(color, c.settings.output), around);
    for_each_marked_line(pieces, [&](const marked_line& line) { printer.add(line); });
  }
  c.out.close();
}

bool run_diff(typed_options& typed) {
  run_settings settings = settings_of(typed);
  const std::vector<std::string>& paths = settings.input.paths;
  if (paths.size() != 2) {
    throw usage_error("diff compares two files, and " + counted(paths.size(), "is", "are") + " named");
  }
  if (streams_in(paths) > 1) throw usage_error("standard input (-) can be read only once");
  color_choice color = color_choice::automatic;
  std::size_t around = 3;  // number of equal lines around lines that differ
  take_name(typed, "--color", color, {"auto", "always", "never"}, "must be auto, always or never");
  take_number<std::size_t>(typed, "--context", around, 0, 1'000'000'000);
  take_output(typed, settings);
  refuse_overwriting(settings, {}, false);
  context c(settings);
  print_difference(c, color, around);
  return false;
}

}  // namespace

extern const verb diff_verb;
const verb diff_verb{"diff",
                     "A B",
                     "what differs between two texts, in words",
                     R"(
Prints the lines in which the texts of two files differ. Words of A only are [-removed-], and words of B only
are {+added+}; in a terminal they are red and green. @@ -12 +14 @@ are the numbers of the next line in A and
in B. In a script without spaces, each character is a word. With --format jsonl it prints one record for each
piece of the texts: {"same": …}, {"removed": …} or {"added": …}.
)",
                     takes::format | takes::output | takes::short_help,
                     diff_options,
                     run_diff};

}  // namespace command
