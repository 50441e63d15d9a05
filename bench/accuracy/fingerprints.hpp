// Fingerprints of documents by the library, with features, weights and width chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features.hpp"

namespace accuracy {

/// The weight of a feature in a SimHash. With `minwise`, the fingerprint is a min-wise code, and features have no
/// weights.
enum class weighting { unit, tf, log_tf, minwise };

struct fingerprint_choice {
  feature_choice features;
  weighting weights = weighting::unit;
  std::size_t bits = 64;  ///< 32, 64, 128 or 256
  std::uint64_t seed = 0;
};

/// Parses `unit`, `tf`, `logtf` or `minwise`. Throws: std::invalid_argument for any other text.
weighting parse_weights(std::string_view text);
const char* to_string(weighting weights);

/// Returns a name such as "words:2 unit 64".
std::string to_string(const fingerprint_choice& choice);

class fingerprints {
 public:
  using visitor = std::function<void(std::uint32_t a, std::uint32_t b, int distance)>;

  fingerprints() = default;
  fingerprints(const fingerprints&) = delete;
  fingerprints& operator=(const fingerprints&) = delete;
  virtual ~fingerprints() = default;

  /// Returns true if the document has a fingerprint. A document without tokens has none.
  [[nodiscard]] virtual bool has(std::uint32_t document) const = 0;

  /// Returns the distance of two fingerprints. Precondition: both documents have one.
  [[nodiscard]] virtual int distance(std::uint32_t a, std::uint32_t b) const = 0;

  /// Returns the first 64 bits of the fingerprint. Precondition: the document has one.
  [[nodiscard]] virtual std::uint64_t first_word(std::uint32_t document) const = 0;

  /// Adds 1 to `counts[i]` for each bit i in which the two fingerprints differ. Returns the distance.
  virtual int count_differences(std::uint32_t a, std::uint32_t b, std::span<std::uint32_t> counts) const = 0;

  /// Visits each pair of documents a < b within k bits, which the library's join finds. The order is unspecified, and
  /// calls do not overlap.
  virtual void for_each_pair(int k, unsigned threads, const visitor& visit) const = 0;

  /// Visits the same pairs, but finds them by comparing all pairs of documents.
  virtual void for_each_pair_plainly(int k, const visitor& visit) const = 0;
};

/// Makes the fingerprints of texts. Throws: std::invalid_argument if choice.bits is not a supported width.
std::unique_ptr<fingerprints> make_fingerprints(const fingerprint_choice& choice, const std::vector<std::string>& texts,
                                                unsigned threads);

/// Returns for each text the distinct features from which the library would make a fingerprint, as sorted hashes. If
/// `wanted` is not empty, only texts with a non-zero element in `wanted` get features.
std::vector<std::vector<std::uint64_t>> fingerprint_features(const feature_choice& features,
                                                             const std::vector<std::string>& texts, unsigned threads,
                                                             std::span<const char> wanted = {});

/// Calls `work(i)` for each i below `count`, from several threads.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace accuracy
