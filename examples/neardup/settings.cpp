#include "settings.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <neardup/dedup/checks.hpp>
#include <neardup/dedup/recall.hpp>
#include <stdexcept>

namespace command {

namespace {

double parse_similarity(const std::string& text) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  return parse_number("--similarity", text, least, 1.0, "must be above 0 and at most 1");
}

/// The features of the fingerprint and of the check, where one is given for both.
void apply_features(const typed_settings& given, options& to) {
  if (given.features) to.features = parse_feature_setting("--features", *given.features);
  if (given.check_features) to.check_features = parse_feature_setting("--check-features", *given.check_features);
  if (!given.features && given.check_features) to.features = to.check_features;
  // A replaced character changes the words around it: single ones stay nearest to what the edit distance says.
  if (!given.features && !given.check_features && given.check == "edit") to.features.choice.size = 1;
  if (!given.check_features) to.check_features = to.features;
  const bool by_dictionary = to.features.needs_dictionary() || to.check_features.needs_dictionary();
  if (by_dictionary && to.action == verb::advise)
    throw usage_error("advise knows no words by a dictionary, only words:N, masked:words:N, chars:N and bytes:N");
  if (to.words.any() && !by_dictionary) {
    throw usage_error("a dictionary, its model and stop words need --features zh:words or zh:keywords");
  }
  if (to.words.no_model && !to.words.model.empty()) throw usage_error("--model and --no-hmm do not go together");
}

void apply_weights(const typed_settings& given, options& to) {
  if (given.weights) {
    to.weights = static_cast<weighting>(parse_name("--weights", *given.weights, {"unit", "tf", "logtf", "idf", "tfidf"},
                                                   "weights are unit, tf, logtf, idf or tfidf"));
  }
  const bool by_rarity = to.weights == weighting::idf || to.weights == weighting::tf_idf;
  if (!to.idf_file.empty() && !by_rarity) throw usage_error("--idf-file needs --weights idf or tfidf");
  if (!given.top) return;
  to.top = parse_number<std::size_t>("--top", *given.top, 1, 1'000'000'000);
  if (to.weights != weighting::tf_idf && to.weighted_field.empty()) throw usage_error("--top needs --weights tfidf");
}

/// The Jaccard similarity of the features for which the distance is chosen: for the cosine that of equally large sets,
/// for the edit similarity that of texts in which as many characters were replaced, far from each other; each changes
/// all runs of N that it lies in.
double jaccard_for(double similarity, const options& settings) {
  if (settings.check == similarity_measure::jaccard) return similarity;
  const bool has_runs = settings.check == similarity_measure::edit && !settings.features.needs_dictionary();
  const double same = std::pow(similarity, has_runs ? static_cast<double>(settings.features.choice.size) : 1.0);
  return same / (2 - same);
}

/// Whether features count differently: by weights of ours or of the input.
bool has_weights(const options& settings) {
  return settings.weights != weighting::unit || settings.top > 0 || !settings.weighted_field.empty();
}

/// The distance, and the kind where it is not given: the one that needs the smaller distance, and so has fewer
/// candidates; docs/scale.md measures it. Weights are for SimHash only.
void choose_distance(const typed_settings& given, double similarity, options& to) {
  using neardup::fingerprint_kind;
  const auto distance_by = [&](fingerprint_kind kind) { return neardup::distance_for(to.bits, similarity, kind); };
  const bool is_open =
      given.kind.value_or("auto") == "auto" && to.check == similarity_measure::jaccard && !has_weights(to);
  if (is_open && distance_by(fingerprint_kind::minwise) <= distance_by(fingerprint_kind::simhash)) {
    to.kind = fingerprint_kind::minwise;
  }
  to.distance = std::min(distance_by(to.kind), static_cast<int>(to.bits) - 1);
}

/// Which document of a group stays.
void apply_keep(const std::string& text, options& to) {
  const std::size_t colon = text.find(':');
  const std::size_t which = parse_name("--keep", text.substr(0, colon), {"first", "longest", "highest", "lowest"},
                                       "is first, longest, highest:FIELD or lowest:FIELD");
  to.keep = static_cast<preference>(which);
  const bool by_field = to.keep == preference::highest || to.keep == preference::lowest;
  if (by_field != (colon != text.npos) || (by_field && colon + 1 == text.size())) {
    throw usage_error("--keep '" + text + "': is first, longest, highest:FIELD or lowest:FIELD");
  }
  if (!by_field) return;
  if (to.unit != unit_of_input::json_lines) throw usage_error("--keep " + text + " needs --jsonl");
  to.score_field = text.substr(colon + 1);
}

/// The distance and the check: --distance alone is one without a check, all else is chosen for a similarity.
void apply_comparison(const typed_settings& given, options& to) {
  const int bits = static_cast<int>(to.bits);
  if (given.distance) to.distance = parse_number("--distance", *given.distance, 0, bits - 1);
  if (given.blocks) to.blocks = parse_number("--blocks", *given.blocks, 1, bits);
  if (given.min_similarity) to.min_similarity = parse_number("--min-similarity", *given.min_similarity, 0.0, 1.0);
  if (given.grouping) {
    to.by_components = parse_name("--grouping", *given.grouping, {"representatives", "components"},
                                  "groupings are representatives and components") == 1;
  }
  if (given.keep) apply_keep(*given.keep, to);
  if (to.has_against()) {
    if (to.by_components) throw usage_error("--grouping components and --against do not go together");
    if (given.keep && !to.also_within) {
      throw usage_error(
          "--keep chooses within the input, which --against compares with the other corpus only; add --also-within");
    }
  }

  if (given.check) {
    to.check = static_cast<similarity_measure>(
        parse_name("--check", *given.check, {"jaccard", "cosine", "edit"}, "checks are jaccard, cosine and edit"));
    if (to.check == similarity_measure::edit && !to.weighted_field.empty()) {
      throw usage_error("--check edit compares texts, and --weighted-field has none");
    }
  }
  if (!given.similarity && given.distance) {
    if (given.check && !given.min_similarity) {
      throw usage_error("--check with --distance alone: there is no check; add --min-similarity");
    }
    if (given.check_features && !given.min_similarity && !to.has_index()) {
      throw usage_error("--check-features with --distance alone: there is no check; add --min-similarity");
    }
    return;
  }
  const double similarity = given.similarity       ? parse_similarity(*given.similarity)
                            : given.min_similarity ? *to.min_similarity
                                                   : neardup::default_similarity;
  if (similarity == 0) throw usage_error("--min-similarity " + *given.min_similarity + " needs --distance");
  if (!given.distance) choose_distance(given, jaccard_for(similarity, to), to);
  if (!given.min_similarity) to.min_similarity = similarity;
  to.choice = similarity_choice{given.similarity ? given.similarity : given.min_similarity, given.min_similarity};
}

/// The distance is chosen as for comparisons; of a similarity, only an index with features can tell.
void apply_index(const typed_settings& given, options& to) {
  to.choice.reset();
  if (!to.keeps_features) {
    to.min_similarity.reset();
  } else if (to.action == verb::index) {
    to.min_similarity = 0;  // features are read
  } else if (!given.min_similarity) {
    to.min_similarity = given.similarity ? parse_similarity(*given.similarity) : neardup::default_similarity;
  }
}

void apply_advice(const typed_settings& given, options& to) {
  to.min_similarity = given.similarity ? parse_similarity(*given.similarity) : neardup::default_similarity;
  if (given.recall) to.advice.recall = parse_number("--recall", *given.recall, 0.0, 1.0);
  // Unlike elsewhere, --features says nothing about the check.
  if (!given.check_features) to.check_features = {};
  if (given.features) to.advice.features = to.features.choice;
  if (given.bits) to.advice.bits = to.bits;
}

}  // namespace

std::size_t parse_name(const std::string& option, const std::string& text, std::initializer_list<const char*> names,
                       const std::string& rule) {
  const auto* const found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw usage_error(option + " '" + text + "': " + rule);
  return static_cast<std::size_t>(found - names.begin());
}

void apply_settings(const typed_settings& given, options& to) {
  apply_features(given, to);
  apply_weights(given, to);
  if (given.kind &&
      parse_name("--kind", *given.kind, {"auto", "simhash", "minwise"}, "kinds are auto, simhash and minwise") == 2) {
    if (has_weights(to)) {
      throw usage_error("--kind minwise knows no weights: leave out --weights, or write --kind simhash");
    }
    to.kind = neardup::fingerprint_kind::minwise;
  }
  if (given.bits) {
    const bool advises = to.action == verb::advise;
    const std::string rule = advises ? "advice is on 64 or 128 bits" : "fingerprints have 32, 64, 128 or 256 bits";
    to.bits = parse_number<std::size_t>("--bits", *given.bits, advises ? 64 : 32, advises ? 128 : 256, rule);
    if (!std::has_single_bit(to.bits)) throw usage_error("--bits " + *given.bits + ": " + rule);
  }
  if (given.seed) to.seed = parse_number<std::uint64_t>("--seed", *given.seed, 0, UINT64_MAX);
  if (to.action == verb::find) {
    to.min_similarity = given.min_similarity ? parse_number("--min-similarity", *given.min_similarity, 0.0, 1.0) : 0.5;
    if (given.most) to.most = parse_number<std::size_t>("--most", *given.most, 1, 1'000'000'000);
  } else if (to.action == verb::advise) {
    apply_advice(given, to);
  } else if (to.sets_up_comparison()) {
    apply_comparison(given, to);
    if (to.has_index()) apply_index(given, to);
    if (to.combines_shards()) to.choice.reset();
    if (to.unit == unit_of_input::fingerprints || to.has_only_prints) {
      // There are no texts to check.
      to.min_similarity.reset();
      to.choice.reset();
    }
  } else if (given.similarity) {
    static_cast<void>(parse_similarity(*given.similarity));
    to.choice = similarity_choice{given.similarity, std::nullopt};
  }
}

}  // namespace command
