// SPDX-License-Identifier: MIT
// Files with a program's own data about fingerprints. The container format is the same as for lists and indexes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "../detail/compiled.hpp"
#include "../detail/file_operations.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "engine/sections.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

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
