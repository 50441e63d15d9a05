#include "readers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <neardup/dedup/checks.hpp>
#include <neardup/dedup/edit_distance.hpp>
#include <neardup/dedup/similarity.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/text/normalise.hpp>
#include <type_traits>

#include "errors.hpp"

namespace command {

namespace {

/// The min-wise code of a set of features.
template <std::size_t Bits>
std::optional<any_fingerprint> code_of(feature_set features) {
  neardup::minwise_sketch<Bits> sketch;
  sketch.add(features);
  const auto code = sketch.result();
  return code ? std::optional(any_fingerprint(code->to_words())) : std::nullopt;
}

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

/// What is compared of documents without a check.
class short_digest {
 public:
  /// `features`: the full hashes of a document's features, ascending.
  feature_set of(const std::vector<std::uint64_t>& features) {
    if (features.size() >= neardup::default_min_tokens) return {};
    std::string bytes;
    for (const std::uint64_t feature : features) {
      for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(feature >> shift & 0xff);
    }
    const std::uint64_t digest = neardup::xxh3<64>{}(bytes) | 1;
    halves_ = {static_cast<std::uint32_t>(digest), static_cast<std::uint32_t>(digest >> 32)};
    return halves_;
  }

 private:
  std::array<std::uint32_t, 2> halves_{};
};

template <class Tokenizer>
class short_digest_reader final : public feature_reader {
 public:
  short_digest_reader(const Tokenizer& tokenizer, std::uint64_t seed) : hash_(tokenizer, neardup::xxh3<64>{seed}) {}

  /// A look at the beginning mostly tells that a document is not short; at a longer one where it does not.
  feature_set read(const std::vector<std::string_view>& texts) override {
    constexpr std::size_t cut = 2;  // features that are not those of the text, because the beginning ends within them
    for (const std::size_t beginning : {std::size_t{160}, std::size_t{512}}) {
      for (const std::string_view text : texts) {
        if (text.size() <= beginning) continue;
        if (hash_(text.substr(0, beginning), memory_).size() >= neardup::default_min_tokens + cut) return {};
      }
    }
    return digest_.of(features_of(texts, hash_, memory_));
  }

 private:
  using hasher = neardup::feature_extractor<Tokenizer, neardup::xxh3<64>, std::uint64_t>;

  hasher hash_;
  typename hasher::workspace memory_;
  short_digest digest_;
};

template <class Tokenizer>
class feature_reader_of final : public feature_reader {
 public:
  feature_reader_of(const Tokenizer& tokenizer, std::uint64_t seed) : hash_(tokenizer, neardup::xxh3<64>{seed}) {}

  feature_set read(const std::vector<std::string_view>& texts) override {
    std::vector<std::uint32_t>().swap(result_);  // what a large text needed
    if (texts.size() == 1) return hash_(texts.front(), memory_);
    return result_ = features_of(texts, hash_, memory_);
  }

 private:
  using hasher = neardup::feature_extractor<Tokenizer, neardup::xxh3<64>>;

  hasher hash_;
  typename hasher::workspace memory_;
  std::vector<std::uint32_t> result_;
};

/// The words of a record that has them with their weights.
class given_feature_reader final : public feature_reader {
 public:
  explicit given_feature_reader(const options& settings)
      : hash_{settings.seed}, checks_(settings.min_similarity.has_value()) {}

  feature_set read(const std::vector<std::string_view>& texts) override {
    if (!checks_) return digest_.of(words_of<std::uint64_t>(texts));
    return result_ = words_of<std::uint32_t>(texts);
  }

 private:
  template <class Feature>
  std::vector<Feature> words_of(const std::vector<std::string_view>& texts) const {
    std::vector<Feature> words;
    for (std::size_t i = 0; i < texts.size(); i += 2) words.push_back(static_cast<Feature>(hash_(texts[i])));
    make_set(words);
    return words;
  }

  neardup::xxh3<64> hash_;
  bool checks_;
  short_digest digest_;
  std::vector<std::uint32_t> result_;
};

/// For the cosine: the lowest bits of the hashes of the features, ascending, then as many weights, as floats.
class weighed_feature_reader final : public feature_reader {
 public:
  explicit weighed_feature_reader(const options& settings)
      : weigh_(make_feature_weigher(settings, settings.check_features)), hash_{settings.seed} {}

  feature_set read(const std::vector<std::string_view>& texts) override {
    std::map<std::uint32_t, double> weights;
    for (const weighed_feature& feature : weigh_->read(texts)) {
      weights[static_cast<std::uint32_t>(hash_(feature.text))] += static_cast<double>(feature.units);
    }
    result_.clear();
    for (const auto& [hash, weight] : weights) result_.push_back(hash);
    for (const auto& [hash, weight] : weights)
      result_.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(weight)));
    return result_;
  }

 private:
  std::unique_ptr<feature_weigher> weigh_;
  neardup::xxh3<64> hash_;
  std::vector<std::uint32_t> result_;
};

double cosine_of(feature_set a, feature_set b) {
  struct element {
    std::uint32_t hash;
    double units;
  };
  const auto unpacked = [](feature_set packed) {
    std::vector<element> set;
    const std::size_t size = packed.size() / 2;
    for (std::size_t i = 0; i < size; ++i) set.push_back({packed[i], std::bit_cast<float>(packed[size + i])});
    return set;
  };
  return neardup::cosine(unpacked(a), unpacked(b));
}

/// For the edit distance: the number of bytes of the normalised texts, then the bytes.
class text_reader final : public feature_reader {
 public:
  feature_set read(const std::vector<std::string_view>& texts) override {
    std::string all;
    for (const std::string_view text : texts) {
      if (!all.empty()) all += '\n';
      all += neardup::normalise(text);
    }
    if (all.size() > UINT32_MAX) throw input_error({"", "--check edit of a text above 4 GB"});
    result_.assign(1 + (all.size() + 3) / 4, 0);
    result_[0] = static_cast<std::uint32_t>(all.size());
    std::memcpy(result_.data() + 1, all.data(), all.size());
    return result_;
  }

 private:
  std::vector<std::uint32_t> result_;
};

std::optional<double> edit_similarity_at_least(std::string_view a, std::string_view b, double least) {
  const auto length = [](std::string_view text) {  // it is well-formed
    return std::count_if(text.begin(), text.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  };
  const auto longer = static_cast<double>(std::max(length(a), length(b)));
  if (longer == 0) return std::nullopt;  // texts without letters are nobody's near-duplicates
  const double most = std::ceil((1 - least) * longer);
  const auto distance = neardup::edit_distance(a, b, static_cast<std::size_t>(most));
  if (!distance) return std::nullopt;
  const double similarity = 1 - static_cast<double>(*distance) / longer;
  return similarity >= least ? std::optional(similarity) : std::nullopt;
}

template <class Tokenizer>
class feature_weigher_of final : public feature_weigher {
 public:
  feature_weigher_of(const options& settings, Tokenizer tokenizer)
      : weights_(settings.weights), idf_(settings.idf), tokenizer_(std::move(tokenizer)) {
    if (settings.top > 0) best_.emplace(settings.top, tokens_, *idf_);
  }

  std::vector<weighed_feature> read(const std::vector<std::string_view>& texts) override {
    texts_ = &texts;
    std::vector<weighed_feature> result;
    const auto add = [&](std::string_view text, std::uint64_t units) {
      if (units > 0) result.push_back({std::string(text), static_cast<double>(units) / neardup::weight::one, units});
    };
    if (best_) {
      // Only --weights tfidf has a --top.
      for (const neardup::keyword& word : best_->rank("")) add(word.text, word.count * word.idf.raw());
    } else {
      neardup::feature_bag<1, true> counts;
      tokens_("", [&](std::string_view token) { counts.add({neardup::xxh3<64>{}(token)}, token); });
      counts.for_each([&](const auto&, std::string_view text, std::uint64_t count) { add(text, weigh(text, count)); });
    }
    return result;
  }

 private:
  [[nodiscard]] std::uint64_t weigh(std::string_view text, std::uint64_t count) const {
    switch (weights_) {
      case weighting::tf: return count * neardup::weight::one;
      case weighting::log_tf: return neardup::log_tf{}(count).raw();
      case weighting::idf: return idf_->lookup(text).raw();
      case weighting::tf_idf: return count * idf_->lookup(text).raw();
      case weighting::unit: break;
    }
    return neardup::weight::one;
  }

  weighting weights_;
  std::shared_ptr<const neardup::idf_table> idf_;
  Tokenizer tokenizer_;
  const std::vector<std::string_view>* texts_ = nullptr;
  document_tokenizer<Tokenizer> tokens_{&tokenizer_, &texts_};
  std::optional<neardup::keywords<document_tokenizer<Tokenizer>>> best_;
};

/// The words and weights of a record that has both.
class given_weights final : public feature_weigher {
 public:
  explicit given_weights(std::size_t top) : top_(top) {}

  std::vector<weighed_feature> read(const std::vector<std::string_view>& texts) override {
    std::vector<weighed_feature> result;
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
      double weight = 0;
      std::from_chars(texts[i + 1].data(), texts[i + 1].data() + texts[i + 1].size(), weight);
      const auto [place, is_new] = places.emplace(texts[i], result.size());
      if (is_new) result.push_back({std::string(texts[i]), 0, 0});
      result[place->second].weight += weight;
    }
    if (top_ > 0) {
      std::sort(result.begin(), result.end(), [](const weighed_feature& a, const weighed_feature& b) {
        return a.weight != b.weight ? a.weight > b.weight : a.text < b.text;
      });
      result.resize(std::min(top_, result.size()));
    }
    set_units(result);
    std::erase_if(result, [](const weighed_feature& feature) { return feature.units == 0; });
    return result;
  }

 private:
  /// Weights from elsewhere may be small: a power of two brings the heaviest between 2^31 and 2^32 units, exactly.
  static void set_units(std::vector<weighed_feature>& features) {
    double heaviest = 0;
    for (const weighed_feature& feature : features) heaviest = std::max(heaviest, feature.weight);
    int exponent = 0;
    std::frexp(heaviest, &exponent);
    for (weighed_feature& feature : features) {
      feature.units = static_cast<std::uint64_t>(std::llround(std::ldexp(feature.weight, 32 - exponent)));
    }
  }

  std::size_t top_;
};

}  // namespace

std::optional<double> similarity_at_least(similarity_measure measure, feature_set a, feature_set b, double least) {
  const auto if_enough = [least](double similarity) {
    return similarity >= least ? std::optional(similarity) : std::nullopt;
  };
  const auto text = [](feature_set packed) {
    return std::string_view(reinterpret_cast<const char*>(packed.data() + 1), packed[0]);
  };
  switch (measure) {
    case similarity_measure::cosine: return if_enough(cosine_of(a, b));
    case similarity_measure::edit: return edit_similarity_at_least(text(a), text(b), least);
    case similarity_measure::jaccard: break;
  }
  return neardup::jaccard_at_least(a, b, least);
}

std::unique_ptr<feature_weigher> make_feature_weigher(const options& settings, const feature_setting& features) {
  if (!settings.weighted_field.empty()) return std::make_unique<given_weights>(settings.top);
  return with_tokenizer(features, [&](const auto& tokenizer) -> std::unique_ptr<feature_weigher> {
    return std::make_unique<feature_weigher_of<std::remove_cvref_t<decltype(tokenizer)>>>(settings, tokenizer);
  });
}

std::unique_ptr<feature_reader> make_feature_reader(const options& settings) {
  if (settings.min_similarity && settings.check == similarity_measure::cosine) {
    return std::make_unique<weighed_feature_reader>(settings);
  }
  if (settings.min_similarity && settings.check == similarity_measure::edit) return std::make_unique<text_reader>();
  if (!settings.weighted_field.empty()) return std::make_unique<given_feature_reader>(settings);
  const feature_setting& features = settings.min_similarity ? settings.check_features : settings.features;
  return with_tokenizer(features, [&](const auto& tokenizer) -> std::unique_ptr<feature_reader> {
    using tokenizer_type = std::remove_cvref_t<decltype(tokenizer)>;
    if (!settings.min_similarity)
      return std::make_unique<short_digest_reader<tokenizer_type>>(tokenizer, settings.seed);
    return std::make_unique<feature_reader_of<tokenizer_type>>(tokenizer, settings.seed);
  });
}

std::unique_ptr<fingerprinter> make_fingerprinter(const options& settings) {
  return with_bits(settings.bits, [&](auto bits) {
    // SimHash of 32 bits is half of that of 64, which takes as long; of min-wise codes it is not.
    constexpr std::size_t width = std::max<std::size_t>(bits, 64);
    return settings.kind == neardup::fingerprint_kind::minwise ? make_minwise_fingerprinter<bits>(settings)
                                                               : make_simhash_fingerprinter<width>(settings);
  });
}

void look_for_terms(const options& settings, std::string_view text) {
  if (!settings.met_term || *settings.met_term) return;
  with_tokenizer(settings.features, [&](const auto& tokenize) {
    bool met = false;
    tokenize(text, [&](std::string_view token) { met = met || settings.idf->find(token); });
    if (met) *settings.met_term = true;
  });
}

feature_coder* feature_coder_of(const options& settings) {
  return with_bits(settings.bits, [](auto bits) -> feature_coder* { return &code_of<bits>; });
}

}  // namespace command
