// Runs a test on every instruction set of this machine.
#pragma once

#include <vector>

#include <neardup/instruction_set.hpp>

namespace support {

/// Returns the instruction sets of this machine, portable first.
inline std::vector<neardup::instruction_set> instruction_sets() {
  std::vector<neardup::instruction_set> levels;
  for (const auto& one : neardup::detail::instruction_sets) {
    if (neardup::is_available(one.level)) levels.push_back(one.level);
  }
  return levels;
}

/// Sets the instruction set during its lifetime.
class forced_instruction_set {
 public:
  explicit forced_instruction_set(neardup::instruction_set level) : before_(neardup::active_instruction_set()) {
    neardup::set_instruction_set(level);
  }
  forced_instruction_set(const forced_instruction_set&) = delete;
  forced_instruction_set& operator=(const forced_instruction_set&) = delete;
  ~forced_instruction_set() { neardup::set_instruction_set(before_); }

 private:
  neardup::instruction_set before_;
};

}  // namespace support
