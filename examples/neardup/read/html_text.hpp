// The text of an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace command {

/// Appends the text of HTML to `out`: without tags, comments, scripts and style sheets, with character references
/// resolved. Elements that browsers show on lines of their own are on lines of their own. Never fails: anything that is
/// not a tag or a reference is text.
/// Complexity: linear.
void append_html_text(std::string_view html, std::string& out);

/// Appends the text of an HTML mail without the text that it quotes: elements `blockquote`, and elements that programs
/// mark as quotes (`gmail_quote`, `yahoo_quoted` …). The line ">" stands for each of them.
/// Complexity: linear.
void append_own_html_text(std::string_view html, std::string& out);

}  // namespace command
