#include "pipeline.hpp"

#include <algorithm>

namespace command {

void print_in_order(unsigned threads, std::size_t n,
                    const std::function<void(std::size_t i, std::string& text)>& append,
                    const std::function<void(std::string&& text)>& print) {
  constexpr std::size_t step = 64;  // handing out single items would take as long as most checks
  std::size_t next = 0;
  run_in_order<std::size_t>(
      threads,
      [&](std::size_t& first, const std::atomic<bool>& /*stop*/) {
        first = std::exchange(next, next + step);
        return first < n;
      },
      [&] {
        return [&](std::size_t first) {
          std::string text;
          for (std::size_t i = first; i < std::min(n, first + step); ++i) append(i, text);
          return text;
        };
      },
      print);
}

}  // namespace command
