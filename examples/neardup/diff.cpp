// `neardup diff`: the lines in which two texts differ, the words that differ marked.
#include <cstdlib>

#include "../common/text_difference.hpp"
#include "context.hpp"
#include "documents.hpp"
#include "errors.hpp"
#include "output.hpp"
#include "platform.hpp"
#include "source.hpp"

namespace command {

namespace {

using common::change;
using common::text_piece;

/// A line of both texts together: of what was removed, and what was added.
struct marked_line {
  std::vector<text_piece> pieces;  // without the line end
  std::size_t number;              // among these
  std::size_t before, after;       // its number in each text, from 1

  [[nodiscard]] bool is_changed() const {
    return std::any_of(pieces.begin(), pieces.end(), [](const text_piece& p) { return p.what != change::none; });
  }
};

/// Prints lines that differ with some around them, and where they are.
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

  /// What cannot move the cursor of a terminal.
  static std::string shown(std::string_view text) {
    std::string result;
    for (const char& c : text) result += c == '\t' ? "\t" : c == '\n' ? "↵" : printable({&c, 1});
    return result;
  }

  output& out_;
  bool colored_;
  std::size_t context_;
  std::deque<marked_line> before_;  // equal lines that are shown if a changed one follows
  std::size_t after_ = 0;           // so many equal lines more
  std::size_t next_ = 0;            // the number of the line that follows the last one printed
};

/// Cuts pieces at the ends of lines. Calls `visit(marked_line)` for each line.
template <class Visit>
void for_each_marked_line(const std::vector<text_piece>& pieces, const Visit& visit) {
  marked_line line{{}, 1, 1, 1};
  for (const text_piece& piece : pieces) {
    for (std::string_view rest = piece.text; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const bool ends = end != rest.npos;
      // Of a line end that only one of the texts has, people have to see that it is there.
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

bool is_colored(const options& settings) {
  if (settings.color != color_choice::automatic) return settings.color == color_choice::always;
  const char* const refused = std::getenv("NO_COLOR");
  return settings.output_file.empty() && is_terminal(stdout) && (refused == nullptr || *refused == '\0');
}

}  // namespace

void run_diff(context& c) {
  const std::string before = text_of_file(c.settings.paths[0]), after = text_of_file(c.settings.paths[1]);
  const std::vector<text_piece> pieces = common::text_difference(before, after);
  if (c.settings.format == output_format::json_lines) {
    for (const text_piece& piece : pieces) {
      const char* const name = piece.what == change::none      ? "same"
                               : piece.what == change::removed ? "removed"
                                                               : "added";
      c.out << "{\"" << name << "\":" << json_string(piece.text) << "}\n";
    }
  } else {
    line_printer printer(c.out, is_colored(c.settings), c.settings.context);
    for_each_marked_line(pieces, [&](const marked_line& line) { printer.add(line); });
  }
  c.out.close();
}

}  // namespace command
