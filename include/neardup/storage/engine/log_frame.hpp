// SPDX-License-Identifier: MIT
// The bytes of a log: a header, and records with checksums (docs/decisions/0062-one-journal.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../error.hpp"
#include "../../fingerprint/hashers.hpp"
#include "container.hpp"

namespace neardup::inline v0::detail {

/// The bytes of a log:
///
///   bytes 0..7   "\x89NDUL\r\n\x1a"
///   bytes 8..15  the format version
///   bytes 16..23 the number of the file that the log follows
///   bytes 24..31 the XXH3 of the preceding bytes
///   from 32 on   records: 4 bytes length, 4 bytes XXH3 of the length, 8 bytes XXH3 of the payload, the payload, zeros
///                up to a multiple of 8
///
/// The seed of the XXH3 of a record depends on the number of the file and on the position of the record.
class log_frame {
 public:
  static constexpr std::size_t header_size = 32;
  static constexpr std::string_view magic{"\x89NDUL\r\n\x1a", 8};

  explicit log_frame(std::string_view bytes) : bytes_(bytes), number_(number_in(bytes)) {}

  /// Returns the number of the file to which the log belongs, or nullopt if the header is invalid. A new log is written
  /// with its whole header under another name, and then renamed. So no crash leaves an incomplete header.
  [[nodiscard]] const std::optional<std::uint64_t>& number() const noexcept { return number_; }

  /// Returns the reason why number() is nullopt: the version of the log, or damage of its header.
  [[nodiscard]] std::string problem() const;

  /// Calls `visit(payload)` for each complete record.
  /// Returns: the end of the last complete record, or the size of the log if the header is invalid.
  template <class Visit>
  std::size_t for_each(const Visit& visit) const {
    if (!number_) return bytes_.size();
    std::size_t position = header_size;
    while (position < bytes_.size()) {
      const auto payload = record_at(position);
      if (!payload) break;
      visit(*payload);
      position = end_of(position, payload->size());
    }
    return position;
  }

  /// Returns true if a torn record begins at a position. A record is torn if its writer was stopped: the record is
  /// incomplete, or one of its sectors was never written and reads as zeros. Only the last record can be torn, because
  /// records are synced one by one.
  [[nodiscard]] bool is_torn_at(std::size_t position) const;

  /// Returns the position of a record in the log. `payload` is the payload of the record, as a view into the log.
  [[nodiscard]] std::size_t begin_of(std::string_view payload) const noexcept {
    return static_cast<std::size_t>(payload.data() - bytes_.data()) - record_head;
  }

  [[nodiscard]] static std::string encode_header(std::uint64_t number) {
    std::string header(magic);
    put(header, std::uint64_t{format_version});
    put(header, number);
    put(header, checksum_of(to_bytes(header)));
    return header;
  }
  /// Encodes a record that begins at `position` of the log.
  /// Throws: std::length_error if the payload has 4 GiB or more.
  [[nodiscard]] static std::string encode_record(std::string_view payload, std::size_t position, std::uint64_t number);

 private:
  static std::optional<std::uint64_t> number_in(std::string_view bytes) {
    const std::string_view header = bytes.substr(0, header_size);
    const std::uint64_t number = header.size() < header_size ? 0 : get<std::uint64_t>(to_bytes(header), 16);
    return header == encode_header(number) ? std::optional(number) : std::nullopt;
  }

  static constexpr std::size_t record_head = 16;

  static std::size_t end_of(std::size_t position, std::size_t payload) noexcept {
    return position + record_head + (payload + 7) / 8 * 8;
  }
  static xxh3<64> hash_at(std::size_t position, std::uint64_t number) noexcept {
    return xxh3<64>{number + std::uint64_t{position} * golden_ratio};
  }

  // Returns the payload size of the record at a position. Returns nullopt if the checksum of the size is wrong.
  [[nodiscard]] std::optional<std::size_t> payload_size_at(std::size_t position) const {
    if (bytes_.size() - position < 8) return std::nullopt;
    const auto hash = static_cast<std::uint32_t>(hash_at(position, *number_)(bytes_.substr(position, 4)));
    if (get<std::uint32_t>(to_bytes(bytes_), position + 4) != hash) return std::nullopt;
    return get<std::uint32_t>(to_bytes(bytes_), position);
  }

  // Returns the payload of the record at a position. Returns nullopt if the record is incomplete, or if a checksum is
  // wrong. The padding is not checked.
  [[nodiscard]] std::optional<std::string_view> payload_at(std::size_t position) const {
    const auto size = payload_size_at(position);
    if (!size || end_of(position, *size) > bytes_.size()) return std::nullopt;
    const std::string_view payload = bytes_.substr(position + record_head, *size);
    const auto hash = get<std::uint64_t>(to_bytes(bytes_), position + 8);
    return hash == hash_at(position, *number_)(payload) ? std::optional(payload) : std::nullopt;
  }

  // Returns the result of payload_at(), or nullopt if the padding has a byte that is not 0.
  [[nodiscard]] std::optional<std::string_view> record_at(std::size_t position) const {
    const auto payload = payload_at(position);
    if (!payload) return std::nullopt;
    const std::size_t end = position + record_head + payload->size();
    const std::string_view padding = bytes_.substr(end, end_of(position, payload->size()) - end);
    return padding.find_first_not_of('\0') == padding.npos ? payload : std::nullopt;
  }

  // Returns true if, in some sector of the disk, the bytes of [begin, end) are all zeros. After a power failure, a file
  // may have its new length, but lack some sectors, which then read as zeros.
  [[nodiscard]] bool lacks_sector(std::size_t begin, std::size_t end) const noexcept;

  std::string_view bytes_;
  std::optional<std::uint64_t> number_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE std::string log_frame::problem() const {
  constexpr std::size_t version_at = magic.size(), checksum_at = header_size - 8;
  if (bytes_.size() >= header_size && bytes_.starts_with(magic)) {
    const auto version = get<std::uint64_t>(to_bytes(bytes_), version_at);
    const auto checksum = get<std::uint64_t>(to_bytes(bytes_), checksum_at);
    if (version != format_version && checksum == checksum_of(to_bytes(bytes_.substr(0, checksum_at)))) {
      return other_version(version);
    }
  }
  return "its header is damaged; restore the file and its log from a copy, or move the log away to go on without its "
         "changes";
}

NEARDUP_INLINE std::string log_frame::encode_record(std::string_view payload, std::size_t position,
                                                    std::uint64_t number) {
  if (payload.size() > 0xffffffffU) {
    fail<std::length_error>(
        {"a change of ", payload.size(), " bytes; a record of a log has less than 4 GiB. Use smaller batches"});
  }
  const xxh3<64> hash = hash_at(position, number);
  std::string record;
  put(record, static_cast<std::uint32_t>(payload.size()));
  put(record, static_cast<std::uint32_t>(hash(record)));
  put(record, hash(payload));
  record += payload;
  record.resize(end_of(0, payload.size()), '\0');
  return record;
}

NEARDUP_INLINE bool log_frame::lacks_sector(std::size_t begin, std::size_t end) const noexcept {
  constexpr std::size_t sector = 512;
  while (begin < end) {
    const std::size_t next = (std::min)(end, (begin / sector + 1) * sector);
    if (bytes_.substr(begin, next - begin).find_first_not_of('\0') == bytes_.npos) return true;
    begin = next;
  }
  return false;
}

NEARDUP_INLINE bool log_frame::is_torn_at(std::size_t position) const {
  constexpr std::size_t head = 8;
  if (bytes_.size() - position < head) return true;
  const auto size = payload_size_at(position);
  const std::size_t end = size ? end_of(position, *size) : bytes_.size();
  if (end > bytes_.size()) return true;
  // A record with a complete payload was written completely. So wrong padding means that the record is damaged.
  if (end < bytes_.size() || payload_at(position)) return false;
  // A torn record lacks a sector. If the length is invalid, the missing sector must be the sector with the length.
  if (!lacks_sector(position, size ? end : position + head)) return false;
  for (std::size_t later = position + head; later < bytes_.size(); later += head) {
    const auto begun = payload_size_at(later);
    if (begun && end_of(later, *begun) <= bytes_.size()) return false;
  }
  return true;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
