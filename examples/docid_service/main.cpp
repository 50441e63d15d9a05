// docid_service: gives each arriving article the id of the document that it is a version of.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>

#include "http.hpp"
#include "memory_index.hpp"
#include "service.hpp"
#include "sqlite_store.hpp"

namespace {

constexpr const char* usage = R"(Usage: docid_service [OPTION VALUE]…

  --port N                8080; 0: any that is free
  --address A             127.0.0.1
  --data FOLDER           docid_data; made if it is not there
  --recipe NAME           words (each distinct word once), pairs (of words), dictionary (words of jieba's
                          dictionary, counts in levels 1 to 5)
  --jieba FOLDER          /usr/lib/python3/dist-packages/jieba
  --steps LIST            url,title,content
  --title-distance K      3        bits
  --title-similarity S    0.8      Jaccard similarity; 0: the distance alone decides
  --title-tokens N        1        shorter titles say nothing
  --title-content S       0.5      the least similarity of the contents behind two titles
  --distance K            10       bits, of contents
  --similarity S          0.8      of contents
  --original yes          the cascade as it was published: dictionary, 3 bits, no checks; options that
                          follow change it
  --candidates N          64       documents compared with an article at each step
  --feature-memory SIZE   1G       of features of documents, for the check; beyond it they are
                                   read from the store
  --threads N             2        for searches
  --connections N         256      served at a time; more get 503
  --max-body BYTES        16777216
  --max-waiting BYTES     268435456
  --timeout SECONDS       10       silence of a client within a request
)";

struct settings {
  docid::cascade_options cascade;
  docid::http_options http;
  std::string data = "docid_data";
  unsigned threads = 2;
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
      {"--distance", integer(cascade.content.distance, 0, 20)},
      {"--similarity", share(cascade.content.similarity)},
      {"--original",
       [&] {
         if (value != "yes") throw std::runtime_error("--original takes yes");
         cascade.set_original();
       }},
      {"--candidates", integer(cascade.candidates, 1, most)},
      {"--feature-memory", [&] { cascade.feature_memory = size_in(option, value); }},
      {"--threads", integer(all.threads, 1, 256)},
      {"--connections", integer(http.connections, 1, 100000)},
      {"--max-body", integer(http.max_body, 1, most)},
      {"--max-waiting", integer(http.max_waiting, 1, most)},
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
  return all;
}

/// What must stay the same as long as a store is used.
std::string composition_of(const docid::cascade_options& cascade) {
  std::ostringstream text;
  text << "recipe " << cascade.recipe << ", title-tokens " << cascade.title_tokens << ", steps "
       << (cascade.by_title ? "title " : "") << (cascade.by_content ? "content" : "");
  return text.str();
}

int serve(const settings& all) {
  // Before any thread is made, so that only the one below takes them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  docid::make_describer(all.cascade.recipe, all.cascade.jieba);  // throws before the store is marked with the recipe
  std::filesystem::create_directories(all.data);
  const docid::sqlite_database database(all.data + "/docid.sqlite", composition_of(all.cascade));
  docid::sqlite_mapping mapping(database);
  docid::sqlite_contents contents(database);
  docid::memory_index titles(all.cascade.title.distance, all.threads);
  docid::memory_index bodies(all.cascade.content.distance, all.threads);
  contents.for_each([&](docid::doc_number document, const auto& title, const auto& content) {
    if (title) titles.insert(*title, document);
    if (content) bodies.insert(*content, document);
  });
  titles.commit();
  bodies.commit();

  docid::service articles(all.cascade, titles, bodies, mapping, contents);
  docid::http_server server(articles, all.http);
  const int port = server.bind();
  std::cout << "docid_service: http://" << all.http.address << ':' << port << "/  " << contents.size()
            << " documents in " << all.data << std::endl;
  std::thread waiting([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    server.stop();
  });
  server.run();
  kill(getpid(), SIGTERM);  // for the thread that waits, if no signal has come
  waiting.join();
  articles.stop();
  std::cout << "docid_service: stopped, " << contents.size() << " documents" << std::endl;
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
