// If this file is compiled with -fno-exceptions, it must not link with a library that has exceptions, and the other way
// round.
#include <neardup/fingerprint/idf_table.hpp>

int main() { return 0; }
