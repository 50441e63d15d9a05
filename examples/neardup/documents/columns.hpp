// Names, features and other values of documents, in the form in which files of the command store them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../ground/errors.hpp"

namespace command {

/// Refuses a file of the command. `what`: the reason.
[[noreturn]] inline void refuse_damage(const std::string& path,
                                       const std::string& what = "its parts do not fit each other") {
  throw input_error({path, "damaged, or not written by this version of the command neardup: " + what +
                               "; restore the file from a copy, or make it anew"});
}

/// Returns the records of a section of a file. A section begins at a multiple of 64 bytes. Records are little-endian.
template <class Record>
std::span<const Record> records_of(const std::string& path, std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(Record) != 0) refuse_damage(path);
  return {reinterpret_cast<const Record*>(bytes.data()), bytes.size() / sizeof(Record)};
}

std::string_view text_of(std::span<const std::byte> bytes);

/// Settings, stored as lines "name value".
using named_values = std::map<std::string, std::string>;
/// Parses settings.
/// Throws: input_error if a line is invalid; the message names `path`.
named_values parse_values(const std::string& path, std::span<const std::byte> bytes);

/// A view of the values of one document: a name, or features.
template <class Value>
using values_view = std::conditional_t<std::is_same_v<Value, char>, std::string_view, std::span<const Value>>;

/// The values of many documents that are to be written. The values of document i end at ends[i] in `values`.
template <class Value>
struct column {
  std::vector<std::uint64_t> ends;
  std::vector<Value> values;

  void add(values_view<Value> some) {
    values.insert(values.end(), some.begin(), some.end());
    ends.push_back(values.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] values_view<Value> operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return {values.data() + begin, static_cast<std::size_t>(ends[i] - begin)};
  }
};

/// A column in a mapped file.
/// Precondition: the file outlives this object.
template <class Value>
class stored_column {
 public:
  /// Opens the sections `ends` and `values`. If `looks_first` is false, the end of a document's values is checked only
  /// when the values are accessed.
  /// Throws: input_error if the sections contradict each other, or do not fit `size` documents; the message names
  /// `path`.
  stored_column(const std::string& path, std::size_t size, std::span<const std::byte> ends,
                std::span<const std::byte> values, bool looks_first)
      : path_(path), ends_(records_of<std::uint64_t>(path, ends)), values_(records_of<Value>(path, values)) {
    const bool ascend = !looks_first || std::is_sorted(ends_.begin(), ends_.end());
    if (ends_.size() != size || !ascend || (ends_.empty() ? 0 : ends_.back()) != values_.size()) refuse_damage(path_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::span<const Value> values() const noexcept { return values_; }
  /// Returns the values of document i.
  /// Throws: input_error if the ends are damaged.
  [[nodiscard]] values_view<Value> operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1], end = ends_[i];
    if (begin > end || end > values_.size()) refuse_damage(path_);
    return {values_.data() + begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  std::string path_;
  std::span<const std::uint64_t> ends_;
  std::span<const Value> values_;
};

/// The names and features of documents that are to be written.
template <class Feature>
struct document_columns {
  column<char> names;
  column<Feature> features;

  void add(std::string_view name, std::span<const Feature> its_features) {
    names.add(name);
    features.add(its_features);
  }
};

}  // namespace command
