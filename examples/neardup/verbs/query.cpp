// `neardup query`: the near-duplicates of documents in an index file.
#include <array>
#include <neardup/dedup/similarity.hpp>

#include "../compare/check.hpp"
#include "../documents/index_file.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array query_options{
    option_row{"--features", "F", takes::own, section::fingerprint,
               "of the fingerprints: has to be what the index is made of (default: that of the index)"},
    option_row{"--index", "FILE", takes::own, section::index, "where the documents are that are searched",
               usual::with_verb},
    option_row{"--distance", "K", takes::own, section::index, "within K bits (default: as many as the index answers)"},
    option_row{"--min-similarity", "X", takes::own, section::index,
               "check each candidate, 0 to 1 (default: --similarity); for an index with features only"},
};

template <class Fingerprint>
void query_index(context& c, const std::string& path) {
  opened_index<Fingerprint> index(path, c.settings.lists.are_verified);
  index.expect_alike(c);
  index.prepare_search(c.settings.threads);
  index.say_if_unchecked(c.how);
  const int k = c.settings.comparison.distance;
  if (k > index.view().max_distance()) {
    throw usage_error("--distance " + std::to_string(k) + ": " + index.path() + " answers up to " +
                      std::to_string(index.view().max_distance()));
  }
  std::uint64_t count = 0;
  for_each_document(c, [&](const placed_document& d) {
    if (!d.facts.has_tokens) return;
    for (const auto& match : index.search(d.facts.fingerprint.as<Fingerprint>(), k)) {
      std::optional<double> similarity;
      if (c.settings.comparison.min_similarity) {
        similarity = neardup::jaccard_at_least(index.features(match.id), d.facts.features,
                                               *c.settings.comparison.min_similarity);
        if (!similarity) continue;
      }
      ++count;
      c.out << text_of_match(
          c.settings.fingerprint, c.settings.output.as_json(),
          {"id", "indexed", d.name(), std::string(index.name(match.id)), match.distance, similarity});
    }
  });
  finish(c, ": " + counted(count, "near-duplicate", "near-duplicates") + " in the index", count);
}

/// What --similarity of a query stands for has to be within what the index answers; where a check decides, all of that
/// is looked through.
void take_reach(const typed_options& typed, const index_settings& index, comparison_settings& to) {
  const std::string similarity = typed.text("--similarity");
  if (to.distance > index.distance) {
    throw usage_error("--similarity " + similarity + " needs --distance " + std::to_string(to.distance) + ": " +
                      index.path + " answers up to " + std::to_string(index.distance) + "; make it with --similarity " +
                      similarity);
  }
  if (to.min_similarity) to.distance = index.distance;
}

bool run_query(typed_options& typed) {
  need_little_endian();
  refuse_empty_name(typed, "--index");
  const std::string path = typed.text("--index");
  std::optional<index_settings> index;
  bool has_features = false;  // of both
  const auto take_stored = [&](typed_options& given, const run_settings& to) {
    if (path.empty()) return;
    index = read_index_settings(path);
    has_features = !index->check_features.empty() && to.input.unit != unit_of_input::fingerprints;
    take_composition(given, *index);
    if (!given.has("--similarity")) given.set_default("--distance", std::to_string(index->distance));
    refuse_check_without_features(given, *index);
    if (!index->check_features.empty()) given.set("--check-features", {index->check_features});
  };
  // Of a similarity, only an index with features can tell.
  const auto take_what_is_compared = [&](const typed_options& given, run_settings& to) {
    take_comparison(given, to, true);
    to.comparison.is_bound_to_index = true;
    to.choice.reset();
    if (!has_features) to.comparison.min_similarity.reset();
    if (has_features && !given.has("--min-similarity")) to.comparison.min_similarity = similarity_of(given);
    to.comparison.reads_features = to.comparison.min_similarity && to.input.unit != unit_of_input::fingerprints;
  };
  const auto take_distance = [&](const typed_options& given, run_settings& to) {
    if (!index) throw usage_error("query needs --index FILE");
    if (!given.has("--distance")) take_reach(given, *index, to.comparison);
    if (to.comparison.min_similarity && !given.is_typed("--distance")) {
      to.why_by_fingerprints = "query (pairs --against " + path + " misses none)";
    }
  };
  run_settings settings = take_reading(typed, {.stored = take_stored,
                                               .comparison = take_what_is_compared,
                                               .last = take_distance,
                                               .other_files = [&] { return std::vector<std::string>{path}; },
                                               .is_stored = true});
  return run_on_documents(settings, [&](context& c) {
    with_fingerprint(c.settings.fingerprint.bits, read_header(path).kind,
                     [&]<class Fingerprint>(Fingerprint) { query_index<Fingerprint>(c, path); });
  });
}

}  // namespace

extern const verb query_verb;
const verb query_verb{"query",
                      "PATH…",
                      "the near-duplicates of the documents in an index file",
                      R"(
Prints the near-duplicates of the documents among those in an index file, in the order of the input.
Text: similarity, distance in bits, the document's id and the id in the index, with tabs between them. The
similarity is exact if the index was made with --keep-features; otherwise it is what the distance stands
for: the cosine, of min-wise codes the Jaccard similarity. What the fingerprints are made of is taken from
the index.
)",
                      takes::texts | takes::fingerprints | takes::weights | takes::dictionary | takes::seed |
                          takes::verification | takes::format | takes::output | takes::running | takes::help |
                          takes::exit_status,
                      query_options,
                      run_query};

}  // namespace command
