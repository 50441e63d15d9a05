// neardup_bench_accuracy: measures how well fingerprints find the pairs of texts that are really similar.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "advised.hpp"
#include "documents.hpp"
#include "features.hpp"
#include "fingerprints.hpp"
#include "report.hpp"
#include "retrieval.hpp"
#include "self_check.hpp"
#include "set_join.hpp"
#include "stopwatch.hpp"
#include "theory_bins.hpp"

namespace accuracy {

namespace {

struct options {
  std::string input;
  std::size_t limit = 0;
  std::string truth = "words:3";
  std::vector<std::string> features{"words:2"};
  std::vector<std::string> weights{"unit"};
  std::vector<std::size_t> bits{64};
  std::uint64_t seed = 0;
  double similarity = 0.7;
  int distance = 16;
  std::uint64_t most_pairs = 50'000'000;
  bool no_own_check = false;
  bool minhash = false;
  bool skew = false;
  bool advice = false;
  std::uint64_t advice_seeds = 0;
  bool audit = false;
  std::vector<int> time_at;
  theory_choice theory;
  bool no_theory = false;
  bool json = false;
  bool self_check = false;
  unsigned threads = 1;
};

/// The self-check uses only this many documents, because it compares all pairs.
constexpr std::size_t self_check_limit = 2000;

void add_options(CLI::App& app, options& o) {
  app.add_option("input", o.input, "JSON Lines with text and cluster, '-' for standard input");
  app.add_option("--truth", o.truth, "features that define the truth: words[:N], chars:N, bytes:N")
      ->capture_default_str();
  app.add_option("--similarity", o.similarity, "texts are alike from this Jaccard similarity of the truth's features")
      ->check(CLI::Range(0.01, 1.0))
      ->capture_default_str();
  app.add_option("--features", o.features, "features of the fingerprints: words[:N], chars:N, bytes:N; several: a,b")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--weights", o.weights, "unit, tf, logtf, or minwise (min-wise codes); several: a,b")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"unit", "tf", "logtf", "minwise"}))
      ->capture_default_str();
  app.add_option("--bits", o.bits, "32, 64, 128, 256; several: a,b")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({32, 64, 128, 256}))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "of the hash")->capture_default_str();
  app.add_option("--distance", o.distance, "the largest k of the table for 64 bits; in proportion for others")
      ->check(CLI::Range(0, 31))
      ->capture_default_str();
  app.add_option("--most-pairs", o.most_pairs, "the table ends before a k within which about so many pairs lie")
      ->capture_default_str();
  app.add_flag("--no-own-check", o.no_own_check, "leave out the check by the fingerprint's own features");
  app.add_flag("--minhash", o.minhash, "MinHash of the truth's features, to compare with");
  app.add_flag("--skew", o.skew, "how uneven buckets are");
  app.add_flag("--advice", o.advice, "ask the library for advice, and try what it says");
  app.add_option("--advice-seeds", o.advice_seeds,
                 "how often the recall of fingerprints lies in the interval that advice states, over so many seeds");
  app.add_flag("--audit", o.audit, "how many documents would be removed wrongly without a check");
  app.add_option("--time-at", o.time_at, "distances at which fingerprints, pairs and check are timed; several: a,b")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, 31));
  app.add_option("--theory-from", o.theory.complete_from,
                 "all pairs from this similarity of the fingerprint's features are held against theory; below, random "
                 "ones")
      ->check(CLI::Range(0.05, 1.0))
      ->capture_default_str();
  app.add_option("--bin-width", o.theory.width, "of similarities")
      ->check(CLI::Range(0.001, 0.5))
      ->capture_default_str();
  app.add_option("--random-pairs", o.theory.random_pairs, "for the bins below --theory-from")->capture_default_str();
  app.add_option("--theory-seeds", o.theory.seeds, "theory is held against the mean over so many seeds, from --seed on")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--no-theory", o.no_theory, "leave theory out");
  app.add_option("--limit", o.limit, "the first N documents only; 0: all")->capture_default_str();
  app.add_option("--threads", o.threads, "do not change the figures")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_flag("--json", o.json, "JSON instead of the table");
  app.add_flag("--self-check", o.self_check,
               "check the measuring itself; with an input, on its first 2000 documents, too");
}

std::vector<fingerprint_choice> compositions(const options& o) {
  std::vector<fingerprint_choice> result;
  for (const std::string& features : o.features) {
    for (const std::string& weights : o.weights) {
      for (const std::size_t bits : o.bits) {
        result.push_back({parse_features(features), parse_weights(weights), bits, o.seed});
      }
    }
  }
  return result;
}

int run_self_check(const options& o, const feature_choice& truth) {
  documents input;
  if (!o.input.empty()) input = read_documents(o.input, o.limit != 0 ? o.limit : self_check_limit);
  const std::vector<std::string> failures = self_check(input.texts, truth, compositions(o).front(), o.threads);
  for (const std::string& failure : failures) std::fprintf(stderr, "FAILED: %s\n", failure.c_str());
  if (failures.empty()) std::puts("self-check passed");
  return failures.empty() ? 0 : 1;
}

/// Returns the check by the library's features. The first call makes it.
const pair_check* library_check(report& result, const documents& input, const feature_choice& features,
                                unsigned threads) {
  const std::string name = to_string(features);
  for (std::size_t i = 1; i < result.checks.size(); ++i) {
    if (result.checks[i]->name == name) return result.checks[i].get();
  }
  const feature_sets sets(fingerprint_features(features, input.texts, threads));
  result.checks.push_back(std::make_unique<pair_check>(
      make_check(name, input, sets, result.similarity, threads, result.checks.front().get())));
  return result.checks.back().get();
}

theory_comparison compare_with_theory(const documents& input, std::unique_ptr<fingerprints> prints,
                                      const fingerprint_choice& choice, const options& o) {
  const feature_sets sets(fingerprint_features(choice.features, input.texts, o.threads));
  std::vector<std::unique_ptr<fingerprints>> seeded;
  seeded.push_back(std::move(prints));
  for (std::uint64_t i = 1; i < o.theory.seeds; ++i) {
    fingerprint_choice other = choice;
    other.seed += i;
    seeded.push_back(make_fingerprints(other, input.texts, o.threads));
  }
  return measure_theory(sets, seeded, choice.bits, o.theory, o.threads);
}

/// Requires that the pipeline (fingerprints, candidates, check) finds exactly the pairs that the exact join of sets
/// predicts.
void check_pipeline(const composition_report& one) {
  const pipeline_report& last = one.pipelines.back();
  if (static_cast<std::size_t>(last.k) >= one.pairs.alone.found.size()) return;
  const auto within = [&](const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.begin() + last.k + 1, std::uint64_t{0});
  };
  if (last.candidates != within(one.pairs.alone.found) || last.accepted != within(one.pairs.checked[1].found)) {
    throw std::logic_error("checked pairs of " + to_string(one.prints) + " are not those of the join");
  }
}

composition_report measure_composition(report& result, const documents& input, const fingerprint_choice& choice,
                                       const options& o) {
  composition_report one;
  one.prints = choice;
  std::unique_ptr<fingerprints> prints = make_fingerprints(choice, input.texts, o.threads);
  for (std::uint32_t i = 0; i < input.texts.size(); ++i) {
    if (!prints->has(i)) ++one.without_fingerprint;
  }
  one.checks = {result.checks.front().get(), library_check(result, input, result.truth, o.threads)};
  if (!o.no_own_check && to_string(choice.features) != to_string(result.truth)) {
    one.checks.push_back(library_check(result, input, choice.features, o.threads));
  }
  const int most = o.distance * static_cast<int>(choice.bits) / 64;
  const int k = largest_distance(*prints, input.texts.size(), most, o.most_pairs);
  one.pairs = measure_retrieval(input, *result.checks.front(), one.checks, *prints, k, o.threads);
  if (o.skew && choice.bits == 64) one.skew = measure_skew(*prints, input.texts);
  for (const int distance : o.time_at) {
    one.pipelines.push_back(run_pipeline(choice, result.truth, o.similarity,
                                         distance * static_cast<int>(choice.bits) / 64, input.texts, o.threads));
    check_pipeline(one);
  }

  // The theory holds for sets, in which each feature counts once.
  one.has_theory = !o.no_theory && choice.weights == weighting::unit;
  if (one.has_theory) {
    one.theory_seeds = o.theory.seeds;
    one.theory = compare_with_theory(input, std::move(prints), choice, o);
  }
  return one;
}

int run(const options& o, const feature_choice& truth) {
  report result;
  stopwatch watch;
  const auto stop = [&](std::string stage) { result.timings.push_back({std::move(stage), watch.restart()}); };
  const documents input = read_documents(o.input, o.limit);
  const std::vector<std::string>& texts = input.texts;
  stop("reading");

  result.input = o.input;
  result.documents = texts.size();
  result.labelled = input.labelled;
  result.labelled_pairs = count_equal_pairs(input.labels, no_label);
  result.identical_texts = count_equal_pairs(texts, std::string());
  result.truth = truth;
  result.similarity = o.similarity;
  result.threads = o.threads;
  {
    std::vector<std::vector<std::uint64_t>> features(texts.size());
    in_parallel(texts.size(), o.threads, [&](std::size_t i) { features[i] = truth_features(truth, texts[i]); });
    result.checks.push_back(
        std::make_unique<pair_check>(make_check("truth", input, feature_sets(features), o.similarity, o.threads)));
    stop("truth");
    if (o.minhash) {
      result.minhash =
          std::make_unique<minhash_report>(measure_minhash(input, features, *result.checks.front(), o.threads));
      stop("minhash");
    }
    if (o.audit) {
      result.audit = audit_removals(input, features, truth, *result.checks.front(), o.similarity, o.seed, o.threads);
      stop("audit");
    }
    for (const similar_pair& pair : result.checks.front()->pairs) {
      if (texts[pair.a] == texts[pair.b]) ++result.true_identical;
    }
  }
  if (o.advice) {
    const pair_check* library = library_check(result, input, truth, o.threads);
    result.advice = std::make_unique<advice_report>(
        measure_advice(input, truth, o.similarity, *result.checks.front(), *library, o.seed, o.most_pairs, o.threads));
    stop("advice");
  }
  if (o.advice_seeds > 0) {
    const pair_check* library = library_check(result, input, truth, o.threads);
    result.intervals = measure_intervals(input, truth, o.similarity, *library, o.seed, o.advice_seeds, o.threads);
    stop("intervals");
  }
  bool theory_holds = true;
  for (const fingerprint_choice& choice : compositions(o)) {
    result.compositions.push_back(measure_composition(result, input, choice, o));
    theory_holds = theory_holds && result.compositions.back().theory_holds();
    stop(to_string(choice));
  }
  std::fputs(o.json ? to_json(result).c_str() : to_table(result).c_str(), stdout);
  return theory_holds ? 0 : 1;
}

}  // namespace

}  // namespace accuracy

int main(int argc, char** argv) {
  CLI::App app{
      "Precision and recall of fingerprints against the exact Jaccard similarity of texts, and their distances "
      "against\n"
      "theory. Exit status: 0, 1 when the distances are not what theory says or the self-check fails, 2 for an error."};
  accuracy::options o;
  o.threads = (std::max)(1U, std::thread::hardware_concurrency());
  accuracy::add_options(app, o);
  try {
    app.parse(argc, argv);
    if (o.input.empty() && !o.self_check) throw CLI::RequiredError("input");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const accuracy::feature_choice truth = accuracy::parse_features(o.truth);
    if (truth.canonical) throw std::invalid_argument("the truth is made by no tokenizer of the library");
    return o.self_check ? accuracy::run_self_check(o, truth) : accuracy::run(o, truth);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neardup_bench_accuracy: %s\n", error.what());
    return 2;
  }
}
