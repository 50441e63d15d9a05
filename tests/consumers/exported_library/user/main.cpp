#include <duplicates.hpp>
#if __has_include(<neardup/simhash.hpp>)
#include <neardup/simhash.hpp>  // through the library's package
static_assert(neardup::simhash<64>() == neardup::simhash<64>());
#endif

int main() {
  return same_text("The ferry leaves the north pier at seven.", "the ferry leaves the north pier at SEVEN") &&
                 !same_text("The ferry leaves the north pier at seven.", "A good stock begins with cold water.")
             ? 0
             : 1;
}
