// A callable cannot be fed in chunks unless someone says how.
// expect: this tokenizer takes whole texts; give it a member `std::size_t cut
// errors: 1
#include <string_view>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
  const auto whole = [](std::string_view text, auto&& sink) { sink(text); };
#ifdef NEARDUP_COMPILES
  const neardup::simhasher hash{whole};
  return hash("text") ? 0 : 1;
#else
  neardup::text_stream stream{neardup::simhasher{whole}};
  stream.feed("text");
  return stream.finish() ? 0 : 1;
#endif
}
