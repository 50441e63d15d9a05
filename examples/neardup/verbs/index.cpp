// `neardup index`: documents in a file, to query or to add to.
#include <array>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/threads.hpp>

#include "../documents/index_file.hpp"
#include "../documents/postings.hpp"
#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array index_options{
    option_row{"--index", "FILE", takes::own, section::index, "add to the documents of this index", usual::with_verb},
    option_row{"--distance", "K", takes::own, section::index,
               "the most bits that it answers (default: enough for --similarity; when adding, that of the index)"},
    option_row{"--blocks", "N", takes::own, section::index,
               "blocks of the index: speed against memory, never the result"},
    option_row{"--check-features", "F", takes::own, section::index, "features that are kept (default: --features)"},
    option_row{"--keep-features", flag, takes::own, section::index,
               "keep features, for exact similarities (4 bytes each)", usual::with_verb},
    option_row{"--keep-postings", flag, takes::own, section::index,
               "the same, and which documents have each of them, for find --index (some 6 bytes more for each feature)",
               usual::with_verb},
};

struct indexing {
  std::string old_index;       // the one that is added to, or empty
  std::uint64_t checksum = 0;  // of its header, from which other settings were taken
  bool keeps_features = false;
  bool keeps_postings = false;
};

/// Throws: output_error if another run writes the same file.
neardup::file_lock lock_output(const std::string& path) {
  try {
    return neardup::file_lock(path);
  } catch (const std::runtime_error& error) {
    throw output_error(error.what());
  }
}

template <class Fingerprint>
void index_documents(context& c, const indexing& how) {
  const neardup::file_lock lock = lock_output(c.settings.output.file);  // from reading to writing
  const auto check_unchanged = [&how] {  // what another program puts there without taking the lock
    if (!how.old_index.empty() && read_header(how.old_index).checksum != how.checksum) {
      throw input_error({how.old_index, "was replaced since this run began; run it again"});
    }
  };
  check_unchanged();
  document_columns documents;
  place_columns places;
  bool keeps_postings = how.keeps_postings;
  std::vector<Fingerprint> fingerprints;
  if (!how.old_index.empty()) {
    const opened_index<Fingerprint> old(c, how.old_index);
    for (std::size_t i = 0; i < old.documents.size(); ++i) {
      documents.add(old.documents.name(i), old.documents.features(i));
    }
    keeps_postings = keeps_postings || !old.view.attachment(first_of_postings).empty();
    const stored_places stored(how.old_index, old.view.attachment(first_of_postings + 3),
                               old.view.attachment(first_of_postings + 4));
    for (std::size_t i = 0; i < old.documents.size(); ++i) {
      const stored_place place = stored[i];
      places.add(place, place.is_known() ? stored.path_of(place) : "");
    }
    fingerprints = old.fingerprints();
  }
  for_each_document(c, [&](const placed_document& d) {
    if (!d.facts.has_tokens) return;
    fingerprints.push_back(d.facts.fingerprint.as<Fingerprint>());
    documents.add(d.name(), d.facts.features);
    if (keeps_postings) places.add(d);
  });
  keeps_postings = keeps_postings && how.keeps_features;  // lists of fingerprints have none
  c.notes.phase("indexing " + counted(fingerprints.size(), "fingerprint", "fingerprints"));
  const neardup::frozen_index<Fingerprint::bits, std::uint32_t, std::uint32_t, Fingerprint> index(
      c.settings.comparison.distance, blocks_of(c.settings), fingerprints, neardup::threads{c.settings.threads});
  if (!how.keeps_features) documents.feature_ends.clear();
  const std::string settings = text_of_index_settings(
      c.settings.fingerprint, how.keeps_features ? &c.settings.comparison.check_features : nullptr);
  auto attachments = documents.bytes();
  attachments.insert(attachments.begin(), std::as_bytes(std::span(settings)));
  std::optional<posting_columns> postings;
  if (keeps_postings) {
    postings.emplace(documents);
    attachments.resize(first_of_postings);
    for (const auto& part : postings->bytes()) attachments.push_back(part);
    for (const auto& part : places.bytes()) attachments.push_back(part);
  }
  if (identity_of_file(how.old_index) == identity_of_file(c.settings.output.file)) check_unchanged();
  save_whole(c.settings.output.file,
             [&](const std::string& file) { save(file, index, c.lists.made_of(), attachments); });
  finish(c, ": " + grouped(fingerprints.size()) + " in the index");
}

/// What is not given is that of the index that is added to.
void take_old_index(typed_options& typed, const run_settings& to, indexing& how) {
  const index_settings stored = read_index_settings(how.old_index);
  how.checksum = read_header(stored.path).checksum;
  const bool has_features = !stored.check_features.empty();
  take_composition(typed, stored);
  const std::string distance = std::to_string(stored.distance);
  if (!typed.has("--similarity")) typed.set_default("--distance", distance);
  if (typed["--distance"] == distance) typed.set_default("--blocks", std::to_string(stored.blocks));
  if (how.keeps_features != has_features) {
    throw usage_error(stored.path + (has_features ? " keeps features: add" : " keeps no features: leave out") +
                      " --keep-features");
  }
  refuse_other_features(typed, stored);
  how.keeps_features = has_features && to.input.unit != unit_of_input::fingerprints;
  if (has_features) typed.set("--check-features", {stored.check_features});
}

void refuse_postings_of_lists(const typed_options& typed) {
  if (typed.has("--fingerprints"))
    refuse_if_given(typed, {"--keep-postings"}, " with --fingerprints: there are no texts");
}

bool run_index(typed_options& typed) {
  need_little_endian();
  refuse_empty_name(typed, "--index");
  indexing how{.old_index = typed.text("--index"),
               .checksum = 0,
               .keeps_features = typed.has("--keep-features") || typed.has("--keep-postings"),
               .keeps_postings = typed.has("--keep-postings")};
  refuse_postings_of_lists(typed);
  const auto take_stored = [&](typed_options& given, run_settings& to) {
    to.output.is_saved = true;
    if (!how.old_index.empty()) take_old_index(given, to, how);
  };
  // The distance is chosen as for comparisons; nothing is checked, but features may be read.
  const auto take_what_is_kept = [&](const typed_options& given, run_settings& to) {
    take_comparison(given, to, true);
    to.choice.reset();
    to.comparison.min_similarity.reset();
    if (how.keeps_features) to.comparison.min_similarity = 0;
    to.comparison.reads_features = how.keeps_features && to.input.unit != unit_of_input::fingerprints;
  };
  const auto refuse_without_file = [](const typed_options&, const run_settings& to) {
    if (to.output.file.empty()) throw usage_error("index writes to a file: --output FILE");
  };
  run_settings settings = take_reading(
      typed, {.stored = take_stored, .comparison = take_what_is_kept, .last = refuse_without_file, .is_stored = true});
  return run_on_documents(settings, [&](context& c) {
    with_fingerprint(c.settings.fingerprint.bits, c.settings.fingerprint.kind,
                     [&]<class Fingerprint>(Fingerprint) { index_documents<Fingerprint>(c, how); });
  });
}

}  // namespace

extern const verb index_verb;
const verb index_verb{"index",
                      "PATH…",
                      "an index file of the documents, to query or to add to",
                      R"(
Writes an index of the documents to the file that --output names, for query.
With --index FILE it is that one's documents and these; the two files may be the same. The file is whole
when the program ends, or what was there before.
)",
                      takes::texts | takes::fingerprints | takes::weights | takes::features | takes::dictionary |
                          takes::seed | takes::verification | takes::saved_output | takes::running | takes::help,
                      index_options,
                      run_index};

}  // namespace command
