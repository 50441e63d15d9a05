// SPDX-License-Identifier: MIT
// Arrays and ids in the sections of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "container.hpp"

namespace neardup::inline v0::detail {

/// An array like large_array over memory that it does not own, and that may contain any bytes. operator[] with any
/// index reads some element of the array.
template <class T>
class mapped_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  mapped_array() noexcept = default;
  explicit mapped_array(std::span<const T> values) noexcept : data_(values.data()), size_(values.size()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] static constexpr std::size_t memory_usage() noexcept { return 0; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  /// Returns element i, or element 0 if i is out of range.
  /// Precondition: size() > 0.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i < size_ ? i : 0]; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// Returns the elements [begin, end); empty if that range is invalid.
  [[nodiscard]] std::span<const T> span(std::size_t begin, std::size_t end) const noexcept {
    if (begin > end || end > size_) return {};
    return {data_ + begin, end - begin};
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The form of ids in a file. Numbers are little-endian; other types are stored as in memory.
enum class id_form : std::uint8_t { unsigned_number = 0, signed_number = 1, bytes = 2 };

template <class Id>
[[nodiscard]] constexpr id_form form_of_id() noexcept {
  static_assert(!std::is_same_v<Id, bool> && std::has_unique_object_representations_v<Id>,
                "neardup: ids that are saved are numbers, or structs without padding, whose bytes are all there is to "
                "them");
  static_assert(
      sizeof(Id) <= 255,
      "neardup: an id that is saved has at most 255 bytes, which is what a file can say of it; for names such "
      "as URLs, number them");
  if constexpr (!std::is_integral_v<Id>) {
    return id_form::bytes;
  } else {
    return std::is_signed_v<Id> ? id_form::signed_number : id_form::unsigned_number;
  }
}

/// Checks that the ids of the file are of this type.
/// Throws: std::runtime_error if they are not.
template <class Id>
void check_id_form(const container& file, id_form form, std::size_t size) {
  if (size == sizeof(Id) && form == form_of_id<Id>()) return;
  const char* const name = form == id_form::bytes           ? "bytes"
                           : form == id_form::signed_number ? "signed numbers"
                                                            : "numbers";
  file.refuse({"the ids are ", name, " of ", 8 * size, " bits, which is another Id"});
}

}  // namespace neardup::inline v0::detail
