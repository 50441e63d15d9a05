// Real texts for benchmarks. They are on any Debian machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "mixing.hpp"

namespace neardup_bench {

struct corpus {
  std::string name;
  std::vector<std::string> documents;
  std::size_t bytes = 0;    // size of all documents
  std::size_t longest = 0;  // bytes of the longest document

  void add(std::string text) {
    bytes += text.size();
    longest = (std::max)(longest, text.size());
    documents.push_back(std::move(text));
  }
};

inline constexpr std::size_t corpus_bytes = 20'000'000;

/// Returns the regular files below `folder` for which `wanted(name)` is true, sorted by path, up to 20 MB in all.
template <class Wanted>
corpus read_folder(const std::string& name, const std::filesystem::path& folder, Wanted&& wanted) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(
           folder, std::filesystem::directory_options::skip_permission_denied, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_regular_file(error) && !it->is_symlink(error) && wanted(it->path())) paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  corpus result{name, {}, 0, 0};
  for (const auto& path : paths) {
    if (result.bytes >= corpus_bytes) break;
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!text.empty()) result.add(std::move(text));
  }
  return result;
}

inline corpus read_variable(const char* variable, const std::string& name) {
  const char* const folder = std::getenv(variable);
  if (folder == nullptr) return {name, {}, 0, 0};
  return read_folder(folder, folder, [](const auto&) { return true; });
}

/// Returns the texts of the folder that NEARDUP_BENCH_CORPUS names. Without this variable, returns the licence texts of
/// installed packages.
inline corpus english_corpus() {
  corpus result = read_variable("NEARDUP_BENCH_CORPUS", "en");
  if (!result.documents.empty()) return result;
  return read_folder("licences", "/usr/share/doc",
                     [](const std::filesystem::path& path) { return path.filename() == "copyright"; });
}

/// Returns the texts of the folder that NEARDUP_BENCH_CORPUS_ZH names (bench/make_corpus.py makes such a folder), or
/// none.
inline corpus chinese_corpus() { return read_variable("NEARDUP_BENCH_CORPUS_ZH", "zh"); }

/// Returns the first `size` bytes of all documents, one after the other.
inline std::string joined(const corpus& texts, std::size_t size) {
  std::string result;
  for (const std::string& text : texts.documents) {
    if (result.size() >= size) break;
    result += text;
  }
  result.resize(size);
  return result;
}

/// Returns the same texts, cut into documents of `size` bytes.
inline corpus cut(const corpus& texts, std::size_t size) {
  corpus result{texts.name, {}, 0, 0};
  for (const std::string& text : texts.documents) {
    for (std::size_t i = 0; i + size <= text.size(); i += size) result.add(text.substr(i, size));
  }
  return result;
}

/// Returns a table of exactly 100,000 terms: the words of the texts, and then terms that no text has.
inline neardup::idf_table idf_table_of(const corpus& texts) {
  constexpr std::size_t size = 100'000;
  neardup::idf_learner learner;
  for (const std::string& text : texts.documents) learner.add(neardup::words{}, text);
  std::uint64_t min_documents = 1;
  while (learner.table(min_documents).size() > size) ++min_documents;
  const neardup::idf_table learned = learner.table(min_documents);
  std::string lines = learned.to_text();
  // Words contain no blank, so these terms differ from all words.
  for (std::size_t i = learned.size(); i < size; ++i) lines += "no word " + std::to_string(i) + " 7.5\n";
  return neardup::idf_table::parse(lines);
}

/// Hashes for benchmarks of counting, with the alignment at which kernels are fastest.
struct hashes {
  alignas(64) std::uint64_t values[16384];

  hashes() {
    for (std::size_t i = 0; i < std::size(values); ++i) values[i] = mix(i);
  }
};

}  // namespace neardup_bench
