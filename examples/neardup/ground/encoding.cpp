#include "encoding.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <neardup/text/utf8.hpp>
#include <new>
#include <utility>

#include "errors.hpp"

#ifdef NEARDUP_WITH_ICONV
#include <iconv.h>
#endif

namespace command {

bool is_name_of_utf8(std::string_view encoding) {
  std::string name;
  for (const char c : encoding) {
    if (c != '-' && c != '_') name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return name == "utf8";
}

bool has_controls(std::string_view bytes) {
  constexpr std::string_view of_texts = "\t\n\v\f\r\x1b";  // \x1b begins a switch of character sets
  return std::any_of(bytes.begin(), bytes.end(), [&](char c) {
    return (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && of_texts.find(c) == of_texts.npos;
  });
}

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

struct wide_mark {
  std::string_view bytes;
  wide_form form;
};

/// Byte order marks. The longer ones come first, because that of UTF-32LE begins with that of UTF-16LE.
constexpr std::array wide_marks{wide_mark{std::string_view("\xFF\xFE\0\0", 4), {4, false}},
                                wide_mark{std::string_view("\0\0\xFE\xFF", 4), {4, true}},
                                wide_mark{"\xFF\xFE", {2, false}}, wide_mark{"\xFE\xFF", {2, true}}};

/// Returns the wide form that a name means. The byte order is nullopt if the name has none.
std::optional<std::pair<std::size_t, std::optional<bool>>> wide_form_by_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  std::optional<bool> is_big_endian;
  for (const auto& [end, is_big] : {std::pair("le", false), std::pair("be", true)}) {
    if (!plain.ends_with(end)) continue;
    plain.resize(plain.size() - 2);
    is_big_endian = is_big;
    break;
  }
  for (const std::string_view known : {"utf16", "ucs2", "iso10646ucs2", "unicode"}) {
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
  // Texts in UTF-8 contain no zeros, while wide forms contain them wherever ASCII is.
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

decoder::decoder(const std::string& encoding) {
  const iconv_t opened = ::iconv_open("UTF-8", encoding.c_str());
  // iconv's value for an error
  if (opened == reinterpret_cast<iconv_t>(-1)) {
    throw usage_error("--encoding '" + encoding + "': iconv does not know it; 'iconv -l' lists what it knows");
  }
  converter_ = {opened, [](void* converter) { ::iconv_close(converter); }};
  bool ill_formed = false;
  std::string ascii = "\t\n\r";
  // In some Japanese encodings, a backslash and a tilde are other characters.
  for (char c = ' '; c < '~'; ++c) {
    if (c != '\\') ascii += c;
  }
  if (decode(ascii, 0, ill_formed) != ascii || ill_formed) {
    throw usage_error("--encoding " + encoding +
                      ": ASCII is not itself in it; make UTF-8 of it first, as in: iconv -f " + encoding +
                      " -t UTF-8 FILE | neardup … - (UTF-16 with a byte order mark is read as it is)");
  }
}

std::string_view decoder::decode(std::string_view bytes, std::size_t room, bool& ill_formed) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  constexpr auto failed = static_cast<std::size_t>(-1);
  auto* const converter = static_cast<iconv_t>(converter_.get());
  ::iconv(converter, nullptr, nullptr, nullptr, nullptr);
  std::size_t size = 0;  // size of the decoded text
  const auto make_room = [&](std::size_t more) {
    if (text_.size() < size + more + room) text_.resize(std::max(2 * text_.size(), size + more + room));
  };
  make_room(2 * bytes.size() + 16);
  while (!bytes.empty()) {
    // The interface of iconv has no const.
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
    ill_formed = true;
    text_.replace(size, replacement.size(), replacement);
    size += replacement.size();
    bytes.remove_prefix(std::min<std::size_t>(1, bytes.size()));
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

namespace {

using octet = unsigned char;

bool is_in(octet b, octet low, octet high) { return b >= low && b <= high; }

/// Counts of a text in a two-byte encoding: `all` characters above ASCII; `wrong` characters that are not a pair of the
/// encoding; `usual` characters that are frequent in texts.
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

/// Guesses a single-byte encoding from the bytes above ASCII and their neighbours.
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
  // Cyrillic letters are next to each other, letters with accents are next to ASCII.
  if (10 * from_c0 >= 9 * high && 10 * beside_high >= 6 * high) {
    return 10 * from_e0 >= 6 * high ? "WINDOWS-1251" : "KOI8-R";
  }
  if (10 * beside_high <= 2 * high && 10 * from_c0 >= 6 * high && 5 * others <= high) return "WINDOWS-1252";
  return std::nullopt;
}

/// Returns true if most bytes above ASCII belong to UTF-8 that is damaged in a few places.
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
  constexpr std::ptrdiff_t least = 8;  // least number of bytes above ASCII; fewer mean nothing
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
  // Half of the second bytes of Big5 are below the usual second bytes of GBK.
  if (traditional >= most && traditional > simplified + 0.1) return "BIG5";
  if (simplified >= most) return "GB18030";
  return likely_single_bytes(bytes);
}

}  // namespace command
