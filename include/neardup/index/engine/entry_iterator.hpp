// Walking over the pairs of an index.
#pragma once

#include <cstddef>
#include <iterator>

#include "../../simhash.hpp"
#include "../match.hpp"

namespace neardup::inline v0::detail {

/// A constant forward iterator over the pairs of a fingerprint_store; it gives entries by value.
/// The order is unspecified, but ids of one fingerprint come together and ascend. Any change of the index ends it.
template <std::size_t Bits, class Id, class Store>
class entry_iterator {
 public:
  using value_type = entry<Bits, Id>;
  using reference = value_type;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // References that are values are no more than that before C++20.

  entry_iterator() = default;
  entry_iterator(const Store& store, std::size_t slot) noexcept : store_(&store), slot_(slot) { start_slot(); }

  [[nodiscard]] value_type operator*() const { return {simhash<Bits>(store_->fingerprint(slot_)), *id_}; }
  entry_iterator& operator++() noexcept {
    ++id_;
    if (id_.done()) {
      ++slot_;
      start_slot();
    }
    return *this;
  }
  entry_iterator operator++(int) noexcept {
    entry_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const entry_iterator& a, const entry_iterator& b) noexcept = default;

 private:
  void start_slot() noexcept { id_ = slot_ < store_->slots() ? cursor(store_->ids(slot_)) : cursor(); }

  using cursor = typename Store::id_list_type::cursor;

  const Store* store_ = nullptr;
  std::size_t slot_ = 0;
  cursor id_;
};

}  // namespace neardup::inline v0::detail
