// The core of a service. Documents with URLs are added, changed and removed. Many threads search. The number of
// documents is limited. After a restart, the service has the same documents. `10_service 1000000` uses that many
// documents, and prints how long the restart takes.

#include <neardup/neardup.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace neardup;

using by_url = decltype(make_deduplicator<std::string>(jaccard{0.9}));
using pages_type = guarded<durable_deduplicator<stream_deduplicator<by_url>>>;

// Opens the saved documents, or starts empty.
pages_type open_pages(const std::string& path) {
  stream_deduplicator bounded(make_deduplicator<std::string>(jaccard{0.9}), {.max_documents = 10'000'000});
  return pages_type(path, std::move(bounded));
}

std::string text_of(std::size_t i) {
  std::string text;
  for (std::size_t word = 0; word < 30; ++word) text += "word" + std::to_string(i * 31 + word) + ' ';
  return text;
}
std::string url_of(std::size_t i) { return "https://example.org/" + std::to_string(i); }

}  // namespace

int main(int count, char** arguments) {
  const std::size_t documents = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
  const std::string path = (std::filesystem::temp_directory_path() / "neardup_tour_service").string();
  for (const char* const ending : {"", ".log"}) std::filesystem::remove(path + ending);
  {
    pages_type pages = open_pages(path);
    std::vector<std::string> texts, urls;
    for (std::size_t i = 0; i < documents; ++i) {
      texts.push_back(text_of(i));
      urls.push_back(url_of(i));
    }
    std::uint64_t now = 0;
    pages.add_batch(texts, urls, threads{}, ++now);
    pages.replace(text_of(documents + 1), url_of(7), ++now);  // an update
    pages.erase(url_of(8));
    pages.write([](auto& all) { all.save(); });  // called from time to time, so that the log does not grow forever
    pages.replace(text_of(documents + 2), url_of(9), ++now);
  }
  const auto begin = std::chrono::steady_clock::now();
  pages_type pages = open_pages(path);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cerr << "started again with " << pages.size() << " documents in " << took.count() << " s\n";

  // Any thread may search while other threads add documents.
  std::vector<std::string> answers(5);
  std::vector<std::thread> askers;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    askers.emplace_back([&, i] {
      const std::size_t number = i < 3 ? 5 + i : documents + i - 2;
      answers[i] = pages.find(text_of(number)).original.value_or("none");
    });
  }
  for (std::thread& asker : askers) asker.join();
  for (const std::string& answer : answers) std::cout << answer << '\n';
  // prints: https://example.org/5
  // prints: https://example.org/6
  // prints: none
  // prints: https://example.org/7
  // prints: https://example.org/9
  std::cout << pages.replace(text_of(8), "https://example.org/new", 4).is_new() << '\n';  // prints: 1
  std::cout << pages.find(text_of(8)).original.value_or("none") << '\n';  // prints: https://example.org/new
  for (const char* const ending : {"", ".log"}) std::filesystem::remove(path + ending);
}
