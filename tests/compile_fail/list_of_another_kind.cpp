// expect: no (matching|viable)|could not convert|no known conversion
#include <neardup/storage.hpp>

#ifdef NEARDUP_COMPILES
using fingerprint = neardup::minwise<64>;
#else
using fingerprint = neardup::simhash<64>;
#endif

void keep(const std::vector<neardup::list_entry<64, neardup::minwise<64>>>& entries) {
  neardup::save_list<64, fingerprint>("list", entries, {.kind = neardup::fingerprint_kind::minwise});
}
