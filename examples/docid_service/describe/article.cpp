#include "article.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <neardup/text/utf8.hpp>

namespace docid {

namespace {

using nlohmann::json;

std::string name_of(const char* field) { return std::string("the field \"") + field + "\""; }

/// Returns a field, or nullptr if the field is missing or null.
const json* find_field(const json& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string required_text(const json& object, const char* field) {
  const json* const found = find_field(object, field);
  if (found == nullptr) throw bad_request(name_of(field) + " is missing");
  if (!found->is_string()) throw bad_request(name_of(field) + " is not a string");
  return found->get<std::string>();
}

/// Returns a field as text: the value of a string, or the shortest form of a number. A missing field is empty.
std::string text_or_number(const json& object, const char* field) {
  const json* const found = find_field(object, field);
  if (found == nullptr) return {};
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number()) return found->dump();
  throw bad_request(name_of(field) + " is neither a string nor a number");
}

/// Appends json(text).dump(). `text` comes from JSON, so it is UTF-8. If no character has to be escaped, this function
/// is ten times as fast as dump().
void append_quoted(std::string& to, const std::string& text) {
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
  };
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    to.append("\"").append(text).append("\"");
  } else {
    to += json(text).dump();
  }
}

/// Returns the place of the byte at `offset`, for a message: the line, unless it is the first, and the column in bytes.
std::string place_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = offset - (before.rfind('\n') + 1);  // npos + 1 is 0
  return (line == 1 ? "" : "line " + std::to_string(line) + ", ") + "column " + std::to_string(column + 1);
}

/// Throws bad_request. Its message names the first byte before `error.byte` that is not UTF-8, or else repeats `error`.
[[noreturn]] void refuse(std::string_view text, const json::parse_error& error) {
  const std::size_t end = std::min(error.byte, text.size());
  for (std::size_t i = 0; i < end;) {
    const neardup::decoded next = neardup::decode_one(text.substr(i));
    if (!next.valid) throw bad_request("not UTF-8: " + place_in(text, i) + ": no character begins with this byte");
    i += next.length;
  }
  // The parser's message ends with the last token. The token is cut off, because it may be as long as the text.
  std::string reason = error.what();
  reason.erase(0, reason.find(" - ") + 3);
  reason.resize(std::min(reason.find("; last read:"), reason.size()));
  throw bad_request("not JSON: " + place_in(text, error.byte - 1) + ": " + reason);
}

double heat_of(const json& object) {
  const std::string text = text_or_number(object, "heat");
  if (text.empty()) return 0;
  char* end = nullptr;
  const double heat = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(heat)) throw bad_request(name_of("heat") + " is not a number");
  return heat;
}

}  // namespace

json parse_json(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    refuse(text, error);
  } catch (const json::exception&) {
    throw bad_request("not JSON: a number is beyond the range of a double");
  }
}

article article_of(const json& object) {
  if (!object.is_object()) throw bad_request("an article is a JSON object");
  article result;
  result.url = required_text(object, "url");
  result.title = required_text(object, "title");
  result.content = required_text(object, "content");
  if (result.url.empty()) throw bad_request(name_of("url") + " is empty");
  // The parser rounds large numbers and fractions, so two different nids could become equal.
  if (object.contains("nid") && object["nid"].is_number_float())
    throw bad_request(name_of("nid") + " is no integer of 64 bits: write it as a string");
  result.nid = text_or_number(object, "nid");
  if (result.nid.empty()) result.nid = result.url;
  result.heat = heat_of(object);
  result.json.reserve(result.content.size() + 256);
  const auto add = [&](const char* field, const std::string& value) {
    result.json.append(result.json.empty() ? "{\"" : ",\"").append(field).append("\":");
    append_quoted(result.json, value);
  };
  add("nid", result.nid);
  add("url", result.url);
  add("title", result.title);
  add("content", result.content);
  for (const char* field : {"category", "media", "imageCount"}) {
    if (const std::string value = text_or_number(object, field); !value.empty()) add(field, value);
  }
  result.json.append(",\"heat\":").append(json(result.heat).dump()).append("}");
  return result;
}

}  // namespace docid
