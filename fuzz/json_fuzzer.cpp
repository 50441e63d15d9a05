// Fuzzes the command's reader of JSON Lines: each line is read as a record or refused with a reason.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "neardup/read/json_record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const command::input_settings settings = [] {
    command::input_settings o;
    o.unit = command::unit_of_input::json_lines;
    o.text_fields = {"text", "title"};
    return o;
  }();
  static const command::json_reader read = command::make_json_reader(settings);
  // A line is followed by exactly as many readable bytes as simdjson requires.
  constexpr std::size_t padding = 64;
  const std::unique_ptr<char[]> bytes(new char[size + padding]);
  std::memcpy(bytes.get(), data, size);
  std::memset(bytes.get() + size, ' ', padding);
  command::record record;
  const auto wrong = read({bytes.get(), size}, record);
  if (wrong ? !wrong->empty() : record.is_blank || record.fields.size() == settings.text_fields.size()) return 0;
  std::fputs("a record without its texts, or refused without a reason\n", stderr);
  std::abort();
}
