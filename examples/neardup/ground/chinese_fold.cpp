#include "chinese_fold.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/text/utf8.hpp>

#include "errors.hpp"

namespace command {

namespace {

/// The range of all ideographs of Unicode 15.
constexpr char32_t first_ideograph = 0x3400, last_ideograph = 0x323af;

constexpr bool is_ideograph(char32_t c) {
  return (c >= first_ideograph && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= last_ideograph);
}

[[noreturn]] void refuse(const std::string& why) { throw input_error({"", "--fold-chinese: " + why}); }

void append_character(char32_t c, std::string& out) {
  std::array<char, 4> bytes{};
  out.append(bytes.data(), neardup::encode(c, bytes.data()));
}

/// The C interface of OpenCC, which is the same in all versions of OpenCC.
class opencc_library {
 public:
  opencc_library() {
    for (const char* const name : {"libopencc.so.1.1", "libopencc.so.1.2", "libopencc.so", "libopencc.dylib"}) {
      library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library_ != nullptr) break;
    }
    if (library_ == nullptr) refuse("the library OpenCC is not installed (Debian: libopencc1.1)");
    find("opencc_open", open_);
    find("opencc_close", close_);
    find("opencc_convert_utf8", convert_);
    find("opencc_convert_utf8_free", free_);
  }
  opencc_library(const opencc_library&) = delete;
  opencc_library& operator=(const opencc_library&) = delete;
  ~opencc_library() { dlclose(library_); }

  /// Converts traditional to simplified characters.
  [[nodiscard]] std::string simplified(const std::string& text) const {
    void* const converter = open_("t2s.json");
    const auto as_number = reinterpret_cast<std::intptr_t>(converter);
    if (as_number == -1 || as_number == 0) refuse("OpenCC finds no t2s.json (Debian: libopencc-data)");
    char* const converted = convert_(converter, text.data(), text.size());
    std::string result = converted != nullptr ? converted : "";
    if (converted != nullptr) free_(converted);
    close_(converter);
    if (result.empty()) refuse("OpenCC could not convert");
    return result;
  }

 private:
  template <class Function>
  void find(const char* name, Function*& to) {
    to = reinterpret_cast<Function*>(dlsym(library_, name));
    if (to == nullptr) refuse(std::string("this OpenCC has no ") + name);
  }

  void* library_ = nullptr;
  void* (*open_)(const char*) = nullptr;
  int (*close_)(void*) = nullptr;
  char* (*convert_)(void*, const char*, std::size_t) = nullptr;
  void (*free_)(char*) = nullptr;
};

}  // namespace

chinese_fold chinese_fold::of_opencc() {
  chinese_fold fold;
  std::string all;  // one character per line, so that no character is converted as part of a phrase
  for (char32_t c = first_ideograph; c <= last_ideograph; ++c) {
    fold.table_.push_back(c);
    if (!is_ideograph(c)) continue;
    append_character(c, all);
    all += '\n';
  }
  const std::string simplified = opencc_library().simplified(all);
  std::string_view rest = simplified;
  for (char32_t c = first_ideograph; c <= last_ideograph; ++c) {
    if (!is_ideograph(c)) continue;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.size() == rest.size()) refuse("OpenCC did not convert line by line");
    rest.remove_prefix(line.size() + 1);
    const neardup::decoded one = neardup::decode_one(line);
    const bool is_one = one.valid && one.length == line.size() && is_ideograph(one.code_point);
    if (is_one) fold.table_[c - first_ideograph] = one.code_point;
  }
  // Follows chains of replacements: a replacement may itself have a replacement.
  for (char32_t& to : fold.table_) {
    for (int steps = 0; steps < 4 && fold.table_[to - first_ideograph] != to; ++steps)
      to = fold.table_[to - first_ideograph];
  }
  std::string changes;
  for (char32_t c = first_ideograph; c <= last_ideograph; ++c) {
    const char32_t to = fold.table_[c - first_ideograph];
    if (to == c) continue;
    append_character(c, changes);
    append_character(to, changes);
  }
  if (changes.empty()) refuse("the tables of OpenCC change no character");
  fold.identity_ = neardup::xxh3<64>{}(changes);
  return fold;
}

void chinese_fold::append(std::string_view text, std::string& out) const {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0xe3) {  // no ideograph begins with this byte
      ++i;
      continue;
    }
    const neardup::decoded next = neardup::decode_one(text.substr(i));
    if (next.valid && next.code_point >= first_ideograph && next.code_point <= last_ideograph) {
      const char32_t to = table_[next.code_point - first_ideograph];
      if (to != next.code_point) {
        out.append(text.substr(kept, i - kept));
        append_character(to, out);
        kept = i + next.length;
      }
    }
    i += next.length;
  }
  out.append(text.substr(kept));
}

}  // namespace command
