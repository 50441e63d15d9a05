// expect: a visitor returns nothing .it sees everything. or bool
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
void look(const neardup::pigeonhole_index<64>& index) {
  index.for_each_match(neardup::simhash<64>(), 3, [](const auto&) { return true; });
}
#else
void look(const neardup::pigeonhole_index<64>& index) {
  index.for_each_match(neardup::simhash<64>(), 3, [](const auto&) { return 1; });
}
#endif
