// A neardup::partition_store: stores the data of a join in memory and, beyond a limit, in a temporary file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "../ground/platform.hpp"

namespace command {

/// The partitions of a join: in memory up to a limit, then in a temporary file. In the file, the pieces of a partition
/// are a linked list, from the last piece to the first. After the bytes of a piece comes the place of the previous
/// piece.
class stored_partitions {
 public:
  explicit stored_partitions(std::uint64_t room) : room_(room) {}

  void append(std::uint32_t partition, std::span<const std::byte> bytes) {
    if (partition >= partitions_.size()) partitions_.resize(partition + 1);
    pieces& to = partitions_[partition];
    if (to.last.size == 0 && bytes.size() + held_overhead <= room_) {
      room_ -= bytes.size() + held_overhead;
      to.held.emplace_back(bytes.begin(), bytes.end());
      return;
    }
    if (bytes.empty()) return;
    const auto* const before = reinterpret_cast<const char*>(&to.last);
    written_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    written_.append(before, sizeof(piece));
    to.last = {file_.append(written_), bytes.size()};
  }

  void read(std::uint32_t partition, std::span<std::byte> to) {
    const pieces& from = partitions_[partition];
    std::size_t done = 0;
    for (const std::vector<std::byte>& bytes : from.held) {
      std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(done));
      done += bytes.size();
    }
    to = to.subspan(done);
    for (piece one = from.last; one.size > 0;) {
      written_.resize(one.size + sizeof(piece));
      file_.read_at(one.offset, written_.data(), written_.size());
      std::memcpy(to.last(one.size).data(), written_.data(), one.size);
      to = to.first(to.size() - one.size);
      std::memcpy(&one, written_.data() + one.size, sizeof(piece));
    }
  }

 private:
  struct piece {
    std::uint64_t offset = 0;
    std::size_t size = 0;  // 0 if there is no piece
  };
  struct pieces {
    std::vector<std::vector<std::byte>> held;
    piece last;
  };
  static constexpr std::size_t held_overhead = sizeof(std::vector<std::byte>) + 16;  // bytes of list and allocator

  std::uint64_t room_;  // bytes of memory that are left
  temporary_file file_;
  std::vector<pieces> partitions_;
  std::string written_;  // a piece, followed by the place of the previous piece
};

}  // namespace command
