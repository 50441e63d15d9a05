// A fingerprint of 256 bits from a hash of 128: half of it would be made up.
// expect: the hasher is narrower than the fingerprint
// errors: 1
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  const auto hash = neardup::make_simhasher<128>(neardup::words{}, neardup::unit{}, neardup::xxh3<128>{});
#else
  const auto hash = neardup::make_simhasher<256>(neardup::words{}, neardup::unit{}, neardup::xxh3<128>{});
#endif
  return hash("text") ? 0 : 1;
}
