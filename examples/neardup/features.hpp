// The features of documents, as sets: what the exact check compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
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

/// The features of a document, ascending: see neardup::feature_extractor.
using feature_set = std::vector<std::uint32_t>;

class feature_reader : public document_reader<feature_set> {
 public:
  /// What a short document, of fewer than neardup::default_min_tokens features, has in common with those of the same
  /// features only; 0 for all others, found out by a look at their beginnings.
  virtual std::uint64_t short_digest(const std::vector<std::string_view>& texts) = 0;
};

std::unique_ptr<feature_reader> make_feature_reader(const feature_choice& features, std::uint64_t seed);

}  // namespace command
