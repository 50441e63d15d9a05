// A number is no fingerprint unless one says so: an id in its place should not compile.
// expect: (conversion from .* to non-scalar type|no viable conversion)
#include <cstdint>

#include <neardup/simhash.hpp>

int main() {
  const std::uint64_t id = 7;
#ifdef NEARDUP_COMPILES
  const neardup::simhash<64> fingerprint(id);
#else
  const neardup::simhash<64> fingerprint = id;
#endif
  return fingerprint.test(0) ? 0 : 1;
}
