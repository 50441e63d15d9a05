// A stream would go by what is inherited: the tokens of the base, and the fingerprints of the base.
// expect: this tokenizer takes whole texts; give it a member `std::size_t cut
// expect: text_stream takes a simhasher or a minwise_hasher itself
// errors: 2
#include <string_view>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#ifdef NEARDUP_COMPILES
using own_words = neardup::normalised<neardup::words>;
using own_hasher = neardup::simhasher<neardup::words>;
#else
struct own_words : neardup::normalised<neardup::words> {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    sink(text);
  }
};
struct own_hasher : neardup::simhasher<neardup::words> {};
#endif

int main() {
  neardup::text_stream tokens{neardup::simhasher{own_words{}}};
  neardup::text_stream whole{own_hasher{}};
  tokens.feed("text");
  whole.feed("text");
  return tokens.finish() && whole.finish() ? 0 : 1;
}
