// Fuzzes files that users supply: idf tables, dictionaries, lists of fingerprints and logs. Each is read or refused,
// and what was read, once written, reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "table_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string difference = fuzz::difference_of_tables({reinterpret_cast<const char*>(data), size});
  if (difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}
