#include "fingerprints.hpp"

#include <atomic>
#include <bit>
#include <neardup/fingerprint.hpp>
#include <neardup/index/pairs.hpp>
#include <neardup/simhash.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace accuracy {

namespace {

/// The tokenizer that the program neardup uses for a choice of features. It reads canonical or normalised text, or for
/// bytes the text as it is.
struct chosen_tokenizer {
  feature_choice choice;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    if (choice.canonical) {
      // Canonical text is already normalised.
      return chosen_tokenizer{{choice.kind, choice.size}}(neardup::canonicalise(text), sink);
    }
    switch (choice.kind) {
      case feature_choice::unit::chars: return neardup::normalised{neardup::code_point_ngrams{choice.size}}(text, sink);
      case feature_choice::unit::bytes: return neardup::byte_ngrams{choice.size}(text, sink);
      case feature_choice::unit::words: break;
    }
    if (choice.size == 1) return neardup::normalised{neardup::words{}}(text, sink);
    neardup::normalised{neardup::shingles{choice.size, neardup::words{}}}(text, sink);
  }
};

template <class Fingerprint>
class fingerprints_of final : public fingerprints {
 public:
  template <class Hash>
  fingerprints_of(const Hash& hash, const std::vector<std::string>& texts, unsigned threads)
      : position_(texts.size(), nowhere) {
    std::vector<std::optional<Fingerprint>> found(texts.size());
    in_parallel(texts.size(), threads, [&](std::size_t i) { found[i] = hash(texts[i]); });
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!found[i]) continue;
      position_[i] = static_cast<std::uint32_t>(values_.size());
      values_.push_back(*found[i]);
      documents_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  [[nodiscard]] bool has(std::uint32_t document) const override { return position_[document] != nowhere; }

  [[nodiscard]] int distance(std::uint32_t a, std::uint32_t b) const override {
    return neardup::hamming_distance(values_[position_[a]], values_[position_[b]]);
  }

  [[nodiscard]] std::uint64_t first_word(std::uint32_t document) const override {
    return values_[position_[document]].to_words()[0];
  }

  int count_differences(std::uint32_t a, std::uint32_t b, std::span<std::uint32_t> counts) const override {
    const auto& words_a = values_[position_[a]].to_words();
    const auto& words_b = values_[position_[b]].to_words();
    int distance = 0;
    for (std::size_t w = 0; w < words_a.size(); ++w) {
      for (std::uint64_t rest = words_a[w] ^ words_b[w]; rest != 0; rest &= rest - 1) {
        ++counts[64 * w + static_cast<std::size_t>(std::countr_zero(rest))];
        ++distance;
      }
    }
    return distance;
  }

  void for_each_pair(int k, unsigned threads, const visitor& visit) const override {
    neardup::visit_pairs(
        values_, neardup::bits{k},
        [&](std::size_t i, std::size_t j, int distance) { visit(documents_[i], documents_[j], distance); },
        {.run = neardup::threads{threads}});
  }

  void for_each_pair_plainly(int k, const visitor& visit) const override {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      for (std::size_t j = i + 1; j < values_.size(); ++j) {
        const int d = neardup::hamming_distance(values_[i], values_[j]);
        if (d <= k) visit(documents_[i], documents_[j], d);
      }
    }
  }

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  std::vector<Fingerprint> values_;
  std::vector<std::uint32_t> documents_;  // by index into values_
  std::vector<std::uint32_t> position_;   // by document: index into values_
};

template <std::size_t Bits>
std::unique_ptr<fingerprints> make(const fingerprint_choice& choice, const std::vector<std::string>& texts,
                                   unsigned threads) {
  const auto with = [&](auto weights) -> std::unique_ptr<fingerprints> {
    const neardup::simhasher hash{chosen_tokenizer{choice.features}, weights, neardup::xxh3<Bits>{.seed = choice.seed}};
    return std::make_unique<fingerprints_of<neardup::simhash<Bits>>>(hash, texts, threads);
  };
  switch (choice.weights) {
    case weighting::tf: return with(neardup::tf{});
    case weighting::log_tf: return with(neardup::log_tf{});
    case weighting::minwise: {
      const auto hash =
          neardup::make_minwise_hasher<Bits>(chosen_tokenizer{choice.features}, neardup::xxh3<64>{.seed = choice.seed});
      return std::make_unique<fingerprints_of<neardup::minwise<Bits>>>(hash, texts, threads);
    }
    case weighting::unit: break;
  }
  return with(neardup::unit{});
}

}  // namespace

weighting parse_weights(std::string_view text) {
  for (const weighting weights : {weighting::unit, weighting::tf, weighting::log_tf, weighting::minwise}) {
    if (text == to_string(weights)) return weights;
  }
  throw std::invalid_argument("'" + std::string(text) + "': weights are unit, tf, logtf or minwise");
}

const char* to_string(weighting weights) {
  switch (weights) {
    case weighting::tf: return "tf";
    case weighting::log_tf: return "logtf";
    case weighting::minwise: return "minwise";
    case weighting::unit: break;
  }
  return "unit";
}

std::string to_string(const fingerprint_choice& choice) {
  return to_string(choice.features) + ' ' + to_string(choice.weights) + ' ' + std::to_string(choice.bits);
}

std::unique_ptr<fingerprints> make_fingerprints(const fingerprint_choice& choice, const std::vector<std::string>& texts,
                                                unsigned threads) {
  switch (choice.bits) {
    case 32: return make<32>(choice, texts, threads);
    case 64: return make<64>(choice, texts, threads);
    case 128: return make<128>(choice, texts, threads);
    case 256: return make<256>(choice, texts, threads);
    default: throw std::invalid_argument("fingerprints have 32, 64, 128 or 256 bits");
  }
}

std::vector<std::vector<std::uint64_t>> fingerprint_features(const feature_choice& features,
                                                             const std::vector<std::string>& texts, unsigned threads,
                                                             std::span<const char> wanted) {
  const neardup::simhasher hash{chosen_tokenizer{features}, neardup::unit{}, neardup::xxh3<64>{}};
  std::vector<std::vector<std::uint64_t>> result(texts.size());
  in_parallel(texts.size(), threads, [&](std::size_t i) {
    if (!wanted.empty() && wanted[i] == 0) return;
    for (const auto& feature : hash.features(texts[i])) result[i].push_back(feature[0]);
  });
  return result;
}

void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    constexpr std::size_t batch = 64;
    for (std::size_t i = next.fetch_add(batch); i < count; i = next.fetch_add(batch)) {
      for (std::size_t j = i; j < i + batch && j < count; ++j) work(j);
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace accuracy
