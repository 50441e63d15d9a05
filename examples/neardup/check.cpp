#include "check.hpp"

#include <algorithm>
#include <neardup/dedup/similarity.hpp>

#include "fingerprints.hpp"
#include "pipeline.hpp"

namespace command {

namespace {

/// Whether documents with these digests may be equal, as short ones have to be.
bool may_be_equal(std::uint64_t a, std::uint64_t b) {
  return a == b || a == document::unknown_digest || b == document::unknown_digest;
}

}  // namespace

void document_check::add(const document& facts) {
  if (settings_.min_similarity) {
    features_.add(facts.features);
    return;
  }
  any_short_ = any_short_ || (facts.short_digest != 0 && facts.short_digest != document::unknown_digest);
  short_digests_.push_back(facts.short_digest);
}

bool document_check::can_join() const {
  return settings_.min_similarity && settings_.check == similarity_measure::jaccard && features_.is_in_memory();
}

std::strong_ordering document_check::compare(std::size_t i, std::size_t j) const {
  if (!settings_.min_similarity) return short_digests_[i] <=> short_digests_[j];
  const auto a = features_[i], b = features_[j];
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

std::optional<double> document_check::similarity(std::size_t i, std::size_t j, double least) const {
  return similarity_at_least(settings_.check, features_[i], features_[j], least);
}

std::optional<double> document_check::similarity(std::size_t i, const document& facts, double least) const {
  return similarity_at_least(settings_.check, features_[i], facts.features, least);
}

bool document_check::accepts(std::size_t i, std::size_t j) const {
  if (settings_.min_similarity) return similarity(i, j, *settings_.min_similarity).has_value();
  return may_be_equal(short_digests_[i], short_digests_[j]);
}

bool document_check::accepts(std::size_t i, const document& facts) const {
  if (!settings_.min_similarity) return may_be_equal(short_digests_[i], facts.short_digest);
  return are_similar(features_[i], facts.features);
}

bool document_check::accepts(const document& a, const document& b) const {
  return settings_.min_similarity ? are_similar(a.features, b.features) : may_be_equal(a.short_digest, b.short_digest);
}

bool document_check::are_similar(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
  return similarity_at_least(settings_.check, a, b, *settings_.min_similarity).has_value();
}

double estimate_of(const options& settings, int distance) {
  return with_bits(settings.bits, [&](auto bits) {
    if (settings.kind == neardup::fingerprint_kind::minwise) return neardup::estimated_jaccard<bits>(distance);
    return neardup::estimated_cosine<bits>(distance);
  });
}

void print_match(output& out, const options& settings, bool as_json, const match_line& match) {
  const double estimate = estimate_of(settings, match.distance);
  if (as_json) {
    json_object line;
    line.add(match.name, json_string(match.id)).add(match.other_name, json_string(match.other));
    line.add("distance", std::to_string(match.distance)).add("estimate", number(estimate));
    if (match.similarity) line.add("similarity", number(*match.similarity));
    out << line.text() << '\n';
  } else {
    out << similarity_text(match.similarity.value_or(estimate)) << '\t' << std::to_string(match.distance) << '\t'
        << printable(match.id) << '\t' << printable(match.other) << '\n';
  }
}

std::vector<std::optional<double>> similarities_of(const options& settings, const document_check& check,
                                                   std::span<const candidate> candidates, double least) {
  std::vector<std::optional<double>> result(candidates.size());
  constexpr std::size_t step = 16;  // to hand out single ones would take about as long as most checks
  run_parallel(settings.threads, (candidates.size() + step - 1) / step, [&](std::size_t part) {
    const std::size_t end = std::min(candidates.size(), (part + 1) * step);
    for (std::size_t i = part * step; i < end; ++i) {
      result[i] = check.similarity(candidates[i].a, candidates[i].b, least);
    }
  });
  return result;
}

}  // namespace command
