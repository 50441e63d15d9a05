// Attachments: bytes of the program in the file of a list of fingerprints.
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/storage.hpp>

#include "catch.hpp"
#include "support/temporary_folder.hpp"

namespace {

const neardup::fingerprint_composition attached_to{.tokenizer = "any"};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

template <class Work>
std::string error_of_call(const Work& work) {
  try {
    work();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("attachments come back as they were written, and damage is told by the name of the file") {
  const support::temporary_folder folder;
  const std::string path = folder / "attached";
  const std::array<std::string, 3> written{"one", "", std::string(1000, 'x')};
  std::vector<std::span<const std::byte>> parts;
  for (const std::string& part : written) parts.push_back(std::as_bytes(std::span(part)));
  neardup::save_attachments(path, 128, 7, attached_to, parts);
  {
    const neardup::attachment_file file{neardup::mapped_file(path)};
    file.verify();
    CHECK(file.bits() == 128);
    CHECK(file.count() == 7);
    CHECK(file.made_of() == attached_to);
    CHECK(file.path() == path);
    for (std::size_t i = 0; i < written.size(); ++i) CHECK(text_of(file.attachment(i)) == written[i]);
    CHECK(file.attachment(3).empty());
  }
  const std::string whole = read(path);
  const auto open = [&] { neardup::attachment_file{neardup::mapped_file(path)}.verify(); };
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    write(path, whole.substr(0, size));
    CHECK(error_of_call(open).find(path) != std::string::npos);
  }
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write(path, damaged);
    CHECK(error_of_call(open).find(path) != std::string::npos);
  }
  // One attachment is verified without the others.
  const auto verify_one = [&](std::size_t i) {
    return error_of_call([&] { neardup::attachment_file{neardup::mapped_file(path)}.verify(i); });
  };
  std::string damaged = whole;
  damaged.back() = 'y';
  write(path, damaged);
  CHECK(verify_one(0).empty());
  CHECK(verify_one(1).empty());
  CHECK(verify_one(2).find(path) != std::string::npos);
  CHECK(verify_one(3).empty());
  neardup::save_list<64>(path, {}, attached_to);
  CHECK(error_of_call(open).find("holds a list of fingerprints") != std::string::npos);
  neardup::save_attachments(path, 64, 0, attached_to, {});
  CHECK_NOTHROW(open());
}
