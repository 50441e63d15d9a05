// Of a weighter that inherits one form and adds another, nobody can tell which one is meant.
// expect: this weighter has several forms, one of which it may inherit
// errors: 1
#include <cstdint>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#ifdef NEARDUP_COMPILES
struct at_most_three {
#else
struct at_most_three : neardup::tf {
#endif
  double operator()(std::uint64_t count) const { return count < 3 ? static_cast<double>(count) : 3; }
};

int main() {
  const neardup::simhasher hash{neardup::words{}, at_most_three{}};
  return hash("text") ? 0 : 1;
}
