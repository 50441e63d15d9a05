// What of the command line is about fingerprints, and about what is compared besides them.
#pragma once

#include <atomic>
#include <memory>
#include <neardup/fingerprint/idf_table.hpp>
#include <neardup/simhash.hpp>
#include <optional>
#include <string>
#include <vector>

#include "features.hpp"

namespace command {

enum class weighting { unit, tf, log_tf, idf, tf_idf };
inline const std::vector<const char*> weight_names{"unit", "tf", "logtf", "idf", "tfidf"};

/// Weights in whole levels, of which the heaviest feature has the highest: by their size, or by their rank.
enum class level_rule { none, by_weight, by_rank };

/// How similar two candidates are. Those of the exact joins alone come last: the cosine where all features weigh the same,
/// and what a smaller text has in common with a larger one.
enum class similarity_measure { jaccard, cosine, edit, containment, cosine_of_sets };
inline const std::vector<const char*> measure_names{"jaccard", "cosine", "edit", "containment", "cosine"};
inline constexpr std::ptrdiff_t measures_of_candidates = 3;

/// How many documents were looked at, and how many of them have other canonical features than normalised ones. Counted
/// by several threads.
struct spelling_count {
  std::atomic<std::uint64_t> seen = 0, changed = 0;
};

/// What fingerprints are made of, and how.
struct fingerprint_settings {
  feature_setting features;
  dictionary_files words;
  std::vector<std::string> same;  ///< what near-duplicates share, as typed
  bool are_given = false;         ///< records have their features ready, with weights
  weighting weights = weighting::unit;
  level_rule levels = level_rule::none;
  std::size_t level_count = 0;
  std::optional<std::uint64_t> fold;  ///< what identifies the tables of --fold-chinese, once they are read
  bool folds_chinese = false;
  std::string idf_file;
  std::shared_ptr<const neardup::idf_table>
      idf;                                      ///< of --weights idf and tfidf and of --top, once it is read or learnt
  std::shared_ptr<std::atomic<bool>> met_term;  ///< whether a feature was among the terms of idf_file
  std::shared_ptr<spelling_count> spelling;     ///< where canonical features would be another choice
  std::size_t top = 0;                          ///< so many features of a document count; 0: all
  neardup::fingerprint_kind kind = neardup::fingerprint_kind::simhash;
  std::size_t bits = 64;
  std::uint64_t seed = 0;

  /// Whether features count differently: by weights of ours or of the input.
  [[nodiscard]] bool has_weights() const { return weights != weighting::unit || top > 0 || are_given; }

  /// Whether it matters how rare features are: for their weights, or for which of them count.
  [[nodiscard]] bool needs_idf() const {
    return weights == weighting::idf || weights == weighting::tf_idf || (top > 0 && !are_given);
  }

  /// Whether that has to be learnt from the input.
  [[nodiscard]] bool learns_idf() const { return needs_idf() && idf_file.empty(); }
};

/// When two documents are near-duplicates.
struct comparison_settings {
  int distance = 3;
  int blocks = 0;                        ///< 0: the library's default
  std::optional<double> min_similarity;  ///< nothing: no check
  feature_setting check_features;
  similarity_measure check = similarity_measure::jaccard;
  bool reads_features = false;  ///< what is compared besides fingerprints is read, or a digest of short documents
  bool keeps_digests = false;   ///< these digests are those that files keep
  bool is_exact = false;  ///< all documents are candidates: there is a check, of sets of features or by edit distance
  bool is_bound_to_index = false;  ///< features and limits are those that an index was made with
  bool has_distances = true;       ///< else nobody asks for those of fingerprints, and none are made

  /// Whether the check compares the features as sets.
  [[nodiscard]] bool checks_jaccard() const { return min_similarity && check == similarity_measure::jaccard; }
  [[nodiscard]] bool checks_edits() const { return min_similarity && check == similarity_measure::edit; }
  [[nodiscard]] bool checks_containment() const { return check == similarity_measure::containment; }
  [[nodiscard]] bool checks_sets() const {
    return checks_jaccard() || checks_containment() || (min_similarity && check == similarity_measure::cosine_of_sets);
  }
};

}  // namespace command
