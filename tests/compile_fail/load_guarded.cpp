// expect: load.. gives a pigeonhole_index, flat_index or frozen_index
// errors: 1
#include <neardup/neardup.hpp>

#ifdef NEARDUP_COMPILES
using kept = neardup::flat_index<64>;
#else
using kept = neardup::guarded<neardup::flat_index<64>>;
#endif

void open() { static_cast<void>(neardup::load<kept>("index")); }
