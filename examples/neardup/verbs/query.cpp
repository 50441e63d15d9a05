// `neardup query`: finds the near-duplicates of documents in an index file.
#include <array>

#include "../compare/check.hpp"
#include "../compare/index_search.hpp"
#include "../documents/index_file.hpp"
#include "../ground/errors.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "running.hpp"

namespace command {

namespace {

constexpr std::array query_options{
    option_row{"--features", "F", takes::own, section::features,
               "the features of the index; others are refused (default: those of the index)"},
    option_row{"--index", "FILE", takes::own, section::index, "search the documents of this index", usual::with_verb},
    option_row{"--distance", "K", takes::own, section::index,
               "for an index of fingerprints: find documents within K bits (default: as many as the index can answer)"},
    option_row{"--min-similarity", "X", takes::own, section::index,
               "find documents with at least this exact similarity, 0 to 1 (default: --similarity). Not for an index "
               "of fingerprints"},
    option_row{"--check", "M", takes::own, section::comparison,
               "the measure of similarity: jaccard of the features (the default), or cosine of the sets of features. "
               "Not for an index of fingerprints"},
    option_row{"--within", "FIELD", takes::own, section::comparison,
               "for an index that keeps the values of this field: find only documents with the same value as the "
               "record (default: --within or --across, as the index was made)"},
    option_row{
        "--across", "FIELD", takes::own, section::comparison,
        "for an index that keeps the values of this field: find only documents with another value than the record"},
};

std::string text_of_summary(std::uint64_t count) {
  return ": " + counted(count, "near-duplicate", "near-duplicates") + " in the index";
}

/// An index of features, with the names and the values of its documents.
struct kept_documents {
  indexed_sets sets;
  std::function<std::string(std::uint32_t number)> name;
  std::function<std::string_view(std::uint32_t number)> value;  ///< the value in the field of --within or --across
};

/// Searches for documents in batches. A search that cannot use the postings of the index reads all of its features.
/// Such a search takes hardly longer for many documents than for few.
class exact_answers {
 public:
  exact_answers(context& c, const kept_documents& index)
      : context_(c), index_(index), is_paired_(c.settings.grouping.paired != pairing::all) {}

  void take(const placed_document& d) {
    if (!d.facts.has_tokens) return;
    constexpr std::size_t least_round = 4096, most_features = std::size_t{1} << 25;
    names_.push_back(d.name());
    if (is_paired_) values_.emplace_back(d.by);
    features_.insert(features_.end(), d.facts.features.begin(), d.facts.features.end());
    ends_.push_back(features_.size());
    if (names_.size() >= std::max(least_round, index_.sets.numbers / 2) || features_.size() >= most_features) answer();
  }

  /// Searches for the documents that take() has collected, prints the results, and removes these documents.
  void answer() {
    std::vector<feature_set> batch;
    for (std::size_t i = 0, begin = 0; i < ends_.size(); begin = ends_[i++]) {
      batch.push_back(feature_set(features_).subspan(begin, ends_[i] - begin));
    }
    const grouping_settings& grouping = context_.settings.grouping;
    visit_similar_in_index(
        context_.settings, index_.sets, batch, [&](std::size_t i, std::span<const indexed_match> matches) {
          for (const indexed_match& match : matches) {
            if (is_paired_ && !grouping.lets_pair(values_[i], index_.value(match.number))) continue;
            ++count_;
            context_.out << text_of_match(
                context_.settings.fingerprint, context_.settings.output.as_json(),
                {"id", "indexed", names_[i], index_.name(match.number), std::nullopt, match.similarity});
          }
        });
    names_.clear();
    values_.clear();
    features_.clear();
    ends_.clear();
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  context& context_;
  const kept_documents& index_;
  bool is_paired_;
  std::vector<std::string> names_;   // names of waiting documents
  std::vector<std::string> values_;  // values of these documents in the field of --within or --across
  std::vector<std::uint32_t> features_;
  std::vector<std::size_t> ends_;  // ends of the features of each document
  std::uint64_t count_ = 0;
};

void answer_exactly(context& c, const kept_documents& index) {
  exact_answers answers(c, index);
  const std::exception_ptr bad = caught([&] {
    for_each_document(
        c, c.settings.input, c.sources, [&](const placed_document& d) { answers.take(d); },
        [&](finished_batch&& done) {
          if (!done.input.live) return;
          answers.answer();
          c.out.flush();
        });
  });
  answers.answer();  // also answers documents before bad input
  if (bad) std::rethrow_exception(bad);
  finish(c, text_of_summary(answers.count()), answers.count());
}

template <class Form>
void query_index(context& c, const std::string& path) {
  opened_index<Form> index(path, c.settings.lists.are_verified);
  index.expect_alike(c);
  index.say_if_unchecked(c.how);
  index.prepare_search(c.settings.threads);
  if constexpr (has_sets<Form>) {
    answer_exactly(c, {index.sets(), [&](std::uint32_t number) { return std::string(index.name(number)); },
                       [&](std::uint32_t number) { return index.value(number); }});
  } else {
    const int k = c.settings.comparison.distance;
    if (k > index.view().max_distance()) {
      throw usage_error("--distance " + std::to_string(k) + ": " + index.path() + " finds distances up to " +
                        std::to_string(index.view().max_distance()));
    }
    std::uint64_t count = 0;
    for_each_document(c, [&](const placed_document& d) {
      if (!d.facts.has_tokens) return;
      const feature_set features = features_to_keep(c.how, d.facts);
      for (const auto& match : index.search(d.facts.fingerprint, k)) {
        if (!c.settings.grouping.lets_pair(d.by, index.value(match.id))) continue;
        if (!are_near_duplicates(c.settings.comparison, features, index.features(match.id))) continue;
        ++count;
        c.out << text_of_match(
            c.settings.fingerprint, c.settings.output.as_json(),
            {"id", "indexed", d.name(), std::string(index.name(match.id)), match.distance, std::nullopt});
      }
    });
    finish(c, text_of_summary(count), count);
  }
}

/// Checks that the index of fingerprints supports the distance that --similarity implies.
void check_reach(const typed_options& typed, const index_settings& index, const comparison_settings& to) {
  const std::string similarity = typed.text("--similarity");
  if (to.distance > index.distance) {
    throw usage_error("--similarity " + similarity + " needs --distance " + std::to_string(to.distance) + ": " +
                      index.path + " finds distances up to " + std::to_string(index.distance) +
                      "; make it with --similarity " + similarity);
  }
}

bool run_query(typed_options& typed) {
  refuse_empty_name(typed, "--index");
  const std::string path = typed.text("--index");
  std::optional<index_settings> index;
  const auto take_stored = [&](typed_options& given, run_settings& to) {
    if (path.empty()) return;
    index = read_index_settings(path);
    if (index->has_sets() && to.input.unit == unit_of_input::fingerprints) {
      throw usage_error(path + " is an index of features, and lists of fingerprints have no features");
    }
    if (given.text("--check") == "containment") {
      throw usage_error("--check containment: pairs --against " + path + " has it");
    }
    refuse_check_of_index(given);
    take_composition(given, *index);
    take_pairing(given, *index);
    take_what_is_kept(given, *index, to);
    if (!index->has_sets()) {
      if (!given.has("--similarity")) given.set_default("--distance", std::to_string(index->distance));
      return;
    }
    given.set("--check-features", {index->check_features});
    if (!given.has("--similarity")) given.set_default("--min-similarity", number(neardup::default_similarity));
  };
  // Similarities can be computed only if the index has features.
  const auto take_what_is_compared = [&](const typed_options& given, run_settings& to) {
    take_comparison(given, to, true);
    to.comparison.is_bound_to_index = true;
    to.choice.reset();
    const bool has_sets = index && index->has_sets();
    if (!has_sets) to.comparison.min_similarity.reset();
    if (has_sets && !given.has("--min-similarity")) to.comparison.min_similarity = similarity_of(given);
    to.comparison.reads_features = true;
  };
  const auto take_distance = [&](const typed_options& given, run_settings& to) {
    if (!index) throw usage_error("query needs --index FILE");
    if (to.comparison.is_exact && *to.comparison.min_similarity == 0) {
      throw usage_error("--min-similarity " + given.text("--min-similarity") + " needs --distance");
    }
    if (!to.comparison.is_exact && !given.has("--distance")) check_reach(given, *index, to.comparison);
  };
  run_settings settings = take_reading(typed, {.stored = take_stored,
                                               .comparison = take_what_is_compared,
                                               .last = take_distance,
                                               .other_files = [&] { return std::vector<std::string>{path}; },
                                               .is_stored = true});
  return run_on_documents(settings, [&](context& c) {
    with_form(read_header(path), [&]<class Form>(Form) { query_index<Form>(c, path); });
  });
}

}  // namespace

extern const verb query_verb;
const verb query_verb{"query",
                      "PATH…",
                      "the near-duplicates of the documents in an index file",
                      R"(
Searches an index file for the near-duplicates of each document. Prints them in the order of the input; those of
one document come by similarity, the highest first.
Text: similarity, distance in bits ("-" if no fingerprints are compared), the document's id and the id in the
index, with tabs between them. An index of features misses no document, and the similarity is exact. An index of
fingerprints may miss a document, and the similarity is an estimate from the distance: of the cosine, or for
min-wise codes of the Jaccard similarity. The index says what its features or fingerprints are made of. If the
requested similarity is lower than that of the index, all documents of the index are compared.
)",
                      takes::texts | takes::codes | takes::fingerprints | takes::similarity | takes::weights |
                          takes::dictionary | takes::seed | takes::verification | takes::format | takes::output |
                          takes::running | takes::help | takes::exit_status | takes::exact,
                      query_options,
                      run_query};

}  // namespace command
