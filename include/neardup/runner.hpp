// One type for all runners, so that a program has each join once, however it spreads its work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace neardup::inline v0::detail {

/// A runner of any type (see neardup::threads), by reference. Calls come once a pass, so what they cost does not
/// matter.
class any_runner {
 public:
  template <class Run>
  explicit any_runner(const Run& run)
      : parts_((std::max)(std::size_t{1}, static_cast<std::size_t>(run.parts()))),
        run_([&run](std::size_t parts, const std::function<void(std::size_t)>& work) { run(parts, work); }) {}

  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

  template <class Work>
  void operator()(std::size_t parts, const Work& work) const {
    run_(parts, std::cref(work));
  }

 private:
  std::size_t parts_;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run_;
};

}  // namespace neardup::inline v0::detail
