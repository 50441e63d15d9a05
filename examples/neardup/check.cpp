#include "check.hpp"

#include <algorithm>
#include <neardup/dedup/similarity.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "pipeline.hpp"

namespace command {

namespace {

constexpr std::size_t max_features = std::size_t{1} << 28;  // 1 GB

}  // namespace

feature_loader::feature_loader(const options& settings)
    : settings_(settings), reader_(settings), extract_(make_feature_reader(settings.check_features, settings.seed)) {}

feature_set feature_loader::load(const place& where) {
  if (settings_.unit != unit_of_input::files) {
    const std::string_view content = content_of_line(records_.at(where), where.offset == 0);
    if (reader_.is_blank(content) || reader_.read(content, record_)) fail_changed(*where.from);
    return extract_->whole(record_.fields);
  }
  std::optional<feature_set> features;
  const auto read = [&](std::string_view text, bool whole) {
    if (whole) {
      features = extract_->whole({text});
    } else {
      extract_->feed(text);
    }
  };
  try {
    const file_facts facts = read_file(*where.from, false, buffer_, read);
    if (!features) features = extract_->finish();
    if (facts.size != where.length) fail_changed(*where.from);
  } catch (const std::system_error& error) {
    throw input_error({where.from->name(), error.code().message()});
  }
  return *std::move(features);
}

document_check::document_check(const options& settings, const document_table& documents)
    : settings_(settings), documents_(documents) {}

void document_check::add(const document_facts& facts) {
  if (!settings_.min_similarity) {
    any_short_ = any_short_ || facts.short_digest != 0;
    short_digests_.push_back(facts.short_digest);
    return;
  }
  full_ = full_ || features_.feature_count() + facts.features.size() > max_features;
  if (!full_) features_.add(facts.features);
}

template <class Use>
auto document_check::with_features(std::size_t i, const Use& use) const {
  if (i < features_.size()) return use(features_[i]);
  std::unique_ptr<feature_loader> loader;
  {
    const std::lock_guard lock(loaders_mutex_);
    if (!idle_loaders_.empty()) {
      loader = std::move(idle_loaders_.back());
      idle_loaders_.pop_back();
    }
  }
  if (!loader) loader = std::make_unique<feature_loader>(settings_);
  const feature_set features = loader->load(documents_.where(i));
  {
    const std::lock_guard lock(loaders_mutex_);
    idle_loaders_.push_back(std::move(loader));
  }
  return use(std::span<const std::uint32_t>(features));
}

std::optional<double> document_check::similarity(std::size_t i, std::size_t j, double least) const {
  return with_features(i, [&](const auto& a) {
    return with_features(j, [&](const auto& b) { return neardup::jaccard_at_least(a, b, least); });
  });
}

bool document_check::accepts(std::size_t i, std::size_t j) const {
  if (settings_.min_similarity) return similarity(i, j, *settings_.min_similarity).has_value();
  return short_digests_[i] == short_digests_[j];
}

bool document_check::accepts(std::size_t i, const document_facts& facts) const {
  if (!settings_.min_similarity) return short_digests_[i] == facts.short_digest;
  return with_features(i, [&](const auto& a) { return are_similar(a, facts.features); });
}

bool document_check::accepts(const document_facts& a, const document_facts& b) const {
  return settings_.min_similarity ? are_similar(a.features, b.features) : a.short_digest == b.short_digest;
}

bool document_check::are_similar(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
  return neardup::jaccard_at_least(a, b, *settings_.min_similarity).has_value();
}

std::vector<std::optional<double>> similarities_of(const options& settings, const document_check& check,
                                                   std::span<const candidate> candidates, double least) {
  std::vector<std::optional<double>> result(candidates.size());
  run_parallel(settings.threads, candidates.size(),
               [&](std::size_t i) { result[i] = check.similarity(candidates[i].a, candidates[i].b, least); });
  return result;
}

}  // namespace command
