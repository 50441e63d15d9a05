// What files of the command keep of documents besides their fingerprints: names and features.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

/// Unsigned numbers in a file, their lowest bytes first.
template <class Number>
class number_array {
 public:
  number_array() = default;
  explicit number_array(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / sizeof(Number); }
  [[nodiscard]] Number operator[](std::size_t i) const noexcept {
    Number value = 0;
    for (std::size_t byte = sizeof(Number); byte-- > 0;) {
      value = static_cast<Number>(value << 8 | std::to_integer<Number>(bytes_[i * sizeof(Number) + byte]));
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// The first number below `count` that is wanted, as are all behind it; `count` if there is none.
template <class IsWanted>
std::size_t first_place(std::size_t count, const IsWanted& is_wanted) {
  std::size_t first = 0;
  while (first < count) {
    const std::size_t middle = first + (count - first) / 2;
    if (is_wanted(middle)) {
      count = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

/// Numbers as they stand in a file; `copy` keeps them where the machine has another order of bytes.
template <class Number>
std::span<const std::byte> bytes_of(const std::vector<Number>& numbers, std::string& copy) {
  if constexpr (std::endian::native == std::endian::little) return std::as_bytes(std::span(numbers));
  for (const Number number : numbers) {
    for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
      copy += static_cast<char>(number >> (8 * byte) & 0xff);
    }
  }
  return std::as_bytes(std::span(copy));
}

/// Names and features to be written: each one behind the other, and of each document where its own end.
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

  [[nodiscard]] std::span<const std::uint32_t> features_of(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : feature_ends[i - 1];
    return std::span(features).subspan(begin, feature_ends[i] - begin);
  }

  /// Takes the features of those documents away that are marked.
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

  /// As stored_documents reads them; `copies` keep what is not as it stands in memory.
  [[nodiscard]] std::array<std::span<const std::byte>, 4> bytes(std::array<std::string, 3>& copies) const {
    return {bytes_of(name_ends, copies[0]), std::as_bytes(std::span(names)), bytes_of(feature_ends, copies[1]),
            bytes_of(features, copies[2])};
  }
};

/// The same in a mapped file, which has to outlive it. Of an index without features there are no ends of any.
class stored_documents {
 public:
  /// Throws: input_error, by `path`, if these do not fit each other, or `size` documents.
  stored_documents(const std::string& path, std::size_t size, std::span<const std::byte> name_ends,
                   std::span<const std::byte> names, std::span<const std::byte> feature_ends,
                   std::span<const std::byte> features);

  [[nodiscard]] std::size_t size() const noexcept { return name_ends_.size(); }
  [[nodiscard]] std::string_view name(std::size_t i) const {
    const auto [begin, end] = range(name_ends_, i);
    return names_.substr(begin, end - begin);
  }
  [[nodiscard]] bool has_features() const noexcept { return feature_ends_.size() > 0; }
  /// None if there are none.
  [[nodiscard]] std::span<const std::uint32_t> features(std::size_t i) const {
    if (!has_features()) return {};
    const auto [begin, end] = range(feature_ends_, i);
    return features_.subspan(begin, end - begin);
  }

 private:
  [[nodiscard]] static std::pair<std::uint64_t, std::uint64_t> range(const number_array<std::uint64_t>& ends,
                                                                     std::size_t i) {
    return {i == 0 ? 0 : ends[i - 1], ends[i]};
  }

  number_array<std::uint64_t> name_ends_, feature_ends_;
  std::string_view names_;
  std::span<const std::uint32_t> features_;
  std::vector<std::uint32_t> converted_;  // where the machine has another order of bytes
};

}  // namespace command
