// Arrays of an index that lie in bytes of somebody else's, which may hold anything.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "../../version.hpp"

namespace neardup::inline v0::detail {

/// What large_array is for searches, over memory that it does not own and does not trust: whatever number is asked for,
/// it reads an element of the array.
template <class T>
class mapped_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  mapped_array() noexcept = default;
  explicit mapped_array(std::span<const T> values) noexcept : data_(values.data()), size_(values.size()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] static constexpr std::size_t memory_usage() noexcept { return 0; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  /// Element i, or the first one if there is no such element. Precondition: size() > 0.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i < size_ ? i : 0]; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// The elements from `begin` to `end`; none if these are no such places.
  [[nodiscard]] std::span<const T> span(std::size_t begin, std::size_t end) const noexcept {
    if (begin > end || end > size_) return {};
    return {data_ + begin, end - begin};
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace neardup::inline v0::detail
