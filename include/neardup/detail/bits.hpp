// SPDX-License-Identifier: MIT
// Arithmetic with words of 64 bits and with their bytes, prefetching, and attributes for the optimiser.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "../error.hpp"
#include "../version.hpp"

// Hides the value of x from the optimiser. So the compiler computes x in a scalar register, and does not vectorise the
// computation.
#if defined(__GNUC__)
#define NEARDUP_SCALAR(x) asm("" : "+r"(x))
#else
#define NEARDUP_SCALAR(x) static_cast<void>(x)
#endif

// Forces a function to be inlined. Use it for a function whose call would take longer than its body: a function that a
// loop calls many times, or that returns a small structure.
#if defined(__GNUC__)
#define NEARDUP_ALWAYS_INLINE __attribute__((always_inline)) inline
#define NEARDUP_INLINE_LAMBDA __attribute__((always_inline))
#else
#define NEARDUP_ALWAYS_INLINE inline
#define NEARDUP_INLINE_LAMBDA
#endif

// Forbids inlining. Use it for code that a loop runs rarely, because inlined code would take registers from the rest of
// the loop.
#if defined(__GNUC__)
#define NEARDUP_NOINLINE __attribute__((noinline))
#else
#define NEARDUP_NOINLINE
#endif

#if defined(_WIN32)
extern "C" __declspec(dllimport) int __cdecl rand_s(unsigned* random);  // <cstdlib> declares it only with a macro
#endif

namespace neardup::inline v0::detail {

inline constexpr std::size_t word_bits = 64;

/// 2^64 / golden ratio: the increment of SplitMix64. Other sequences whose elements should be far apart use this
/// constant, too.
inline constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;

/// A number that is `First` again after the object was moved from. A class that has only containers and such numbers
/// needs no move operations of its own: the default ones leave an empty object.
template <class Number, Number First = Number{}>
class until_moved {
 public:
  constexpr until_moved(Number number = First) noexcept : number_(number) {}  // NOLINT(google-explicit-constructor)
  until_moved(const until_moved&) = default;
  until_moved& operator=(const until_moved&) = default;
  constexpr until_moved(until_moved&& other) noexcept : number_(std::exchange(other.number_, First)) {}
  constexpr until_moved& operator=(until_moved&& other) noexcept {
    number_ = std::exchange(other.number_, First);
    return *this;
  }
  ~until_moved() = default;

  constexpr operator Number&() noexcept { return number_; }              // NOLINT(google-explicit-constructor)
  constexpr operator const Number&() const noexcept { return number_; }  // NOLINT(google-explicit-constructor)

 private:
  Number number_;
};

/// Converts a whole number to std::size_t. Where the two types are the same, g++ would warn about a plain cast
/// (-Wuseless-cast).
template <std::integral Number>
constexpr std::size_t to_size(Number number) noexcept {
  return static_cast<std::size_t>(number);
}

/// std::bit_width as an int. Before g++ 13, std::bit_width returns the type of `number` (LWG 3656).
template <std::unsigned_integral Number>
constexpr int bit_width(Number number) noexcept {
  return std::numeric_limits<Number>::digits - std::countl_zero(number);
}

/// Returns the number of 64-bit words that `bits` bits need.
constexpr std::size_t words_for(std::size_t bits) noexcept { return (bits + word_bits - 1) / word_bits; }

/// Returns a word with the lowest `count` bits set.
/// Precondition: count <= 64.
constexpr std::uint64_t low_mask(std::size_t count) noexcept {
  return count >= word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Mixes a word, so that each bit of the result depends on each bit of the input.
/// Source: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014; constants of D. Stafford's variant 13).
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Returns a 64-bit digest of bytes. The function is slow, so use it only where speed does not matter.
constexpr std::uint64_t digest_of(std::string_view bytes) noexcept {
  std::uint64_t digest = mix(bytes.size() + golden_ratio);
  for (const char c : bytes) digest = mix(digest + golden_ratio + static_cast<unsigned char>(c));
  return digest;
}

/// Returns an odd number that differs from process to process. The number is made from the load address and the time.
/// On Windows, where the time is only known to the millisecond, a random number replaces the time. The order within
/// hash tables may depend on this number, but results do not.
inline std::uint64_t secret_multiplier() noexcept {
  static const std::uint64_t secret = [] {
    static const char place = 0;
#if defined(_WIN32)
    unsigned high = 0, low = 0;
    static_cast<void>(::rand_s(&high));
    static_cast<void>(::rand_s(&low));
    const std::uint64_t time = std::uint64_t{high} << 32 | low;
#else
    std::timespec now{};
    static_cast<void>(std::timespec_get(&now, TIME_UTC));
    const std::uint64_t time = mix(static_cast<std::uint64_t>(now.tv_sec)) + static_cast<std::uint64_t>(now.tv_nsec);
#endif
    return mix(mix(time) + reinterpret_cast<std::uintptr_t>(&place)) | 1U;
  }();
  return secret;
}

/// Counts the set bits of a word. The popcount instruction is not used, because a default build for x86-64 does not
/// have it.
template <std::unsigned_integral Word>
constexpr int portable_popcount(Word x) noexcept {
  constexpr auto ones = static_cast<Word>(~Word{0});
  // Each intermediate sum is cast to the width of the word. So compilers vectorise loops over narrow words.
  x = static_cast<Word>(x - ((x >> 1) & (ones / 3)));
  x = static_cast<Word>((x & (ones / 5)) + ((x >> 2) & (ones / 5)));
  x = static_cast<Word>((x + (x >> 4)) & (ones / 17));
  return static_cast<int>(static_cast<Word>(x * (ones / 255)) >> (std::numeric_limits<Word>::digits - 8));
}
template <std::size_t Words>
constexpr int portable_popcount(const std::array<std::uint64_t, Words>& words) noexcept {
  int count = 0;
  for (const std::uint64_t word : words) count += portable_popcount(word);
  return count;
}

/// Returns true if two arrays of words are equal. g++ 12 would compile the == of std::array to a call of memcmp.
template <std::size_t Words>
constexpr bool are_equal(const std::array<std::uint64_t, Words>& a,
                         const std::array<std::uint64_t, Words>& b) noexcept {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < Words; ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

template <std::size_t Words>
constexpr std::array<std::uint64_t, Words> differing_bits(const std::array<std::uint64_t, Words>& a,
                                                          const std::array<std::uint64_t, Words>& b) noexcept {
  std::array<std::uint64_t, Words> result{};
  for (std::size_t i = 0; i < Words; ++i) result[i] = a[i] ^ b[i];
  return result;
}

template <std::unsigned_integral Word>
constexpr int count_differing_bits(Word a, Word b) noexcept {
  return std::popcount(static_cast<Word>(a ^ b));
}
template <std::size_t Words>
constexpr int count_differing_bits(const std::array<std::uint64_t, Words>& a,
                                   const std::array<std::uint64_t, Words>& b) noexcept {
  int count = 0;
  for (std::size_t i = 0; i < Words; ++i) count += std::popcount(a[i] ^ b[i]);
  return count;
}

/// Hashes an array of words. Every machine gives the same hash.
template <std::size_t Words>
constexpr std::uint64_t mix_words(const std::array<std::uint64_t, Words>& words) noexcept {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) hash = mix(hash + golden_ratio + word);
  return hash;
}

/// Returns mix_words() as a std::size_t, for hash tables.
template <std::size_t Words>
constexpr std::size_t hash_words(const std::array<std::uint64_t, Words>& words) noexcept {
  return static_cast<std::size_t>(mix_words(words));
}

// The empty assembler statements keep calls of functions that only prefetch. Without them, g++ 12 assumes that such a
// function has no effect, and drops the calls that it does not inline. A join then took 1.2 times as long.

/// Prefetches the cache line at `address`. The address may be invalid. The function does nothing if the compiler lacks
/// __builtin_prefetch().
inline void prefetch(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
  __asm__ volatile("");
#else
  static_cast<void>(address);
#endif
}

/// Prefetches a line into the second-level cache, for data that are needed later. More lines can be in flight than for
/// the first-level cache: on a Zen 4, with 64 random lines at a time, a line took 7 ns instead of 15 ns.
inline void prefetch_far(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address, 0, 2);
  __asm__ volatile("");
#else
  static_cast<void>(address);
#endif
}

/// In byte_ones, the lowest bit of each byte is set. In byte_tops, the highest bit of each byte is set.
inline constexpr std::uint64_t byte_ones = 0x0101010101010101U;
inline constexpr std::uint64_t byte_tops = byte_ones << 7;

/// Reads a little-endian unsigned integer, on machines with either byte order.
template <class Word = std::uint64_t>
Word load_little_endian(const char* bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  } else {
    Word word = 0;
    for (std::size_t i = 0; i < sizeof word; ++i) word |= Word{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
  }
}

/// Checks that this machine is little-endian, as all files are. `name`: the file, or the data for the file, as the
/// message should name it.
/// Throws: std::runtime_error "NAME: ..." if the machine is not little-endian.
inline void check_byte_order(const message_part& name) {
  if constexpr (std::endian::native != std::endian::little) {
    fail<std::runtime_error>({name, ": neardup reads and writes files on little-endian machines only"});
  }
}

}  // namespace neardup::inline v0::detail
