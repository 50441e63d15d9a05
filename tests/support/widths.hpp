// The widths for tests of fingerprints: common and unusual widths, with and without a partly used word.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#if defined(NEARDUP_TEST_SAMPLE)
#define NEARDUP_TEST_WIDTHS 64, 80  // a word, and a word with a part of another one
#else
#define NEARDUP_TEST_WIDTHS 16, 24, 32, 40, 64, 80, 96, 128, 256
#endif

namespace support {

/// Calls `visit(std::integral_constant<std::size_t, Bits>{})` for each width.
template <class Visit>
void for_each_width(Visit visit) {
  const auto visit_all = [&]<std::size_t... Bits>(std::index_sequence<Bits...>) {
    (visit(std::integral_constant<std::size_t, Bits>{}), ...);
  };
  visit_all(std::index_sequence<NEARDUP_TEST_WIDTHS>{});
}

}  // namespace support
