// Some headers of other libraries (<windows.h>, <complex.h>) define macros whose names the library uses, too. The
// library must still compile. Each macro becomes a word that tests/consumers/run looks for. The standard library is
// included first, because its headers undefine min and max.
#include <bits/stdc++.h>
#include <xxhash.h>

#define min(...) broken_by_a_macro
#define max(...) broken_by_a_macro
#define I broken_by_a_macro
#define small broken_by_a_macro
#define near broken_by_a_macro
#define far broken_by_a_macro
#define interface broken_by_a_macro
#define IN broken_by_a_macro
#define OUT broken_by_a_macro
#define ERROR broken_by_a_macro
#define DELETE broken_by_a_macro
#define OVERFLOW broken_by_a_macro
#define DOMAIN broken_by_a_macro

#include <neardup/neardup.hpp>

int main() { return neardup::near_duplicates("one two three", "One, two, three!") ? 0 : 1; }
