#include "http.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <neardup/text/utf8.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../../common/text_difference.hpp"
#include "connection.hpp"
#include "listener.hpp"
#include "page.hpp"
#include "request.hpp"

namespace docid {

namespace {

using nlohmann::ordered_json;
using std::chrono::steady_clock;

constexpr const char* json_type = "application/json";
constexpr const char* lines_type = "application/x-ndjson";
// The most bytes of the articles on a page of GET /docs. The last article of a page may exceed this limit.
constexpr std::size_t page_bytes = std::size_t{16} << 20;
constexpr std::size_t lines_together = 500;                  // number of JSON Lines that are submitted together
constexpr std::size_t groups_ahead = 16;                     // groups read ahead of their answers
constexpr std::chrono::seconds least_to_see{1};              // time in which a late client can read the answer
constexpr std::size_t buffer_bytes = std::size_t{64} << 10;  // size of the buffer of a connection
// The most bytes of a refused body that are received and dropped. If the connection ends while a client is still
// sending, the client does not see the reason.
constexpr std::size_t most_discarded = std::size_t{16} << 20;

/// Returns the difference of two texts as JSON: [["same", …], ["removed", …], ["added", …], …].
ordered_json difference_of(const std::string& before, const std::string& after) {
  constexpr std::array<const char*, 3> names = {"same", "removed", "added"};
  auto result = ordered_json::array();
  for (const common::text_piece& piece : common::text_difference(before, after)) {
    result.push_back({names[static_cast<std::size_t>(piece.what)], piece.text});
  }
  return result;
}

ordered_json json_or_null(const std::optional<std::string>& text) {
  return text ? ordered_json::parse(*text) : ordered_json();
}

ordered_json json_of(const document_view& found) {
  return {{"docId", found.name}, {"nids", found.nids}, {"article", json_or_null(found.article)}};
}

constexpr const char* decide_path = "/docId/getDocId";
constexpr const char* similar_path = "/similar";
constexpr const char* find_path = "/find";
constexpr std::string_view articles_path = "/articles/";
constexpr std::string_view documents_path = "/docs/";

/// Returns the methods that a path allows; empty if there is no such path. Each path with GET also has HEAD.
std::string_view methods_of(std::string_view path) {
  if (path == decide_path) return "GET, POST";
  if (path == similar_path) return "POST";
  if (path.starts_with(articles_path)) return "GET, DELETE";
  if (path == "/" || path == "/health" || path == "/metrics" || path == "/articles" || path == "/docs" ||
      path == "/duplicates" || path == find_path || path.starts_with(documents_path))
    return "GET";
  return {};
}

bool takes(std::string_view methods, std::string_view method) {
  return methods.find(method == "HEAD" ? "GET" : method) != std::string_view::npos;
}

std::size_t limit_of(const request& asked, std::size_t usual, std::size_t most) {
  const std::string* text = asked.parameter("limit");
  if (text == nullptr) return usual;
  std::size_t result = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), result);
  if (error != std::errc() || end != text->data() + text->size() || result < 1 || result > most)
    throw bad_request("the parameter limit must be a number from 1 to " + std::to_string(most) + ", not " + *text);
  return result;
}

/// Returns the parameter `share` of a request: the least share of the clue that a result contains.
double share_of(const request& asked) {
  const std::string* text = asked.parameter("share");
  if (text == nullptr) return 0.5;
  double result = -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), result);
  if (error != std::errc() || end != text->data() + text->size() || !(result >= 0 && result <= 1))
    throw bad_request("the parameter share must be a number from 0 to 1, not " + *text);
  return result;
}

/// Returns the value of a parameter.
/// Throws: bad_request if the parameter is missing.
const std::string& needed(const request& asked, const char* name) {
  const std::string* text = asked.parameter(name);
  if (text == nullptr) throw bad_request("the parameter " + std::string(name) + " is missing");
  return *text;
}

const std::string& clue_of(const request& asked) {
  const std::string& clue = needed(asked, "clue");
  if (neardup::count_invalid(clue) > 0) throw bad_request("the parameter clue is not UTF-8");
  return clue;
}

ordered_json json_of(const clue_document& found) {
  ordered_json result{{"docId", found.name}, {"share", found.share}, {"run", found.run}};
  const ordered_json article = found.article.empty() ? ordered_json() : ordered_json::parse(found.article);
  for (const char* field : {"nid", "url", "title"}) result[field] = article.is_null() ? ordered_json() : article[field];
  result["passage"] = ordered_json();
  if (!found.place) return result;
  const auto& [offset, length, words] = *found.place;
  result["passage"] = {{"offset", offset},
                       {"length", length},
                       {"before", words.before},
                       {"text", words.inside},
                       {"after", words.behind}};
  return result;
}

/// Returns the web page. The page has a form for clues only if `finds_clues` is true.
std::string page_of(bool finds_clues) {
  std::string page = page_html;
  constexpr std::string_view begin = "<!-- clues -->\n", end = "<!-- end of clues -->\n";
  const std::size_t from = page.find(begin);
  if (!finds_clues) page.erase(from, page.find(end) + end.size() - from);
  return page;
}

/// Returns the field "json" if the body is a form, otherwise the body itself. The content type is ignored, because
/// curl's -d declares every body as a form.
std::string json_in(std::string body) {
  constexpr std::string_view name = "json=";
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || body[first] == '{' || body[first] == '[') return body;
  for (std::string_view rest = body; !rest.empty();) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    if (rest.starts_with(name)) return decoded(rest.substr(name.size(), end - name.size()), true);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return body;
}

std::string error_text(const std::string& message) {
  return ordered_json{{"status", "error"}, {"error", message}}.dump(-1, ' ', false,
                                                                    ordered_json::error_handler_t::replace);
}

struct response {
  int status = 200;
  std::string body;
  const char* type = json_type;
  std::string_view allowed = {};  ///< allowed methods, if status is 405
};

response error_response(int status, const std::string& message) { return {status, error_text(message)}; }

const char* reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "";
  }
}

/// Returns the status line and headers of an answer. `framing` is the header that defines the end of the body.
std::string head_of(const response& given, const std::string& framing, bool is_last, bool is_http_1_0) {
  std::string result = "HTTP/1.1 ";
  result += std::to_string(given.status);
  result += ' ';
  result += reason_of(given.status);
  result += "\r\nContent-Type: ";
  result += given.type;
  result += "\r\n";
  result += framing;
  if (!given.allowed.empty()) {
    result += "Allow: ";
    result += given.allowed;
    result += "\r\n";
  }
  if (is_last) {
    result += "Connection: close\r\n";
  } else if (is_http_1_0) {
    result += "Connection: keep-alive\r\n";
  }
  result += "\r\n";
  return result;
}

std::string length_field(std::size_t bytes) { return "Content-Length: " + std::to_string(bytes) + "\r\n"; }

/// Returns true if the text has the form of a docId: 16 hexadecimal digits, a hyphen and 16 more digits.
bool is_document_name(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  return text.size() == 33 && text[16] == '-' && text.find_first_not_of(digits) == 16 &&
         text.substr(17).find_first_not_of(digits) == text.npos;
}

std::string json_of(const answer& given) {
  std::ostringstream reason;
  if (given.by == step::none) {
    reason << (given.has_words ? "docId_filter good news" : "docId_filter nothing to compare");
  } else {
    reason << "docId_filter duplicate by " << step_names[static_cast<std::size_t>(given.by)];
    if (given.distance) reason << ", distance " << *given.distance;
    if (given.similarity) reason << ", similarity " << static_cast<int>(*given.similarity * 1000) / 1000.0;
  }
  return ordered_json{{"filterReason", reason.str()},
                      {"docId", given.name},
                      {"filterStatus", given.by == step::none ? "good" : "duplicate"},
                      {"status", "success"}}
      .dump();
}

/// The valid articles of a batch, and the errors of the invalid elements.
struct batch {
  std::vector<article> articles;
  std::vector<std::optional<std::string>> errors;  // by element: the reason if it is invalid

  void add(const std::function<article()>& read) {
    try {
      articles.push_back(read());
      errors.emplace_back();
    } catch (const bad_request& error) {
      errors.emplace_back(error.what());
    }
  }

  template <class Write>
  static void answer_all(const std::vector<std::optional<std::string>>& errors, const std::vector<answer>& answers,
                         Write&& write) {
    auto next = answers.begin();
    for (const auto& error : errors) write(error ? error_text(*error) : json_of(*next++));
  }
};

}  // namespace

struct http_server::implementation {
  explicit implementation(const http_options& o) : options(o) {}

  service* articles = nullptr;  // set by run()
  http_options options;
  std::optional<listener> door;
  stop_order stopping;
  std::atomic<std::size_t> waiting{0};  // bytes of bodies that are being read or decided
  std::array<std::atomic<std::uint64_t>, 600> statuses{};

  /// Adds bytes to `waiting`. The destructor subtracts them again.
  class share {
   public:
    explicit share(implementation& own) : own_(own) {}
    share(const share&) = delete;
    share& operator=(const share&) = delete;
    ~share() { own_.waiting -= bytes_; }
    void add(std::size_t bytes) {
      bytes_ += bytes;
      if (own_.waiting.fetch_add(bytes) + bytes > own_.options.max_waiting)
        throw refusal(503, "too much is waiting; try again later");
    }

   private:
    implementation& own_;
    std::size_t bytes_ = 0;
  };

  [[nodiscard]] moment deadline() const { return steady_clock::now() + std::chrono::seconds(options.deadline); }

  /// Serves connections until the order to stop is given.
  void serve_all() {
    connection_threads threads(options.connections, [this](int socket) { serve(socket); });
    const response refused = error_response(503, "too many connections");
    turned_away others(head_of(refused, length_field(refused.body.size()), true, false) + refused.body,
                       std::chrono::seconds(options.timeout));
    while (!stopping.is_given()) {
      statuses[503] += others.serve({door->descriptor(), stopping.descriptor()});
      for (int socket = 0; !stopping.is_given() && (socket = door->accept()) >= 0;) {
        if (!threads.take(socket)) others.add(socket);
      }
    }
    door.reset();
    threads.join();
  }

  /// The next step after an answer: read a further request, close the connection, or abandon it because the client is
  /// gone.
  enum class sequel { request, end, nothing };

  /// Answers the requests of a connection, one after the other.
  void serve(int socket) {
    connection client(socket, stopping, std::chrono::seconds(options.timeout));
    thread_local std::vector<char> buffer(buffer_bytes);
    request_reader reader(client, buffer, std::chrono::seconds(options.deadline));
    sequel then = sequel::request;
    while (then == sequel::request) {
      try {
        const std::optional<request> asked = reader.next();
        if (!asked) return;
        then = is_lines(*asked) ? answer_lines(*asked, reader, client) : answer_one(*asked, reader, client);
      } catch (const refusal& error) {
        then = send(request(), error_response(error.status, error.what()), false, client);
      } catch (const std::exception&) {
        return;  // no memory or thread is available; the client gets an incomplete answer
      }
    }
    // A client whose request was late may still be sending. The client gets only the time to read the answer.
    if (then == sequel::end)
      client.finish(reader.is_late() ? steady_clock::now() + least_to_see : deadline(), most_discarded);
  }

  sequel send(const request& asked, const response& given, bool is_open, connection& client) {
    ++statuses[static_cast<std::size_t>(given.status)];
    is_open = is_open && !stopping.is_given();
    const std::string head = head_of(given, length_field(given.body.size()), !is_open, asked.is_http_1_0);
    const std::string_view body = asked.method == "HEAD" ? std::string_view() : given.body;
    if (!client.write({head, body}, deadline())) return sequel::nothing;
    return is_open ? sequel::request : sequel::end;
  }

  sequel answer_one(const request& asked, request_reader& reader, connection& client) {
    const response given = answer_to(asked, reader);
    return send(asked, given, asked.keeps_open && reader.is_whole(), client);
  }

  response answer_to(const request& asked, request_reader& reader) {
    try {
      return page(asked, reader);
    } catch (const bad_request& error) {
      return error_response(400, error.what());
    } catch (const unstorable& error) {
      return error_response(413, error.what());
    } catch (const refusal& error) {
      return error_response(error.status, error.what());
    } catch (const std::exception& error) {
      return error_response(503, error.what());
    }
  }

  static bool is_multipart(const request& asked) { return asked.content_type.starts_with("multipart/form-data"); }

  static bool is_lines(const request& asked) {
    const std::string& type = asked.content_type;
    return asked.method == "POST" && asked.path == decide_path && !is_multipart(asked) &&
           (type.find("ndjson") != type.npos || type.find("jsonl") != type.npos);
  }

  response page(const request& asked, request_reader& reader) {
    const std::string& path = asked.path;
    const std::string_view methods = methods_of(path);
    if (!methods.empty() && !takes(methods, asked.method)) {
      response result = error_response(405, asked.method + " is not allowed for this URL; use " + std::string(methods));
      result.allowed = methods;
      return result;
    }
    const bool is_post = asked.method == "POST";
    if (asked.has_body && !(is_post && (path == decide_path || path == similar_path)))
      return error_response(400, "this URL takes no body; send the request without one");
    if (asked.has_body && is_multipart(asked)) return error_response(415, "the body must be JSON, not a form");
    if (path == decide_path) {
      if (is_post) return decide_body(reader);
      if (asked.method == "HEAD" || asked.has_range)
        return error_response(400, "an article is not decided for the head or a range of the answer");
      return decide(parse_json(needed(asked, "json")));
    }
    if (path == similar_path && is_post) return similar(reader);
    if (asked.method == "DELETE") return erase(path);
    if (asked.method == "GET" || asked.method == "HEAD") return shown(asked);
    return no_page();
  }

  static response no_page() {
    return error_response(404, "there is no such page; a docId is 16 hex digits, a hyphen and 16 more");
  }

  /// Answers a GET or HEAD request.
  response shown(const request& asked) {
    const std::string& path = asked.path;
    if (path == "/") return {200, page_of(articles->finds_clues()), "text/html; charset=utf-8"};
    if (path == "/health") return {200, R"({"status":"up"})"};
    if (path == "/metrics") return {200, metrics(), "text/plain; version=0.0.4"};
    if (path == "/docs") return documents(asked);
    if (path == "/duplicates") return duplicates(asked);
    if (path == find_path) return found(asked);
    if (path == "/articles") {
      const std::string& url = needed(asked, "url");
      return doc_id_of("url", url, articles->find_url(url));
    }
    if (path.starts_with(articles_path) && path.size() > articles_path.size()) {
      const std::string nid = path.substr(articles_path.size());
      return doc_id_of("nid", nid, articles->find_nid(nid));
    }
    if (path.starts_with(documents_path) && is_document_name(std::string_view(path).substr(documents_path.size())))
      return document(path.substr(documents_path.size()));
    return no_page();
  }

  static response doc_id_of(const char* field, const std::string& value, const std::optional<std::string>& name) {
    if (!name) return error_response(404, "no article of this " + std::string(field) + ": " + value);
    return {200, ordered_json{{field, value}, {"docId", *name}}.dump()};
  }

  response document(const std::string& name) {
    const auto found = articles->find(name);
    if (!found) return error_response(404, "no document " + name);
    return {200, json_of(*found).dump()};
  }

  response documents(const request& asked) {
    const std::size_t most = limit_of(asked, 100, 1000);
    const std::string* after = asked.parameter("after");
    std::string lines;
    try {
      for (const auto& one : articles->documents_after(after ? *after : std::string(), most, page_bytes))
        lines += json_of(one).dump() + '\n';
    } catch (const std::invalid_argument& error) {
      throw bad_request(std::string("the parameter after: ") + error.what());
    }
    return {200, lines, lines_type};
  }

  response erase(const std::string& path) {
    if (!path.starts_with(articles_path) || path.size() == articles_path.size()) return no_page();
    const std::string nid = path.substr(articles_path.size());
    if (!articles->erase(nid)) return error_response(404, "no article " + nid);
    return {200, R"({"status":"success"})"};
  }

  response similar(request_reader& reader) {
    share held(*this);
    const auto object = parse_json(read_body(reader, held));
    if (!object.is_object() || !object.contains("content") || !object["content"].is_string())
      throw bad_request("the field \"content\" is missing, or no string");
    auto result = ordered_json::array();
    const auto& content = object["content"].get_ref<const std::string&>();
    const auto all = [&] {
      try {
        return articles->similar(content);
      } catch (const std::invalid_argument& error) {
        throw bad_request(std::string("the field \"content\": ") + error.what());
      }
    }();
    for (const auto& one : all) {
      const auto kept = json_or_null(one.article);
      const std::string old = kept.is_null() ? std::string() : kept["content"].get<std::string>();
      result.push_back({{"docId", one.name},
                        {"distance", one.distance},
                        {"similarity", one.similarity},
                        {"pairSimilarity", one.pair_similarity ? ordered_json(*one.pair_similarity) : ordered_json()},
                        {"article", kept},
                        {"difference", kept.is_null() ? ordered_json() : difference_of(old, content)}});
    }
    return {200, result.dump()};
  }

  response found(const request& asked) {
    if (!articles->finds_clues())
      return error_response(501, "this service does not find clues; start it with --clues yes");
    const std::string& clue = clue_of(asked);
    auto result = ordered_json::array();
    try {
      for (const auto& one : articles->find_clue(clue, share_of(asked), limit_of(asked, 10, 100)))
        result.push_back(json_of(one));
    } catch (const std::invalid_argument& error) {
      throw bad_request(std::string("the parameter clue: ") + error.what());
    }
    return {200, result.dump()};
  }

  response duplicates(const request& asked) {
    auto result = ordered_json::array();
    for (const auto& one : articles->latest_duplicates(limit_of(asked, 10, 20))) {
      const auto article = ordered_json::parse(one.article);
      const auto original = ordered_json::parse(one.original);
      const auto& text = article["content"].get_ref<const std::string&>();
      const auto& old = original["content"].get_ref<const std::string&>();
      const text_similarity found = articles->compare(old, text);
      result.push_back({{"docId", one.name},
                        {"foundBy", step_names[static_cast<std::size_t>(one.by)]},
                        {"similarity", found.features},
                        {"pairSimilarity", found.pairs},
                        {"article", article},
                        {"original", original},
                        {"difference", difference_of(old, text)}});
    }
    return {200, result.dump()};
  }

  /// Reads a body, and adds its bytes to `held`.
  /// Throws: refusal if the body is too long, or too many bytes are waiting already.
  std::string read_body(request_reader& reader, share& held) const {
    std::string body;
    reader.read_body(
        [&](std::string_view part) {
          held.add(part.size());
          body += part;
          return true;
        },
        options.max_body);
    return body;
  }

  response decide(const nlohmann::json& object) {
    std::vector<article> one;
    one.push_back(article_of(object));
    return {200, json_of(articles->submit(std::move(one)).get().front())};
  }

  response decide_body(request_reader& reader) {
    share held(*this);
    const nlohmann::json parsed = parse_json(json_in(read_body(reader, held)));
    if (!parsed.is_array()) return decide(parsed);
    batch all;
    for (const auto& element : parsed) all.add([&] { return article_of(element); });
    const auto answers = articles->submit(std::move(all.articles)).get();
    std::string text;
    batch::answer_all(all.errors, answers,
                      [&](const std::string& json) { (text += text.empty() ? '[' : ',') += json; });
    return {200, text.empty() ? "[]" : text + ']'};
  }

  /// Receives and answers JSON Lines. One thread reads while this thread writes. So a client may wait for answers to
  /// its lines before it sends more.
  sequel answer_lines(const request& asked, request_reader& reader, connection& client) {
    reader.give_leave();  // "100 Continue" has to come before the answer
    ++statuses[200];
    const bool is_chunked = !asked.is_http_1_0;
    const bool is_open = asked.keeps_open && is_chunked && !stopping.is_given();
    const std::string head =
        head_of({200, "", lines_type}, is_chunked ? "Transfer-Encoding: chunked\r\n" : "", !is_open, asked.is_http_1_0);
    line_stream lines{*this};
    bool is_written = client.write({head}, deadline());
    if (!is_written) lines.give_up();
    std::thread reading([&] { lines.read(reader); });
    while (auto group = lines.next()) {
      std::string text;
      try {
        batch::answer_all(group->errors, group->answers.get(), [&](const std::string& json) { text += json + '\n'; });
      } catch (const std::exception& error) {
        for (std::size_t i = 0; i < group->errors.size(); ++i) text += error_text(error.what()) + '\n';
      }
      is_written = is_written && write_part(text, is_chunked, client);
      if (!is_written) lines.give_up();
    }
    reading.join();
    if (!is_written || (is_chunked && !client.write({"0\r\n\r\n"}, deadline()))) return sequel::nothing;
    return is_open && reader.is_whole() && !stopping.is_given() ? sequel::request : sequel::end;
  }

  [[nodiscard]] bool write_part(const std::string& text, bool is_chunked, connection& client) const {
    if (!is_chunked) return client.write({text}, deadline());
    std::array<char, 16> digits{};
    const auto size = std::to_chars(digits.data(), digits.data() + digits.size(), text.size(), 16);
    return client.write({{digits.data(), size.ptr}, "\r\n", text, "\r\n"}, deadline());
  }

  class line_stream {
   public:
    struct group {
      std::vector<std::optional<std::string>> errors;
      std::future<std::vector<answer>> answers;
      std::unique_ptr<share> held;
    };

    explicit line_stream(implementation& own) : own_(own) {}

    /// Reads all lines, until the body ends or give_up() is called. Each line has its own deadline.
    void read(request_reader& reader) {
      std::string rest;
      try {
        reader.read_body([&](std::string_view part) {
          bool has_lines = false;
          for (std::size_t end; (end = part.find('\n')) != part.npos; part.remove_prefix(end + 1)) {
            rest += part.substr(0, end);
            has_lines = add(rest) || has_lines;
            rest.clear();
          }
          rest += part;
          if (has_lines) {
            submit();
            reader.renew_deadline();
          }
          if (own_.stopping.is_given()) throw refusal(503, "the service is stopping");
          if (rest.size() > own_.options.max_body)
            throw refusal(413, "a line has at most " + std::to_string(own_.options.max_body) + " bytes");
          return !is_over();
        });
        add(rest);
      } catch (const refusal& error) {
        const char* reason = own_.stopping.is_given() ? "the service is stopping" : error.what();
        lines_.add([&]() -> article { throw bad_request(reason); });
      }
      submit();
      const std::lock_guard lock(mutex_);
      is_done_ = true;
      changed_.notify_all();
    }

    /// Returns the next group in order; nullopt at the end.
    std::optional<group> next() {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_done_ || !groups_.empty(); });
      if (groups_.empty()) return std::nullopt;
      group result = std::move(groups_.front());
      groups_.pop_front();
      changed_.notify_all();
      return result;
    }

    void give_up() {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      changed_.notify_all();
    }
    bool is_over() {
      const std::lock_guard lock(mutex_);
      return is_over_;
    }

   private:
    /// Adds the article of a line, and submits the articles if there are enough.
    /// Returns: false, and adds nothing, if the line is blank.
    bool add(std::string_view line) {
      if (line.find_first_not_of(" \t\r") == line.npos) return false;
      lines_.add([&] {
        bytes_ += line.size();
        return article_of(parse_json(line));
      });
      if (lines_.errors.size() >= lines_together) submit();
      return true;
    }

    void submit() {
      if (lines_.errors.empty()) return;
      group made{std::move(lines_.errors), {}, std::make_unique<share>(own_)};
      try {
        made.held->add(bytes_);
        made.answers = own_.articles->submit(std::move(lines_.articles));
      } catch (...) {
        std::promise<std::vector<answer>> failed;
        failed.set_exception(std::current_exception());
        made.answers = failed.get_future();
      }
      lines_ = {};
      bytes_ = 0;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_over_ || groups_.size() < groups_ahead; });
      groups_.push_back(std::move(made));
      changed_.notify_all();
    }

    implementation& own_;
    batch lines_;
    std::size_t bytes_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<group> groups_;
    bool is_done_ = false;
    bool is_over_ = false;
  };

  std::string metrics() const {
    std::ostringstream out;
    const counters& counts = articles->counts();
    out << "# HELP docid_articles_total Articles by what they were found by; none: new documents.\n"
           "# TYPE docid_articles_total counter\n";
    for (std::size_t i = 0; i < step_names.size(); ++i)
      out << "docid_articles_total{found_by=\"" << step_names[i] << "\"} " << counts.articles[i] << '\n';
    const auto one = [&](const char* name, const char* type, const char* help, auto value) {
      out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n'
          << name << ' ' << value << '\n';
    };
    one("docid_documents", "gauge", "Documents in the store.", counts.documents.load());
    one("docid_nids", "gauge", "Articles in the store.", counts.nids.load());
    one("docid_commits_total", "counter", "Transactions that were synced.", counts.groups.load());
    one("docid_failed_commits_total", "counter", "Transactions that failed; nothing of them was kept.",
        counts.failed_groups.load());
    one("docid_checks_total", "counter", "Documents compared with an article.", counts.checks.load());
    one("docid_checks_read_total", "counter", "Those whose features were read from the store.",
        counts.checks_read.load());
    one("docid_checks_without_pairs_total", "counter",
        "Contents compared by their words, since their pairs are unknown.", counts.checks_without_pairs.load());
    one("docid_content_bytes", "gauge", "Index of the features of all contents.", counts.content_bytes.load());
    one("docid_feature_bytes", "gauge", "Other features in memory.", counts.feature_bytes.load());
    if (articles->finds_clues())
      one("docid_clue_bytes", "gauge", "Pairs of words in memory, for clues.", counts.clue_bytes.load());
    one("docid_commit_seconds_total", "counter", "Time that commits took.",
        static_cast<double>(counts.commit_microseconds.load()) / 1e6);
    one("docid_waiting_bytes", "gauge", "Bodies that wait.", waiting.load());
    out << "# HELP docid_requests_total Answers by their status.\n# TYPE docid_requests_total counter\n";
    for (std::size_t status = 0; status < statuses.size(); ++status) {
      if (statuses[status] != 0)
        out << "docid_requests_total{status=\"" << status << "\"} " << statuses[status] << '\n';
    }
    return out.str();
  }
};

http_server::http_server(const http_options& options) : own_(std::make_unique<implementation>(options)) {}
http_server::~http_server() = default;

int http_server::bind() {
  own_->door.emplace(own_->options.address, own_->options.port);
  return own_->door->port();
}

void http_server::run(service& articles) {
  own_->articles = &articles;
  own_->serve_all();
}

void http_server::stop() { own_->stopping.give(std::chrono::seconds(own_->options.timeout)); }

}  // namespace docid
