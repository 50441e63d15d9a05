#include "index_machine.hpp"

#include <array>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "mixing.hpp"
#include "synthetic.hpp"

namespace neardup_bench {

namespace {

constexpr std::size_t alignment = std::size_t{1} << 21;
constexpr std::size_t words_a_line = large_area::line_bytes / sizeof(std::uint64_t);

// A linear congruential generator modulo 2^64. line_of() makes addresses of its highest 24 bits, which are random
// enough for this. The next state includes the word that was read last, so the next address has to wait for this read.
std::uint64_t next_state(std::uint64_t state, std::uint64_t read) {
  return state * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU + read;
}

std::size_t line_of(std::uint64_t state) { return static_cast<std::size_t>(state >> 40) % large_area::lines; }

template <std::size_t InFlight>
std::uint64_t read_chains(const std::uint64_t* words, std::size_t steps) {
  std::array<std::uint64_t, InFlight> states;
  for (std::size_t i = 0; i < InFlight; ++i) states[i] = i * golden_ratio;
  for (std::size_t step = 0; step < steps; step += InFlight) {
    for (std::uint64_t& state : states) state = next_state(state, words[line_of(state) * words_a_line]);
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t state : states) sum ^= state;
  return sum;
}

}  // namespace

large_area::large_area(bool huge_pages)
    : words_(static_cast<std::uint64_t*>(::operator new (bytes, std::align_val_t{alignment}))) {
#if defined(__linux__)
  madvise(words_, bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
  static_cast<void>(huge_pages);
#endif
  for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) words_[i] = i % words_a_line;
}

large_area::~large_area() { ::operator delete (words_, std::align_val_t{alignment}); }

bool large_area::has_advice() {
#if defined(__linux__)
  return true;
#else
  return false;
#endif
}

std::uint64_t large_area::read_lines(std::size_t in_flight, std::size_t steps) const {
  switch (in_flight) {
    case 1: return read_chains<1>(words_, steps);
    case 8: return read_chains<8>(words_, steps);
    case 16: return read_chains<16>(words_, steps);
    default: return read_chains<64>(words_, steps);
  }
}

std::uint64_t large_area::read_runs(std::size_t length, std::size_t runs) const {
  constexpr std::size_t ahead = 8;
  random_source random(1);
  std::array<std::size_t, ahead> places{};
  std::uint64_t sum = 0;
  for (std::size_t run = 0; run < runs + ahead; ++run) {
    std::size_t& place = places[run % ahead];
    if (run >= ahead) {
      const std::uint64_t* const first = words_ + place * words_a_line;
      for (std::size_t i = 0; i < length; ++i) sum += first[i * words_a_line];
    }
    place = static_cast<std::size_t>(random.below(lines - length));
#if defined(__GNUC__)
    __builtin_prefetch(words_ + place * words_a_line);
#endif
  }
  return sum;
}

std::uint64_t large_area::read_all() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) sum += words_[i];
  return sum;
}

}  // namespace neardup_bench
