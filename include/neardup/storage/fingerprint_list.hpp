// SPDX-License-Identifier: MIT
// Lists of fingerprints with ids. Programs exchange fingerprints in this format, also between machines.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "../detail/bits.hpp"
#include "../detail/file_operations.hpp"
#include "../error.hpp"
#include "../index/match.hpp"
#include "../simhash.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// A list of fingerprints, in a file or in memory. A list has a header and records. A record is Bits / 8 bytes of
/// fingerprint and 8 bytes of id, each little-endian (docs/format.md). Records may be in any order, and may be
/// repeated.
///
/// Opening a list checks the header, and verify() checks the records. Damaged bytes never cause reads outside of the
/// file.
template <std::size_t Bits, class Fingerprint = simhash<Bits>>
class fingerprint_list {
  static_assert(detail::check_fingerprint_type<Fingerprint, Bits>());

 public:
  using fingerprint_type = Fingerprint;
  using value_type = entry<Bits, std::uint64_t, Fingerprint>;  ///< a fingerprint, and the number of its document
  static constexpr std::size_t record_size = Bits / 8 + 8;

  /// Opens the list in a file. The file stays open as long as the list.
  /// Throws: std::runtime_error if the file is damaged, of another version, or of another Bits or kind of fingerprints;
  /// the message names the file.
  explicit fingerprint_list(mapped_file file)
      : fingerprint_list(std::make_shared<const mapped_file>(std::move(file))) {}

  /// Opens a list in memory.
  /// Precondition: the bytes outlive the object.
  /// Throws: the exceptions of the constructor that takes a file.
  explicit fingerprint_list(std::span<const std::byte> bytes) { open(bytes, "the bytes"); }

  /// Opens a file of records that has no header. The caller passes the composition.
  /// Throws: std::runtime_error if the file has a header, or if its size is not a multiple of record_size; the message
  /// names the file. std::invalid_argument if the composition is of another kind of fingerprints.
  fingerprint_list(mapped_file file, fingerprint_composition made_of)
      : owned_(std::make_shared<const mapped_file>(std::move(file))),
        name_(owned_->path()),
        made_of_(std::move(made_of)),
        records_(owned_->bytes()) {
    detail::check_byte_order(name_);
    detail::check_kind(name_, made_of_, Fingerprint::kind);
    if (detail::to_text(records_).starts_with(detail::file_magic)) {
      detail::fail<std::runtime_error>({name_, ": has a header with a composition; open it without one"});
    }
    if (records_.size() % record_size != 0) {
      detail::fail<std::runtime_error>({name_, ": ", records_.size(), " bytes, which are no whole records of ",
                                        record_size, "; it is cut off, or has fingerprints of another width"});
    }
  }

  /// Returns the composition of the fingerprints.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return made_of_; }

  /// Checks the checksum of the records. No-op for a file without a header, which has no checksum.
  /// Throws: std::runtime_error if the checksum is wrong.
  /// Complexity: linear in the size of the list.
  void verify() const {
    if (has_header_ && detail::checksum_of(records_) != checksum_) {
      detail::fail<std::runtime_error>(
          {name_, ": the records are damaged; restore the file from a copy, or make it anew"});
    }
  }

  /// Checks that the file was not changed in place since it was opened.
  /// Throws: the exceptions of mapped_file::check().
  void check_file() const {
    if (owned_ != nullptr) owned_->check();
  }

  [[nodiscard]] std::size_t size() const noexcept { return records_.size() / record_size; }
  [[nodiscard]] bool empty() const noexcept { return records_.empty(); }

  /// Returns record i.
  /// Throws: std::out_of_range if i >= size().
  [[nodiscard]] value_type operator[](std::size_t i) const {
    if (i >= size()) detail::fail<std::out_of_range>({"record ", i, " of ", size()});
    const std::size_t at = i * record_size;
    return {Fingerprint(detail::get_words<detail::words_for(Bits)>(records_, at, Bits / 8)),
            detail::get<std::uint64_t>(records_, at + Bits / 8)};
  }

 private:
  explicit fingerprint_list(std::shared_ptr<const mapped_file> file) : owned_(std::move(file)) {
    open(owned_->bytes(), owned_->path());
  }

  void open(std::span<const std::byte> bytes, const std::string& name) {
    const detail::container file(bytes, name, detail::file_content::list);
    file.check_fingerprints(Bits, Fingerprint::kind);
    records_ = file.find(detail::section_tag::records);
    if (file.header().details != std::array<std::uint8_t, 16>{} ||
        file.sections().size() != (records_.empty() ? 0 : 1) || records_.size() % record_size != 0 ||
        records_.size() / record_size != file.header().count) {
      file.refuse_damage("the sections do not fit each other");
    }
    if (!records_.empty()) checksum_ = file.sections()[0].checksum;
    has_header_ = !records_.empty();
    made_of_ = file.header().made_of;
    name_ = name;
  }

  std::shared_ptr<const mapped_file> owned_;  // null for a list in memory
  std::string name_;
  fingerprint_composition made_of_;
  std::span<const std::byte> records_;
  std::uint64_t checksum_ = 0;
  bool has_header_ = false;
};

namespace detail {

/// The bytes of a list: its header and its section of records.
template <class Fingerprint>
class encoded_list {
 public:
  /// Encodes a list.
  /// Throws: std::invalid_argument if the composition is of another kind of fingerprints. The message begins with
  /// `what`.
  encoded_list(const std::string& what, std::span<const entry<Fingerprint::bits, std::uint64_t, Fingerprint>> entries,
               const fingerprint_composition& made_of)
      : header_{file_content::list, static_cast<std::uint32_t>(Fingerprint::bits), {}, entries.size(), made_of} {
    check_byte_order(what);
    check_kind(what, made_of, Fingerprint::kind);
    constexpr std::size_t size = Fingerprint::bits / 8;
    records_.reserve(entries.size() * (size + sizeof(std::uint64_t)));
    for (const auto& e : entries) {
      put_words(records_, e.fingerprint.to_words(), size);
      put(records_, e.id);
    }
  }

  void save(const std::string& path) const {
    const section_source records = section();
    write_container(system_files(), path, header_, {&records, 1});
  }
  template <class Sink>
  void write(Sink& sink) const {
    const section_source records = section();
    for_each_piece(encode_header(header_, {&records, 1}), {&records, 1},
                   [&](byte_span piece) { sink(to_text(piece)); });
  }

 private:
  [[nodiscard]] section_source section() const noexcept { return {section_tag::records, 0, to_bytes(records_)}; }

  file_header header_;
  std::string records_;
};

}  // namespace detail

/// Writes a list to a file, atomically and durably. After a crash, there is either the old file or the new one. When
/// the function returns, the new file is on the disk.
/// Throws: std::runtime_error if the file cannot be written; the message names the file. std::invalid_argument if
/// `made_of` is for another kind of fingerprints; std::bad_alloc.
/// Memory: a copy of the list.
/// Example: `save_list<64>("part-000.list", entries, composition_of(hash));`, or `save_list<64, minwise<64>>(…)`
template <std::size_t Bits, class Fingerprint = simhash<Bits>>
void save_list(const std::string& path,
               std::span<const typename fingerprint_list<Bits, Fingerprint>::value_type> entries,
               const fingerprint_composition& made_of) {
  detail::encoded_list<Fingerprint>(path, entries, made_of).save(path);
}

/// Passes the bytes of a list file to `sink(std::string_view)`, piece by piece. The sink may, for example, write to a
/// pipe.
/// Throws: std::invalid_argument if `made_of` is for another kind of fingerprints; the exceptions of `sink`.
template <std::size_t Bits, class Fingerprint = simhash<Bits>, std::invocable<std::string_view> Sink>
void save_list(Sink&& sink, std::span<const typename fingerprint_list<Bits, Fingerprint>::value_type> entries,
               const fingerprint_composition& made_of) {
  detail::encoded_list<Fingerprint>("save_list", entries, made_of).write(sink);
}

}  // namespace neardup::inline v0
