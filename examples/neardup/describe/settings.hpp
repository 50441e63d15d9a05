// The settings for making fingerprints and features, and for comparing documents.
#pragma once

#include <atomic>
#include <memory>
#include <neardup/fingerprint/idf.hpp>
#include <neardup/simhash.hpp>
#include <optional>
#include <string>
#include <vector>

#include "features.hpp"

namespace command {

/// The measure of the similarity of two candidates. The last two are for exact joins only: the containment of the
/// smaller text in the larger text, and the cosine with equal weights.
enum class similarity_measure { jaccard, cosine, edit, containment, cosine_of_sets };
inline const std::vector<const char*> measure_names{"jaccard", "cosine", "edit", "containment", "cosine"};
inline constexpr std::ptrdiff_t measures_of_candidates = 3;

/// The settings of a search for passages: their unit, their length, and the least number of documents that contain
/// them.
struct passage_settings {
  std::size_t length = 50;  ///< length of a passage, in words or in bytes
  bool are_bytes = false;
  std::size_t least_documents = 1;

  friend bool operator==(const passage_settings&, const passage_settings&) = default;
};

/// Counts documents whose canonical features differ from their normalised features. `seen`: number of examined
/// documents, which are the first of the input. `changed`: number of those with a difference. Only one thread counts.
/// Other threads read `seen`, so that they examine no more documents than needed.
struct spelling_count {
  static constexpr std::uint64_t enough = 1000;
  std::atomic<std::uint64_t> seen = 0, changed = 0;
};

/// The features of fingerprints, their weights, kind and width.
struct fingerprint_settings {
  feature_setting features;
  dictionary_files words;
  std::vector<std::string> same;  ///< the value of --same, as typed
  bool are_given = false;         ///< true if records contain features with weights
  bool are_codes = false;         ///< true if records contain fingerprints
  neardup::any_weighter::choice weights;
  std::optional<std::uint64_t> fold;  ///< identity of the tables of --fold-chinese, after they are read
  bool folds_chinese = false;
  std::string idf_file;
  std::shared_ptr<const neardup::idf_table> idf;  ///< table for --weights idf and tfidf and for --top; read or learnt
  std::shared_ptr<std::atomic<bool>> met_term;    ///< true if any feature was a term of idf_file
  /// Counts the documents whose features change with the prefix `canonical:`. Null unless features are made of
  /// normalised words or code points.
  std::shared_ptr<spelling_count> spelling;
  std::size_t top = 0;  ///< number of features of a document that count; 0 for all
  neardup::fingerprint_kind kind = neardup::fingerprint_kind::simhash;
  std::size_t bits = 64;
  std::uint64_t seed = 0;

  /// Returns true if features may have different weights, either computed or from the input.
  [[nodiscard]] bool has_weights() const { return weights != neardup::any_weighter::choice() || top > 0 || are_given; }

  /// Returns true if an IDF table is needed, either for the weights of features or to choose the top features.
  [[nodiscard]] bool needs_idf() const { return weights.needs_table() || (top > 0 && !are_given); }

  /// Returns true if the IDF table has to be learnt from the input.
  [[nodiscard]] bool learns_idf() const { return needs_idf() && idf_file.empty(); }
};

/// The settings that decide when two documents are near-duplicates.
struct comparison_settings {
  int distance = 3;
  int blocks = 0;                        ///< 0 for the library's default
  std::optional<double> min_similarity;  ///< nullopt for no check
  feature_setting check_features;
  similarity_measure check = similarity_measure::jaccard;
  bool reads_features = false;  ///< true if features for the check, or digests of short documents, are made
  /// True if all documents are candidates. The check then compares sets of features, or texts by edit similarity.
  bool is_exact = false;
  bool is_bound_to_index = false;  ///< true if features and thresholds come from an index
  bool has_fingerprints = true;    ///< false if no fingerprints are made, because they are not needed
  /// True if two consecutive words of 32 bits in a feature_set are one feature of 64 bits. Only for a check that
  /// compares sets.
  bool has_wide_features = false;
  bool is_lossless = false;  ///< true if a contained document is dropped however few features it has (--lossless)
  bool only_copies = false;  ///< true if the features of a document are the 128-bit hash of its texts

  [[nodiscard]] bool checks_jaccard() const { return min_similarity && check == similarity_measure::jaccard; }
  [[nodiscard]] bool checks_edits() const { return min_similarity && check == similarity_measure::edit; }
  [[nodiscard]] bool checks_containment() const { return check == similarity_measure::containment; }
  [[nodiscard]] bool checks_sets() const {
    return checks_jaccard() || checks_containment() || (min_similarity && check == similarity_measure::cosine_of_sets);
  }
};

}  // namespace command
