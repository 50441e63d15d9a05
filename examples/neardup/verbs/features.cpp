// `neardup features`: writes the features of a part of a corpus.
#include <array>
#include <cstring>

#include "../ground/errors.hpp"
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
    option_row{"--passages", "N", takes::own, section::machines,
               "write the texts, for a search for repeated passages of N words, or bytes:N. Give the option for all "
               "parts. unique --gathered removes these passages"},
    option_row{"--least-documents", "M", takes::own, section::machines,
               "with --passages: keep passages that occur in fewer documents (default: 1)"},
    option_row{"--partitions", "N", takes::own, section::machines,
               "with --passages: the number of tasks of gather (default: 16)"},
};

/// Writes the texts of a part, and their anchors.
bool run_features_of_passages(typed_options& typed) {
  constexpr std::uint32_t most_partitions = 4096;
  std::uint64_t part = 0;
  run_plan plan;
  plan.partitions = 16;
  const auto take_part = [&](const typed_options& given, run_settings& to) {
    part = required_number(given, "--part", max_part);
    if (to.output.file.empty()) throw usage_error("features writes to a file: --output FILE");
    to.output.is_saved = true;
    refuse_if_given(given,
                    {"--features", "--seed", "--within", "--across", "--dictionary", "--user-dictionary", "--model",
                     "--no-hmm", "--stop-words", "--fold-chinese", "--encoding"},
                    " has no effect with --passages; leave out one of the two");
    plan.passages = take_passage_settings(given, "--passages");
    take_number(given, "--partitions", plan.partitions, std::uint32_t{1}, most_partitions);
  };
  const auto compares_nothing = [](const typed_options&, run_settings& to) { to.choice.reset(); };
  run_settings settings = take_reading(typed, {.stored = take_part, .comparison = compares_nothing, .is_stored = true});
  return run_on_documents(settings, [&](context& c) {
    text_columns columns;
    const auto documents = [&](const auto& sink) {
      read_texts(c.settings.input, c.sources, c.notes, [&](const placed_document& d) {
        check_lengths(d);
        columns.add(d.name(), *d.texts);
        for (std::size_t field = 0; field < d.texts->size(); ++field) sink((*d.texts)[field], field);
        if (d.texts->empty()) sink(std::string_view(), 0);
      });
    };
    const auto anchors = with_shuffle(plan, [&](const auto& shuffle) { return shuffle.scatter_anchors(documents); });
    save_text_part(settings.output.file, part, *plan.passages, columns, anchors);
    finish(c, " in part " + std::to_string(part));
  });
}

bool run_features(typed_options& typed) {
  if (typed.has("--passages")) return run_features_of_passages(typed);
  refuse_if_given(typed, {"--least-documents", "--partitions"}, " needs --passages");
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
With --passages, writes the texts instead. counts, scatter and gather then find their repeated passages.
A part takes 8 bytes of memory for each feature.
)",
                         takes::texts | takes::features | takes::dictionary | takes::seed | takes::saved_output |
                             takes::running | takes::help,
                         features_options,
                         run_features};

}  // namespace command
