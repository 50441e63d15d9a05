// Accepts connections, and gives each one to a thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "connection.hpp"

namespace docid {

class listener {
 public:
  /// Makes a listener. Clients can connect at once, and wait to be accepted. Port 0 means any free port.
  /// Throws: std::runtime_error if the port is taken, or there is no such address.
  listener(const std::string& address, int port);
  [[nodiscard]] int port() const;
  [[nodiscard]] int descriptor() const { return socket_.number(); }
  /// Accepts a client.
  /// Returns: its non-blocking socket; -1 if no client waits, or none can be accepted now.
  [[nodiscard]] int accept() const;

 private:
  owned_descriptor socket_;
};

/// Threads that each serve one connection at a time. They are started on demand, and kept.
class connection_threads {
 public:
  connection_threads(std::size_t most, std::function<void(int socket)> serve) : most_(most), serve_(std::move(serve)) {}
  connection_threads(const connection_threads&) = delete;
  connection_threads& operator=(const connection_threads&) = delete;
  ~connection_threads() { join(); }

  /// Gives a socket to a free thread, or to a new one.
  /// Returns: false if all threads are busy and no thread can be started. The caller then keeps the socket.
  bool take(int socket);
  /// Waits until every connection has ended, and ends the threads.
  void join();

 private:
  void run();

  std::size_t most_;
  std::function<void(int socket)> serve_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  std::deque<int> waiting_;
  std::size_t open_ = 0;  // number of connections, including waiting ones
  bool is_ending_ = false;
};

/// Clients for which no thread is free. When a client has sent something, it gets a refusal, and its connection ends.
/// The thread that calls serve() serves all of these clients.
class turned_away {
 public:
  /// Makes an object without connections. A client has `silence` to send something, and the same time to close the
  /// connection after the answer.
  turned_away(std::string answer, std::chrono::seconds silence) : answer_(std::move(answer)), silence_(silence) {}

  /// Takes over the socket.
  void add(int socket);
  /// Waits until a client's socket or one of the descriptors `others` is readable, or a client is late. Serves the
  /// clients.
  /// Returns: the number of clients answered.
  std::size_t serve(std::initializer_list<int> others);

 private:
  struct client {
    std::unique_ptr<owned_descriptor> socket;
    moment until;
    bool is_answered = false;
    std::size_t dropped = 0;  // number of bytes received and dropped
  };

  bool goes_on(client& one, std::size_t& answered) const;

  std::string answer_;
  std::chrono::seconds silence_;
  std::vector<client> clients_;
};

}  // namespace docid
