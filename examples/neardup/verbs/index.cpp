// `neardup index`: writes documents to an index file, to query it or to add to it.
#include <algorithm>
#include <array>
#include <neardup/dedup/rule.hpp>
#include <neardup/index.hpp>
#include <neardup/storage.hpp>
#include <neardup/threads.hpp>
#include <sstream>
#include <unordered_map>

#include "../documents/changed_index.hpp"
#include "../documents/index_file.hpp"
#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../line/comparison.hpp"
#include "../line/option_table.hpp"
#include "../line/taking.hpp"
#include "changing.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array index_options{
    option_row{"--index", "FILE", takes::own, section::index, "add to the documents of this index", usual::with_verb},
    option_row{"--append", flag, takes::own, section::index,
               "add to the index in its place, without --output. The documents go to a log beside the index, so the "
               "time depends only on what is added. unique --add-to adds only what is new",
               usual::with_verb, "add to the file of --index, without --output"},
    option_row{"--replace", flag, takes::own, section::index,
               "as --append, but the documents replace those in the index that have the same ids", usual::with_verb,
               "as --append, and replace documents with the same ids"},
    option_row{"--remove", "FILE", takes::own, section::index,
               "remove the documents whose ids are in this list from the index. The list has one id on each line. -: "
               "read it from standard input. A list cannot name an id that is empty or has a line end: replace such a "
               "document by a record without words",
               usual::with_verb, "remove the documents whose ids are in this list"},
    compact_option,
    option_row{"--distance", "K", takes::own, section::index,
               "make an index of fingerprints, not of features. It is smaller, and may miss a document. It answers "
               "queries within at most K bits (default with --kind, --bits or --blocks: enough for --similarity)",
               usual::with_verb, "an index of fingerprints, within K bits, in place of features"},
    option_row{"--blocks", "N", takes::own, section::index,
               "the number of blocks of an index of fingerprints. It changes speed and memory, never the result"},
    option_row{"--check-features", "F", takes::own, section::index,
               "the features that the index keeps (default: --features)"},
    option_row{"--keep-postings", flag, takes::own, section::index,
               "also keep for each feature the documents that have it, for find --index. This takes some 6 bytes for "
               "each feature of a document",
               usual::with_verb},
    option_row{
        "--within", "FIELD", takes::own, section::index,
        "also keep the value of this field. A query then finds only documents with the same value as its record"},
    option_row{
        "--across", "FIELD", takes::own, section::index,
        "also keep the value of this field. A query then finds only documents with another value than its record"},
};

/// Returns the number of blocks of an index of `count` fingerprints: the requested number, or the default of the
/// library. Above 64 bits, a faster layout may replace the default, if it fits into half of the memory, and is twice as
/// fast by the cost model. The layout is chosen for at least 100,000 fingerprints, because an index may grow.
int blocks_for(const run_settings& settings, std::size_t count) {
  const std::size_t bits = stored_bits(settings.fingerprint.bits);
  const int k = settings.comparison.distance, usual = blocks_of(settings);
  if (settings.comparison.blocks > 0 || bits <= 64) return usual;
  constexpr std::size_t least_count = 100'000;
  const auto laid_out = static_cast<double>(std::max(count, least_count));
  const neardup::expected_costs costs = neardup::costs_of(neardup::layout(bits, k, usual), laid_out);
  const double room = std::max(static_cast<double>(available_memory()) / 2 / laid_out, costs.bytes);
  const neardup::expected_costs fastest = neardup::fastest_blocks(bits, k, laid_out, room);
  return 2 * fastest.seconds < costs.seconds ? fastest.blocks : usual;
}

struct indexing {
  std::string old_index;       // the index to add to, or empty
  std::uint64_t checksum = 0;  // checksum of the header of old_index when the settings were read from that header
  bool has_sets = true;        // true for an index of feature sets, false for an index of fingerprints
  double similarity = neardup::default_similarity;  // the similarity of an index of feature sets
  bool keeps_postings = false;
  std::string paired;  // "within FIELD" or "across FIELD" if the values of a field are kept; or empty
  // The option of weights, such as --weights, or empty. It is also empty if another option asks for an index of
  // fingerprints.
  std::string weights;
  // `appends`: true if --append changes the old index in place. `replaces`: true if --replace does so.
  bool appends = false, replaces = false;
  std::string removed;  // a list of ids, or empty
  compaction compact = compaction::automatic;

  [[nodiscard]] bool changes_index() const {
    return appends || replaces || !removed.empty() || compact != compaction::automatic;
  }
  [[nodiscard]] bool reads_documents() const { return appends || replaces; }
};

template <class Form>
void index_documents(context& c, const indexing& how) {
  index_journal journal(c.settings.output.file);  // holds the lock until the index is written
  const auto check_unchanged = [&how] {           // detects programs that write without the lock
    if (!how.old_index.empty() && read_header(how.old_index).checksum != how.checksum) {
      throw input_error({how.old_index, "was replaced since this run began; run it again"});
    }
  };
  check_unchanged();
  if (how.old_index.empty() || link_target(how.old_index) != link_target(c.settings.output.file)) {
    refuse_log_of_others(c.settings.output.file);
  }
  if (!how.weights.empty() && !c.settings.output.quiet) {
    say(how.weights +
        ": an index of fingerprints, which may miss a document; without weights, it has features, and misses none");
  }
  std::optional<opened_index<Form>> old;
  if (!how.old_index.empty()) {
    old.emplace(how.old_index, c.settings.lists.are_verified);
    old->expect_alike(c);
  }
  new_index<Form> index(c.settings.fingerprint.bits, !c.settings.fingerprint.are_codes,
                        how.keeps_postings || (old && old->keeps_postings()), !how.paired.empty());
  if (old) {
    index.add_all(*old, {});
    for (std::size_t i = 0; c.settings.input.watches_ids && i < old->numbers(); ++i) {
      if (old->has(i)) c.notes.knows_id(old->name(i));
    }
    old.reset();
  }
  for_each_document(c, [&](const placed_document& d) {
    if (!d.facts.has_tokens) return;
    index.add(d.name(), d.facts.fingerprint, features_to_keep(c.how, d.facts),
              index.keeps_postings() ? place_of(d) : std::nullopt, d.by);
  });
  const std::size_t size = index.size();
  if (size > UINT32_MAX - 2)
    throw input_error({c.settings.output.file, "an index has less than 4,294,967,294 documents"});
  c.notes.phase("indexing " + counted(size, "document", "documents"));
  const std::string settings =
      text_of_index_settings(c.settings.fingerprint, has_sets<Form> ? &c.settings.comparison.check_features : nullptr,
                             index.keeps_postings(), how.paired);
  index_shape shape{.settings = std::as_bytes(std::span(settings)), .threads = c.settings.threads};
  if constexpr (has_sets<Form>) {
    shape.made_of = composition_of_sets(c.how);
    shape.similarity = how.similarity;
  } else {
    shape.made_of = c.lists.made_of();
    shape.distance = c.settings.comparison.distance;
    shape.blocks = blocks_for(c.settings, size);
  }
  if (identity_of_file(how.old_index) == identity_of_file(c.settings.output.file)) check_unchanged();
  index.save(*journal, c.settings.output.file, shape);
  finish(c, ": " + grouped(size) + " in the index");
}

/// Takes the settings of the index at how.old_index, to which the run adds documents. Stores them in `typed` and `how`.
void take_old_index(typed_options& typed, const run_settings& to, indexing& how) {
  const index_settings stored = read_index_settings(how.old_index);
  how.checksum = read_header(stored.path).checksum;
  how.has_sets = stored.has_sets();
  if (how.has_sets && to.input.unit == unit_of_input::fingerprints) {
    throw usage_error(stored.path + " is an index of features, and lists of fingerprints have no features");
  }
  take_composition(typed, stored);
  take_pairing(typed, stored);
  refuse_other_features(typed, stored);
  if (how.has_sets) {
    how.similarity = stored.similarity;
    return typed.set("--check-features", {stored.check_features});
  }
  if (how.keeps_postings) {
    throw usage_error("--keep-postings: " + stored.path + " is an index of fingerprints, without features");
  }
  const std::string distance = std::to_string(stored.distance);
  if (!typed.has("--similarity")) typed.set_default("--distance", distance);
  if (typed["--distance"] == distance && stored.blocks > 0)
    typed.set_default("--blocks", std::to_string(stored.blocks));
}

/// Sets the form of a new index in `how`, according to the options.
void take_form(const typed_options& typed, indexing& how) {
  std::string option = option_of_fingerprints(typed);
  if (option.empty()) option = how.weights = option_of_weights(typed);
  how.has_sets = option.empty();
  if (how.has_sets) {
    const auto features = typed["--features"], kept = typed["--check-features"];
    const auto parsed = [](const std::string& name) { return to_string(parse_feature_setting("--features", name)); };
    if (features && kept && parsed(*features) != parsed(*kept)) {
      throw usage_error("--features " + *features + " with --check-features " + *kept +
                        ": an index has features of one kind; leave out one of the two");
    }
    return;
  }
  refuse_if_given(typed, {"--keep-postings", "--check-features"},
                  " with " + option + ": an index of fingerprints has no features");
}

/// Returns the ids in a list.
/// Throws: input_error if the list cannot be read.
std::unordered_set<std::string> ids_in(const std::string& path, bool is_quiet) {
  std::unordered_set<std::string> ids;
  std::uint64_t blank = 0;
  std::istringstream list(text_of_file(path));
  for (std::string id; std::getline(list, id);) {
    if (id.ends_with('\r')) id.pop_back();
    if (!id.empty()) ids.insert(id);
    blank += id.empty() ? 1 : 0;
  }
  if (blank > 0 && !is_quiet) {
    say(counted(blank, "line", "lines") + " of " + path + (blank == 1 ? " is" : " are") +
        " empty and not an id; to remove a document with an empty id, --replace it by one without words");
  }
  return ids;
}

/// The documents to be added to an index in place.
class coming_documents {
 public:
  coming_documents(const reading_settings& how, bool keeps_last, bool keeps_places)
      : how_(how), keeps_last_(keeps_last), keeps_places_(keeps_places) {}

  void add(const placed_document& d) {
    const std::string name = d.name();
    // A document without features is not indexed, but it replaces a document with the same id.
    if (keeps_last_ || d.facts.has_tokens) last_[name] = documents_.size();
    if (!d.facts.has_tokens && !keeps_last_) return;
    const feature_set features = features_to_keep(how_, d.facts);
    documents_.push_back({name,
                          d.facts.fingerprint,
                          {features.begin(), features.end()},
                          d.facts.has_tokens,
                          keeps_places_ ? place_of(d) : std::nullopt,
                          std::string(d.by)});
  }

  [[nodiscard]] std::unordered_set<std::string> names() const {
    std::unordered_set<std::string> all;
    for (const auto& [name, number] : last_) all.insert(name);
    return all;
  }

  /// Adds the documents. With --replace, adds only the last of several documents with the same id.
  void add_to(index_change& change) const {
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      const coming& d = documents_[i];
      if (d.has_tokens && (!keeps_last_ || last_.at(d.name) == i)) {
        change.add(d.name, d.fingerprint, d.features, d.place, d.value);
      }
    }
  }

 private:
  struct coming {
    std::string name;
    any_fingerprint fingerprint;
    std::vector<std::uint32_t> features;
    bool has_tokens;
    std::optional<document_place> place;
    std::string value;
  };

  const reading_settings& how_;
  bool keeps_last_, keeps_places_;
  std::vector<coming> documents_;
  std::unordered_map<std::string, std::size_t> last_;  // index of the last document with each name
};

/// Changes an index in place, atomically.
void change_index(context& c, const indexing& how) {
  const auto index = open_to_change(c, how.old_index, how.reads_documents(), c.settings.threads);
  index_change change(index->bits());
  coming_documents coming(c.how, how.replaces, index->keeps_postings());
  std::unordered_set<std::string> ids =
      how.removed.empty() ? std::unordered_set<std::string>() : ids_in(how.removed, c.settings.output.quiet);
  if (how.reads_documents()) for_each_document(c, [&](const placed_document& d) { coming.add(d); });
  const std::unordered_set<std::string> to_replace = how.replaces ? coming.names() : std::unordered_set<std::string>();
  std::unordered_set<std::string> both = ids;
  both.insert(to_replace.begin(), to_replace.end());
  change.removed = index->named(both);
  std::uint64_t replaced = 0;
  for (const std::uint32_t number : change.removed) {
    const std::string name = index->name(number);
    replaced += to_replace.contains(name) ? 1 : 0;
    ids.erase(name);
  }
  coming.add_to(change);
  if (how.appends && !c.settings.output.quiet)
    say_if_there(*index, coming.names(), "; --replace puts documents in the place of those with their ids");
  const std::uint64_t added = change.size(), removed = change.removed.size() - replaced;
  const std::size_t size = index->apply(change, how.compact);
  if (!ids.empty() && !c.settings.output.quiet) {
    say(counted(ids.size(), "id", "ids") + " in " + how.removed + (ids.size() == 1 ? " is" : " are") +
        " not in the index (" + (ids.size() == 1 ? "" : "one of them: ") + printable(*ids.begin()) + ")");
  }
  const std::string summary =
      (how.reads_documents() ? grouped(added) + " added, " : "") +
      (how.replaces ? "in place of " + counted(replaced, "earlier one", "earlier ones") + ", " : "") +
      (how.removed.empty() ? "" : grouped(removed) + " removed, ") + grouped(size) + " in the index";
  if (how.reads_documents()) return finish(c, ": " + summary);
  if (!c.settings.output.quiet) say(summary);
}

/// Reads the options for changing an index in place into `how`.
/// Throws: usage_error if an option contradicts the change.
void take_changes(const typed_options& typed, indexing& how) {
  how.appends = typed.has("--append");
  how.replaces = typed.has("--replace");
  how.removed = typed.text("--remove");
  take_compaction(typed, how.compact);
  if (how.appends && how.replaces)
    throw usage_error("--append and --replace do not go together: --replace appends, too");
  if (!how.changes_index()) return;
  const char* const option = how.appends            ? "--append"
                             : how.replaces         ? "--replace"
                             : !how.removed.empty() ? "--remove"
                                                    : "--compact";
  if (how.old_index.empty()) throw usage_error(std::string(option) + " needs --index FILE");
  if (typed.has("--output")) {
    throw usage_error(std::string(option) + " changes the index where it is; leave out --output");
  }
  refuse_if_given(typed, {"--similarity", "--distance", "--blocks", "--keep-postings", "--within", "--across"},
                  std::string(" with ") + option + ": an index keeps the settings that it was made with");
  if (how.reads_documents()) return;
  if (!typed.paths.empty() || typed.has("--files-from")) {
    throw usage_error(std::string(option) + " reads no documents: say --append or --replace, too, or name no PATH");
  }
  for (const option_row& row : options_of(*typed.chosen)) {
    const std::string name = row.long_name();
    const bool is_used =
        name == "--index" || name == "--remove" || name == "--compact" || name == "--threads" || name == "--quiet";
    if (typed.has(name) && !is_used) throw usage_error(name + " with " + option + ": no documents are read");
  }
}

/// Removes documents, or merges the log into the file. No documents are read, so the composition is not checked.
bool run_without_documents(const typed_options& typed, const indexing& how) {
  run_settings settings = settings_of(typed);
  take_output(typed, settings);
  static_cast<void>(read_index_settings(how.old_index));  // throws if it is not an index
  check_output(how.old_index);
  context c(settings);
  change_index(c, how);
  return false;
}

bool run_index(typed_options& typed) {
  refuse_empty_name(typed, "--index");
  refuse_empty_name(typed, "--remove");
  indexing how;
  how.old_index = typed.text("--index");
  how.keeps_postings = typed.has("--keep-postings");
  take_changes(typed, how);
  if (typed.has("--distance")) {
    refuse_if_given(typed, {"--similarity"},
                    " with --distance: an index of fingerprints has one distance; leave out one of the two");
  }
  if (how.changes_index() && !how.reads_documents()) return run_without_documents(typed, how);
  const auto take_stored = [&](typed_options& given, run_settings& to) {
    to.output.is_saved = !how.changes_index();
    if (how.old_index.empty()) {
      take_form(given, how);
    } else {
      take_old_index(given, to, how);
    }
  };
  // No documents are compared, but an index has the distance and the features that take_comparison() sets.
  const auto take_what_is_kept = [&](const typed_options& given, run_settings& to) {
    take_comparison(given, to, true);
    if (to.grouping.paired != pairing::all) {
      how.paired = (to.grouping.paired == pairing::within ? "within " : "across ") + to.input.source_field;
      if (how.paired.find('\n') != how.paired.npos)
        throw usage_error("the name of a field in an index has no line end");
    }
    to.input.watches_ids = true;
    to.choice.reset();
    to.comparison.min_similarity.reset();
    to.comparison.is_exact = how.has_sets;
    to.comparison.reads_features = true;
    if (!how.has_sets) return;
    if (given.has("--similarity")) how.similarity = similarity_of(given);
    to.comparison.min_similarity = how.similarity;
  };
  const auto refuse_without_file = [&](const typed_options&, const run_settings& to) {
    if (how.changes_index()) {
      if (how.removed == "-" && streams_in(to.input.paths) + (to.input.names_from == "-" ? 1 : 0) > 0) {
        throw usage_error("standard input (-) can be read only once");
      }
      return check_output(how.old_index);
    }
    if (to.output.file.empty()) {
      throw usage_error(how.old_index.empty()
                            ? "index writes to a file: --output FILE"
                            : "to add to " + how.old_index + ", give --append; to write another index, --output FILE");
    }
    if (to.fingerprint.learns_idf()) {
      throw usage_error("index --weights " + to.fingerprint.weights.name() +
                        (to.fingerprint.top > 0 ? " --top " + std::to_string(to.fingerprint.top) : "") +
                        ": the table that is learnt from the input is not kept, so nothing could be compared with the "
                        "index; name a table by --idf-file");
    }
  };
  run_settings settings = take_reading(typed, {.stored = take_stored,
                                               .comparison = take_what_is_kept,
                                               .last = refuse_without_file,
                                               .other_files = [&]() -> std::vector<std::string> {
                                                 if (how.changes_index()) return {how.old_index, how.removed};
                                                 if (how.old_index.empty()) return {};
                                                 return files_beside_index(how.old_index);  // may be the output
                                               },
                                               .is_stored = true});
  return run_on_documents(settings, [&](context& c) {
    if (how.changes_index()) return change_index(c, how);
    if (how.has_sets) return index_documents<set_form>(c, how);
    index_documents<fingerprint_form>(c, how);
  });
}

}  // namespace

extern const verb index_verb;
const verb index_verb{"index",
                      "PATH…",
                      "an index file of the documents, to query or to add to",
                      R"(
Writes an index of the documents to the file that --output names. query searches this file. The index has the
features of the documents, so a query misses no document. Documents of at least the similarity --similarity
are found by their rare features. For a lower similarity, query compares all documents. With --distance, the
index has fingerprints.
With --index FILE, the new index has the documents of that index and the new ones. Both files may be the same.
When the program ends, the file is whole, or it is as it was before. With --append, --replace or --remove, the
index FILE is changed in its place, by a log beside it, FILE.neardup-log. query and --against read the log, too.
)",
                      takes::texts | takes::codes | takes::fingerprints | takes::similarity | takes::weights |
                          takes::features | takes::dictionary | takes::seed | takes::verification |
                          takes::saved_output | takes::running | takes::help,
                      index_options,
                      run_index};

}  // namespace command
