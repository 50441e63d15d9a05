// Files with bytes of a program's own, in the same form as lists and indexes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../detail/file_operations.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// Bytes of a program's own, about fingerprints that are elsewhere: a header that says what these are made of, and
/// sections with checksums (docs/format.md).
///
/// Opening checks the header; verify() checks the bytes.
class attachment_file {
 public:
  /// Throws: std::runtime_error naming the file, if it is damaged, of another version, or holds something else.
  explicit attachment_file(mapped_file file)
      : file_(std::move(file)), sections_(file_.bytes(), file_.path(), detail::file_content::attachments) {}

  /// The width of the fingerprints.
  [[nodiscard]] std::size_t bits() const noexcept { return sections_.header().bits; }
  /// The number that the program gave when it saved.
  [[nodiscard]] std::uint64_t count() const noexcept { return sections_.header().count; }
  /// What the fingerprints are made of.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return sections_.header().made_of; }

  /// The i-th attachment; empty if it was, or if there is none. Each begins at a multiple of 64 bytes.
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const noexcept {
    return sections_.find(detail::attachment_tag(i));
  }

  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }

  /// Throws: std::runtime_error unless all bytes are as they were written. Complexity: linear.
  void verify() const { sections_.check_sections(); }

 private:
  mapped_file file_;
  detail::container sections_;
};

/// Writes such a file, which is whole and on the disk when this returns, or what was there before.
/// Throws: std::runtime_error naming the file; std::bad_alloc.
inline void save_attachments(const std::string& path, std::size_t bits, std::uint64_t count,
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

}  // namespace neardup::inline v0
