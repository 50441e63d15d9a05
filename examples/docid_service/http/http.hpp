// The service over HTTP.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "../decide/service.hpp"

namespace docid {

struct http_options {
  std::string address = "127.0.0.1";
  int port = 8080;
  std::size_t connections = 256;                     ///< served at a time, each by a thread; more get 503
  std::size_t max_body = std::size_t{16} << 20;      ///< bytes of a body, or of a line of JSON Lines
  std::size_t max_waiting = std::size_t{256} << 20;  ///< bytes of all bodies that are being read or decided
  int timeout = 10;                                  ///< seconds that a client may be silent
  int deadline = 60;  ///< seconds for a request to come whole, or for its answer to be taken
};

class http_server {
 public:
  explicit http_server(const http_options& options);
  ~http_server();

  /// Returns: the port, which is another than that of the options only if that is 0.
  /// Throws: std::runtime_error if it is taken, or there is no such address.
  int bind();
  /// Serves until stop(), then finishes what has begun. Clients that came after bind() have waited.
  void run(service& articles);
  /// From any thread, at any time. Connections between two requests end at once. A request that has begun is
  /// answered if all of it arrives within the timeout.
  void stop();

 private:
  struct implementation;
  std::unique_ptr<implementation> own_;
};

}  // namespace docid
