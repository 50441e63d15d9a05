// A connection to a client. Reads and writes have deadlines.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace docid {

using moment = std::chrono::steady_clock::time_point;

/// A descriptor of the system, closed at the end.
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

/// The order to stop. Threads that wait for a client hear it as well.
class stop_order {
 public:
  /// Throws: std::system_error if the system has no descriptor left.
  stop_order();

  /// Clients have `grace` from now on to finish what they began. Only the first call counts. From any thread, at any time.
  void give(std::chrono::seconds grace);
  [[nodiscard]] bool is_given() const { return limit() != moment::max(); }
  /// Returns: when the clients' time is over; moment::max() before the order is given.
  [[nodiscard]] moment limit() const { return limit_.load(std::memory_order_acquire); }
  /// A descriptor that is readable from the order on.
  [[nodiscard]] int descriptor() const { return event_.number(); }

 private:
  owned_descriptor event_;
  std::atomic<moment> limit_{moment::max()};
};

/// Thread safety: one thread may read while another one writes.
class connection {
 public:
  /// Why nothing more can be read. `late`: the deadline has passed, or the limit of the order to stop.
  enum class ending { none, closed, silent, late };
  struct arrived {
    std::size_t size = 0;  ///< bytes; 0 exactly if the connection has ended
    ending why = ending::none;
  };

  /// Takes over a socket that does not block. `silence` is the longest wait for a byte to come, or to be taken.
  connection(int socket, const stop_order& stop, std::chrono::seconds silence)
      : socket_(socket), stop_(&stop), silence_(silence) {}

  /// Reads up to `size` bytes as soon as some are there.
  arrived read(char* place, std::size_t size, moment deadline);
  /// The same between two requests, when the order to stop ends the wait at once.
  arrived read_first(char* place, std::size_t size);

  /// Writes all parts. Returns: false if the client has not taken them by the deadline, or is gone. After the order to stop
  /// the client has its time, and a second at least.
  bool write(std::initializer_list<std::string_view> parts, moment deadline);

  /// Ends the connection after an answer. Bytes that are still on their way are dropped, up to `most`: if they met a closed
  /// socket, the client would be told of a reset, perhaps instead of the answer (RFC 9112, 9.6).
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
