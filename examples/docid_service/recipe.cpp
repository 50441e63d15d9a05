#include "recipe.hpp"

#include <memory>
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
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

}  // namespace

describer make_describer(const std::string& name, const std::string& jieba) {
  using namespace neardup;
  if (name == "words") return describer_of(simhasher{normalised{words{}}});
  if (name == "pairs") return describer_of(simhasher{shingles{2, normalised{words{}}}});
  if (name == "dictionary") {
    const auto dictionary = std::make_shared<const word_dictionary>(word_dictionary::load(jieba + "/dict.txt"));
    const auto model = std::make_shared<const unknown_word_model>(unknown_word_model::load(jieba + "/finalseg"));
    return describer_of(simhasher{chinese_words{dictionary, model}, levels{5, tf{}}});
  }
  throw std::runtime_error("no recipe \"" + name + "\"; there are words, pairs and dictionary");
}

}  // namespace docid
