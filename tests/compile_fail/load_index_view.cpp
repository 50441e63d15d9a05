// expect: an index_view is not loaded, it looks into the file
// errors: 1
#include <neardup/storage.hpp>

#ifdef NEARDUP_COMPILES
auto open() { return neardup::index_view<64>(neardup::mapped_file("index")); }
#else
auto open() { return neardup::load<neardup::index_view<64>>("index"); }
#endif
