#include "documents.hpp"

#include <simdjson.h>

#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace accuracy {

documents read_documents(const std::string& path, std::size_t limit) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
  }
  std::istream& in = path == "-" ? std::cin : file;

  documents result;
  std::unordered_map<std::string, std::uint32_t> label_of;
  simdjson::dom::parser parser;
  std::string line;
  for (std::size_t number = 1; (limit == 0 || result.texts.size() < limit) && std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + what);
    };
    simdjson::dom::element record;
    if (const auto error = parser.parse(line).get(record)) fail(simdjson::error_message(error));
    std::string_view text;
    if (record["text"].get(text) != simdjson::SUCCESS) fail("no field 'text' with a string");
    result.texts.emplace_back(text);

    std::uint32_t label = no_label;
    simdjson::dom::element cluster;
    if (record["cluster"].get(cluster) == simdjson::SUCCESS && !cluster.is_null()) {
      label =
          label_of.try_emplace(simdjson::minify(cluster), static_cast<std::uint32_t>(label_of.size())).first->second;
      result.labelled = true;
    }
    result.labels.push_back(label);
  }
  if (in.bad()) throw std::runtime_error(path + ": cannot be read to its end");
  return result;
}

}  // namespace accuracy
