// expect: an index of Bits bits holds simhash<Bits> or minwise<Bits>
#include <neardup/storage.hpp>

#ifdef NEARDUP_COMPILES
using fingerprint = neardup::minwise<64>;
#else
using fingerprint = neardup::minwise<32>;
#endif

void look(const neardup::index_view<64, unsigned, unsigned, fingerprint>& view) { static_cast<void>(view.size()); }
