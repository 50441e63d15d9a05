// `neardup find`: finds the documents that contain a clue.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <neardup/fingerprint/hashers.hpp>
#include <system_error>
#include <unordered_map>

#include "../../common/clues.hpp"
#include "../compare/check.hpp"
#include "../describe/features.hpp"
#include "../documents/index_file.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "../read/record_editor.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array find_options{
    option_row{"--min-similarity", "X", takes::own, section::search,
               "the least share of the clue that a document has to contain, 0 to 1 (default: 0.5)"},
    option_row{"--index", "FILE", takes::own, section::search,
               "search the documents of this index, not those of PATHs. index --keep-postings makes such an index. "
               "Documents are sorted by the share of the clue's features that they have, then by the longest run of "
               "words that they share with the clue",
               usual::with_verb, "search this index, made by index --keep-postings, in place of PATHs"},
    option_row{"--seed", "N", takes::own, section::search,
               "with --index: the seed that the index was made with (default: 0)"},
    option_row{"--most", "N", takes::own, section::search, "print at most N documents (default: 10)", usual::with_verb},
};

struct wanted {
  std::string clue;
  double least_share = 0.5;
  std::size_t most = 10;  // number of documents to print
};

/// Computes the share of a clue that a document contains: the largest share of the clue's distinct features that any
/// window of a text has. A window has a quarter more features than the clue. Changed, inserted or missing words lower
/// the share.
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

  /// Returns the share of the clue that the document with these texts contains, from 0 to 1.
  /// Complexity: linear in the length of the texts.
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

  /// Returns the clue's length in words, code points or bytes, at least 1. This length limits the size of features,
  /// because a clue that is shorter than a feature has no features.
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
  std::optional<neardup::any_tokenizer> tokenize_;
  neardup::xxh3<64> hash_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // numbers of the clue's features
  std::size_t clue_length_ = 0;
  std::vector<std::size_t> window_;    // numbers, in numbers_, of the last features of a text
  std::vector<std::uint32_t> inside_;  // how often the window has each feature of the clue
  std::size_t found_ = 0;              // number of distinct features of the clue in the window
};

struct clue_finding {
  double share;
  std::string id;
  std::optional<shown_passage> passage;
  std::size_t run = 0;  // length of the longest run of words in common with the clue
};

void print_finding(context& c, const clue_finding& f) {
  if (c.settings.output.as_json()) {
    json_object line;
    line.add("id", json_string(f.id)).add("share", similarity_number(f.share));
    if (f.run > 0) line.add("run", std::to_string(f.run));
    if (f.passage) {
      if (!f.passage->field.empty()) line.add("field", json_string(f.passage->field));
      if (const auto& offset = f.passage->offset) {
        line.add("offset", std::to_string(*offset)).add("length", std::to_string(f.passage->length));
      }
      line.add("passage", json_string(f.passage->words));
    }
    c.out << line.text() + '\n';
    return;
  }
  c.out << similarity_text(f.share) + '\t' + printable(f.id);
  if (f.passage) c.out << '\t' + printable(f.passage->words);
  c.out << '\n';
}

/// Returns the passage that best matches a clue. `texts`: the texts of a document. name_of(i) returns the field of text
/// i.
template <class Texts, class NameOf>
std::optional<shown_passage> shown(const input_settings& settings, const common::clue_passages& passages,
                                   const Texts& texts, const NameOf& name_of) {
  const auto found = passages.in({texts.begin(), texts.end()});
  if (!found) return std::nullopt;
  return shown_in(settings, name_of(found->text), texts[found->text], found->where);
}

/// Returns `what` with its clue folded like the texts.
wanted as_read(const context& c, wanted what) {
  if (const auto& fold = c.settings.input.fold) {
    std::string clue;
    fold->append(what.clue, clue);
    what.clue = std::move(clue);
  }
  return what;
}

void print_findings(context& c, const wanted& what) {
  clue_finder find(c.settings.fingerprint.features, what.clue);
  if (find.empty()) throw usage_error("'" + what.clue + "': the clue has no word");
  const common::clue_passages passages(what.clue);
  std::vector<clue_finding> found;
  std::uint64_t count = 0;
  record_editor editor(c.settings.input);
  const auto keep_best = [&] {
    std::stable_sort(found.begin(), found.end(),
                     [](const clue_finding& a, const clue_finding& b) { return a.share > b.share; });
    found.resize(std::min(found.size(), what.most));
  };
  read_texts(c.settings.input, c.sources, c.notes, [&](const placed_document& d) {
    if (!has_words(c.settings.input, c.notes, d)) return;
    const double share = find.share_in(*d.texts);
    if (share <= 0 || share < what.least_share) return;
    ++count;
    if (found.size() >= what.most + 1024) keep_best();
    found.push_back({share, d.name(), shown(c.settings.input, passages, *d.texts, [&](std::size_t text) {
                       if (!has_several_texts(c.settings.input)) return std::string();
                       editor.texts_of(*d.from, d.line, d.raw);
                       return editor.name_of(text);
                     })});
  });
  keep_best();
  for (const clue_finding& f : found) print_finding(c, f);
  finish(c, ": " + counted(count, "holds", "hold") + " the clue, or much of it", count);
}

/// Reads texts of an index again, if they are still at the same place and have the same features.
class texts_of_index {
 public:
  texts_of_index(context& c, const opened_index<set_form>& index)
      : index_(index),
        as_lines_(with_unit(c.settings.input, unit_of_input::lines)),
        as_json_(with_unit(c.settings.input, unit_of_input::json_lines)),
        read_features_(make_feature_reader(c.settings.fingerprint, c.settings.comparison)),
        lines_(as_lines_),
        json_(as_json_) {}

  /// Reads the texts of a document again.
  /// Returns: null if the texts no longer exist, or have other features than `features`. The result is valid until the
  /// next call.
  const std::vector<std::string_view>* operator()(std::size_t document) {
    const std::optional<document_place> place = index_.place(document);
    if (!place) return nullptr;
    const feature_set features = index_.features(document);
    const std::string& path = place->path;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return nullptr;  // reading a pipe might block forever
    try {
      if (place->length == 0) {
        text_ = text_of_file(path);
        return use(lines_, source{.path = path, .copies = nullptr, .unit = unit_of_input::files}, features);
      }
      std::ifstream file(path, std::ios::binary);
      file.seekg(0, std::ios::end);
      const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
      if (size < 0 || place->offset > static_cast<std::uint64_t>(size) ||
          place->length > static_cast<std::uint64_t>(size) - place->offset) {
        return nullptr;
      }
      text_.resize(place->length);
      file.seekg(static_cast<std::streamoff>(place->offset));
      if (!file.read(text_.data(), static_cast<std::streamsize>(text_.size()))) return nullptr;
    } catch (const input_error&) {
      return nullptr;
    }
    const auto* const texts =
        use(json_, source{.path = path, .copies = nullptr, .unit = unit_of_input::json_lines}, features);
    return texts != nullptr
               ? texts
               : use(lines_, source{.path = path, .copies = nullptr, .unit = unit_of_input::lines}, features);
  }

 private:
  static input_settings with_unit(input_settings settings, unit_of_input unit) {
    settings.unit = unit;
    return settings;
  }

  const std::vector<std::string_view>* use(record_editor& reader, const source& from, feature_set features) {
    try {
      const std::vector<std::string_view>& texts = reader.texts_of(from, 1, text_);
      return std::ranges::equal(read_features_(texts), features) ? &texts : nullptr;
    } catch (const input_error&) {  // the record no longer exists
      return nullptr;
    }
  }

  const opened_index<set_form>& index_;
  input_settings as_lines_, as_json_;
  feature_reader read_features_;
  record_editor lines_, json_;
  std::string text_;
};

/// Returns the documents that have at least `least` of a clue's features. Documents with more of these features come
/// first, then documents with lower numbers. Posting lists find documents in the index file. Documents in its log are
/// compared one by one.
std::vector<common::posting_lists::finding> documents_holding(const opened_index<set_form>& index, feature_set clue,
                                                              std::size_t least) {
  std::vector<common::posting_lists::finding> found;
  try {
    found = index.postings().holding(clue, least, index.view().size());
  } catch (const common::postings_error& error) {
    refuse_damage(index.path(), error.what());
  }
  std::erase_if(found, [&](const auto& one) { return !index.has(one.document); });
  for (std::size_t i = index.view().size(); i < index.numbers(); ++i) {
    if (!index.has(i)) continue;
    const feature_set its = index.features(i);
    const auto common = static_cast<std::size_t>(
        std::ranges::count_if(clue, [its](std::uint32_t f) { return std::ranges::binary_search(its, f); }));
    if (common >= least) found.push_back({static_cast<std::uint32_t>(i), common});
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.common > b.common; });
  return found;
}

void find_in_index(context& c, const wanted& what, const index_settings& stored) {
  const opened_index<set_form> index(stored.path, c.settings.lists.are_verified);
  if (index.made_of().seed != neardup::seed_identity(c.settings.fingerprint.seed)) {
    throw usage_error(stored.path + " was made with another --seed");
  }
  index.check_words_of(c.how);
  if (!index.keeps_postings()) {
    throw usage_error(stored.path + " has no posting lists: make it with neardup index --keep-postings");
  }
  const feature_reader read_features = make_feature_reader(c.settings.fingerprint, c.settings.comparison);
  const feature_set own = read_features({what.clue});  // valid as long as the reader exists
  const std::vector<std::uint32_t> features(own.begin(), own.end());
  if (features.empty()) throw usage_error("'" + what.clue + "': the clue has no word");
  feature_setting single = c.settings.comparison.check_features;
  if (!single.needs_dictionary()) {
    single.choice.size = 1;
    std::size_t length = 0;
    make_tokenizer(single)(what.clue, [&](std::string_view) { ++length; });
    if (length < c.settings.comparison.check_features.choice.size) {
      throw usage_error("'" + what.clue + "': a clue that is shorter than the features of the index, " +
                        stored.check_features);
    }
  }
  const auto share_of = [&](std::size_t common) {
    return static_cast<double>(common) / static_cast<double>(features.size());
  };
  auto found = documents_holding(index, features, common::least_of(features.size(), what.least_share));
  index.check_file();
  const std::uint64_t count = found.size();
  found.resize(std::min(found.size(), std::max(what.most, common::ranked_by_run)));
  texts_of_index read(c, index);
  const common::common_run run(what.clue);
  struct candidate_document {
    common::posting_lists::finding found;
    std::size_t run = 0;
  };
  std::vector<candidate_document> ranked;
  for (const auto& one : found) {
    ranked.push_back({one});
    if (const auto* const texts = read(one.document)) {
      for (const std::string_view text : *texts) ranked.back().run = std::max(ranked.back().run, run.in(text));
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const candidate_document& a, const candidate_document& b) {
    return a.found.common != b.found.common ? a.found.common > b.found.common : a.run > b.run;
  });
  ranked.resize(std::min(ranked.size(), what.most));
  const common::clue_passages passages(what.clue);
  for (const auto& [one, length] : ranked) {
    clue_finding next{share_of(one.common), std::string(index.name(one.document)), std::nullopt, length};
    if (const auto* const texts = read(one.document)) {
      next.passage = shown(c.settings.input, passages, *texts, [](std::size_t) { return std::string(); });
    }
    print_finding(c, next);
  }
  index.check_file();
  c.notes.advance(index.size(), 0);
  finish(c, " in the index: " + counted(count, "holds", "hold") + " the clue, or much of it", count);
}

void take_wanted(const typed_options& given, wanted& what) {
  take_number(given, "--min-similarity", what.least_share, 0.0, 1.0);
  take_number<std::size_t>(given, "--most", what.most, 1, 1'000'000'000);
}

/// Searches an index. The clue gets features of the kind that the index has.
bool run_find_in_index(typed_options& typed) {
  refuse_empty_name(typed, "--index");
  wanted what;
  take_wanted(typed, what);
  if (typed.paths.empty())
    throw usage_error("find --index takes a clue: neardup find \"a sentence or two\" --index FILE");
  if (typed.paths.size() > 1) throw usage_error("find --index searches only the index: leave out " + typed.paths[1]);
  what.clue = typed.paths.front();
  typed.paths.clear();
  const std::string why = " with --index: the index says what its documents are";
  refuse_if_given(typed, {"--features"}, why);
  refuse_input_options(typed, why);
  const index_settings stored = read_index_settings(typed.text("--index"));
  if (!stored.has_sets()) {
    throw usage_error(stored.path + (stored.has_codes() ? " is an index of codes, which hold no words to look for"
                                                        : " is an index of fingerprints, which hold no words; make one "
                                                          "of features: neardup index --keep-postings"));
  }
  typed.set("--check-features", {stored.check_features});
  if (stored.folds_chinese) typed.set_default("--fold-chinese", "true");
  if (!stored.folds_chinese && typed.has("--fold-chinese")) {
    throw usage_error("--fold-chinese: " + stored.path + " was made without it");
  }
  run_settings settings = settings_of(typed);
  settings.lists.are_verified = !typed.has("--no-verify");
  take_fingerprint(typed, {}, settings);
  settings.comparison.min_similarity = 0;
  settings.comparison.reads_features = true;
  take_output(typed, settings);
  refuse_overwriting(settings, {stored.path}, false);
  return run_on_documents(settings, [&](context& c) { find_in_index(c, as_read(c, what), stored); });
}

bool run_find(typed_options& typed) {
  if (typed.has("--index")) return run_find_in_index(typed);
  refuse_if_given(typed, {"--seed", "--no-verify"}, " needs --index");
  wanted what;
  const auto take_clue = [&](run_settings& to) {
    if (to.input.paths.empty()) return;
    what.clue = to.input.paths.front();
    to.input.paths.erase(to.input.paths.begin());
  };
  const auto take_what_is_wanted = [&](const typed_options& given, const run_settings&) { take_wanted(given, what); };
  if (typed.text("--features").starts_with("counted:")) {
    throw usage_error("--features " + typed.text("--features") +
                      ": find compares parts of texts, in which features are not counted; leave out counted:");
  }
  run_settings settings = take_reading(
      typed,
      {.paths = take_clue,
       .comparison = take_what_is_wanted,
       .without_input = "find takes a clue, and then files or folders: neardup find \"a sentence or two\" PATH…"});
  return run_on_documents(settings, [&](context& c) { print_findings(c, as_read(c, what)); });
}

}  // namespace

extern const verb find_verb;
const verb find_verb{"find",
                     "CLUE PATH… | CLUE --index FILE",
                     "the documents that contain a sentence or two, or something near it",
                     R"(
Prints the documents that contain the clue, a sentence or two, or a text near it. Documents that contain most
of the clue come first. Documents that contain the same share come in the order of the input. A line has, with
tabs between them: the share of the clue's features that stand together in the document, the id, and the words
around the place, which stands in brackets.
A clue may be shorter than a feature, such as a single word if features are pairs of words. Then it is searched
as a whole word, but not in an index. Without --index, the input is read once, and every document is searched.
With --index, only the index is read, and the texts of the documents that are printed, if they still exist and
have not changed.
)",
                     takes::texts | takes::features | takes::dictionary | takes::format | takes::output |
                         takes::running | takes::help | takes::exit_status | takes::verification,
                     find_options,
                     run_find};

}  // namespace command
