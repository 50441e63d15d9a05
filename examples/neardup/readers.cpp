#include "readers.hpp"

#include <algorithm>
#include <neardup/dedup/checks.hpp>
#include <neardup/text/tokenizer.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace command {

namespace {

template <class Feature>
void make_set(std::vector<Feature>& features) {
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

/// The features of all texts, as one set.
template <class Extractor>
auto features_of(const std::vector<std::string_view>& texts, const Extractor& extract,
                 typename Extractor::workspace& memory) {
  std::vector<typename Extractor::feature_type> all;
  for (const std::string_view text : texts) {
    const auto features = extract(text, memory);
    all.insert(all.end(), features.begin(), features.end());
  }
  if (texts.size() > 1) make_set(all);
  return all;
}

template <class Tokenizer>
class feature_reader_of final : public feature_reader {
 public:
  feature_reader_of(const Tokenizer& tokenizer, std::uint64_t seed)
      : hash_token_{seed}, hash_(tokenizer, hash_token_), hash_fully_(tokenizer, hash_token_) {}

  feature_set whole(const std::vector<std::string_view>& texts) override { return features_of(texts, hash_, memory_); }

  void feed(std::string_view piece) override {
    if (!stream_) stream_.emplace(hash_.tokenizer);
    stream_->feed(piece, add_);
    if (features_.size() >= 2 * distinct_ + 4096) {
      // Repetition in a large text is not kept.
      make_set(features_);
      distinct_ = features_.size();
    }
  }

  feature_set finish() override {
    if (stream_) stream_->finish(add_);
    stream_.reset();
    distinct_ = 0;
    make_set(features_);
    return std::exchange(features_, {});
  }

  std::uint64_t short_digest(const std::vector<std::string_view>& texts) override {
    constexpr std::size_t beginning = 512;
    constexpr std::size_t cut = 2;  // features that are not those of the text, because the beginning ends within them
    for (const std::string_view text : texts) {
      if (text.size() <= beginning) continue;
      if (hash_fully_(text.substr(0, beginning), full_memory_).size() >= neardup::default_min_tokens + cut) return 0;
    }
    const std::vector<std::uint64_t> features = features_of(texts, hash_fully_, full_memory_);
    if (features.size() >= neardup::default_min_tokens) return 0;
    std::string bytes;
    for (const std::uint64_t feature : features) {
      for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(feature >> shift & 0xff);
    }
    return neardup::xxh3<64>{}(bytes) | 1;
  }

 private:
  using hasher = neardup::xxh3<64>;
  using set_hasher = neardup::feature_extractor<Tokenizer, hasher>;
  using full_hasher = neardup::feature_extractor<Tokenizer, hasher, std::uint64_t>;

  struct adder {
    feature_reader_of* to;
    void operator()(std::string_view token) const {
      to->features_.push_back(static_cast<std::uint32_t>(to->hash_token_(token)));  // as feature_extractor does it
    }
  };

  hasher hash_token_;
  set_hasher hash_;
  typename set_hasher::workspace memory_;
  full_hasher hash_fully_;
  typename full_hasher::workspace full_memory_;
  std::optional<neardup::token_stream<Tokenizer>> stream_;
  adder add_{this};
  feature_set features_;  // of what was fed
  std::size_t distinct_ = 0;
};

}  // namespace

std::unique_ptr<feature_reader> make_feature_reader(const feature_choice& features, std::uint64_t seed) {
  return with_tokenizer(features, [&](const auto& tokenizer) -> std::unique_ptr<feature_reader> {
    return std::make_unique<feature_reader_of<std::remove_cvref_t<decltype(tokenizer)>>>(tokenizer, seed);
  });
}

}  // namespace command
