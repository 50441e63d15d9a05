// SPDX-License-Identifier: MIT
// Files with a program's own data about fingerprints, in the same container format as lists and indexes.
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

/// A file of attachments: byte strings that a program stores about fingerprints which are elsewhere. The file has a
/// header with the composition of the fingerprints, and sections with checksums (docs/format.md). Opening checks the
/// header; verify() checks the attachments.
class attachment_file : public detail::viewed_file {
 public:
  /// Opens an attachment file.
  /// Throws: std::runtime_error, which names the file, if it is damaged, of another version, or not an attachment file.
  explicit attachment_file(mapped_file file) : viewed_file(std::move(file), detail::file_content::attachments) {}

  /// Returns the width of the fingerprints.
  [[nodiscard]] std::size_t bits() const noexcept { return file().header().bits; }
  /// Returns the number that the program passed to save_attachments().
  [[nodiscard]] std::uint64_t count() const noexcept { return file().header().count; }
  [[nodiscard]] const std::string& path() const noexcept { return file().name(); }

  /// Checks the checksums of all attachments.
  /// Throws: std::runtime_error if a checksum is wrong.
  /// Complexity: linear.
  void verify() const { file().check_sections(); }

  /// Checks the checksum of the i-th attachment.
  /// Throws: std::runtime_error if it is wrong.
  /// Complexity: linear in the size of the attachment.
  void verify(std::size_t i) const { file().check_section(detail::attachment_tag(i)); }
};

/// Writes an attachment file, atomically and durably. A crash leaves the old file or the new one. When the function
/// returns, the new file is on the disk.
/// Throws: std::runtime_error, which names the file; std::bad_alloc.
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
