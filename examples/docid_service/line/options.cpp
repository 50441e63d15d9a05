#include "options.hpp"

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <neardup/version.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace docid {

namespace {

constexpr const char* usage = R"(Usage: docid_service [OPTION VALUE | OPTION=VALUE]…

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
  --distance K                     bits, of contents: only those within K bits are compared, so that similar ones
                                   can be missed; 7 (10 unless the recipe is minwise) where fingerprints
                                   find contents: with --redis, or --similarity 0
  --similarity S          0.8      of contents, none of which is missed; their pairs of words have half of it
                                   at least; 0: the distance alone decides
  --original yes          the cascade as it was published: dictionary, 3 bits, no checks; options that
                          follow change it
  --candidates N                   at most N documents are compared with an article at each step, the nearest
                                   first; 64, but all where contents are found without fingerprints
  --feature-memory SIZE   1G       of the features of titles, of pairs of words, and of contents if fingerprints find
                                   them; others are read from the store when they are compared. Without fingerprints
                                   the features of all contents are in memory besides, whatever it is
  --clues yes             no       answer GET /find, which finds the kept articles that hold a clue; takes memory
                                   for the pairs of words of each, and not with --mariadb
  --mariadb FILE                   documents and articles in MariaDB instead of DATA/docid.sqlite: an options
                                   file whose group [client] has host, port, user, password, database
  --redis PLACE                    the index in Redis at host:port, or at the path of a socket, instead of
                                   in memory; a password is taken from REDISCLI_AUTH in the environment.
                                   Then fingerprints find contents, and similar ones can be missed
  --blocks N              4        of the index in Redis: at 3 bits 4 are 4 tables, 5 are 10
  --contents NAME                  where the kept articles are: sqlite, mariadb, rocksdb (in DATA/contents), or
                                   hbase; default: where the documents are
  --hbase PLACE                    HBase's master at host:port, for --contents hbase
  --connections N         256      served at a time; more get 503
  --max-body SIZE         16M      of one request; longer ones get 413
  --max-waiting SIZE      256M     of the bodies that wait; more get 503
  --timeout SECONDS       10       silence of a client; after SIGTERM, how long requests that have begun may take to arrive
  --deadline SECONDS      60       for a request to arrive whole, or a line of JSON Lines, and for its answer to be taken
  --answer WHEN           stored   when the article is on the disk; decided: before it is. Whoever was answered so
                                   may have a docId that is lost, if the process, the machine or the store fails
                                   then, and that another article is given
  --version, --help
)";

/// Returns the number in `text`.
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

/// Returns the number of bytes in `text`. K, M or G after the number multiplies it by 1024, 1024^2 or 1024^3.
std::size_t size_in(const std::string& option, const std::string& text) {
  constexpr std::string_view units = "KMG";
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  if (unit == units.npos) return number_in<std::size_t>(option, text, 0, std::size_t{1} << 40);
  const auto number = number_in<std::size_t>(option, text.substr(0, text.size() - 1), 0, std::size_t{1} << 20);
  return number << (10 * (unit + 1));
}

}  // namespace

settings settings_of(int count, char** words) {
  settings all;
  std::string option;
  std::string by_distance;  // the option that makes the service find contents by distance
  std::string value;
  const auto integer = [&](auto& place, auto least, auto most) {
    using number = std::remove_reference_t<decltype(place)>;
    return [&, least, most] { place = number_in<number>(option, value, number(least), number(most)); };
  };
  const auto share = [&](double& place) { return [&] { place = number_in<double>(option, value, 0, 1); }; };
  const auto text = [&](std::string& place) { return [&] { place = value; }; };
  cascade_options& cascade = all.cascade;
  http_options& http = all.http;
  const std::size_t most = std::size_t{1} << 40;
  const std::map<std::string, std::function<void()>> options = {
      {"--port", integer(http.port, 0, 65535)},
      {"--address", text(http.address)},
      {"--data", text(all.stores.data)},
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
         by_distance = option;
       }},
      {"--similarity", share(cascade.content.similarity)},
      {"--original",
       [&] {
         if (value != "yes") throw std::runtime_error("--original '" + value + "': must be yes");
         cascade.set_original();
         by_distance = option;
       }},
      {"--candidates", [&] { cascade.candidates = number_in<std::size_t>(option, value, 1, most); }},
      {"--feature-memory", [&] { cascade.feature_memory = size_in(option, value); }},
      {"--clues",
       [&] {
         if (value != "yes" && value != "no") throw std::runtime_error("--clues '" + value + "': must be yes or no");
         cascade.finds_clues = value == "yes";
       }},
      {"--mariadb", text(all.stores.mariadb)},
      {"--redis", text(all.stores.redis)},
      {"--blocks", integer(all.stores.blocks, 1, 16)},
      {"--contents", text(all.stores.contents)},
      {"--hbase", text(all.stores.hbase)},
      {"--connections", integer(http.connections, 1, 100000)},
      {"--max-body", [&] { http.max_body = size_in(option, value); }},
      {"--max-waiting", [&] { http.max_waiting = size_in(option, value); }},
      {"--timeout", integer(http.timeout, 1, 3600)},
      {"--deadline", integer(http.deadline, 1, 86400)},
      {"--answer",
       [&] {
         if (value != "stored" && value != "decided")
           throw std::runtime_error("--answer '" + value + "': must be stored or decided");
         cascade.answers_early = value == "decided";
       }},
  };
  for (int i = 1; i < count; ++i) {
    option = words[i];
    if (option == "--help" || option == "-h") {
      std::cout << usage;
      std::exit(EXIT_SUCCESS);
    }
    if (option == "--version") {
      std::cout << "docid_service " << NEARDUP_VERSION_STRING << '\n';
      std::exit(EXIT_SUCCESS);
    }
    const std::size_t equals = option.find('=');
    const bool has_value = equals != std::string::npos;
    if (has_value) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    const auto found = options.find(option);
    if (found == options.end()) throw std::runtime_error("no option " + option + "; --help lists them");
    if (!has_value) {
      if (++i == count) throw std::runtime_error(option + " needs a value");
      value = words[i];
    }
    found->second();
  }
  if (cascade.finds_clues && !all.stores.mariadb.empty()) {
    throw std::runtime_error(
        "--clues yes with --mariadb: it would not be known which articles other services keep; leave out one of the "
        "two");
  }
  if (by_distance.empty()) cascade.content.distance = default_distance(cascade.recipe);
  if (by_distance.empty() && cascade.content.similarity == 0) by_distance = "--similarity 0";
  if (by_distance.empty() && !all.stores.redis.empty()) by_distance = "--redis";
  cascade.is_exact = by_distance.empty();
  if (!cascade.by_content) return all;
  if (!cascade.is_exact) {
    all.may_miss = "contents are found by fingerprints within " + std::to_string(cascade.content.distance) + " bits (" +
                   by_distance + ")";
  } else if (cascade.candidates) {
    all.may_miss =
        "at most " + std::to_string(*cascade.candidates) + " contents are compared with an article (--candidates)";
  }
  return all;
}

}  // namespace docid
