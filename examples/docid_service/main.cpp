// docid_service: gives each arriving article the id of the document that it is a version of.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>

#include "http.hpp"
#if defined(DOCID_MARIADB)
#include "mariadb_store.hpp"
#endif
#include "memory_index.hpp"
#if defined(DOCID_REDIS)
#include "redis_index.hpp"
#endif
#if defined(DOCID_ROCKSDB)
#include "rocksdb_contents.hpp"
#endif
#include "service.hpp"
#include "sqlite_store.hpp"

namespace {

constexpr const char* usage = R"(Usage: docid_service [OPTION VALUE]…

  --port N                8080; 0: any that is free
  --address A             127.0.0.1
  --data FOLDER           docid_data; made if it is not there
  --recipe NAME           minwise (codes of the sets of words; titles as words), words (SimHash of each
                          distinct word), pairs (of words), dictionary (words of jieba's dictionary,
                          counts in levels 1 to 5)
  --jieba FOLDER          /usr/lib/python3/dist-packages/jieba
  --steps LIST            url,title,content
  --title-distance K      3        bits
  --title-similarity S    0.8      Jaccard similarity; 0: the distance alone decides
  --title-tokens N        1        shorter titles say nothing
  --title-content S       0.4      the least similarity of the pairs of words of the contents behind two titles;
                                   0: the titles alone decide
  --distance K            7        bits, of contents; 10 unless the recipe is minwise
  --similarity S          0.8      of contents; their pairs of words have half of it at least
  --original yes          the cascade as it was published: dictionary, 3 bits, no checks; options that
                          follow change it
  --candidates N          64       documents compared with an article at each step
  --feature-memory SIZE   1G       of features of documents, for the check; beyond it they are
                                   read from the store
  --mariadb FILE                   documents and articles in MariaDB instead of DATA/docid.sqlite: an options
                                   file whose group [client] has host, port, user, password, database
  --redis PLACE                    the index in Redis at host:port, or at the path of a socket, instead of
                                   in memory; a password is taken from REDISCLI_AUTH in the environment
  --blocks N              4        of the index in Redis: at 3 bits 4 are 4 tables, 5 are 10
  --contents NAME                  where the kept articles are: sqlite, mariadb, or rocksdb (in
                                   DATA/contents); default: where the documents are
  --connections N         256      served at a time; more get 503
  --max-body SIZE         16M      of one request; longer ones get 413
  --max-waiting SIZE      256M     of the bodies that wait; more get 503
  --timeout SECONDS       10       silence of a client within a request
)";

struct settings {
  docid::cascade_options cascade;
  docid::http_options http;
  std::string data = "docid_data";
  std::string mariadb;
  std::string redis;
  std::string contents;
  int blocks = 4;
};

/// Throws: std::runtime_error unless `text` is a number from `least` to `most`.
template <class Number>
Number number_in(const std::string& option, const std::string& text, Number least, Number most) {
  std::istringstream in(text);
  Number value{};
  if (text.empty() || text[0] == '-' || !(in >> value) || !in.eof() || value < least || value > most) {
    std::ostringstream message;
    message << option << ' ' << text << ": a number from " << least << " to " << most << " is needed";
    throw std::runtime_error(message.str());
  }
  return value;
}

/// A number of bytes, with K, M or G behind it of as many times 1024.
std::size_t size_in(const std::string& option, const std::string& text) {
  constexpr std::string_view units = "KMG";
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  if (unit == units.npos) return number_in<std::size_t>(option, text, 0, std::size_t{1} << 40);
  const auto number = number_in<std::size_t>(option, text.substr(0, text.size() - 1), 0, std::size_t{1} << 20);
  return number << (10 * (unit + 1));
}

settings settings_of(int count, char** words) {
  settings all;
  std::string option;
  bool has_distance = false;  // of contents
  std::string value;
  const auto integer = [&](auto& place, auto least, auto most) {
    using number = std::remove_reference_t<decltype(place)>;
    return [&, least, most] { place = number_in<number>(option, value, number(least), number(most)); };
  };
  const auto share = [&](double& place) { return [&] { place = number_in<double>(option, value, 0, 1); }; };
  const auto text = [&](std::string& place) { return [&] { place = value; }; };
  docid::cascade_options& cascade = all.cascade;
  docid::http_options& http = all.http;
  const std::size_t most = std::size_t{1} << 40;
  const std::map<std::string, std::function<void()>> options = {
      {"--port", integer(http.port, 0, 65535)},
      {"--address", text(http.address)},
      {"--data", text(all.data)},
      {"--recipe", text(cascade.recipe)},
      {"--jieba", text(cascade.jieba)},
      {"--steps",
       [&] {
         cascade.by_url = cascade.by_title = cascade.by_content = false;
         std::istringstream in(value);
         for (std::string name; std::getline(in, name, ',');) {
           if (name != "url" && name != "title" && name != "content")
             throw std::runtime_error("--steps: no step \"" + name + "\"; there are url, title and content");
           (name == "url" ? cascade.by_url : name == "title" ? cascade.by_title : cascade.by_content) = true;
         }
       }},
      {"--title-distance", integer(cascade.title.distance, 0, 20)},
      {"--title-similarity", share(cascade.title.similarity)},
      {"--title-tokens", integer(cascade.title_tokens, 0, 1000)},
      {"--title-content", share(cascade.title_content)},
      {"--distance",
       [&] {
         cascade.content.distance = number_in<int>(option, value, 0, 20);
         has_distance = true;
       }},
      {"--similarity", share(cascade.content.similarity)},
      {"--original",
       [&] {
         if (value != "yes") throw std::runtime_error("--original takes yes");
         cascade.set_original();
         has_distance = true;
       }},
      {"--candidates", integer(cascade.candidates, 1, most)},
      {"--feature-memory", [&] { cascade.feature_memory = size_in(option, value); }},
      {"--mariadb", text(all.mariadb)},
      {"--redis", text(all.redis)},
      {"--blocks", integer(all.blocks, 1, 16)},
      {"--contents", text(all.contents)},
      {"--connections", integer(http.connections, 1, 100000)},
      {"--max-body", [&] { http.max_body = size_in(option, value); }},
      {"--max-waiting", [&] { http.max_waiting = size_in(option, value); }},
      {"--timeout", integer(http.timeout, 1, 3600)},
  };
  for (int i = 1; i < count; i += 2) {
    option = words[i];
    if (option == "--help" || option == "-h") {
      std::cout << usage;
      std::exit(EXIT_SUCCESS);
    }
    const auto found = options.find(option);
    if (found == options.end()) throw std::runtime_error("no option " + option + "; --help lists them");
    if (i + 1 == count) throw std::runtime_error(option + " needs a value");
    value = words[i + 1];
    found->second();
  }
  if (!has_distance) cascade.content.distance = docid::default_distance(cascade.recipe);
  return all;
}

/// What must stay the same as long as a store is used.
std::string composition_of(const docid::cascade_options& cascade) {
  std::ostringstream text;
  text << "recipe " << cascade.recipe << ", title-tokens " << cascade.title_tokens << ", steps "
       << (cascade.by_title ? "title " : "") << (cascade.by_content ? "content" : "");
  return text.str();
}

/// What the options name, and what it stands on; the members end in the reverse order.
struct stores {
  std::string place;
  std::unique_ptr<docid::sqlite_database> sqlite;
#if defined(DOCID_MARIADB)
  std::unique_ptr<docid::mariadb_connection> mariadb;
#endif
#if defined(DOCID_REDIS)
  std::unique_ptr<docid::redis_connection> redis;
#endif
  std::unique_ptr<docid::fingerprint_index> urls, titles, bodies;
  std::unique_ptr<docid::mapping> mapping;
  std::unique_ptr<docid::contents> contents;
};

[[noreturn, maybe_unused]] void refuse_store(const std::string& option, const std::string& packages) {
  throw std::runtime_error(option + ": this program was built without it; install " + packages + " and build it anew");
}

void open_documents(const settings& all, stores& made) {
  if (all.mariadb.empty()) {
    made.place = all.data;
    made.sqlite = std::make_unique<docid::sqlite_database>(all.data + "/docid.sqlite", composition_of(all.cascade));
    made.mapping = std::make_unique<docid::sqlite_mapping>(*made.sqlite);
    return;
  }
#if defined(DOCID_MARIADB)
  made.place = "MariaDB";
  made.mariadb = std::make_unique<docid::mariadb_connection>(all.mariadb, composition_of(all.cascade));
#else
  refuse_store("--mariadb", "libmariadb-dev");
#endif
}

void open_index(const settings& all, stores& made) {
  const docid::cascade_options& cascade = all.cascade;
  if (all.redis.empty()) {
    made.titles = std::make_unique<docid::memory_index>(cascade.title.distance);
    made.bodies = std::make_unique<docid::memory_index>(cascade.content.distance);
    return;
  }
#if defined(DOCID_REDIS)
  const auto index = [&](const char* prefix, int distance, int blocks) {
    return std::make_unique<docid::redis_index>(*made.redis, prefix, distance, blocks);
  };
#if defined(DOCID_MARIADB)
  const std::string identity = made.mariadb ? made.mariadb->identity() : made.mapping->identity();
#else
  const std::string identity = made.mapping->identity();
#endif
  made.redis = std::make_unique<docid::redis_connection>(all.redis, identity);
  made.titles = index("TITLE_INDEX", cascade.title.distance, all.blocks);
  made.bodies = index("CONTENT_INDEX", cascade.content.distance, all.blocks);
  // SQLite has the urls in memory.
  if (!all.mariadb.empty()) made.urls = index("URL_INDEX", 0, 1);
#else
  refuse_store("--redis", "libhiredis-dev");
#endif
}

void open_contents(const settings& all, stores& made) {
  const std::string name = !all.contents.empty() ? all.contents : all.mariadb.empty() ? "sqlite" : "mariadb";
  if (name == "rocksdb") {
#if defined(DOCID_ROCKSDB)
    made.contents = std::make_unique<docid::rocksdb_contents>(all.data + "/contents");
#else
    refuse_store("--contents rocksdb", "librocksdb-dev");
#endif
  } else if (name == "sqlite" && made.sqlite) {
    made.contents = std::make_unique<docid::sqlite_contents>(*made.sqlite);
#if defined(DOCID_MARIADB)
  } else if (name == "mariadb" && made.mariadb) {
    made.contents = std::make_unique<docid::mariadb_contents>(*made.mariadb);
#endif
  } else {
    throw std::runtime_error("--contents " + name + ": it is rocksdb, or where the documents are (" +
                             (all.mariadb.empty() ? "sqlite" : "mariadb") + ")");
  }
}

stores stores_of(const settings& all) {
  stores made;
  open_documents(all, made);
  open_index(all, made);
#if defined(DOCID_MARIADB)
  if (made.mariadb) made.mapping = std::make_unique<docid::mariadb_mapping>(*made.mariadb, made.urls.get());
#endif
  open_contents(all, made);
  return made;
}

int serve(const settings& all) {
  // Before any thread is made, so that only the one below takes them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // Each connection is an open file, and the usual limit is 1,024.
  if (rlimit files{}; getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }

  // What may be refused comes before the store is marked with the recipe.
  docid::make_describers(all.cascade.recipe, all.cascade.jieba);
  docid::http_server server(all.http);
  const int port = server.bind();
  std::filesystem::create_directories(all.data);
  const stores kept = stores_of(all);
  docid::service articles(all.cascade, *kept.titles, *kept.bodies, *kept.mapping, *kept.contents);
  std::cout << "docid_service: http://" << all.http.address << ':' << port << "/  " << articles.counts().documents
            << " documents in " << kept.place << std::endl;
  std::thread waiting([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    server.stop();
  });
  server.run(articles);
  kill(getpid(), SIGTERM);  // for the thread that waits, if no signal has come
  waiting.join();
  articles.stop();
  std::cout << "docid_service: stopped, " << articles.counts().documents << " documents" << std::endl;
  return EXIT_SUCCESS;
}

}  // namespace

int main(int count, char** words) {
  try {
    return serve(settings_of(count, words));
  } catch (const std::exception& error) {
    std::cerr << "docid_service: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
