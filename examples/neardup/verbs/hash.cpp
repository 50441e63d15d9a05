// `neardup hash`: writes fingerprints as text or as a list.
#include <array>
#include <neardup/storage/fingerprint_list.hpp>

#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array hash_options{
    option_row{"--format", "F", takes::own, section::output, "text (default), jsonl, or bin: a list", usual::with_verb,
               "text (default) or jsonl"},
};

/// `neardup hash --format bin`: writes a list. The id of a document is its number in the input. Fingerprints that were
/// read from a list keep their ids.
template <class Fingerprint>
void write_list(context& c) {
  std::vector<typename neardup::fingerprint_list<Fingerprint::bits, Fingerprint>::value_type> entries;
  std::uint64_t number = 0;
  for_each_document(c, [&](const placed_document& d) {
    const std::uint64_t id = d.record_id.value_or(number);
    ++number;
    if (d.facts.has_tokens) entries.push_back({d.facts.fingerprint.as<Fingerprint>(), id});
  });
  neardup::save_list<Fingerprint::bits, Fingerprint>([&](std::string_view bytes) { c.out << bytes; }, entries,
                                                     c.lists.made_of());
  finish(c, "");
}

void print_fingerprints(context& c) {
  if (c.settings.output.format == output_format::binary) {
    return with_fingerprint(c.settings.fingerprint.bits, c.settings.fingerprint.kind,
                            [&]<class Fingerprint>(Fingerprint) { write_list<Fingerprint>(c); });
  }
  for_each_document(c, [&](const placed_document& d) {
    const std::string id = d.name();
    const std::string hex = with_bits_of_texts(c.settings.fingerprint.bits,
                                               [&](auto width) { return d.facts.fingerprint.as<width>().to_hex(); });
    if (c.settings.output.as_json()) {
      c.out << "{\"id\":" << json_string(id) << ",\"fingerprint\":" << (d.facts.has_tokens ? '"' + hex + '"' : "null")
            << "}\n";
    } else {
      c.out << (d.facts.has_tokens ? hex : "-") << "  " << printable(id) << '\n';
    }
  });
  finish(c, "");
}

bool run_hash(typed_options& typed) {
  run_settings settings = take_reading(typed, {.writes_lists = true});
  return run_on_documents(settings, print_fingerprints);
}

}  // namespace

extern const verb hash_verb;
const verb hash_verb{"hash",
                     "PATH…",
                     "the fingerprints",
                     R"(
Prints the fingerprint and the id of each document, in the order of the input.
A document without tokens has '-' instead of a fingerprint (in jsonl: null).
--format bin writes a list of fingerprints, which all verbs except advise read with --fingerprints. For each
document with tokens, the list has its fingerprint and its number in the input, counted from 0.
)",
                     takes::texts | takes::fingerprints | takes::weights | takes::features | takes::dictionary |
                         takes::seed | takes::output | takes::running | takes::help,
                     hash_options,
                     run_hash};

}  // namespace command
