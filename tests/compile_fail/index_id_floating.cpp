// expect: an Id must be .*not be a floating-point number
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::flat_index<64, long> wrong;
#else
neardup::flat_index<64, double> wrong;
#endif
