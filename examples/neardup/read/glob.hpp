// Patterns for names of files, as shells have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The patterns that some stand for: `{a,b}` for either, `./a` for `/a`. Throws: usage_error, which begins with `option`.
std::vector<std::string> expanded_globs(const std::string& option, const std::vector<std::string>& patterns);

/// Whether a pattern matches the whole text: `?`, `[a-z]`, `[!a-z]` and `[[:digit:]]` stand for one character, `*` for
/// any number, but none of them for a '/'; `**` for anything; `\` makes the next character stand for itself. In `**/`
/// the folders may also be none. Complexity: the length of the pattern times that of the text.
bool matches_glob(std::string_view pattern, std::string_view text);

/// Whether one of the patterns matches, as in .gitignore: one with a '/' at its beginning or inside the path below the
/// folder given, any other the name; one with a '/' at its end only folders, and what is in them if it is for files.
bool matches_any(const std::vector<std::string>& patterns, std::string_view relative_path, bool is_folder);

}  // namespace command
