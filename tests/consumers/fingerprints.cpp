// This program only shows that a build finds the library, and uses the right flags. The headers of fingerprints compile
// in a third of the time of all headers, which main.cpp includes.
#include <cstdio>
#include <neardup/fingerprint.hpp>
#include <string_view>

int main() {
  constexpr std::string_view text = "The quick brown fox jumps over the lazy dog, again and again and again.";
  if (!neardup::near_duplicates(text, "the quick brown fox jumps over the lazy dog, AGAIN and again and again!"))
    return 1;
  if (neardup::near_duplicates(text, "Something else altogether: a text about the weather in the mountains.")) return 2;
  std::printf("neardup %s\n", NEARDUP_VERSION_STRING);
  return 0;
}
