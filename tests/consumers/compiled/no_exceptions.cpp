// Compiled with -fno-exceptions: does not link with a library that has exceptions.
#include <neardup/index/pigeonhole_index.hpp>

int main() { return static_cast<int>(neardup::pigeonhole_index<64>().size()); }
