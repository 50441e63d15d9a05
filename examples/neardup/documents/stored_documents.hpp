// Names and features of documents, as files of the command store them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../ground/errors.hpp"

namespace command {

/// Returns the records of a section of a file. The section begins at a multiple of 64 bytes, and is little-endian.
template <class Record>
std::span<const Record> records_of(const std::string& path, std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(Record) != 0) throw input_error({path, "its parts do not fit each other"});
  return {reinterpret_cast<const Record*>(bytes.data()), bytes.size() / sizeof(Record)};
}

std::string_view text_of(std::span<const std::byte> bytes);

/// Settings, stored as lines "name value".
using named_values = std::map<std::string, std::string>;
/// Parses settings.
/// Throws: input_error, which names `path`.
named_values parse_values(const std::string& path, std::span<const std::byte> bytes);

/// Names and features to be written. All names are concatenated, and so are all features, with the end of each
/// document's part.
struct document_columns {
  std::vector<std::uint64_t> name_ends, feature_ends;
  std::string names;
  std::vector<std::uint32_t> features;

  void add(std::string_view name, std::span<const std::uint32_t> its_features) {
    names += name;
    name_ends.push_back(names.size());
    features.insert(features.end(), its_features.begin(), its_features.end());
    feature_ends.push_back(features.size());
  }

  [[nodiscard]] std::string_view name_of(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : name_ends[i - 1];
    return std::string_view(names).substr(begin, name_ends[i] - begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> features_of(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : feature_ends[i - 1];
    return std::span(features).subspan(begin, feature_ends[i] - begin);
  }

  /// Removes the features of the marked documents.
  void drop_features(const std::vector<bool>& is_marked) {
    std::uint64_t begin = 0, kept = 0;
    for (std::size_t i = 0; i < feature_ends.size(); ++i) {
      const std::uint64_t end = feature_ends[i];
      if (is_marked[i]) begin = end;
      while (begin < end) features[kept++] = features[begin++];
      feature_ends[i] = kept;
    }
    features.resize(kept);
  }

  /// Returns the sections that stored_documents reads.
  [[nodiscard]] std::vector<std::span<const std::byte>> bytes() const {
    return {std::as_bytes(std::span(name_ends)), std::as_bytes(std::span(names)),
            std::as_bytes(std::span(feature_ends)), std::as_bytes(std::span(features))};
  }
};

/// Names and features in a mapped file.
/// Precondition: the file outlives this object. An index without features has no ends of features.
class stored_documents {
 public:
  /// Opens the sections. Without `looks_first`, checks that take time proportional to the documents are made when a
  /// document is accessed.
  /// Throws: input_error, which names `path`, if the sections are inconsistent, or do not fit
  /// `size` documents.
  stored_documents(const std::string& path, std::size_t size, std::span<const std::byte> name_ends,
                   std::span<const std::byte> names, std::span<const std::byte> feature_ends,
                   std::span<const std::byte> features, bool looks_first = true);

  [[nodiscard]] std::size_t size() const noexcept { return name_ends_.size(); }
  [[nodiscard]] std::string_view name(std::size_t i) const {
    const auto [begin, end] = range(name_ends_, i, names_.size());
    return names_.substr(begin, end - begin);
  }
  [[nodiscard]] bool has_features() const noexcept { return !feature_ends_.empty(); }
  /// Returns the features of document i; empty if no features are stored.
  [[nodiscard]] std::span<const std::uint32_t> features(std::size_t i) const {
    if (!has_features()) return {};
    const auto [begin, end] = range(feature_ends_, i, features_.size());
    return features_.subspan(begin, end - begin);
  }

 private:
  /// Returns where the part of document i begins and ends among `all` elements.
  /// Throws: input_error if the ends are damaged.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> range(std::span<const std::uint64_t> ends, std::size_t i,
                                                              std::size_t all) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1], end = ends[i];
    if (begin > end || end > all) refuse();
    return {begin, end};
  }
  [[noreturn]] void refuse() const;

  std::string path_;
  std::span<const std::uint64_t> name_ends_, feature_ends_;
  std::string_view names_;
  std::span<const std::uint32_t> features_;
};

}  // namespace command
