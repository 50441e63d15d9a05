// SPDX-License-Identifier: MIT
// The container format, which all files have: a header, the composition, and sections (docs/format.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/file_operations.hpp"
#include "../../detail/xxh3.hpp"
#include "../../error.hpp"
#include "../../fingerprint/hashers.hpp"
#include "../composition.hpp"

namespace neardup::inline v0::detail {

using byte_span = std::span<const std::byte>;

/// The first bytes of a file. They contain a byte that occurs in no text, line ends that a conversion of text would
/// change, and a byte that ends the display of the file on some consoles.
inline constexpr std::string_view file_magic("\x89NDUP\r\n\x1a", 8);
inline constexpr std::uint16_t format_version = 1;
inline constexpr std::size_t section_alignment = 64;

enum class file_content : std::uint8_t {
  list = 1,
  index = 2,
  deduplicator = 3,
  dictionary = 4,
  attachments = 5,
  sets = 6
};

/// The content of a section. The numbers are part of the file format.
enum class section_tag : std::uint32_t {
  fingerprints = 1,
  ids = 2,
  lists = 3,
  list_begins = 4,
  marks = 5,
  starts = 6,
  lines = 7,
  narrow = 8,
  wide = 9,
  slots = 10,
  records = 16,
  set_features = 17,
  set_records = 18,
  set_id_begins = 19,
  set_id_order = 20,
  set_levels = 21,
  set_buckets = 22,
  set_postings = 23,
  log_extent = 24,
  options = 32,
  documents = 33,
  times = 34,
  dictionary_nodes = 48,
  dictionary_first = 49,
  dictionary_never = 50,
  attachments = 64,  ///< the first of the attachments of programs
};

/// Returns the error message for a file or a log of another format version.
[[nodiscard]] NEARDUP_COLD inline std::string other_version(std::uint64_t version) {
  return message_of({"format version ", version, "; this program reads version ", format_version,
                     ". Make the file anew, or use the version of neardup that wrote it"});
}

[[nodiscard]] constexpr std::size_t align_section(std::size_t position) noexcept {
  return (position + section_alignment - 1) / section_alignment * section_alignment;
}

[[nodiscard]] inline std::string_view to_text(byte_span bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline byte_span to_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Appends the bytes of `value`, as they are in memory, to `bytes`. The bytes are little-endian, because only
/// little-endian machines write files.
template <class Value>
  requires std::has_unique_object_representations_v<Value>
void put(std::string& bytes, const Value& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
template <class Value>
  requires std::is_trivially_copyable_v<Value>
[[nodiscard]] Value get(byte_span bytes, std::size_t position) noexcept {
  Value value;
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

/// Appends the lowest `size` bytes of a fingerprint to `bytes`.
template <std::size_t Words>
void put_words(std::string& bytes, const std::array<std::uint64_t, Words>& words, std::size_t size) {
  bytes.append(reinterpret_cast<const char*>(words.data()), size);
}
template <std::size_t Words>
[[nodiscard]] std::array<std::uint64_t, Words> get_words(byte_span bytes, std::size_t position, std::size_t size) {
  std::array<std::uint64_t, Words> words{};
  std::memcpy(words.data(), bytes.data() + position, size);
  return words;
}

/// Returns the tag of the section of attachment i.
[[nodiscard]] constexpr section_tag attachment_tag(std::size_t i) noexcept {
  return static_cast<section_tag>(static_cast<std::size_t>(section_tag::attachments) + i);
}

/// The fields of a file header, except those that encode_header() computes (sizes, sections and checksums).
struct file_header {
  file_content content = file_content::index;
  std::uint32_t bits = 0;
  std::array<std::uint8_t, 16> details{};  ///< the meaning depends on the content
  std::uint64_t count = 0;                 ///< the number of records, pairs or documents
  fingerprint_composition made_of;
};

/// The first bytes of a file, in the form in which they are stored (docs/format.md).
struct file_frame {
  std::array<char, 8> magic;
  std::uint16_t version;
  file_content content;
  std::uint8_t kind;
  std::uint32_t bits, header_size, sections;
  std::uint64_t size;
  std::array<std::uint8_t, 16> details;
  std::uint64_t count, checksum;
};
static_assert(sizeof(file_frame) == 64);

/// The entry of a section in a header, in the form in which it is stored.
struct section_entry {
  section_tag tag;
  std::uint32_t table;
  std::uint64_t begin, size, checksum;
};
static_assert(sizeof(section_entry) == 32);

/// A section that will be written to a file.
struct section_source {
  section_tag tag;
  std::uint32_t table;
  byte_span bytes;
};

/// Encodes the beginning of a file, up to its first section. Empty sections are left out.
[[nodiscard]] NEARDUP_COLD std::string encode_header(const file_header& header,
                                                     std::span<const section_source> sources);

/// Calls `put(bytes)` for each piece of a file, in order.
template <class Put>
void for_each_piece(const std::string& header, std::span<const section_source> sections, const Put& put) {
  static constexpr std::array<std::byte, section_alignment> padding{};
  std::size_t position = header.size();
  put(to_bytes(header));
  for (const section_source& section : sections) {
    if (section.bytes.empty()) continue;
    put(byte_span(padding).first(align_section(position) - position));
    put(section.bytes);
    position = align_section(position) + section.bytes.size();
  }
}

/// Writes a file, atomically.
/// Returns: the checksum of the header. The header contains the checksums of all sections. So the checksum of the
/// header depends on the whole file.
/// Throws: std::runtime_error if the file cannot be written; the message names the file.
std::uint64_t write_container(file_operations& files, const std::string& path, const file_header& header,
                              std::span<const section_source> sections);

/// Checks that a composition is of fingerprints of this kind.
/// Throws: std::invalid_argument if the kinds differ. The message begins with `what`.
NEARDUP_COLD void check_kind(const std::string& what, const fingerprint_composition& made_of, fingerprint_kind kind);

/// The header of a file, and its sections. The constructor checks the header, but not the content of the sections.
class container {
 public:
  struct section {
    section_tag tag;
    std::uint32_t table;
    byte_span bytes;
    std::uint64_t checksum;
  };

  /// Parses a file. `name` is the name of the file in messages.
  /// Throws: std::runtime_error if the bytes are not a file with content of the kind `content`.
  /// Complexity: linear in the size of the header.
  NEARDUP_COLD container(byte_span bytes, std::string name, file_content content);

  [[nodiscard]] const file_header& header() const noexcept { return header_; }
  [[nodiscard]] std::span<const section> sections() const noexcept { return sections_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Returns the checksum of the header, which depends on the whole file: the header has the checksums of all sections.
  [[nodiscard]] std::uint64_t checksum() const noexcept {
    return get<std::uint64_t>(bytes_, offsetof(file_frame, checksum));
  }

  /// Returns the bytes of a section, or no bytes if the file has no such section.
  [[nodiscard]] byte_span find(section_tag tag, std::size_t table = 0) const noexcept;

  /// Checks the checksums of all sections.
  /// Throws: std::runtime_error if a checksum is wrong.
  void check_sections() const;

  /// Checks the checksums of the sections with the tag `tag`.
  /// Throws: std::runtime_error if a checksum is wrong.
  void check_section(section_tag tag) const {
    for (const section& s : sections_) {
      if (s.tag == tag) check(s);
    }
  }

  /// Checks that the file has fingerprints of this width and kind.
  /// Throws: std::runtime_error if the width or the kind differs.
  NEARDUP_COLD void check_fingerprints(std::size_t bits, fingerprint_kind kind) const;

  /// Checks that the composition of the file is `expected`.
  /// Throws: std::invalid_argument if the compositions differ.
  NEARDUP_COLD void check_composition(const fingerprint_composition& expected) const;

  /// Refuses the file: throws std::runtime_error with the message "NAME: WHAT".
  [[noreturn]] void refuse(std::initializer_list<message_part> what) const {
    fail<std::runtime_error>({name_, ": ", message_of(what)});
  }
  [[noreturn]] void refuse(const message_part& what) const { refuse({what}); }
  /// Throws because the file is damaged. `what` names the damaged part. The message also says what the user can do.
  [[noreturn]] void refuse_damage(std::initializer_list<message_part> what) const {
    refuse({message_of(what), "; restore the file from a copy, or make it anew"});
  }
  [[noreturn]] void refuse_damage(const message_part& what) const { refuse_damage({what}); }

 private:
  static std::string_view name_of(file_content content) noexcept;
  [[nodiscard]] std::string name_of(const section& s) const {
    return message_of({"section ", &s - sections_.data() + 1, " of ", sections_.size()});
  }

  // Checks the checksum of a section.
  void check(const section& s) const {
    if (checksum_of(s.bytes) != s.checksum) refuse_damage({name_of(s), " is damaged"});
  }

  static bool is_zero(byte_span bytes) noexcept {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  }

  // Returns the checksum of the header. For this computation, the field of the checksum has the value 0.
  std::uint64_t checksum_of_header(std::size_t size) const {
    std::string header(to_text(bytes_.first(size)));
    std::fill_n(header.begin() + 56, 8, '\0');
    return checksum_of(to_bytes(header));
  }

  // Finds the sections. Each section begins at the first multiple of 64 bytes after the previous section. The last
  // section ends at the end of the file.
  NEARDUP_COLD void find_sections(std::size_t header_size, std::size_t count);

  std::string name_;
  byte_span bytes_;
  file_header header_;
  std::vector<section> sections_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE std::string encode_header(const file_header& header, std::span<const section_source> sources) {
  const std::string made_of = to_string(header.made_of);
  std::vector<section_source> sections;
  std::copy_if(sources.begin(), sources.end(), std::back_inserter(sections),
               [](const section_source& s) { return !s.bytes.empty(); });
  const std::size_t size =
      align_section(sizeof(file_frame) + sizeof(section_entry) * sections.size() + 4 + made_of.size());
  std::size_t end = size;
  std::string bytes(sizeof(file_frame), '\0');
  for (const section_source& section : sections) {
    const std::size_t begin = align_section(end);
    put(bytes, section_entry{section.tag, section.table, begin, section.bytes.size(), checksum_of(section.bytes)});
    end = begin + section.bytes.size();
  }
  put(bytes, static_cast<std::uint32_t>(made_of.size()));
  bytes += made_of;
  bytes.resize(size, '\0');
  file_frame frame{{},
                   format_version,
                   header.content,
                   static_cast<std::uint8_t>(header.made_of.kind),
                   header.bits,
                   static_cast<std::uint32_t>(size),
                   static_cast<std::uint32_t>(sections.size()),
                   end,
                   header.details,
                   header.count,
                   0};
  file_magic.copy(frame.magic.data(), frame.magic.size());
  std::memcpy(bytes.data(), &frame, sizeof frame);
  frame.checksum = checksum_of(to_bytes(bytes));
  std::memcpy(bytes.data(), &frame, sizeof frame);
  return bytes;
}

NEARDUP_INLINE std::uint64_t write_container(file_operations& files, const std::string& path, const file_header& header,
                                             std::span<const section_source> sections) {
  check_byte_order(path);
  const std::string encoded = encode_header(header, sections);
  std::vector<byte_span> pieces;
  for_each_piece(encoded, sections, [&](byte_span piece) { pieces.push_back(piece); });
  save_file(files, path, pieces);
  return get<std::uint64_t>(to_bytes(encoded), 56);
}

NEARDUP_INLINE container::container(byte_span bytes, std::string name, file_content content)
    : name_(std::move(name)), bytes_(bytes) {
  check_byte_order(name_);
  if (bytes.size() < sizeof(file_frame) || !to_text(bytes).starts_with(file_magic)) refuse("not a file of neardup");
  const auto frame = get<file_frame>(bytes, 0);
  if (frame.version != format_version) refuse(other_version(frame.version));
  const std::size_t header_size = frame.header_size, count = frame.sections;
  if (header_size % section_alignment != 0 || header_size > bytes.size() || header_size < 128 ||
      count > (header_size - 68) / 32) {
    refuse_damage("cut off, or the header is damaged");
  }
  if (frame.checksum != checksum_of_header(header_size)) refuse_damage("the header is damaged");
  if (frame.size != bytes.size()) refuse_damage({bytes.size(), " bytes instead of ", frame.size});
  if (frame.content != content) refuse({"holds ", name_of(frame.content), ", not ", name_of(content)});
  find_sections(header_size, count);
  const std::size_t at = 64 + 32 * count;
  const std::size_t length = get<std::uint32_t>(bytes, at);
  if (length > header_size - at - 4) refuse_damage("the composition is damaged");
  const auto made_of = parse_composition(to_text(bytes.subspan(at + 4, length)));
  if (!made_of || frame.kind != static_cast<std::uint8_t>(made_of->kind)) {
    refuse_damage("the composition is damaged, or a later version wrote it");
  }
  if (!is_zero(bytes.subspan(at + 4 + length, header_size - at - 4 - length))) refuse_damage("the header is damaged");
  header_ = {content, frame.bits, frame.details, frame.count, *made_of};
}

NEARDUP_INLINE byte_span container::find(section_tag tag, std::size_t table) const noexcept {
  for (const section& s : sections_) {
    if (s.tag == tag && s.table == table) return s.bytes;
  }
  return {};
}

NEARDUP_INLINE void container::check_sections() const {
  for (const section& s : sections_) {
    check(s);
    const auto end = static_cast<std::size_t>(s.bytes.data() + s.bytes.size() - bytes_.data());
    if (!is_zero(bytes_.subspan(end, (std::min)(align_section(end), bytes_.size()) - end))) {
      refuse_damage({"the space behind ", name_of(s), " is damaged"});
    }
  }
}

NEARDUP_INLINE void container::check_fingerprints(std::size_t bits, fingerprint_kind kind) const {
  if (header_.bits != bits) {
    refuse({"fingerprints of ", header_.bits, " bits, not ", bits});
  }
  const fingerprint_kind found = header_.made_of.kind;
  if (found != kind) {
    refuse({"fingerprints of the kind ", to_string(found), ", not ", to_string(kind), "; read it as ", to_string(found),
            "<", bits, ">"});
  }
}

NEARDUP_INLINE void container::check_composition(const fingerprint_composition& expected) const {
  const fingerprint_composition& made_of = header_.made_of;
  if (made_of == expected) return;
  std::string what;
  const auto compare = [&](std::string_view name, const std::string& of_file, const std::string& of_caller) {
    if (of_file == of_caller || !what.empty()) return;
    what.append(name).append(" ").append(of_file.empty() ? "(none)" : of_file).append(", not ");
    what.append(of_caller.empty() ? "(none)" : of_caller);
  };
  compare("kind", std::string(to_string(made_of.kind)), std::string(to_string(expected.kind)));
  compare("definition", std::to_string(made_of.definition), std::to_string(expected.definition));
  for (const auto& field : composition_fields) compare(field.name, made_of.*field.value, expected.*field.value);
  fail<std::invalid_argument>({name_, ": the fingerprints are made otherwise: ", what});
}

NEARDUP_INLINE std::string_view container::name_of(file_content content) noexcept {
  switch (content) {
    case file_content::list: return "a list of fingerprints";
    case file_content::index: return "an index";
    case file_content::deduplicator: return "a deduplicator";
    case file_content::dictionary: return "a dictionary of words";
    case file_content::sets: return "an index of sets";
    case file_content::attachments: return "what a program keeps beside fingerprints";
  }
  return "something unknown";
}

NEARDUP_INLINE void container::find_sections(std::size_t header_size, std::size_t count) {
  sections_.reserve(count);
  std::size_t end = header_size;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [tag, table, begin, size, checksum] =
        get<section_entry>(bytes_, sizeof(file_frame) + sizeof(section_entry) * i);
    if (begin != align_section(end) || begin > bytes_.size() || size == 0 || size > bytes_.size() - begin) {
      refuse_damage({"section ", i + 1, " of ", count, " is out of place"});
    }
    end = to_size(begin + size);
    sections_.push_back({tag, table, bytes_.subspan(to_size(begin), to_size(size)), checksum});
  }
  if (end != bytes_.size()) refuse_damage("there is something behind the last section");
}

NEARDUP_INLINE void check_kind(const std::string& what, const fingerprint_composition& made_of, fingerprint_kind kind) {
  if (made_of.kind == kind) return;
  fail<std::invalid_argument>({what, ": the composition is of the kind ", to_string(made_of.kind),
                               ", and the fingerprints are of the kind ", to_string(kind)});
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
