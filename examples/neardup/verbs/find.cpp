// `neardup find`: the documents that hold a clue.
#include <algorithm>
#include <array>
#include <limits>
#include <neardup/fingerprint/hashers.hpp>
#include <unordered_map>

#include "../describe/features.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array find_options{
    option_row{"--min-similarity", "X", takes::own, section::search,
               "the least share of the clue, 0 to 1 (default: 0.5)"},
    option_row{"--most", "N", takes::own, section::search, "at most N documents (default: 10)", usual::with_verb},
};

struct wanted {
  std::string clue;
  double least_share = 0.5;
  std::size_t most = 10;  // documents
};

/// How much of a clue a document holds: the largest share of the clue's distinct features within a run of features a
/// quarter longer than the clue. Words that were changed, put in or left out take their features from the share.
class clue_finder {
 public:
  clue_finder(const feature_setting& features, std::string_view clue) : features_(features) {
    if (!features_.needs_dictionary()) features_.choice.size = std::min(features_.choice.size, length_of(clue));
    tokenize_.emplace(make_tokenizer(features_));
    (*tokenize_)(clue, [&](std::string_view token) {
      numbers_.emplace(hash_(token), numbers_.size());
      ++clue_length_;
    });
    window_.resize(clue_length_ + clue_length_ / 4 + 1);
    inside_.resize(numbers_.size());
  }

  [[nodiscard]] bool empty() const { return numbers_.empty(); }

  /// From 0 to 1. Complexity: linear in the texts.
  double share_in(const std::vector<std::string>& texts) {
    std::size_t best = 0;
    for (const std::string& text : texts) {
      std::fill(window_.begin(), window_.end(), none);
      std::fill(inside_.begin(), inside_.end(), 0);
      found_ = 0;
      std::size_t place = 0;
      (*tokenize_)(text, [&](std::string_view token) {
        const auto number = numbers_.find(hash_(token));
        replace(window_[place], number == numbers_.end() ? none : number->second);
        place = place + 1 == window_.size() ? 0 : place + 1;
        best = std::max(best, found_);
      });
    }
    return static_cast<double>(best) / static_cast<double>(numbers_.size());
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// In words, code points or bytes; at least 1. A shorter clue than a feature is looked for as it stands: as one of its
  /// own it would be in no longer document.
  [[nodiscard]] std::size_t length_of(std::string_view clue) const {
    feature_setting single = features_;
    single.choice.size = 1;
    std::size_t length = 0;
    make_tokenizer(single)(clue, [&](std::string_view) { ++length; });
    return std::max<std::size_t>(length, 1);
  }

  void replace(std::size_t& slot, std::size_t number) {
    if (slot != none && --inside_[slot] == 0) --found_;
    if (number != none && ++inside_[number] == 1) ++found_;
    slot = number;
  }

  feature_setting features_;
  std::optional<neardup::any_tokenizer<>> tokenize_;
  neardup::xxh3<64> hash_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // of the clue's features
  std::size_t clue_length_ = 0;
  std::vector<std::size_t> window_;    // the last features of a text, as far as they are the clue's
  std::vector<std::uint32_t> inside_;  // how often each of these is in the window
  std::size_t found_ = 0;              // how many are at all
};

void print_findings(context& c, const wanted& what) {
  clue_finder find(c.settings.fingerprint.features, what.clue);
  if (find.empty()) throw usage_error("'" + what.clue + "': a clue without any word");
  struct finding {
    double share;
    std::string id;
  };
  std::vector<finding> found;
  read_texts(c.settings.input, c.sources, c.notes, [&](const placed_document& d) {
    const double share = find.share_in(*d.texts);
    if (share > 0 && share >= what.least_share) found.push_back({share, d.name()});
  });
  std::stable_sort(found.begin(), found.end(), [](const finding& a, const finding& b) { return a.share > b.share; });
  const std::size_t count = found.size();
  found.resize(std::min(count, what.most));
  for (const finding& f : found) {
    if (c.settings.output.as_json()) {
      c.out << "{\"id\":" << json_string(f.id) << ",\"share\":" << number(f.share) << "}\n";
    } else {
      c.out << similarity_text(f.share) << '\t' << printable(f.id) << '\n';
    }
  }
  finish(c, ": " + counted(count, "holds", "hold") + " the clue, or much of it", count);
}

bool run_find(typed_options& typed) {
  wanted what;
  const auto take_clue = [&](run_settings& to) {
    if (to.input.paths.empty()) return;
    what.clue = to.input.paths.front();
    to.input.paths.erase(to.input.paths.begin());
  };
  const auto take_what_is_wanted = [&](const typed_options& given, const run_settings&) {
    take_number(given, "--min-similarity", what.least_share, 0.0, 1.0);
    take_number<std::size_t>(given, "--most", what.most, 1, 1'000'000'000);
  };
  run_settings settings = take_reading(
      typed,
      {.paths = take_clue,
       .comparison = take_what_is_wanted,
       .without_input = "find takes a clue, and then files or folders: neardup find \"a sentence or two\" PATH…"});
  return run_on_documents(settings, [&](context& c) { print_findings(c, what); });
}

}  // namespace

extern const verb find_verb;
const verb find_verb{"find",
                     "CLUE PATH…",
                     "the documents that hold a sentence or two, or something near it",
                     R"(
Prints the documents that hold the clue, a sentence or two, or something near it: those that hold most of it
first, equal ones in the order of the input. Text: the share of the clue's features that stand together in the
document, a tab, and the id. A clue that is shorter than a feature, such as a single word where features
are pairs of words, is looked for as a whole word. It reads the input once, and looks at every document.
)",
                     takes::texts | takes::features | takes::dictionary | takes::format | takes::output |
                         takes::running | takes::help | takes::exit_status,
                     find_options,
                     run_find};

}  // namespace command
