// `neardup tokens`: prints the features of each document.
#include <algorithm>

#include "../describe/readers.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

/// Returns a feature as text on one line. The separator of its words becomes a space.
std::string shown(std::string text) {
  std::replace(text.begin(), text.end(), '\x1f', ' ');
  return printable(text);
}

void print_tokens(context& c) {
  const auto weigh = make_feature_weigher(c.settings.fingerprint, c.settings.fingerprint.features);
  const bool as_json = c.settings.output.as_json();
  bool first_document = true;
  read_texts(c.settings.input, c.sources, c.notes, [&](const placed_document& d) {
    const std::vector<weighed_feature> features = weigh({d.texts->begin(), d.texts->end()});
    for (const std::string& text : *d.texts) look_for_terms(c.settings.fingerprint, text);
    if (features.empty() && !c.notes.without_tokens(d.from->where(d.line))) return;
    if (as_json) {
      c.out << "{\"id\":" << json_string(d.name()) << ",\"tokens\":[";
    } else if (!first_document) {
      c.out << '\n';
    }
    first_document = false;
    for (const weighed_feature& feature : features) {
      if (as_json) {
        c.out << (&feature == features.data() ? "[" : ",[") << json_string(feature.text) << ','
              << number_in_full(feature.weight) << ']';
      } else {
        c.out << shown(feature.text) << '\t' << number(feature.weight) << '\n';
      }
    }
    if (as_json) c.out << "]}\n";
  });
  finish(c, "");
}

bool run_tokens(typed_options& typed) {
  run_settings settings = take_reading(typed);
  if (settings.output.as_json() && settings.fingerprint.features.choice.kind == neardup::feature_kind::bytes) {
    throw usage_error("--format jsonl with --features bytes:N: bytes that are no whole characters are no JSON strings");
  }
  return run_on_documents(settings, print_tokens);
}

}  // namespace

extern const verb tokens_verb;
const verb tokens_verb{"tokens",
                       "PATH…",
                       "the features of each document, and what each weighs",
                       R"(
Prints the features of each document in the order in which they first occur. A line has a feature, a tab and the
weight. With --top, the heaviest come first. An empty line stands between documents. With --format jsonl, a document
is one record with its id and its tokens, which --jsonl --weighted-field tokens reads.
)",
                       takes::texts | takes::weights | takes::features | takes::dictionary | takes::format |
                           takes::output | takes::running | takes::help,
                       {},
                       run_tokens};

}  // namespace command
