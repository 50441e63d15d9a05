// SPDX-License-Identifier: MIT
// Windows files: names in UTF-8, messages of the system, and a rename that waits until the old file is closed.
#pragma once

#include "../error.hpp"

#if defined(_WIN32)

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

// <windows.h> would define macros such as min in every program that includes neardup. So the functions of Windows are
// declared here.
extern "C" {
__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned page, unsigned long flags, const char* text, int size,
                                                        wchar_t* wide, int wide_size);
__declspec(dllimport) int __stdcall WideCharToMultiByte(unsigned page, unsigned long flags, const wchar_t* wide,
                                                        int wide_size, char* text, int size, const char* instead,
                                                        int* used_instead);
__declspec(dllimport) int __stdcall MoveFileExW(const wchar_t* from, const wchar_t* to, unsigned long flags);
__declspec(dllimport) unsigned long __stdcall GetLastError(void);
__declspec(dllimport) unsigned long __stdcall FormatMessageW(unsigned long flags, const void* source,
                                                             unsigned long message, unsigned long language,
                                                             wchar_t* text, unsigned long size, va_list* arguments);
__declspec(dllimport) void __stdcall Sleep(unsigned long milliseconds);
}

namespace neardup::inline v0::detail {

inline constexpr unsigned long windows_access_denied = 5, windows_sharing_violation = 32;

/// Converts a file name to UTF-16, for the wide functions of Windows, which can open any name. The functions with
/// `char` would read the name in the code page of the machine.
/// Throws: std::runtime_error if the name is not UTF-8.
inline std::wstring wide_name(const std::string& name) {
  constexpr unsigned utf8 = 65001;
  constexpr unsigned long no_invalid_characters = 8;
  if (name.empty()) return {};
  const auto size = static_cast<int>(name.size());
  const int wide_size = ::MultiByteToWideChar(utf8, no_invalid_characters, name.data(), size, nullptr, 0);
  if (wide_size <= 0) fail<std::runtime_error>({"cannot open ", name, ": its name is not UTF-8"});
  std::wstring wide(static_cast<std::size_t>(wide_size), L'\0');
  ::MultiByteToWideChar(utf8, no_invalid_characters, name.data(), size, wide.data(), wide_size);
  return wide;
}

inline std::string to_utf8(std::wstring_view wide) {
  constexpr unsigned utf8 = 65001;
  if (wide.empty()) return {};
  const auto wide_size = static_cast<int>(wide.size());
  const int size = ::WideCharToMultiByte(utf8, 0, wide.data(), wide_size, nullptr, 0, nullptr, nullptr);
  std::string text(static_cast<std::size_t>(size), '\0');
  ::WideCharToMultiByte(utf8, 0, wide.data(), wide_size, text.data(), size, nullptr, nullptr);
  return text;
}

/// Returns the errno that the C library of Windows sets for an error code of Windows.
inline int errno_of(unsigned long code) noexcept {
  switch (code) {
    case 2:
    case 3:
    case 15:
    case 18:
    case 53:
    case 67:
    case 161:
    case 206: return ENOENT;
    case 4: return EMFILE;
    case 5:
    case 19:
    case 21:
    case 32:
    case 33:
    case 65:
    case 82:
    case 83:
    case 108:
    case 132: return EACCES;
    case 6: return EBADF;
    case 8:
    case 14: return ENOMEM;
    case 80:
    case 183: return EEXIST;
    case 112: return ENOSPC;
    case 145: return ENOTEMPTY;
    default: return EINVAL;
  }
}

/// Returns a message for the errno `error`: the message of Windows if its last failed call has this errno, otherwise
/// the message of the C library.
inline std::string windows_message(int error) {
  const unsigned long code = _doserrno;
  if (code != 0 && errno_of(code) == error) {
    constexpr unsigned long from_system = 0x1000, no_inserts = 0x200, one_line = 0xff;
    wchar_t text[512];
    std::size_t size = ::FormatMessageW(from_system | no_inserts | one_line, nullptr, code, 0, text,
                                        sizeof text / sizeof *text, nullptr);
    while (size > 0 && (text[size - 1] == L' ' || text[size - 1] == L'.')) --size;
    if (size > 0) return to_utf8({text, size});
  }
  return std::strerror(error);
}

/// Renames a file. If a file with the new name exists, it is replaced. Windows cannot replace an open file. A reader of
/// this library, a virus scanner or an indexer usually keeps a file open only briefly. So the function tries again for
/// up to a second.
/// Returns: false on failure; errno is then set.
inline bool move_file(const std::wstring& from, const std::wstring& to) noexcept {
  constexpr unsigned long replace_existing = 1, write_through = 8;
  constexpr int attempts = 100;
  for (int attempt = 1;; ++attempt) {
    if (::MoveFileExW(from.c_str(), to.c_str(), replace_existing | write_through) != 0) return true;
    const unsigned long code = ::GetLastError();
    const bool may_be_busy = code == windows_access_denied || code == windows_sharing_violation;
    if (!may_be_busy || attempt == attempts) {
      _doserrno = code;
      errno = errno_of(code);
      return false;
    }
    ::Sleep(10);
  }
}

/// Returns the absolute form of a path.
/// Throws: std::runtime_error if the path is not UTF-8, or has no absolute form.
inline std::string absolute_path(const std::string& path) {
  const std::wstring wide = wide_name(path);
  wchar_t* const found = ::_wfullpath(nullptr, wide.c_str(), 0);
  if (found == nullptr) fail<std::runtime_error>({"cannot open ", path, ": it has no absolute path"});
  std::string result = to_utf8(found);
  std::free(found);
  return result;
}

}  // namespace neardup::inline v0::detail

#endif  // _WIN32
