#include "readers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <neardup/dedup/checks.hpp>
#include <neardup/dedup/describer.hpp>
#include <neardup/edits/edit_distance.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text/canonical.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/utf8.hpp>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"

namespace command {

namespace {

template <class Feature>
void make_set(std::vector<Feature>& features) {
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

/// Returns the features of all `texts` as one set.
template <class Extractor>
auto features_of(const document_texts& texts, const Extractor& extract, typename Extractor::workspace& memory) {
  std::vector<typename Extractor::feature_type> all;
  for (const std::string_view text : texts) {
    const auto features = extract(text, memory);
    all.insert(all.end(), features.begin(), features.end());
  }
  if (texts.size() > 1) make_set(all);
  return all;
}

/// Returns the digest of a short document, or no data if the document is not short. `features`: the 64-bit hashes of
/// the document's features, ascending. `result` is set to the digest, and the returned view points to it.
feature_set short_digest(const std::vector<std::uint64_t>& features, std::vector<std::uint32_t>& result) {
  result.clear();
  if (features.size() >= neardup::default_min_tokens) return result;
  std::vector<std::array<std::uint64_t, 1>> hashes;
  hashes.reserve(features.size());
  for (const std::uint64_t feature : features) hashes.push_back({feature});
  const digest_words words = words_of(neardup::digest_of_hashes(std::span<const std::array<std::uint64_t, 1>>(hashes)));
  result.assign(words.begin(), words.end());
  return result;
}

template <class Tokenizer>
feature_reader read_short_digest(const Tokenizer& tokenizer, std::uint64_t seed) {
  using extractor = neardup::feature_extractor<Tokenizer, neardup::xxh3<64>, std::uint64_t>;
  const extractor extract(tokenizer, neardup::xxh3<64>{seed});
  const auto memory = std::make_shared<typename extractor::workspace>();
  return [=, result = std::vector<std::uint32_t>()](const document_texts& texts) mutable -> feature_set {
    // The beginning of a text usually shows that the document is not short. If it does not, a longer beginning is read.
    constexpr std::size_t cut = 2;  // number of wrong features, because the beginning ends inside them
    for (const std::size_t beginning : {std::size_t{160}, std::size_t{512}}) {
      for (const std::string_view text : texts) {
        if (text.size() <= beginning) continue;
        if (extract(text.substr(0, beginning), *memory).size() >= neardup::default_min_tokens + cut) return {};
      }
    }
    return short_digest(features_of(texts, extract, *memory), result);
  };
}

template <class Tokenizer>
feature_reader read_features(const Tokenizer& tokenizer, std::uint64_t seed) {
  using extractor = neardup::feature_extractor<Tokenizer, neardup::xxh3<64>>;
  const extractor extract(tokenizer, neardup::xxh3<64>{seed});
  const auto memory = std::make_shared<typename extractor::workspace>();
  return [=, result = std::vector<std::uint32_t>()](const document_texts& texts) mutable -> feature_set {
    std::vector<std::uint32_t>().swap(result);  // frees the memory of a large text
    if (texts.size() == 1) return extract(texts.front(), *memory);
    return result = features_of(texts, extract, *memory);
  };
}

/// Makes a reader of 64-bit features. Each feature takes two 32-bit words.
template <class Tokenizer>
feature_reader read_wide_features(const Tokenizer& tokenizer, std::uint64_t seed) {
  using extractor = neardup::feature_extractor<Tokenizer, neardup::xxh3<64>, std::uint64_t>;
  const extractor extract(tokenizer, neardup::xxh3<64>{seed});
  const auto memory = std::make_shared<typename extractor::workspace>();
  return [=, result = std::vector<std::uint32_t>()](const document_texts& texts) mutable -> feature_set {
    const std::vector<std::uint64_t> features = features_of(texts, extract, *memory);
    std::vector<std::uint32_t>(2 * features.size()).swap(result);  // frees the memory of a large text
    if (!features.empty()) std::memcpy(result.data(), features.data(), features.size() * sizeof(std::uint64_t));
    return result;
  };
}

/// Returns the hashes of the words of a record with weights, in ascending order.
template <class Feature>
std::vector<Feature> hashes_of_given(const document_texts& texts, const fingerprint_settings& settings) {
  const neardup::xxh3<64> hash{settings.seed};
  std::vector<Feature> words;
  for (std::size_t i = 0; i < texts.size(); i += 2) words.push_back(static_cast<Feature>(hash(texts[i])));
  make_set(words);
  return words;
}

feature_reader read_given_features(const fingerprint_settings& settings, bool checks) {
  return
      [&settings, checks, result = std::vector<std::uint32_t>()](const document_texts& texts) mutable -> feature_set {
        if (!checks) return short_digest(hashes_of_given<std::uint64_t>(texts, settings), result);
        return result = hashes_of_given<std::uint32_t>(texts, settings);
      };
}

/// Makes a reader of the data for the cosine: the lowest 32 bits of the features' hashes, in ascending order, followed
/// by their weights as floats.
feature_reader read_weighed_features(const fingerprint_settings& settings, const feature_setting& features) {
  const neardup::xxh3<64> hash{settings.seed};
  return [hash, weigh = make_feature_weigher(settings, features),
          result = std::vector<std::uint32_t>()](const document_texts& texts) mutable -> feature_set {
    std::map<std::uint32_t, double> weights;
    for (const weighed_feature& feature : weigh(texts)) {
      weights[static_cast<std::uint32_t>(hash(feature.text))] += static_cast<double>(feature.units);
    }
    result.clear();
    for (const auto& [feature, weight] : weights) result.push_back(feature);
    for (const auto& [feature, weight] : weights) {
      result.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(weight)));
    }
    return result;
  };
}

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
  return neardup::weighted_cosine(unpacked(a), unpacked(b));
}

/// Makes a reader of the data for the edit distance: the size of the normalised texts in bytes, followed by the bytes.
feature_reader read_normalised_texts() {
  return [result = std::vector<std::uint32_t>()](const document_texts& texts) mutable -> feature_set {
    std::string all;
    for (const std::string_view text : texts) {
      if (!all.empty()) all += '\n';
      all += neardup::normalise(text);
    }
    if (all.size() > UINT32_MAX) throw input_error({"", "--check edit of a text above 4 GB"});
    result.assign(1 + (all.size() + 3) / 4, 0);
    result[0] = static_cast<std::uint32_t>(all.size());
    std::memcpy(result.data() + 1, all.data(), all.size());
    return result;
  };
}

std::optional<double> edit_similarity_at_least(std::string_view a, std::string_view b, double least) {
  const std::size_t longer = std::max(code_points(a), code_points(b));
  if (longer == 0) return std::nullopt;  // texts without letters are near-duplicates of nothing
  const auto most = static_cast<std::size_t>(std::ceil((1 - least) * static_cast<double>(longer)));
  const auto distance = neardup::edit_distance(a, b, most);
  if (!distance) return std::nullopt;
  // A quotient of two integers is computed, because it is rounded once: 17. / 25 == .68, but 1 - 8. / 25 != .68.
  const double similarity = static_cast<double>(longer - *distance) / static_cast<double>(longer);
  return similarity >= least ? std::optional(similarity) : std::nullopt;
}

/// Replaces the weights of `features` by levels if `weigh` has levels.
void set_levels(const neardup::any_weighter& weigh, std::vector<weighed_feature>& features) {
  if (weigh.chosen.levels == 0) return;
  std::vector<neardup::weighted_token<1>> tokens;
  tokens.reserve(features.size());
  for (const weighed_feature& feature : features) tokens.push_back({{}, feature.units});
  weigh.adjust(tokens);
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i].units = tokens[i].units;
    features[i].weight = static_cast<double>(tokens[i].units) / neardup::weight::one;
  }
}

template <class Tokenizer>
feature_weigher weigh_features(const fingerprint_settings& settings, const Tokenizer& tokenizer) {
  const document_tokenizer<Tokenizer> tokenize{tokenizer};
  const neardup::any_weighter weigh(settings.weights, settings.idf);
  using keywords = neardup::keywords<document_tokenizer<Tokenizer>>;
  std::optional<keywords> best;
  if (settings.top > 0) best.emplace(settings.top, tokenize, settings.idf);
  return [=, memory = std::make_shared<typename keywords::workspace>()](const document_texts& texts) {
    *tokenize.texts = &texts;
    std::vector<weighed_feature> result;
    const auto add = [&](std::string text, std::uint64_t units) {
      if (units > 0) result.push_back({std::move(text), static_cast<double>(units) / neardup::weight::one, units});
    };
    if (best) {
      // rank() copies no token that is a view of its argument. So the argument is the document's text, if it has only
      // one text. The tokenizer ignores the argument, and cuts all texts in `*tokenize.texts`.
      const std::string_view text = texts.size() == 1 ? texts.front() : std::string_view();
      for (neardup::keyword& word : best->rank(text, *memory)) {
        add(std::move(word.text), weigh.inner.units_by(word.count, [&] { return word.idf.raw(); }));
      }
    } else {
      neardup::feature_bag<1, true> counts;
      tokenize("", [&](std::string_view token) { counts.add({neardup::xxh3<64>{}(token)}, token); });
      counts.for_each([&](const auto&, std::string_view text, std::uint64_t count) {
        add(std::string(text), weigh.inner.units(text, count));
      });
    }
    set_levels(weigh, result);
    return result;
  };
}

/// Sets `units` of each feature. Weights in records may be small, so they are multiplied by a power of two, which is
/// exact. The largest weight then has 2^31 to 2^32 units.
void set_units(std::vector<weighed_feature>& features) {
  double heaviest = 0;
  for (const weighed_feature& feature : features) heaviest = std::max(heaviest, feature.weight);
  int exponent = 0;
  std::frexp(heaviest, &exponent);
  for (weighed_feature& feature : features) {
    feature.units = static_cast<std::uint64_t>(std::llround(std::ldexp(feature.weight, 32 - exponent)));
  }
}

/// Returns the distinct words of a record with the sums of their weights. If `top` > 0, returns only the heaviest
/// words.
std::vector<weighed_feature> given_weights(std::size_t top, const document_texts& texts) {
  std::vector<weighed_feature> result;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    double weight = 0;
    std::from_chars(texts[i + 1].data(), texts[i + 1].data() + texts[i + 1].size(), weight);
    const auto [place, is_new] = places.emplace(texts[i], result.size());
    if (is_new) result.push_back({std::string(texts[i]), 0, 0});
    result[place->second].weight += weight;
  }
  if (top > 0) {
    std::sort(result.begin(), result.end(), [](const weighed_feature& a, const weighed_feature& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.text < b.text;
    });
    result.resize(std::min(top, result.size()));
  }
  set_units(result);
  std::erase_if(result, [](const weighed_feature& feature) { return feature.units == 0; });
  return result;
}

}  // namespace

digest_words words_of(const std::array<std::uint64_t, 2>& digest) {
  const auto low = [&](std::size_t i) { return static_cast<std::uint32_t>(digest[i]); };
  const auto high = [&](std::size_t i) { return static_cast<std::uint32_t>(digest[i] >> 32); };
  return {low(0), high(0), low(1), high(1)};
}

std::optional<double> similarity_at_least(similarity_measure measure, feature_set a, feature_set b, double least) {
  const auto if_enough = [least](double similarity) {
    return similarity >= least ? std::optional(similarity) : std::nullopt;
  };
  switch (measure) {
    case similarity_measure::cosine: return if_enough(cosine_of(a, b));
    case similarity_measure::edit: return edit_similarity_at_least(normalised_text(a), normalised_text(b), least);
    case similarity_measure::containment:
    case similarity_measure::cosine_of_sets: return if_enough(similarity_of_sets(measure, a, b));
    case similarity_measure::jaccard: break;
  }
  if (least == 0) return neardup::jaccard_similarity(a, b);
  return neardup::jaccard_at_least(a, b, least);
}

neardup::any_weighter::choice parse_weights(const std::string& text) {
  try {
    return neardup::any_weighter::parse(text);
  } catch (const std::invalid_argument& error) {
    throw usage_error(std::string("--weights ") + error.what());
  }
}

feature_weigher make_feature_weigher(const fingerprint_settings& settings, const feature_setting& features) {
  if (settings.are_given) return [&](const document_texts& t) { return given_weights(settings.top, t); };
  comparison_settings same;
  same.check_features = features;
  return count_together<std::vector<weighed_feature>>(
      settings, same, [](const fingerprint_settings& own, const comparison_settings& checked) {
        return weigh_features(own, make_tokenizer(checked.check_features));
      });
}

namespace {

feature_reader make_reader_of_texts(const fingerprint_settings& settings, const comparison_settings& comparison) {
  const bool checks = comparison.min_similarity.has_value();
  if (checks && comparison.check == similarity_measure::cosine) {
    return read_weighed_features(settings, comparison.check_features);
  }
  if (checks && comparison.check == similarity_measure::edit) return read_normalised_texts();
  if (settings.are_given) return read_given_features(settings, checks);
  const auto tokenizer = make_tokenizer(checks ? comparison.check_features : settings.features);
  if (comparison.has_wide_features) return read_wide_features(tokenizer, settings.seed);
  return checks ? read_features(tokenizer, settings.seed) : read_short_digest(tokenizer, settings.seed);
}

}  // namespace

feature_reader make_feature_reader(const fingerprint_settings& settings, const comparison_settings& comparison) {
  return count_together<feature_set>(settings, comparison, make_reader_of_texts);
}

void look_for_terms(const fingerprint_settings& settings, std::string_view text) {
  if (!settings.met_term || *settings.met_term) return;
  bool met = false;
  make_tokenizer(settings.features)(text, [&](std::string_view token) { met = met || settings.idf->find(token); });
  if (met) *settings.met_term = true;
}

bool is_spelt_otherwise(const fingerprint_settings& settings, const document_texts& texts) {
  constexpr std::size_t beginning = 4096;  // in bytes
  if (!settings.spelling || settings.spelling->seen >= spelling_count::enough) return false;
  return std::any_of(texts.begin(), texts.end(), [](std::string_view text) {
    std::string_view part = text.substr(0, beginning);
    if (part.size() < text.size()) part.remove_suffix(neardup::incomplete_suffix(part));
    // Most texts have no characters that can be spelt in several ways. For these texts, no canonical text is computed.
    const bool may_change =
        std::any_of(part.begin(), part.end(), [](char c) { return (c & 0x80) != 0 || c == '&' || c == '\n'; });
    return may_change && neardup::canonicalise(part) != neardup::normalise(part);
  });
}

}  // namespace command
