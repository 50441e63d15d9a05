#include "typed.hpp"

#include <algorithm>
#include <neardup/version.hpp>

namespace command {

namespace {

/// Which verbs have an option that this one does not, or which of its options is meant.
std::string unknown_option(const std::string& name, const std::vector<option_row>& rows) {
  std::string others;
  int count = 0;
  for (const verb_row& v : all_verbs()) {
    for (const option_row& row : options_of(v.action)) {
      if (row.long_name() != name) continue;
      others += (others.empty() ? "" : ", ") + std::string(v.name);
      ++count;
    }
  }
  if (count > 0) return "unknown option " + name + ": " + others + (count == 1 ? " has it" : " have it");

  std::vector<std::string> names;
  for (const option_row& row : rows) names.push_back(row.long_name().substr(2));
  const std::string meant = meant_by(name.substr(std::min(name.size(), name.find_first_not_of('-'))), names);
  return "unknown option " + name + (meant.empty() ? "" : "; did you mean --" + meant + "?");
}

}  // namespace

std::variant<typed_options, std::string> read_words(const verb_row& chosen, bool is_named,
                                                    const std::vector<std::string>& words) {
  const std::vector<option_row> rows = options_of(chosen.action);
  typed_options typed;
  std::string unknown;
  bool only_paths = false;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (only_paths || !word->starts_with('-') || *word == "-") {
      typed.paths.push_back(*word);
      continue;
    }
    only_paths = *word == "--";
    if (only_paths) continue;
    const std::size_t end = std::min(word->find('='), word->size());
    const std::string name = word->substr(0, end);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const option_row& r) {
      return name == r.long_name() || std::string_view(r.name).starts_with(name + ',');
    });
    if (row == rows.end()) {
      if (unknown.empty()) unknown = name;
      continue;
    }
    const bool is_behind = end < word->size();  // the value, as in --bits=64 and --lines=false
    std::string value = is_behind ? word->substr(end + 1) : "";
    if (row->value == nullptr) {
      if (!value.empty() && value != "true" && value != "false") throw usage_error(*word + ": it is true or false");
      typed.set_flag(row->long_name(), value != "false");
      continue;
    }
    const bool is_once = !std::string_view(row->value).ends_with("…");
    if (is_once && typed.has(name)) throw usage_error(name + " is given more than once");
    if (!is_behind && ++word == words.end()) throw usage_error(name + " needs a value");
    typed.add(name, is_behind ? value : *word);
  }
  if (typed.has("--help") || typed.has("--help-all")) return help_text(chosen, is_named, !typed.has("--help"));
  if (!unknown.empty()) throw usage_error(unknown_option(unknown, rows));
  if (typed.has("--version")) return std::string("neardup ") + NEARDUP_VERSION_STRING + "\n";
  return typed;
}

std::size_t parse_name(const std::string& option, const std::string& text, std::initializer_list<const char*> names,
                       const std::string& rule) {
  const auto* const found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw usage_error(option + " '" + text + "': " + rule);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace command
