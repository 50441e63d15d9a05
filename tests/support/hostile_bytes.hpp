// Makes damaged files of neardup, some with repaired checksums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include <neardup/storage/engine/container.hpp>

namespace support {

inline std::uint64_t load_number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

inline void store_number(std::string& bytes, std::size_t at, std::size_t width, std::uint64_t number) {
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(number >> (8 * i) & 0xffU);
}

/// Recomputes the checksums of the sections and of the header, as far as the bytes have them.
inline void repair_checksums(std::string& bytes) {
  if (bytes.size() < 64) return;
  const auto checksum = [&](std::size_t at, std::size_t size) {
    return neardup::detail::checksum_of(std::as_bytes(std::span(bytes.data() + at, size)));
  };
  const std::uint64_t sections = load_number(bytes, 20, 4);
  for (std::uint64_t i = 0; i < sections && 64 + 32 * (i + 1) <= bytes.size(); ++i) {
    const auto at = static_cast<std::size_t>(64 + 32 * i);
    const std::uint64_t begin = load_number(bytes, at + 8, 8), size = load_number(bytes, at + 16, 8);
    if (begin > bytes.size() || size > bytes.size() - begin) continue;
    store_number(bytes, at + 24, 8, checksum(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)));
  }
  const std::uint64_t header = load_number(bytes, 16, 4);
  if (header < 64 || header > bytes.size()) return;
  store_number(bytes, 56, 8, 0);
  store_number(bytes, 56, 8, checksum(0, static_cast<std::size_t>(header)));
}

/// Makes one random change to a file of sections. It changes bits, bytes or numbers, in the header or anywhere; or the
/// length; or it moves a stretch of bytes.
template <class Random>
void damage(std::string& bytes, Random& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  if (bytes.size() < 64) return;
  const std::size_t header = std::min<std::size_t>(bytes.size(), load_number(bytes, 16, 4));
  const std::size_t scope = random() % 3 == 0 && header >= 64 ? header : bytes.size();
  switch (random() % 8) {
    case 0:
    case 1: {
      char& byte = bytes[below(scope)];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1U << random() % 8);
      break;
    }
    case 2: bytes[below(scope)] = static_cast<char>(random()); break;
    case 3: {
      constexpr std::uint64_t numbers[] = {
          0,          1,          2,          7,     8,          64,         255, 256, 65535, 0x7fffffff, 0x80000000U,
          0xffffffff, 1ULL << 32, 1ULL << 63, ~0ULL, ~0ULL - 63, ~0ULL >> 1, 448, 447, 449,   15};
      const std::size_t width = std::size_t{1} << random() % 4;
      const std::size_t at = below(scope / width) * width;
      store_number(bytes, at, width,
                   random() % 2 == 0 ? numbers[random() % std::size(numbers)] : bytes.size() + random() % 5 - 2);
      break;
    }
    case 4: {
      const std::size_t width = std::size_t{1} << random() % 4;
      const std::size_t at = below(scope / width) * width;
      store_number(bytes, at, width, load_number(bytes, at, width) + random() % 5 - 2);
      break;
    }
    case 5: {
      const std::size_t size = 1 + below(std::min<std::size_t>(64, bytes.size()));
      const std::size_t from = below(bytes.size() - size + 1), to = below(bytes.size() - size + 1);
      std::memmove(bytes.data() + to, bytes.data() + from, size);
      break;
    }
    case 6:
      bytes.resize(below(bytes.size() + 1));
      if (bytes.size() >= 32 && random() % 2 == 0) store_number(bytes, 24, 8, bytes.size());
      break;
    default: {
      // A section grows or shrinks; the following ones move.
      const std::size_t sections = std::min<std::size_t>(load_number(bytes, 20, 4), (bytes.size() - 64) / 32);
      if (sections == 0) break;
      const std::size_t at = 64 + 32 * below(sections) + 8 * below(3);
      if (at + 8 <= bytes.size()) store_number(bytes, at, 8, load_number(bytes, at, 8) + 8 * (random() % 17) - 64);
    }
  }
}

/// A copy of the bytes that is aligned to 64. It ends at the end of its allocation, so that sanitizers see reads beyond
/// it.
class aligned_copy {
 public:
  explicit aligned_copy(std::string_view bytes)
      : data_(static_cast<std::byte*>(::operator new (std::max<std::size_t>(1, bytes.size()), std::align_val_t{64}))),
        size_(bytes.size()) {
    if (size_ > 0) std::memcpy(data_, bytes.data(), size_);
  }
  aligned_copy(const aligned_copy&) = delete;
  aligned_copy& operator=(const aligned_copy&) = delete;
  ~aligned_copy() { ::operator delete (data_, std::align_val_t{64}); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_;
  std::size_t size_;
};

}  // namespace support
