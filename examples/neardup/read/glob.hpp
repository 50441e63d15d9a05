// Patterns for names of files, like those of shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace command {

/// Expands patterns: `{a,b}` is expanded to the two alternatives, and `./a` to `/a`.
/// Throws: usage_error if a pattern is invalid. The message begins with `option`.
std::vector<std::string> expanded_globs(const std::string& option, const std::vector<std::string>& patterns);

/// Returns true if a pattern matches the whole text. `?`, `[a-z]`, `[!a-z]` and `[[:digit:]]` match one character that
/// is not '/'. `*` matches any number of characters that are not '/'. If `**` is the whole last name of the pattern, it
/// matches anything. `**/` in place of a name matches any number of folders, or none. Any other `**` means `*`. `\`
/// makes the next character literal.
/// Complexity: the length of the pattern times the length of the text.
bool matches_glob(std::string_view pattern, std::string_view text);

/// Returns true if one of the patterns matches, as in .gitignore. A pattern with a '/' at its beginning or inside must
/// match the whole path. Any other pattern must match the last name of the path. A pattern with a '/' at its end
/// matches only folders and the files inside them.
bool matches_any(const std::vector<std::string>& patterns, std::string_view relative_path, bool is_folder);

}  // namespace command
