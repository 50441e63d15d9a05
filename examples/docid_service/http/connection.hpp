// A connection to a client. Reads and writes have deadlines.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace docid {

using moment = std::chrono::steady_clock::time_point;

class owned_descriptor {
 public:
  explicit owned_descriptor(int number) : number_(number) {}
  owned_descriptor(const owned_descriptor&) = delete;
  owned_descriptor& operator=(const owned_descriptor&) = delete;
  ~owned_descriptor();
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// The order to stop the service. The order also wakes threads that wait for a client.
class stop_order {
 public:
  /// Makes an order that is not given yet.
  /// Throws: std::system_error if the system has no descriptor left.
  stop_order();

  /// Gives the order to stop. Clients then have `grace` to finish their requests. Only the first call has an effect.
  /// Thread safety: callable from any thread, at any time.
  void give(std::chrono::seconds grace);
  [[nodiscard]] bool is_given() const { return limit() != moment::max(); }
  /// Returns the time by which clients must have finished, or moment::max() before the order.
  [[nodiscard]] moment limit() const { return limit_.load(std::memory_order_acquire); }
  /// Returns a descriptor that becomes readable when the order is given.
  [[nodiscard]] int descriptor() const { return event_.number(); }

 private:
  owned_descriptor event_;
  std::atomic<moment> limit_{moment::max()};
};

/// A connection to a client.
/// Thread safety: one thread may read while another one writes.
class connection {
 public:
  /// The reason why no more can be read. `late`: the deadline, or the limit of the order to stop, has passed.
  enum class ending { none, closed, silent, late };
  struct arrived {
    std::size_t size = 0;  ///< bytes; 0 if and only if the connection has ended
    ending why = ending::none;
  };

  /// Takes over a non-blocking socket. `silence` is the longest wait until a byte arrives, or is sent.
  connection(int socket, const stop_order& stop, std::chrono::seconds silence)
      : socket_(socket), stop_(&stop), silence_(silence) {}

  /// Reads up to `size` bytes, as soon as some are available.
  arrived read(char* place, std::size_t size, moment deadline);
  /// Reads the first bytes of a request, with no limit of time but `silence`. The order to stop ends this wait at once.
  arrived read_first(char* place, std::size_t size);

  /// Writes all parts. After the order to stop, the client has the grace time to take the parts, but at least a second.
  /// Returns: false if the client has not taken the parts by the deadline, or is gone.
  bool write(std::initializer_list<std::string_view> parts, moment deadline);

  /// Ends the connection after an answer. Receives and drops up to `most` bytes that the client is still sending. If
  /// a closed socket received the bytes, the client would get a reset, perhaps in place of the answer (RFC 9112, 9.6).
  void finish(moment deadline, std::size_t most);

 private:
  template <class Limit>
  bool wait(short events, const Limit& limit) const;
  template <class Limit>
  arrived read_until(char* place, std::size_t size, const Limit& limit) const;

  owned_descriptor socket_;
  const stop_order* stop_;
  std::chrono::seconds silence_;
};

}  // namespace docid
