// A part of a service: documents come, change and go, under their URLs; many threads ask; and after a restart it goes on
// where it was. `10_service 1000000` does it with so many documents, and says how long the restart takes.

#include <neardup/neardup.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace neardup;

class service {
 public:
  // What was saved, or nothing yet.
  explicit service(std::string path) : path_(std::move(path)) {
    if (!std::filesystem::exists(path_)) return;
    state_.write([&](state& s) {
      s.index = load<index_type>(path_, composition_of(hash_));
      const index_view<64> file{mapped_file(path_)};
      const auto names = file.attachment(0);
      const std::string_view text(reinterpret_cast<const char*>(names.data()), names.size());
      // A line for each number, empty if it is free. The names come back in an order that gives them their numbers.
      std::vector<std::string> unused;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        std::string name(text.substr(at, end - at));
        if (name.empty()) unused.push_back(name = "\n" + std::to_string(at));
        s.names.add(name);
        at = end + 1;
      }
      for (const std::string& name : unused) s.names.erase(name);
    });
  }

  // A document is new, or has another text.
  void put(std::string_view url, std::string_view text) {
    const auto fingerprint = hash_(text);
    state_.write([&](state& s) {
      if (fingerprint) {
        s.index.insert_or_assign(*fingerprint, s.names.add(url));
      } else {
        s.remove(url);
      }
    });
  }
  void remove(std::string_view url) {
    state_.write([&](state& s) { s.remove(url); });
  }
  // The nearest document that is within three bits.
  std::optional<std::string> nearest(std::string_view text) const {
    const auto fingerprint = hash_(text);
    if (!fingerprint) return std::nullopt;
    return state_.read([&](const state& s) -> std::optional<std::string> {
      const auto match = s.index.nearest(*fingerprint);
      if (!match) return std::nullopt;
      return std::string(s.names[match->id]);
    });
  }
  std::size_t size() const {
    return state_.read([](const state& s) { return s.index.size(); });
  }
  // Readers go on meanwhile.
  void save() const {
    state_.read([&](const state& s) {
      std::uint32_t numbers = 0;
      for (const auto& [fingerprint, id] : s.index) numbers = std::max(numbers, id + 1);
      std::string names;
      for (std::uint32_t id = 0; id < numbers; ++id) {
        if (s.index.contains(id)) names += s.names[id];
        names += '\n';
      }
      const std::span<const std::byte> attachment = std::as_bytes(std::span(names));
      neardup::save(path_, s.index, composition_of(hash_), {&attachment, 1});
    });
  }

 private:
  using index_type = keyed_index<pigeonhole_index<64>>;

  struct state {
    index_type index;
    string_ids names;

    void remove(std::string_view url) {
      if (const auto id = names.find(url)) index.erase(*id);
      names.erase(url);
    }
  };

  std::string path_;
  simhasher<shingles<normalised<words>>> hash_;
  guarded<state> state_;
};

std::string text_of(std::size_t i) {
  std::string text;
  for (std::size_t word = 0; word < 30; ++word) text += "word" + std::to_string(i * 31 + word) + ' ';
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t documents = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
  const std::string path = (std::filesystem::temp_directory_path() / "neardup_tour_service").string();
  std::filesystem::remove(path);
  {
    service pages(path);
    for (std::size_t i = 0; i < documents; ++i) pages.put("https://example.org/" + std::to_string(i), text_of(i));
    pages.put("https://example.org/7", text_of(documents + 1));  // an update
    pages.remove("https://example.org/8");
    pages.save();
  }
  const auto begin = std::chrono::steady_clock::now();
  service pages(path);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cerr << "started again with " << pages.size() << " documents in " << took.count() << " s\n";

  std::cout << pages.nearest(text_of(5)).value_or("none") << '\n';              // prints: https://example.org/5
  std::cout << pages.nearest(text_of(documents + 1)).value_or("none") << '\n';  // prints: https://example.org/7
  std::cout << pages.nearest(text_of(8)).value_or("none") << '\n';              // prints: none
  pages.put("https://example.org/new", text_of(8));
  std::cout << pages.nearest(text_of(8)).value_or("none") << '\n';  // prints: https://example.org/new
  std::filesystem::remove(path);
}
