// This file is compiled with -fno-exceptions. It must not link with a library that has exceptions.
#include <neardup/text/stop_words.hpp>

int main() { return 0; }
