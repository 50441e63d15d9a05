// Random texts with mixed scripts, marks, separators and ill-formed UTF-8, reproducible in every run.
#pragma once

#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "oracle/random_engine.hpp"

namespace oracle {

class random_texts {
 public:
  explicit random_texts(std::mt19937::result_type seed) : generator_(seed + seed_shift()) {}

  /// A text of `pieces` characters or fragments. Some texts are well-formed, some have few distinct letters.
  std::string next(std::size_t pieces) {
    using namespace std::string_view_literals;
    // Letters of one to four bytes; letters whose lower case has another length; marks; spaces; other separators.
    static constexpr std::string_view well_formed[] = {"a"sv,
                                                       "b"sv,
                                                       "c"sv,
                                                       "A"sv,
                                                       "B"sv,
                                                       "Z"sv,
                                                       "7"sv,
                                                       " "sv,
                                                       " "sv,
                                                       "."sv,
                                                       "_"sv,
                                                       "'"sv,
                                                       "\n"sv,
                                                       "\0"sv,
                                                       "\x1f"sv,
                                                       "\u00e9"sv,
                                                       "\u00c9"sv,
                                                       "\u00df"sv,
                                                       "\u1e9e"sv,
                                                       "\u0130"sv,
                                                       "\u023a"sv,
                                                       "\u212a"sv,
                                                       "\u03a9"sv,
                                                       "\u0416"sv,
                                                       "\u0301"sv,
                                                       "\u0308"sv,
                                                       "\ufe0f"sv,
                                                       "\U000e0100"sv,
                                                       "\u05d0"sv,
                                                       "\u0628"sv,
                                                       "\u0650"sv,
                                                       "\u0663"sv,
                                                       "\u0915"sv,
                                                       "\u093f"sv,
                                                       "\u094d"sv,
                                                       "\u0e01"sv,
                                                       "\u0e31"sv,
                                                       "\u0e48"sv,
                                                       "\u0e40"sv,
                                                       "\u3042"sv,
                                                       "\u30ab"sv,
                                                       "\u30fc"sv,
                                                       "\u3099"sv,
                                                       "\u4e2d"sv,
                                                       "\u6587"sv,
                                                       "\u3005"sv,
                                                       "\U00020000"sv,
                                                       "\uac00"sv,
                                                       "\u3002"sv,
                                                       "\u3000"sv,
                                                       "\u2019"sv,
                                                       "\U0001f600"sv,
                                                       "\u200d"sv,
                                                       "\ufffd"sv,
                                                       "\ufeff"sv,
                                                       "\U00010400"sv,
                                                       "#"sv,
                                                       "*"sv,
                                                       "\u20e3"sv,
                                                       "\u00ad"sv,
                                                       "\u203c"sv,
                                                       "\u2764\ufe0f"sv,
                                                       "\U0001f469\u200d"sv,
                                                       "\U0001f3fd"sv,
                                                       "\U0001f1e9"sv,
                                                       "\U0001f1ea"sv,
                                                       "\U0001f3f4"sv,
                                                       "\U000e0067"sv,
                                                       "#\ufe0f\u20e3"sv};
    // Incomplete sequences, stray bytes, overlong forms, surrogates, and code points beyond U+10FFFF.
    static constexpr std::string_view parts[] = {
        "\xc3"sv, "\xe4"sv, "\xe4\xb8"sv, "\xf0"sv,         "\xf0\x9f"sv, "\xf0\x9f\x98"sv, "\xe0\xb8"sv,    "\x80"sv,
        "\xbf"sv, "\xff"sv, "\xc0\x80"sv, "\xed\xa0\x80"sv, "\xf5"sv,     "\xf4\x90"sv,     "\xe0\x80\x80"sv};
    const std::size_t kinds = generator_() % 4 == 0 ? 8 : std::size(well_formed);
    const bool ill_formed = generator_() % 3 != 0;
    std::string text;
    for (; pieces > 0; --pieces) {
      const bool part = ill_formed && generator_() % 4 == 0;
      text += part ? parts[generator_() % std::size(parts)] : well_formed[generator_() % kinds];
    }
    return text;
  }

  /// Runs of words, Chinese with punctuation, letters beyond ASCII and others, longer than blocks.
  std::string next_runs(std::size_t size) {
    using namespace std::string_view_literals;
    static constexpr std::string_view runs[] = {"a"sv,
                                                "Word"sv,
                                                "THE QUICK, brown fox. "sv,
                                                " -- "sv,
                                                "42"sv,
                                                "\u4e2d\u6587"sv,
                                                "\uff0c"sv,
                                                "\u3002"sv,
                                                "\u201c"sv,
                                                "\u3000"sv,
                                                "\u9fff\u4e00"sv,
                                                "\u4dc0"sv,
                                                "\uff21"sv,
                                                "\u3005"sv,
                                                "\u00c9t\u00e9"sv,
                                                "\u00d7"sv,
                                                "\u00a7"sv,
                                                "\u00b5"sv,
                                                "\u00ba"sv,
                                                "\u041f\u0440"sv,
                                                "\u0301"sv,
                                                "\U00020000"sv,
                                                "\U0001f600"sv,
                                                "\u023a"sv,
                                                "\u00ad"sv,
                                                "\u200b"sv,
                                                "\u203c"sv,
                                                "\u2764\ufe0f"sv,
                                                "\U0001f469\u200d\u2764"sv,
                                                "\U0001f1e9\U0001f1ea"sv,
                                                "#\ufe0f\u20e3"sv,
                                                "3\ufe0f\u20e3"sv,
                                                " "sv,
                                                "."sv,
                                                "\xe4\xb8"sv,
                                                "\xff"sv,
                                                "\xe2\x80"sv,
                                                "\xc3"sv};
    const std::size_t kinds = below(3) == 0 ? 5 : below(2) == 0 ? 12 : std::size(runs);
    std::string text;
    while (text.size() < size) {
      const std::string_view run = runs[below(kinds)];
      for (std::size_t times = 1 + below(below(4) == 0 ? 40 : 3); times > 0; --times) text += run;
    }
    return text;
  }

  std::size_t below(std::size_t end) { return generator_() % end; }

 private:
  std::mt19937 generator_;
};

}  // namespace oracle
