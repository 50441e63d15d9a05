// mapped_file reads small files and maps large ones. It detects that a program wrote into a mapped file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include <neardup/storage/mapped_file.hpp>

#include "catch.hpp"
#include "support/temporary_folder.hpp"

namespace {

std::string contents_of(const neardup::mapped_file& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void write_over(const std::string& path, std::size_t at, const std::string& bytes) {
  // Sets another modification time, because the clock of the file system may be coarse.
  std::filesystem::last_write_time(path, std::filesystem::file_time_type{});
  std::string all = support::read_bytes(path);
  all.replace(at, bytes.size(), bytes);
  std::FILE* const file = std::fopen(path.c_str(), "r+b");
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(all.data(), 1, all.size(), file) == all.size());
  std::fclose(file);
}

}  // namespace

TEST_CASE("a file of any size is there as it is") {
  const support::temporary_folder folder;
  const std::size_t most = neardup::mapped_file::most_read;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, most - 1, most, most + 1, 3 * most}) {
    std::string bytes(size, 'x');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i % 251);
    support::write_bytes(folder / "file", bytes);
    neardup::mapped_file file(folder / "file");
    CAPTURE(size);
    CHECK(contents_of(file) == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % 64 == 0);
    CHECK_NOTHROW(file.check());
    neardup::mapped_file moved(std::move(file));
    CHECK(contents_of(moved) == bytes);
    CHECK(file.bytes().empty());  // NOLINT(bugprone-use-after-move): it is empty then
  }
}

TEST_CASE("a mapped file that is written into is told from one that another file took the place of") {
  const support::temporary_folder folder;
  const std::string path = folder / "file", large(2 * neardup::mapped_file::most_read, 'x'), small(1000, 'y');
  for (const bool is_large : {true, false}) {
    const std::string& bytes = is_large ? large : small;
    const auto throws = [&](const neardup::mapped_file& file) {
      try {
        file.check();
        return false;
      } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()).starts_with(path + ": was changed in place"));
        return true;
      }
    };
    support::write_bytes(path, bytes);
    {
      const neardup::mapped_file file(path);
      write_over(path, 10, "changed");
      CHECK(throws(file) == is_large);
      if (!is_large) CHECK(contents_of(file) == bytes);
    }
    {
      const neardup::mapped_file file(path);
      std::filesystem::resize_file(path, bytes.size() / 2);
      CHECK(throws(file) == is_large);
    }
    support::write_bytes(path, bytes);
    {
      const neardup::mapped_file file(path);
      support::write_bytes(folder / "other", "something else");
      std::filesystem::rename(folder / "other", path);
      CHECK_FALSE(throws(file));
      CHECK(contents_of(file) == bytes);
      std::filesystem::remove(path);
      CHECK_FALSE(throws(file));
    }
  }
}
