// Makes describers, which compute the fingerprint and the features of a document.
#include <neardup/dedup/describer.hpp>
#include <neardup/fingerprint.hpp>

#include "../read/code.hpp"
#include "readers.hpp"

namespace command {

namespace {

using fingerprinter = document_reader<std::optional<any_fingerprint>>;

/// Converts the first `bits` bits of a fingerprint to an any_fingerprint.
template <std::size_t Words>
any_fingerprint first_bits(std::array<std::uint64_t, Words> words, std::size_t bits) {
  if (bits < 64) words[0] &= (std::uint64_t{1} << bits) - 1;
  return any_fingerprint(words);
}
template <class Fingerprint>
std::optional<any_fingerprint> first_bits(const std::optional<Fingerprint>& fingerprint, std::size_t bits) {
  if (!fingerprint) return std::nullopt;
  return first_bits(fingerprint->to_words(), bits);
}

/// Makes a fingerprinter from a simhasher, or from a hasher of min-wise codes.
template <class Hasher>
fingerprinter fingerprint_by(const Hasher& hash, std::size_t bits) {
  const auto scratch = std::make_shared<typename Hasher::workspace>();
  return [=](const document_texts& texts) {
    if (texts.size() == 1) return first_bits(hash(texts.front(), *scratch), bits);
    if constexpr (requires { typename Hasher::bag_type; }) {
      typename Hasher::bag_type bag;
      for (const std::string_view text : texts) hash.add_to(bag, text);
      return first_bits(hash(bag, *scratch), bits);
    } else {
      typename Hasher::sketch_type all;
      for (const std::string_view text : texts) all.merge(hash.sketch(text, *scratch));
      return first_bits(all.result(), bits);
    }
  };
}

/// Makes a fingerprinter for the features that --top selects, or for the features with weights in records.
fingerprinter fingerprint_weighed(const fingerprint_settings& settings) {
  return [seed = settings.seed, weigh = make_feature_weigher(settings, settings.features),
          bits = settings.bits](const document_texts& texts) -> std::optional<any_fingerprint> {
    std::array<std::uint64_t, 4> words{};
    const std::vector<weighed_feature> features = weigh(texts);
    for (std::size_t j = 0; 64 * j < bits; ++j) {
      const neardup::xxh3<64> hash{seed + j * neardup::xxh3<>::seed_step};
      neardup::accumulator<64> votes;
      for (const weighed_feature& feature : features) votes.add_units({hash(feature.text)}, feature.units);
      const auto word = votes.result();
      if (!word) return std::nullopt;
      words[j] = word->to_words()[0];
    }
    return first_bits(words, bits);
  };
}

/// Makes a fingerprinter that computes a SimHash of `Bits` bits, and keeps its first settings.bits bits.
template <std::size_t Bits>
fingerprinter make_simhash_fingerprinter(const fingerprint_settings& settings) {
  return neardup::any_weighter::with(settings.weights, settings.idf, [&](const auto& weighter) -> fingerprinter {
    const neardup::xxh3<Bits> hasher{settings.seed};
    return fingerprint_by(neardup::make_simhasher<Bits>(make_tokenizer(settings.features), weighter, hasher),
                          settings.bits);
  });
}

template <std::size_t Bits>
fingerprinter make_minwise_fingerprinter(const fingerprint_settings& settings) {
  return fingerprint_by(
      neardup::make_minwise_hasher<Bits>(make_tokenizer(settings.features), neardup::xxh3<64>{settings.seed}),
      settings.bits);
}

template <std::size_t Bits>
std::optional<any_fingerprint> code_of(feature_set features) {
  neardup::minwise_sketch<Bits> sketch;
  sketch.add(features);
  return first_bits(sketch.result(), Bits);
}

fingerprinter make_fingerprinter(const fingerprint_settings& settings) {
  if (settings.are_given || settings.top > 0) return fingerprint_weighed(settings);
  return with_bits_of_texts(settings.bits, [&](auto bits) {
    // A 32-bit SimHash is the low half of a 64-bit SimHash. Both take the same time. But a 32-bit min-wise code is not
    // a part of a 64-bit code.
    constexpr std::size_t width = std::max<std::size_t>(bits, 64);
    return settings.kind == neardup::fingerprint_kind::minwise ? make_minwise_fingerprinter<bits>(settings)
                                                               : make_simhash_fingerprinter<width>(settings);
  });
}

described_document described_by(const std::optional<any_fingerprint>& fingerprint, feature_set features) {
  return {fingerprint.has_value(), fingerprint.value_or(any_fingerprint()), features};
}

/// Returns a describer for runs that need no fingerprints.
document_describer describe_features(const fingerprint_settings& settings, const comparison_settings& comparison) {
  const bool are_texts = comparison.checks_edits();
  return [are_texts, extract = make_feature_reader(settings, comparison)](const document_texts& texts) {
    const feature_set features = extract(texts);
    const bool is_empty = are_texts ? normalised_text(features).empty() : features.empty();
    return described_document{!is_empty, any_fingerprint(), features};
  };
}

/// Reads a code, the only text of its document, as hexadecimal digits. The last digit has the lowest bits of the first
/// word, as in simhash::from_hex(). If the code has n bits, and stored_bits(n) is larger, the first word of the result has
/// the first bits of the code, and the other bits are spread over the other words; all bits are spread if there is only
/// one word. So two codes keep their distance, and each block of an index has its share of the bits of a code.
/// Precondition: the text consists of at most most_code_bits / 4 hexadecimal digits.
described_document describe_code(const document_texts& texts) {
  constexpr std::size_t digits_in_word = 16;
  std::array<std::uint64_t, most_code_bits / 64> words{}, spread{};
  std::string_view digits = texts.front();
  std::size_t count = 0;
  for (; !digits.empty(); ++count) {
    const std::string_view last = digits.substr(digits.size() - std::min(digits.size(), digits_in_word));
    std::from_chars(last.data(), last.data() + last.size(), words[count], 16);
    digits.remove_suffix(last.size());
  }
  const std::size_t bits = 4 * texts.front().size(), stored = stored_bits(bits);
  if (stored == bits) return {true, any_fingerprint(std::span(words).first(count)), {}};
  const std::size_t kept = bits < 64 ? 0 : 64;  // bits that stay at their places
  for (std::size_t i = 0; i < bits; ++i) {
    const std::size_t to = i < kept ? i : kept + (i - kept) * (stored - kept) / (bits - kept);
    spread[to / 64] |= (words[i / 64] >> i % 64 & 1) << to % 64;
  }
  return {true, any_fingerprint(std::span(spread).first((stored + 63) / 64)), {}};
}

/// Describes a document by a hash of its texts. The hash of several texts includes their lengths, so that it depends on
/// where each text ends. Every document is comparable, even without tokens.
document_describer describe_bytes() {
  return [words = std::make_shared<digest_words>(), all = std::string()](const document_texts& texts) mutable {
    const neardup::xxh3<128> hash;
    all.clear();
    if (texts.size() != 1) {
      for (const std::string_view text : texts) all.append(std::to_string(text.size())).append(1, ' ').append(text);
    }
    *words = words_of(hash(texts.size() == 1 ? texts.front() : std::string_view(all)));
    return described_document{true, any_fingerprint(), *words};
  };
}

/// Makes a describer whose min-wise codes are computed from the features that are read for the check.
document_describer describe_by_features(const fingerprint_settings& settings, const comparison_settings& comparison) {
  const auto code = with_bits_of_texts(settings.bits, [](auto bits) { return &code_of<bits>; });
  return [code, extract = make_feature_reader(settings, comparison)](const document_texts& texts) {
    const feature_set features = extract(texts);
    return described_by(code(features), features);
  };
}

/// Makes a describer that computes a 64-bit SimHash. From the same hashes it makes the features for a check by Jaccard
/// or, if `checks` is false, the digest of a short text.
document_describer describe_in_one_pass(const fingerprint_settings& settings, bool checks) {
  const auto hash =
      neardup::make_simhasher<64>(make_tokenizer(settings.features), neardup::unit{}, neardup::xxh3<64>{settings.seed});
  const auto by = [bits = settings.bits](const auto& describe, const auto& compared) -> document_describer {
    const auto scratch = std::make_shared<typename std::remove_cvref_t<decltype(describe)>::workspace>();
    return [=](const document_texts& texts) -> described_document {
      const auto made = describe(std::span(texts), *scratch);
      return described_by(first_bits(made.fingerprint, bits), compared(made));
    };
  };
  if (checks) {
    return by(neardup::describer(hash), [](const auto& made) -> feature_set { return made.features; });
  }
  const auto words = std::make_shared<digest_words>();
  return by(neardup::describer(hash, neardup::no_check{}), [words](const auto& made) -> feature_set {
    if (!made.digest) return {};
    *words = words_of(*made.digest);
    return *words;
  });
}

document_describer describe_texts(const fingerprint_settings& settings, const comparison_settings& comparison) {
  if (comparison.only_copies) return describe_bytes();
  if (settings.are_codes) return describe_code;
  if (!comparison.has_fingerprints) return describe_features(settings, comparison);
  const bool checks = comparison.min_similarity.has_value();
  // Without a check, the digest of a short text is made from the features of the fingerprint.
  const bool has_both = comparison.reads_features && !settings.are_given &&
                        (!checks || (comparison.checks_sets() && settings.features == comparison.check_features));
  if (has_both && checks && settings.kind == neardup::fingerprint_kind::minwise) {
    return describe_by_features(settings, comparison);
  }
  if (has_both && settings.kind == neardup::fingerprint_kind::simhash && settings.bits <= 64 &&
      !settings.has_weights()) {
    return describe_in_one_pass(settings, checks);
  }
  return [fingerprint = make_fingerprinter(settings), extract = comparison.reads_features
                                                                    ? make_feature_reader(settings, comparison)
                                                                    : nullptr](const document_texts& texts) {
    const feature_set features = extract ? extract(texts) : feature_set();
    return described_by(fingerprint(texts), features);
  };
}

}  // namespace

document_describer make_describer(const fingerprint_settings& settings, const comparison_settings& comparison) {
  return count_together<described_document>(settings, comparison, describe_texts);
}

}  // namespace command
