// docid_load: sends the articles of a JSON Lines file to docid_service and measures the time. load.py runs it.
//   docid_load PORT FILE BATCH CONNECTIONS FIRST COUNT
// FIRST is the first line to send, counted from 0, and COUNT the number of lines. BATCH is the number of articles in a
// request. If BATCH is 1, each article is sent without an array.
// If the field `media` of an article is a number n, the article is an edited copy of the article on line n. The copy
// counts as found if both articles get the same docId. If n < FIRST, the copy is not counted.
#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

using clock_type = std::chrono::steady_clock;

std::vector<std::string> read_lines(const char* file, std::size_t first, std::size_t count) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t i = 0; std::getline(in, line) && i < first + count; ++i) {
    if (i >= first) lines.push_back(line);
  }
  if (lines.size() < count) throw std::runtime_error(std::string(file) + ": fewer lines than asked for");
  return lines;
}

double milliseconds(clock_type::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

struct shared_state {
  std::vector<std::string> bodies;
  std::vector<std::string> answers;
  std::vector<double> times;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> is_wrong{false};
};

http::response<http::string_body> post(tcp::socket& connection, boost::beast::flat_buffer& buffer,
                                       const std::string& body) {
  http::request<http::string_body> asked{http::verb::post, "/docId/getDocId", 11, body};
  asked.set(http::field::host, "127.0.0.1");
  asked.set(http::field::content_type, "application/json");
  asked.prepare_payload();
  http::write(connection, asked);
  http::response_parser<http::string_body> parser;
  parser.body_limit(std::uint64_t{1} << 40);
  http::read(connection, buffer, parser);
  return parser.release();
}

void send(std::uint16_t port, shared_state& all) try {
  boost::asio::io_context context;
  tcp::socket connection(context);
  connection.connect({boost::asio::ip::address_v4::loopback(), port});
  connection.set_option(tcp::no_delay(true));
  boost::beast::flat_buffer buffer;
  for (std::size_t i; (i = all.next++) < all.bodies.size() && !all.is_wrong;) {
    const auto start = clock_type::now();
    auto result = post(connection, buffer, all.bodies[i]);
    all.times[i] = milliseconds(clock_type::now() - start);
    if (result.result() != http::status::ok) throw std::runtime_error(result.body());
    all.answers[i] = std::move(result.body());
  }
} catch (const std::exception& error) {
  std::cerr << "a request failed: " << error.what() << '\n';
  all.is_wrong = true;
}

int run(char** words) {
  const auto number = [&](int i) { return static_cast<std::size_t>(std::strtoull(words[i], nullptr, 10)); };
  const auto port = static_cast<std::uint16_t>(number(1));
  const std::size_t batch = number(3);
  const std::size_t first = number(5);
  const std::size_t count = number(6);
  std::vector<std::string> lines = read_lines(words[2], first, count);

  shared_state all;
  for (std::size_t i = 0; i < count; i += batch) {
    std::string body;
    for (std::size_t j = i; j < std::min(count, i + batch); ++j) body += (j == i ? "" : ",") + lines[j];
    all.bodies.push_back(batch == 1 ? body : "[" + body + "]");
  }
  all.answers.resize(all.bodies.size());
  all.times.resize(all.bodies.size());
  const auto start = clock_type::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < number(4); ++i) threads.emplace_back([&] { send(port, all); });
  for (auto& thread : threads) thread.join();
  const double seconds = milliseconds(clock_type::now() - start) / 1000;
  if (all.is_wrong) return EXIT_FAILURE;

  std::vector<std::string> names;
  std::size_t duplicates = 0;
  for (const std::string& text : all.answers) {
    auto answer = nlohmann::json::parse(text);
    if (!answer.is_array()) answer = nlohmann::json::array({answer});
    for (const auto& one : answer) {
      names.push_back(one.at("docId"));
      if (one.at("filterStatus") == "duplicate") ++duplicates;
    }
  }
  std::size_t copies = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string original = nlohmann::json::parse(lines[i]).value("media", "");
    if (original.empty() || std::stoull(original) < first) continue;
    ++copies;
    if (names[std::stoull(original) - first] == names[i]) ++found;
  }
  std::sort(all.times.begin(), all.times.end());
  const auto share = [&](double part) {
    return all.times[static_cast<std::size_t>(part * static_cast<double>(all.times.size() - 1))];
  };
  std::cout << static_cast<double>(count) / seconds << " articles a second, "
            << static_cast<double>(all.bodies.size()) / seconds << " requests a second; ms p50 " << share(.5)
            << ", p99 " << share(.99) << ", most " << share(1) << "; " << found << " of " << copies
            << " edited copies found, " << duplicates << " duplicates in all\n";
  return EXIT_SUCCESS;
}

}  // namespace

int main(int count, char** words) {
  if (count != 7) {
    std::cerr << "usage: docid_load PORT FILE BATCH CONNECTIONS FIRST COUNT\n";
    return EXIT_FAILURE;
  }
  try {
    return run(words);
  } catch (const std::exception& error) {
    std::cerr << "docid_load: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
