// Fuzzes the service's reader of HTTP requests: from a connection it reads the same requests whatever the sizes of the
// pieces in which their bytes arrive.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "docid_service/http/connection.hpp"
#include "docid_service/http/request.hpp"

namespace {

std::array<std::size_t, 2> piece_sizes{};  // the next recv() returns at most so many bytes; 0: no limit
std::size_t pieces = 0;

/// The bytes that a client sends. For long heads and bodies, a byte 1 with a byte n repeats the byte before them 256 n
/// times.
std::string sent(std::string_view input) {
  std::string result;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] == '\x01' && i + 1 < input.size() && !result.empty() && result.size() < (std::size_t{1} << 17)) {
      result.append(std::size_t{256} * static_cast<unsigned char>(input[++i]), result.back());
    } else {
      result += input[i];
    }
  }
  return result;
}

struct conversation {
  std::string requests;  // written one after the other
  int refused = 0;       // status of the request that was refused, if any
};

/// Whether the same requests were read. Which status refuses what is wrong depends on how much of it has arrived; so
/// does whether a head is too long, since the parser does not count the first line if it arrives alone.
bool agree(const conversation& one, const conversation& other) {
  const auto is_too_long = [](const conversation& c) { return c.refused == 414 || c.refused == 431; };
  if (is_too_long(one) || is_too_long(other)) {
    return one.requests.starts_with(other.requests) || other.requests.starts_with(one.requests);
  }
  return one.requests == other.requests && (one.refused == 0) == (other.refused == 0);
}

/// Reads requests as the service does, up to the first one that is refused.
conversation read_all(std::string_view bytes, std::array<std::size_t, 2> sizes) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
  const int most = 1 << 20;
  ::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &most, sizeof(most));
  const docid::owned_descriptor sender(ends[1]);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::send(ends[1], bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) break;  // more than fits is cut off, in all runs at the same place
    done += static_cast<std::size_t>(count);
  }
  ::shutdown(ends[1], SHUT_WR);
  piece_sizes = sizes;
  pieces = 0;

  using std::chrono::seconds;
  static const docid::stop_order stop;
  docid::connection client(ends[0], stop, seconds(1));
  std::vector<char> buffer(std::size_t{64} << 10);
  docid::request_reader reader(client, buffer, seconds(10));
  conversation result;
  try {
    while (const auto asked = reader.next()) {
      std::string& out = result.requests;
      out += asked->method + '\n' + asked->path + '\n';
      for (const auto& [name, value] : asked->parameters) out += name + '=' + value + '\n';
      out += asked->content_type + '\n' + (asked->length ? std::to_string(*asked->length) : "-") + '\n';
      for (const bool is : {asked->has_body, asked->has_range, asked->is_http_1_0, asked->keeps_open}) out += "01"[is];
      std::string body;
      reader.read_body([&](std::string_view part) {
        body += part;
        return true;
      });
      out += '\n' + body + "\n\n";
      if (asked->length && *asked->length != body.size()) {
        std::fputs("a body that differs from its length\n", stderr);
        std::abort();
      }
      if (!reader.is_whole()) {
        std::fputs("a request is not whole behind its body\n", stderr);
        std::abort();
      }
      if (!asked->keeps_open) break;
    }
  } catch (const docid::refusal& error) {
    result.refused = error.status;
  }
  return result;
}

}  // namespace

extern "C" {
// The linker calls these instead of recv().
ssize_t __real_recv(int socket, void* to, std::size_t size, int flags);
ssize_t __wrap_recv(int socket, void* to, std::size_t size, int flags) {
  const std::size_t most = piece_sizes[pieces++ % 2];
  return __real_recv(socket, to, most == 0 ? size : std::min(size, most), flags);
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string bytes = sent({reinterpret_cast<const char*>(data) + 2, size - 2});
  // Small pieces of many bytes would take long.
  const std::size_t least = 1 + bytes.size() / 4096;
  const auto piece = [&](std::size_t which) { return least + data[which] * std::size_t{data[which]} / 16; };
  const conversation whole = read_all(bytes, {0, 0});
  for (const auto& sizes :
       {std::array{piece(0), piece(1)}, std::array{least, least}, std::array{least, bytes.size()}}) {
    const conversation other = read_all(bytes, sizes);
    if (agree(whole, other)) continue;
    std::fprintf(stderr, "as one piece:\n%s%d\nin pieces of %zu and %zu bytes:\n%s%d\n", whole.requests.c_str(),
                 whole.refused, sizes[0], sizes[1], other.requests.c_str(), other.refused);
    std::abort();
  }
  return 0;
}
