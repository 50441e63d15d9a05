// What is made of documents: their fingerprints, by what the command line chose, and their features, as sets that the
// exact check compares.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <neardup/fingerprint.hpp>
#include <neardup/text/tokenizer.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"

namespace command {

/// Makes something of documents, their fingerprints or their features, by what the command line chose; one per thread.
template <class Result>
class document_reader {
 public:
  document_reader() = default;
  document_reader(const document_reader&) = delete;
  document_reader& operator=(const document_reader&) = delete;
  virtual ~document_reader() = default;

  /// Of a document of several texts: no feature spans two of them.
  virtual Result whole(const std::vector<std::string_view>& texts) = 0;

  /// Of a document of one text that comes in pieces.
  virtual void feed(std::string_view piece) = 0;
  virtual Result finish() = 0;
};

/// One that needs the whole document: pieces wait until it ends.
template <class Base>
class whole_document_reader : public Base {
 public:
  void feed(std::string_view piece) override { text_ += piece; }
  auto finish() -> decltype(this->whole({})) override {
    const std::string text = std::exchange(text_, {});
    return this->whole({text});
  }

 private:
  std::string text_;
};

/// A distinct feature of a document, with its weight in the fingerprint. `units` are such that weights can be summed:
/// 1/256, or of given weights a share of the heaviest one in the document.
struct weighed_feature {
  std::string text;
  double weight;
  std::uint64_t units;
};

/// The weighed features in the order in which they come first; with --top the heaviest, in that order.
using feature_weigher = document_reader<std::vector<weighed_feature>>;
std::unique_ptr<feature_weigher> make_feature_weigher(const options& settings, const feature_setting& features);

/// What the check compares of a document: for Jaccard the features, ascending (see neardup::feature_extractor); for
/// cosine and edit what similarity_at_least() knows how to read.
using feature_set = std::vector<std::uint32_t>;

/// The similarity of two documents by the measure of the check if it is at least `least`; otherwise nothing.
std::optional<double> similarity_at_least(similarity_measure measure, std::span<const std::uint32_t> a,
                                          std::span<const std::uint32_t> b, double least);

class feature_reader : public document_reader<feature_set> {
 public:
  /// What a short document, of fewer than neardup::default_min_tokens features, has in common with those of the same
  /// features only; 0 for all others, found out by a look at their beginnings.
  virtual std::uint64_t short_digest(const std::vector<std::string_view>& texts) = 0;
};

/// Of what the check compares, or without a check of the features of the fingerprint.
std::unique_ptr<feature_reader> make_feature_reader(const options& settings);

/// The bits of a fingerprint of the kind that the settings name: a run has no other.
template <std::size_t Bits>
using fingerprint_bits = neardup::simhash<Bits>;

template <std::size_t Bits>
using fingerprinter = document_reader<std::optional<fingerprint_bits<Bits>>>;

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
  template <bool Streams, class H>
  struct stream_of {
    using type = neardup::text_stream<H>;
  };
  template <class H>
  struct stream_of<false, H> {
    struct type {};
  };

  std::optional<typename stream_of<streams, Hasher>::type> stream_;
  std::string text_;
};

template <std::size_t Bits, class Simhasher>
class fingerprinter_of final : public fingerprinter<Bits> {
 public:
  using result = std::optional<fingerprint_bits<Bits>>;

  explicit fingerprinter_of(Simhasher hash) : hash_(std::move(hash)) {}

  result whole(const std::vector<std::string_view>& texts) override {
    if (texts.size() == 1) return hash_(texts.front(), scratch_);
    bag_.clear();
    for (const std::string_view text : texts) hash_.add_to(bag_, text);
    return hash_(bag_, scratch_);
  }

  void feed(std::string_view piece) override { pieces_.feed(hash_, piece); }
  result finish() override { return pieces_.finish(hash_, scratch_); }

 private:
  Simhasher hash_;
  typename Simhasher::workspace scratch_;
  typename Simhasher::bag_type bag_;
  text_in_pieces<Simhasher> pieces_;
};

template <std::size_t Bits>
std::optional<fingerprint_bits<Bits>> bits_of(const std::optional<neardup::minwise<Bits>>& code) {
  if (!code) return std::nullopt;
  return fingerprint_bits<Bits>(code->to_words());
}

/// The min-wise code of a set of features.
template <std::size_t Bits>
std::optional<fingerprint_bits<Bits>> code_of(const feature_set& features) {
  neardup::minwise_sketch<Bits> sketch;
  sketch.add(std::span(features));
  return bits_of(sketch.result());
}

template <std::size_t Bits, class Hasher>
class code_reader_of final : public fingerprinter<Bits> {
 public:
  using result = std::optional<fingerprint_bits<Bits>>;

  explicit code_reader_of(Hasher hash) : hash_(std::move(hash)) {}

  result whole(const std::vector<std::string_view>& texts) override {
    neardup::minwise_sketch<Bits> all;
    for (const std::string_view text : texts) all.merge(hash_.sketch(text, scratch_));
    return bits_of(all.result());
  }

  void feed(std::string_view piece) override { pieces_.feed(hash_, piece); }
  result finish() override { return bits_of(pieces_.finish(hash_, scratch_)); }

 private:
  Hasher hash_;
  typename Hasher::workspace scratch_;
  text_in_pieces<Hasher> pieces_;
};

/// Of weighed features, whatever weighs them.
template <std::size_t Bits>
class weighed_fingerprinter final : public fingerprinter<Bits> {
 public:
  using result = std::optional<neardup::simhash<Bits>>;

  weighed_fingerprinter(std::unique_ptr<feature_weigher> weigher, std::uint64_t seed)
      : weigh_(std::move(weigher)), hash_{seed} {}

  result whole(const std::vector<std::string_view>& texts) override { return vote(weigh_->whole(texts)); }
  void feed(std::string_view piece) override { weigh_->feed(piece); }
  result finish() override { return vote(weigh_->finish()); }

 private:
  result vote(const std::vector<weighed_feature>& features) const {
    neardup::accumulator<Bits> votes;
    for (const weighed_feature& feature : features) votes.add_units(bits_of(feature.text), feature.units);
    return votes.result();
  }
  [[nodiscard]] auto bits_of(const std::string& text) const {
    if constexpr (Bits <= 64) {
      return std::array<std::uint64_t, 1>{hash_(text)};
    } else {
      return hash_(text);
    }
  }

  std::unique_ptr<feature_weigher> weigh_;
  neardup::xxh3<Bits> hash_;
};

/// Calls `use(weighter)` with what --weights names. Precondition: settings.idf is there where it is needed.
template <class Use>
auto with_weighter(const options& settings, const Use& use) {
  switch (settings.weights) {
    case weighting::tf: return use(neardup::tf{});
    case weighting::log_tf: return use(neardup::log_tf{});
    case weighting::idf: return use(neardup::idf{settings.idf});
    case weighting::tf_idf: return use(neardup::tf_idf{settings.idf});
    case weighting::unit: break;
  }
  return use(neardup::unit{});
}

template <std::size_t Bits>
std::unique_ptr<fingerprinter<Bits>> make_fingerprinter(const options& settings) {
  if (settings.top > 0 || !settings.weighted_field.empty()) {
    return std::make_unique<weighed_fingerprinter<Bits>>(make_feature_weigher(settings, settings.features),
                                                         settings.seed);
  }
  return with_tokenizer(settings.features, [&](auto tokenizer) -> std::unique_ptr<fingerprinter<Bits>> {
    if (settings.kind == neardup::fingerprint_kind::minwise) {
      auto hash = neardup::make_minwise_hasher<Bits>(tokenizer, neardup::xxh3<64>{settings.seed});
      return std::make_unique<code_reader_of<Bits, decltype(hash)>>(std::move(hash));
    }
    const auto weighed_by = [&](auto weighter) -> std::unique_ptr<fingerprinter<Bits>> {
      auto hash = neardup::make_simhasher<Bits>(tokenizer, weighter, neardup::xxh3<Bits>{settings.seed});
      return std::make_unique<fingerprinter_of<Bits, decltype(hash)>>(std::move(hash));
    };
    return with_weighter(settings, weighed_by);
  });
}

}  // namespace command
