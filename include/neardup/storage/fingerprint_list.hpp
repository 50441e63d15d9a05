// Lists of fingerprints with ids: what shards, joins and machines hand each other.
#pragma once

#include <array>
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

/// A fingerprint and the number of its document: a record of a list.
template <std::size_t Bits>
using list_entry = entry<Bits, std::uint64_t>;

/// A list of fingerprints in a file or in memory: a header, and records of Bits / 8 bytes of fingerprint and 8 of id,
/// both lowest byte first (docs/format.md). Records may be in any order, and repeat.
///
/// Opening checks the header; verify() checks the records. Any bytes are memory-safe.
template <std::size_t Bits>
class fingerprint_list {
 public:
  using value_type = list_entry<Bits>;
  static constexpr std::size_t record_size = Bits / 8 + 8;

  /// Of a file, which the list keeps open.
  /// Throws: std::runtime_error naming the file, if it is damaged, of another version, or of another Bits.
  explicit fingerprint_list(mapped_file file)
      : fingerprint_list(std::make_shared<const mapped_file>(std::move(file))) {}

  /// Of bytes that somebody else keeps. Throws: as above.
  explicit fingerprint_list(std::span<const std::byte> bytes) { open(bytes, "the bytes"); }

  /// Of records without a header, which are made of this. Throws: std::runtime_error naming the file, if its size is no
  /// multiple of that of a record, or it begins with a header.
  fingerprint_list(mapped_file file, fingerprint_composition made_of)
      : owned_(std::make_shared<const mapped_file>(std::move(file))),
        name_(owned_->path()),
        made_of_(std::move(made_of)),
        records_(owned_->bytes()) {
    if (detail::to_text(records_).starts_with(detail::file_magic)) {
      detail::fail<std::runtime_error>(name_ + ": has a header, which says what the fingerprints are made of");
    }
    if (records_.size() % record_size != 0) {
      detail::fail<std::runtime_error>(name_ + ": " + std::to_string(records_.size()) +
                                       " bytes, which are no whole records of " + std::to_string(record_size));
    }
  }

  /// What the fingerprints are made of.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return made_of_; }

  /// Throws: std::runtime_error unless the records are as they were written. Complexity: linear.
  void verify() const {
    if (has_header_ && detail::checksum_of(records_) != checksum_) {
      detail::fail<std::runtime_error>(name_ + ": a section is damaged");
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return records_.size() / record_size; }
  [[nodiscard]] bool empty() const noexcept { return records_.empty(); }

  /// Record i. Throws: std::out_of_range if i >= size().
  [[nodiscard]] value_type operator[](std::size_t i) const {
    if (i >= size()) detail::fail<std::out_of_range>("record " + std::to_string(i) + " of " + std::to_string(size()));
    const std::size_t at = i * record_size;
    return {simhash<Bits>(detail::get_words<detail::words_for(Bits)>(records_, at, Bits / 8)),
            detail::get<std::uint64_t>(records_, at + Bits / 8)};
  }

 private:
  explicit fingerprint_list(std::shared_ptr<const mapped_file> file) : owned_(std::move(file)) {
    open(owned_->bytes(), owned_->path());
  }

  void open(std::span<const std::byte> bytes, const std::string& name) {
    const detail::container file(bytes, name, detail::file_content::list);
    if (file.header().bits != Bits) {
      file.refuse("fingerprints of " + std::to_string(file.header().bits) + " bits, not " + std::to_string(Bits));
    }
    records_ = file.find(detail::section_tag::records);
    if (file.header().details != std::array<std::uint8_t, 16>{} ||
        file.sections().size() != (records_.empty() ? 0 : 1) || records_.size() % record_size != 0 ||
        records_.size() / record_size != file.header().count) {
      file.refuse("the sections do not fit each other");
    }
    if (!records_.empty()) checksum_ = file.sections()[0].checksum;
    has_header_ = !records_.empty();
    made_of_ = file.header().made_of;
    name_ = name;
  }

  std::shared_ptr<const mapped_file> owned_;  // or nothing
  std::string name_;
  fingerprint_composition made_of_;
  std::span<const std::byte> records_;
  std::uint64_t checksum_ = 0;
  bool has_header_ = false;
};

namespace detail {

template <std::size_t Bits>
[[nodiscard]] std::string encode_records(std::span<const list_entry<Bits>> entries) {
  std::string records;
  records.reserve(entries.size() * fingerprint_list<Bits>::record_size);
  for (const list_entry<Bits>& e : entries) {
    put_words(records, e.fingerprint.to_words(), Bits / 8);
    put(records, e.id);
  }
  return records;
}

}  // namespace detail

/// Writes a list to a file, which is whole and on the disk when this returns, or what was there before.
/// Throws: std::runtime_error naming the file; std::bad_alloc. Memory: a copy of the list.
template <std::size_t Bits>
void save_list(const std::string& path, std::span<const list_entry<Bits>> entries,
               const fingerprint_composition& made_of) {
  const std::string records = detail::encode_records(entries);
  const detail::section_source section{detail::section_tag::records, 0, detail::to_bytes(records)};
  detail::write_container(detail::system_files(), path,
                          {detail::file_content::list, static_cast<std::uint32_t>(Bits), {}, entries.size(), made_of},
                          {&section, 1});
}

/// Hands the bytes of such a file to `sink(std::string_view)`, piece by piece: for a pipe.
template <std::size_t Bits, class Sink>
void write_list(std::span<const list_entry<Bits>> entries, const fingerprint_composition& made_of, Sink&& sink) {
  const std::string records = detail::encode_records(entries);
  const detail::section_source section{detail::section_tag::records, 0, detail::to_bytes(records)};
  const detail::file_header header{
      detail::file_content::list, static_cast<std::uint32_t>(Bits), {}, entries.size(), made_of};
  detail::for_each_piece(detail::encode_header(header, {&section, 1}), {&section, 1},
                         [&](std::span<const std::byte> piece) { sink(detail::to_text(piece)); });
}

}  // namespace neardup::inline v0
