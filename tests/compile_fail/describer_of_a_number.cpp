// expect: a number behind the hasher of a describer is how many tokens make a text long, and has to be a std::size_t
// errors: 1
#include <neardup/dedup/describer.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#ifdef NEARDUP_COMPILES
constexpr std::size_t min_tokens = 5;
#else
constexpr int min_tokens = 5;
#endif

int main() { const neardup::describer describe(neardup::simhasher{neardup::words{}}, min_tokens); }
