// Which documents whose fingerprints are near each other belong together: the exact check.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "documents.hpp"
#include "feature_store.hpp"
#include "options.hpp"
#include "output.hpp"
#include "readers.hpp"

namespace command {

/// Compares documents by more than their fingerprints: with a check by the exact similarity that --check names,
/// without one short documents have to have the same features.
/// Memory: see feature_store; without a check, 8 bytes per document.
class document_check {
 public:
  explicit document_check(const options& settings) : settings_(settings), features_(settings.memory) {}

  /// Takes what is known of the next document.
  void add(const document& facts);

  /// Whether fingerprints alone do not decide.
  [[nodiscard]] bool decides() const { return settings_.min_similarity || any_short_; }

  /// Whether it accepts by the Jaccard similarity of features that are all in memory.
  [[nodiscard]] bool can_join() const;
  [[nodiscard]] std::span<const std::uint32_t> features(std::size_t i) const { return features_[i]; }

  /// Orders documents by what the check compares. Those that are equal here are near the same documents.
  [[nodiscard]] std::strong_ordering compare(std::size_t i, std::size_t j) const;

  /// Whether two documents belong together, if their fingerprints are near each other. From any thread.
  [[nodiscard]] bool accepts(std::size_t i, std::size_t j) const;
  /// The same for a document that has not been added.
  [[nodiscard]] bool accepts(std::size_t i, const document& facts) const;
  /// The same for two that have not been added.
  [[nodiscard]] bool accepts(const document& a, const document& b) const;

  /// The similarity of two documents if it is at least `least`. Precondition: there is a check. From any thread.
  [[nodiscard]] std::optional<double> similarity(std::size_t i, std::size_t j, double least) const;
  /// The same for a document that has not been added.
  [[nodiscard]] std::optional<double> similarity(std::size_t i, const document& facts, double least) const;

 private:
  [[nodiscard]] bool are_similar(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const;

  const options& settings_;
  feature_store features_;
  std::vector<std::uint64_t> short_digests_;
  bool any_short_ = false;
};

/// The similarity that a distance stands for: of min-wise codes that of Jaccard, else the cosine.
double estimate_of(const options& settings, int distance);

/// A document and another one that is near it, as pairs, query and unique --dropped print them.
struct match_line {
  const char *name, *other_name;  ///< what their ids are called in JSON
  std::string id, other;
  int distance;
  std::optional<double> similarity;  ///< if there is a check
};
void print_match(output& out, const options& settings, bool as_json, const match_line& match);

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
