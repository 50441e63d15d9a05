// Shows tokenizers and weighters. Their choice defines a fingerprint.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <string_view>

namespace {

template <neardup::tokenizer Tokenizer>
std::string tokens(const Tokenizer& tokenizer, std::string_view text) {
  std::string line;
  tokenizer(text, [&](std::string_view token) { line.append("[").append(token).append("]"); });
  std::replace(line.begin(), line.end(), neardup::shingle_separator, '_');
  return line;
}

template <class Weighter>
int distance(const Weighter& weighter, std::string_view a, std::string_view b) {
  const neardup::simhasher hash{neardup::normalised{neardup::words{}}, weighter};
  return hamming_distance(hash(a).value(), hash(b).value());
}

}  // namespace

int main() {
  using namespace neardup;
  constexpr std::string_view text = "Ça va? 你好，C++ 20";
  std::cout << "words:      " << tokens(words{}, text) << '\n'
            << "normalised: " << tokens(normalised{words{}}, text) << '\n'
            << "shingles:   " << tokens(shingles{2, normalised{words{}}}, text) << '\n'
            << "characters: " << tokens(normalised{code_point_ngrams{3}}, text) << '\n';

  // Two reports that have only a line of boilerplate in common. Each report repeats this line.
  std::string first = "Harvest of wheat rose in the northern provinces after a mild and rainy spring. ";
  std::string second = "Our new tram line opens on Monday; tickets bought last year stay valid until autumn. ";
  for (int i = 0; i < 20; ++i) {
    first += "All rights reserved. ";
    second += "All rights reserved. ";
  }
  const int by_tf = distance(tf{}, first, second);
  const int by_log_tf = distance(log_tf{}, first, second);
  const int by_unit = distance(unit{}, first, second);
  std::cout << "each occurrence counts (tf): " << by_tf << " bits apart\n"
            << "1 + ln count (log_tf): " << by_log_tf << " bits apart\n"
            << "each distinct word counts once (unit): " << by_unit << " bits apart\n";
  return by_tf < by_log_tf && by_log_tf < by_unit ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: words:      [Ça][va][你][好][C][20]
// prints: normalised: [ça][va][你][好][c][20]
// prints: shingles:   [ça_va][va_你][你_好][好_c][c_20]
// prints: characters: [ça ][a v][ va][va你][a你好][你好c][好c ][c 2][ 20]
// prints: each occurrence counts (tf): 0 bits apart
// prints: 1 + ln count (log_tf): 13 bits apart
// prints: each distinct word counts once (unit): 23 bits apart
