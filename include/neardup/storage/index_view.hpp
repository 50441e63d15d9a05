// SPDX-License-Identifier: MIT
// Views of files. index_view: an index in a file, which is searched without loading it. attachment_file: data that a
// program keeps beside fingerprints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "../detail/compiled.hpp"
#include "../detail/file_operations.hpp"
#include "../index/layout.hpp"
#include "../index/searchable_index.hpp"
#include "../simhash.hpp"
#include "composition.hpp"
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
  /// Complexity: O(tables * n) for n fingerprints.
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

/// A file of attachments. An attachment is a byte string that a program stores about fingerprints; the fingerprints are
/// in another file. The file has a header with the composition of the fingerprints, and sections with checksums
/// (docs/format.md). Opening a file checks the header, and verify() checks the attachments.
class attachment_file : public detail::viewed_file {
 public:
  /// Opens an attachment file.
  /// Throws: std::runtime_error if the file is damaged, of another version, or not an attachment file; the message
  /// names the file.
  explicit attachment_file(mapped_file file) : viewed_file(std::move(file), detail::file_content::attachments) {}

  /// Returns the width of the fingerprints.
  [[nodiscard]] std::size_t bits() const noexcept { return file().header().bits; }
  /// Returns the `count` that the program passed to save_attachments().
  [[nodiscard]] std::uint64_t count() const noexcept { return file().header().count; }
  [[nodiscard]] const std::string& path() const noexcept { return file().name(); }

  /// Checks the checksums of all attachments.
  /// Throws: std::runtime_error if a checksum is wrong.
  /// Complexity: linear in the size of the file.
  void verify() const { file().check_sections(); }

  /// Checks the checksum of attachment i.
  /// Throws: std::runtime_error if the checksum is wrong.
  /// Complexity: linear in the size of the attachment.
  void verify(std::size_t i) const { file().check_section(detail::attachment_tag(i)); }
};

/// Writes an attachment file, atomically and durably. After a crash, there is either the old file or the new one. When
/// the function returns, the new file is on the disk.
/// Throws: std::runtime_error if the file cannot be written; the message names the file. std::bad_alloc.
void save_attachments(const std::string& path, std::size_t bits, std::uint64_t count,
                      const fingerprint_composition& made_of, std::span<const std::span<const std::byte>> attachments);

#if NEARDUP_BODIES

NEARDUP_INLINE void save_attachments(const std::string& path, std::size_t bits, std::uint64_t count,
                                     const fingerprint_composition& made_of,
                                     std::span<const std::span<const std::byte>> attachments) {
  const detail::file_header header{
      detail::file_content::attachments, static_cast<std::uint32_t>(bits), {}, count, made_of};
  detail::section_writer().write(detail::system_files(), path, header, attachments);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
