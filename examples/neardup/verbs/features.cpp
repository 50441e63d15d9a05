// `neardup features`: writes the features of a part of a corpus.
#include <array>
#include <cstring>

#include "run_steps.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array features_options{
    option_row{"--part", "N", takes::own, section::machines, "the number of this part of the corpus, from 0",
               usual::always},
    option_row{"--within", "FIELD", takes::own, section::machines,
               "keep the values of this field, too, and give the option for all parts. Only records with the same "
               "value are pairs"},
    option_row{"--across", "FIELD", takes::own, section::machines,
               "keep the values of this field, too, and give the option for all parts. Only records with different "
               "values are pairs"},
};

bool run_features(typed_options& typed) {
  std::uint64_t part = 0;
  const auto take_part = [&](const typed_options& given, run_settings& to) {
    part = required_number(given, "--part", max_part);
    if (to.output.file.empty()) throw usage_error("features writes to a file: --output FILE");
    to.output.is_saved = true;
  };
  std::string paired;  // "within FIELD" or "across FIELD", or empty
  const auto take_sets = [&](const typed_options& given, run_settings& to) {
    const neardup::fingerprint_kind kind = to.fingerprint.kind;
    take_comparison(given, to, true);  // for --within and --across
    to.choice.reset();
    to.fingerprint.kind = kind;
    if (to.grouping.paired != pairing::all) {
      paired = (to.grouping.paired == pairing::within ? "within " : "across ") + to.input.source_field;
      if (paired.find('\n') != paired.npos) throw usage_error("the name of a field in a part has no line end");
    }
    to.comparison.min_similarity = 1;  // there is a check, and `counts` defines it
    to.comparison.is_exact = true;
    to.comparison.reads_features = true;
    to.comparison.has_wide_features = true;
  };
  run_settings settings = take_reading(typed, {.stored = take_part, .comparison = take_sets, .is_stored = true});
  return run_on_documents(settings, [&](context& c) {
    document_columns<part_file::feature> columns;
    column<char> values;
    std::vector<part_file::feature> features;
    for_each_document(c, [&](const placed_document& d) {
      if (!d.facts.has_tokens) return;
      // Two numbers of 32 bits are one feature; see comparison_settings::has_wide_features.
      features.resize(d.facts.features.size() / 2);
      std::memcpy(features.data(), d.facts.features.data(), d.facts.features.size_bytes());
      columns.add(d.name(), features);
      if (!paired.empty()) values.add(d.by);
    });
    save_part(settings.output.file, part, composition_of_settings(settings.fingerprint), columns, paired, values);
    finish(c, " in part " + std::to_string(part));
  });
}

}  // namespace

extern const verb features_verb;
const verb features_verb{"features",
                         "PATH…",
                         "for many machines: write the features of a part",
                         R"(
Writes the ids and the features of all documents with tokens to the file that --output names. counts, scatter
and groups --pairs read this file. Parts are numbered from 0, without a gap. Their numbers are their order in
the corpus. Make all parts with the same options.
A part takes 8 bytes of memory for each feature.
)",
                         takes::texts | takes::features | takes::dictionary | takes::seed | takes::saved_output |
                             takes::running | takes::help,
                         features_options,
                         run_features};

}  // namespace command
