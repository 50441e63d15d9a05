// Fingerprints of one width, for the file that instantiates them: one a width, so that they compile side by side.
#pragma once

#include <neardup/fingerprint.hpp>
#include <neardup/text/tokenizer.hpp>
#include <type_traits>

#include "readers.hpp"

namespace command {

template <class Fingerprint>
std::optional<any_fingerprint> widened(const std::optional<Fingerprint>& fingerprint) {
  if (!fingerprint) return std::nullopt;
  return any_fingerprint(fingerprint->to_words());
}

/// A text in pieces: streamed, or put together if the tokenizer takes whole texts only.
template <class Hasher>
class text_in_pieces {
 public:
  void feed(const Hasher& hash, std::string_view piece) {
    if constexpr (streams) {
      if (!stream_) stream_.emplace(hash);
      stream_->feed(piece);
    } else {
      text_ += piece;
    }
  }

  /// What a large text needed is not kept for the next one.
  auto finish(const Hasher& hash, typename Hasher::workspace& scratch) {
    decltype(hash(std::string_view(), scratch)) result;
    if constexpr (streams) {
      if (stream_) result = stream_->finish();
      stream_.reset();
    } else {
      result = hash(std::exchange(text_, {}), scratch);
    }
    return result;
  }

 private:
  static constexpr bool streams = neardup::streaming_tokenizer<typename Hasher::tokenizer_type>;
  struct none {};
  template <class H>
  static auto stream_of() {
    if constexpr (streams) {
      return std::type_identity<neardup::text_stream<H>>{};
    } else {
      return std::type_identity<none>{};
    }
  }

  std::optional<typename decltype(stream_of<Hasher>())::type> stream_;
  std::string text_;
};

/// By a simhasher, or a hasher of min-wise codes.
template <class Hasher>
class fingerprinter_of final : public fingerprinter {
 public:
  explicit fingerprinter_of(Hasher hash) : hash_(std::move(hash)) {}

  std::optional<any_fingerprint> whole(const std::vector<std::string_view>& texts) override {
    if (texts.size() == 1) return widened(hash_(texts.front(), scratch_));
    if constexpr (requires { typename Hasher::bag_type; }) {
      typename Hasher::bag_type bag;
      for (const std::string_view text : texts) hash_.add_to(bag, text);
      return widened(hash_(bag, scratch_));
    } else {
      typename Hasher::sketch_type all;
      for (const std::string_view text : texts) all.merge(hash_.sketch(text, scratch_));
      return widened(all.result());
    }
  }
  void feed(std::string_view piece) override { pieces_.feed(hash_, piece); }
  std::optional<any_fingerprint> finish() override { return widened(pieces_.finish(hash_, scratch_)); }

 private:
  Hasher hash_;
  typename Hasher::workspace scratch_;
  text_in_pieces<Hasher> pieces_;
};

/// Of weighed features, whatever weighs them.
template <std::size_t Bits>
class weighed_fingerprinter final : public whole_document_reader<fingerprinter> {
 public:
  explicit weighed_fingerprinter(const options& settings)
      : weigh_(make_feature_weigher(settings, settings.features)), hash_{{}, {}, {settings.seed}} {}

  std::optional<any_fingerprint> whole(const std::vector<std::string_view>& texts) override {
    neardup::accumulator<Bits> votes;
    for (const weighed_feature& feature : weigh_->whole(texts))
      votes.add_units(hash_.hash(feature.text), feature.units);
    return widened(votes.result());
  }

 private:
  std::unique_ptr<feature_weigher> weigh_;
  neardup::simhasher<neardup::words, neardup::unit, neardup::xxh3<Bits>, Bits> hash_;
};

template <std::size_t Bits>
std::unique_ptr<fingerprinter> make_fingerprinter_of(const options& settings) {
  if (settings.top > 0 || !settings.weighted_field.empty()) {
    return std::make_unique<weighed_fingerprinter<Bits>>(settings);
  }
  return with_tokenizer(settings.features, [&](auto tokenizer) -> std::unique_ptr<fingerprinter> {
    const auto made_by = [](auto hash) { return std::make_unique<fingerprinter_of<decltype(hash)>>(std::move(hash)); };
    if (settings.kind == neardup::fingerprint_kind::minwise) {
      return made_by(neardup::make_minwise_hasher<Bits>(tokenizer, neardup::xxh3<64>{settings.seed}));
    }
    return with_weighter(settings, [&](auto weighter) -> std::unique_ptr<fingerprinter> {
      return made_by(neardup::make_simhasher<Bits>(tokenizer, weighter, neardup::xxh3<Bits>{settings.seed}));
    });
  });
}

}  // namespace command
