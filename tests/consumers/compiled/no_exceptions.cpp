// This file is compiled with -fno-exceptions. It must not link with a library that has exceptions.
#include <neardup/fingerprint/idf_table.hpp>

int main() { return 0; }
