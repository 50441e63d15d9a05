// Compares two texts by the distance of their fingerprints.
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string_view>

int main() {
  constexpr std::string_view original =
      "We hold these truths to be self-evident, that all men are created equal, that they are endowed by their Creator "
      "with certain unalienable Rights, that among these are Life, Liberty and the pursuit of Happiness.";
  constexpr std::string_view shouted =
      "WE HOLD THESE TRUTHS TO BE SELF-EVIDENT: that all men are created equal; that they are endowed by their Creator "
      "with certain unalienable rights; that among these are life, liberty, and the pursuit of happiness!";
  constexpr std::string_view edited =
      "We hold these truths to be self-evident, that all men are created equal, that they are endowed by their Creator "
      "with certain inalienable Rights, that among these are Life, Liberty and the pursuit of Happiness.";
  constexpr std::string_view unrelated =
      "When in the Course of human events, it becomes necessary for one people to dissolve the political bands which "
      "have connected them with another, a decent respect to the opinions of mankind requires that they declare it.";

  // The result is an optional, because a text without words has no fingerprint.
  const auto a = neardup::simhash_of(original);
  const auto b = neardup::simhash_of(shouted);
  const auto c = neardup::simhash_of(edited);
  const auto d = neardup::simhash_of(unrelated);
  if (!a || !b || !c || !d || neardup::simhash_of("?!")) return EXIT_FAILURE;

  const int same_words = hamming_distance(*a, *b);
  const int one_word_changed = hamming_distance(*a, *c);
  const int other_text = hamming_distance(*a, *d);
  std::cout << "fingerprint: " << a->to_hex() << '\n'
            << "other case and punctuation: " << same_words << " bits of 64 differ\n"
            << "one word of 36 changed: " << one_word_changed << " bits\n"
            << "another text: " << other_text << " bits\n";

  // The default limit of 3 bits is for whole pages. A text as short as this needs a larger limit.
  const bool strict = neardup::near_duplicates(original, edited);
  const bool wide = neardup::near_duplicates(original, edited, 10);
  std::cout << "near-duplicates within 3 bits: " << (strict ? "yes" : "no") << ", within 10: " << (wide ? "yes" : "no")
            << '\n';
  return same_words == 0 && wide && other_text > 20 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: fingerprint: ea484659474d2162
// prints: other case and punctuation: 0 bits of 64 differ
// prints: one word of 36 changed: 7 bits
// prints: another text: 28 bits
// prints: near-duplicates within 3 bits: no, within 10: yes
