#include "command_line.hpp"

#include <filesystem>
#include <system_error>

#include "help.hpp"

namespace command {

command_line parse_command_line(int count, char** arguments, verb_table verbs) {
  std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  std::error_code ignored;
  if (!words.empty() && words.front() == "help" && !std::filesystem::exists("help", ignored)) {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::string first = words.empty() ? "" : words.front();
  const verb* const named = verb_called(verbs, first);
  if (named != nullptr) words.erase(words.begin());
  const verb& chosen = named != nullptr ? *named : *verbs.front();
  command_line read = read_words(chosen, named != nullptr, verbs, std::move(words));
  if (auto* const typed = std::get_if<typed_options>(&read)) {
    // Most paths contain a point, a slash or a hyphen, and names of verbs do not.
    typed->first_may_be_verb = named == nullptr && !typed->paths.empty() && first == typed->paths.front() &&
                               first.find_first_of("./\\-") == std::string::npos;
  }
  return read;
}

}  // namespace command
