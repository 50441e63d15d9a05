// The features of documents, as sets: what the exact check compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace command {

/// The features of a document, ascending: see neardup::feature_extractor.
using feature_set = std::vector<std::uint32_t>;

/// Finds the features of documents; one for each thread.
class feature_extractor {
 public:
  feature_extractor() = default;
  feature_extractor(const feature_extractor&) = delete;
  feature_extractor& operator=(const feature_extractor&) = delete;
  virtual ~feature_extractor() = default;

  /// Of a document of several texts: no feature spans two of them.
  virtual feature_set whole(const std::vector<std::string_view>& texts) = 0;

  /// Of a document of one text that comes in pieces.
  virtual void feed(std::string_view piece) = 0;
  virtual feature_set finish() = 0;

  /// What a short document, of fewer than least_features features, has in common with those of the same features only;
  /// 0 for all others, found out by a look at their beginnings.
  virtual std::uint64_t short_digest(const std::vector<std::string_view>& texts) = 0;
};

std::unique_ptr<feature_extractor> make_feature_extractor(const feature_choice& features, std::uint64_t seed);

}  // namespace command
