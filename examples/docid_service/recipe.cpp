#include "recipe.hpp"

#include <memory>
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <span>
#include <stdexcept>

namespace docid {

namespace {

template <class Simhasher>
describer describer_of(const Simhasher& hash) {
  return [hash, extract = neardup::feature_extractor(hash.tokenizer)](std::string_view text) {
    thread_local typename Simhasher::workspace hashing;
    thread_local typename decltype(extract)::workspace extracting;
    const auto features = extract(text, extracting);
    return description{hash(text, hashing), {features.begin(), features.end()}};
  };
}

/// With min-wise codes, which the features have all of.
template <class Tokenizer>
describer minwise_describer_of(const Tokenizer& tokenizer) {
  return [extract = neardup::feature_extractor(tokenizer)](std::string_view text) {
    thread_local typename decltype(extract)::workspace extracting;
    const auto features = extract(text, extracting);
    neardup::minwise_sketch<64> sketch;
    sketch.add(std::span<const std::uint32_t>(features));
    const auto code = sketch.result();
    return description{code ? std::optional(fingerprint(code->to_uint64())) : std::nullopt,
                       {features.begin(), features.end()}};
  };
}

}  // namespace

describers make_describers(const std::string& name, const std::string& jieba) {
  using namespace neardup;
  const auto both = [](const describer& describe) { return describers{describe, describe}; };
  if (name == "minwise")
    return {describer_of(simhasher{normalised{words{}}}), minwise_describer_of(normalised{words{}})};
  if (name == "words") return both(describer_of(simhasher{normalised{words{}}}));
  if (name == "pairs") return both(describer_of(simhasher{shingles{2, normalised{words{}}}}));
  if (name == "dictionary") {
    const auto dictionary = std::make_shared<const word_dictionary>(word_dictionary::load(jieba + "/dict.txt"));
    const auto model = std::make_shared<const unknown_word_model>(unknown_word_model::load(jieba + "/finalseg"));
    return both(describer_of(simhasher{chinese_words{dictionary, model}, levels{5, tf{}}}));
  }
  throw std::runtime_error("no recipe \"" + name + "\"; there are minwise, words, pairs and dictionary");
}

}  // namespace docid
