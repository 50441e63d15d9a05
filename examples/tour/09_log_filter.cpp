// Filters the lines of a log, for months if need be. A line passes if no similar line has passed within the last
// minute. Lines begin with a time in seconds.

#include <neardup/neardup.hpp>

#include <charconv>
#include <cstdint>
#include <iostream>
#include <istream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

// Writes to `out` the lines of `in` that pass the filter. Keeps at most a million lines and 256 MB in memory.
void filter(std::istream& in, std::ostream& out) {
  using namespace neardup;
  stream_deduplicator seen{deduplicator{feature_extractor{normalised{words{}}}, jaccard{0.6}},
                           {.max_documents = 1'000'000, .max_bytes = std::size_t{256} << 20, .max_age = 60}};
  std::string line;
  for (std::uint32_t number = 0; std::getline(in, line); ++number) {
    std::uint64_t time = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), time);
    const std::string_view message(parsed.ptr, static_cast<std::size_t>(line.data() + line.size() - parsed.ptr));
    if (seen.add(message, number, time).is_new()) out << line << '\n';
  }
}

}  // namespace

int main() {
  std::istringstream log(
      "100 disk sda1 is 91 percent full, please look after it\n"
      "101 user alice has logged in from the office\n"
      "130 disk sda1 is 92 percent full, please look after it\n"
      "155 Disk sda1 is 93 percent full; please look after it!\n"
      "170 disk sda1 is 94 percent full, please look after it\n");
  filter(log, std::cout);
  // prints: 100 disk sda1 is 91 percent full
  // prints: 101 user alice
  // prints: 170 disk sda1 is 94 percent full
}
