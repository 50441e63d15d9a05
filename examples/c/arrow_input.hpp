// Reads texts, and lists of features, from arrays and streams of Arrow's C data interface.
#pragma once

#include <algorithm>
#include <array>
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

#include "arrow_types.hpp"
#include "neardup.h"

namespace c_interface {

[[noreturn]] inline void refuse(const std::string& message) { throw std::invalid_argument(message); }

/// Owns a structure that a function of Arrow's interface has filled in, and releases it at the end of the scope.
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

/// Returns the value at `position` in buffer `buffer`. `position` already includes the offset of the array.
template <class T>
T value_at(const ArrowArray& array, int buffer, std::int64_t position) {
  T value;
  std::memcpy(&value, static_cast<const char*>(array.buffers[buffer]) + position * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

/// Returns true if the bitmap of `array` marks a null at `position`, which already includes the offset of the array. A
/// null_count of -1 means that the number of nulls is unknown.
inline bool is_null_at(const ArrowArray& array, std::int64_t position) {
  if (array.n_buffers == 0 || array.buffers[0] == nullptr || array.null_count == 0) return false;
  return (static_cast<const std::uint8_t*>(array.buffers[0])[position >> 3] >> (position & 7) & 1) == 0;
}

[[noreturn]] inline void refuse_array() { refuse("the Arrow array is not of its type"); }

/// Throws std::invalid_argument if `array` is released, has fewer than `buffers` buffers, or has nulls but no bitmap.
/// The pointers to the buffers 1 to `needed` - 1 must not be null, unless the array is empty.
inline void check_array(const ArrowArray& array, std::int64_t buffers, int needed) {
  if (array.release == nullptr) refuse("the Arrow array is released already");
  if (array.length < 0 || array.offset < 0 || array.length > std::numeric_limits<std::int64_t>::max() - array.offset ||
      array.n_buffers < buffers || (array.n_buffers > 0 && array.buffers == nullptr)) {
    refuse_array();
  }
  if (needed > 0 && array.null_count > 0 && array.buffers[0] == nullptr)
    refuse("an Arrow array has nulls, but no bitmap");
  for (int i = 1; i < needed && array.length > 0; ++i) {
    if (array.buffers[i] == nullptr) refuse_array();
  }
}

inline std::string_view format_of(const ArrowSchema& schema) {
  if (schema.release == nullptr) refuse("the Arrow schema is released already");
  if (schema.format == nullptr) refuse("the Arrow schema has no format");
  return schema.format;
}

template <class Structure>
const Structure& child_of(const Structure& parent) {
  if (parent.n_children != 1 || parent.children == nullptr || parent.children[0] == nullptr) refuse_array();
  return *parent.children[0];
}

/// The rows of a column. The column is a whole array, or the only column of a struct array.
class column_rows {
 public:
  /// `what` is the noun for the content of the column in messages, such as "texts".
  /// Throws: std::invalid_argument if the array contradicts its type.
  column_rows(const ArrowSchema& schema, const ArrowArray& array, const char* what)
      : schema_(&schema), column_(&array), count_(array.length) {
    if (format_of(schema) != "+s") return;
    if (schema.n_children != 1) {
      std::string names;
      for (std::int64_t i = 0; i < schema.n_children && schema.children != nullptr; ++i) {
        const char* const name = schema.children[i]->name;
        names.append(i == 0 ? "" : ", ").append(name == nullptr ? "" : name);
      }
      refuse("a table of " + std::to_string(schema.n_children) + " columns (" + names +
             "): give the column that has the " + what);
    }
    check_array(array, 0, 0);
    schema_ = &child_of(schema);
    column_ = &child_of(array);
    table_ = &array;
    first_ = array.offset;
    if (column_->length < array.offset + array.length) refuse("a column is too short");
  }

  [[nodiscard]] const ArrowSchema& schema() const { return *schema_; }
  [[nodiscard]] const ArrowArray& column() const { return *column_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Returns the position of row `i` in column(). The position does not include the offset of column().
  [[nodiscard]] std::int64_t row(std::int64_t i) const { return first_ + i; }
  /// Returns true if the struct has a null at row i.
  [[nodiscard]] bool is_null(std::int64_t i) const { return table_ != nullptr && is_null_at(*table_, first_ + i); }

 private:
  const ArrowSchema* schema_;
  const ArrowArray* column_;
  const ArrowArray* table_ = nullptr;
  std::int64_t first_ = 0, count_;
};

/// The Arrow type of a column of texts. It defines how the column stores its texts.
class text_column {
 public:
  /// Reads the type from `schema`. Throws: std::invalid_argument if `schema` is not a type of texts.
  explicit text_column(const ArrowSchema& schema) {
    const std::string_view format = format_of(schema);
    if (schema.dictionary != nullptr) {
      index_ = format.size() == 1 ? format[0] : '?';
      if (std::string_view("cCsSiIlL").find(index_) == std::string_view::npos) refuse_type(schema);
      values_.emplace_back(*schema.dictionary);
    } else if (format == "+r") {
      const bool has_children = schema.n_children == 2 && schema.children != nullptr && schema.children[0] != nullptr &&
                                schema.children[1] != nullptr;
      if (!has_children) refuse_type(schema);
      const std::string_view run_ends = format_of(*schema.children[0]);
      if (run_ends != "s" && run_ends != "i" && run_ends != "l") refuse_type(schema);
      run_ends_ = run_ends[0];
      if (!is_text(*schema.children[1])) refuse_type(schema);
      values_.emplace_back(*schema.children[1]);
      form_ = form::runs;
    } else if (format == "u" || format == "z") {
      form_ = form::offsets;
    } else if (format == "U" || format == "Z") {
      form_ = form::large_offsets;
    } else if (format == "vu" || format == "vz") {
      form_ = form::views;
    } else if (format != "n") {
      refuse_type(schema);
    }
  }

  /// Returns the text in row `row` of `array`, and adds the array's offset itself. Only a null has data() == nullptr.
  /// Precondition: check(array) did not throw, and 0 <= row < array.length.
  [[nodiscard]] std::string_view at(const ArrowArray& array, std::int64_t row) const {
    const std::int64_t position = array.offset + row;
    if (form_ == form::runs) return values_[0].at(*array.children[1], run_of(*array.children[0], position));
    if (form_ == form::null && index_ == 0) return {};
    if (is_null_at(array, position)) return {};
    if (index_ != 0) {
      const std::int64_t index = index_at(array, position);
      if (index < 0 || index >= array.dictionary->length) refuse("an index of a dictionary is out of range");
      return values_[0].at(*array.dictionary, index);
    }
    if (form_ == form::views) return view_at(array, position);
    const std::int64_t begin = form_ == form::offsets ? value_at<std::int32_t>(array, 1, position)
                                                      : value_at<std::int64_t>(array, 1, position);
    const std::int64_t end = form_ == form::offsets ? value_at<std::int32_t>(array, 1, position + 1)
                                                    : value_at<std::int64_t>(array, 1, position + 1);
    if (begin < 0 || end < begin) refuse("the offsets of an Arrow array do not ascend");
    if (begin == end) return "";
    if (array.buffers[2] == nullptr) refuse_array();
    return {static_cast<const char*>(array.buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
  }

  /// Checks an array. Throws: std::invalid_argument if the array contradicts this type.
  void check(const ArrowArray& array) const {
    if (index_ == 0 && form_ == form::null) return check_array(array, 0, 0);
    if (form_ == form::runs) return check_runs(array);
    const bool has_offsets = index_ == 0 && form_ != form::views;
    check_array(array, has_offsets ? 3 : 2, 2);
    if (index_ == 0) return;
    if (array.dictionary == nullptr) refuse_array();
    values_[0].check(*array.dictionary);
  }

 private:
  enum class form { null, offsets, large_offsets, views, runs };

  [[noreturn]] static void refuse_type(const ArrowSchema& schema) {
    refuse(
        "texts are of Arrow's type string, large_string, string_view, binary, large_binary or binary_view, a "
        "dictionary of these, these run-end-encoded, or null, but this is " +
        type_name(schema));
  }

  /// Returns true if the values of run-end encoded texts may have the type `schema`.
  static bool is_text(const ArrowSchema& schema) {
    constexpr std::array texts{"u", "z", "U", "Z", "vu", "vz", "n"};
    const std::string_view format = format_of(schema);
    return schema.dictionary != nullptr || std::find(texts.begin(), texts.end(), format) != texts.end();
  }

  /// Checks run-end encoded texts.
  /// Throws: std::invalid_argument unless the ends of the runs ascend, and reach the end of the array.
  void check_runs(const ArrowArray& array) const {
    check_array(array, 0, 0);
    const bool has_children = array.n_children == 2 && array.children != nullptr && array.children[0] != nullptr &&
                              array.children[1] != nullptr;
    if (!has_children) refuse_array();
    const ArrowArray& ends = *array.children[0];
    check_array(ends, 2, 2);
    values_[0].check(*array.children[1]);
    if (array.children[1]->length < ends.length) refuse_array();
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < ends.length; ++i) {
      const std::int64_t end = integer_at(run_ends_, ends, ends.offset + i);
      if (end <= last) refuse("the run ends of an Arrow array do not ascend");
      last = end;
    }
    if (last < array.offset + array.length) refuse("the runs of an Arrow array are shorter than the array");
  }

  /// Returns the number of the run that contains `position`, which already includes the offset of the array.
  [[nodiscard]] std::int64_t run_of(const ArrowArray& ends, std::int64_t position) const {
    std::int64_t first = 0, last = ends.length;  // the first run that ends after the position
    while (first < last) {
      const std::int64_t middle = first + (last - first) / 2;
      if (integer_at(run_ends_, ends, ends.offset + middle) > position) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    return first;
  }

  [[nodiscard]] std::int64_t index_at(const ArrowArray& array, std::int64_t position) const {
    return integer_at(index_, array, position);
  }

  /// Returns the integer at `position`. `format` is the Arrow format of the integer type.
  [[nodiscard]] static std::int64_t integer_at(char format, const ArrowArray& array, std::int64_t position) {
    switch (format) {
      case 'c': return value_at<std::int8_t>(array, 1, position);
      case 'C': return value_at<std::uint8_t>(array, 1, position);
      case 's': return value_at<std::int16_t>(array, 1, position);
      case 'S': return value_at<std::uint16_t>(array, 1, position);
      case 'i': return value_at<std::int32_t>(array, 1, position);
      case 'I': return value_at<std::uint32_t>(array, 1, position);
      default: return value_at<std::int64_t>(array, 1, position);  // 2^63 or more is negative, and refused
    }
  }

  /// Returns the text of a "view". A view begins with the length of its text. A text of up to 12 bytes follows
  /// directly. For a longer text, its first 4 bytes, the number of a buffer, and an offset in that buffer follow.
  [[nodiscard]] static std::string_view view_at(const ArrowArray& array, std::int64_t position) {
    struct view {
      std::int32_t length, beginning, buffer, offset;
    };
    const auto* const place = static_cast<const char*>(array.buffers[1]) + position * std::int64_t{sizeof(view)};
    view value;
    std::memcpy(&value, place, sizeof(value));
    if (value.length < 0) refuse("the length of a text is negative");
    if (value.length <= 12) return {place + 4, static_cast<std::size_t>(value.length)};
    // The buffers are, in this order: the bitmap, the views, the buffers with texts, and one with the sizes of these.
    if (value.buffer < 0 || value.buffer >= array.n_buffers - 3 || value.offset < 0) {
      refuse("a text refers to a buffer that is not there");
    }
    const auto* const bytes = static_cast<const char*>(array.buffers[2 + value.buffer]);
    if (bytes == nullptr) refuse_array();
    return {bytes + value.offset, static_cast<std::size_t>(value.length)};
  }

  char index_ = 0;     // the type of the indices of a dictionary
  char run_ends_ = 0;  // the type of the ends of runs
  form form_ = form::null;
  std::vector<text_column> values_;  // the values of a dictionary or of runs: one column, otherwise none
};

/// Calls `take(rows)` for the array of `input`, or for each array of its stream. `what`: see column_rows.
inline void for_each_array(const neardup_input& input, const char* what,
                           const std::function<void(const column_rows&)>& take) {
  if (input.array != nullptr) {
    if (input.schema == nullptr) refuse("an Arrow array without its schema");
    return take(column_rows(*input.schema, *input.array, what));
  }
  if (input.stream == nullptr) refuse(std::string("no ") + what + ", no array and no stream are given");
  ArrowArrayStream& stream = *input.stream;
  if (stream.release == nullptr) refuse("the Arrow stream is released already");
  if (stream.get_schema == nullptr || stream.get_next == nullptr) refuse("the Arrow stream has no functions");
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* const why = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
    throw std::runtime_error("the Arrow stream: " + std::string(why != nullptr ? why : std::strerror(code)));
  };
  released<ArrowSchema> schema;
  check(stream.get_schema(&stream, &schema.value));
  while (true) {
    released<ArrowArray> array;
    check(stream.get_next(&stream, &array.value));
    if (array.value.release == nullptr) return;
    take(column_rows(schema.value, array.value, what));
  }
}

inline constexpr std::size_t texts_at_a_time = std::size_t{1} << 16;

/// Returns a view of `text`. The view of a null has data() == nullptr.
inline std::string_view view_of(const neardup_text& text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

/// Passes all texts of `input` to `take`, in order and several at a time. Only a null has data() == nullptr.
inline void for_each_texts(const neardup_input& input,
                           const std::function<void(std::span<const std::string_view>)>& take) {
  std::vector<std::string_view> texts;
  if (input.texts != nullptr || (input.array == nullptr && input.stream == nullptr)) {
    if (input.texts == nullptr && input.size > 0) {
      refuse(std::to_string(input.size) + " texts, but texts, array and stream are NULL");
    }
    for (std::size_t begin = 0; begin < input.size; begin += texts_at_a_time) {
      texts.clear();
      for (std::size_t i = begin; i < input.size && texts.size() < texts_at_a_time; ++i) {
        texts.push_back(view_of(input.texts[i]));
      }
      take(texts);
    }
    return;
  }
  for_each_array(input, "texts", [&](const column_rows& rows) {
    const text_column type(rows.schema());
    type.check(rows.column());
    constexpr auto step = static_cast<std::int64_t>(texts_at_a_time);
    for (std::int64_t begin = 0; begin < rows.count(); begin += step) {
      const std::int64_t end = std::min(begin + step, rows.count());
      texts.clear();
      texts.reserve(static_cast<std::size_t>(end - begin));
      for (std::int64_t i = begin; i < end; ++i) {
        texts.push_back(rows.is_null(i) ? std::string_view() : type.at(rows.column(), rows.row(i)));
      }
      take(texts);
    }
  });
}

/// Calls `take(features, is_null)` for each row of a column of lists of `Feature`.
template <class Feature>
void for_each_list(const column_rows& rows, const std::function<void(std::span<const Feature>, bool)>& take) {
  const ArrowSchema& schema = rows.schema();
  const ArrowArray& lists = rows.column();
  const std::string_view format = format_of(schema);
  const char* const wanted = sizeof(Feature) == 4 ? "I" : "L";
  const bool is_list = format == "+l" || format == "+L";
  if (!is_list || format_of(child_of(schema)) != wanted) {
    refuse("sets of features are of Arrow's type list or large_list of " +
           std::string(sizeof(Feature) == 4 ? "uint32" : "uint64") + ", but this is " + type_name(schema));
  }
  if (child_of(schema).dictionary != nullptr) refuse("features are a column of their values, not of a dictionary");
  check_array(lists, 2, 2);
  const ArrowArray& values = child_of(lists);
  check_array(values, 2, 2);
  const auto* const features = static_cast<const Feature*>(values.buffers[1]) + values.offset;
  for (std::int64_t i = 0; i < rows.count(); ++i) {
    const std::int64_t at = lists.offset + rows.row(i);
    if (rows.is_null(i) || is_null_at(lists, at)) {
      take({}, true);
      continue;
    }
    const bool is_large = format == "+L";
    const std::int64_t begin = is_large ? value_at<std::int64_t>(lists, 1, at) : value_at<std::int32_t>(lists, 1, at);
    const std::int64_t end =
        is_large ? value_at<std::int64_t>(lists, 1, at + 1) : value_at<std::int32_t>(lists, 1, at + 1);
    if (begin < 0 || end < begin || end > values.length) refuse("the offsets of an Arrow array do not ascend");
    if (begin == end) {
      take({}, false);
      continue;
    }
    for (std::int64_t k = begin; k < end && values.null_count != 0; ++k) {
      if (is_null_at(values, values.offset + k)) refuse("set " + std::to_string(i) + " has a feature that is null");
    }
    take({features + begin, static_cast<std::size_t>(end - begin)}, false);
  }
}

}  // namespace c_interface
