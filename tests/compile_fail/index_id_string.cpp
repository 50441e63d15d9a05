// expect: an Id must be trivially copyable.*number them
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<64, 3, 4, char> wrong;
#else
#include <string>
neardup::pigeonhole_index<64, 3, 4, std::string> wrong;
#endif
