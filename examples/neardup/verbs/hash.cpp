// `neardup hash`: writes fingerprints as text, as a list, or as a shard.
#include <array>
#include <neardup/storage/fingerprint_list.hpp>

#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "hash_shard.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array hash_options{
    option_row{"--shard", "N", takes::own, section::shards,
               "of a corpus for many machines: the number of this part of it, from 0; writes the file that --output "
               "names"},
    option_row{"--keep-features", flag, takes::own, section::shards, "for join, verify and merge, in FILE.features"},
    option_row{"--distance", "K", takes::own, section::shards, "with --shard, as for groups"},
    option_row{"--min-similarity", "X", takes::own, section::shards, "with --shard, as for groups"},
    option_row{"--check", "M", takes::own, section::shards, "with --shard, as for groups"},
    option_row{"--check-features", "F", takes::own, section::shards, "with --shard, as for groups"},
    option_row{"--format", "F", takes::own, section::output, "text (default), jsonl, or bin: a list", usual::with_verb,
               "text (default) or jsonl"},
};

/// `neardup hash --format bin`: writes a list. The id of a document is its number in the input; records keep their ids.
template <class Fingerprint>
void write_list(context& c) {
  std::vector<neardup::list_entry<Fingerprint::bits, Fingerprint>> entries;
  std::uint64_t number = 0;
  for_each_document(c, [&](const placed_document& d) {
    const std::uint64_t id = d.record_id.value_or(number);
    ++number;
    if (d.facts.has_tokens) entries.push_back({d.facts.fingerprint.as<Fingerprint>(), id});
  });
  neardup::write_list<Fingerprint::bits, Fingerprint>(entries, c.lists.made_of(),
                                                      [&](std::string_view bytes) { c.out << bytes; });
  finish(c, "");
}

void print_fingerprints(context& c) {
  if (c.settings.output.format == output_format::binary) {
    return with_fingerprint(c.settings.fingerprint.bits, c.settings.fingerprint.kind,
                            [&]<class Fingerprint>(Fingerprint) { write_list<Fingerprint>(c); });
  }
  for_each_document(c, [&](const placed_document& d) {
    const std::string id = d.name();
    const std::string hex =
        with_bits(c.settings.fingerprint.bits, [&](auto width) { return d.facts.fingerprint.as<width>().to_hex(); });
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
  std::optional<std::uint64_t> shard;
  const bool keeps_features = typed.has("--keep-features");
  if (keeps_features) need_little_endian();
  const auto take_shard = [&](const typed_options& given, run_settings& to) {
    const auto number = given["--shard"];
    if (!number) {
      return refuse_if_given(given,
                             {"--keep-features", "--distance", "--min-similarity", "--check", "--check-features"},
                             " needs --shard");
    }
    shard = parse_number<std::uint64_t>("--shard", *number, 0, max_shard);
    if (to.output.file.empty()) throw usage_error("--shard writes to a file: --output FILE");
    if (to.input.unit == unit_of_input::fingerprints)
      throw usage_error("--shard with --fingerprints: there are no texts");
    refuse_if_given(given, {"--format"}, " says nothing here: --shard writes a list");
    to.output.is_saved = true;
  };
  const auto take_what_is_compared = [&](const typed_options& given, run_settings& to) {
    if (shard) {
      take_comparison(given, to);
      to.comparison.reads_features = keeps_features;
      to.comparison.keeps_digests = true;
    } else if (const auto similarity = given["--similarity"]) {
      static_cast<void>(similarity_of(given));
      to.choice = similarity_choice{similarity, std::nullopt, false};
    }
  };
  run_settings settings =
      take_reading(typed, {.stored = take_shard, .comparison = take_what_is_compared, .writes_lists = true});
  if (shard) {
    check_output(settings.output.file);
    check_features_output(settings.output.file);
  }
  return run_on_documents(settings, [&](context& c) {
    if (shard) return hash_to_shard(c, *shard, keeps_features);
    print_fingerprints(c);
  });
}

}  // namespace

extern const verb hash_verb;
const verb hash_verb{"hash",
                     "PATH…",
                     "the fingerprints",
                     R"(
Prints the fingerprint and the id of each document, in the order of the input.
A document without tokens has '-' in place of a fingerprint (null in jsonl).
--format bin writes a list of fingerprints, which all verbs but advise read with --fingerprints: of each
document with tokens its fingerprint and its number in the input, from 0.
--shard N writes the list of shard N of a corpus that is compared on many machines: an id is N << 40 | the
number of a document with tokens. With --keep-features, FILE.features holds what join, verify and merge need
to miss no pair.
What is given about the comparison has to be the same for all shards.
)",
                     takes::texts | takes::fingerprints | takes::weights | takes::features | takes::dictionary |
                         takes::seed | takes::output | takes::running | takes::help,
                     hash_options,
                     run_hash};

}  // namespace command
