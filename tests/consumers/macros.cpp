// Names that other people's headers define as macros (<windows.h>, <complex.h>) do not break ours.
#ifdef AFTER_STANDARD_LIBRARY
#include <bits/stdc++.h>
#include <xxhash.h>
#endif

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define I (broken by a macro)
#define small (broken by a macro)
#define near (broken by a macro)
#define far (broken by a macro)
#define interface (broken by a macro)
#define IN (broken by a macro)
#define OUT (broken by a macro)
#define ERROR (broken by a macro)
#define DELETE (broken by a macro)
#define OVERFLOW (broken by a macro)
#define DOMAIN (broken by a macro)

#include <neardup/neardup.hpp>

int main() { return neardup::near_duplicates("one two three", "One, two, three!") ? 0 : 1; }
