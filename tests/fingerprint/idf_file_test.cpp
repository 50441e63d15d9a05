// idf_table files: written as a whole or not at all.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <neardup/fingerprint/idf_table.hpp>

#include "catch.hpp"

namespace {

using neardup::idf_table;
using neardup::weight;
namespace fs = std::filesystem;

/// A temporary folder of a test, which the destructor removes.
class temporary_folder {
 public:
  temporary_folder() {
    std::random_device random;
    path_ = fs::temp_directory_path() / ("neardup_idf_" + std::to_string(random()) + "_" + std::to_string(random()));
    fs::create_directories(path_);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path_)) count += entry.path().empty() ? 0U : 1U;
    return count;
  }

 private:
  fs::path path_;
};

std::string read(const std::string& path) {
  std::ostringstream contents;
  contents << std::ifstream(path, std::ios::binary).rdbuf();
  return contents.str();
}

void write(const std::string& path, const std::string& contents) { std::ofstream(path, std::ios::binary) << contents; }

template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

idf_table large_table() {
  std::vector<idf_table::term> terms;
  for (std::uint32_t i = 0; i < 3000; ++i) terms.push_back({"term" + std::to_string(i), weight::from_raw(i * 77)});
  return idf_table(terms);
}

}  // namespace

TEST_CASE("a table is loaded as it was saved", "[idf]") {
  const temporary_folder folder;
  const std::string path = folder.file("table.idf");
  for (const idf_table& table : {idf_table{}, idf_table({{"\u4e2d\u6587", weight(2.5)}}), large_table()}) {
    table.save(path);
    CHECK(read(path) == table.to_text());
    CHECK(idf_table::load(path) == table);
    CHECK(folder.files() == 1);  // no temporary file remains
  }
}

TEST_CASE("loading a file that is not there, or is a folder, names it", "[idf]") {
  const temporary_folder folder;
  const std::string missing = folder.file("missing.idf");
  CHECK(message_of([&] { static_cast<void>(idf_table::load(missing)); }) == "cannot open " + missing);
#ifndef _WIN32
  const std::string itself = folder.file("");
  CHECK(message_of([&] { static_cast<void>(idf_table::load(itself)); }) == "cannot read " + itself);
#endif
}

TEST_CASE("loading a file with a bad line names file and line", "[idf]") {
  const temporary_folder folder;
  const std::string path = folder.file("bad.idf");
  write(path, "a 1\nb 2\nc x\n");
  CHECK(message_of([&] { static_cast<void>(idf_table::load(path)); }).rfind(path + ":3: ", 0) == 0);
}

TEST_CASE("saving where nothing can be written is an error", "[idf]") {
  const temporary_folder folder;
  const std::string path = folder.file("no/such/folder/table.idf");
  CHECK(message_of([&] { large_table().save(path); }) ==
        "cannot create a file beside " + path + ": No such file or directory");
  CHECK(folder.files() == 0);
}

TEST_CASE("saving onto a folder is an error, and leaves no temporary file", "[idf]") {
  const temporary_folder folder;
  const std::string path = folder.file("folder");
  fs::create_directories(fs::path(path) / "inside");
  CHECK(message_of([&] { large_table().save(path); }) == "cannot save " + path + ": it is no regular file");
  CHECK(fs::is_directory(path));
  CHECK(folder.files() == 1);
}

TEST_CASE("a table that cannot be written leaves the old file, and no temporary one", "[idf]") {
  const temporary_folder folder;
  const std::string path = folder.file("table.idf");
  write(path, "old 1\n");
  CHECK_THROWS_AS(idf_table({{"a\nb", weight(1)}}).save(path), std::runtime_error);
  CHECK(read(path) == "old 1\n");
  CHECK(folder.files() == 1);
}
