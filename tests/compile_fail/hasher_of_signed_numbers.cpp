// A hash is bits, not a number with a sign.
// expect: the third part is a hasher
// errors: 1
#include <string_view>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const auto length = [](std::string_view token) { return token.size(); };
#else
  const auto length = [](std::string_view token) { return static_cast<int>(token.size()); };
#endif
  const neardup::simhasher hash{neardup::words{}, neardup::unit{}, length};
  return hash("text") ? 0 : 1;
}
