#include "check.hpp"

#include <optional>

#include "pipeline.hpp"

namespace command {

namespace {

/// Whether documents with these digests may be equal, as short ones have to be.
bool may_be_equal(std::uint64_t a, std::uint64_t b) {
  return a == b || a == document_facts::unknown_digest || b == document_facts::unknown_digest;
}

}  // namespace

void document_check::add(const document_facts& facts) {
  if (settings_.min_similarity) {
    features_.add(facts.features);
    return;
  }
  any_short_ = any_short_ || (facts.short_digest != 0 && facts.short_digest != document_facts::unknown_digest);
  short_digests_.push_back(facts.short_digest);
}

std::optional<double> document_check::similarity(std::size_t i, std::size_t j, double least) const {
  return similarity_at_least(settings_.check, features_[i], features_[j], least);
}

std::optional<double> document_check::similarity(std::size_t i, const document_facts& facts, double least) const {
  return similarity_at_least(settings_.check, features_[i], facts.features, least);
}

bool document_check::accepts(std::size_t i, std::size_t j) const {
  if (settings_.min_similarity) return similarity(i, j, *settings_.min_similarity).has_value();
  return may_be_equal(short_digests_[i], short_digests_[j]);
}

bool document_check::accepts(std::size_t i, const document_facts& facts) const {
  if (!settings_.min_similarity) return may_be_equal(short_digests_[i], facts.short_digest);
  return are_similar(features_[i], facts.features);
}

bool document_check::accepts(const document_facts& a, const document_facts& b) const {
  return settings_.min_similarity ? are_similar(a.features, b.features) : may_be_equal(a.short_digest, b.short_digest);
}

bool document_check::are_similar(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
  return similarity_at_least(settings_.check, a, b, *settings_.min_similarity).has_value();
}

std::vector<std::optional<double>> similarities_of(const options& settings, const document_check& check,
                                                   std::span<const candidate> candidates, double least) {
  std::vector<std::optional<double>> result(candidates.size());
  run_parallel(settings.threads, candidates.size(),
               [&](std::size_t i) { result[i] = check.similarity(candidates[i].a, candidates[i].b, least); });
  return result;
}

}  // namespace command
