// Saves a dictionary and maps it. The file loads in some milliseconds, and all processes share its memory.
//   saved_dictionary dict.txt words.dictionary    reads dict.txt, of jieba's format, and saves it for --dictionary
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <neardup/neardup.hpp>
#include <neardup/storage/chinese/dictionary_file.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <string>

int main(int count, char** arguments) try {
  using namespace neardup;
  using clock = std::chrono::steady_clock;
  const bool has_files = count == 3;
  const std::string path =
      has_files ? arguments[2] : (std::filesystem::temp_directory_path() / "neardup_example.dictionary").string();

  const auto begin = clock::now();
  const word_dictionary read = has_files ? word_dictionary::load(arguments[1])
                                         : word_dictionary::parse("数据库 500 n\n的 9000 uj\n备份 120 v\n");
  const auto after_reading = clock::now();
  save(path, read);
  const auto before_opening = clock::now();
  const auto words = std::make_shared<const word_dictionary>(open_dictionary(mapped_file(path)));
  const auto after_opening = clock::now();

  const auto milliseconds = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
  std::cerr << "read in " << milliseconds(after_reading - begin) << " ms, mapped in "
            << milliseconds(after_opening - before_opening) << " ms\n";
  std::cout << words->size() << (words->identity() == read.identity() ? " words, the same\n" : " other words\n");
  chinese_words{words}("数据库的备份", [](std::string_view word) { std::cout << word << '\n'; });
  if (!has_files) std::filesystem::remove(path);
  return words->identity() == read.identity() ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) {
  std::cerr << "saved_dictionary: " << error.what() << '\n';
  return EXIT_FAILURE;
}

// prints: 3 words, the same
// prints: 数据库
// prints: 的
// prints: 备份
