#include "json_record.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <neardup/text/utf8.hpp>
#include <system_error>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "input.hpp"

static_assert(command::padding >= simdjson::SIMDJSON_PADDING);

namespace command {

namespace {

namespace od = simdjson::ondemand;

constexpr int max_depth = 1024;
constexpr std::string_view blanks = " \t\r\n";

/// Larger parsers than this are not kept: one record of 100 MB must not hold a gigabyte to the end.
constexpr std::size_t kept_capacity = std::size_t{1} << 24;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a token is a number by the grammar of JSON. simdjson looks at numbers only when it reads them, and then
/// refuses those beyond 64 bits, which are valid JSON.
bool is_number(std::string_view token) {
  std::size_t i = 0;
  const auto peek = [&] { return i < token.size() ? token[i] : '\0'; };
  const auto digits = [&] {
    const std::size_t first = i;
    while (is_digit(peek())) ++i;
    return i > first;
  };
  if (peek() == '-') ++i;
  if (peek() == '0') {
    ++i;
  } else if (!digits()) {
    return false;
  }
  if (peek() == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (peek() == 'e' || peek() == 'E') {
    ++i;
    if (peek() == '+' || peek() == '-') ++i;
    if (!digits()) return false;
  }
  return i == token.size();
}

/// Whether a number of JSON is one that a word may weigh.
bool is_weight(std::string_view number) {
  double value = 0;
  return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{} && value >= 0;
}

/// The value of four hexadecimal digits; nothing if they are anything else.
std::optional<char32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + 4) return std::nullopt;
  return value;
}

bool is_high_surrogate(char32_t c) { return c >= 0xd800 && c < 0xdc00; }
bool is_low_surrogate(char32_t c) { return c >= 0xdc00 && c < 0xe000; }

/// Which of 64 bytes are backslashes: bit i for byte i.
std::uint64_t backslashes(const char* bytes) {
  std::uint64_t found = 0;
#if defined(__SSE2__)
  for (int i = 0; i < 64; i += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
    const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_set1_epi8('\\')));
    found |= static_cast<std::uint64_t>(equal) << i;
  }
#else
  for (int i = 0; i < 64; ++i) found |= std::uint64_t{bytes[i] == '\\'} << i;
#endif
  return found;
}

/// What the second byte of an escape of two stands for; 0 for others.
constexpr std::array<char, 256> short_escapes = [] {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}();

/// Writes the character of the escape that a text begins with, and moves `out` behind it. Half a surrogate pair becomes
/// U+FFFD.
/// Returns: the bytes of the escape; 0 if it is none of JSON.
std::size_t take_escape(std::string_view text, char*& out, bool& ill_formed) {
  if (text.size() < 2) return 0;
  if (const char c = short_escapes[static_cast<unsigned char>(text[1])]; c != '\0') {
    *out++ = c;
    return 2;
  }
  const std::optional<char32_t> first = text[1] == 'u' ? hex4(text.substr(2)) : std::nullopt;
  if (!first) return 0;
  char32_t code_point = *first;
  std::size_t size = 6;
  if (is_high_surrogate(code_point) && text.substr(size).starts_with("\\u")) {
    const std::optional<char32_t> second = hex4(text.substr(size + 2));
    if (!second) return 0;
    if (is_low_surrogate(*second)) {
      code_point = 0x10000 + ((code_point - 0xd800) << 10) + (*second - 0xdc00);
      size *= 2;
    }
  }
  if (is_high_surrogate(code_point) || is_low_surrogate(code_point)) {
    code_point = neardup::replacement_character;
    ill_formed = true;
  }
  out += neardup::encode(code_point, out);
  return size;
}

/// Resolves the escapes of a string without its quotes, which stands in a line. Our own, not simdjson's, which copies
/// byte by byte unless it is compiled for a newer processor: this one gives a string without escapes as it stands, else
/// looks at 64 bytes at a time.
/// Returns: the text, in `scratch` if there were escapes; nothing if one of them is none of JSON.
std::optional<std::string_view> unescape(std::string_view quoted, std::string& scratch, bool& ill_formed) {
  if (quoted.find('\\') == std::string_view::npos) return quoted;
  // No escape is shorter than its character. Copies reach into the padding of the line, and of this.
  constexpr std::size_t block = 64;
  static_assert(block <= padding);
  if (scratch.size() < quoted.size() + block) scratch.resize(quoted.size() + block);
  char* out = scratch.data();
  while (!quoted.empty()) {
    const std::size_t size = std::min(block, quoted.size());
    std::size_t done = 0;  // of the block
    std::memcpy(out, quoted.data(), block);
    for (std::uint64_t left = backslashes(quoted.data()); left != 0;) {
      const auto escape = static_cast<std::size_t>(std::countr_zero(left));
      if (escape >= size) break;
      out += escape - done;
      const std::size_t taken = take_escape(quoted.substr(escape), out, ill_formed);
      if (taken == 0) return std::nullopt;
      done = escape + taken;
      if (done >= block) break;
      left &= ~std::uint64_t{0} << done;
      std::memcpy(out, quoted.data() + done, block);
    }
    if (done < size) {
      out += size - done;
      done = size;
    }
    quoted.remove_prefix(done);
  }
  return std::string_view(scratch.data(), static_cast<std::size_t>(out - scratch.data()));
}

std::string repaired(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  neardup::for_each_code_point(bytes, [&](char32_t code_point, std::string_view) {
    char encoded[4];
    out.append(encoded, neardup::encode(code_point, encoded));
  });
  return out;
}

std::string explain(simdjson::error_code error) {
  switch (error) {
    case simdjson::CAPACITY: return "a line of 4 GB or more";
    case simdjson::MEMALLOC: return "not enough memory for this line";
    case simdjson::UNCLOSED_STRING: return "not valid JSON: a string has no end";
    case simdjson::UNESCAPED_CHARS: return "not valid JSON: a control character stands in a string, not as an escape";
    case simdjson::TRAILING_CONTENT: return "not valid JSON: something follows the object";
    case simdjson::DEPTH_ERROR: return "nested deeper than 1,024 levels";
    case simdjson::STRING_ERROR: return "not valid JSON: a wrong escape in a string";
    case simdjson::NUMBER_ERROR: return "not valid JSON: a wrong number";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return "not valid JSON: a value is not a string, a number, true, false or null";
    case simdjson::TAPE_ERROR:
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
    case simdjson::EMPTY:
      return "not valid JSON: a comma, colon, bracket or quote is missing, or there is one too many";
    default: return std::string("not valid JSON: ") + simdjson::error_message(error);
  }
}

/// What a field holds, as it stands in the line.
struct token {
  char kind = '\0';  ///< its first character, '0' for every number
  std::string_view text;
};

const char* name_of(char kind) {
  switch (kind) {
    case '"': return "a string";
    case '0': return "a number";
    case '{': return "an object";
    case '[': return "an array";
    case 'n': return "null";
    default: return "true or false";
  }
}

}  // namespace

class json_parser {
 public:
  explicit json_parser(const options& s) : settings(s), names(s.text_fields) {
    names.push_back(s.id_field);
    if (!s.score_field.empty()) names.push_back(s.score_field);
    found.resize(names.size());
    scratch.resize(names.size());
  }

  /// As record_reader::read.
  std::optional<std::string> read(std::string_view line, record& out);

  simdjson::error_code scan_line(const char* line, std::size_t size);
  std::optional<std::string> take(record& out);
  std::optional<std::string> take_score(double& score) const;
  simdjson::error_code scan(od::value value, int depth, token& out);
  simdjson::error_code check(od::value value, int depth);
  simdjson::error_code scan_weighted(od::value value, token& out);
  simdjson::error_code key_of(od::field& field, std::string_view& key);

  const options& settings;
  od::parser parser;
  std::vector<std::string> names;    // of the fields that are asked for: the texts, the id, the score
  std::vector<token> found;          // of each
  std::vector<std::string> scratch;  // for each
  std::string other_scratch;
  std::string repaired_line;
  std::vector<std::string_view> weighted;  // of the weighted field: a word, its weight, and so on
  std::deque<std::string> words;           // as far as they had escapes
  bool ill_formed = false;                 // an escape in what was read stands for no character
};

/// Takes a value as it stands; checks all within it, but for the escapes if it is a string.
simdjson::error_code json_parser::scan(od::value value, int depth, token& out) {
  if (depth > max_depth) return simdjson::DEPTH_ERROR;
  std::string_view text = value.raw_json_token();
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  out = {text.empty() ? '\0' : text.front(), text};
  switch (out.kind) {
    case '"':
      if (text.size() < 2 || text.back() != '"') return simdjson::TAPE_ERROR;
      out.text = text.substr(1, text.size() - 2);
      // Read past it: a string that simdjson has to skip it may take for a key.
      return value.get_raw_json_string().error();
    case '{': {
      od::object object;
      if (const auto error = value.get_object().get(object)) return error;
      for (auto item : object) {
        od::field field;
        std::string_view key;
        if (const auto error = std::move(item).get(field)) return error;
        if (const auto error = key_of(field, key)) return error;
        if (const auto error = check(field.value(), depth + 1)) return error;
      }
      return simdjson::SUCCESS;
    }
    case '[': {
      od::array array;
      if (const auto error = value.get_array().get(array)) return error;
      for (auto item : array) {
        od::value element;
        if (const auto error = item.get(element)) return error;
        if (const auto error = check(element, depth + 1)) return error;
      }
      return simdjson::SUCCESS;
    }
    case 't': return text == "true" ? simdjson::SUCCESS : simdjson::T_ATOM_ERROR;
    case 'f': return text == "false" ? simdjson::SUCCESS : simdjson::F_ATOM_ERROR;
    case 'n': return text == "null" ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
    default:
      if (out.kind != '-' && !is_digit(out.kind)) return simdjson::T_ATOM_ERROR;
      out.kind = '0';
      return is_number(text) ? simdjson::SUCCESS : simdjson::NUMBER_ERROR;
  }
}

/// Checks a value that is not asked for.
simdjson::error_code json_parser::check(od::value value, int depth) {
  token found_here;
  if (const auto error = scan(value, depth, found_here)) return error;
  bool ignored = false;
  if (found_here.kind == '"' && !unescape(found_here.text, other_scratch, ignored)) return simdjson::STRING_ERROR;
  return simdjson::SUCCESS;
}

/// Takes an array of [word, weight] pairs. What is anything else is checked, and has the kind 'x' in `out`.
simdjson::error_code json_parser::scan_weighted(od::value value, token& out) {
  od::json_type type{};
  if (const auto error = value.type().get(type)) return error;
  if (type != od::json_type::array) return scan(value, 2, out);
  bool all_pairs = true;
  od::array pairs;
  if (const auto error = value.get_array().get(pairs)) return error;
  for (auto item : pairs) {
    od::value element;
    if (const auto error = item.get(element)) return error;
    if (const auto error = element.type().get(type)) return error;
    if (type != od::json_type::array) {
      all_pairs = false;
      if (const auto error = check(element, 3)) return error;
      continue;
    }
    od::array pair;
    if (const auto error = element.get_array().get(pair)) return error;
    std::string kinds;
    for (auto part : pair) {
      od::value held;
      token found_here;
      if (const auto error = part.get(held)) return error;
      if (const auto error = scan(held, 4, found_here)) return error;
      kinds += found_here.kind;
      if (found_here.kind == '"') {
        const auto text = unescape(found_here.text, words.emplace_back(), ill_formed);
        if (!text) return simdjson::STRING_ERROR;
        found_here.text = *text;
      }
      weighted.push_back(found_here.text);
    }
    all_pairs = all_pairs && kinds == "\"0" && is_weight(weighted.back());
  }
  out = {all_pairs ? '[' : 'x', {}};
  return simdjson::SUCCESS;
}

simdjson::error_code json_parser::key_of(od::field& field, std::string_view& key) {
  const char* const begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;  // simdjson has seen that there is an end
  bool ignored = false;
  const auto text = unescape({begin, static_cast<std::size_t>(end - begin)}, other_scratch, ignored);
  if (!text) return simdjson::STRING_ERROR;
  key = *text;
  return simdjson::SUCCESS;
}

/// Goes through a whole line; leaves what was asked for in `found`, escapes resolved.
simdjson::error_code json_parser::scan_line(const char* line, std::size_t size) {
  std::fill(found.begin(), found.end(), token{});
  ill_formed = false;
  weighted.clear();
  words.clear();
  if (parser.capacity() < size) {
    if (const auto error = parser.allocate(std::max<std::size_t>(size + size / 2, 1 << 16))) return error;
  }
  od::document document;
  if (const auto error = parser.iterate(line, size, size + padding).get(document)) return error;
  od::object object;
  if (const auto error = document.get_object().get(object)) return error;
  for (auto item : object) {
    od::field field;
    std::string_view key;
    if (const auto error = std::move(item).get(field)) return error;
    if (const auto error = key_of(field, key)) return error;
    const auto wanted = std::find(names.begin(), names.end(), key);
    if (wanted == names.end()) {
      if (const auto error = check(field.value(), 2)) return error;
      continue;
    }
    const auto i = static_cast<std::size_t>(wanted - names.begin());
    token& place = found[i];
    const bool is_weighted = i == 0 && !settings.weighted_field.empty();
    if (is_weighted) weighted.clear();  // of a key that stands twice the last counts
    if (const auto error = is_weighted ? scan_weighted(field.value(), place) : scan(field.value(), 2, place))
      return error;
    if (place.kind == '"') {
      const auto resolved = unescape(place.text, scratch[i], ill_formed);
      if (!resolved) return simdjson::STRING_ERROR;
      place.text = *resolved;
    }
    // A text may be the id as well.
    for (std::size_t other = i + 1; other < names.size(); ++other) {
      if (names[other] == names[i]) found[other] = place;
    }
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return simdjson::TRAILING_CONTENT;
  return simdjson::SUCCESS;
}

/// The number that --keep asks for. Returns: what is wrong with it, if anything is.
std::optional<std::string> json_parser::take_score(double& score) const {
  const token& found_score = found.back();
  const std::string name = "field \"" + settings.score_field + "\"";
  if (found_score.kind == '\0') return "no " + name;
  if (found_score.kind != '0') return name + " is " + name_of(found_score.kind) + ", not a number";
  const char* const end = found_score.text.data() + found_score.text.size();
  const auto parsed = std::from_chars(found_score.text.data(), end, score);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return name + " is a number that is too large or too small";
  return std::nullopt;
}

/// Hands over what was found. Returns: what is missing, if anything is.
std::optional<std::string> json_parser::take(record& out) {
  for (std::size_t i = 0; i < settings.text_fields.size(); ++i) {
    const std::string& name = names[i];
    if (found[i].kind == '\0') return "no field \"" + name + "\"";
    if (!settings.weighted_field.empty()) {
      if (found[i].kind == '[') continue;
      return "field \"" + name + "\" is not an array of [word, weight] pairs with weights from 0";
    }
    if (found[i].kind != '"') return "field \"" + name + "\" is " + name_of(found[i].kind) + ", not a string";
    out.fields.push_back(found[i].text);
  }
  out.fields.insert(out.fields.end(), weighted.begin(), weighted.end());
  if (!settings.score_field.empty()) {
    if (auto wrong = take_score(out.score)) return wrong;
  }
  const token& found_id = found[settings.text_fields.size()];
  if (found_id.kind == '"' || found_id.kind == '0') {
    out.id = found_id.text;
    out.has_id = true;
  } else if (settings.id_field_required) {
    if (found_id.kind == '\0') return "no field \"" + settings.id_field + "\"";
    return "field \"" + settings.id_field + "\" is " + name_of(found_id.kind) + ", not a string or a number";
  }
  return std::nullopt;
}

std::optional<std::string> json_parser::read(std::string_view line, record& out) {
  if (parser.capacity() > kept_capacity && line.size() <= kept_capacity) parser = od::parser{};

  simdjson::error_code error = scan_line(line.data(), line.size());
  if (error == simdjson::UTF8_ERROR) {
    out.ill_formed = true;
    repaired_line = repaired(line);
    const std::size_t size = repaired_line.size();
    repaired_line.append(padding, ' ');
    error = scan_line(repaired_line.data(), size);
  }
  if (!error) {
    out.ill_formed = out.ill_formed || ill_formed;
    return take(out);
  }
  if (line.starts_with("BZh") || line.starts_with("\xFD"
                                                  "7zXZ")) {
    return "compressed; unpack it first, as in: xzcat FILE | neardup --jsonl -";
  }
  if (error == simdjson::INCORRECT_TYPE) {
    std::string_view value = line.substr(line.find_first_not_of(blanks));
    value = value.substr(0, value.find_last_not_of(blanks) + 1);
    const bool json = value.front() == '[' || value.front() == '"' || value == "true" || value == "false" ||
                      value == "null" || is_number(value);
    return json ? "not a JSON object" : "not valid JSON: it does not begin with {";
  }
  return explain(error);
}

record_reader::record_reader(const options& settings)
    : json_(settings.unit == unit_of_input::json_lines ? std::make_shared<json_parser>(settings) : nullptr) {}

bool record_reader::is_blank(std::string_view line) const {
  return json_ && line.find_first_not_of(blanks) == line.npos;
}

std::optional<std::string> record_reader::read(std::string_view line, record& out) {
  out.fields.clear();
  out.has_id = false;
  out.score = 0;
  out.ill_formed = false;
  if (json_) return json_->read(line, out);
  out.fields.push_back(line);
  out.ill_formed = !is_utf8(line);
  return std::nullopt;
}

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

}  // namespace command
