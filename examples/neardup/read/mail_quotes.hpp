// The text that the author of a mail wrote, without the text that the mail quotes.
#pragma once

#include <string>
#include <string_view>

namespace command {

/// Appends the lines of a mail's plain text that its author wrote. Quoted text is left out:
/// - lines that begin with ">", with the line before them that says who wrote them;
/// - everything behind "On DATE, NAME wrote:", behind "-----Original Message-----", and behind the header of a forwarded
///   mail in the text. If lines with ">" follow, only these lines are left out.
///
/// Lines of ">>> " alone are own text if no other quoted line is beside them: they are examples of Python.
/// Complexity: linear.
void append_own_text(std::string_view text, std::string& out);

/// Returns true if a text has a letter or a digit, or a character that is not ASCII.
bool has_words(std::string_view text);

}  // namespace command
