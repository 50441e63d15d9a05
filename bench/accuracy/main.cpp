// neardup_bench_accuracy: how well fingerprints find the pairs of texts that are really alike.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "documents.hpp"
#include "features.hpp"
#include "fingerprints.hpp"
#include "measure.hpp"
#include "report.hpp"
#include "self_check.hpp"
#include "set_join.hpp"

namespace accuracy {

namespace {

struct options {
  std::string input;
  std::size_t limit = 0;
  std::string truth = "words:3";
  std::string features = "words:2";
  std::string weights = "unit";
  double similarity = 0.7;
  int distance = 16;
  fingerprint_choice prints;
  theory_choice theory;
  bool no_theory = false;
  bool json = false;
  bool self_check = false;
  unsigned threads = 1;
};

/// Documents that the self-check looks at; it compares each with each.
constexpr std::size_t self_check_limit = 2000;

class stopwatch {
 public:
  explicit stopwatch(report& to) : to_(to) {}

  void stop(const char* stage) {
    const auto now = std::chrono::steady_clock::now();
    to_.timings.push_back({stage, std::chrono::duration<double>(now - start_).count()});
    start_ = now;
  }

 private:
  report& to_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void add_options(CLI::App& app, options& o) {
  app.add_option("input", o.input, "JSON Lines with text and cluster, '-' for standard input");
  app.add_option("--truth", o.truth, "features that define the truth: words[:N], chars:N, bytes:N")
      ->capture_default_str();
  app.add_option("--similarity", o.similarity, "texts are alike from this Jaccard similarity of the truth's features")
      ->check(CLI::Range(0.01, 1.0))
      ->capture_default_str();
  app.add_option("--features", o.features, "features of the fingerprint: words[:N], chars:N, bytes:N")
      ->capture_default_str();
  app.add_option("--weights", o.weights, "unit, tf, logtf")
      ->check(CLI::IsMember({"unit", "tf", "logtf"}))
      ->capture_default_str();
  app.add_option("--bits", o.prints.bits, "32, 64, 128, 256")
      ->check(CLI::IsMember({32, 64, 128, 256}))
      ->capture_default_str();
  app.add_option("--seed", o.prints.seed, "of the hash")->capture_default_str();
  app.add_option("--distance", o.distance, "the largest k of the table, bits")
      ->check(CLI::Range(0, 31))
      ->capture_default_str();
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

int run_self_check(const options& o, const feature_choice& truth) {
  documents input;
  if (!o.input.empty()) input = read_documents(o.input, o.limit != 0 ? o.limit : self_check_limit);
  const std::vector<std::string> failures = self_check(input.texts, truth, o.prints, o.threads);
  for (const std::string& failure : failures) std::fprintf(stderr, "FAILED: %s\n", failure.c_str());
  if (failures.empty()) std::puts("self-check passed");
  return failures.empty() ? 0 : 1;
}

int run(const options& o, const feature_choice& truth) {
  report result;
  stopwatch watch(result);
  const documents input = read_documents(o.input, o.limit);
  const std::vector<std::string>& texts = input.texts;
  watch.stop("reading");

  result.input = o.input;
  result.documents = texts.size();
  result.labelled = input.labelled;
  result.identical_texts = count_equal_pairs(texts, std::string());
  result.truth = truth;
  result.similarity = o.similarity;
  result.prints = o.prints;

  std::unique_ptr<fingerprints> prints = make_fingerprints(o.prints, texts, o.threads);
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    if (!prints->has(i)) ++result.without_fingerprint;
  }
  watch.stop("fingerprints");
  {
    std::vector<std::vector<std::uint64_t>> features(texts.size());
    in_parallel(texts.size(), o.threads, [&](std::size_t i) { features[i] = truth_features(truth, texts[i]); });
    const feature_sets sets(features);
    watch.stop("sets");
    result.pairs = measure_retrieval(input, sets, o.similarity, *prints, o.distance, o.threads);
    watch.stop("retrieval");
  }
  // The theory is one of sets: each feature once.
  result.has_theory = !o.no_theory && o.prints.weights == weighting::unit;
  if (result.has_theory) {
    const feature_sets sets(fingerprint_features(o.prints, texts, o.threads));
    std::vector<std::unique_ptr<fingerprints>> seeded;
    seeded.push_back(std::move(prints));
    for (std::uint64_t i = 1; i < o.theory.seeds; ++i) {
      fingerprint_choice other = o.prints;
      other.seed += i;
      seeded.push_back(make_fingerprints(other, texts, o.threads));
    }
    result.theory_seeds = o.theory.seeds;
    result.theory = measure_theory(sets, seeded, o.prints.bits, o.theory, o.threads);
    watch.stop("theory");
  }
  std::fputs(o.json ? to_json(result).c_str() : to_table(result).c_str(), stdout);
  return result.theory_holds() ? 0 : 1;
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
    o.prints.features = accuracy::parse_features(o.features);
    o.prints.weights = o.weights == "tf"      ? accuracy::weighting::tf
                       : o.weights == "logtf" ? accuracy::weighting::log_tf
                                              : accuracy::weighting::unit;
    return o.self_check ? accuracy::run_self_check(o, truth) : accuracy::run(o, truth);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neardup_bench_accuracy: %s\n", error.what());
    return 2;
  }
}
