// An article in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace docid {

/// The error of an invalid request. Its message is the text of a response with status 400.
struct bad_request : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct article {
  std::string nid;  ///< the article's id in its source; its url if it has no id
  std::string url;
  std::string title;
  std::string content;
  double heat = 0;   ///< the hottest article of a document is kept
  std::string json;  ///< the JSON object that is stored
};

/// Parses JSON. Throws: bad_request, which names the problem and the place, if `text` is not UTF-8, or not JSON.
nlohmann::json parse_json(std::string_view text);

/// Reads an article from a JSON object.
/// Throws: bad_request, which names the field, if a field is missing or has a wrong type.
article article_of(const nlohmann::json& object);

}  // namespace docid
