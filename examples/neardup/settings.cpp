#include "settings.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <neardup/dedup/recall.hpp>
#include <stdexcept>
#include <utility>

#include "defaults.hpp"
#include "output.hpp"

namespace command {

namespace {

feature_choice parse_features(const std::string& option, const std::string& text) {
  try {
    return neardup::parse_features(text);
  } catch (const std::invalid_argument& error) {
    throw usage_error(option + " " + error.what());
  }
}

weighting parse_weights(const std::string& text) {
  if (text == "unit") return weighting::unit;
  if (text == "tf") return weighting::tf;
  if (text == "logtf") return weighting::log_tf;
  if (text == "idf") return weighting::idf;
  throw usage_error("--weights '" + text + "': weights are unit, tf, logtf or idf");
}

grouping_rule parse_grouping(const std::string& text) {
  if (text == "representatives") return grouping_rule::representatives;
  if (text == "components") return grouping_rule::components;
  throw usage_error("--grouping '" + text + "': groupings are representatives and components");
}

bool parse_keep(const std::string& text) {
  if (text != "first" && text != "longest") throw usage_error("--keep '" + text + "': is first or longest");
  return text == "longest";
}

double parse_similarity(const std::string& text) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  return parse_number("--similarity", text, least, 1.0, "goes from above 0 to 1");
}

/// The features of the fingerprint and of the check, where one is given for both.
void apply_features(const typed_settings& given, options& to) {
  if (given.features) to.features = parse_features("--features", *given.features);
  if (given.check_features) to.check_features = parse_features("--check-features", *given.check_features);
  if (!given.features) to.features = given.check_features ? to.check_features : default_features;
  if (!given.check_features) to.check_features = to.features;
}

/// The distance at which enough of what is as similar as wanted is found.
int chosen_distance(std::size_t bits, double similarity) {
  return std::min(neardup::distance_for(bits, similarity, wanted_recall), static_cast<int>(bits) - 1);
}

/// What a similarity, as typed, was taken for: as the options that would say the same.
std::string describe_choice(const options& settings, const std::string& similarity, const std::string& limit) {
  std::string text = "--similarity " + similarity + " is: --features " + to_string(settings.features) + " --bits " +
                     std::to_string(settings.bits);
  if (!settings.compares()) return text;
  return text + " --distance " + std::to_string(settings.distance) + " --check-features " +
         to_string(settings.check_features) + " --min-similarity " + limit;
}

/// The distance and the check: --distance alone is one without a check, all else is chosen for a similarity.
void apply_comparison(const typed_settings& given, options& to) {
  const int bits = static_cast<int>(to.bits);
  if (given.distance) to.distance = parse_number("--distance", *given.distance, 0, bits - 1);
  if (given.blocks) to.blocks = parse_number("--blocks", *given.blocks, 1, bits);
  if (given.min_similarity) to.min_similarity = parse_number("--min-similarity", *given.min_similarity, 0.0, 1.0);
  if (given.grouping) to.grouping = parse_grouping(*given.grouping);
  if (given.keep) to.keeps_longest = parse_keep(*given.keep);

  if (!given.similarity && given.distance) {
    if (given.check_features && !given.min_similarity) {
      throw usage_error("--check-features with --distance alone: there is no check; add --min-similarity");
    }
    return;
  }
  const double similarity = given.similarity       ? parse_similarity(*given.similarity)
                            : given.min_similarity ? *to.min_similarity
                                                   : default_similarity;
  if (similarity == 0) throw usage_error("--min-similarity " + *given.min_similarity + " needs --distance");
  if (!given.distance) to.distance = chosen_distance(to.bits, similarity);
  if (!given.min_similarity) to.min_similarity = similarity;
  const std::string typed =
      given.similarity ? *given.similarity : given.min_similarity.value_or(number(default_similarity));
  const bool is_default = !given.similarity && !given.min_similarity;
  to.choice = describe_choice(to, typed + (is_default ? " (the default)" : ""), given.min_similarity.value_or(typed));
}

void apply_advice(const typed_settings& given, options& to) {
  to.min_similarity = given.similarity ? parse_similarity(*given.similarity) : default_similarity;
  to.advice.recall = given.recall ? parse_number("--recall", *given.recall, 0.0, 1.0) : wanted_recall;
  // Unlike elsewhere, --features says nothing about the check.
  if (!given.check_features) to.check_features = default_features;
  if (given.features) to.advice.features = to.features;
  if (given.bits) to.advice.bits = to.bits;
}

}  // namespace

void apply_settings(const typed_settings& given, options& to) {
  apply_features(given, to);
  if (given.weights) to.weights = parse_weights(*given.weights);
  if (given.bits) {
    const bool advises = to.action == verb::advise;
    const std::string rule = advises ? "advice is on 64 or 128 bits" : "fingerprints have 32, 64, 128 or 256 bits";
    to.bits = parse_number<std::size_t>("--bits", *given.bits, advises ? 64 : 32, advises ? 128 : 256, rule);
    if (!std::has_single_bit(to.bits)) throw usage_error("--bits " + *given.bits + ": " + rule);
  }
  if (given.seed) to.seed = parse_number<std::uint64_t>("--seed", *given.seed, 0, UINT64_MAX);
  to.grouping = default_grouping;
  if (to.action == verb::advise) {
    apply_advice(given, to);
  } else if (to.compares()) {
    apply_comparison(given, to);
  } else if (given.similarity) {
    static_cast<void>(parse_similarity(*given.similarity));
    to.choice = describe_choice(to, *given.similarity, "");
  }
}

}  // namespace command
