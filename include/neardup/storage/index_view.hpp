// SPDX-License-Identifier: MIT
// index_view: an index in a file, which is searched without loading it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "../index/layout.hpp"
#include "../index/searchable_index.hpp"
#include "../simhash.hpp"
#include "engine/container.hpp"
#include "engine/index_sections.hpp"
#include "engine/sections.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// A read-only view of a saved index, in a file or in memory. Searches read the bytes in place, without a copy.
///
/// Opening checks the header and the sizes of the sections. Opening takes the same time for any number of fingerprints.
/// Searches check bounds, so damaged bytes never cause reads outside of the file. But damaged bytes may cause wrong
/// matches or exceptions. After verify() has succeeded, all searches are exact. See frozen_index for the other members.
/// Precondition: the bytes do not change while the view, or a copy of the view, is used.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class index_view
    : public detail::viewed_file,
      public searchable_index<Bits, Id, Offset, Fingerprint, detail::view_engine<detail::words_for(Bits), Id, Offset>> {
  using engine_type = detail::view_engine<detail::words_for(Bits), Id, Offset>;
  using base = searchable_index<Bits, Id, Offset, Fingerprint, engine_type>;
  using base::engine_;

 public:
  /// Opens an index in a file. The file stays open as long as the view or a copy of the view exists.
  /// Throws: std::runtime_error if the file is damaged, of another version, or of another Bits, Id, Offset or kind of
  /// fingerprints; the message names the file. std::bad_alloc.
  explicit index_view(mapped_file file)
      : viewed_file(std::move(file), detail::file_content::index),
        base(engine_type(this->file(), Bits, Fingerprint::kind)) {}

  /// Opens an index in memory.
  /// Precondition: the bytes outlive all copies of the view.
  /// Throws: the exceptions of the constructor that takes a file; std::invalid_argument if the bytes are not aligned to
  /// 64 bytes.
  explicit index_view(std::span<const std::byte> bytes)
      : viewed_file(bytes, detail::file_content::index, "an index_view"),
        base(engine_type(file(), Bits, Fingerprint::kind)) {}

  /// Checks all checksums. Also checks that the tables contain exactly the stored fingerprints.
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: O(tables * n).
  void verify() const {
    file().check_sections();
    engine_.check(file());
  }

  /// Returns true if a flat_index was saved. Then there is no layout, and searches accept every k from 0 to Bits.
  [[nodiscard]] bool is_flat() const noexcept { return engine_.is_flat(); }
  /// Returns the layout: the blocks of the fingerprints, and the keys of the tables.
  /// Precondition: is_flat() is false.
  [[nodiscard]] const layout& shape() const noexcept { return engine_.engine().shape(); }
};

}  // namespace neardup::inline v0
