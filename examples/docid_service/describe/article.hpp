// An article as it arrives in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace docid {

/// A request is wrong; the message is the text of a response with status 400.
struct bad_request : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct article {
  std::string nid;  ///< the article's id in its source; its url if it has none
  std::string url;
  std::string title;
  std::string content;
  double heat = 0;   ///< the content of a document's hottest article is kept
  std::string json;  ///< the JSON object that is stored
};

/// Throws: bad_request if `text` is not UTF-8, or not JSON; the message says which, and where.
nlohmann::json parse_json(std::string_view text);

/// Throws: bad_request, which names the field, if one is missing or has a wrong type.
article article_of(const nlohmann::json& object);

}  // namespace docid
