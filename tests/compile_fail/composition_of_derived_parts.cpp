// What is derived from a part may do something else, so it must not take the part's name.
// expect: no name is known for this part of a composition
// expect: this part inherits description\(\) from another part, whose name it must not take
// expect: composition_of takes a simhasher, a minwise_hasher or a feature_extractor itself, and nothing that is derived from one
// errors: 3
#include <cstdint>
#include <string>
#include <string_view>

#include <neardup/fingerprint.hpp>
#include <neardup/storage.hpp>
#include <neardup/text.hpp>

struct own_idf : neardup::idf {
  using idf::idf;
  neardup::weight operator()(std::string_view /*token*/, std::uint64_t /*count*/) const { return {}; }
#ifdef NEARDUP_COMPILES
  std::string description() const { return "own_idf"; }
#endif
};

struct own_words {
  std::string description() const { return "own_words"; }
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    sink(text);
  }
};

struct other_words : own_words {
#ifdef NEARDUP_COMPILES
  std::string description() const { return "other_words"; }
#endif
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    sink(text.substr(1));
  }
};

#ifdef NEARDUP_COMPILES
using own_hasher = neardup::simhasher<neardup::words>;
#else
struct own_hasher : neardup::simhasher<neardup::words> {};
#endif

int main() {
  const auto weights = composition_of(neardup::simhasher{neardup::words{}, own_idf{neardup::idf_table{}}});
  const auto tokens = composition_of(neardup::simhasher{other_words{}});
  const auto whole = composition_of(own_hasher{});
  return weights == tokens || tokens == whole ? 1 : 0;
}
