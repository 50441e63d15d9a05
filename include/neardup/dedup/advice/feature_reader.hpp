// Texts read by features that are chosen when the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "../../fingerprint/feature_extractor.hpp"
#include "../../fingerprint/simhasher.hpp"
#include "../../fingerprint/weighters.hpp"
#include "../../fingerprint/hashers.hpp"
#include "../../simhash.hpp"
#include "../../text/feature_choice.hpp"

namespace neardup::inline v0::detail {

/// What a choice of features makes of texts. Has memory of its own: one a thread.
template <std::size_t Bits>
class feature_reader {
 public:
  feature_reader() = default;
  feature_reader(const feature_reader&) = delete;
  feature_reader& operator=(const feature_reader&) = delete;
  virtual ~feature_reader() = default;

  /// By distinct features of weight 1; nothing if there are none.
  virtual std::optional<simhash<Bits>> fingerprint(std::string_view text) = 0;

  /// The distinct features as their hashes, ascending; valid until the next call.
  virtual std::span<const std::uint64_t> features(std::string_view text) = 0;
};

template <std::size_t Bits, class Tokenizer>
class feature_reader_of final : public feature_reader<Bits> {
 public:
  feature_reader_of(const Tokenizer& tokenizer, std::uint64_t seed)
      : hash_(tokenizer, unit{}, xxh3<Bits>{seed}), features_(tokenizer, xxh3<64>{seed}) {}

  std::optional<simhash<Bits>> fingerprint(std::string_view text) override { return hash_(text, hash_memory_); }

  std::span<const std::uint64_t> features(std::string_view text) override { return features_(text, features_memory_); }

 private:
  using simhasher_type = simhasher<Tokenizer, unit, xxh3<Bits>>;
  using feature_extractor_type = feature_extractor<Tokenizer, xxh3<64>, std::uint64_t>;

  simhasher_type hash_;
  feature_extractor_type features_;
  typename simhasher_type::workspace hash_memory_;
  typename feature_extractor_type::workspace features_memory_;
};

template <std::size_t Bits>
[[nodiscard]] std::unique_ptr<feature_reader<Bits>> make_feature_reader(const feature_choice& features,
                                                                        std::uint64_t seed) {
  return with_tokenizer(features, [seed](auto tokenizer) -> std::unique_ptr<feature_reader<Bits>> {
    return std::make_unique<feature_reader_of<Bits, decltype(tokenizer)>>(tokenizer, seed);
  });
}

}  // namespace neardup::inline v0::detail
