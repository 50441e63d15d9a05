// SPDX-License-Identifier: MIT
// An index in a file, searched in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "../error.hpp"
#include "../index/layout.hpp"
#include "../index/searchable_index.hpp"
#include "../simhash.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "engine/index_sections.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// A read-only view of a saved index, in a file or in memory. Searches read it in place, without a copy.
///
/// Opening checks the header and the sizes of the sections, in time independent of the number of fingerprints. Searches
/// check bounds, so damaged bytes never cause reads outside of the file. But they may give wrong matches, or make a
/// search throw. After verify() all searches are exact. The other members are those of frozen_index.
/// Precondition: the bytes do not change while the view, or a copy of it, is used.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class index_view
    : public searchable_index<Bits, Id, Offset, Fingerprint, detail::view_engine<detail::words_for(Bits), Id, Offset>> {
  using engine_type = detail::view_engine<detail::words_for(Bits), Id, Offset>;
  using base = searchable_index<Bits, Id, Offset, Fingerprint, engine_type>;
  using base::engine_;

 public:
  /// Opens an index in a file, which stays open.
  /// Throws: std::runtime_error, which names the file, if it is damaged, of another version, or of another Bits, Id,
  /// Offset or kind of fingerprints; std::bad_alloc.
  explicit index_view(mapped_file file) : index_view(std::make_shared<const mapped_file>(std::move(file))) {}

  /// Opens an index in memory.
  /// Precondition: the bytes outlive all copies of the view.
  /// Throws: the exceptions of the constructor for a file; std::invalid_argument unless the bytes are aligned to 64
  /// bytes.
  explicit index_view(std::span<const std::byte> bytes)
      : index_view(nullptr, detail::container(checked(bytes), "the bytes", content)) {}

  /// Returns the composition of the fingerprints.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return file_.header().made_of; }

  /// Returns attachment i, as save() received it, aligned to 64 bytes; empty if there is none. verify() checks its
  /// checksum.
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const noexcept {
    return file_.find(detail::attachment_tag(i));
  }

  /// Checks all checksums, and that the tables contain exactly the stored fingerprints.
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: O(tables * n).
  void verify() const {
    file_.check_sections();
    engine_.check(file_);
  }

  /// Checks that the file was not changed in place since it was opened (see mapped_file::check()). This takes about a
  /// microsecond.
  /// Throws: std::runtime_error, which names the file, if it was changed.
  void check_file() const {
    if (owned_ != nullptr) owned_->check();
  }

  /// Returns true if a flat_index was saved. Such a view has no layout, and its searches take every k from 0 to Bits.
  [[nodiscard]] bool is_flat() const noexcept { return engine_.is_flat(); }
  /// Returns the layout: the blocks of the fingerprints, and the keys of the tables.
  /// Precondition: not is_flat().
  [[nodiscard]] const layout& shape() const noexcept { return engine_.engine().shape(); }

 private:
  static constexpr detail::file_content content = detail::file_content::index;

  explicit index_view(const std::shared_ptr<const mapped_file>& file)
      : index_view(file, detail::container(checked(file->bytes()), file->path(), content)) {}

  index_view(std::shared_ptr<const mapped_file> owned, detail::container file)
      : base(engine_type(file, Bits, Fingerprint::kind)), owned_(std::move(owned)), file_(std::move(file)) {}

  static std::span<const std::byte> checked(std::span<const std::byte> bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % detail::section_alignment != 0) {
      detail::fail<std::invalid_argument>("the bytes of an index_view begin at a multiple of 64");
    }
    return bytes;
  }

  std::shared_ptr<const mapped_file> owned_;  // null if the bytes belong to the caller
  detail::container file_;
};

}  // namespace neardup::inline v0
