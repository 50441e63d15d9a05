// An index in a file, searched in place.
#pragma once

#include <bit>
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

/// What save() has written of an index, in a file or in memory, answering without a copy.
///
/// Opening checks the header, and that the sections fit each other: its time does not depend on how many fingerprints
/// there are. Searches check the bounds of what they read, so that no bytes whatever make one read beyond the file; but
/// of bytes that are damaged they may give wrong matches, any number of them, or throw. verify() tells whether they are
/// not: then all searches are exact.
/// Only for machines that store the lowest byte first; on others load() the index.
/// The bytes must stay as they are while the view is used. Copies of a view share them.
/// All members but those about the file are as those of frozen_index.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class index_view
    : public searchable_index<Bits, Id, Offset, Fingerprint, detail::view_engine<detail::words_for(Bits), Id, Offset>> {
  using engine_type = detail::view_engine<detail::words_for(Bits), Id, Offset>;
  using base = searchable_index<Bits, Id, Offset, Fingerprint, engine_type>;
  using base::engine_;

 public:
  /// Of a file, which the view keeps open.
  /// Throws: std::runtime_error naming the file, if it is damaged, of another version, or of another Bits, Id,
  /// Offset or kind of fingerprints; std::bad_alloc.
  explicit index_view(mapped_file file) : index_view(std::make_shared<const mapped_file>(std::move(file))) {}

  /// Of bytes that somebody else keeps. Throws: besides, std::invalid_argument unless they begin at a multiple of 64.
  explicit index_view(std::span<const std::byte> bytes)
      : index_view(nullptr, detail::container(checked(bytes), "the bytes", content)) {}

  /// What the fingerprints are made of.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return file_.header().made_of; }

  /// Attachment i of save(), which begins at a multiple of 64; empty if there is none. verify() checks that it is as it
  /// was written.
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const noexcept {
    return file_.find(detail::attachment_tag(i));
  }

  /// Throws: std::runtime_error unless the checksums are right, and the tables hold exactly the stored fingerprints.
  /// Complexity: O(tables * n).
  void verify() const {
    file_.check_sections();
    engine_.check(file_);
  }

  /// Throws: std::runtime_error naming the file, if it was changed in place since it was opened (see mapped_file::check()).
  /// A call takes about a microsecond.
  void check_file() const {
    if (owned_ != nullptr) owned_->check();
  }

  /// Whether a flat_index was saved, which answers every k from 0 to Bits and has no layout.
  [[nodiscard]] bool is_flat() const noexcept { return engine_.is_flat(); }
  /// How the fingerprints are cut into blocks. Precondition: not is_flat().
  [[nodiscard]] const layout& shape() const noexcept { return engine_.engine().shape(); }

 private:
  static constexpr detail::file_content content = detail::file_content::index;

  explicit index_view(const std::shared_ptr<const mapped_file>& file)
      : index_view(file, detail::container(checked(file->bytes()), file->path(), content)) {}

  index_view(std::shared_ptr<const mapped_file> owned, detail::container file)
      : base(engine_type(file, Bits, Fingerprint::kind)), owned_(std::move(owned)), file_(std::move(file)) {}

  static std::span<const std::byte> checked(std::span<const std::byte> bytes) {
    if constexpr (std::endian::native != std::endian::little) {
      detail::fail<std::runtime_error>(
          "an index_view is for machines that store the lowest byte first; load the index");
    }
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % detail::section_alignment != 0) {
      detail::fail<std::invalid_argument>("the bytes of an index_view begin at a multiple of 64");
    }
    return bytes;
  }

  std::shared_ptr<const mapped_file> owned_;  // null if somebody else keeps the bytes
  detail::container file_;
};

}  // namespace neardup::inline v0
