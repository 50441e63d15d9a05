// The settings of fingerprints and comparison: from what was typed, and what a similarity chooses for the rest.
#include <algorithm>
#include <bit>
#include <cmath>
#include <neardup/dedup/checks.hpp>

#include "errors.hpp"
#include "typed.hpp"

namespace command {

namespace {

using neardup::fingerprint_kind;

double similarity_of(const typed_options& typed) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const auto text = typed["--similarity"];
  if (!text) return neardup::default_similarity;
  return parse_number("--similarity", *text, least, 1.0, "must be above 0 and at most 1");
}

/// The features of the fingerprint and of the check, where one is given for both.
void apply_features(const typed_options& typed, options& to) {
  const auto features = typed["--features"], check_features = typed["--check-features"];
  if (features) to.features = parse_feature_setting("--features", *features);
  if (check_features) to.check_features = parse_feature_setting("--check-features", *check_features);
  if (!features && check_features) to.features = to.check_features;
  // A replaced character changes the words around it: single ones stay nearest to what the edit distance says.
  if (!features && !check_features && typed["--check"] == "edit") to.features.choice.size = 1;
  if (!check_features) to.check_features = to.features;
  const bool by_dictionary = to.features.needs_dictionary() || to.check_features.needs_dictionary();
  if (by_dictionary && to.action == verb::advise) {
    throw usage_error("advise knows no words by a dictionary, only words:N, masked:words:N, chars:N and bytes:N");
  }
  to.words.no_model = typed.has("--no-hmm");
  if (to.words.any() && !by_dictionary) {
    throw usage_error("a dictionary, its model and stop words need --features zh:words or zh:keywords");
  }
  if (to.words.no_model && !to.words.model.empty()) throw usage_error("--model and --no-hmm do not go together");
}

void apply_weights(const typed_options& typed, options& to) {
  take_name(typed, "--weights", to.weights, weight_names, "weights are unit, tf, logtf, idf or tfidf");
  const bool by_rarity = to.weights == weighting::idf || to.weights == weighting::tf_idf;
  if (!to.idf_file.empty() && !by_rarity) throw usage_error("--idf-file needs --weights idf or tfidf");
  take_number<std::size_t>(typed, "--top", to.top, 1, 1'000'000'000);
  if (to.top > 0 && to.weights != weighting::tf_idf && to.weighted_field.empty()) {
    throw usage_error("--top needs --weights tfidf");
  }
}

/// Whether features count differently: by weights of ours or of the input.
bool has_weights(const options& settings) {
  return settings.weights != weighting::unit || settings.top > 0 || !settings.weighted_field.empty();
}

void apply_fingerprint(const typed_options& typed, options& to) {
  const std::string kind = typed["--kind"].value_or("auto");
  if (parse_name("--kind", kind, {"auto", "simhash", "minwise"}, "kinds are auto, simhash and minwise") == 2) {
    if (has_weights(to)) {
      throw usage_error("--kind minwise knows no weights: leave out --weights, or write --kind simhash");
    }
    to.kind = fingerprint_kind::minwise;
  }
  if (const auto bits = typed["--bits"]) {
    const bool advises = to.action == verb::advise;
    const std::string rule = advises ? "advice is on 64 or 128 bits" : "fingerprints have 32, 64, 128 or 256 bits";
    to.bits = parse_number<std::size_t>("--bits", *bits, advises ? 64 : 32, advises ? 128 : 256, rule);
    if (!std::has_single_bit(to.bits)) throw usage_error("--bits " + *bits + ": " + rule);
  }
  take_number<std::uint64_t>(typed, "--seed", to.seed, 0, UINT64_MAX);
}

/// Which document of a group stays.
void apply_keep(const std::string& text, options& to) {
  const std::size_t colon = text.find(':');
  const std::string rule = "is first, longest, highest:FIELD or lowest:FIELD";
  to.keep = static_cast<preference>(
      parse_name("--keep", text.substr(0, colon), {"first", "longest", "highest", "lowest"}, rule));
  const bool by_field = to.keep == preference::highest || to.keep == preference::lowest;
  if (by_field != (colon != text.npos) || (by_field && colon + 1 == text.size())) {
    throw usage_error("--keep '" + text + "': " + rule);
  }
  if (!by_field) return;
  if (to.unit != unit_of_input::json_lines) throw usage_error("--keep " + text + " needs --jsonl");
  to.score_field = text.substr(colon + 1);
}

void apply_grouping(const typed_options& typed, options& to) {
  take_name(typed, "--grouping", to.by_components, {"representatives", "components"},
            "groupings are representatives and components");
  if (const auto keep = typed["--keep"]) apply_keep(*keep, to);
  if (!to.has_against()) return;
  if (to.by_components) throw usage_error("--grouping components and --against do not go together");
  if (typed.has("--keep") && !to.also_within) {
    throw usage_error(
        "--keep chooses within the input, which --against compares with the other corpus only; add --also-within");
  }
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

/// The distance, and the kind where it is not given: the one that needs the smaller distance, and so has fewer
/// candidates; docs/scale.md measures it. Weights are for SimHash only.
void choose_distance(const typed_options& typed, double similarity, options& to) {
  const auto distance_by = [&](fingerprint_kind kind) { return neardup::distance_for(to.bits, similarity, kind); };
  const bool is_open =
      typed["--kind"].value_or("auto") == "auto" && to.check == similarity_measure::jaccard && !has_weights(to);
  if (is_open && distance_by(fingerprint_kind::minwise) <= distance_by(fingerprint_kind::simhash)) {
    to.kind = fingerprint_kind::minwise;
  }
  to.distance = std::min(distance_by(to.kind), static_cast<int>(to.bits) - 1);
}

/// The distance and the check: --distance alone is one without a check, all else is chosen for a similarity.
void apply_comparison(const typed_options& typed, options& to) {
  const int bits = static_cast<int>(to.bits);
  take_number(typed, "--distance", to.distance, 0, bits - 1);
  take_number(typed, "--blocks", to.blocks, 1, bits);
  take_number(typed, "--min-similarity", to.min_similarity, 0.0, 1.0);
  apply_grouping(typed, to);
  take_name(typed, "--check", to.check, measure_names, "checks are jaccard, cosine and edit");
  if (to.check == similarity_measure::edit && !to.weighted_field.empty()) {
    throw usage_error("--check edit compares texts, and --weighted-field has none");
  }
  const auto least = typed["--min-similarity"], wanted = typed["--similarity"];
  if (!wanted && typed.has("--distance")) {
    for (const char* const option : {"--check", "--check-features"}) {
      if (!typed.has(option) || least || (to.has_index() && option == std::string("--check-features"))) continue;
      throw usage_error(option + std::string(" with --distance alone: there is no check; add --min-similarity"));
    }
    return;
  }
  const double similarity = !wanted && least ? *to.min_similarity : similarity_of(typed);
  if (similarity == 0) throw usage_error("--min-similarity " + *least + " needs --distance");
  if (!typed.has("--distance")) choose_distance(typed, jaccard_for(similarity, to), to);
  if (!least) to.min_similarity = similarity;
  to.choice = similarity_choice{wanted ? wanted : least, least};
}

/// The distance is chosen as for comparisons; of a similarity, only an index with features can tell.
void apply_index(const typed_options& typed, options& to) {
  to.choice.reset();
  if (!to.keeps_features) {
    to.min_similarity.reset();
  } else if (to.action == verb::index) {
    to.min_similarity = 0;  // features are read
  } else if (!typed.has("--min-similarity")) {
    to.min_similarity = similarity_of(typed);
  }
}

void apply_advice(const typed_options& typed, options& to) {
  to.min_similarity = similarity_of(typed);
  take_number(typed, "--recall", to.advice.recall, 0.0, 1.0);
  // Unlike elsewhere, --features says nothing about the check.
  if (!typed.has("--check-features")) to.check_features = {};
  if (typed.has("--features")) to.advice.features = to.features.choice;
  if (typed.has("--bits")) to.advice.bits = to.bits;
}

}  // namespace

void apply_settings(const typed_options& typed, options& to) {
  apply_features(typed, to);
  apply_weights(typed, to);
  apply_fingerprint(typed, to);
  if (to.action == verb::find) {
    to.min_similarity = 0.5;
    take_number(typed, "--min-similarity", to.min_similarity, 0.0, 1.0);
    take_number<std::size_t>(typed, "--most", to.most, 1, 1'000'000'000);
  } else if (to.action == verb::advise) {
    apply_advice(typed, to);
  } else if (to.sets_up_comparison()) {
    apply_comparison(typed, to);
    if (to.has_index()) apply_index(typed, to);
    if (to.combines_shards()) to.choice.reset();
    if (to.unit == unit_of_input::fingerprints || to.has_only_prints) {
      // There are no texts to check.
      to.min_similarity.reset();
      to.choice.reset();
    }
  } else if (const auto similarity = typed["--similarity"]) {
    static_cast<void>(similarity_of(typed));
    to.choice = similarity_choice{similarity, std::nullopt};
  }
}

}  // namespace command
