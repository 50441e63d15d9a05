// Compares the UTF-8 kernels with the decoder, which reads one code point at a time.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch.hpp>
#include <neardup/text/kernels/utf8_blocks.hpp>
#include <neardup/text/utf8.hpp>
#include <oracle/effort.hpp>
#include <oracle/random_engine.hpp>
#include <support/instruction_sets.hpp>

namespace {

using neardup::instruction_set;

/// Returns the number of texts for which a kernel and the decoder disagree whether the text is well-formed.
template <class Next>
std::size_t count_differences(instruction_set level, std::size_t rounds, const Next& next) {
  std::size_t wrong = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string text = next(round);
    // A buffer of exactly the text's length, so that sanitizers see any read beyond it.
    const std::vector<char> copy(text.begin(), text.end());
    const std::string_view view(copy.data(), copy.size());
    if (neardup::detail::is_well_formed(view, level) != (neardup::count_invalid(view) == 0)) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_CASE("sequences of three bytes are told well-formed from ill-formed") {
  for (const instruction_set level : support::instruction_sets()) {
    // Sequences at the edge of two blocks, after ASCII and after a character of three bytes.
    const std::size_t step = oracle::effort(1, 7, 101);
    for (const std::string& before : {std::string(62, ' '), std::string(61, ' ').append("\u4e2d")}) {
      const std::size_t wrong = count_differences(level, 0x1000000 / step, [&](std::size_t round) {
        const std::size_t bytes = round * step;
        std::string text = before;
        for (int shift = 16; shift >= 0; shift -= 8) text += static_cast<char>(bytes >> shift & 0xff);
        return text;
      });
      INFO(neardup::to_string(level));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("sequences of four bytes are told well-formed from ill-formed wherever they stand") {
  // The lowest and the highest byte of each range of table 3-7.
  const std::vector<unsigned char> kinds{0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
                                         0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
  const std::size_t all = kinds.size() * kinds.size() * kinds.size() * kinds.size();
  const std::size_t step = oracle::effort(1, 7);
  oracle::random_engine random(1);
  for (const instruction_set level : support::instruction_sets()) {
    const std::size_t wrong = count_differences(level, all / step, [&](std::size_t round) {
      std::string text(random() % 130, 'x');
      std::size_t rest = round * step;
      for (int byte = 0; byte < 4; ++byte, rest /= kinds.size()) text += static_cast<char>(kinds[rest % kinds.size()]);
      text.append(random() % 70, 'y');
      return text;
    });
    INFO(neardup::to_string(level));
    CHECK(wrong == 0);
  }
}

TEST_CASE("one wrong byte in a long text of many scripts is found, and nothing where there is none") {
  const std::vector<std::string> characters{"a",      " ",      "\u00e9", "\u07ff",     "\u0800",    "\u4e2d",
                                            "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"};
  oracle::random_engine random(2);
  for (const instruction_set level : support::instruction_sets()) {
    std::size_t ill_formed = 0;
    const std::size_t rounds = oracle::effort(20000, 2000);
    const std::size_t wrong = count_differences(level, rounds, [&](std::size_t round) {
      std::string text;
      const std::size_t size = random() % 400;
      while (text.size() < size) text += characters[random() % characters.size()];
      if (round % 2 == 0 && !text.empty()) text[random() % text.size()] = static_cast<char>(random());
      if (round % 5 == 0) text.resize(text.size() - random() % (text.size() + 1) % 4);
      ill_formed += neardup::count_invalid(text) > 0 ? 1 : 0;
      return text;
    });
    INFO(neardup::to_string(level));
    CHECK(wrong == 0);
    CHECK(ill_formed > rounds / 5);
    CHECK(ill_formed < rounds * 4 / 5);
  }
}

TEST_CASE("code points begin where no byte continues one") {
  const std::vector<std::string> characters{"a", "\u00e9", "\u4e2d", "\U00010000"};
  oracle::random_engine random(3);
  for (const instruction_set level : support::instruction_sets()) {
    std::size_t wrong = 0;
    for (std::size_t round = 0; round < 2000; ++round) {
      std::string text;
      std::vector<std::uint32_t> expected;
      constexpr std::size_t blocks = 3;
      while (text.size() < blocks * neardup::detail::text_block_size) {
        expected.push_back(static_cast<std::uint32_t>(1000 + text.size()));
        text += characters[random() % (round % 4 + 1)];
      }
      text.resize(blocks * neardup::detail::text_block_size);
      std::vector<std::uint32_t> places((blocks + 1) * neardup::detail::text_block_size);
      places.resize(neardup::detail::find_code_points(text.data(), blocks, 1000, places.data(), level));
      if (places != expected) ++wrong;
    }
    INFO(neardup::to_string(level));
    CHECK(wrong == 0);
  }
}
