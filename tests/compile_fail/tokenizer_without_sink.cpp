// A callable of a text alone is no tokenizer: one sentence says what is.
// expect: the first part is a tokenizer
// errors: 1
#include <string_view>

#include <neardup/fingerprint.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const auto lines = [](std::string_view text, auto&& sink) { sink(text); };
#else
  const auto lines = [](std::string_view) {};
#endif
  const neardup::simhasher hash{lines};
  return hash("text") ? 0 : 1;
}
