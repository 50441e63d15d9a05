// Which documents whose fingerprints are near each other belong together: the exact check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <neardup/dedup/similarity.hpp>
#include <optional>
#include <span>
#include <vector>

#include "corpus.hpp"
#include "documents.hpp"
#include "feature_store.hpp"
#include "options.hpp"
#include "readers.hpp"

namespace command {

/// Compares documents by more than their fingerprints: with a check by the exact similarity that --check names,
/// without one short documents have to have the same features.
/// Memory: see feature_store; without a check, 8 bytes per document.
class document_check {
 public:
  explicit document_check(const options& settings) : settings_(settings), features_(settings.memory) {}

  /// Takes what is known of the next document.
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
  /// The same for a document that has not been added.
  [[nodiscard]] std::optional<double> similarity(std::size_t i, const document_facts& facts, double least) const;

 private:
  [[nodiscard]] bool are_similar(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const;

  const options& settings_;
  feature_store features_;
  std::vector<std::uint64_t> short_digests_;
  bool any_short_ = false;
};

/// The documents with tokens.
template <std::size_t Bits>
struct corpus {
  explicit corpus(const options& settings)
      : documents(settings.needs_second_look()), check(settings), keep(settings.keep) {}

  void add(const placed_document<Bits>& d) {
    documents.add(d);
    fingerprints.push_back(d.facts.fingerprint);
    check.add(d.facts);
    if (keep == preference::longest) scores.push_back(static_cast<double>(d.facts.text_length));
    if (keep == preference::highest) scores.push_back(d.facts.score);
    if (keep == preference::lowest) scores.push_back(-d.facts.score);
  }

  /// Ends those of --against, which stand before all others.
  void end_against() { against = fingerprints.size(); }

  document_table documents;
  document_check check;
  std::vector<fingerprint_bits<Bits>> fingerprints;
  preference keep;
  std::vector<double> scores;  // where --keep asks for them: the highest is kept
  std::size_t against = 0;     // so many are of --against, the first ones
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
