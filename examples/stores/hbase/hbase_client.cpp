#include "hbase_client.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace hbase {

namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t rows_at_once = 10000;
constexpr std::size_t bytes_at_once = std::size_t{16} << 20;  // bytes of changes in a request
constexpr std::chrono::milliseconds pause{100};               // pause before a retry
constexpr std::chrono::seconds silence{10};                   // longest wait for an answer; pauses of Java are shorter

/// An error that may pass: a retry with new connections may succeed.
struct passing_error : error {
  using error::error;
};

// ---- protobuf --------------------------------------------------------------------------------------------------------

/// A protobuf message that is being written. Each field is written as its number and kind, followed by its value.
class message {
 public:
  message& number(unsigned field, std::uint64_t value) {
    add_varint(field << 3U);
    add_varint(value);
    return *this;
  }
  message& bytes(unsigned field, std::string_view value) {
    add_varint(field << 3U | 2U);
    add_delimited(value);
    return *this;
  }
  message& part(unsigned field, const message& value) { return bytes(field, value.data_); }
  message& add_delimited(std::string_view value) {
    add_varint(value.size());
    data_ += value;
    return *this;
  }
  [[nodiscard]] const std::string& data() const { return data_; }

 private:
  void add_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) data_.push_back(static_cast<char>(value | 0x80U));
    data_.push_back(static_cast<char>(value));
  }

  std::string data_;
};

/// The fields of a protobuf message, in their order in the message.
class fields {
 public:
  explicit fields(std::string_view data) : rest_(data) {}

  /// Reads the next field into `field` and `number` or `bytes`. Returns: false if there is no further field.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t tag = take_varint();
    field = static_cast<unsigned>(tag >> 3U);
    switch (tag & 7U) {
      case 0: number = take_varint(); break;
      case 1: bytes = take(8); break;
      case 2: bytes = take_delimited(); break;
      case 5: bytes = take(4); break;
      default: throw passing_error("HBase: an answer is not protobuf");
    }
    return true;
  }
  std::string_view take_delimited() { return take(take_varint()); }

  unsigned field = 0;
  std::uint64_t number = 0;  ///< the value if it is a number
  std::string_view bytes;    ///< the value if it is a string or a message

 private:
  std::uint64_t take_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw passing_error("HBase: an answer is not protobuf");
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw passing_error("HBase: an answer is cut off");
    const std::string_view result = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return result;
  }

  std::string_view rest_;
};

/// Calls visit(value) for each string or message with this field number.
template <class Visit>
void for_each_of(std::string_view data, unsigned field, const Visit& visit) {
  for (fields all(data); all.next();) {
    if (all.field == field) visit(all.bytes);
  }
}

/// Returns the value of the last field with the number `field`, or 0 if there is no such field.
std::uint64_t number_of(std::string_view data, unsigned field) {
  std::uint64_t result = 0;
  for (fields all(data); all.next();) {
    if (all.field == field) result = all.number;
  }
  return result;
}

/// Returns the last string or message in a field with the number `field`, or an empty text if there is none.
std::string_view bytes_of(std::string_view data, unsigned field) {
  std::string_view result;
  for_each_of(data, field, [&](std::string_view bytes) { result = bytes; });
  return result;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// Throws the server's exception for a change. `pair`: a NameBytesPair of the exception's class and message.
[[noreturn]] void throw_exception_of_change(std::string_view pair) {
  std::string text = "HBase: ";
  text += bytes_of(pair, 1);
  text += ": ";
  text += first_line(bytes_of(pair, 2));
  throw passing_error(text);
}

// ---- a connection ----------------------------------------------------------------------------------------------------

/// A connection to one service of a server.
class connection {
 public:
  connection(const std::string& host, const std::string& port, std::string_view service)
      : place_(host + ':' + port), socket_(connected(host, port)) {
    const int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    // The preamble has the version, which is 0, and the kind of authentication, which is none. The ConnectionHeader,
    // with the user and the service, follows.
    const message header = message().part(1, message().bytes(1, "neardup")).bytes(2, service);
    unsent_ = std::string("HBas\0\x50", 6) + four_bytes(header.data().size()) + header.data();
  }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() { ::close(socket_); }

  /// Queues a call, which is sent by the next receive(). Returns: the number of the call.
  std::uint64_t send(std::string_view method, const message& parameter) {
    message call;
    call.add_delimited(message().number(1, ++calls_).bytes(3, method).number(4, 1).data());
    call.add_delimited(parameter.data());
    unsent_ += four_bytes(call.data().size()) + call.data();
    return calls_;
  }

  struct answer {
    std::uint64_t call;
    std::string data;
  };
  /// Sends the queued calls, and waits for the answer to any of these calls. Returns: that answer.
  answer receive() {
    write_unsent();
    std::size_t size = 0;
    for (const char byte : read(4)) size = size << 8U | static_cast<unsigned char>(byte);
    const std::string frame = read(size);
    fields parts(frame);
    const std::string_view header = parts.take_delimited();
    for_each_of(header, 2, [&](std::string_view exception) { throw_exception(exception); });
    return {number_of(header, 1), std::string(parts.take_delimited())};
  }
  std::string call(std::string_view method, const message& parameter) {
    send(method, parameter);
    return receive().data;
  }

 private:
  static std::string four_bytes(std::size_t value) {
    std::string result;
    for (int shift = 24; shift >= 0; shift -= 8) result.push_back(static_cast<char>(value >> shift & 0xffU));
    return result;
  }

  static int connected(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &list) != 0)
      throw passing_error("HBase: there is no address of " + host);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
      const int result = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
      if (result < 0) continue;
      const timeval longest{silence.count(), 0};
      ::setsockopt(result, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest));
      ::setsockopt(result, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof(longest));  // applies to connect(), too
      if (::connect(result, one->ai_addr, one->ai_addrlen) == 0) return result;
      ::close(result);
    }
    throw passing_error("HBase: nobody answers at " + host + ':' + port);
  }

  /// Throws the exception in an answer (ExceptionResponse).
  [[noreturn]] static void throw_exception(std::string_view exception) {
    std::string text = "HBase: ";
    text += bytes_of(exception, 1);
    text += ": ";
    text += first_line(bytes_of(exception, 2));
    if (number_of(exception, 5) != 0) throw error(text);  // the field do_not_retry
    throw passing_error(text);
  }

  [[noreturn]] void throw_lost() const { throw passing_error("HBase: the connection to " + place_ + " is lost"); }

  void write_unsent() {
    for (std::string_view rest = unsent_; !rest.empty();) {
      const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) throw_lost();
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    unsent_.clear();
  }

  std::string read(std::size_t count) {
    std::string result(count, '\0');
    for (std::size_t filled = 0; filled < count;) {
      if (begin_ == end_) {
        begin_ = end_ = 0;
        const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw_lost();
        end_ = static_cast<std::size_t>(got);
      }
      const std::size_t part = std::min(count - filled, end_ - begin_);
      std::memcpy(result.data() + filled, buffer_.data() + begin_, part);
      filled += part;
      begin_ += part;
    }
    return result;
  }

  std::string place_;
  int socket_;
  std::uint64_t calls_ = 0;
  std::string unsent_;
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::size_t begin_ = 0;  // position of the first unused byte
  std::size_t end_ = 0;
};

/// Makes a RegionSpecifier, which names a region.
message region_named(std::string_view name) { return message().number(1, 1).bytes(2, name); }

std::pair<std::string, std::string> host_and_port(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == place.size())
    throw error("HBase at \"" + place + "\": host:port is needed");
  return {place.substr(0, colon), place.substr(colon + 1)};
}

}  // namespace

// ---- the table -------------------------------------------------------------------------------------------------------

struct table::implementation {
  struct region {
    std::string name;
    std::string end;  // first row of the next region; empty for the last region
    connection* server;
  };
  struct change {
    std::string row;
    message mutation;
  };

  settings where;
  std::map<std::string, std::unique_ptr<connection>> servers;
  std::map<std::string, region> regions;  // regions by their first rows
  std::vector<change> changes;
  std::size_t waiting = 0;  // bytes of changes that wait to be sent

  /// Calls attempt(), and again after each passing_error, until the time `where.patience` is over.
  /// Returns: the result of attempt().
  /// Throws: the last passing_error, or any other exception of attempt().
  template <class Attempt>
  auto patiently(const Attempt& attempt) {
    const auto last = steady_clock::now() + where.patience;
    while (true) {
      try {
        return attempt();
      } catch (const error& failed) {
        // Connections are closed, because answers to earlier calls may still arrive on them.
        regions.clear();
        servers.clear();
        if (dynamic_cast<const passing_error*>(&failed) == nullptr || steady_clock::now() >= last) throw;
      }
      std::this_thread::sleep_for(pause);
    }
  }

  std::unique_ptr<connection> connect_to_master(std::string_view service) const {
    const auto [host, port] = host_and_port(where.master);
    return std::make_unique<connection>(host, port, service);
  }

  connection& server_at(const std::string& host, const std::string& port) {
    std::unique_ptr<connection>& server = servers[host + ':' + port];
    if (!server) server = std::make_unique<connection>(host, port, "ClientService");
    return *server;
  }

  void create() {
    const std::unique_ptr<connection> master = connect_to_master("MasterService");
    const message name = message().bytes(1, "default").bytes(2, where.name);
    const message schema = message().part(1, name).part(3, message().bytes(1, where.family));
    std::uint64_t procedure = 0;
    try {
      procedure = number_of(master->call("CreateTable", message().part(1, schema)), 1);
    } catch (const error& failed) {
      if (std::string_view(failed.what()).find("TableExistsException") != std::string_view::npos) return;
      throw;
    }
    constexpr std::uint64_t running = 1;
    while (true) {
      const std::string answer = master->call("getProcedureResult", message().number(1, procedure));
      for_each_of(answer, 5, [](std::string_view) { throw passing_error("HBase: the table was not made"); });
      if (number_of(answer, 1) != running) return;
      std::this_thread::sleep_for(pause);
    }
  }

  const region& region_of(const std::string& row) {
    if (regions.empty()) find_regions();
    return std::prev(regions.upper_bound(row))->second;
  }

  /// Sets `regions`: asks the master for the server of hbase:meta, and asks that server for the regions of the table.
  void find_regions() {
    const std::string locations = connect_to_master("ClientMetaService")->call("GetMetaRegionLocations", message());
    std::string_view server;  // a ServerName
    for_each_of(locations, 1, [&](std::string_view one) { server = server.empty() ? bytes_of(one, 2) : server; });
    if (server.empty()) throw passing_error("HBase: hbase:meta is nowhere yet");
    connection& meta = server_at(std::string(bytes_of(server, 1)), std::to_string(number_of(server, 2)));
    // The keys of the rows in hbase:meta have the form TABLE,FIRST_ROW,ID.
    const message scan = message()
                             .part(1, message().bytes(1, "info").bytes(2, "regioninfo").bytes(2, "server"))
                             .bytes(3, where.name + ",,")
                             .bytes(4, where.name + "-");
    const std::string answer = meta.call(
        "Scan", message().part(1, region_named("hbase:meta,,1")).part(2, scan).number(4, rows_at_once).number(5, 1));
    for_each_of(answer, 5, [&](std::string_view result) { add_region(result); });
    // While regions are split or moved, there may be gaps between the regions that hbase:meta lists.
    std::string next;
    for (const auto& [begin, one] : regions) {
      if (begin != next) throw passing_error("HBase: a region of " + where.name + " is nowhere yet");
      next = one.end;
    }
    if (regions.empty() || !next.empty()) throw passing_error("HBase: the table " + where.name + " is not there");
  }

  /// Adds the region that `result`, a row of hbase:meta, describes, unless the region is offline or was split.
  void add_region(std::string_view result) {
    std::string begin;
    std::string server;
    region one{};
    for_each_of(result, 1, [&](std::string_view found) {
      const std::string_view column = bytes_of(found, 3);
      const std::string_view value = bytes_of(found, 6);
      one.name = bytes_of(found, 1);
      if (column == "server") server = value;
      if (column == "regioninfo" && value.size() >= 4) {
        const std::string_view info = value.substr(4);  // skips "PBUF"
        begin = bytes_of(info, 3);
        one.end = bytes_of(info, 4);
        is_gone_ = number_of(info, 5) != 0 || number_of(info, 6) != 0;  // offline, split
      }
    });
    if (std::exchange(is_gone_, false)) return;
    if (server.empty()) throw passing_error("HBase: a region of " + where.name + " is nowhere yet");
    const auto [host, port] = host_and_port(server);
    one.server = &server_at(host, port);
    regions.insert_or_assign(begin, one);
  }

  void add_change(std::string_view row, std::uint64_t kind, const std::optional<message>& column) {
    constexpr std::uint64_t synced = 4;  // FSYNC_WAL
    message family = message().bytes(1, where.family);
    if (column) family.part(2, *column);
    message mutation = message().bytes(1, row).number(2, kind).part(3, family).number(6, synced);
    waiting += mutation.data().size();
    changes.push_back({std::string(row), std::move(mutation)});
  }

  /// Sends changes, beginning with change `begin`, until they have `bytes_at_once` bytes. Each server gets one request.
  /// Returns: the index of the first change that was not sent.
  std::size_t send_changes(std::size_t begin) {
    std::map<const region*, message> actions;
    std::size_t end = begin;
    for (std::size_t bytes = 0; end < changes.size() && bytes < bytes_at_once; ++end) {
      const change& one = changes[end];
      actions[&region_of(one.row)].part(3, message().number(1, end - begin).part(2, one.mutation));
      bytes += one.mutation.data().size();
    }
    std::map<connection*, message> requests;
    for (const auto& [at, all] : actions)
      requests[at->server].bytes(1, message().part(1, region_named(at->name)).data() + all.data());
    for (const auto& [server, request] : requests) server->send("Multi", request);
    for (const auto& [server, request] : requests) {
      for_each_of(server->receive().data, 1, [](std::string_view of_region) {
        for_each_of(of_region, 2, throw_exception_of_change);
        for_each_of(of_region, 1, [](std::string_view one) { for_each_of(one, 3, throw_exception_of_change); });
      });
    }
    return end;
  }

  /// A range of rows whose last answer has not arrived yet.
  struct open_scan {
    std::size_t range;
    std::string begin;
    bool is_after;  // true if the row `begin` is excluded
  };

  std::vector<std::vector<cell>> scan(const std::vector<row_range>& ranges) {
    std::vector<std::vector<cell>> result(ranges.size());
    std::vector<open_scan> open;
    for (std::size_t i = 0; i < ranges.size(); ++i) open.push_back({i, ranges[i].begin, false});
    while (!open.empty()) {
      std::map<std::pair<connection*, std::uint64_t>, std::pair<open_scan, const region*>> asked;
      for (const open_scan& one : open) {
        const region& at = region_of(one.begin);
        message scan = message().bytes(3, one.begin).bytes(4, ranges[one.range].end);
        if (one.is_after) scan.number(21, 0);
        // The scanner is closed after its first answer, so the server keeps no state.
        const message request =
            message().part(1, region_named(at.name)).part(2, scan).number(4, rows_at_once).number(5, 1);
        asked.emplace(std::pair(at.server, at.server->send("Scan", request)), std::pair(one, &at));
      }
      open.clear();
      for (std::size_t left = asked.size(); left > 0; --left) {
        connection* const server = asked.begin()->first.first;
        const auto [call, data] = server->receive();
        const auto found = asked.find({server, call});
        if (found == asked.end()) throw passing_error("HBase: an answer to nothing");
        const auto& [one, at] = found->second;
        add_answer(data, one, at->end, ranges[one.range].end, result[one.range], open);
        asked.erase(found);
      }
    }
    return result;
  }

  static void add_answer(std::string_view data, const open_scan& one, const std::string& region_end,
                         const std::string& range_end, std::vector<cell>& cells, std::vector<open_scan>& open) {
    const std::size_t before = cells.size();
    for_each_of(data, 5, [&](std::string_view result) {
      for_each_of(result, 1, [&](std::string_view found) {
        cells.push_back(
            {std::string(bytes_of(found, 1)), std::string(bytes_of(found, 3)), std::string(bytes_of(found, 6))});
      });
    });
    if (number_of(data, 8) != 0) {  // more_results_in_region
      if (cells.size() == before) throw passing_error("HBase: an answer has no rows, and is not the last one");
      open.push_back({one.range, cells.back().row, true});
    } else if (!region_end.empty() && (range_end.empty() || region_end < range_end)) {
      open.push_back({one.range, region_end, false});
    }
  }

 private:
  bool is_gone_ = false;
};

table::table(settings where) : own_(std::make_unique<implementation>()) {
  host_and_port(where.master);
  own_->where = std::move(where);
}
table::~table() = default;

void table::create() {
  own_->patiently([&] { own_->create(); });
}

void table::put(std::string_view row, std::string_view column, std::string_view value) {
  own_->add_change(row, 2, message().bytes(1, column).bytes(2, value));
}

void table::erase(std::string_view row, std::string_view column) {
  constexpr std::uint64_t all_versions = 1;
  own_->add_change(row, 3, message().bytes(1, column).number(4, all_versions));
}

void table::erase_row(std::string_view row) {
  constexpr std::uint64_t family = 2;
  own_->add_change(row, 3, message().number(4, family));
}

std::size_t table::waiting_bytes() const { return own_->waiting; }

void table::flush() {
  for (std::size_t done = 0; done < own_->changes.size();)
    done = own_->patiently([&] { return own_->send_changes(done); });
  discard_changes();
}

void table::discard_changes() {
  own_->changes.clear();
  own_->waiting = 0;
}

std::vector<std::vector<cell>> table::scan(const std::vector<row_range>& ranges) {
  return own_->patiently([&] { return own_->scan(ranges); });
}

}  // namespace hbase
