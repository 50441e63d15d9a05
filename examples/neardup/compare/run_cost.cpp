#include "run_cost.hpp"

#include <cmath>
#include <ctime>
#include <neardup/dedup/group_sets.hpp>
#include <neardup/dedup/group_texts.hpp>
#include <neardup/sets/feature_counts.hpp>
#include <neardup/sets/feature_sets.hpp>

#include "../describe/readers.hpp"
#include "../ground/text.hpp"

namespace command {

namespace {

using part_sets = neardup::feature_sets<std::uint32_t>;

/// Returns tried_run::postings, as a mean over at most 2,000 sets. The prefix of a set is its rarest features. Their
/// number depends on `similarity`.
double mean_postings(const part_sets& sets, double similarity) {
  neardup::feature_counts<std::uint32_t> counts(sets.feature_count());
  for (std::size_t i = 0; i < sets.size(); ++i) counts.add(sets[i]);
  constexpr std::size_t most = 2000;
  const std::size_t looked_at = std::min(most, sets.size());
  std::vector<std::uint16_t> frequencies;
  double postings = 0;
  for (std::size_t k = 0; k < looked_at; ++k) {
    const auto set = sets[k * sets.size() / looked_at];
    frequencies.resize(set.size());
    counts.look_up(set, frequencies);
    std::sort(frequencies.begin(), frequencies.end());
    const auto prefix = static_cast<std::size_t>(static_cast<double>(set.size()) * (1 - similarity)) + 1;
    for (std::size_t i = 0; i < std::min(prefix, set.size()); ++i) postings += std::max(frequencies[i] - 1.0, 0.0);
  }
  return postings / static_cast<double>(looked_at);
}

/// Returns the number of documents whose representative is another document.
template <class Labels>
std::size_t count_dropped(const Labels& labels) {
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) dropped += static_cast<std::size_t>(labels[i]) != i ? 1 : 0;
  return dropped;
}

}  // namespace

double processor_seconds() { return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC); }

tried_run try_run(const corpus_part& part, const compared_by& by, double similarity,
                  const fingerprint_settings& settings) {
  tried_run run;
  run.by = by;
  run.documents = part.size();
  const feature_reader read = make_feature_reader(settings, by.settings(similarity));
  part_sets sets;
  std::vector<std::string> texts;
  const double begin = processor_seconds();
  for (std::size_t i = 0; i < part.size(); ++i) {
    const feature_set found = read({part[i]});
    if (by.features) {
      sets.add(found);
    } else {
      texts.emplace_back(found.empty() ? std::string_view() : normalised_text(found));
    }
  }
  run.reading_seconds = processor_seconds() - begin;
  // The documents are grouped up to twice, and the shorter time counts. The first time includes new pages of memory from
  // the system, of which a part needs more per document than a whole corpus. If the first time is above short_seconds,
  // the share of these pages is small, and one round suffices.
  constexpr double short_seconds = 0.5;
  for (int round = 0; round < 2; ++round) {
    const double before = processor_seconds();
    run.dropped = by.features ? count_dropped(neardup::group(sets, neardup::jaccard{similarity}))
                              : count_dropped(neardup::group(texts, neardup::edit{similarity}));
    const double seconds = processor_seconds() - before;
    run.grouping_seconds = round == 0 ? seconds : std::min(seconds, run.grouping_seconds);
    if (seconds > short_seconds) break;
  }
  const auto count = static_cast<double>(part.size());
  if (by.features) {
    run.features = static_cast<double>(sets.feature_count()) / count;
    run.postings = mean_postings(sets, similarity);
  } else {
    for (const std::string& text : texts) run.features += static_cast<double>(code_points(text)) / count;
  }
  return run;
}

run_cost cost_of_run(const tried_run& part, std::uint64_t documents, double input_seconds) {
  const double all = static_cast<double>(documents), ratio = all / static_cast<double>(part.documents);
  // A posting takes an eighth of the time of a feature, as bench/advice.py has measured.
  constexpr double of_posting = 0.125;
  // If no feature is rare, a join compares parts of sets. Its time then grows more slowly than the number of postings.
  constexpr double most_growth = 0.45;
  const double growth = part.by.features ? std::min(std::pow(ratio, most_growth),
                                                    (part.features + of_posting * part.postings * ratio) /
                                                        std::max(part.features + of_posting * part.postings, 1.0))
                                         : ratio;
  const double seconds = input_seconds + ratio * (part.reading_seconds + part.grouping_seconds * growth);
  // Bytes of the process, of a document, of each of its features, and of a text. They were measured by bench/advice.py.
  constexpr double of_process = 24e6, of_document = 130, of_feature = 6.2, of_text = 1500;
  const double bytes = of_process + all * (part.by.features ? of_document + of_feature * part.features : of_text);
  return {seconds, bytes};
}

}  // namespace command
