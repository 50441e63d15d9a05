// File operations that fail on request, and record the state of the disk, so that tests can examine what a power
// failure would leave.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/detail/file_operations.hpp>

#include "temporary_folder.hpp"

namespace support {

/// A model of a disk that may lose power. Synced data are never lost. Data that are not synced may be lost in part.
class simulated_disk {
 public:
  struct file {
    std::string synced, current;
  };
  struct name_change {
    enum { create, rename, remove } kind;
    std::string from, to;
    std::size_t inode;
  };

  std::size_t create(const std::string& name) {
    files_.push_back({});
    names_.insert_or_assign(name, files_.size() - 1);
    changes_.push_back({name_change::create, "", name, files_.size() - 1});
    return files_.size() - 1;
  }
  [[nodiscard]] std::size_t inode(const std::string& name) const { return names_.at(name); }
  void write(std::size_t inode, std::string_view bytes) { files_[inode].current += bytes; }
  void truncate(std::size_t inode, std::size_t size) { files_[inode].current.resize(size); }
  void sync(std::size_t inode) { files_[inode].synced = files_[inode].current; }
  void rename(const std::string& from, const std::string& to) {
    changes_.push_back({name_change::rename, from, to, names_.at(from)});
    apply(names_, changes_.back());
  }
  void remove(const std::string& name) {
    if (!names_.contains(name)) return;
    changes_.push_back({name_change::remove, name, "", 0});
    apply(names_, changes_.back());
  }
  void sync_folder() {
    for (const name_change& change : changes_) apply(synced_names_, change);
    changes_.clear();
  }

  enum class loss { all, nothing, some };

  /// Returns the content of each file after a power failure. The keys are file names without folders.
  template <class Random>
  [[nodiscard]] std::map<std::string, std::string> after(loss lost, Random& random) const {
    std::map<std::string, std::size_t> names = synced_names_;
    for (const name_change& change : changes_) {
      if (lost == loss::nothing || (lost == loss::some && random() % 2 == 0)) apply(names, change);
    }
    std::map<std::string, std::string> result;
    for (const auto& [name, inode] : names) {
      const file& f = files_[inode];
      std::string content = lost == loss::nothing ? f.current : f.synced;
      if (lost == loss::some && f.current != f.synced) {
        // Either only a prefix of the new data is there, or some sectors of them are zeros: a disk writes whole
        // sectors.
        content = f.current;
        const std::size_t same = static_cast<std::size_t>(
            std::mismatch(f.synced.begin(), f.synced.end(), f.current.begin(), f.current.end()).first -
            f.synced.begin());
        const std::size_t unsynced = f.current.size() - std::min(same, f.current.size());
        if (unsynced > 0) {
          constexpr std::size_t sector = 512;
          const std::size_t at = same + static_cast<std::size_t>(random() % unsynced);
          if (random() % 2 == 0) {
            content.resize(at);
          } else {
            const std::size_t begin = std::max(same, at / sector * sector);
            const std::size_t sectors =
                1 + static_cast<std::size_t>(random() % ((content.size() - begin) / sector + 1));
            const std::size_t end = std::min(content.size(), (begin / sector + sectors) * sector);
            std::fill(content.begin() + static_cast<std::ptrdiff_t>(begin),
                      content.begin() + static_cast<std::ptrdiff_t>(end), '\0');
          }
        }
        if (random() % 4 == 0) content = f.synced;
      }
      result[std::filesystem::path(name).filename().string()] = content;
    }
    return result;
  }

 private:
  static void apply(std::map<std::string, std::size_t>& names, const name_change& change) {
    if (change.kind != name_change::create) names.erase(change.from);
    if (change.kind != name_change::remove) names.insert_or_assign(change.to, change.inode);
  }

  std::vector<file> files_;
  std::map<std::string, std::size_t> names_, synced_names_;
  std::vector<name_change> changes_;
};

/// Counts the file operations, and passes them to the system. Call `failing_call` fails, and all later calls, too, if
/// `fails_for_good`. Some writes succeed, but write only half of their bytes.
class faulty_files final : public neardup::detail::file_operations {
 public:
  std::size_t calls = 0, failures = 0;
  std::size_t failing_call = 0;  ///< counted from 1; 0: no call fails
  bool fails_for_good = false;
  simulated_disk disk;
  std::vector<simulated_disk> states;  ///< the disk after each call, if `keeps_states`
  bool keeps_states = false;

  int create(const std::string& path) override {
    if (fails(ENOSPC)) return -1;
    const int file = file_operations::create(path);
    if (file >= 0) inodes_[file] = disk.create(path);
    return keep(file);
  }
  int open_at_end(const std::string& path) override {
    if (fails(EMFILE)) return -1;
    const int file = file_operations::open_at_end(path);
    if (file >= 0) inodes_[file] = disk.inode(path);
    return keep(file);
  }
  std::ptrdiff_t write(int file, const void* bytes, std::size_t size) override {
    if (calls % 3 == 2 && size > 5) size = size / 2;
    if (fails(ENOSPC)) {
      // A full disk first writes a part of the data.
      if (size > 1) put(file, bytes, size / 2);
      return -1;
    }
    return keep(put(file, bytes, size));
  }
  bool sync(int file) override {
    if (fails(EIO)) return false;
    disk.sync(inodes_.at(file));
    return keep(file_operations::sync(file));
  }
  bool truncate(int file, std::uint64_t size) override {
    if (fails(EIO)) return false;
    disk.truncate(inodes_.at(file), static_cast<std::size_t>(size));
    return keep(file_operations::truncate(file, size));
  }
  bool close(int file) override {
    const bool closed = file_operations::close(file);
    if (fails(EIO)) return false;
    return keep(closed);
  }
  bool rename(const std::string& from, const std::string& to) override {
    if (fails(EACCES)) return false;
    disk.rename(from, to);
    return keep(file_operations::rename(from, to));
  }
  bool remove(const std::string& path) override {
    if (fails(EACCES)) return false;
    disk.remove(path);
    return keep(file_operations::remove(path));
  }
  std::optional<neardup::detail::file_type> type_of(const std::string& path) override {
    if (fails(EIO)) return std::nullopt;
    return keep(file_operations::type_of(path));
  }
  bool sync_folder(const std::string& folder) override {
    if (fails(EIO)) return false;
    disk.sync_folder();
    return keep(file_operations::sync_folder(folder));
  }

 private:
  bool fails(int error) {
    ++calls;
    const bool failed = failing_call != 0 && (fails_for_good ? calls >= failing_call : calls == failing_call);
    if (failed) {
      ++failures;
      errno = error;
    }
    return failed;
  }
  template <class Result>
  Result keep(Result result) {
    const int error = errno;
    if (keeps_states) states.push_back(disk);
    errno = error;
    return result;
  }
  std::ptrdiff_t put(int file, const void* bytes, std::size_t size) {
    const std::ptrdiff_t written = file_operations::write(file, bytes, size);
    if (written > 0) {
      disk.write(inodes_.at(file), {static_cast<const char*>(bytes), static_cast<std::size_t>(written)});
    }
    return written;
  }

  std::map<int, std::size_t> inodes_;
};

}  // namespace support
