// SPDX-License-Identifier: MIT
// Files with a program's own data about fingerprints, in the same container format as lists and indexes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../detail/compiled.hpp"
#include "../detail/file_operations.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// A file of attachments: byte strings that a program stores about fingerprints which are elsewhere. The file has a
/// header with the composition of the fingerprints, and sections with checksums (docs/format.md). Opening checks the
/// header; verify() checks the attachments.
class attachment_file {
 public:
  /// Opens an attachment file.
  /// Throws: std::runtime_error, which names the file, if it is damaged, of another version, or not an attachment file.
  explicit attachment_file(mapped_file file)
      : file_(std::move(file)), sections_(file_.bytes(), file_.path(), detail::file_content::attachments) {}

  /// Returns the width of the fingerprints.
  [[nodiscard]] std::size_t bits() const noexcept { return sections_.header().bits; }
  /// Returns the number that the program passed to save_attachments().
  [[nodiscard]] std::uint64_t count() const noexcept { return sections_.header().count; }
  /// Returns the composition of the fingerprints.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return sections_.header().made_of; }

  /// Returns the i-th attachment, aligned to 64 bytes; empty if there is none.
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const noexcept {
    return sections_.find(detail::attachment_tag(i));
  }

  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }

  /// Checks the checksums of all attachments.
  /// Throws: std::runtime_error if a checksum is wrong.
  /// Complexity: linear.
  void verify() const { sections_.check_sections(); }

  /// Checks the checksum of the i-th attachment.
  /// Throws: std::runtime_error if it is wrong.
  /// Complexity: linear in the size of the attachment.
  void verify(std::size_t i) const { sections_.check_section(detail::attachment_tag(i)); }

  /// Checks that the file was not changed in place since it was opened.
  /// Throws: the exceptions of mapped_file::check().
  void check_file() const { file_.check(); }

 private:
  mapped_file file_;
  detail::container sections_;
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
  std::vector<detail::section_source> sections;
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    sections.push_back({detail::attachment_tag(i), 0, attachments[i]});
  }
  const detail::file_header header{
      detail::file_content::attachments, static_cast<std::uint32_t>(bits), {}, count, made_of};
  detail::write_container(detail::system_files(), path, header, sections);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
