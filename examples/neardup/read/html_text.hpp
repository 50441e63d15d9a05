// Extracts the text of HTML pages and HTML mails.
#pragma once

#include <string>
#include <string_view>

namespace command {

/// Returns true if the text begins as a page of HTML or XML, perhaps after white space: with `<!doctype html`, `<html`
/// or `<?xml`, and white space or `>` behind it.
bool begins_html_page(std::string_view text);

/// Appends the text of HTML to `out`, without tags, comments, scripts and style sheets. Character references are
/// replaced by their characters. An element that browsers show on lines of its own gets lines of its own. The function
/// never fails: everything that is not a tag or a reference is text.
/// Complexity: linear.
void append_html_text(std::string_view html, std::string& out);

/// Appends the text of an HTML mail to `out`, without quoted text. The `blockquote` elements are quoted text, and so
/// are elements that mail programs mark as quotes (`gmail_quote`, `yahoo_quoted` …). The line ">" takes the place of
/// each quote.
/// Complexity: n log n for n bytes.
void append_own_html_text(std::string_view html, std::string& out);

}  // namespace command
