// expect: save.. writes a pigeonhole_index.*of a class of your own, save the index that it keeps
// errors: 1
#include <neardup/storage.hpp>

#ifdef NEARDUP_COMPILES
struct kept : neardup::flat_index<64> {};
#else
struct kept : private neardup::flat_index<64> {
  using neardup::flat_index<64>::begin;
  using neardup::flat_index<64>::end;
};
#endif

void keep(const kept& index) { neardup::save("index", index, {}); }
