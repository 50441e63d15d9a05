// A fraction would be cut off: seconds of a double would all be the same time.
// expect: ids and times are whole numbers
// errors: 1
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
constexpr std::int64_t now = 3;
#else
constexpr double now = 3.5;
#endif

bool is_new(neardup::stream_deduplicator<neardup::deduplicator<>>& seen) {
  return seen.add("a text", 1, now).is_new() &&
         seen.add_batch(std::vector<std::string>{}, {}, {}, {.now = now}).empty();
}
