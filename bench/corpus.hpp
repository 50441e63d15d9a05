// Real texts of a Debian machine to measure with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace neardup_bench {

struct corpus {
  std::string name;
  std::vector<std::string> documents;
  std::size_t bytes = 0;    // of all documents
  std::size_t longest = 0;  // bytes of the longest one

  void add(std::string text) {
    bytes += text.size();
    longest = (std::max)(longest, text.size());
    documents.push_back(std::move(text));
  }
};

inline constexpr std::size_t corpus_bytes = 20'000'000;

/// The regular files below `folder` whose name satisfies `wanted`, in the order of their paths, up to 20 MB.
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

/// The licence texts of the installed packages, unless NEARDUP_BENCH_CORPUS names a folder.
inline corpus english_corpus() {
  corpus result = read_variable("NEARDUP_BENCH_CORPUS", "en");
  if (!result.documents.empty()) return result;
  return read_folder("licences", "/usr/share/doc",
                     [](const std::filesystem::path& path) { return path.filename() == "copyright"; });
}

/// The Chinese manual pages, unpacked by tools; a folder named by NEARDUP_BENCH_CORPUS_ZH.
inline corpus chinese_corpus() { return read_variable("NEARDUP_BENCH_CORPUS_ZH", "zh"); }

/// The same text in documents of `size` bytes each.
inline corpus cut(const corpus& texts, std::size_t size) {
  corpus result{texts.name + " cut", {}, 0, 0};
  for (const std::string& text : texts.documents) {
    for (std::size_t i = 0; i + size <= text.size(); i += size) result.add(text.substr(i, size));
  }
  return result;
}

}  // namespace neardup_bench
