#include "request.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstring>
#include <limits>

namespace docid {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using text_view = boost::beast::string_view;

constexpr std::size_t longest_target = 8192;
constexpr std::uint32_t longest_head = 65536;
constexpr const char* fields_too_long = "the fields of a request have at most 64 kB";

std::string_view view_of(text_view text) { return {text.data(), text.size()}; }

}  // namespace

const std::string* request::parameter(std::string_view name) const {
  for (const auto& [own, value] : parameters) {
    if (own == name) return &value;
  }
  return nullptr;
}

std::string decoded(std::string_view text, bool is_form) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (is_escape) {
      result.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      result.push_back(is_form && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return result;
}

/// Beast's parser, with the rules of RFC 9112 that Beast leaves to its user.
class request_reader::parser final : public http::basic_parser<true> {
 public:
  parser() {
    header_limit(longest_head);
    // This class checks the limit itself, because Beast 1.74 reads the limit 0 as "no limit".
    body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  request head;
  bool awaits_leave = false;  // true if the client waits for permission to send the body
  const std::function<bool(std::string_view)>* take = nullptr;
  bool is_given_up = false;  // true if `take` has returned false

  /// Sets the greatest size of the body.
  /// Throws: refusal if the head has announced more bytes.
  void limit_body(std::uint64_t most) {
    most_ = left_ = most;
    if (const auto length = content_length()) announce(*length);
  }
  [[nodiscard]] refusal too_long() const {
    if (most_ == std::numeric_limits<std::uint64_t>::max()) return {413, "a body has fewer than 2^64 bytes"};
    return {413, "a body has at most " + std::to_string(most_) + " bytes"};
  }

 private:
  /// Counts further bytes of the body.
  /// Throws: refusal if the body would become too long.
  void announce(std::uint64_t bytes) {
    if (bytes > left_) throw too_long();
    left_ -= bytes;
  }

  void on_request_impl(http::verb, text_view method, text_view target, int version, error_code&) override {
    if (target.size() > longest_target) throw refusal(414, "the URL is longer than 8 kB");
    head.method = view_of(method);
    head.is_http_1_0 = version == 10;
    set_target(view_of(target));
  }

  void set_target(std::string_view target) {
    // The target of a request may include the scheme and the host (RFC 9112, 3.2.2).
    constexpr std::string_view scheme = "http://";
    if (boost::beast::iequals({target.data(), std::min(target.size(), scheme.size())},
                              {scheme.data(), scheme.size()})) {
      const std::size_t end = target.find_first_of("/?", scheme.size());
      target = end == target.npos ? "/" : target.substr(end);
    }
    const std::size_t question = std::min(target.find('?'), target.size());
    head.path = decoded(target.substr(0, question), false);
    for (std::string_view rest = target.substr(std::min(question + 1, target.size())); !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find('&'));
      const std::size_t equals = std::min(one.find('='), one.size());
      head.parameters.emplace_back(decoded(one.substr(0, equals), true),
                                   decoded(one.substr(std::min(equals + 1, one.size())), true));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
  }

  void on_field_impl(http::field name, text_view name_text, text_view value, error_code&) override {
    if (is_header_done()) return;  // trailer fields may be ignored
    // Beast limits only the bytes of one call of put(), so it would accept longer fields that arrive in pieces.
    field_bytes_ += name_text.size() + value.size() + std::string_view(": \r\n").size();
    if (field_bytes_ > longest_head) throw refusal(431, fields_too_long);
    switch (name) {
      case http::field::host:
        ++hosts_;
        is_host_wrong_ = is_host_wrong_ || view_of(value).find_first_of(" \t,/?#@") != std::string_view::npos;
        break;
      case http::field::content_length:
        ++lengths_;
        if (value.find(',') != value.npos) ++lengths_;
        break;
      case http::field::transfer_encoding:
        has_encoding_ = true;
        is_chunked_alone_ = boost::beast::iequals(value, "chunked");
        break;
      case http::field::content_type:
        head.content_type = view_of(value);
        for (char& letter : head.content_type) {
          if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + 32);
        }
        break;
      case http::field::expect: awaits_leave = boost::beast::iequals(value, "100-continue"); break;
      case http::field::range: head.has_range = true; break;
      default: break;
    }
  }

  void on_header_impl(error_code&) override {
    if (is_host_wrong_ || hosts_ > 1 || (hosts_ == 0 && !head.is_http_1_0))
      throw refusal(400, "a request must have exactly one Host field");
    if (lengths_ > 1) throw refusal(400, "a request has one Content-Length");
    if (has_encoding_ && head.is_http_1_0) throw refusal(400, "HTTP/1.0 has no Transfer-Encoding");
    if (has_encoding_ && !is_chunked_alone_) throw refusal(501, "the only Transfer-Encoding is chunked");
    if (lengths_ == 1) head.length = *content_length();
    head.has_body = has_encoding_ || head.length.value_or(0) > 0;
    head.keeps_open = keep_alive();
    awaits_leave = awaits_leave && !head.is_http_1_0;
  }

  std::size_t on_body_impl(text_view part, error_code&) override { return pass_on(part); }
  std::size_t on_chunk_body_impl(std::uint64_t, text_view part, error_code&) override { return pass_on(part); }
  std::size_t pass_on(text_view part) {
    if (!part.empty() && !(*take)(view_of(part))) is_given_up = true;
    return part.size();
  }

  void on_response_impl(int, text_view, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t size, text_view, error_code&) override { announce(size); }
  void on_finish_impl(error_code&) override {}

  std::uint64_t most_ = 0, left_ = 0;  // bytes that the body may have; how many of them are not announced yet
  std::size_t field_bytes_ = 0;
  int hosts_ = 0;
  bool is_host_wrong_ = false;
  int lengths_ = 0;
  bool has_encoding_ = false;
  bool is_chunked_alone_ = false;
};

request_reader::request_reader(connection& client, std::vector<char>& buffer, std::chrono::seconds deadline)
    : client_(&client), buffer_(&buffer), span_(deadline) {}

request_reader::~request_reader() = default;

bool request_reader::is_whole() const { return parser_ && parser_->is_done(); }

void request_reader::renew_deadline() { deadline_ = std::chrono::steady_clock::now() + span_; }

/// Reads more bytes, and puts them after the unparsed bytes.
connection::ending request_reader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_->data(), buffer_->data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_->size()) throw refusal(400, "a chunk's size or the trailers have at most 64 kB");
  const auto [size, why] = client_->read(buffer_->data() + end_, buffer_->size() - end_, deadline_);
  end_ += size;
  return why;
}

/// Reads more bytes.
/// Throws: refusal if no bytes arrive. Its message says that `what` is incomplete.
void request_reader::fill(const char* what) {
  const connection::ending why = fill();
  if (why == connection::ending::none) return;
  if (why == connection::ending::closed)
    throw refusal(400, std::string(what) + " is incomplete: the connection was closed");
  is_late_ = true;
  throw refusal(408, std::string(what) + " did not arrive completely in time");
}

/// Parses the bytes that have been read.
/// Throws: refusal if the bytes are not a request.
void request_reader::parse() {
  error_code error;
  begin_ += parser_->put(boost::asio::const_buffer(buffer_->data() + begin_, end_ - begin_), error);
  if (!error || error == http::error::need_more) return;
  if (error == http::error::header_limit) {
    // If the first line came in pieces, Beast parses it only with the whole head. So a complete line may be unparsed.
    const std::string_view rest(buffer_->data() + begin_, end_ - begin_);
    const bool has_line = !parser_->head.method.empty() || rest.find('\n') != rest.npos;
    if (!has_line) throw refusal(414, "the URL is longer than 8 kB");
    throw refusal(431, fields_too_long);
  }
  // Beast refuses chunks with a total size of 2^64 or more itself, before it calls on_chunk_header_impl().
  if (error == http::error::body_limit) throw parser_->too_long();
  throw refusal(400, "the request cannot be understood: " + error.message());
}

std::optional<request> request_reader::next() {
  parser_ = std::make_unique<parser>();
  if (begin_ == end_) {
    begin_ = 0;
    end_ = client_->read_first(buffer_->data(), buffer_->size()).size;
    if (end_ == 0) return std::nullopt;
  }
  renew_deadline();
  // Empty lines before a request are ignored (RFC 9112, 2.2).
  while (begin_ == end_ || (*buffer_)[begin_] == '\r') {
    if (end_ - begin_ < 2) {
      if (fill() != connection::ending::none) return std::nullopt;
    } else if ((*buffer_)[begin_ + 1] == '\n') {
      begin_ += 2;
    } else {
      break;  // the parser will refuse it
    }
  }
  while (!parser_->is_header_done()) {
    const std::size_t before = begin_;
    if (begin_ < end_) parse();
    if (!parser_->is_header_done() && begin_ == before) fill("the head of the request");
  }
  return std::move(parser_->head);
}

void request_reader::give_leave() {
  const bool is_awaited = std::exchange(parser_->awaits_leave, false) && begin_ == end_ && !parser_->is_done();
  if (is_awaited) client_->write({"HTTP/1.1 100 Continue\r\n\r\n"}, deadline_);
}

void request_reader::read_body(const std::function<bool(std::string_view)>& take, std::uint64_t most) {
  parser_->take = &take;
  parser_->limit_body(most);
  give_leave();
  while (!parser_->is_done() && !parser_->is_given_up) {
    const std::size_t before = begin_;
    if (begin_ < end_) parse();
    if (begin_ == before && !parser_->is_done()) fill("the body");
  }
}

}  // namespace docid
