// Finds the text that the author of a mail wrote, without the text that the mail quotes.
#pragma once

#include <string>
#include <string_view>

namespace command {

/// Appends the lines of a mail's plain text that its author wrote. Quoted text is left out:
/// - lines that begin with ">", and up to three lines before them that name the author of the quote;
/// - "On DATE, NAME wrote:", "-----Original Message-----", or the header of a forwarded mail in the text, with all
/// lines after it, or, if lines with ">" follow, only with those.
///
/// Lines with ">>> " are the author's own text, because they are examples of Python, unless another kind of quoted text
/// is next to them.
/// Complexity: linear.
void append_own_text(std::string_view text, std::string& out);

/// Returns true if a text has a letter or a digit, or a character that is not ASCII.
bool has_words(std::string_view text);

}  // namespace command
