// SPDX-License-Identifier: MIT
// Arrays and ids in the sections of a file. Also the base class of the views of files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../error.hpp"
#include "../composition.hpp"
#include "../mapped_file.hpp"
#include "container.hpp"

namespace neardup::inline v0::detail {

/// The form of ids in a file. Numbers are little-endian. Ids that are not numbers are stored as their bytes in memory.
enum class id_form : std::uint8_t { unsigned_number = 0, signed_number = 1, bytes = 2 };

template <class Id>
[[nodiscard]] constexpr id_form form_of_id() noexcept {
  static_assert(!std::is_same_v<Id, bool> && std::has_unique_object_representations_v<Id>,
                "neardup: ids that are saved are numbers, or structs without padding, whose bytes are all there is to "
                "them");
  static_assert(
      sizeof(Id) <= 255,
      "neardup: an id that is saved has at most 255 bytes, which is what a file can say of it; for names such "
      "as URLs, number them");
  if constexpr (!std::is_integral_v<Id>) {
    return id_form::bytes;
  } else {
    return std::is_signed_v<Id> ? id_form::signed_number : id_form::unsigned_number;
  }
}

/// Checks that the ids of the file have the type Id.
/// Throws: std::runtime_error if they have another type.
template <class Id>
void check_id_form(const container& file, id_form form, std::size_t size) {
  if (size == sizeof(Id) && form == form_of_id<Id>()) return;
  const char* const name = form == id_form::bytes           ? "bytes"
                           : form == id_form::signed_number ? "signed numbers"
                                                            : "numbers";
  file.refuse({"the ids are ", name, " of ", 8 * size, " bits, which is another Id; open it with this type of ids"});
}

/// Makes the sections of a file from arrays. A function for_each_section() passes each array of an engine, and the tag
/// of the array, to a section_writer or a section_reader.
class section_writer {
 public:
  template <class Array>
  void operator()(section_tag tag, std::size_t table, const Array& array) {
    add(tag, table, std::as_bytes(std::span(array.data(), array.size())));
  }
  /// Writes a file of these sections and the attachments; see write_container().
  std::uint64_t write(file_operations& files, const std::string& path, const file_header& header,
                      std::span<const byte_span> attachments) {
    for (std::size_t i = 0; i < attachments.size(); ++i) add(attachment_tag(i), 0, attachments[i]);
    return write_container(files, path, header, sections_);
  }

 private:
  void add(section_tag tag, std::size_t table, byte_span bytes) {
    sections_.push_back({tag, static_cast<std::uint32_t>(table), bytes});
  }

  std::vector<section_source> sections_;
};

/// Reads arrays from the sections of a file. A mapped_array is read in place, and a large_array is a copy.
class section_reader {
 public:
  explicit section_reader(const container& file) noexcept : file_(file) {}

  template <class T, template <class> class Array>
  void operator()(section_tag tag, std::size_t table, Array<T>& array) {
    const byte_span bytes = file_.find(tag, table);
    if (bytes.empty()) return;
    ++found_;
    if (bytes.size() % sizeof(T) != 0) file_.refuse_damage("a section is out of place");
    const std::span<const T> values(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
    if constexpr (std::is_constructible_v<Array<T>, std::span<const T>>) {
      array = Array<T>(values);
    } else {
      array = Array<T>(values.size());
      std::copy(values.begin(), values.end(), array.data());
    }
  }
  /// Returns the number of sections that were read.
  [[nodiscard]] std::size_t found() const noexcept { return found_; }
  /// Checks that each section of the file was read or is an attachment. `whole` is the content, such as "an index".
  /// Throws: std::runtime_error if another section exists; the message has `whole`.
  void finish(const message_part& whole) const {
    const auto sections = file_.sections();
    const auto others = std::count_if(sections.begin(), sections.end(),
                                      [](const auto& section) { return section.tag < section_tag::attachments; });
    if (std::cmp_not_equal(others, found_))
      file_.refuse(
          {"holds a section that is no part of ", whole, "; read it with the version that wrote it, or make it anew"});
  }

 private:
  const container& file_;
  std::size_t found_ = 0;
};

/// A file, or the bytes of a file, that is read in place. This is the base class of the views.
class viewed_file {
 public:
  /// Returns the composition of the fingerprints or features.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return file_.header().made_of; }

  /// Returns attachment i, as it was passed to save(), aligned to 64 bytes. Returns no bytes if there is no attachment
  /// i. verify() checks its checksum.
  [[nodiscard]] byte_span attachment(std::size_t i) const noexcept { return file_.find(attachment_tag(i)); }

  /// Checks that the file was not changed in place since it was opened (see mapped_file::check()). The check takes
  /// about a microsecond.
  /// Throws: std::runtime_error if the file was changed; the message names the file.
  void check_file() const {
    if (owned_ != nullptr) owned_->check();
  }

 protected:
  friend struct view_access;

  viewed_file(mapped_file file, file_content content)
      : owned_(std::make_shared<const mapped_file>(std::move(file))), file_(owned_->bytes(), owned_->path(), content) {}
  viewed_file(byte_span bytes, file_content content, const message_part& view)
      : file_(aligned(bytes, view), "the bytes", content) {}

  [[nodiscard]] const container& file() const noexcept { return file_; }
  /// Returns the owner of the bytes, or null if the bytes belong to the caller.
  [[nodiscard]] const std::shared_ptr<const mapped_file>& owner() const noexcept { return owned_; }

 private:
  static byte_span aligned(byte_span bytes, const message_part& view) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % section_alignment != 0) {
      fail<std::invalid_argument>(
          {"the bytes of ", view, " begin at a multiple of 64; copy them, or use a mapped_file"});
    }
    return bytes;
  }

  std::shared_ptr<const mapped_file> owned_;  // null if the bytes belong to the caller
  container file_;
};

/// Gives access to the file of a view. load() and durable_set_index need this access.
struct view_access {
  static const container& file(const viewed_file& view) noexcept { return view.file(); }
};

}  // namespace neardup::inline v0::detail
