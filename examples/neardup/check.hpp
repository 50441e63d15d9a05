// The exact check of candidates: the Jaccard similarity of their features, computed from the texts themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "corpus.hpp"
#include "documents.hpp"
#include "options.hpp"

namespace command {

/// The hashes of the distinct features of a document, sorted.
using feature_set = std::vector<std::array<std::uint64_t, 1>>;

/// Finds the features of texts by --check-features; one for each thread.
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
};

std::unique_ptr<feature_extractor> make_feature_extractor(const options& settings);

/// Reads documents again for their features; one for each thread.
class feature_loader {
 public:
  explicit feature_loader(const options& settings);

  /// Throws: input_error if the document is no longer what it was.
  feature_set load(const place& where);

  /// Of a line that is at hand. Precondition: it could be read before, and `padding` bytes follow it.
  feature_set of_line(std::string_view raw, bool first_of_source);

 private:
  [[noreturn]] static void fail_changed(const source& from);

  const options& settings_;
  record_reader reader_;
  std::unique_ptr<feature_extractor> extract_;
  record record_;
  byte_buffer buffer_;
  std::shared_ptr<source> open_source_;
  std::unique_ptr<source_file> open_file_;
};

/// Two documents that may be similar enough.
struct candidate {
  std::uint32_t a;
  std::uint32_t b;
  int distance;
};

/// Computes similarities in batches, shared by threads, and hands them over in the order in which they were asked for.
/// Memory: the features of a batch and some 100 MB of others that may come again.
class similarity_checker {
 public:
  using verdict = std::function<void(const candidate&, double similarity)>;

  similarity_checker(const options& settings, const document_table& documents, verdict decide);

  void add(const candidate& c);

  /// Hands over the rest.
  void finish();

 private:
  void load_missing();

  const options& settings_;
  const document_table& documents_;
  verdict decide_;
  std::vector<candidate> waiting_;
  std::uint64_t waiting_bytes_ = 0;                       // of their texts
  std::vector<std::unique_ptr<feature_loader>> loaders_;  // one for each thread
  std::unordered_map<std::uint32_t, feature_set> features_;
  std::uint64_t features_bytes_ = 0;
};

}  // namespace command
