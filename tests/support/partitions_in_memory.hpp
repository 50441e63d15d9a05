// A store of partitions in memory. Tests can make its calls fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <neardup/error.hpp>

namespace oracle {

struct partitions_in_memory {
  std::vector<std::vector<std::byte>> bytes;
  std::size_t calls = 0, failing_call = 0;

  void append(std::uint32_t partition, std::span<const std::byte> some) {
    count_call();
    if (bytes.size() <= partition) bytes.resize(partition + 1);
    bytes[partition].insert(bytes[partition].end(), some.begin(), some.end());
  }
  void read(std::uint32_t partition, std::span<std::byte> to) {
    count_call();
    if (bytes.at(partition).size() != to.size()) neardup::detail::fail<std::logic_error>("a partition of another size");
    std::copy(bytes[partition].begin(), bytes[partition].end(), to.begin());
  }

 private:
  void count_call() {
    if (++calls == failing_call) neardup::detail::fail<std::runtime_error>("no room for partitions");
  }
};

}  // namespace oracle
