#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tokenizer_streams.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string difference = fuzz::difference_of_streams({reinterpret_cast<const char*>(data), size});
  if (difference.empty()) return 0;
  std::fputs(difference.c_str(), stderr);
  std::abort();
}
