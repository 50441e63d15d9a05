// Detects files that are not text and cannot be read as such: archives, other compressed files, databases, columnar
// formats.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace command {

/// The number of bytes at the beginning that may be needed to detect a foreign format.
inline constexpr std::size_t longest_foreign_magic = 16;

/// The format of a file that cannot be read as text, described for error messages.
struct foreign_content {
  std::string text;     ///< the end of the message: "compressed by xz; unpack it first, as in: …"
  bool may_hold_texts;  ///< true for a compressed file, an archive or a table; false for a picture or a program
};

/// Returns true if a file with this beginning may turn out to be foreign when more bytes are known.
bool may_be_foreign(std::string_view beginning);

/// Returns the format of a file, given its first `longest_foreign_magic` bytes, or fewer if it is shorter; nullopt if
/// the format is unknown.
std::optional<foreign_content> foreign_format(std::string_view beginning);

/// Returns foreign_format(), and also detects tar archives, whose mark comes late. For callers that have more bytes.
std::optional<foreign_content> foreign_archive(std::string_view beginning);

/// Returns the program that the name of a file suggests, such as bzip2 for "x.bz2", if the command cannot write that
/// format; nullopt for other names.
std::optional<std::string> foreign_packer_of(std::string_view name);

}  // namespace command
