// expect: save.. writes a pigeonhole_index.*guarded.read
// errors: 1
#include <neardup/neardup.hpp>

#ifdef NEARDUP_COMPILES
void keep(const neardup::guarded<neardup::flat_index<64>>& index) {
  index.read([](const auto& inner) { neardup::save("index", inner, {}); });
}
#else
void keep(const neardup::guarded<neardup::flat_index<64>>& index) { neardup::save("index", index, {}); }
#endif
