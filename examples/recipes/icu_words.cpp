// A tokenizer that cuts words by ICU's rules and dictionaries. Any segmenter can become a tokenizer in this way, as a
// callable. Needs ICU (libicu-dev).
#include <unicode/brkiter.h>
#include <unicode/unistr.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <neardup/neardup.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

// Many threads may call a tokenizer at once. An iterator of ICU belongs to one thread, so each call makes an iterator.
struct icu_words {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    UErrorCode error = U_ZERO_ERROR;
    const std::unique_ptr<icu::BreakIterator> words(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), error));
    if (U_FAILURE(error) != 0) throw std::runtime_error(u_errorName(error));
    const auto whole =
        icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    words->setText(whole);
    std::string token;
    for (std::int32_t begin = words->first(), end = words->next(); end != icu::BreakIterator::DONE;
         begin = end, end = words->next()) {
      if (words->getRuleStatus() < UBRK_WORD_NONE_LIMIT) continue;  // blanks and punctuation
      token.clear();
      whole.tempSubStringBetween(begin, end).toUTF8String(token);
      sink(std::string_view(token));
    }
  }
};
static_assert(neardup::tokenizer<icu_words>);

}  // namespace

int main() {
  const std::string text = "研究生命的起源, the origin of life; ชีวิตคืออะไร";
  icu_words{}(text, [](std::string_view token) { std::cout << token << '|'; });
  std::cout << '\n';
  const neardup::simhasher hash{neardup::shingles{2, neardup::folded{icu_words{}}}};
  const auto a = hash(text), b = hash("研究生命的起源。THE ORIGIN OF LIFE\nชีวิตคืออะไร");
  std::cout << "distance " << neardup::hamming_distance(*a, *b) << '\n';
  return a == b ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: the|origin|of|life|
// prints: distance 0
