// SPDX-License-Identifier: MIT
// Numbers for strings, so that an index keeps ids of a few bytes, however long the names of documents are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../detail/compiled.hpp"
#include "../error.hpp"

namespace neardup::inline v0 {

/// Names of any length, each with a number that an index or a deduplicator takes as an id. The numbers of erased names
/// are used again.
/// Memory: for each name its bytes and about 60 more, plus the overhead of the allocator.
/// Guarantee: strong. Thread safety: const members may be called from many threads while no thread writes.
/// Example: `string_ids names;  auto result = dedup.add(text, names.add(url));  if (!result.is_new()) names.erase(url);
///          … names[*result.original]`
class string_ids {
 public:
  /// The number of a name; assigns one if it has none. Throws: std::length_error after 2^32 - 1 names.
  std::uint32_t add(std::string_view name);

  /// The number of a name; nullopt if it has none.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }

  /// The name with a number; valid until it is erased. Throws: std::out_of_range if no name has the number.
  [[nodiscard]] std::string_view operator[](std::uint32_t number) const {
    if (number >= names_.size() || names_[number] == nullptr) {
      detail::fail<std::out_of_range>("string_ids: no name has the number " + std::to_string(number));
    }
    return *names_[number];
  }

  /// Erases a name and frees its memory. Returns: whether it had a number.
  bool erase(std::string_view name) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
  [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // keys are views of the strings below
  std::vector<std::unique_ptr<std::string>> names_;              // by number
  std::vector<std::uint32_t> free_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE std::uint32_t string_ids::add(std::string_view name) {
  if (const auto known = find(name)) return *known;
  const std::size_t number = free_.empty() ? names_.size() : free_.back();
  if (number >= (std::numeric_limits<std::uint32_t>::max)()) {
    detail::fail<std::length_error>("string_ids: no number is left for another name");
  }
  if (names_.size() == names_.capacity()) names_.reserve(2 * names_.size() + 16);
  free_.reserve(names_.capacity());  // room for erase(), which cannot fail
  auto owned = std::make_unique<std::string>(name);
  numbers_.emplace(std::string_view(*owned), static_cast<std::uint32_t>(number));
  if (free_.empty()) {
    names_.push_back(std::move(owned));
  } else {
    free_.pop_back();
    names_[number] = std::move(owned);
  }
  return static_cast<std::uint32_t>(number);
}

NEARDUP_INLINE bool string_ids::erase(std::string_view name) noexcept {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return false;
  const std::uint32_t number = found->second;
  numbers_.erase(found);
  names_[number].reset();
  free_.push_back(number);
  return true;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
