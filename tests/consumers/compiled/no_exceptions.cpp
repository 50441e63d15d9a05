// Compiled with -fno-exceptions: does not link with a library that has exceptions, whatever it uses of it.
#include <neardup/text/stop_words.hpp>

int main() { return 0; }
