// The store of a join that may not fit into memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"

namespace command {

/// The partitions of a join: in memory up to a limit, then in a temporary file.
class stored_partitions {
 public:
  explicit stored_partitions(std::uint64_t room) : room_(room) {}

  void append(std::uint32_t partition, std::span<const std::byte> bytes) {
    if (partition >= partitions_.size()) partitions_.resize(partition + 1);
    pieces& to = partitions_[partition];
    if (to.filed.empty() && bytes.size() <= room_) {
      room_ -= bytes.size();
      to.held.emplace_back(bytes.begin(), bytes.end());
      return;
    }
    const std::uint64_t offset = file_.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    to.filed.push_back({offset, bytes.size()});
  }

  void read(std::uint32_t partition, std::span<std::byte> to) {
    const pieces& from = partitions_[partition];
    for (const std::vector<std::byte>& bytes : from.held) {
      std::copy(bytes.begin(), bytes.end(), to.begin());
      to = to.subspan(bytes.size());
    }
    for (const piece& one : from.filed) {
      for (std::size_t done = 0; done < one.size;) {
        const std::size_t count =
            file_.read_at(one.offset + done, reinterpret_cast<char*>(to.data()) + done, one.size - done);
        if (count == 0) throw output_error("a temporary file was cut off");
        done += count;
      }
      to = to.subspan(one.size);
    }
  }

 private:
  struct piece {
    std::uint64_t offset;
    std::size_t size;
  };
  struct pieces {
    std::vector<std::vector<std::byte>> held;
    std::vector<piece> filed;
  };

  std::uint64_t room_;  // bytes of memory that are left
  temporary_file file_;
  std::vector<pieces> partitions_;
};

}  // namespace command
