#include "page.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace command {

namespace {

using common::change;
using common::text_piece;

// Limits of the shown text, in bytes: at each end of an equal piece, and for all differences together.
constexpr std::size_t shown_around = 300;
constexpr std::size_t max_changed = 20000;

std::string_view last_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text = text.substr(text.size() - most);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0U) == 0x80) text.remove_prefix(1);
  return text;
}

/// Writes pieces as a JSON array of pairs: the kind and the text, or the kind and the size of an omitted text.
class piece_writer {
 public:
  piece_writer(output& out, const std::vector<text_piece>& pieces) : out_(out) {
    out_ << '[';
    for (const text_piece& piece : pieces) {
      if (piece.what == change::none) {
        add_equal(piece.text, &piece == &pieces.front(), &piece == &pieces.back());
      } else {
        const std::string_view shown = first_bytes(piece.text, max_changed - std::min(max_changed, changed_));
        changed_ += shown.size();
        add_text(piece.what == change::removed ? '-' : '+', shown);
        leave_out(piece.what == change::removed ? 'l' : 'r', piece.text.size() - shown.size());
      }
    }
    out_ << ']';
  }

 private:
  void add_equal(std::string_view text, bool is_first, bool is_last) {
    if (text.size() <= 3 * shown_around) return add_text('=', text);
    const std::string_view begin = is_first && !is_last ? std::string_view() : first_bytes(text, shown_around);
    const std::string_view end = is_last && !is_first ? std::string_view() : last_bytes(text, shown_around);
    add_text('=', begin);
    leave_out('~', text.size() - begin.size() - end.size());
    add_text('=', end);
  }

  void add_text(char what, std::string_view text) {
    if (!text.empty()) add(what, script_string(text));
  }
  /// Writes a mark for omitted text: '~' for equal text, 'l' for text of the kept document, 'r' for text of the other
  /// document.
  void leave_out(char what, std::size_t bytes) {
    if (bytes > 0) add(what, std::to_string(bytes));
  }
  void add(char what, const std::string& json) {
    out_ << (is_empty_ ? "\"" : ",\"") << what << "\"," << json;
    is_empty_ = false;
  }

  output& out_;
  std::size_t changed_ = 0;
  bool is_empty_ = true;
};

}  // namespace

std::pair<std::string_view, std::string_view> split_page(std::string_view page, std::string_view mark) {
  const std::size_t place = page.find(mark);
  return {page.substr(0, place), page.substr(place + mark.size())};
}

std::string script_string(std::string_view text) {
  std::string out;
  for (const char c : json_string(text)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string rule_text(const run_settings& settings) {
  const comparison_settings& how = settings.comparison;
  const fingerprint_settings& made = settings.fingerprint;
  if (how.only_copies) return "their texts are equal";
  // Features that are read from records have no name. Weights are named only for fingerprints and for the cosine,
  // because all other checks compare sets.
  const auto named = [&](const feature_setting& features, bool are_weighted) {
    std::string text = made.are_given ? "" : to_string(features);
    const auto add = [&text](const std::string& option) { text += (text.empty() ? "" : ", ") + option; };
    const bool has_weights = made.weights != neardup::any_weighter::choice();
    if (are_weighted && has_weights) add("--weights " + made.weights.name());
    if (are_weighted && made.top > 0) add("--top " + std::to_string(made.top));
    return text.empty() ? text : " (" + text + ")";
  };
  const std::string bits = " of " + std::to_string(made.bits) + " bits";
  const std::string fingerprints = made.are_codes ? "their codes" + bits
                                                  : "their " + std::string(neardup::to_string(made.kind)) +
                                                        " fingerprints" + bits + named(made.features, true);
  const std::string apart =
      fingerprints + " differ in at most " + counted(static_cast<std::uint64_t>(how.distance), "bit", "bits");
  std::string rule;
  if (!how.min_similarity) {
    rule = apart;
  } else {
    const std::string features = " features" + named(how.check_features, how.check == similarity_measure::cosine);
    switch (how.check) {
      case similarity_measure::jaccard: rule = "the Jaccard similarity of their" + features; break;
      case similarity_measure::cosine:
      case similarity_measure::cosine_of_sets: rule = "the cosine of their" + features; break;
      case similarity_measure::edit: rule = "the edit similarity of their texts"; break;
      case similarity_measure::containment: rule = "the share of the smaller one's" + features + " in the other"; break;
    }
    rule += " is at least " + number(*how.min_similarity);
    if (!how.is_exact) rule += ", and " + apart;
  }
  for (const std::string& same : made.same) rule += ", and they agree by --same " + same;
  return rule;
}

std::string time_text() {
  using namespace std::chrono;
  auto now = floor<minutes>(system_clock::now());
  const char* const given = std::getenv("SOURCE_DATE_EPOCH");
  if (const std::string_view fixed = given == nullptr ? "" : given; !fixed.empty()) {
    constexpr std::int64_t year_10000 = 253402300800;
    std::int64_t second = -1;
    const auto parsed = std::from_chars(fixed.data(), fixed.data() + fixed.size(), second);
    if (parsed.ec != std::errc{} || parsed.ptr != fixed.data() + fixed.size() || second < 0 || second >= year_10000) {
      throw usage_error("SOURCE_DATE_EPOCH=" + std::string(fixed) + ": seconds since 1970, below 253402300800");
    }
    now = floor<minutes>(sys_seconds(seconds(second)));
  }
  const auto day = floor<days>(now);
  const year_month_day date{day};
  const auto two_digits = [](long long n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const auto minute = (now - day).count();
  return std::to_string(static_cast<int>(date.year())) + '-' + two_digits(static_cast<unsigned>(date.month())) + '-' +
         two_digits(static_cast<unsigned>(date.day())) + ' ' + two_digits(minute / 60) + ':' + two_digits(minute % 60) +
         " UTC";
}

void say_if_large(const context& c, const std::string& largest) {
  constexpr std::uint64_t large = 20'000'000;
  if (c.settings.output.quiet || c.out.size() <= large) return;
  say("the page has " + grouped(c.out.size() / 1'000'000) +
      " MB, which a browser is slow with; --most N writes the N " + largest + " only");
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text = text.substr(0, most);
  return text.substr(0, text.size() - neardup::incomplete_suffix(text));
}

void write_difference(output& out, std::string_view kept, std::string_view other) {
  piece_writer(out, common::text_difference(kept, other));
}

}  // namespace command
