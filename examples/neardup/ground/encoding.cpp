#include "encoding.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <neardup/text/utf8.hpp>
#include <new>
#include <unordered_map>
#include <utility>

#include "errors.hpp"

#ifdef NEARDUP_WITH_ICONV
#include <iconv.h>
#endif

namespace command {

namespace {

struct named_charset {
  charset meant;
  std::string_view labels;  // separated by blanks
};

constexpr std::array<named_charset, 43> charsets{
    {{{"utf-8", "UTF-8", charset_form::utf8},
      "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"},
     {{"utf-16le", "UTF-16LE", charset_form::wide},
      "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
     {{"utf-16be", "UTF-16BE", charset_form::wide}, "unicodefffe utf-16be"},
     {{"ibm866", "IBM866", charset_form::one_byte}, "866 cp866 csibm866 ibm866"},
     {{"iso-8859-2", "ISO-8859-2", charset_form::one_byte},
      "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 "
      "latin2"},
     {{"iso-8859-3", "ISO-8859-3", charset_form::one_byte},
      "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 "
      "latin3"},
     {{"iso-8859-4", "ISO-8859-4", charset_form::one_byte},
      "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 "
      "latin4"},
     {{"iso-8859-5", "ISO-8859-5", charset_form::one_byte},
      "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
      "iso_8859-5:1988"},
     {{"iso-8859-6", "ISO-8859-6", charset_form::one_byte},
      "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 "
      "iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
     {{"iso-8859-7", "ISO-8859-7", charset_form::one_byte},
      "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 "
      "iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek"},
     {{"iso-8859-8", "ISO-8859-8", charset_form::one_byte},
      "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i "
      "iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 logical visual"},
     {{"iso-8859-10", "ISO-8859-10", charset_form::one_byte},
      "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
     {{"iso-8859-13", "ISO-8859-13", charset_form::one_byte}, "iso-8859-13 iso8859-13 iso885913"},
     {{"iso-8859-14", "ISO-8859-14", charset_form::one_byte}, "iso-8859-14 iso8859-14 iso885914"},
     {{"iso-8859-15", "ISO-8859-15", charset_form::one_byte},
      "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"},
     {{"iso-8859-16", "ISO-8859-16", charset_form::one_byte}, "iso-8859-16"},
     {{"koi8-r", "KOI8-R", charset_form::one_byte}, "cskoi8r koi koi8 koi8-r koi8_r"},
     {{"koi8-u", "KOI8-U", charset_form::one_byte}, "koi8-ru koi8-u"},
     {{"macintosh", "MACINTOSH", charset_form::one_byte}, "csmacintosh mac macintosh x-mac-roman"},
     {{"windows-874", "CP874", charset_form::one_byte}, "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
     {{"windows-1250", "CP1250", charset_form::one_byte}, "cp1250 windows-1250 x-cp1250"},
     {{"windows-1251", "CP1251", charset_form::one_byte}, "cp1251 windows-1251 x-cp1251"},
     {{"windows-1252", "CP1252", charset_form::one_byte},
      "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
      "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"},
     {{"windows-1253", "CP1253", charset_form::one_byte}, "cp1253 windows-1253 x-cp1253"},
     {{"windows-1254", "CP1254", charset_form::one_byte},
      "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
      "iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"},
     {{"windows-1255", "CP1255", charset_form::one_byte}, "cp1255 windows-1255 x-cp1255"},
     {{"windows-1256", "CP1256", charset_form::one_byte}, "cp1256 windows-1256 x-cp1256"},
     {{"windows-1257", "CP1257", charset_form::one_byte}, "cp1257 windows-1257 x-cp1257"},
     {{"windows-1258", "CP1258", charset_form::one_byte}, "cp1258 windows-1258 x-cp1258"},
     {{"x-mac-cyrillic", "MAC-CYRILLIC", charset_form::one_byte}, "x-mac-cyrillic x-mac-ukrainian"},
     {{"gbk", "GB18030", charset_form::several_bytes},
      "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"},
     {{"gb18030", "GB18030", charset_form::several_bytes}, "gb18030"},
     {{"big5", "BIG5-HKSCS", charset_form::several_bytes}, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
     {{"euc-jp", "EUC-JP-MS", charset_form::several_bytes}, "cseucpkdfmtjapanese euc-jp x-euc-jp"},
     {{"iso-2022-jp", "EUC-JP-MS", charset_form::iso_2022_jp}, "csiso2022jp iso-2022-jp"},
     {{"shift_jis", "CP932", charset_form::several_bytes},
      "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
     {{"euc-kr", "CP949", charset_form::several_bytes},
      "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
      "ksc_5601 windows-949"},
     {{"x-user-defined", "", charset_form::user_defined}, "x-user-defined"},
     {{"hz-gb-2312", "GB18030", charset_form::hz}, "hz-gb-2312"},
     {{"iso-2022-kr", "ISO-2022-KR", charset_form::seven_bits}, "csiso2022kr iso-2022-kr"},
     {{"iso-2022-cn", "ISO-2022-CN", charset_form::seven_bits}, "iso-2022-cn"},
     {{"iso-2022-cn-ext", "ISO-2022-CN-EXT", charset_form::seven_bits}, "iso-2022-cn-ext"},
     {{"utf-7", "UTF-7", charset_form::seven_bits}, "csunicode11utf7 unicode-1-1-utf-7 utf-7"}}};

char small_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns a name in lower case, without hyphens and underscores.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain += small_ascii(c);
  }
  return plain;
}

}  // namespace

charset charset_of(std::string_view label) {
  static const auto by_label = [] {
    std::unordered_map<std::string_view, const charset*> map;
    for (const named_charset& one : charsets) {
      for (std::string_view rest = one.labels; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        map.emplace(rest.substr(0, end), &one.meant);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return map;
  }();
  constexpr std::string_view around = " \t\n\f\r";
  label.remove_prefix(std::min(label.find_first_not_of(around), label.size()));
  label = label.substr(0, label.find_last_not_of(around) + 1);
  std::string lowered(label);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), small_ascii);
  const auto found = by_label.find(lowered);
  return found != by_label.end() ? *found->second : charset{label, label, charset_form::other};
}

bool is_name_of_utf8(std::string_view encoding) {
  return plain_name(encoding) == "utf8" || charset_of(encoding).form == charset_form::utf8;
}

bool has_controls(std::string_view bytes) {
  constexpr std::string_view of_texts = "\t\n\v\f\r\x1b";  // \x1b begins a switch of character sets
  return std::any_of(bytes.begin(), bytes.end(), [&](char c) {
    return (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && of_texts.find(c) == of_texts.npos;
  });
}

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", replacement = "\xEF\xBF\xBD";

struct wide_mark {
  std::string_view bytes;
  wide_form form;
};

/// Byte order marks. The mark of UTF-32LE begins with the mark of UTF-16LE, so the longer marks come first.
constexpr std::array wide_marks{wide_mark{std::string_view("\xFF\xFE\0\0", 4), {4, false}},
                                wide_mark{std::string_view("\0\0\xFE\xFF", 4), {4, true}},
                                wide_mark{"\xFF\xFE", {2, false}}, wide_mark{"\xFE\xFF", {2, true}}};

/// Returns the form of UTF-16 or UTF-32 that `name` means: the size of a unit in bytes, and true for a big-endian form,
/// or nullopt if `name` does not contain the byte order.
std::optional<std::pair<std::size_t, std::optional<bool>>> wide_form_by_name(std::string_view name) {
  std::string plain = plain_name(name);
  if (plain == "unicodefffe") return std::pair(std::size_t{2}, std::optional(true));
  std::optional<bool> is_big_endian;
  for (const auto& [end, is_big] : {std::pair("le", false), std::pair("be", true)}) {
    if (!plain.ends_with(end)) continue;
    plain.resize(plain.size() - 2);
    is_big_endian = is_big;
    break;
  }
  for (const std::string_view known : {"utf16", "ucs2", "iso10646ucs2", "unicode", "csunicode", "unicodefeff"}) {
    if (plain == known) return std::pair(std::size_t{2}, is_big_endian);
  }
  for (const std::string_view known : {"utf32", "ucs4", "iso10646ucs4"}) {
    if (plain == known) return std::pair(std::size_t{4}, is_big_endian);
  }
  return std::nullopt;
}

}  // namespace

std::optional<wide_form> wide_form_of(std::string_view bytes, std::string_view name) {
  if (bytes.starts_with(utf8_mark)) return std::nullopt;
  for (const wide_mark& mark : wide_marks) {
    if (bytes.starts_with(mark.bytes)) return mark.form;
  }
  const auto named = wide_form_by_name(name);
  if (!named) return std::nullopt;
  // In UTF-16 and UTF-32, each ASCII character has zero bytes, which are control characters in UTF-8. So well-formed
  // UTF-8 without control characters is neither UTF-16 nor UTF-32.
  if (!has_controls(bytes) && neardup::count_invalid(bytes) == 0) return std::nullopt;
  const std::size_t unit = named->first;
  if (named->second) return wide_form{unit, *named->second};
  std::size_t first_zeros = 0, last_zeros = 0;
  for (std::size_t i = 0; i + unit <= bytes.size(); i += unit) {
    first_zeros += bytes[i] == '\0' ? 1 : 0;
    last_zeros += bytes[i + unit - 1] == '\0' ? 1 : 0;
  }
  return wide_form{unit, first_zeros > last_zeros};
}

void decode_wide(std::string_view bytes, wide_form form, std::string& text, bool& ill_formed) {
  text.clear();
  std::array<char, 4> encoded{};
  const auto put = [&](char32_t c) { text.append(encoded.data(), neardup::encode(c, encoded.data())); };
  const auto put_replacement = [&] {
    put(neardup::replacement_character);
    ill_formed = true;
  };
  char32_t high = 0;  // the first half of a surrogate pair
  for (std::size_t at = 0; at < bytes.size(); at += form.unit) {
    const std::string_view unit = bytes.substr(at, form.unit);
    if (unit.size() < form.unit) {
      if (std::exchange(high, 0) != 0) put_replacement();
      put_replacement();
      break;
    }
    char32_t c = 0;
    for (std::size_t i = 0; i < unit.size(); ++i) {
      const std::size_t from = form.is_big_endian ? i : unit.size() - 1 - i;
      c = c << 8U | static_cast<unsigned char>(unit[from]);
    }
    const bool is_low_half = c >= 0xDC00 && c < 0xE000, is_high_half = c >= 0xD800 && c < 0xDC00;
    if (high != 0 && is_low_half) {
      put(0x10000 + ((std::exchange(high, 0) - 0xD800) << 10U) + (c - 0xDC00));
      continue;
    }
    if (std::exchange(high, 0) != 0) put_replacement();
    if (is_high_half && form.unit == 2) {
      high = c;
    } else if (is_low_half || is_high_half || c > 0x10FFFF) {
      put_replacement();
    } else if (c != 0xFEFF || at > 0) {
      put(c);
    }
  }
  if (high != 0) put_replacement();
}

#ifdef NEARDUP_WITH_ICONV

namespace {

/// A character that the tables of glibc and the standard of the charset decode differently.
struct other_character {
  std::string_view charset;
  unsigned char byte;
  char32_t character;
};
constexpr std::array<other_character, 5> other_characters{{{"koi8-u", 0xAE, 0x45E},
                                                           {"koi8-u", 0xBE, 0x40E},
                                                           {"macintosh", 0xC6, 0x2206},
                                                           {"macintosh", 0xF0, 0xF8FF},
                                                           {"x-mac-cyrillic", 0xFF, 0x20AC}}};

std::string utf8_of(char32_t character) {
  std::array<char, 4> bytes{};
  return {bytes.data(), neardup::encode(character, bytes.data())};
}

/// In EUC-JP and GB18030, this byte begins no character, so iconv() refuses it, and it becomes U+FFFD.
constexpr char no_character = '\xFF';

void rewrite_iso_2022_jp(std::string_view bytes, std::string& out) {
  enum class set { ascii, katakana, jis0208, jis0212 };
  struct escape {
    std::string_view bytes;
    set next;
  };
  constexpr std::array<escape, 6> escapes{{{"\x1b(B", set::ascii},
                                           {"\x1b(J", set::ascii},
                                           {"\x1b(I", set::katakana},
                                           {"\x1b$@", set::jis0208},
                                           {"\x1b$B", set::jis0208},
                                           {"\x1b$(D", set::jis0212}}};
  const auto high = [](char c) { return static_cast<char>(static_cast<unsigned char>(c) | 0x80U); };
  const auto is_sign = [](char c) { return c > ' ' && c < '\x7f'; };
  set current = set::ascii;
  out.clear();
  while (!bytes.empty()) {
    std::size_t size = 1;
    const auto found =
        std::find_if(escapes.begin(), escapes.end(), [&](const escape& one) { return bytes.starts_with(one.bytes); });
    const char first = bytes.front();
    if (found != escapes.end()) {
      current = found->next;
      size = found->bytes.size();
    } else if (first == '\n' || first == '\r') {
      current = set::ascii;  // each line ends in ASCII
      out += first;
    } else if (first == '\x1b' || (first & 0x80) != 0) {
      out += no_character;
    } else if (current == set::ascii || !is_sign(first)) {
      out += first;
    } else if (current == set::katakana) {
      out += '\x8E';
      out += high(first);
    } else if (bytes.size() < 2 || !is_sign(bytes[1])) {
      out += no_character;
    } else {
      if (current == set::jis0212) out += '\x8F';
      out += high(first);
      out += high(bytes[1]);
      size = 2;
    }
    bytes.remove_prefix(size);
  }
}

/// Converts HZ to GB18030.
/// Source: RFC 1843.
void rewrite_hz(std::string_view bytes, std::string& out) {
  bool is_pair = false;
  out.clear();
  while (!bytes.empty()) {
    const char first = bytes.front(), second = bytes.size() > 1 ? bytes[1] : '\0';
    std::size_t size = 2;
    if (first == '~' && (second == '{' || second == '}')) {
      is_pair = second == '{';
    } else if (first == '~' && second == '~') {
      out += '~';
    } else if (first == '~' && second == '\n') {
      // "~" and the line end after it are dropped, so that two lines are joined.
    } else if (first == '\n' || first == '\r' || !is_pair) {
      is_pair = is_pair && first != '\n' && first != '\r';
      out += (first & 0x80) != 0 || first == '~' ? no_character : first;
      size = 1;
    } else if (first > ' ' && second > ' ') {
      out += static_cast<char>(static_cast<unsigned char>(first) | 0x80U);
      out += static_cast<char>(static_cast<unsigned char>(second) | 0x80U);
    } else {
      out += no_character;
      size = 1;
    }
    bytes.remove_prefix(size);
  }
}

}  // namespace

decoder::decoder(const std::string& encoding) {
  const charset meant = charset_of(encoding);
  form_ = meant.form;
  iconv_name_ = meant.iconv;
  const bool has_one_byte = form_ == charset_form::one_byte || form_ == charset_form::user_defined;
  const std::string name(form_ == charset_form::user_defined ? "ASCII" : meant.iconv);
  const iconv_t opened = ::iconv_open("UTF-8", name.c_str());
  // iconv_open() returns -1 on failure.
  if (opened == reinterpret_cast<iconv_t>(-1)) {
    throw usage_error("--encoding '" + encoding + "': iconv does not know it; 'iconv -l' lists what it knows");
  }
  converter_ = {opened, [](void* converter) { ::iconv_close(converter); }};
  bool ill_formed = false;
  if (has_one_byte) {
    constexpr std::size_t first_c1 = 0x80, end_of_c1 = 0xA0, end = 0x100;
    auto characters = std::make_shared<std::vector<std::string>>();
    for (std::size_t b = first_c1; b < end; ++b) {
      bool is_wrong = false;
      const char byte = static_cast<char>(b);
      std::string character(decode_by_iconv({&byte, 1}, 0, is_wrong));
      // For a byte from 0x80 to 0x9F without a character in a charset of Windows, the standard has a control character.
      if (is_wrong) character = b < end_of_c1 ? utf8_of(static_cast<char32_t>(b)) : "";
      if (form_ == charset_form::user_defined) character = utf8_of(static_cast<char32_t>(0xF780 + b - first_c1));
      for (const other_character& one : other_characters) {
        if (one.charset == meant.name && one.byte == b) character = utf8_of(one.character);
      }
      characters->push_back(std::move(character));
    }
    characters_ = std::move(characters);
  }
  std::string ascii = "\t\n\r";
  // `ascii` leaves out the backslash and the tilde, which differ in Japanese charsets, and, for UTF-7, the plus sign.
  for (char c = ' '; c < '~'; ++c) {
    if (c != '\\' && (c != '+' || form_ != charset_form::seven_bits)) ascii += c;
  }
  if (decode(ascii, 0, ill_formed) != ascii || ill_formed) {
    throw usage_error("--encoding " + encoding +
                      ": ASCII is not itself in it; make UTF-8 of it first, as in: iconv -f " + encoding +
                      " -t UTF-8 FILE | neardup … - (UTF-16 with a byte order mark is read as it is)");
  }
}

std::string_view decoder::decode(std::string_view bytes, std::size_t room, bool& ill_formed) {
  if (characters_) return decode_single_bytes(bytes, room, ill_formed);
  if (form_ == charset_form::iso_2022_jp) rewrite_iso_2022_jp(bytes, prepared_);
  if (form_ == charset_form::hz) rewrite_hz(bytes, prepared_);
  const bool is_prepared = form_ == charset_form::iso_2022_jp || form_ == charset_form::hz;
  return decode_by_iconv(is_prepared ? std::string_view(prepared_) : bytes, room, ill_formed);
}

std::string_view decoder::decode_single_bytes(std::string_view bytes, std::size_t room, bool& ill_formed) {
  text_.clear();
  while (!bytes.empty()) {
    const auto is_high = [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; };
    const auto high = std::find_if(bytes.begin(), bytes.end(), is_high);
    const auto plain = static_cast<std::size_t>(high - bytes.begin());
    text_.append(bytes.substr(0, plain));
    if (plain == bytes.size()) break;
    const std::string& character = (*characters_)[static_cast<unsigned char>(*high) - std::size_t{0x80}];
    ill_formed = ill_formed || character.empty();
    text_.append(character.empty() ? replacement : character);
    bytes.remove_prefix(plain + 1);
  }
  const std::size_t size = text_.size();
  text_.resize(size + room);
  return {text_.data(), size};
}

std::string_view decoder::decode_by_iconv(std::string_view bytes, std::size_t room, bool& ill_formed) {
  constexpr auto failed = static_cast<std::size_t>(-1);
  auto* const converter = static_cast<iconv_t>(converter_.get());
  ::iconv(converter, nullptr, nullptr, nullptr, nullptr);
  std::size_t size = 0;  // size of the decoded text
  const auto make_room = [&](std::size_t more) {
    if (text_.size() < size + more + room) text_.resize(std::max(2 * text_.size(), size + more + room));
  };
  make_room(2 * bytes.size() + 16);
  while (!bytes.empty()) {
    // iconv() takes a pointer to non-const bytes, but does not change the bytes.
    char* in = const_cast<char*>(bytes.data());
    std::size_t in_left = bytes.size();
    char* out = text_.data() + size;
    std::size_t out_left = text_.size() - size - room;
    const std::size_t result = ::iconv(converter, &in, &in_left, &out, &out_left);
    const int error = errno;
    size = static_cast<std::size_t>(out - text_.data());
    bytes.remove_prefix(bytes.size() - in_left);
    if (result != failed) break;
    make_room(2 * bytes.size() + 16);
    if (error == E2BIG) continue;
    // Charsets of Microsoft have the euro sign at bytes for which glibc has no character.
    constexpr std::string_view euro = "\xE2\x82\xAC";
    const bool is_gb_euro = iconv_name_ == "GB18030" && bytes.starts_with('\x80');
    const bool is_big5_euro = iconv_name_ == "BIG5-HKSCS" && bytes.starts_with("\xA3\xE1");
    const bool is_euro = is_gb_euro || is_big5_euro;
    ill_formed = ill_formed || !is_euro;
    text_.replace(size, replacement.size(), is_euro ? euro : replacement);
    size += replacement.size();
    bytes.remove_prefix(std::min<std::size_t>(is_big5_euro ? 2 : 1, bytes.size()));
    ::iconv(converter, nullptr, nullptr, nullptr, nullptr);
  }
  make_room(16);
  char* out = text_.data() + size;
  std::size_t out_left = text_.size() - size - room;
  ::iconv(converter, nullptr, nullptr, &out, &out_left);  // writes a character that was held back
  return {text_.data(), static_cast<std::size_t>(out - text_.data())};
}

#else

decoder::decoder(const std::string& encoding) {
  throw usage_error("--encoding " + encoding + ": this neardup is built without iconv");
}

std::string_view decoder::decode(std::string_view bytes, std::size_t /*room*/, bool& /*ill_formed*/) { return bytes; }

#endif

decoder* decoders::find(const std::string& label) {
  const auto [place, is_new] = by_label_.try_emplace(label);
  if (is_new) {
    try {
      place->second.emplace(label);
    } catch (const usage_error&) {
      // No charset has this label.
    }
  }
  return place->second ? &*place->second : nullptr;
}

namespace {

using octet = unsigned char;

bool is_in(octet b, octet low, octet high) { return b >= low && b <= high; }

/// Numbers of characters in a text that is read in a two-byte encoding. `all`: characters above ASCII. `wrong`: pairs
/// of bytes that the encoding does not have. `usual`: characters that are frequent in texts.
struct pair_count {
  std::size_t all = 0, usual = 0, wrong = 0;

  [[nodiscard]] double share() const {
    return all == 0 || 50 * wrong > all ? 0 : static_cast<double>(usual) / static_cast<double>(all);
  }
};

template <class IsPair, class IsUsual>
pair_count count_pairs(std::string_view bytes, const IsPair& is_pair, const IsUsual& is_usual) {
  pair_count counts;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto first = static_cast<octet>(bytes[i]);
    if (first < 0x80) continue;
    const auto second = static_cast<octet>(i + 1 < bytes.size() ? bytes[i + 1] : 0);
    ++counts.all;
    if (!is_pair(first, second)) {
      ++counts.wrong;
      continue;
    }
    ++i;
    if (is_usual(first, second)) ++counts.usual;
  }
  return counts;
}

/// Guesses a single-byte encoding from the bytes above ASCII and from the bytes beside them.
std::optional<std::string> likely_single_bytes(std::string_view bytes) {
  std::size_t high = 0, from_c0 = 0, from_e0 = 0, beside_high = 0, others = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto b = static_cast<octet>(bytes[i]);
    if (b < 0x80) continue;
    ++high;
    if (b >= 0xC0) ++from_c0;
    if (b >= 0xE0) ++from_e0;
    if (b < 0xA0) ++others;
    if (i > 0 && static_cast<octet>(bytes[i - 1]) >= 0x80) ++beside_high;
  }
  // Most Cyrillic letters are beside other Cyrillic letters. Most letters with accents are beside ASCII letters.
  if (10 * from_c0 >= 9 * high && 10 * beside_high >= 6 * high) {
    return 10 * from_e0 >= 6 * high ? "WINDOWS-1251" : "KOI8-R";
  }
  if (10 * beside_high <= 2 * high && 10 * from_c0 >= 6 * high && 5 * others <= high) return "WINDOWS-1252";
  return std::nullopt;
}

/// Returns true if most bytes above ASCII are well-formed UTF-8. Such a text is UTF-8 with a few damaged places.
bool is_mostly_utf8(std::string_view bytes) {
  std::size_t high = 0, whole = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto b = static_cast<octet>(bytes[i]);
    const std::size_t size = b < 0x80               ? 1
                             : is_in(b, 0xC2, 0xDF) ? 2
                             : is_in(b, 0xE0, 0xEF) ? 3
                             : is_in(b, 0xF0, 0xF4) ? 4
                                                    : 1;
    std::size_t good = 1;
    while (good < size && i + good < bytes.size() && is_in(static_cast<octet>(bytes[i + good]), 0x80, 0xBF)) ++good;
    const bool is_whole = good == size && size > 1;
    if (b >= 0x80) high += is_whole ? size : 1;
    if (is_whole) whole += size;
    i += is_whole ? size : 1;
  }
  return 8 * whole > 7 * high;  // in some Japanese encodings this share is half
}

}  // namespace

std::optional<std::string> likely_encoding(std::string_view bytes) {
  constexpr std::ptrdiff_t least = 8;  // least number of bytes above ASCII; fewer bytes say nothing
  const auto is_high = [](char c) { return static_cast<octet>(c) >= 0x80; };
  if (std::count_if(bytes.begin(), bytes.end(), is_high) < least || is_mostly_utf8(bytes)) return std::nullopt;
  const auto is_euc = [](octet a, octet b) { return is_in(a, 0xA1, 0xFE) && is_in(b, 0xA1, 0xFE); };
  const auto is_gbk = [](octet a, octet b) { return is_in(a, 0x81, 0xFE) && b >= 0x40 && b != 0x7F && b != 0xFF; };
  const auto is_big5 = [](octet a, octet b) {
    return is_in(a, 0xA1, 0xF9) && (is_in(b, 0x40, 0x7E) || is_in(b, 0xA1, 0xFE));
  };
  const auto is_sjis = [](octet a, octet b) {
    return (is_in(a, 0x81, 0x9F) || is_in(a, 0xE0, 0xFC)) && b >= 0x40 && b != 0x7F && b <= 0xFC;
  };
  const auto kana_of_sjis = [](octet a, octet b) { return (a == 0x82 && b >= 0x9F) || (a == 0x83 && b <= 0x96); };
  const auto kana_of_euc = [](octet a, octet) { return a == 0xA4 || a == 0xA5; };
  const auto hangul = [](octet a, octet) { return is_in(a, 0xB0, 0xC8); };
  const auto usual_hanzi = [](octet a, octet b) { return is_in(a, 0xB0, 0xD7) && b >= 0xA1; };
  const auto usual_big5 = [](octet a, octet) { return is_in(a, 0xA4, 0xC6); };

  constexpr double some = 0.3, most = 0.7, nearly_all = 0.85;
  if (auto single = likely_single_bytes(bytes); single == "WINDOWS-1252") return single;
  if (count_pairs(bytes, is_sjis, kana_of_sjis).share() >= some) return "SHIFT_JIS";
  if (count_pairs(bytes, is_euc, kana_of_euc).share() >= some) return "EUC-JP";
  const double korean = count_pairs(bytes, is_euc, hangul).share();
  const double simplified = count_pairs(bytes, is_gbk, usual_hanzi).share();
  const double traditional = count_pairs(bytes, is_big5, usual_big5).share();
  if (korean >= nearly_all) return "EUC-KR";
  // A text in Big5 that is read as GBK has few usual characters, because half of its second bytes are too low for them.
  if (traditional >= most && traditional > simplified + 0.1) return "BIG5";
  if (simplified >= most) return "GB18030";
  return likely_single_bytes(bytes);
}

}  // namespace command
