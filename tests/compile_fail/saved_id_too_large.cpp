// expect: an id that is saved has at most 255 bytes
// errors: 1
#include <neardup/storage.hpp>

#ifdef NEARDUP_COMPILES
using name = std::array<char, 255>;
#else
using name = std::array<char, 256>;
#endif

void keep(const neardup::flat_index<64, name>& index) { neardup::save("index", index, {}); }
