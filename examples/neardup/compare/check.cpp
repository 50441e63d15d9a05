#include "check.hpp"

#include <neardup/index/recall.hpp>
#include <neardup/sets/similarity.hpp>

#include "../describe/fingerprints.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"

namespace command {

neardup::check_result check_documents(const comparison_settings& settings, feature_set a, feature_set b) {
  if (settings.min_similarity) {
    const std::optional<double> similarity = similarity_at_least(settings.check, a, b, *settings.min_similarity);
    return {similarity.has_value(), similarity};
  }
  const auto is_unknown = [](feature_set features) { return std::ranges::equal(features, unknown_features); };
  return {std::ranges::equal(a, b) || is_unknown(a) || is_unknown(b), std::nullopt};
}

neardup::set_similarity set_measure_of(const comparison_settings& settings) {
  if (settings.checks_containment()) return neardup::set_similarity::containment;
  return settings.check == similarity_measure::cosine_of_sets ? neardup::set_similarity::cosine
                                                              : neardup::set_similarity::jaccard;
}

double estimate_of(const fingerprint_settings& settings, int distance) {
  if (settings.are_codes) return 1 - static_cast<double>(distance) / static_cast<double>(settings.bits);
  return neardup::estimated_similarity(settings.bits, distance, settings.kind);
}

shown_passage shown_in(const input_settings& settings, std::string field, std::string_view text,
                       const common::passage& where) {
  const common::passage_words words = common::passage_in_context(text, where);
  return {settings.fold ? std::nullopt : std::optional(where.begin), where.end - where.begin,
          words.before + '[' + words.inside + ']' + words.behind, std::move(field)};
}

std::string text_of_match(const fingerprint_settings& settings, bool as_json, const match_line& match) {
  const double estimate = match.distance ? estimate_of(settings, *match.distance) : 0;
  if (!as_json) {
    std::string places, passage;
    if (!match.place.empty() || !match.other_place.empty()) {
      places = '\t' + printable(match.place) + '\t' + printable(match.other_place);
    }
    if (match.passage) {
      const std::string field = match.passage->field.empty() ? "" : printable(match.passage->field) + ':';
      const auto& offset = match.passage->offset;
      passage = '\t' + field +
                (offset ? std::to_string(*offset) + '\t' + std::to_string(match.passage->length) : "-\t-") + '\t' +
                printable(match.passage->words);
    }
    return similarity_text(match.similarity.value_or(estimate)) + '\t' +
           (match.distance ? std::to_string(*match.distance) : "-") + '\t' + printable(match.id) + '\t' +
           printable(match.other) + places + passage + '\n';
  }
  json_object line;
  line.add(match.name, json_string(match.id)).add(match.other_name, json_string(match.other));
  if (match.distance)
    line.add("distance", std::to_string(*match.distance)).add("estimate", similarity_number(estimate));
  if (match.similarity) line.add("similarity", similarity_number(*match.similarity));
  if (!match.place.empty()) line.add("at", json_string(match.place));
  if (!match.other_place.empty()) line.add(match.other_name + std::string("_at"), json_string(match.other_place));
  if (match.passage) {
    if (!match.passage->field.empty()) line.add("field", json_string(match.passage->field));
    if (const auto& offset = match.passage->offset) {
      line.add("offset", std::to_string(*offset)).add("length", std::to_string(match.passage->length));
    }
    line.add("passage", json_string(match.passage->words));
  }
  return line.text() + '\n';
}

std::string text_of_containment(bool as_json, const containment_line& pair) {
  const std::size_t a = pair.size, b = pair.other_size;
  const auto common = std::llround(pair.containment * static_cast<double>(std::min(a, b)));
  const bool are_equal = a == b && pair.containment == 1;
  const char* const relation = are_equal ? "equals" : a <= b ? "in" : "holds";
  if (!as_json) {
    return similarity_text(pair.containment) + '\t' + std::to_string(common) + '\t' + std::to_string(a) + '\t' +
           std::to_string(b) + '\t' + printable(pair.id) + '\t' + relation + '\t' + printable(pair.other) + '\n';
  }
  json_object line;
  line.add("a", json_string(pair.id)).add(pair.other_name, json_string(pair.other));
  line.add("relation", json_string(relation)).add("containment", similarity_number(pair.containment));
  line.add("common", std::to_string(common)).add("features", '[' + std::to_string(a) + ',' + std::to_string(b) + ']');
  return line.text() + '\n';
}

std::vector<std::optional<double>> similarities_of(similarity_measure measure, const document_check& check,
                                                   std::span<const candidate> candidates, double least,
                                                   unsigned threads) {
  std::vector<std::optional<double>> result(candidates.size());
  run_parallel(threads, candidates.size(), [&](std::size_t i) {
    result[i] = similarity_at_least(measure, check[candidates[i].a], check[candidates[i].b], least);
  });
  return result;
}

}  // namespace command
