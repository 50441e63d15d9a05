// expect: no (matching|viable)|cannot convert|could not convert|no known conversion
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
bool look(const neardup::pigeonhole_index_of<neardup::minwise<64>>& index) {
  return index.contains(neardup::minwise<64>());
}
#else
bool look(const neardup::pigeonhole_index_of<neardup::minwise<64>>& index) {
  return index.contains(neardup::simhash<64>());
}
#endif
