#include "http.hpp"

#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
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
#include <vector>

#include "../../common/text_difference.hpp"
#include "page.hpp"

namespace docid {

namespace {

using httplib::Request;
using httplib::Response;
using nlohmann::ordered_json;

constexpr const char* json_type = "application/json";
constexpr const char* lines_type = "application/x-ndjson";
constexpr std::size_t page_bytes = std::size_t{16} << 20;  // of articles in a page of GET /docs, and one more
constexpr std::size_t lines_together = 500;                // of JSON Lines, submitted together
constexpr std::size_t groups_ahead = 16;                   // read before they are answered
// Of a body that is refused: a client that is still sending when the connection ends does not see why.
constexpr std::size_t most_discarded = std::size_t{16} << 20;

/// What makes the one text of the other: [["same", …], ["removed", …], ["added", …], …].
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

/// The threads of the server. A connection that finds none of them free is told so by one of a few others.
class connection_pool final : public httplib::TaskQueue {
 public:
  explicit connection_pool(std::size_t count) : served_(count), most_(count) {}

  void enqueue(std::function<void()> serve) override {
    if (open_.fetch_add(1) < most_) {
      served_.enqueue([this, serve = std::move(serve)] {
        serve();
        --open_;
      });
    } else {
      refused_.enqueue([this, serve = std::move(serve)] {
        is_refusing = true;
        serve();
        --open_;
      });
    }
  }
  void shutdown() override {
    served_.shutdown();
    refused_.shutdown();
  }

  static thread_local bool is_refusing;

 private:
  std::atomic<std::size_t> open_{0};
  httplib::ThreadPool served_;
  httplib::ThreadPool refused_{4};
  std::size_t most_;
};

thread_local bool connection_pool::is_refusing = false;

/// httplib listens with room for five connections that wait to be accepted.
class listening_server final : public httplib::Server {
 public:
  void let_more_wait() { ::listen(svr_sock_, 1024); }
};

/// A request that cannot be served now, or is too large; the connection is closed, since its body is not read.
struct refusal : std::runtime_error {
  refusal(int s, const std::string& message) : std::runtime_error(message), status(s) {}
  int status;
};

constexpr const char* decide_path = "/docId/getDocId";
constexpr const char* similar_path = "/similar";
constexpr const char* find_path = "/find";

/// What a page may be asked by; nothing if there is no such page. Whatever has GET has HEAD.
std::string_view methods_of(std::string_view path) {
  if (path == decide_path) return "GET, POST";
  if (path == similar_path) return "POST";
  if (path.starts_with("/articles/")) return "GET, DELETE";
  if (path == "/" || path == "/health" || path == "/metrics" || path == "/articles" || path == "/docs" ||
      path == "/duplicates" || path == find_path || path.starts_with("/docs/"))
    return "GET";
  return {};
}

bool takes(std::string_view methods, std::string_view method) {
  return methods.find(method == "HEAD" ? "GET" : method) != std::string_view::npos;
}

/// The parameter `limit` of a request.
std::size_t limit_of(const Request& req, std::size_t usual, std::size_t most) {
  if (!req.has_param("limit")) return usual;
  const std::string text = req.get_param_value("limit");
  std::size_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc() || end != text.data() + text.size() || result < 1 || result > most)
    throw bad_request("the parameter limit is no number from 1 to " + std::to_string(most) + ": " + text);
  return result;
}

/// The parameter `share` of a request: a least one.
double share_of(const Request& req) {
  if (!req.has_param("share")) return 0.5;
  const std::string text = req.get_param_value("share");
  double result = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc() || end != text.data() + text.size() || !(result >= 0 && result <= 1))
    throw bad_request("the parameter share is no number from 0 to 1: " + text);
  return result;
}

/// The parameter `clue` of a request.
std::string clue_of(const Request& req) {
  if (!req.has_param("clue")) throw bad_request("the parameter clue is missing");
  std::string clue = req.get_param_value("clue");
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

/// Text of a form, application/x-www-form-urlencoded.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (is_escape) {
      result.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      result.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return result;
}

/// The field "json" of a body that is a form, or the body. Its type does not tell: curl's -d calls everything a form.
std::string json_in(std::string body) {
  constexpr std::string_view name = "json=";
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || body[first] == '{' || body[first] == '[') return body;
  for (std::string_view rest = body; !rest.empty();) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    if (rest.starts_with(name)) return decoded(rest.substr(name.size(), end - name.size()));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return body;
}

bool has_body(const Request& req) {
  const std::string length = req.get_header_value("Content-Length");
  return req.has_header("Transfer-Encoding") || length.find_first_not_of('0') != std::string::npos;
}

std::string error_text(const std::string& message) {
  return ordered_json{{"status", "error"}, {"error", message}}.dump(-1, ' ', false,
                                                                    ordered_json::error_handler_t::replace);
}

void set_error(Response& res, int status, const std::string& message) {
  res.status = status;
  res.set_content(error_text(message), json_type);
}

/// The answer, and no further request on this connection.
void close_with(Response& res, int status, const std::string& message) {
  res.status = status;
  res.set_header("Connection", "close");
  res.set_chunked_content_provider(json_type, [body = error_text(message)](std::size_t, httplib::DataSink& sink) {
    sink.write(body.data(), body.size());
    sink.done();
    return false;
  });
}

std::string json_of(const answer& given) {
  std::ostringstream reason;
  if (given.by == step::none) {
    reason << "docId_filter good news";
  } else {
    reason << "docId_filter duplicate by " << step_names[static_cast<std::size_t>(given.by)];
    if (given.by == step::title || given.by == step::content) reason << ", distance " << given.distance;
    if (given.similarity) reason << ", similarity " << static_cast<int>(*given.similarity * 1000) / 1000.0;
  }
  return ordered_json{{"filterReason", reason.str()},
                      {"docId", given.name},
                      {"filterStatus", given.by == step::none ? "good" : "duplicate"},
                      {"status", "success"}}
      .dump();
}

/// Articles of a batch, some of which may be wrong.
struct batch {
  std::vector<article> articles;
  std::vector<std::optional<std::string>> errors;  // for each element

  void add(const std::function<article()>& read) {
    try {
      articles.push_back(read());
      errors.emplace_back();
    } catch (const bad_request& error) {
      errors.emplace_back(error.what());
    }
  }

  /// Calls write(json) for each element in turn.
  template <class Write>
  static void answer_all(const std::vector<std::optional<std::string>>& errors, const std::vector<answer>& answers,
                         Write&& write) {
    auto next = answers.begin();
    for (const auto& error : errors) write(error ? error_text(*error) : json_of(*next++));
  }
};

}  // namespace

struct http_server::implementation {
  explicit implementation(const http_options& o) : options(o) { set_up(); }

  service* articles = nullptr;  // from run() on
  http_options options;
  listening_server server;
  std::atomic<std::size_t> waiting{0};  // bytes of bodies
  std::atomic<bool> is_stopping{false};
  std::atomic<bool> has_ended{false};
  std::array<std::atomic<std::uint64_t>, 600> statuses{};

  /// Bytes that count as waiting until it ends.
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

  void set_up() {
    server.new_task_queue = [this] { return new connection_pool(options.connections); };
    server.set_socket_options([](socket_t socket) {
      // Not SO_REUSEPORT, httplib's choice: two services on one port would share its requests.
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    server.set_tcp_nodelay(true);
    server.set_keep_alive_max_count(1000000);
    server.set_keep_alive_timeout(options.timeout);
    server.set_read_timeout(options.timeout);
    server.set_write_timeout(options.timeout);
    server.set_payload_max_length(static_cast<std::size_t>(-1));  // see read_body()

    server.set_pre_routing_handler([](const Request& req, Response& res) {
      if (connection_pool::is_refusing) {
        close_with(res, 503, "too many connections");
      } else if (const auto methods = methods_of(req.path); !methods.empty() && !takes(methods, req.method)) {
        res.set_header("Allow", std::string(methods));
        close_with(res, 405, req.method + " is not for this page, which takes " + std::string(methods));
      } else if (has_body(req) && !(req.method == "POST" && (req.path == decide_path || req.path == similar_path))) {
        // It would not be read, and what is in it be taken for the next request.
        close_with(res, 400, "this request has no body");
      } else if (has_body(req) && req.is_multipart_form_data()) {
        close_with(res, 415, "the body is JSON, not a form");
      } else if (req.path == decide_path && (req.method == "HEAD" || !req.ranges.empty())) {
        close_with(res, 400, "an article is not decided for the head or a range of the answer");
      } else {
        return httplib::Server::HandlerResponse::Unhandled;
      }
      return httplib::Server::HandlerResponse::Handled;
    });
    server.set_exception_handler([](const Request&, Response& res, std::exception_ptr what) {
      try {
        std::rethrow_exception(what);
      } catch (const bad_request& error) {
        set_error(res, 400, error.what());
      } catch (const unstorable& error) {
        set_error(res, 413, error.what());
      } catch (const refusal& error) {
        close_with(res, error.status, error.what());
      } catch (const std::exception& error) {
        set_error(res, 503, error.what());
      }
    });
    server.set_error_handler([](const Request&, Response& res) {
      if (!res.body.empty() || res.content_provider_) return;
      set_error(res, res.status,
                res.status == 404   ? "there is no such page; a docId is 16 hex digits, a hyphen and 16 more"
                : res.status == 414 ? "the URL is longer than 8 kB"
                                    : "the request cannot be understood");
    });
    server.set_logger([this](const Request&, const Response& res) {
      if (res.status > 0 && res.status < 600) ++statuses[static_cast<std::size_t>(res.status)];
    });

    server.Get(decide_path, [this](const Request& req, Response& res) {
      if (!req.has_param("json")) throw bad_request("the parameter json is missing");
      answer_object(parse_json(req.get_param_value("json")), res);
    });
    server.Post(decide_path, [this](const Request& req, Response& res, const httplib::ContentReader& reader) {
      std::string type = req.get_header_value("Content-Type");
      for (char& letter : type) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
      if (type.find("ndjson") != std::string::npos || type.find("jsonl") != std::string::npos) {
        answer_lines(req, res, reader);
      } else {
        answer_body(req, res, reader);
      }
    });
    server.Get("/docs/([0-9a-f]{16}-[0-9a-f]{16})", [this](const Request& req, Response& res) {
      const std::string name = req.matches[1];
      const auto found = articles->find(name);
      if (!found) return set_error(res, 404, "no document " + name);
      res.set_content(json_of(*found).dump(), json_type);
    });
    server.Get("/docs", [this](const Request& req, Response& res) {
      const std::size_t most = limit_of(req, 100, 1000);
      std::string lines;
      try {
        for (const auto& one : articles->documents_after(req.get_param_value("after"), most, page_bytes))
          lines += json_of(one).dump() + '\n';
      } catch (const std::invalid_argument& error) {
        throw bad_request(std::string("the parameter after: ") + error.what());
      }
      res.set_content(lines, lines_type);
    });
    const auto answer_name = [](Response& res, const char* field, const std::string& value,
                                const std::optional<std::string>& name) {
      if (!name) return set_error(res, 404, "no article of this " + std::string(field) + ": " + value);
      res.set_content(ordered_json{{field, value}, {"docId", *name}}.dump(), json_type);
    };
    server.Get(R"(/articles/([\s\S]+))", [this, answer_name](const Request& req, Response& res) {
      answer_name(res, "nid", req.matches[1], articles->find_nid(req.matches[1]));
    });
    server.Get("/articles", [this, answer_name](const Request& req, Response& res) {
      if (!req.has_param("url")) throw bad_request("the parameter url is missing");
      const std::string url = req.get_param_value("url");
      answer_name(res, "url", url, articles->find_url(url));
    });
    server.Delete(R"(/articles/([\s\S]+))", [this](const Request& req, Response& res) {
      const std::string nid = req.matches[1];
      if (!articles->erase(nid)) return set_error(res, 404, "no article " + nid);
      res.set_content(R"({"status":"success"})", json_type);
    });
    server.Post(similar_path, [this](const Request& req, Response& res, const httplib::ContentReader& reader) {
      share held(*this);
      const auto object = parse_json(read_body(req, reader, held));
      if (!object.is_object() || !object.contains("content") || !object["content"].is_string())
        throw bad_request("the field \"content\" is missing, or no string");
      auto result = ordered_json::array();
      const auto& content = object["content"].get_ref<const std::string&>();
      for (const auto& one : articles->similar(content)) {
        const auto kept = json_or_null(one.article);
        const std::string old = kept.is_null() ? std::string() : kept["content"].get<std::string>();
        result.push_back({{"docId", one.name},
                          {"distance", one.distance},
                          {"similarity", one.similarity},
                          {"pairSimilarity", one.pair_similarity ? ordered_json(*one.pair_similarity) : ordered_json()},
                          {"article", kept},
                          {"difference", kept.is_null() ? ordered_json() : difference_of(old, content)}});
      }
      res.set_content(result.dump(), json_type);
    });
    server.Get(find_path, [this](const Request& req, Response& res) {
      if (!articles->finds_clues())
        return set_error(res, 501, "this service does not find clues; start it with --clues yes");
      const std::string clue = clue_of(req);
      auto result = ordered_json::array();
      try {
        for (const auto& one : articles->find_clue(clue, share_of(req), limit_of(req, 10, 100)))
          result.push_back(json_of(one));
      } catch (const std::invalid_argument& error) {
        throw bad_request(std::string("the parameter clue: ") + error.what());
      }
      res.set_content(result.dump(), json_type);
    });
    server.Get("/duplicates", [this](const Request& req, Response& res) {
      auto result = ordered_json::array();
      for (const auto& one : articles->latest_duplicates(limit_of(req, 10, 20))) {
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
      res.set_content(result.dump(), json_type);
    });
    server.Get("/health", [](const Request&, Response& res) { res.set_content(R"({"status":"up"})", json_type); });
    server.Get("/metrics",
               [this](const Request&, Response& res) { res.set_content(metrics(), "text/plain; version=0.0.4"); });
    server.Get("/", [](const Request&, Response& res) { res.set_content(page_html, "text/html; charset=utf-8"); });
  }

  /// Throws: refusal if it is too long, or too much is waiting already; bad_request if the client stops.
  std::string read_body(const Request& req, const httplib::ContentReader& reader, share& held) const {
    const refusal too_long(413, "a body has at most " + std::to_string(options.max_body) + " bytes");
    std::string body;
    std::optional<refusal> refused;
    if (req.has_header("Content-Length") && req.get_header_value<std::uint64_t>("Content-Length") > options.max_body)
      refused.emplace(too_long);
    std::size_t discarded = 0;
    const bool is_whole = reader([&](const char* data, std::size_t size) {
      try {
        if (!refused && body.size() + size > options.max_body) throw too_long;
        if (!refused) held.add(size);
      } catch (const refusal& error) {
        refused.emplace(error);
        body = {};
      }
      if (refused) return (discarded += size) <= most_discarded;
      body.append(data, size);
      return true;
    });
    if (refused) throw *refused;
    if (!is_whole) throw refusal(400, "the body is not whole");
    return body;
  }

  void answer_object(const nlohmann::json& object, Response& res) {
    std::vector<article> one;
    one.push_back(article_of(object));
    res.set_content(json_of(articles->submit(std::move(one)).get().front()), json_type);
  }

  void answer_body(const Request& req, Response& res, const httplib::ContentReader& reader) {
    share held(*this);
    const nlohmann::json parsed = parse_json(json_in(read_body(req, reader, held)));
    if (!parsed.is_array()) return answer_object(parsed, res);
    batch all;
    for (const auto& element : parsed) all.add([&] { return article_of(element); });
    const auto answers = articles->submit(std::move(all.articles)).get();
    std::string text;
    batch::answer_all(all.errors, answers,
                      [&](const std::string& json) { (text += text.empty() ? '[' : ',') += json; });
    res.set_content(text.empty() ? "[]" : text + ']', json_type);
  }

  /// JSON Lines both ways: a thread reads while this one writes, so that a client may wait for the answers to what it has
  /// sent before it sends more.
  void answer_lines(const Request&, Response& res, const httplib::ContentReader& reader) {
    // httplib calls the provider while the request and the connection, which the reader refers to, are still there.
    res.set_chunked_content_provider(lines_type, [this, reader](std::size_t, httplib::DataSink& sink) {
      line_stream lines{*this};
      std::thread reading([&] { lines.read(reader); });
      bool is_written = true;
      while (auto group = lines.next()) {
        std::string text;
        try {
          batch::answer_all(group->errors, group->answers.get(), [&](const std::string& json) { text += json + '\n'; });
        } catch (const std::exception& error) {
          for (std::size_t i = 0; i < group->errors.size(); ++i) text += error_text(error.what()) + '\n';
        }
        is_written = is_written && sink.write(text.data(), text.size());
        if (!is_written) lines.give_up();
      }
      reading.join();
      if (is_written) sink.done();
      return is_written && lines.is_whole();
    });
  }

  class line_stream {
   public:
    struct group {
      std::vector<std::optional<std::string>> errors;
      std::future<std::vector<answer>> answers;
      std::unique_ptr<share> held;
    };

    explicit line_stream(implementation& own) : own_(own) {}

    /// All lines, until the body ends or the reader of answers gives up.
    void read(const httplib::ContentReader& reader) {
      std::string rest;
      bool is_readable = true;
      std::size_t discarded = 0;
      const bool is_whole = reader([&](const char* data, std::size_t size) {
        if (!is_readable) return (discarded += size) <= most_discarded && !is_over();
        std::string_view chunk(data, size);
        for (std::size_t end; (end = chunk.find('\n')) != std::string_view::npos; chunk.remove_prefix(end + 1)) {
          rest += chunk.substr(0, end);
          add(rest);
          rest.clear();
        }
        rest += chunk;
        submit();
        if (own_.is_stopping) {
          add_error("the service is stopping");
          return is_readable = false;
        }
        if (rest.size() <= own_.options.max_body) return !is_over();
        add_error("a line has at most " + std::to_string(own_.options.max_body) + " bytes");
        is_readable = false;
        rest.clear();
        return true;
      });
      if (is_whole && !rest.empty()) add(rest);
      if (!is_whole && is_readable && !is_over()) add_error("the body is not whole");
      submit();
      const std::lock_guard lock(mutex_);
      is_whole_ = is_whole;
      is_done_ = true;
      changed_.notify_all();
    }

    /// The next group in turn; nothing at the end.
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
    bool is_whole() {
      const std::lock_guard lock(mutex_);
      return is_whole_;
    }

   private:
    void add(std::string_view line) {
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
      lines_.add([&] {
        bytes_ += line.size();
        return article_of(parse_json(line));
      });
      if (lines_.errors.size() >= lines_together) submit();
    }

    void add_error(const std::string& message) {
      lines_.add([&]() -> article { throw bad_request(message); });
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
    bool is_whole_ = false;
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
    one("docid_feature_bytes", "gauge", "Features in memory.", counts.feature_bytes.load());
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
  const http_options& options = own_->options;
  int port = options.port;
  if (port == 0) {
    port = own_->server.bind_to_any_port(options.address);
  } else if (!own_->server.bind_to_port(options.address, port)) {
    port = -1;
  }
  if (port < 0) {
    throw std::runtime_error("cannot listen on " + options.address + ":" + std::to_string(options.port) +
                             "; is something else there?");
  }
  return port;
}

void http_server::run(service& articles) {
  own_->articles = &articles;
  own_->server.let_more_wait();
  own_->server.listen_after_bind();
  own_->has_ended = true;
}

void http_server::stop() {
  own_->is_stopping = true;
  // httplib forgets a stop that comes before it listens.
  while (!own_->server.is_running() && !own_->has_ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  own_->server.stop();
}

}  // namespace docid
