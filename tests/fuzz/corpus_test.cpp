// Runs the checks of the fuzzers on the inputs that the fuzzers begin with, and on inputs that once failed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "../../fuzz/fingerprint_paths.hpp"
#include "../../fuzz/table_bytes.hpp"
#include "../../fuzz/tokenizer_streams.hpp"
#include "catch.hpp"
#include "oracle/effort.hpp"

namespace {

std::vector<std::filesystem::path> corpus() {
  const char* const sources = std::getenv("NEARDUP_SOURCE_DIR");
  REQUIRE(sources != nullptr);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(sources) / "fuzz" / "corpus")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Checks each file as it is. If the test is thorough, also checks its text with all compositions.
void replay(std::string (*difference)(std::string_view)) {
  const std::vector<std::filesystem::path> files = corpus();
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(file.good());
    INFO(path.filename().string());
    CHECK(difference(bytes) == "");
    if (!oracle::is_thorough() || bytes.size() < 2) continue;
    // A sample has only one weighter for each tokenizer.
    const std::size_t step = oracle::is_sample ? fuzz::input::weighters : 1;
    for (std::size_t i = 0; i < fuzz::input::tokenizers * fuzz::input::weighters; i += step) {
      std::string other = bytes;
      other[0] = static_cast<char>(i / fuzz::input::weighters);
      other[1] = static_cast<char>(i % fuzz::input::weighters);
      const std::string found = difference(other);
      if (!found.empty()) FAIL_CHECK(found);
    }
  }
  std::printf("%zu files replayed\n", files.size());
  REQUIRE_FALSE(files.empty());
}

}  // namespace

TEST_CASE("all ways to the fingerprint of each text of the fuzzers' corpus lead to the oracle's") {
  replay(&fuzz::difference_of_paths);
}

TEST_CASE("each text of the fuzzers' corpus has the same tokens in chunks as whole, those of the oracle") {
  replay(&fuzz::difference_of_streams);
}

TEST_CASE("each file of the fuzzer of tables is read or refused, and what is read reads back the same") {
  const char* const sources = std::getenv("NEARDUP_SOURCE_DIR");
  REQUIRE(sources != nullptr);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(sources) / "fuzz" / "tables")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    INFO(entry.path().filename().string());
    CHECK(fuzz::difference_of_tables(bytes) == "");
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK(fuzz::difference_of_tables(bytes.substr(0, size)) == "");
    ++files;
  }
  CHECK(files >= 6);
}
