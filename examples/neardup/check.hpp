// Which documents whose fingerprints are near each other belong together: the exact check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <neardup/dedup/feature_sets.hpp>
#include <neardup/dedup/similarity.hpp>
#include <optional>
#include <span>
#include <vector>

#include "corpus.hpp"
#include "documents.hpp"
#include "options.hpp"
#include "readers.hpp"

namespace command {

/// Reads documents again for their features; for one thread at a time.
class feature_loader {
 public:
  explicit feature_loader(const options& settings);

  /// Throws: input_error if the document is no longer what it was.
  feature_set load(const place& where);

 private:
  const options& settings_;
  record_reader reader_;
  std::unique_ptr<feature_reader> extract_;
  record record_;
  byte_buffer buffer_;
  record_rereader records_{0};
};

/// Compares documents by more than their fingerprints: with a check by the exact Jaccard similarity of their features,
/// without one short documents have to have the same features.
/// Memory: 4 bytes a feature, up to 1 GB; the features of further documents are read again each time. Without a check,
/// 8 bytes a document.
class document_check {
 public:
  document_check(const options& settings, const document_table& documents);

  /// Takes what is known of the next document, which is in the table of documents, or will be.
  void add(const document_facts& facts);

  /// Whether fingerprints alone do not decide.
  [[nodiscard]] bool decides() const { return settings_.min_similarity || any_short_; }

  /// Whether two documents belong together, if their fingerprints are near each other. From any thread.
  [[nodiscard]] bool accepts(std::size_t i, std::size_t j) const;
  /// The same for a document that has not been added.
  [[nodiscard]] bool accepts(std::size_t i, const document_facts& facts) const;
  /// The same for two that have not been added.
  [[nodiscard]] bool accepts(const document_facts& a, const document_facts& b) const;

  /// The similarity of two documents if it is at least `least`. Precondition: there is a check. From any thread.
  [[nodiscard]] std::optional<double> similarity(std::size_t i, std::size_t j, double least) const;

 private:
  [[nodiscard]] bool are_similar(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const;

  /// Calls `use(std::span<const std::uint32_t>)`.
  template <class Use>
  auto with_features(std::size_t i, const Use& use) const;

  const options& settings_;
  const document_table& documents_;

  neardup::feature_sets<> features_;  // of the first documents
  bool full_ = false;
  mutable std::mutex loaders_mutex_;
  mutable std::vector<std::unique_ptr<feature_loader>> idle_loaders_;

  std::vector<std::uint64_t> short_digests_;
  bool any_short_ = false;
};

/// The documents with tokens.
template <std::size_t Bits>
struct corpus {
  explicit corpus(const options& settings)
      : documents(settings.needs_second_look()), check(settings, documents), keeps_longest(settings.keeps_longest) {}

  void add(const placed_document<Bits>& d) {
    documents.add(d);
    fingerprints.push_back(d.facts.fingerprint);
    check.add(d.facts);
    if (keeps_longest) lengths.push_back(static_cast<double>(d.facts.text_length));
  }

  document_table documents;
  document_check check;
  std::vector<fingerprint_bits<Bits>> fingerprints;
  bool keeps_longest;
  std::vector<double> lengths;  // of the texts, where asked for
};

/// The similarity that a distance stands for: of min-wise codes that of Jaccard, else the cosine.
template <std::size_t Bits>
double estimate_of(const options& settings, int distance) {
  if (settings.kind == neardup::fingerprint_kind::minwise) return neardup::estimated_jaccard<Bits>(distance);
  return neardup::estimated_cosine<Bits>(distance);
}

/// Two documents whose fingerprints are near each other.
struct candidate {
  std::uint32_t a;
  std::uint32_t b;
  int distance;
};

/// The similarities of candidates, of those that have at least `least`, computed by all threads.
/// Precondition: there is a check.
std::vector<std::optional<double>> similarities_of(const options& settings, const document_check& check,
                                                   std::span<const candidate> candidates, double least);

}  // namespace command
