#include "check.hpp"

#include <algorithm>
#include <neardup/dedup/similarity.hpp>
#include <neardup/fingerprint.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "features.hpp"
#include "pipeline.hpp"

namespace command {

namespace {

// A feature set may be eight times its text. Batches large enough for all threads, small enough for the memory.
constexpr std::uint64_t batch_text_bytes = std::uint64_t{1} << 24;
constexpr std::size_t batch_candidates = std::size_t{1} << 15;
constexpr std::uint64_t kept_feature_bytes = std::uint64_t{1} << 27;

template <class Tokenizer>
class extractor_of final : public feature_extractor {
 public:
  extractor_of(const Tokenizer& tokenize, std::uint64_t seed) : tokenize_(tokenize), hash_{seed} {}

  feature_set whole(const std::vector<std::string_view>& texts) override {
    feature_set features;
    auto add = [&](std::string_view token) { features.push_back({hash_(token)}); };
    for (const std::string_view text : texts) tokenize_(text, add);
    return in_order(std::move(features));
  }

  void feed(std::string_view piece) override {
    if (!stream_) stream_.emplace(tokenize_);
    stream_->feed(piece, add_);
    if (features_.size() >= 2 * distinct_ + 4096) {
      // Repetition in a large text is not kept.
      features_ = in_order(std::move(features_));
      distinct_ = features_.size();
    }
  }

  feature_set finish() override {
    if (stream_) stream_->finish(add_);
    stream_.reset();
    distinct_ = 0;
    return in_order(std::exchange(features_, {}));
  }

 private:
  struct adder {
    extractor_of* to;
    void operator()(std::string_view token) const { to->features_.push_back({to->hash_(token)}); }
  };

  static feature_set in_order(feature_set features) {
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    return features;
  }

  Tokenizer tokenize_;
  neardup::xxh3<64> hash_;
  std::optional<neardup::token_stream<Tokenizer>> stream_;
  adder add_{this};
  feature_set features_;
  std::size_t distinct_ = 0;
};

}  // namespace

std::unique_ptr<feature_extractor> make_feature_extractor(const options& settings) {
  return with_tokenizer(settings.check_features, [&](const auto& tokenizer) -> std::unique_ptr<feature_extractor> {
    using tokenizer_type = std::remove_cvref_t<decltype(tokenizer)>;
    return std::make_unique<extractor_of<tokenizer_type>>(tokenizer, settings.seed);
  });
}

feature_loader::feature_loader(const options& settings)
    : settings_(settings), reader_(settings), extract_(make_feature_extractor(settings)) {}

void feature_loader::fail_changed(const source& from) {
  throw input_error({from.name(), "was changed while it was being read"});
}

feature_set feature_loader::load(const place& where) {
  try {
    if (settings_.unit == unit_of_input::files) {
      std::optional<feature_set> features;
      const file_facts facts = read_file(*where.from, false, buffer_, [&](std::string_view text, bool whole) {
        if (whole) {
          features = extract_->whole({text});
        } else {
          extract_->feed(text);
        }
      });
      if (!features) features = extract_->finish();
      if (facts.size != where.length) fail_changed(*where.from);
      return *std::move(features);
    }
    if (open_source_ != where.from) {
      open_file_ = std::make_unique<source_file>(*where.from, false);
      open_source_ = where.from;
    }
    buffer_.resize(0);
    buffer_.reserve(where.length);
    buffer_.resize(open_file_->read_at(where.offset, buffer_.data(), where.length));
    if (buffer_.size() != where.length) fail_changed(*where.from);
  } catch (const std::system_error& error) {
    throw input_error({where.from->name(), error.code().message()});
  }
  const std::string_view content = content_of_line(buffer_.view(), where.offset == 0);
  if (reader_.is_blank(content) || reader_.read(content, record_)) fail_changed(*where.from);
  return extract_->whole(record_.fields);
}

feature_set feature_loader::of_line(std::string_view raw, bool first_of_source) {
  static_cast<void>(reader_.read(content_of_line(raw, first_of_source), record_));
  return extract_->whole(record_.fields);
}

similarity_checker::similarity_checker(const options& settings, const document_table& documents, verdict decide)
    : settings_(settings), documents_(documents), decide_(std::move(decide)), loaders_(settings.threads) {}

void similarity_checker::add(const candidate& c) {
  waiting_.push_back(c);
  waiting_bytes_ += documents_.length(c.a) + documents_.length(c.b);
  if (waiting_bytes_ >= batch_text_bytes || waiting_.size() >= batch_candidates) finish();
}

void similarity_checker::load_missing() {
  if (features_bytes_ > kept_feature_bytes) {
    features_.clear();
    features_bytes_ = 0;
  }
  std::vector<std::uint32_t> missing;
  for (const candidate& c : waiting_) {
    for (const std::uint32_t i : {c.a, c.b}) {
      if (features_.emplace(i, feature_set{}).second) missing.push_back(i);
    }
  }
  // In the order of the input, so that files are read forwards.
  std::sort(missing.begin(), missing.end());
  std::vector<feature_set> loaded(missing.size());
  run_parallel(settings_.threads, missing.size(), [&](std::size_t thread, std::size_t i) {
    if (!loaders_[thread]) loaders_[thread] = std::make_unique<feature_loader>(settings_);
    loaded[i] = loaders_[thread]->load(documents_.where(missing[i]));
  });
  for (std::size_t i = 0; i < missing.size(); ++i) {
    features_bytes_ += loaded[i].size() * sizeof(feature_set::value_type);
    features_[missing[i]] = std::move(loaded[i]);
  }
}

void similarity_checker::finish() {
  load_missing();
  std::vector<double> similarities(waiting_.size());
  run_parallel(settings_.threads, waiting_.size(), [&](std::size_t /*thread*/, std::size_t i) {
    similarities[i] = neardup::jaccard(features_.find(waiting_[i].a)->second, features_.find(waiting_[i].b)->second);
  });
  // The verdicts may ask for more.
  const std::vector<candidate> decided = std::exchange(waiting_, {});
  waiting_bytes_ = 0;
  for (std::size_t i = 0; i < decided.size(); ++i) decide_(decided[i], similarities[i]);
}

}  // namespace command
