// Names that other people's headers define as macros (<windows.h>, <complex.h>) do not break ours.
#ifdef AFTER_STANDARD_LIBRARY
#include <bits/stdc++.h>
#include <xxhash.h>
#endif

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define I (broken by a macro)
#define small (broken by a macro)

#include <neardup/neardup.hpp>

int main() { return neardup::near_duplicates("one two three", "One, two, three!") ? 0 : 1; }
