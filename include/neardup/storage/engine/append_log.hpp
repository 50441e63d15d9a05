// SPDX-License-Identifier: MIT
// An append-only file of records. A record is on the disk before its writer continues.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../../detail/bytes.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/file_operations.hpp"
#include "../../detail/text_lines.hpp"
#include "../../error.hpp"
#include "../../fingerprint/hashers.hpp"
#include "container.hpp"

namespace neardup::inline v0::detail {

/// A log of the changes that follow a state of another file. The log contains the number of that state, and is valid
/// only together with it.
///
///   bytes 0..7   "\x89NDUL\r\n\x1a"
///   bytes 8..15  the format version
///   bytes 16..23 the number of the state
///   bytes 24..31 the XXH3 of the preceding bytes
///   from 32 on   records: 4 bytes length, 4 bytes XXH3 of length and position, 8 bytes XXH3 of the payload, the
///                payload, zeros up to a multiple of 8
class append_log {
 public:
  static constexpr std::size_t header_size = 32;

  append_log() = default;
  append_log(append_log&& other) noexcept { swap(other); }
  append_log& operator=(append_log other) noexcept {
    swap(other);
    return *this;
  }
  ~append_log() { close(); }

  void swap(append_log& other) noexcept;

  /// Creates an empty log that replaces an older one, and opens it.
  /// Throws: std::runtime_error, which names the file.
  static append_log create(file_operations& files, const std::string& path, std::uint64_t state);

  /// Calls `visit(payload)` for each whole record of a log. A torn record may follow, if its writer was stopped: it is
  /// truncated, or it has a sector that was never written and reads as zeros.
  /// Returns: the end of the last whole record.
  /// Throws: std::runtime_error, which names the file, if a record is damaged, even the last one; the exceptions of
  /// `visit`.
  template <class Visit>
  static std::size_t replay(const std::string& path, std::string_view bytes, std::uint64_t state, const Visit& visit) {
    check_byte_order(path);
    const std::size_t position = end_of_records(bytes, state, visit);
    if (position < bytes.size() && !is_torn_at(bytes, position, state)) {
      fail<std::runtime_error>({path, ": the record at byte ", position, " is damaged"});
    }
    return position;
  }

  /// Replays a log, and opens it for appending. A torn last record is cut off.
  /// Throws: the exceptions of replay(); std::runtime_error, which names the file, if it cannot be opened or repaired.
  template <class Visit>
  static append_log open(file_operations& files, const std::string& path, std::string_view bytes, std::uint64_t state,
                         const Visit& visit) {
    const std::size_t position = replay(path, bytes, state, visit);
    append_log log(files, path, state, position);
    if (position < bytes.size() && !(files.truncate(log.file_, position) && files.sync(log.file_))) {
      fail_with_errno("repair", path);
    }
    return log;
  }

  /// Returns the state that a log follows, or nullopt if its header is invalid. A new log is renamed into place with
  /// its whole header, so no crash leaves a partial header.
  [[nodiscard]] static std::optional<std::uint64_t> state_of(std::string_view bytes);

  /// Says why state_of() is nullopt: the version of the log, or damage of its header.
  [[nodiscard]] static std::string problem_of(std::string_view bytes);

  /// The extent of a log: the size of its header and whole records, and the checksum of both. If the header is invalid,
  /// all bytes count.
  struct extent {
    std::uint64_t size, checksum;
    friend bool operator==(const extent&, const extent&) = default;
  };
  [[nodiscard]] static extent extent_of(std::string_view bytes) {
    std::size_t end = bytes.size();
    if (const auto state = state_of(bytes)) end = end_of_records(bytes, *state, [](std::string_view) {});
    return {end, checksum_of(to_bytes(bytes.substr(0, end)))};
  }

  /// Appends a record. When the function returns, the record is on the disk.
  /// Throws: std::runtime_error, which names the file. On failure the record is removed again. If that fails, too,
  /// append() throws until a new log is begun. It always throws in a process that was forked from the one that opened
  /// the log.
  void append(std::string_view payload);

  /// Syncs the file to the disk, including whatever a failed append() has left.
  /// Throws: std::runtime_error, which names the file, also in a forked process.
  void settle() {
    check_process();
    if (file_ >= 0 && !files_->sync(file_)) fail_with_errno("sync", path_);
  }

  /// Closes the file, so that a new log can replace it: Windows cannot replace an open file. append() then rejects all
  /// further records.
  void close() noexcept {
    if (file_ >= 0) files_->close(std::exchange(file_, -1));
  }

  /// Checks that PATH.log has no changes that are missing in the file at PATH, which has this state. A program that
  /// reads the file alone would lose them. PATH.log is ignored if it is not a log.
  /// Throws: std::runtime_error, which names the log, if it has such changes, if it has another version, or if its
  /// header is damaged, because its changes are then unknown.
  NEARDUP_COLD static void refuse_changes_beside(const std::string& path, std::uint64_t state);

 private:
  append_log(file_operations& files, const std::string& path, std::uint64_t state, std::size_t size)
      : files_(&files), path_(path), state_(state), file_(files.open_at_end(path)), size_(size) {
    if (file_ < 0) fail_with_errno("open", path);
  }

  // A forked process has the memory of its parent, but not its lock. Both would write at the same place.
  void check_process() const {
    if (file_ >= 0 && process_ != process_number()) {
      fail<std::runtime_error>({path_, ": a forked process cannot change what its parent has opened"});
    }
  }

  static std::size_t end_of(std::size_t position, std::size_t payload) noexcept {
    return position + 16 + (payload + 7) / 8 * 8;
  }

  static constexpr std::string_view magic{"\x89NDUL\r\n\x1a", 8};

  static std::string encode_header(std::uint64_t state);

  static std::uint64_t seed_of(std::uint64_t state, std::size_t position) noexcept {
    return state + std::uint64_t{position} * golden_ratio;
  }

  static std::string encode_record(std::string_view payload, std::size_t position, std::uint64_t state);

  // Returns the payload size of the record at a position, or nullopt if its checksum is wrong.
  static std::optional<std::size_t> payload_size_at(std::string_view bytes, std::size_t position, std::uint64_t state);

  // Returns the payload of the record at a position, or nullopt if the record is not whole. The padding is not checked.
  static std::optional<std::string_view> payload_at(std::string_view bytes, std::size_t position, std::uint64_t state);

  // Returns true if the bytes of [begin, end) in some sector of the disk are all zeros. After a power failure a file
  // may have its new length but lack some sectors, which read as zeros.
  static bool lacks_sector(std::string_view bytes, std::size_t begin, std::size_t end) noexcept;

  // Returns true if a torn record begins at a position. Only the last record can be torn, because records are synced
  // one by one.
  static bool is_torn_at(std::string_view bytes, std::size_t position, std::uint64_t state);

  // Returns the payload of the whole record at a position, padding included, or nullopt.
  static std::optional<std::string_view> record_at(std::string_view bytes, std::size_t position, std::uint64_t state);

  // Calls `visit(payload)` for each whole record.
  // Returns: the end of the last whole record.
  template <class Visit>
  static std::size_t end_of_records(std::string_view bytes, std::uint64_t state, const Visit& visit) {
    std::size_t position = header_size;
    while (position < bytes.size()) {
      const auto payload = record_at(bytes, position, state);
      if (!payload) break;
      visit(*payload);
      position = end_of(position, payload->size());
    }
    return position;
  }

  file_operations* files_ = nullptr;
  std::string path_;
  std::uint64_t state_ = 0;
  int file_ = -1;
  std::size_t size_ = 0;  // bytes of the header and all whole records
  bool is_broken_ = false;
  int process_ = process_number();  // the process that opened the file
};

#if NEARDUP_BODIES

NEARDUP_INLINE void append_log::swap(append_log& other) noexcept {
  std::swap(files_, other.files_);
  path_.swap(other.path_);
  std::swap(state_, other.state_);
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  std::swap(is_broken_, other.is_broken_);
  std::swap(process_, other.process_);
}

NEARDUP_INLINE append_log append_log::create(file_operations& files, const std::string& path, std::uint64_t state) {
  check_byte_order(path);
  const std::string header = encode_header(state);
  const byte_span piece = to_bytes(header);
  save_file(files, path, {&piece, 1});
  return append_log(files, path, state, header_size);
}

NEARDUP_INLINE std::optional<std::uint64_t> append_log::state_of(std::string_view bytes) {
  const std::string_view header = bytes.substr(0, header_size);
  constexpr std::size_t place = 16;  // the position of the state
  const std::uint64_t state = header.size() < header_size ? 0 : get<std::uint64_t>(to_bytes(header), place);
  return header == encode_header(state) ? std::optional(state) : std::nullopt;
}

NEARDUP_INLINE std::string append_log::problem_of(std::string_view bytes) {
  constexpr std::size_t version_at = magic.size(), checksum_at = header_size - 8;
  if (bytes.size() >= header_size && bytes.starts_with(magic)) {
    const auto version = get<std::uint64_t>(to_bytes(bytes), version_at);
    const auto checksum = get<std::uint64_t>(to_bytes(bytes), checksum_at);
    if (version != format_version && checksum == checksum_of(to_bytes(bytes.substr(0, checksum_at)))) {
      return message_of({"format version ", version, "; this program reads version ", format_version});
    }
  }
  return "its header is damaged";
}

NEARDUP_INLINE void append_log::append(std::string_view payload) {
  check_process();
  if (is_broken_ || file_ < 0) fail<std::runtime_error>({path_, ": an earlier error was not repaired; save first"});
  std::string record = encode_record(payload, size_, state_);
  if (write_all(*files_, file_, to_bytes(record)) && files_->sync(file_)) {
    size_ += record.size();
    return;
  }
  const int error = errno;
  // After a failed sync, the content of the disk is unknown. The record is truncated, and the truncation is synced, so
  // that the record cannot reappear.
  is_broken_ = !(files_->truncate(file_, size_) && files_->sync(file_));
  errno = error;
  fail_with_errno("append to", path_);
}

NEARDUP_INLINE void append_log::refuse_changes_beside(const std::string& path, std::uint64_t state) {
  const std::string log_path = settled_path(path) + ".log";
  if (system_files().type_of(log_path) != file_type::regular) return;
  const std::string bytes = read_file(log_path);
  const std::optional<std::uint64_t> follows = state_of(bytes);
  if (!follows && bytes.starts_with(magic)) fail<std::runtime_error>({log_path, ": ", problem_of(bytes)});
  if (follows == state && extent_of(bytes).size > header_size) {
    fail<std::runtime_error>({log_path, ": it has changes since ", path, " was saved; open that as durable, and save"});
  }
}

NEARDUP_INLINE std::string append_log::encode_header(std::uint64_t state) {
  std::string header(magic);
  put(header, std::uint64_t{format_version});
  put(header, state);
  put(header, checksum_of(to_bytes(header)));
  return header;
}

NEARDUP_INLINE std::string append_log::encode_record(std::string_view payload, std::size_t position,
                                                     std::uint64_t state) {
  if (payload.size() > 0xffffffffU) fail<std::length_error>("a record of a log has less than 4 GiB");
  std::string record;
  put(record, static_cast<std::uint32_t>(payload.size()));
  put(record, static_cast<std::uint32_t>(xxh3<64>{seed_of(state, position)}(record)));
  put(record, xxh3<64>{seed_of(state, position)}(payload));
  record += payload;
  record.resize(end_of(0, payload.size()), '\0');
  return record;
}

NEARDUP_INLINE std::optional<std::size_t> append_log::payload_size_at(std::string_view bytes, std::size_t position,
                                                                      std::uint64_t state) {
  if (bytes.size() - position < 8) return std::nullopt;
  const auto hash = static_cast<std::uint32_t>(xxh3<64>{seed_of(state, position)}(bytes.substr(position, 4)));
  if (get<std::uint32_t>(to_bytes(bytes), position + 4) != hash) return std::nullopt;
  return get<std::uint32_t>(to_bytes(bytes), position);
}

NEARDUP_INLINE std::optional<std::string_view> append_log::payload_at(std::string_view bytes, std::size_t position,
                                                                      std::uint64_t state) {
  const auto size = payload_size_at(bytes, position, state);
  if (!size || end_of(position, *size) > bytes.size()) return std::nullopt;
  const std::string_view payload = bytes.substr(position + 16, *size);
  if (get<std::uint64_t>(to_bytes(bytes), position + 8) != xxh3<64>{seed_of(state, position)}(payload)) {
    return std::nullopt;
  }
  return payload;
}

NEARDUP_INLINE bool append_log::lacks_sector(std::string_view bytes, std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t sector = 512;
  while (begin < end) {
    const std::size_t next = (std::min)(end, (begin / sector + 1) * sector);
    if (bytes.substr(begin, next - begin).find_first_not_of('\0') == bytes.npos) return true;
    begin = next;
  }
  return false;
}

NEARDUP_INLINE bool append_log::is_torn_at(std::string_view bytes, std::size_t position, std::uint64_t state) {
  constexpr std::size_t head = 8;
  if (bytes.size() - position < head) return true;
  const auto size = payload_size_at(bytes, position, state);
  const std::size_t end = size ? end_of(position, *size) : bytes.size();
  if (end > bytes.size()) return true;
  // A record with a whole payload was written completely, so wrong padding means damage.
  if (end < bytes.size() || payload_at(bytes, position, state)) return false;
  // The length of the record is within one sector. If any bit of it is set, that sector was written.
  if (!lacks_sector(bytes, position, size ? end : position + head)) return false;
  for (std::size_t later = position + head; later < bytes.size(); later += head) {
    const auto begun = payload_size_at(bytes, later, state);
    if (begun && end_of(later, *begun) <= bytes.size()) return false;
  }
  return true;
}

NEARDUP_INLINE std::optional<std::string_view> append_log::record_at(std::string_view bytes, std::size_t position,
                                                                     std::uint64_t state) {
  const auto payload = payload_at(bytes, position, state);
  if (!payload) return std::nullopt;
  const std::size_t end = position + 16 + payload->size();
  const std::string_view padding = bytes.substr(end, end_of(position, payload->size()) - end);
  return padding.find_first_not_of('\0') == padding.npos ? payload : std::nullopt;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
