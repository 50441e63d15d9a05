// Files that are no text, and cannot be read as such: archives, files of other packers, of databases, of columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace command {

/// The most bytes of a beginning that may tell a foreign format.
inline constexpr std::size_t longest_foreign_magic = 16;

/// What a file is that is no text.
struct foreign_content {
  std::string text;     ///< for an error: "compressed by xz; unpack it first, as in: …"
  bool may_hold_texts;  ///< a packed file, an archive or a table, as opposed to a picture or a program
};

/// Whether a file that begins like this may turn out to be foreign, once more of it is known.
bool may_be_foreign(std::string_view beginning);

/// What a file is, by its first `longest_foreign_magic` bytes, or fewer if it is shorter. Nothing if it is none that is
/// known.
std::optional<foreign_content> foreign_format(std::string_view beginning);

/// The same by more of the beginning: an archive of tar, whose mark comes late.
std::optional<foreign_content> foreign_archive(std::string_view beginning);

/// The packer or program that a file is named after, as bzip2 of "x.bz2", where the command cannot write what that name
/// promises. Nothing for any other.
std::optional<std::string> foreign_packer_of(std::string_view name);

}  // namespace command
