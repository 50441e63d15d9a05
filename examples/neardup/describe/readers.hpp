// Makes fingerprints of documents, and features for the exact check, according to the command line.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <neardup/sets/similarity.hpp>
#include <span>
#include <string_view>

#include "fingerprints.hpp"
#include "settings.hpp"

namespace command {

/// A function that computes a result, such as a fingerprint, from the texts of a document. Each thread needs its own
/// document_reader.
template <class Result>
using document_reader = std::function<Result(const document_texts& texts)>;

/// Returns the document_reader `make(settings, comparison)`. If features are counted, the tokens of all texts of a
/// document are counted together.
template <class Result, class Make>
document_reader<Result> count_together(const fingerprint_settings& settings, const comparison_settings& comparison,
                                       const Make& make) {
  document_reader<Result> single = make(settings, comparison);
  if (!settings.features.choice.is_counted && !comparison.check_features.choice.is_counted) return single;
  struct own_settings {
    fingerprint_settings fingerprint;
    comparison_settings comparison;
  };
  const auto own = std::make_shared<own_settings>(own_settings{settings, comparison});
  const auto texts = std::make_shared<const document_texts*>();
  own->fingerprint.features.counted_texts = own->comparison.check_features.counted_texts = texts;
  return [own, texts, single = std::move(single),
          several = make(own->fingerprint, own->comparison)](const document_texts& all) {
    *texts = &all;
    return all.size() == 1 ? single(all) : several(all);
  };
}

/// A tokenizer that ignores its argument, and cuts all texts of the document in **texts. Copies share `texts`.
template <class Tokenizer>
struct document_tokenizer {
  Tokenizer tokenize;
  std::shared_ptr<const document_texts*> texts = std::make_shared<const document_texts*>();

  template <class Sink>
  void operator()(std::string_view /*all are in texts*/, Sink&& sink) const {
    for (const std::string_view text : **texts) tokenize(text, sink);
  }
};

/// A distinct feature of a document, with its weight in the fingerprint. `units`: the weight in units of 1/256 or, for
/// weights in records, of a fraction of the document's largest weight.
struct weighed_feature {
  std::string text;
  double weight;
  std::uint64_t units;
};

/// A function that returns the weighed features of a document in the order of their first occurrences. With --top, it
/// returns only the top features, the best one first.
using feature_weigher = document_reader<std::vector<weighed_feature>>;
feature_weigher make_feature_weigher(const fingerprint_settings& settings, const feature_setting& features);

/// The compared data of a document, without its fingerprint. For a check by Jaccard: the features, ascending (see
/// neardup::feature_extractor). For cosine and edit similarity: the input of similarity_at_least(). Without a check,
/// only a short document (with fewer than neardup::default_min_tokens features) has data: its neardup::set_digest.
using feature_set = std::span<const std::uint32_t>;

/// The neardup::set_digest of a short document, as the elements of a feature_set.
using digest_words = std::array<std::uint32_t, 4>;
digest_words words_of(const std::array<std::uint64_t, 2>& digest);

/// The feature_set of a document in a run without a check, if it is unknown whether the document is short.
inline constexpr std::array<std::uint32_t, 2> unknown_features{~std::uint32_t{0}, ~std::uint32_t{0}};

/// Returns the similarity of two documents by `measure`, or nullopt if it is below `least`.
std::optional<double> similarity_at_least(similarity_measure measure, feature_set a, feature_set b, double least);

/// Returns the similarity of two sets by `measure`. An exact join computes the same value.
template <class Feature>
double similarity_of_sets(similarity_measure measure, std::span<const Feature> a, std::span<const Feature> b) {
  if (measure == similarity_measure::jaccard) return neardup::jaccard_similarity(a, b);
  if (a.empty() || b.empty()) return 0;
  // Computes the overlap `common` from the Jaccard similarity j = common / (|a| + |b| - common). The reason is speed:
  // the library finds j by bisection if one set is much larger. Rounding gives the exact overlap, because the sizes are
  // below 2^32, and j has 53 bits.
  const double x = static_cast<double>(a.size()), y = static_cast<double>(b.size()),
               j = neardup::jaccard_similarity(a, b);
  const double common = std::round(j * (x + y) / (1 + j));
  const double all = measure == similarity_measure::containment ? std::min(x, y) : std::sqrt(x * y);
  return std::min(1.0, common / all);
}

/// Returns the normalised text in `packed`, the compared data for the edit similarity.
inline std::string_view normalised_text(feature_set packed) {
  return {reinterpret_cast<const char*>(packed.data() + 1), packed[0]};
}

/// Reads the compared data of a document. The data are valid until the next document is read.
using feature_reader = document_reader<feature_set>;
feature_reader make_feature_reader(const fingerprint_settings& settings, const comparison_settings& comparison);

/// The data for a decision about a document: a fingerprint and features. Each is made only if the settings need it.
struct described_document {
  bool is_comparable;  ///< true if there is a fingerprint, or, without fingerprints, data for the check
  any_fingerprint fingerprint;
  feature_set features;  ///< valid until the next document is read
};
using document_describer = document_reader<described_document>;
document_describer make_describer(const fingerprint_settings& settings, const comparison_settings& comparison);

/// Sets *settings.met_term to true if `text` has a term of --idf-file. No-op without such a file.
void look_for_terms(const fingerprint_settings& settings, std::string_view text);

/// Returns true if, in the beginning of any of the texts, the canonical text differs from the normalised text. Returns
/// false if settings.spelling is null, or has counted enough documents.
bool is_spelt_otherwise(const fingerprint_settings& settings, const document_texts& texts);

/// Parses a value of --weights.
/// Throws: usage_error if `text` is not a valid value.
neardup::any_weighter::choice parse_weights(const std::string& text);

}  // namespace command
