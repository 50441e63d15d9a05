// expect: ids that are saved are numbers, or structs without padding
// errors: 1
#include <neardup/storage.hpp>

struct id {
#ifdef NEARDUP_COMPILES
  unsigned long long shard, number;
#else
  char shard;
  long long number;
#endif
  friend auto operator<=>(const id&, const id&) = default;
};

void keep(const neardup::flat_index<64, id>& index) { neardup::save("index", index, {}); }
