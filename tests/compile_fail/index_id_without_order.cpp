// expect: an Id must be .*ordered: write
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
#include <compare>
struct document {
  int number;
  auto operator<=>(const document&) const = default;
};
neardup::pigeonhole_index<64, 3, 4, document> wrong;
#else
struct document {
  int number;
  bool operator==(const document&) const = default;
};
neardup::pigeonhole_index<64, 3, 4, document> wrong;
#endif
