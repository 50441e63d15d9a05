// The index whose layout is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/basic_index.hpp"
#include "layout.hpp"
#include "engine/pigeonhole_tables.hpp"
#include "engine/search_plans.hpp"

namespace neardup::inline v0 {

namespace detail {
struct run_time_shape {};
}  // namespace detail

/// A pigeonhole_index whose K and Blocks are arguments of the constructor.
/// Assignment and swap take the layout along; == compares the pairs and not the layouts.
/// The interface is that of basic_index.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t>
class dynamic_index : public basic_index<Bits, Id, Offset, detail::pigeonhole_tables<detail::words_for(Bits), Offset>,
                                         detail::run_time_shape> {
  using plans_type = detail::search_plans<detail::words_for(Bits)>;
  using tables_type = detail::pigeonhole_tables<detail::words_for(Bits), Offset>;
  using base = basic_index<Bits, Id, Offset, tables_type, detail::run_time_shape>;

 public:
  /// An index for searches within k bits.
  /// Throws: std::invalid_argument unless layout::is_valid(Bits, k, blocks).
  dynamic_index(int k, int blocks) : base(tables_type(std::make_shared<const plans_type>(layout(Bits, k, blocks)))) {}
  explicit dynamic_index(int k) : dynamic_index(k, default_blocks(Bits, k)) {}

  /// How the fingerprints are cut into blocks.
  [[nodiscard]] const layout& shape() const noexcept { return base::tables().shape(); }

  friend void swap(dynamic_index& a, dynamic_index& b) noexcept { a.swap(b); }
};

}  // namespace neardup::inline v0
