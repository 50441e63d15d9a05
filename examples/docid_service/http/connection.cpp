#include "connection.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace docid {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds least_to_write{1};  // least time to write an answer after the order to stop
constexpr std::chrono::seconds linger{2};          // time for a client that neither sends nor closes

int new_event() {
  const int result = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (result < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return result;
}

/// Returns the milliseconds left until `until`, for poll(). They are rounded up so that the wait does not end early.
int milliseconds_until(moment until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

moment after(std::chrono::seconds span) { return steady_clock::now() + span; }

}  // namespace

owned_descriptor::~owned_descriptor() { ::close(number_); }

stop_order::stop_order() : event_(new_event()) {}

void stop_order::give(std::chrono::seconds grace) {
  moment none = moment::max();
  if (!limit_.compare_exchange_strong(none, after(grace))) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.number(), &one, sizeof(one));  // cannot fail: the counter is 0
}

/// Waits until the socket is ready for `events`. The order to stop may change the limit, so limit() is called again
/// when the order is given.
/// Returns: false once limit() has passed.
template <class Limit>
bool connection::wait(short events, const Limit& limit) const {
  while (true) {
    const bool is_stopping = stop_->is_given();
    const moment until = limit();
    std::array<pollfd, 2> watched = {{{socket_.number(), events, 0}, {stop_->descriptor(), POLLIN, 0}}};
    // After the order to stop, its descriptor is not polled, because it stays readable and would end each wait at once.
    const int found = ::poll(watched.data(), is_stopping ? 1 : 2, milliseconds_until(until));
    if (found < 0 && errno != EINTR) return false;
    if (found > 0 && watched[0].revents != 0) return true;
    if (is_stopping == stop_->is_given() && steady_clock::now() >= until) return false;
  }
}

template <class Limit>
connection::arrived connection::read_until(char* place, std::size_t size, const Limit& limit) const {
  while (true) {
    const ssize_t got = ::recv(socket_.number(), place, size, 0);
    if (got > 0) return {static_cast<std::size_t>(got), ending::none};
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return {0, ending::closed};
    if (!wait(POLLIN, limit)) return {0, ending::silent};
  }
}

connection::arrived connection::read(char* place, std::size_t size, moment deadline) {
  const auto is_late = [&] { return steady_clock::now() >= std::min(deadline, stop_->limit()); };
  if (is_late()) return {0, ending::late};  // even if bytes are there, because a client could always send another byte
  const moment silent = after(silence_);
  const arrived result = read_until(place, size, [&] { return std::min({silent, deadline, stop_->limit()}); });
  return result.why == ending::silent && is_late() ? arrived{0, ending::late} : result;
}

connection::arrived connection::read_first(char* place, std::size_t size) {
  const moment silent = after(silence_);
  return read_until(place, size, [&] { return stop_->is_given() ? moment() : silent; });
}

bool connection::write(std::initializer_list<std::string_view> parts, moment deadline) {
  std::array<iovec, 4> pieces{};
  iovec* end = pieces.data();
  for (const std::string_view part : parts) {
    if (!part.empty()) *end++ = {const_cast<char*>(part.data()), part.size()};
  }
  const moment least = after(least_to_write);
  const auto limit = [&] { return std::min(deadline, std::max(stop_->limit(), least)); };
  for (iovec* next = pieces.data(); next != end;) {
    msghdr message{};
    message.msg_iov = next;
    message.msg_iovlen = static_cast<std::size_t>(end - next);
    const ssize_t sent = ::sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      const moment silent = after(silence_);
      if (!wait(POLLOUT, [&] { return std::min(silent, limit()); })) return false;
      continue;
    }
    auto left = static_cast<std::size_t>(sent);
    for (; next != end && left >= next->iov_len; ++next) left -= next->iov_len;
    if (next == end) return true;
    next->iov_base = static_cast<char*>(next->iov_base) + left;
    next->iov_len -= left;
    if (steady_clock::now() >= limit()) return false;
  }
  return true;
}

void connection::finish(moment deadline, std::size_t most) {
  ::shutdown(socket_.number(), SHUT_WR);
  std::array<char, 16384> dropped;
  while (most > 0) {
    const moment silent = after(linger);
    const auto limit = [&] { return std::min({silent, deadline, stop_->limit()}); };
    const std::size_t got = read_until(dropped.data(), std::min(most, dropped.size()), limit).size;
    if (got == 0 || steady_clock::now() >= limit()) return;
    most -= got;
  }
}

}  // namespace docid
