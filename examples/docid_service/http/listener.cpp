#include "listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace docid {

namespace {

using std::chrono::steady_clock;

constexpr int most_to_accept = 1024;            // length of the queue of clients that wait to be accepted
constexpr std::size_t most_turned_away = 4096;  // clients refused at a time; further clients are just closed
constexpr std::size_t most_dropped = std::size_t{16} << 20;

int listening_socket(const std::string& address, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string number = std::to_string(port);
  const int failure = ::getaddrinfo(address.c_str(), number.c_str(), &hints, &list);
  const std::string place = address + ":" + number;
  if (failure != 0) throw std::runtime_error("cannot listen on " + place + ": " + ::gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    const int result = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol);
    if (result < 0) continue;
    // SO_REUSEPORT is not set, because with it two services on one port would share the requests.
    const int yes = 1;
    ::setsockopt(result, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (::bind(result, one->ai_addr, one->ai_addrlen) == 0 && ::listen(result, most_to_accept) == 0) return result;
    ::close(result);
  }
  throw std::runtime_error("cannot listen on " + place + "; another program may use this port");
}

}  // namespace

listener::listener(const std::string& address, int port) : socket_(listening_socket(address, port)) {}

int listener::port() const {
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  if (::getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
    throw std::system_error(errno, std::generic_category(), "getsockname");
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<const sockaddr_in&>(own).sin_port);
}

int listener::accept() const {
  const int result = ::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (result >= 0) {
    const int yes = 1;
    ::setsockopt(result, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    // Without this pause, poll() would return again at once, because the client stays in the queue.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return result;
}

bool connection_threads::take(int socket) {
  const std::lock_guard lock(mutex_);
  if (open_ == most_) return false;
  if (open_ == threads_.size()) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      return false;  // no further thread can be started
    }
  }
  ++open_;
  waiting_.push_back(socket);
  changed_.notify_one();
  return true;
}

void connection_threads::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const int socket = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    serve_(socket);
    lock.lock();
    --open_;
  }
}

void connection_threads::join() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  for (std::thread& one : threads_) one.join();
  threads_.clear();
}

void turned_away::add(int socket) {
  auto owned = std::make_unique<owned_descriptor>(socket);
  if (clients_.size() < most_turned_away) clients_.push_back({std::move(owned), steady_clock::now() + silence_});
}

/// Reads and drops the bytes of a client. Answers the client at its first bytes, and counts this in `answered`.
bool turned_away::goes_on(client& one, std::size_t& answered) const {
  std::array<char, 16384> dropped;
  const ssize_t got = ::recv(one.socket->number(), dropped.data(), dropped.size(), 0);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (got == 0) return false;
  one.dropped += static_cast<std::size_t>(got);
  if (one.dropped > most_dropped) return false;
  if (one.is_answered) return true;
  one.is_answered = true;
  one.until = steady_clock::now() + silence_;
  ++answered;
  // An answer this short always fits the send buffer of a new connection.
  if (::send(one.socket->number(), answer_.data(), answer_.size(), MSG_NOSIGNAL) < 0) return false;
  return ::shutdown(one.socket->number(), SHUT_WR) == 0;
}

std::size_t turned_away::serve(std::initializer_list<int> others) {
  std::vector<pollfd> watched;
  moment next = moment::max();
  for (const client& one : clients_) {
    watched.push_back({one.socket->number(), POLLIN, 0});
    next = std::min(next, one.until);
  }
  for (const int other : others) watched.push_back({other, POLLIN, 0});
  int wait = -1;
  if (next != moment::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - steady_clock::now()).count();
    wait = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
  }
  ::poll(watched.data(), watched.size(), wait);
  std::size_t answered = 0;
  std::size_t kept = 0;
  const moment now = steady_clock::now();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    client& one = clients_[i];
    if (watched[i].revents != 0 ? !goes_on(one, answered) : now >= one.until) continue;
    if (kept != i) clients_[kept] = std::move(one);
    ++kept;
  }
  clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(kept), clients_.end());
  return answered;
}

}  // namespace docid
