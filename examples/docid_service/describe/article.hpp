// An article as it arrives in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace docid {

/// What is wrong with a request: the text of an answer with status 400.
struct bad_request : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct article {
  std::string nid;  ///< the article's own id; the url if it has none
  std::string url;
  std::string title;
  std::string content;
  double heat = 0;   ///< of the articles of a document the content of the hottest is kept
  std::string json;  ///< all that is kept of it, as an object
};

/// Throws: bad_request if `text` is no JSON in UTF-8.
nlohmann::json parse_json(std::string_view text);

/// Throws: bad_request that names the field if one is missing or has a wrong type.
article article_of(const nlohmann::json& object);

}  // namespace docid
