// Finds the text that the author of a mail wrote, without the text that the mail quotes.
#pragma once

#include <string>
#include <string_view>

namespace command {

/// Appends the lines of a mail's plain text that its author wrote. Quoted text is left out:
/// - lines that begin with ">", and the line before them that names the author of the quote;
/// - everything after "On DATE, NAME wrote:", after "-----Original Message-----", and after the header of a forwarded
/// mail in the text. If lines with ">" follow, only the lines with ">" are left out.
///
/// A line with ">>> " is the author's own text if no other quoted line is next to it, because it is an example of
/// Python.
/// Complexity: linear.
void append_own_text(std::string_view text, std::string& out);

/// Returns true if a text has a letter or a digit, or a character that is not ASCII.
bool has_words(std::string_view text);

}  // namespace command
