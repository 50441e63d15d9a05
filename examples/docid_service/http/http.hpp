// The HTTP interface of the service.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "../decide/service.hpp"

namespace docid {

struct http_options {
  std::string address = "127.0.0.1";
  int port = 8080;
  std::size_t connections = 256;                 ///< most at a time, each with a thread; further clients get status 503
  std::size_t max_body = std::size_t{16} << 20;  ///< bytes of a body, or of a line of JSON Lines
  std::size_t max_waiting = std::size_t{256} << 20;  ///< bytes of all bodies that are being read or decided
  int timeout = 10;                                  ///< seconds that a client may be silent
  int deadline = 60;  ///< seconds within which a request must arrive completely, or its answer be taken
};

class http_server {
 public:
  explicit http_server(const http_options& options);
  ~http_server();

  /// Lets clients connect. Afterwards, run() serves the clients.
  /// Returns: the port, which differs from the port in the options only if that port is 0.
  /// Throws: std::runtime_error if the port is taken, or there is no such address.
  int bind();
  /// Serves until stop() is called, then finishes the requests that have begun. Clients that connected between bind()
  /// and run() are served, too.
  void run(service& articles);
  /// Ends run(). Idle connections end at once. A request that has begun is answered if it arrives completely within the
  /// timeout.
  /// Thread safety: callable from any thread, at any time.
  void stop();

 private:
  struct implementation;
  std::unique_ptr<implementation> own_;
};

}  // namespace docid
