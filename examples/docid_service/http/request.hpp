// Reads the requests of a connection one after the other, framed as in RFC 9112.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection.hpp"

namespace docid {

/// The exception for a refused request. It has the reason and the status. The connection ends after the answer, because
/// the rest of the request has not been read.
struct refusal : std::runtime_error {
  refusal(int s, const std::string& message) : std::runtime_error(message), status(s) {}
  int status;
};

/// The head of a request.
struct request {
  std::string method;
  std::string path;                                             ///< decoded, without percent-encoding
  std::vector<std::pair<std::string, std::string>> parameters;  ///< parameters of the query, without percent-encoding
  std::string content_type;                                     ///< in lower case
  std::optional<std::uint64_t> length;                          ///< size of the body, if known
  bool has_body = false;
  bool has_range = false;
  bool is_http_1_0 = false;
  bool keeps_open = true;  ///< true if a further request may follow

  /// Returns the first parameter of this name, or nullptr.
  [[nodiscard]] const std::string* parameter(std::string_view name) const;
};

/// Returns the text with percent-encoding decoded. With `is_form`, a plus sign means a space.
std::string decoded(std::string_view text, bool is_form);

class request_reader {
 public:
  /// Makes a reader. `buffer` has at least 64 KiB, and serves one connection at a time.
  request_reader(connection& client, std::vector<char>& buffer, std::chrono::seconds deadline);
  request_reader(const request_reader&) = delete;
  request_reader& operator=(const request_reader&) = delete;
  ~request_reader();

  /// Reads the head of the next request. The deadline starts with the first byte of the request.
  /// Returns: nullopt if no request comes.
  /// Throws: refusal if the head is invalid, incomplete, too long or late.
  /// Precondition: is_whole(), or there was no request yet.
  std::optional<request> next();

  /// Permits the client to send the body, if the client has asked for permission (Expect: 100-continue). Only the first
  /// call has an effect.
  void give_leave();
  /// Calls take(part) for each part of the body, until `take` returns false. Calls give_leave() first.
  /// Throws: refusal if the body is incomplete or late, or if it has more than `most` bytes, as soon as this is known;
  /// exceptions of `take`.
  void read_body(const std::function<bool(std::string_view)>& take,
                 std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  /// Starts the deadline anew for the rest of the body.
  void renew_deadline();
  /// Returns true if the request has been read to its end.
  [[nodiscard]] bool is_whole() const;
  /// Returns true if a request was refused because it came too late.
  [[nodiscard]] bool is_late() const { return is_late_; }

 private:
  class parser;

  void parse();
  connection::ending fill();
  void fill(const char* what);

  connection* client_;
  std::vector<char>* buffer_;
  std::size_t begin_ = 0;  // position of the first unparsed byte
  std::size_t end_ = 0;
  std::chrono::seconds span_;
  moment deadline_;
  bool is_late_ = false;
  std::unique_ptr<parser> parser_;
};

}  // namespace docid
