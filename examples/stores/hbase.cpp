// Near-duplicates in HBase (from Maven Central; needs Java and Maven), as in the published descriptions: A row key has
// 4 bytes of the segment, 1 byte of the flag and 8 bytes of the fingerprint. A query scans each of 4 or 10 tables. An
// id is the name of a column. So the row is not read when an id is added, and several programs can write to one row.
//   hbase SERVER_SCRIPT JARS [COUNT]
// SERVER_SCRIPT is hbase/hbase_server.py, and JARS is its folder for jars. The program starts a server with a new
// folder for data, and kills the server during writes.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "check_store.hpp"
#include "hbase/hbase_client.hpp"

namespace {

constexpr int skipped = 77;

class hbase_server {
 public:
  /// Starts a server. If the folder is of an earlier server, the new server has the same data and address.
  hbase_server(const char* script, const char* jars, const std::string& folder) : child_(fork()) {
    if (child_ < 0) throw std::runtime_error("cannot fork");
    if (child_ != 0) return;
    execlp("python3", "python3", script, jars, folder.c_str(), static_cast<char*>(nullptr));
    _exit(skipped);
  }
  hbase_server(const hbase_server&) = delete;
  hbase_server& operator=(const hbase_server&) = delete;
  ~hbase_server() { kill_it(); }

  void kill_it() {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  [[nodiscard]] pid_t number() const { return child_; }

  /// Returns the exit status of the process, or nullopt while it runs.
  [[nodiscard]] std::optional<int> status() {
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) != child_) return std::nullopt;
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
  }

 private:
  pid_t child_;
};

class article_rows {
 public:
  article_rows(hbase::table& table, int blocks) : table_(table), tables_(blocks) {}

  void insert(const published::fingerprint& print, std::uint64_t id) {
    for (int flag = 1; flag <= tables_.count(); ++flag) table_.put(key_of(print, flag), published::bytes_of(id, 8), "");
    flush_if_many();
  }
  void erase(const published::fingerprint& print, std::uint64_t id) {
    for (int flag = 1; flag <= tables_.count(); ++flag) table_.erase(key_of(print, flag), published::bytes_of(id, 8));
    flush_if_many();
  }
  void flush() { table_.flush(); }
  /// Flushes the buffered changes, then searches. Returns: the matches within k bits. Precondition: k <= 3.
  std::vector<published::match> search(const published::fingerprint& query, int k) {
    flush();
    std::vector<hbase::row_range> ranges;
    for (int flag = 1; flag <= tables_.count(); ++flag)
      ranges.push_back({prefix_of(query, flag), prefix_of(query, flag, 1)});
    std::vector<published::match> found;
    int flag = 0;
    for (const std::vector<hbase::cell>& cells : table_.scan(ranges)) {
      ++flag;
      for (const hbase::cell& one : cells) {
        const published::fingerprint other(published::number_in(std::string_view(one.row).substr(5)));
        const int distance = hamming_distance(query, other);
        if (distance <= k && tables_.is_first(query, other, flag))
          found.push_back({published::number_in(one.column), distance});
      }
    }
    return found;
  }

  [[nodiscard]] std::string key_of(const published::fingerprint& print, int flag) const {
    return prefix_of(print, flag) + published::bytes_of(print.to_uint64(), 8);
  }
  [[nodiscard]] int tables() const { return tables_.count(); }

 private:
  [[nodiscard]] std::string prefix_of(const published::fingerprint& print, int flag, int more = 0) const {
    return published::bytes_of(tables_.value(print, flag), 4) + static_cast<char>(flag + more);
  }
  void flush_if_many() {
    constexpr std::size_t many = 100000;  // bytes of changes that are sent together
    if (table_.waiting_bytes() >= many) flush();
  }

  hbase::table& table_;
  published::tables tables_;
};

class hbase_test {
 public:
  hbase_test(const char* script, const char* jars, std::string folder)
      : script_(script), jars_(jars), folder_(std::move(folder)) {}

  /// Returns: EXIT_SUCCESS, EXIT_FAILURE, or `skipped`.
  int run(std::uint64_t count) {
    hbase_server server(script_, jars_, folder_);
    while (!std::filesystem::exists(folder_ + "/address")) {
      if (const auto status = server.status()) return *status;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (const int blocks : {4, 5}) {
      hbase::table table = opened("simhash" + std::to_string(blocks));
      table.create();
      if (!check_key(table, blocks) || !check_stored("HBase", article_rows(table, blocks), 3, blocks, count)) {
        std::puts("not the same");
        return EXIT_FAILURE;
      }
    }
    // After each kill, HBase has to start again, which is slow. So short tests (NEARDUP_EXHAUSTIVE=0) have no kills.
    const char* exhaustive = std::getenv("NEARDUP_EXHAUSTIVE");
    const std::string_view wanted = exhaustive != nullptr ? exhaustive : "";
    const int kills = wanted == "1" ? 10 : wanted == "0" ? 0 : 1;
    return is_kept_through_kills(server, kills) ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  [[nodiscard]] hbase::table opened(const std::string& name,
                                    std::chrono::seconds patience = std::chrono::seconds(120)) {
    std::string address;
    std::ifstream(folder_ + "/address") >> address;
    return hbase::table({.master = address, .name = name, .family = "i", .patience = patience});
  }

  /// Checks the bytes of a row's key in the first and in the last table.
  static bool check_key(hbase::table& table, int blocks) {
    const article_rows rows(table, blocks);
    const published::fingerprint print(0x1234567890abcdefU);
    const std::string bytes = "\x12\x34\x56\x78\x90\xab\xcd\xef";
    return rows.key_of(print, 1) == std::string(blocks == 4 ? "\0\0\x12\x34\1" : "\0\x48\xd1\x59\1", 5) + bytes &&
           rows.key_of(print, rows.tables()) ==
               std::string(blocks == 4 ? "\0\0\xcd\xef\4" : "\0\xab\xcd\xef\12", 5) + bytes;
  }

  /// Kills HBase while rows are written, and starts it again, `kills` times.
  /// Returns: true if HBase still has all acknowledged rows.
  bool is_kept_through_kills(hbase_server& first, int kills) {
    std::mt19937_64 random(11);
    std::set<std::pair<std::string, std::string>> acknowledged;
    opened("killed").create();
    pid_t running = first.number();
    std::unique_ptr<hbase_server> again;
    for (int round = 0; round < kills; ++round) {
      std::thread killer([running, wait = 300 + random() % 700] {
        std::this_thread::sleep_for(std::chrono::milliseconds(wait));
        kill(running, SIGKILL);
      });
      write_until_it_fails(random, acknowledged);
      killer.join();
      first.kill_it();
      again.reset();
      again = std::make_unique<hbase_server>(script_, jars_, folder_);
      running = again->number();
      auto left = acknowledged;
      const std::vector<std::vector<hbase::cell>> found = opened("killed").scan({{"", ""}});
      for (const hbase::cell& one : found.front()) left.erase({one.row, one.column});
      std::printf("HBase, killed while it was written to: %zu of %zu acknowledged cells are there\n",
                  acknowledged.size() - left.size(), acknowledged.size());
      if (!left.empty() || acknowledged.empty()) return false;
    }
    return true;
  }

  void write_until_it_fails(std::mt19937_64& random, std::set<std::pair<std::string, std::string>>& acknowledged) {
    hbase::table table = opened("killed", std::chrono::seconds(0));
    const published::tables tables(4);
    try {
      while (true) {
        std::vector<std::pair<std::string, std::string>> batch;
        for (int i = 0; i < 5; ++i) {
          const published::fingerprint print(random());
          const std::string id = published::bytes_of(random(), 8);
          for (int flag = 1; flag <= tables.count(); ++flag) {
            batch.emplace_back(article_rows(table, 4).key_of(print, flag), id);
            table.put(batch.back().first, id, "");
          }
        }
        table.flush();
        acknowledged.insert(batch.begin(), batch.end());
      }
    } catch (const hbase::error&) {  // the server was killed
    }
  }

  const char* script_;
  const char* jars_;
  std::string folder_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::puts("usage: hbase SERVER_SCRIPT JARS [COUNT]");
    return EXIT_FAILURE;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("neardup_example_hbase" + std::to_string(getpid()));
  int result = EXIT_FAILURE;
  try {
    result = hbase_test(argv[1], argv[2], folder.string()).run(count_of(argc, argv, 3));
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  if (result == EXIT_FAILURE) {
    std::ifstream log(folder / "log");
    const std::string text((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
    std::printf("%s\n", text.substr(text.size() - std::min<std::size_t>(text.size(), 3000)).c_str());
  }
  std::filesystem::remove_all(folder);
  return result;
}
