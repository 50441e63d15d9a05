// Reads arrays of Arrow's C data interface: columns of texts, of lists of features, and streams of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "neardup.h"

namespace c_interface {

[[noreturn]] inline void refuse(const std::string& message) { throw std::invalid_argument(message); }

/// Releases what an interface function has filled in.
template <class Structure>
struct released {
  Structure value{};

  released() = default;
  released(const released&) = delete;
  released& operator=(const released&) = delete;
  ~released() {
    if (value.release != nullptr) value.release(&value);
  }
};

/// A value of a column, read from the buffers of an array at a position that includes the offset of the array.
template <class T>
T value_at(const ArrowArray& array, int buffer, std::int64_t position) {
  T value;
  std::memcpy(&value, static_cast<const char*>(array.buffers[buffer]) + position * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

inline bool is_null_at(const ArrowArray& array, std::int64_t position) {
  if (array.n_buffers == 0 || array.buffers[0] == nullptr || array.null_count == 0) return false;
  return (static_cast<const std::uint8_t*>(array.buffers[0])[position >> 3] >> (position & 7) & 1) == 0;
}

inline void check_array(const ArrowArray& array, std::int64_t buffers) {
  if (array.length < 0 || array.offset < 0 || array.n_buffers < buffers) refuse("the Arrow array is not of its type");
}

/// A column of texts: how its type stores them.
class text_column {
 public:
  /// Throws: std::invalid_argument if the column is not of a type of texts.
  explicit text_column(const ArrowSchema& schema, bool is_outermost = true) {
    if (is_outermost && schema.release == nullptr) refuse("the Arrow schema is released already");
    const std::string_view format(schema.format);
    if (format == "+s" && is_outermost) {
      if (schema.n_children != 1) {
        std::string names;
        for (std::int64_t i = 0; i < schema.n_children; ++i) {
          const char* const name = schema.children[i]->name;
          names.append(i == 0 ? "" : ", ").append(name == nullptr ? "" : name);
        }
        refuse("a table of " + std::to_string(schema.n_children) + " columns (" + names +
               "): give the column that has the texts");
      }
      is_table_ = true;
      children_.emplace_back(*schema.children[0], false);
    } else if (schema.dictionary != nullptr) {
      index_ = format.size() == 1 ? format[0] : '?';
      if (std::string_view("cCsSiIlL").find(index_) == std::string_view::npos) refuse_type(format, "a dictionary of ");
      children_.emplace_back(*schema.dictionary, false);
    } else if (format == "u" || format == "z") {
      form_ = form::offsets;
    } else if (format == "U" || format == "Z") {
      form_ = form::large_offsets;
    } else if (format == "vu" || format == "vz") {
      form_ = form::views;
    } else if (format != "n") {
      refuse_type(format, "");
    }
  }

  /// Replaces `texts` by the texts of rows [begin, end). For a null data() == nullptr, for an empty text it is not.
  /// Precondition: check(array), and 0 <= begin <= end <= array.length.
  void read(const ArrowArray& array, std::int64_t begin, std::int64_t end, std::vector<std::string_view>& texts) const {
    texts.clear();
    if (is_table_) {
      children_[0].read(*array.children[0], array.offset + begin, array.offset + end, texts);
      for (std::int64_t i = begin; i < end; ++i) {
        if (is_null_at(array, array.offset + i)) texts[static_cast<std::size_t>(i - begin)] = {};
      }
      return;
    }
    texts.reserve(static_cast<std::size_t>(end - begin));
    for (std::int64_t i = begin; i < end; ++i) texts.push_back(at(array, i));
  }

  /// Throws: std::invalid_argument if the array cannot be of this type.
  void check(const ArrowArray& array) const {
    check_array(array, is_table_ || form_ == form::null                         ? 0
                       : form_ == form::offsets || form_ == form::large_offsets ? 3
                                                                                : 2);
    if (is_table_) {
      if (array.n_children != 1) refuse("the Arrow array is not of its type");
      children_[0].check(*array.children[0]);
      if (children_[0].length_of(*array.children[0]) < array.offset + array.length) refuse("a column is too short");
    } else if (index_ != 0) {
      if (array.dictionary == nullptr) refuse("the Arrow array is not of its type");
      children_[0].check(*array.dictionary);
    }
  }

 private:
  enum class form { null, offsets, large_offsets, views };

  [[noreturn]] static void refuse_type(std::string_view format, const char* what) {
    refuse(
        "texts are of Arrow's type string, large_string, string_view, binary, large_binary or binary_view, a "
        "dictionary of these, or null, but this is " +
        std::string(what) + "format '" + std::string(format) + "'");
  }

  [[nodiscard]] static std::int64_t length_of(const ArrowArray& array) { return array.length; }

  [[nodiscard]] std::string_view at(const ArrowArray& array, std::int64_t row) const {
    const std::int64_t position = array.offset + row;
    if (form_ == form::null && index_ == 0) return {};
    if (is_null_at(array, position)) return {};
    if (index_ != 0) {
      const std::int64_t index = index_at(array, position);
      if (index < 0 || index >= array.dictionary->length) refuse("an index of a dictionary is out of range");
      return children_[0].at(*array.dictionary, index);
    }
    if (form_ == form::views) return view_at(array, position);
    const std::int64_t begin = form_ == form::offsets ? value_at<std::int32_t>(array, 1, position)
                                                      : value_at<std::int64_t>(array, 1, position);
    const std::int64_t end = form_ == form::offsets ? value_at<std::int32_t>(array, 1, position + 1)
                                                    : value_at<std::int64_t>(array, 1, position + 1);
    if (begin < 0 || end < begin) refuse("the offsets of an Arrow array do not ascend");
    if (begin == end) return "";
    return {static_cast<const char*>(array.buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
  }

  [[nodiscard]] std::int64_t index_at(const ArrowArray& array, std::int64_t position) const {
    switch (index_) {
      case 'c': return value_at<std::int8_t>(array, 1, position);
      case 'C': return value_at<std::uint8_t>(array, 1, position);
      case 's': return value_at<std::int16_t>(array, 1, position);
      case 'S': return value_at<std::uint16_t>(array, 1, position);
      case 'i': return value_at<std::int32_t>(array, 1, position);
      case 'I': return value_at<std::uint32_t>(array, 1, position);
      default: return value_at<std::int64_t>(array, 1, position);  // beyond 2^63: negative, so refused
    }
  }

  /// A text of the type "view". The view begins with the length of the text. Then comes a text of up to 12 bytes
  /// itself; for a longer text its first 4 bytes, the number of a buffer, and an offset in that buffer.
  [[nodiscard]] static std::string_view view_at(const ArrowArray& array, std::int64_t position) {
    struct view {
      std::int32_t length, beginning, buffer, offset;
    };
    const auto* const place = static_cast<const char*>(array.buffers[1]) + position * std::int64_t{sizeof(view)};
    view value;
    std::memcpy(&value, place, sizeof(value));
    if (value.length < 0) refuse("the length of a text is negative");
    if (value.length <= 12) return {place + 4, static_cast<std::size_t>(value.length)};
    // The last buffer has the sizes of the buffers with texts.
    if (value.buffer < 0 || value.buffer >= array.n_buffers - 3 || value.offset < 0) {
      refuse("a text refers to a buffer that is not there");
    }
    return {static_cast<const char*>(array.buffers[2 + value.buffer]) + value.offset,
            static_cast<std::size_t>(value.length)};
  }

  bool is_table_ = false;
  char index_ = 0;  // the type of the indices of a dictionary
  form form_ = form::null;
  std::vector<text_column> children_;  // the column of a table, or the dictionary
};

/// Calls `take(schema, array)` for each array of an input by Arrow's `array` or `stream`.
inline void for_each_array(const neardup_input& input,
                           const std::function<void(const ArrowSchema&, const ArrowArray&)>& take) {
  if (input.array != nullptr) {
    if (input.schema == nullptr) refuse("an Arrow array without its schema");
    return take(*input.schema, *input.array);
  }
  if (input.stream == nullptr) refuse("no texts, no array and no stream are given");
  ArrowArrayStream& stream = *input.stream;
  if (stream.release == nullptr) refuse("the Arrow stream is released already");
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* const why = stream.get_last_error(&stream);
    throw std::runtime_error("the Arrow stream: " + std::string(why != nullptr ? why : std::strerror(code)));
  };
  released<ArrowSchema> schema;
  check(stream.get_schema(&stream, &schema.value));
  while (true) {
    released<ArrowArray> array;
    check(stream.get_next(&stream, &array.value));
    if (array.value.release == nullptr) return;
    take(schema.value, array.value);
  }
}

inline constexpr std::size_t texts_at_a_time = std::size_t{1} << 16;

/// Calls `take(texts)` for all texts of an input in order, some at a time. For a null, data() == nullptr.
inline void for_each_texts(const neardup_input& input,
                           const std::function<void(std::span<const std::string_view>)>& take) {
  std::vector<std::string_view> texts;
  if (input.texts != nullptr || (input.array == nullptr && input.stream == nullptr)) {
    for (std::size_t begin = 0; begin < input.size; begin += texts_at_a_time) {
      texts.clear();
      for (std::size_t i = begin; i < input.size && texts.size() < texts_at_a_time; ++i) {
        const neardup_text& text = input.texts[i];
        texts.push_back(text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size));
      }
      take(texts);
    }
    return;
  }
  for_each_array(input, [&](const ArrowSchema& schema, const ArrowArray& array) {
    if (array.release == nullptr) refuse("the Arrow array is released already");
    const text_column column(schema);
    column.check(array);
    constexpr auto step = static_cast<std::int64_t>(texts_at_a_time);
    for (std::int64_t begin = 0; begin < array.length; begin += step) {
      column.read(array, begin, std::min(begin + step, array.length), texts);
      take(texts);
    }
  });
}

/// The sets of an array of lists of `Feature`; `take(features, is_null)` is called for each.
template <class Feature>
void for_each_list(const ArrowSchema& schema, const ArrowArray& array,
                   const std::function<void(std::span<const Feature>, bool)>& take) {
  const std::string_view format(schema.format);
  const char* const wanted = sizeof(Feature) == 4 ? "I" : "L";
  if (format == "+s" && schema.n_children == 1 && array.n_children == 1 && array.offset == 0) {
    return for_each_list<Feature>(*schema.children[0], *array.children[0], take);
  }
  if ((format != "+l" && format != "+L") || schema.n_children != 1 ||
      std::string_view(schema.children[0]->format) != wanted) {
    refuse("sets of features are of Arrow's type list or large_list of " +
           std::string(sizeof(Feature) == 4 ? "uint32" : "uint64") + ", but this is format '" + std::string(format) +
           "'");
  }
  if (schema.children[0]->dictionary != nullptr) refuse("features are a column of their values, not of a dictionary");
  check_array(array, 2);
  if (array.n_children != 1) refuse("the Arrow array is not of its type");
  const ArrowArray& values = *array.children[0];
  check_array(values, 2);
  if (values.null_count > 0) refuse("a feature is null");
  const auto* const features = static_cast<const Feature*>(values.buffers[1]) + values.offset;
  for (std::int64_t row = 0; row < array.length; ++row) {
    const std::int64_t at = array.offset + row;
    if (is_null_at(array, at)) {
      take({}, true);
      continue;
    }
    const bool is_large = format == "+L";
    const std::int64_t begin = is_large ? value_at<std::int64_t>(array, 1, at) : value_at<std::int32_t>(array, 1, at);
    const std::int64_t end =
        is_large ? value_at<std::int64_t>(array, 1, at + 1) : value_at<std::int32_t>(array, 1, at + 1);
    if (begin < 0 || end < begin || end > values.length) refuse("the offsets of an Arrow array do not ascend");
    if (begin == end) {
      take({}, false);
      continue;
    }
    take({features + begin, static_cast<std::size_t>(end - begin)}, false);
  }
}

}  // namespace c_interface
