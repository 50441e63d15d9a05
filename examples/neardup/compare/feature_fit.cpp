#include "feature_fit.hpp"

#include <algorithm>
#include <neardup/index/recall.hpp>

#include "../describe/readers.hpp"
#include "../ground/text.hpp"

namespace command {

namespace {

/// Returns the least number of features, or of characters, with which a text stays similar after a change.
std::size_t least_features(const compared_by& by, double similarity) {
  if (similarity >= 1) return 0;
  if (by.features) {
    const bool are_few = by.features->kind == neardup::feature_kind::longest_sentences;
    return are_few ? 0 : neardup::features_to_bear(by.features->size, similarity);
  }
  // Rounding may have changed the quotient, so the search starts below it.
  auto length = static_cast<std::size_t>(std::max(1 / (1 - similarity) - 2, 1.0));
  while (static_cast<double>(length - 1) / static_cast<double>(length) < similarity) ++length;
  return length;
}

}  // namespace

comparison_settings compared_by::settings(double similarity) const {
  comparison_settings how;
  how.min_similarity = similarity;
  how.check = features ? similarity_measure::jaccard : similarity_measure::edit;
  if (features) how.check_features.choice = *features;
  how.reads_features = how.is_exact = true;
  how.has_fingerprints = false;
  return how;
}

std::vector<feature_fit> fits_of(std::span<const std::string_view> texts, std::span<const compared_by> kinds,
                                 double similarity, const fingerprint_settings& settings) {
  std::vector<feature_fit> fits;
  for (const compared_by& by : kinds) {
    const comparison_settings how = by.settings(similarity);
    const feature_reader read = make_feature_reader(settings, how);
    const std::size_t enough = least_features(by, similarity);
    double all = 0, too_short = 0;
    for (const std::string_view text : texts) {
      const feature_set found = read({text});
      const std::size_t count = by.features ? found.size() : found.empty() ? 0 : code_points(normalised_text(found));
      all += static_cast<double>(count);
      too_short += count < enough ? 1 : 0;
    }
    const auto count = static_cast<double>(texts.size());
    fits.push_back({by, all / count, too_short / count});
  }
  return fits;
}

}  // namespace command
