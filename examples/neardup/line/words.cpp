#include "words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <neardup/version.hpp>

#include "help.hpp"
#include "option_table.hpp"

namespace command {

namespace {

std::string usage_of(const verb& chosen, bool is_named, verb_table verbs) {
  if (is_named) return std::string("neardup ") + chosen.name + " [OPTIONS] " + chosen.arguments;
  return "neardup [VERB] [OPTIONS] PATH…        (PATH: a file, a folder, or - for standard input)\n" +
         list_of_verbs(verbs);
}

/// The help of CLI11 with this program's wording.
class help_formatter : public CLI::Formatter {
 public:
  explicit help_formatter(std::string usage) : usage_(std::move(usage)) { column_width(26); }

  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: " + usage_ + "\n";
  }
  std::string make_positionals(const CLI::App* /*app*/) const override { return ""; }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() ? "" : " " + type.substr(0, type.find(':'));
  }

 private:
  std::string usage_;
};

/// Converts `size` in place to a number of bytes.
/// Returns: an error message, or an empty text if `size` is valid.
std::string read_size(std::string& size) {
  const std::string given = size;  // kept for the message, because CLI11 removes the unit first
  try {
    if (given.find_first_of("0123456789") == 0 && CLI::AsSizeValue(false)(size).empty()) return "";
  } catch (const CLI::ValidationError&) {
  }
  return given + " is not a whole number of bytes, such as 512M, 1500M or 4G";
}

void add_option(CLI::App& app, const option_row& row) {
  constexpr std::size_t help_width = 56;
  const std::string name = row.name, help = wrapped(row.help, help_width);
  if (name.starts_with("--help")) {
    if (name == "--help-all") app.set_help_all_flag(name, help)->group(row.section);
    if (name != "--help-all") app.set_help_flag(name, help)->group(row.section);
  } else if (row.value == nullptr) {
    app.add_flag(name, help)->group(row.section);
  } else {
    std::string value = row.value;
    const std::size_t several = value.find("…");
    CLI::Option* const option = app.add_option(name, CLI::callback_t(), help);
    option->type_name(value.substr(0, several))->group(row.section);
    if (several != value.npos) option->allow_extra_args(false)->expected(1)->take_all();
    if (value.find(' ') != value.npos) option->expected(2)->take_all();
    if (name == "--memory") option->transform(CLI::Validator(read_size, ""));
  }
}

/// Hides the options that --help does not show, and replaces help texts by their brief forms.
void hide_unusual_options(CLI::App& app, const std::vector<option_row>& rows, const verb& chosen, bool is_named) {
  for (const option_row& row : rows) {
    CLI::Option* const option = app.get_option(row.long_name());
    if (row.shown == usual::no || (row.shown == usual::with_verb && !is_named)) option->group("");
    if (row.brief != nullptr) option->description(wrapped(row.brief, 1000));
  }
  app.footer(examples_of(chosen.name) + (is_named ? "" : "\nneardup VERB --help-all lists every option of a verb.\n"));
}

// CLI11 reads [a,b] as a list of two words. If this character comes before [a,b], CLI11 reads one word.
constexpr char no_list = '\x1f';

std::vector<std::string> unmarked(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word.starts_with(no_list)) word.erase(0, 1);
  }
  return words;
}

std::string help_of(const CLI::App& app) {
  std::string text = app.help();
  for (std::size_t gap = 0; (gap = text.find("\n\n\n", gap)) != text.npos;) text.erase(gap, 1);
  return text;
}

/// Returns an error message for an unknown option. The message names the verbs that have the option, or a similar
/// option.
std::string unknown_option(const std::string& typed, const std::vector<option_row>& rows, verb_table verbs) {
  const std::string name = typed.substr(0, typed.find('='));
  std::string others;
  int count = 0;
  for (const verb* const v : verbs) {
    for (const option_row& row : options_of(*v)) {
      if (row.long_name() != name) continue;
      others += (others.empty() ? "" : ", ") + std::string(v->name);
      ++count;
    }
  }
  if (count > 0) return "unknown option " + name + ": " + others + (count == 1 ? " has it" : " have it");

  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const option_row& row : rows) names.push_back(row.long_name().substr(2));
  const std::string meant = meant_by(name.substr(std::min(name.size(), name.find_first_not_of('-'))), names);
  return "unknown option " + name + (meant.empty() ? "" : "; did you mean --" + meant + "?");
}

}  // namespace

std::variant<typed_options, std::string> read_words(const verb& chosen, bool is_named, verb_table verbs,
                                                    std::vector<std::string> words) {
  const std::vector<option_row> rows = options_of(chosen);
  CLI::App app(is_named ? chosen.text + 1 : "neardup finds near-duplicate documents.\n", "neardup");
  app.formatter(std::make_shared<help_formatter>(usage_of(chosen, is_named, verbs)));
  if ((chosen.groups & takes::help) != 0) app.footer(rules() + all_examples());
  typed_options typed;
  typed.chosen = &chosen;
  typed.verbs = verbs;
  app.add_option("PATH", typed.paths, "");
  for (const option_row& row : rows) add_option(app, row);

  for (std::string& word : words) {
    if (word.starts_with('[') || word.starts_with(no_list)) word.insert(word.begin(), no_list);
  }
  std::reverse(words.begin(), words.end());  // CLI11 expects the words in this order
  try {
    app.parse(std::move(words));
    for (const option_row& row : rows) {
      const CLI::Option* const option = app.get_option(row.long_name());
      if (option->count() == 0 || (row.value == nullptr && !option->as<bool>())) continue;  // as in --lines=false
      typed.set(row.long_name(), unmarked(option->results()));
    }
    typed.paths = unmarked(std::move(typed.paths));
  } catch (const CLI::CallForHelp&) {
    hide_unusual_options(app, rows, chosen, is_named);
    return help_of(app);
  } catch (const CLI::CallForAllHelp&) {
    return help_of(app);
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app.remaining();
    const auto option = std::find_if(extras.begin(), extras.end(), [](const auto& e) { return e.starts_with('-'); });
    throw usage_error(option != extras.end() ? unknown_option(*option, rows, verbs)
                                             : "unexpected argument '" + extras.front() + "'");
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    const bool twice = what.find("At Most") != what.npos;
    throw usage_error(what.substr(0, what.find(':')) + (twice ? " is given more than once" : " needs a value"));
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  }
  if (typed.has("--version")) return std::string("neardup ") + NEARDUP_VERSION_STRING + "\n";
  return typed;
}

std::size_t parse_name(const std::string& option, const std::string& text, const std::vector<const char*>& names,
                       const std::string& rule) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw usage_error(option + " '" + text + "': " + rule);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace command
