// Runs the check of the fuzzer of index operations on the inputs that it begins with, and on inputs that once failed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../../fuzz/index_operations.hpp"
#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/probing.hpp"

TEST_CASE("the operations of each file of the fuzzer of indexes agree with the plain loop, for each type of index") {
  const char* const sources = std::getenv("NEARDUP_SOURCE_DIR");
  REQUIRE(sources != nullptr);
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(sources) / "fuzz" / "operations")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    INFO(entry.path().filename().string());
    CHECK(fuzz::difference_of_operations(bytes) == "");
    for (int type = 0; type < 9; ++type) {
      bytes[0] = static_cast<char>(type);
      CHECK(fuzz::difference_of_operations(bytes) == "");
    }
    // Tries all layouts. For each layout, another operation is left out, so that the other operations run in other
    // states.
    const std::size_t stride = oracle::effort(1, 5, 23);
    for (std::size_t layout = files % stride; layout < 13 * std::size_t{16}; layout += stride) {
      bytes[0] = static_cast<char>(6 + layout % 3);
      bytes[1] = static_cast<char>(layout % 13);
      bytes[2] = static_cast<char>(layout / 13);
      std::string other = bytes;
      other.erase(fuzz::index_script::header_size + layout % 48 * fuzz::index_script::step_size,
                  fuzz::index_script::step_size);
      CHECK(fuzz::difference_of_operations(other) == "");
    }
    ++files;
  }
  std::printf("%zu files replayed\n", files);
  CHECK(files >= 24);
}
