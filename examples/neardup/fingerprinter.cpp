// Fingerprints of one kind and width.
#include <neardup/fingerprint.hpp>
#include <type_traits>

#include "readers.hpp"

namespace command {

namespace {

/// The first `bits` of a fingerprint, of any width.
template <class Fingerprint>
std::optional<any_fingerprint> first_bits(const std::optional<Fingerprint>& fingerprint, std::size_t bits) {
  if (!fingerprint) return std::nullopt;
  auto words = fingerprint->to_words();
  if (bits < 64) words[0] &= (std::uint64_t{1} << bits) - 1;
  return any_fingerprint(words);
}

/// By a simhasher, or a hasher of min-wise codes.
template <class Hasher>
class fingerprinter_of final : public fingerprinter {
 public:
  fingerprinter_of(Hasher hash, std::size_t bits) : hash_(std::move(hash)), bits_(bits) {}

  std::optional<any_fingerprint> read(const std::vector<std::string_view>& texts) override {
    if (texts.size() == 1) return first_bits(hash_(texts.front(), scratch_), bits_);
    if constexpr (requires { typename Hasher::bag_type; }) {
      typename Hasher::bag_type bag;
      for (const std::string_view text : texts) hash_.add_to(bag, text);
      return first_bits(hash_(bag, scratch_), bits_);
    } else {
      typename Hasher::sketch_type all;
      for (const std::string_view text : texts) all.merge(hash_.sketch(text, scratch_));
      return first_bits(all.result(), bits_);
    }
  }

 private:
  Hasher hash_;
  std::size_t bits_;
  typename Hasher::workspace scratch_;
};

/// Of the keywords that --top asks for, which --weights tfidf alone has.
template <std::size_t Bits, class Tokenizer>
class keyword_fingerprinter final : public fingerprinter {
 public:
  keyword_fingerprinter(const options& settings, Tokenizer tokenizer)
      : tokenizer_(std::move(tokenizer)),
        hash_({settings.top, {&tokenizer_, &texts_}, settings.idf}, neardup::tf_idf{settings.idf},
              neardup::xxh3<Bits>{settings.seed}),
        bits_(settings.bits) {}

  std::optional<any_fingerprint> read(const std::vector<std::string_view>& texts) override {
    texts_ = &texts;
    // The tokens of one text are pieces of it, which need no copy.
    return first_bits(hash_(texts.size() == 1 ? texts.front() : std::string_view(), scratch_), bits_);
  }

 private:
  using hasher =
      neardup::simhasher<neardup::keywords<document_tokenizer<Tokenizer>>, neardup::tf_idf, neardup::xxh3<Bits>, Bits>;

  Tokenizer tokenizer_;
  const std::vector<std::string_view>* texts_ = nullptr;
  hasher hash_;
  std::size_t bits_;
  typename hasher::workspace scratch_;
};

/// Of weighed features that records have ready.
template <std::size_t Bits>
class weighed_fingerprinter final : public fingerprinter {
 public:
  explicit weighed_fingerprinter(const options& settings)
      : weigh_(make_feature_weigher(settings, settings.features)),
        hash_{{}, {}, {settings.seed}},
        bits_(settings.bits) {}

  std::optional<any_fingerprint> read(const std::vector<std::string_view>& texts) override {
    neardup::accumulator<Bits> votes;
    for (const weighed_feature& feature : weigh_->read(texts)) votes.add_units(hash_.hash(feature.text), feature.units);
    return first_bits(votes.result(), bits_);
  }

 private:
  std::unique_ptr<feature_weigher> weigh_;
  neardup::simhasher<neardup::words, neardup::unit, neardup::xxh3<Bits>, Bits> hash_;
  std::size_t bits_;
};

template <class Hasher>
std::unique_ptr<fingerprinter> make_fingerprinter_of(Hasher hash, const options& settings) {
  return std::make_unique<fingerprinter_of<Hasher>>(std::move(hash), settings.bits);
}

}  // namespace

template <std::size_t Bits>
std::unique_ptr<fingerprinter> make_simhash_fingerprinter(const options& settings) {
  if (!settings.weighted_field.empty()) return std::make_unique<weighed_fingerprinter<Bits>>(settings);
  return with_tokenizer(settings.features, [&](const auto& tokenizer) -> std::unique_ptr<fingerprinter> {
    if (settings.top > 0) {
      return std::make_unique<keyword_fingerprinter<Bits, std::remove_cvref_t<decltype(tokenizer)>>>(settings,
                                                                                                     tokenizer);
    }
    return with_weighter(settings, [&](const auto& weighter) {
      return make_fingerprinter_of(
          neardup::make_simhasher<Bits>(tokenizer, weighter, neardup::xxh3<Bits>{settings.seed}), settings);
    });
  });
}

template <std::size_t Bits>
std::unique_ptr<fingerprinter> make_minwise_fingerprinter(const options& settings) {
  return with_tokenizer(settings.features, [&](const auto& tokenizer) {
    return make_fingerprinter_of(neardup::make_minwise_hasher<Bits>(tokenizer, neardup::xxh3<64>{settings.seed}),
                                 settings);
  });
}

template std::unique_ptr<fingerprinter> make_simhash_fingerprinter<64>(const options& settings);
template std::unique_ptr<fingerprinter> make_simhash_fingerprinter<128>(const options& settings);
template std::unique_ptr<fingerprinter> make_simhash_fingerprinter<256>(const options& settings);
template std::unique_ptr<fingerprinter> make_minwise_fingerprinter<32>(const options& settings);
template std::unique_ptr<fingerprinter> make_minwise_fingerprinter<64>(const options& settings);
template std::unique_ptr<fingerprinter> make_minwise_fingerprinter<128>(const options& settings);
template std::unique_ptr<fingerprinter> make_minwise_fingerprinter<256>(const options& settings);

}  // namespace command
