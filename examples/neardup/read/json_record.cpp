#include "json_record.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <neardup/text/utf8.hpp>
#include <system_error>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "../ground/exact_number.hpp"
#include "input.hpp"
#include "json_path.hpp"

static_assert(command::padding >= simdjson::SIMDJSON_PADDING);

namespace command {

namespace {

namespace od = simdjson::ondemand;

constexpr int max_depth = 1024;
constexpr std::string_view blanks = " \t\r\n";

/// A parser with a larger capacity is not kept. Otherwise a parser that has read a record of 100 MB would occupy a
/// gigabyte until the run ends.
constexpr std::size_t kept_capacity = std::size_t{1} << 24;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns true if a JSON number is a valid weight of a word.
bool is_weight(std::string_view number) {
  double value = 0;
  return !is_beyond_numbers(number) &&
         std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{} && value >= 0;
}

/// Returns the value of the four hexadecimal digits at the beginning of `text`, or nullopt if `text` has fewer digits.
std::optional<char32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + 4) return std::nullopt;
  return value;
}

bool is_high_surrogate(char32_t c) { return c >= 0xd800 && c < 0xdc00; }
bool is_low_surrogate(char32_t c) { return c >= 0xdc00 && c < 0xe000; }

/// Returns the backslashes among 64 bytes: bit i is set if byte i is a backslash.
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

/// short_escapes[c] is the character that the escape \c means, or 0 if there is no such escape.
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

/// Writes the character of the escape at the beginning of `text` to `out`, and moves `out` to the end of the character.
/// Half of a surrogate pair becomes U+FFFD, and sets `ill_formed`.
/// Returns: the size of the escape, or 0 if JSON has no such escape.
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

/// Resolves the escapes of a string in a line. `quoted`: the string without its quotes. simdjson's function copies byte
/// by byte, unless it is compiled for a newer processor. This function returns a string without escapes unchanged, and
/// otherwise processes 64 bytes at a time.
/// Returns: the text, which is in `scratch` if there were escapes; nullopt if an escape does not exist in JSON.
std::optional<std::string_view> unescape(std::string_view quoted, std::string& scratch, bool& ill_formed) {
  if (quoted.find('\\') == std::string_view::npos) return quoted;
  // No escape is shorter than its character, so the text is not longer than `quoted`. Copies may extend into the
  // padding of the line and of `scratch`.
  constexpr std::size_t block = 64;
  static_assert(block <= padding);
  if (scratch.size() < quoted.size() + block) scratch.resize(quoted.size() + block);
  char* out = scratch.data();
  while (!quoted.empty()) {
    const std::size_t size = std::min(block, quoted.size());
    std::size_t done = 0;  // processed bytes of the block
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

}  // namespace

void move_into_quoted(std::string_view quoted, std::span<std::size_t> places) {
  std::size_t text = 0, begin = 0;
  for (std::size_t& place : places) {
    while (text < place && begin < quoted.size()) {
      if (quoted[begin] != '\\') {
        const std::size_t escape = std::min(quoted.find('\\', begin), quoted.size());
        const std::size_t count = std::min(escape - begin, place - text);
        begin += count;
        text += count;
        continue;
      }
      char resolved[4];
      char* end = resolved;
      bool ignored = false;
      begin += std::max<std::size_t>(take_escape(quoted.substr(begin), end, ignored), 1);
      text += static_cast<std::size_t>(end - resolved);
    }
    place = begin;
  }
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

namespace {

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

/// The value of a field, as it is written in the line.
struct token {
  char kind = '\0';  ///< first character of the value, '0' for every number; or one of the kinds below
  std::string_view text;
  std::string_view quoted = {};  ///< text of a requested string, with its escapes
};
constexpr char array_of_lines = 'j';  ///< an array of strings, which is a text
constexpr char mixed = 'm';           ///< an array of other values instead of the requested array of strings
constexpr char other = 'x';           ///< another value instead of the requested pairs of words and weights
constexpr char no_array = 'a';        ///< a value that is no array, at a place where a path has "[*]"

/// A tree of the keys that lead to the requested fields.
struct key_tree {
  std::map<std::string, std::unique_ptr<key_tree>, std::less<>> below;
  std::unique_ptr<key_tree> each;  ///< the keys below each element, if the value is an array
  std::vector<std::size_t> slots;  ///< positions of the fields that end here
  std::vector<std::size_t> ends;   ///< in `each` of another tree: positions of the fields that end at this key or below
  std::size_t first = 0;           ///< the slot that decides how the value is read: the slot of a text if there is one
  bool is_text = false;            ///< true if `first` is the slot of a text

  [[nodiscard]] const key_tree* find(std::string_view name) const {
    const auto found = below.find(name);
    return found == below.end() ? nullptr : found->second.get();
  }

  key_tree& at(const std::string& name, bool is_each) {
    std::unique_ptr<key_tree>& place = is_each ? each : below[name];
    if (!place) place = std::make_unique<key_tree>();
    return *place;
  }

  /// Completes the tree after all fields were added. An element that is requested by its number also gets the keys of
  /// `each`, so that one look-up finds all keys of an element. `is_of_text` returns true for the slot of a text.
  template <class IsOfText>
  void settle(const IsOfText& is_of_text) {
    if (each) each->collect(each->ends);
    for (const auto& [key, next] : below) {
      if (each && !key.empty() && std::all_of(key.begin(), key.end(), is_digit)) next->add(*each);
      next->settle(is_of_text);
    }
    if (each) each->settle(is_of_text);
    const auto text = std::find_if(slots.begin(), slots.end(), is_of_text);
    is_text = text != slots.end();
    if (!slots.empty()) first = is_text ? *text : slots.front();
  }

 private:
  void add(const key_tree& more) {
    slots.insert(slots.end(), more.slots.begin(), more.slots.end());
    for (const auto& [key, next] : more.below) at(key, false).add(*next);
    if (more.each) at("", true).add(*more.each);
  }

  void collect(std::vector<std::size_t>& to) const {
    to.insert(to.end(), slots.begin(), slots.end());
    for (const auto& [key, next] : below) next->collect(to);
    if (each) each->collect(to);
  }
};

/// The values, in order, of a field whose path has "[*]".
class value_list {
 public:
  explicit value_list(std::vector<path_key> path) : path_(std::move(path)) {}

  [[nodiscard]] const std::vector<token>& values() const { return values_; }
  /// Returns the path of a value, in which the number of an element replaces each "*".
  [[nodiscard]] const std::string& name(std::size_t value) const { return names_[value]; }
  /// Returns true if the path led to an array, even to an empty one.
  [[nodiscard]] bool has_array() const { return arrays_ > 0; }

  void clear() {
    values_.clear();
    above_.clear();
    arrays_ = 0;
  }

  void begin_array() { ++arrays_; }
  void begin_element(std::size_t number) { above_.push_back({number, values_.size(), arrays_}); }

  /// Ends an element of an array. If the path led to neither a value nor an array in this element, adds an empty token,
  /// which stands for a missing value.
  void end_element() {
    if (values_.size() == above_.back().values && arrays_ == above_.back().arrays) push({});
    above_.pop_back();
  }

  /// Removes the values of the innermost element. Outside of elements, removes all values.
  void forget() {
    values_.resize(above_.empty() ? 0 : above_.back().values);
    arrays_ = above_.empty() ? 0 : above_.back().arrays;
  }

  void push(token value) {
    if (names_.size() == values_.size()) names_.emplace_back();
    std::string& name = names_[values_.size()];
    name.clear();
    auto above = above_.begin();
    for (const path_key& key : path_) {
      if (!key.is_each) {
        name.append(name.empty() ? "" : ".").append(key.name);
      } else if (above != above_.end()) {
        name.append("[").append(std::to_string(above++->number)).append("]");
      } else {
        break;  // the path ends at a value that is not an array
      }
    }
    values_.push_back(value);
  }

  /// Returns memory in which the escapes of the next value are resolved.
  std::string& memory() {
    while (resolved_.size() <= values_.size()) resolved_.emplace_back();
    return resolved_[values_.size()];
  }

 private:
  /// An element that is being read: its number, and the number of values and of arrays at its beginning.
  struct element {
    std::size_t number, values, arrays;
  };

  std::vector<path_key> path_;
  std::vector<token> values_;
  std::deque<std::string> resolved_;
  std::vector<std::string> names_;
  std::vector<element> above_;  // the elements that are being read, outermost first
  std::size_t arrays_ = 0;
};

/// The value of a weighted field: a word, its weight, the next word, and so on.
struct weighted_words {
  std::vector<std::string_view> parts;
  std::deque<std::string> resolved;  ///< words that had escapes

  void clear() {
    parts.clear();
    resolved.clear();
  }
};

const char* name_of(char kind) {
  switch (kind) {
    case '"': return "a string";
    case '0': return "a number";
    case '{': return "an object";
    case '[':
    case array_of_lines: return "an array";
    case mixed: return "an array of other things than strings";
    case 'n': return "null";
    default: return "true or false";
  }
}

/// Returns true if a value is an array. Unlike od::value::type(), this function also works for invalid JSON.
bool is_array(od::value& value) { return value.raw_json_token().starts_with('['); }

[[noreturn]] void fail(simdjson::error_code error) { throw simdjson::simdjson_error(error); }

void expect(bool is_met, simdjson::error_code otherwise) {
  if (!is_met) fail(otherwise);
}

struct json_parser {
  explicit json_parser(const input_settings& s) : settings(s), names(s.text_fields) {
    names.push_back(s.id_field);
    if (!s.score_field.empty()) names.push_back(s.score_field);
    if (!s.source_field.empty()) names.push_back(s.source_field);
    for (std::size_t i = 0; i < names.size(); ++i) {
      wanted.at(names[i], false).slots.push_back(i);
      const std::vector<path_key> keys = keys_of_path(names[i]);
      if (keys.size() == 1 && keys.front().name == names[i]) continue;
      key_tree* end = &wanted;
      for (const path_key& key : keys) end = &end->at(key.name, key.is_each);
      end->slots.push_back(names.size() + i);
      if (std::none_of(keys.begin(), keys.end(), [](const path_key& key) { return key.is_each; })) continue;
      lists.resize(2 * names.size());
      lists[names.size() + i] = std::make_unique<value_list>(keys);
    }
    wanted.settle([this](std::size_t slot) { return slot % names.size() < settings.text_fields.size(); });
    found.resize(2 * names.size());
    scratch.resize(found.size());
  }

  /// Resolves the escapes of `quoted` in `memory`. Throws simdjson_error for invalid JSON, like all its callers.
  std::string_view resolve(std::string_view quoted, std::string& memory) {
    const auto text = unescape(quoted, memory, ill_formed);
    expect(text.has_value(), simdjson::STRING_ERROR);
    return *text;
  }

  /// Reads a value, and checks its syntax. If the value is a string, its escapes are left to the caller. `here`: the
  /// tree of the requested fields below this value, or null; the values of these fields are extracted.
  token scan(od::value value, int depth, const key_tree* here = nullptr) {
    expect(depth <= max_depth, simdjson::DEPTH_ERROR);
    std::string_view text = value.raw_json_token();
    text = text.substr(0, text.find_last_not_of(blanks) + 1);
    token found_here{text.empty() ? '\0' : text.front(), text};
    switch (found_here.kind) {
      case '"':
        expect(text.size() >= 2 && text.back() == '"', simdjson::TAPE_ERROR);
        found_here.text = text.substr(1, text.size() - 2);
        // This call consumes the string. If simdjson skipped the string by itself, it might take the string for a key.
        expect(!value.get_raw_json_string().error(), simdjson::TAPE_ERROR);
        break;
      case '{': scan_object(value.get_object(), depth, here); break;
      case '[': {
        begin_array(here);
        std::size_t number = 0;
        for (od::value element : value.get_array()) {
          const key_tree* const next = below(here, number);
          if (next != nullptr) {
            take_element(element, depth + 1, *here, *next, number);
          } else {
            check(element, depth + 1);
          }
          ++number;
        }
        break;
      }
      case 't': expect(text == "true", simdjson::T_ATOM_ERROR); break;
      case 'f': expect(text == "false", simdjson::F_ATOM_ERROR); break;
      case 'n': expect(text == "null", simdjson::N_ATOM_ERROR); break;
      default:
        if (!is_beyond_numbers(text)) {
          expect(found_here.kind == '-' || is_digit(found_here.kind), simdjson::T_ATOM_ERROR);
          expect(is_number(text), simdjson::NUMBER_ERROR);
        }
        found_here.kind = '0';
    }
    return found_here;
  }

  /// Reads a value that is not requested itself, and checks its syntax and escapes. `here`: see scan().
  token check(od::value value, int depth, const key_tree* here = nullptr) {
    const token found_here = scan(value, depth, here);
    bool ignored = false;
    expect(found_here.kind != '"' || unescape(found_here.text, other_scratch, ignored), simdjson::STRING_ERROR);
    return found_here;
  }

  void scan_object(od::object object, int depth, const key_tree* here) {
    for (od::field field : object) {
      const std::string_view key = key_of(field);
      const key_tree* const next = here == nullptr ? nullptr : here->find(key);
      if (next != nullptr) {
        take_value(field.value(), depth + 1, *next);
      } else {
        check(field.value(), depth + 1);
      }
    }
  }

  /// Returns the requested keys below element `number` of the array whose keys are `here`, or null if there are none.
  static const key_tree* below(const key_tree* here, std::size_t number) {
    if (here == nullptr || here->below.empty()) return here == nullptr ? nullptr : here->each.get();
    const key_tree* const numbered = here->find(std::to_string(number));
    return numbered != nullptr ? numbered : here->each.get();
  }

  /// Returns the values of a field whose path has "[*]", or null for other fields.
  [[nodiscard]] value_list* list_of(std::size_t slot) const { return lists.empty() ? nullptr : lists[slot].get(); }

  void begin_array(const key_tree* here) {
    if (here == nullptr || !here->each) return;
    for (const std::size_t slot : here->each->ends) lists[slot]->begin_array();
  }

  /// Reads an element of an array, as take_value() does.
  token take_element(od::value element, int depth, const key_tree& array, const key_tree& next, std::size_t number) {
    if (!array.each) return take_value(element, depth, next);
    for (const std::size_t slot : array.each->ends) lists[slot]->begin_element(number);
    const token taken = take_value(element, depth, next);
    for (const std::size_t slot : array.each->ends) lists[slot]->end_element();
    return taken;
  }

  /// Reads a value that is requested, or that contains a requested value. Resolves escapes.
  token take_value(od::value value, int depth, const key_tree& here) {
    forget(here);  // if a key occurs twice, its last value counts
    if (here.each && !is_array(value)) {
      for (const std::size_t slot : here.each->ends) lists[slot]->push({no_array, value.raw_json_token()});
    }
    if (here.slots.empty()) return check(value, depth, &here);
    const std::size_t first = here.first;
    const bool is_text = here.is_text;
    std::string& memory = list_of(first) != nullptr ? list_of(first)->memory() : scratch[first];
    token taken;
    if (is_text && !settings.weighted_field.empty()) {
      taken = scan_weighted(value, depth, weighted[first / names.size()]);
    } else if (is_text && is_array(value)) {
      taken = scan_texts(value, depth, here, memory);
    } else {
      taken = scan(value, depth, &here);
      taken.quoted = taken.text;
      if (taken.kind == '"') taken.text = resolve(taken.text, memory);
    }
    for (const std::size_t slot : here.slots) {
      if (list_of(slot) != nullptr) {
        list_of(slot)->push(taken);
      } else {
        found[slot] = taken;
      }
    }
    return taken;
  }

  void forget(const key_tree& here) {
    for (const std::size_t slot : here.slots) {
      found[slot] = {};
      if (slot == 0) weighted[0].clear();
      if (slot == names.size()) weighted[1].clear();
      if (list_of(slot) != nullptr) list_of(slot)->forget();
    }
    for (const auto& [key, next] : here.below) forget(*next);
    if (here.each) forget(*here.each);
  }

  /// Reads an array of strings as one text into `lines`. Each string is a line.
  token scan_texts(od::value value, int depth, const key_tree& here, std::string& lines) {
    lines.clear();
    bool are_strings = true;
    begin_array(&here);
    std::size_t number = 0;
    for (od::value element : value.get_array()) {
      const key_tree* const next = below(&here, number);
      token line = next != nullptr ? take_element(element, depth + 1, here, *next, number) : scan(element, depth + 1);
      const bool is_resolved = next != nullptr && !next->slots.empty();
      if (line.kind == '"' && !is_resolved) line.text = resolve(line.text, other_scratch);
      are_strings = are_strings && line.kind == '"';
      if (number++ > 0) lines += '\n';
      lines += line.text;
    }
    return {are_strings ? array_of_lines : mixed, lines};
  }

  /// Reads an array of [word, weight] pairs into `to`. Any other value is only checked.
  token scan_weighted(od::value value, int depth, weighted_words& to) {
    if (!is_array(value)) return check(value, depth);
    bool all_pairs = true;
    for (od::value element : value.get_array()) {
      if (!is_array(element)) {
        all_pairs = false;
        check(element, depth + 1);
        continue;
      }
      std::string kinds;
      for (od::value part : element.get_array()) {
        const token found_here = scan(part, depth + 2);
        kinds += found_here.kind;
        to.parts.push_back(found_here.kind == '"' ? resolve(found_here.text, to.resolved.emplace_back())
                                                  : found_here.text);
      }
      all_pairs = all_pairs && kinds == "\"0" && is_weight(to.parts.back());
    }
    return {all_pairs ? '[' : other, {}};
  }

  std::string list_of_fields(std::string_view line) {
    constexpr std::size_t most = 12, longest = 40;
    std::string list;
    std::size_t count = 0;
    od::document document = parser.iterate(line.data(), line.size(), line.size() + padding);
    for (od::field field : document.get_object()) {
      const std::string_view key = key_of(field);
      if (++count <= most)
        list.append(count == 1 ? "" : ", ").append(key.substr(0, longest)).append(key.size() > longest ? "…" : "");
    }
    return count == 0 ? "is empty" : "has: " + list + (count > most ? ", …" : "");
  }

  std::string_view key_of(od::field& field) {
    const char* const begin = field.key().raw();
    const char* end = begin;
    while (*end != '"') end += *end == '\\' ? 2 : 1;  // simdjson has verified that there is an end
    bool ignored = false;
    const auto key = unescape({begin, static_cast<std::size_t>(end - begin)}, other_scratch, ignored);
    expect(key.has_value(), simdjson::STRING_ERROR);
    return *key;
  }

  /// Processes a whole line. `found` gets the requested values, with escapes resolved.
  void scan_line(std::string_view line) {
    std::fill(found.begin(), found.end(), token{});
    ill_formed = false;
    for (weighted_words& words : weighted) words.clear();
    for (const auto& list : lists) {
      if (list) list->clear();
    }
    if (parser.capacity() < line.size()) {
      const auto error = parser.allocate(std::max<std::size_t>(line.size() + line.size() / 2, 1 << 16));
      if (error) fail(error);
    }
    od::document document = parser.iterate(line.data(), line.size(), line.size() + padding);
    scan_object(document.get_object(), 1, &wanted);
    expect(document.current_location().error() == simdjson::OUT_OF_BOUNDS, simdjson::TRAILING_CONTENT);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (found[i].kind != '\0') continue;  // a key with exactly this name has precedence over a path
      found[i] = found[names.size() + i];
      if (i == 0) std::swap(weighted.front(), weighted.back());
    }
  }

  /// Returns the error message for the field `name` of the record `line`: the field is missing, or its value is not of
  /// the kind `needed`.
  std::string other_kind(const std::string& name, const token& found_here, const char* needed, std::string_view line) {
    const std::string field = "field \"" + name + "\"";
    if (found_here.kind != '\0') return field + " is " + name_of(found_here.kind) + ", not " + needed;
    return "no " + field + " in the record, which " + list_of_fields(line);
  }

  /// Stores the number or text for --keep in `out`.
  /// Returns: the error, if any.
  std::optional<std::string> take_key(std::string_view line, record& out) {
    const token& key = found[settings.text_fields.size() + 1];
    if (key.kind == '0') {
      take_number(key.text, out);
    } else if (key.kind == '"') {
      take_text(key.text, out);
    } else {
      return other_kind(settings.score_field, key, "a number or a string", line);
    }
    return std::nullopt;
  }

  /// Stores values in `found`: for each field that needs one value and has a path with "[*]", the only value in the list
  /// of the field.
  /// Returns: the error if such a list has several values.
  std::optional<std::string> take_single_values() {
    const bool texts_are_single =
        settings.fields_are_ids || !settings.code_field.empty() || !settings.weighted_field.empty();
    for (std::size_t i = texts_are_single ? 0 : settings.text_fields.size(); i < names.size(); ++i) {
      const value_list* const list = list_of(names.size() + i);
      if (list == nullptr || found[i].kind != '\0') continue;
      std::size_t count = 0;
      for (const token& value : list->values()) {
        if (value.kind == '\0' || value.kind == no_array) continue;
        found[i] = value;
        ++count;
      }
      if (count > 1) {
        return "field \"" + names[i] + "\" has " + std::to_string(count) + " values, and one value is needed";
      }
    }
    return std::nullopt;
  }

  /// Adds `list`, the texts of a path with "[*]", to `out`. An empty array is an empty text.
  /// Returns: the error, if any.
  std::optional<std::string> take_list(const value_list& list, std::size_t field, std::string_view line, record& out) {
    const std::vector<token>& values = list.values();
    if (values.empty()) {
      if (!list.has_array()) return other_kind(names[field], {}, "an array", line);
      out.fields.emplace_back();
      out.quoted.emplace_back();
      out.names.push_back(names[field]);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const char kind = values[i].kind;
      if (kind == no_array) {
        const token found_here{is_digit(values[i].text.front()) ? '0' : values[i].text.front(), {}};
        return other_kind(list.name(i), found_here, "an array", line);
      }
      const bool is_text = kind == '"' || kind == array_of_lines || kind == 'n';
      if (!is_text) return other_kind(list.name(i), values[i], "a string", line);
      out.fields.push_back(kind == 'n' ? std::string_view() : values[i].text);
      out.quoted.push_back(kind == '"' ? values[i].quoted : std::string_view());
      out.names.push_back(list.name(i));
    }
    return std::nullopt;
  }

  /// Adds the values that were found in `line` to `out`.
  /// Returns: an error message if a value is missing or has a wrong kind.
  std::optional<std::string> take(std::string_view line, record& out) {
    if (!lists.empty()) {
      if (auto wrong = take_single_values()) return wrong;
    }
    const bool may_be_null = !settings.fields_are_ids && settings.code_field.empty();
    for (std::size_t i = 0; i < settings.text_fields.size(); ++i) {
      if (const value_list* const list = list_of(names.size() + i); list != nullptr && found[i].kind == '\0') {
        if (auto wrong = take_list(*list, i, line, out)) return wrong;
        continue;
      }
      if (!lists.empty()) out.names.push_back(names[i]);
      if (found[i].kind == 'n' && may_be_null) {  // a null text is an empty text
        if (settings.weighted_field.empty()) {
          out.fields.emplace_back();
          out.quoted.emplace_back();
        }
        continue;
      }
      if (!settings.weighted_field.empty() && found[i].kind != '\0') {
        if (found[i].kind == '[') continue;
        return "field \"" + names[i] + "\" is not an array of [word, weight] pairs with weights from 0";
      }
      const bool is_id = settings.fields_are_ids && found[i].kind == '0';
      if (found[i].kind != '"' && found[i].kind != array_of_lines && !is_id) {
        const std::string wrong = other_kind(names[i], found[i], "a string", line);
        if (found[i].kind != '\0') return wrong;
        const bool is_default = settings.text_fields == input_settings{}.text_fields;
        return wrong + (is_default ? "; --text-field names another" : settings.hint_of_fields);
      }
      out.fields.push_back(found[i].text);
      out.quoted.push_back(found[i].kind == '"' ? found[i].quoted : std::string_view());
    }
    const std::vector<std::string_view>& words = weighted.front().parts;
    out.fields.insert(out.fields.end(), words.begin(), words.end());
    if (!settings.score_field.empty()) {
      if (auto wrong = take_key(line, out)) return wrong;
    }
    if (!settings.source_field.empty()) {
      const token& value = found[names.size() - 1];
      const bool is_flag = value.kind == 't' || value.kind == 'f';
      if (value.kind == '"' || value.kind == '0' || is_flag) out.source = value.text;
      if (settings.needs_source_field && value.kind == '\0') return other_kind(settings.source_field, value, "", line);
    }
    const token& found_id = found[settings.text_fields.size()];
    if (found_id.kind == '"' || found_id.kind == '0') {
      out.id = found_id.text;
      out.has_id = true;
    } else if (settings.id_field_required) {
      return other_kind(settings.id_field, found_id, "a string or a number", line);
    }
    return std::nullopt;
  }

  std::optional<std::string> read(std::string_view line, record& out) {
    if (parser.capacity() > kept_capacity && line.size() <= kept_capacity) parser = od::parser{};
    const auto error_in = [this](std::string_view padded) {
      try {
        scan_line(padded);
        return simdjson::SUCCESS;
      } catch (const simdjson::simdjson_error& error) {
        return error.error();
      }
    };
    std::string_view taken = line;
    // If ',', ']' or '}' follows an incomplete line, simdjson may read on after the line. So a copy of the line, with
    // blanks after it, is read instead.
    if (std::string_view(",]}").find(line.data()[line.size()]) != std::string_view::npos) {
      repaired_line.assign(line).append(padding, ' ');
      taken = std::string_view(repaired_line).substr(0, line.size());
    }
    simdjson::error_code error = error_in(taken);
    if (error == simdjson::UTF8_ERROR) {
      out.ill_formed = true;
      repaired_line = repaired(line);
      const std::size_t size = repaired_line.size();
      repaired_line.append(padding, ' ');
      taken = std::string_view(repaired_line).substr(0, size);
      error = error_in(taken);
    }
    if (!error) {
      out.ill_formed = out.ill_formed || ill_formed;
      return take(taken, out);
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

  const input_settings& settings;
  od::parser parser;
  std::vector<std::string> names;                  // names of the requested fields: texts, id, score, source
  key_tree wanted;                                 // each name as a key, and as the path that it may be
  std::vector<token> found;                        // for each name, then for each path
  std::vector<std::string> scratch;                // for each element of `found`: its text without escapes
  std::vector<std::unique_ptr<value_list>> lists;  // for each element of `found` if a path has "[*]"; empty otherwise
  std::string other_scratch;
  std::string repaired_line;
  std::array<weighted_words, 2> weighted;  // the weighted field, found by its name and by its path
  bool ill_formed = false;                 // true if a requested value has an escape that is no character
};

}  // namespace

json_reader make_json_reader(const input_settings& settings) {
  return [json = std::make_shared<json_parser>(settings)](std::string_view line, record& out) {
    out.clear();
    out.is_blank = line.find_first_not_of(blanks) == line.npos;
    return out.is_blank ? std::nullopt : json->read(line, out);
  };
}

/// Returns true if a text is a JSON number. simdjson checks numbers only when it reads them, and then refuses integers
/// beyond 64 bits, which are valid JSON.
bool is_number(std::string_view text) {
  const auto take = [&](char c) {
    const bool found = text.starts_with(c);
    if (found) text.remove_prefix(1);
    return found;
  };
  const auto take_digits = [&] {
    const std::size_t before = text.size();
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
    return text.size() < before;
  };
  take('-');
  if (!take('0') && !take_digits()) return false;
  if (take('.') && !take_digits()) return false;
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!take_digits()) return false;
  }
  return text.empty();
}

bool is_beyond_numbers(std::string_view text) { return text == "NaN" || text == "Infinity" || text == "-Infinity"; }

void take_number(std::string_view number, record& out) {
  if (number == "NaN") {
    out.key = key_kind::nothing;
    return;
  }
  out.key = key_kind::number;
  if (is_beyond_numbers(number)) {
    out.score = std::numeric_limits<double>::infinity();
    if (number.front() == '-') out.score = -out.score;
    return;
  }
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), out.score);
  const bool is_beyond_doubles = parsed.ec == std::errc::result_out_of_range;
  if (is_beyond_doubles) out.score = double_nearest_to(number);
  // Different numbers outside the range of normal doubles may have the same nearest double. So the digits are stored, too.
  const bool is_subnormal = std::fpclassify(out.score) == FP_SUBNORMAL;
  if (is_beyond_doubles || is_subnormal || may_be_rounded(number)) out.exact_key = number;
}

void take_text(std::string_view text, record& out) {
  out.key = text.empty() ? key_kind::nothing : key_kind::text;
  out.exact_key = text;
}

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

}  // namespace command
