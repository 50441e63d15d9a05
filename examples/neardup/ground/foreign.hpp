// Detects files that are not text: archives, other compressed files, databases, and columnar formats.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace command {

/// The number of bytes at the beginning of a file that suffice to detect a foreign format.
inline constexpr std::size_t longest_foreign_magic = 16;

/// The format of a file that cannot be read as text. Error messages describe the format.
struct foreign_content {
  std::string text;     ///< the end of the message: "compressed by xz; unpack it first, as in: …"
  bool may_hold_texts;  ///< true for a compressed file, an archive or a table; false for a picture or a program
};

/// Returns true if a file with this beginning may be foreign, and further bytes are needed to decide.
bool may_be_foreign(std::string_view beginning);

/// Returns the format of a file, or nullopt if the format is unknown. `beginning`: the first `longest_foreign_magic`
/// bytes of the file, or the whole file if it is shorter.
std::optional<foreign_content> foreign_format(std::string_view beginning);

/// Returns the format of a tar archive, whose magic bytes begin at byte 257 of `beginning`, or nullopt for other files.
std::optional<foreign_content> foreign_archive(std::string_view beginning);

/// Returns the program that the name of a file suggests, such as bzip2 for "x.bz2", if neardup cannot write that
/// format. Returns nullopt for other names.
std::optional<std::string> foreign_packer_of(std::string_view name);

}  // namespace command
