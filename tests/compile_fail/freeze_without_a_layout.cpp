// expect: this index has no layout .* write freeze.index, k, blocks
// errors: 1
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
auto frozen(const neardup::flat_index<64>& index) { return neardup::freeze(index, 3, 4); }
#else
auto frozen(const neardup::flat_index<64>& index) { return neardup::freeze(index); }
#endif
