// idf_table files: written as a whole or not at all.
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/fingerprint/idf_table.hpp>

#include "catch.hpp"
#include "support/temporary_folder.hpp"

namespace {

using neardup::idf_table;
using neardup::weight;
namespace fs = std::filesystem;

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
  const support::temporary_folder folder;
  const std::string path = folder / "table.idf";
  for (const idf_table& table : {idf_table{}, idf_table({{"\u4e2d\u6587", weight(2.5)}}), large_table()}) {
    table.save(path);
    CHECK(support::read_bytes(path) == table.to_text());
    CHECK(idf_table::load(path) == table);
    CHECK(folder.files() == 1);  // no temporary file remains
  }
}

TEST_CASE("loading a file that is not there, or is a folder, names it", "[idf]") {
  const support::temporary_folder folder;
  const std::string missing = folder / "missing.idf";
  CHECK(message_of([&] { static_cast<void>(idf_table::load(missing)); }) == "cannot open " + missing);
#ifndef _WIN32
  const std::string itself = folder / "";
  CHECK(message_of([&] { static_cast<void>(idf_table::load(itself)); }) == "cannot read " + itself);
#endif
}

TEST_CASE("loading a file with a bad line names file and line", "[idf]") {
  const support::temporary_folder folder;
  const std::string path = folder / "bad.idf";
  support::write_bytes(path, "a 1\nb 2\nc x\n");
  CHECK(message_of([&] { static_cast<void>(idf_table::load(path)); }).rfind(path + ":3: ", 0) == 0);
}

TEST_CASE("saving where nothing can be written is an error", "[idf]") {
  const support::temporary_folder folder;
  const std::string path = folder / "no/such/folder/table.idf";
  CHECK(message_of([&] { large_table().save(path); }) ==
        "cannot create a file beside " + path + ": No such file or directory");
  CHECK(folder.files() == 0);
}

TEST_CASE("saving onto a folder is an error, and leaves no temporary file", "[idf]") {
  const support::temporary_folder folder;
  const std::string path = folder / "folder";
  fs::create_directories(fs::path(path) / "inside");
  CHECK(message_of([&] { large_table().save(path); }) == "cannot save " + path + ": it is no regular file");
  CHECK(fs::is_directory(path));
  CHECK(folder.files() == 1);
}

TEST_CASE("a table that cannot be written leaves the old file, and no temporary one", "[idf]") {
  const support::temporary_folder folder;
  const std::string path = folder / "table.idf";
  support::write_bytes(path, "old 1\n");
  CHECK_THROWS_AS(idf_table({{"a\nb", weight(1)}}).save(path), std::runtime_error);
  CHECK(support::read_bytes(path) == "old 1\n");
  CHECK(folder.files() == 1);
}
