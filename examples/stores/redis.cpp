// Near-duplicates in Redis (Debian: libhiredis-dev, redis-server), as in the published descriptions: There is a set for
// each value in each of 4 or 10 tables. The program starts a server on a socket in a new folder.
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "check_store.hpp"

namespace {

constexpr int skipped = 77;

class redis_server {
 public:
  explicit redis_server(const std::string& folder) : child_(fork()) {
    if (child_ < 0) throw std::runtime_error("cannot fork");
    if (child_ != 0) return;
    const std::string socket = folder + "/socket";
    execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--save", "", "--dir",
           folder.c_str(), "--logfile", "log", static_cast<char*>(nullptr));
    _exit(skipped);
  }
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;
  ~redis_server() {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  /// Returns true if this machine has no redis-server.
  [[nodiscard]] bool is_missing() {
    int status = 0;
    if (child_ == 0 || waitpid(child_, &status, WNOHANG) != child_) return child_ == 0;
    child_ = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == skipped;
  }

 private:
  pid_t child_;
};

class redis_sets_store {
 public:
  explicit redis_sets_store(redisContext* context) : context_(context) {}

  void add(const std::string& key, const std::string& member) { ask("SADD", key, &member); }
  void remove(const std::string& key, const std::string& member) { ask("SREM", key, &member); }
  std::vector<std::string> members(const std::string& key) {
    const auto reply = ask("SMEMBERS", key, nullptr);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < reply->elements; ++i)
      result.emplace_back(reply->element[i]->str, reply->element[i]->len);
    return result;
  }

 private:
  using reply_pointer = std::unique_ptr<redisReply, void (*)(void*)>;

  reply_pointer ask(const char* command, const std::string& key, const std::string* member) {
    const char* words[] = {command, key.data(), member != nullptr ? member->data() : nullptr};
    const std::size_t sizes[] = {std::string_view(command).size(), key.size(), member != nullptr ? member->size() : 0};
    const int count = member != nullptr ? 3 : 2;
    reply_pointer reply(static_cast<redisReply*>(redisCommandArgv(context_, count, words, sizes)), freeReplyObject);
    if (!reply) throw std::runtime_error(context_->errstr);
    if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error(reply->str);
    return reply;
  }

  redisContext* context_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = count_of(argc, argv);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("neardup_example_redis" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  int result = EXIT_FAILURE;
  {
    redis_server server(folder.string());
    std::unique_ptr<redisContext, void (*)(redisContext*)> context(nullptr, redisFree);
    for (int tries = 0; tries < 3000 && result != skipped; ++tries) {
      context.reset(redisConnectUnix((folder / "socket").c_str()));
      if (context && context->err == 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (server.is_missing()) result = skipped;
    }
    if (result == skipped) {
      std::puts("skipped: redis-server is not there");
    } else if (!context || context->err != 0) {
      std::puts("redis-server does not answer");
    } else {
      redis_sets_store sets(context.get());
      const bool same = check_stored("Redis", published::redis_sets<redis_sets_store>(sets, 4), 3, 4, count) &&
                        check_stored("Redis", published::redis_sets<redis_sets_store>(sets, 5), 3, 5, count);
      if (!same) std::puts("not the same");
      if (same) result = EXIT_SUCCESS;
    }
  }
  std::filesystem::remove_all(folder);
  return result;
}
