// -fno-exceptions -fno-rtti: a call that would throw ends in the handler.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <neardup/neardup.hpp>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "compile with -fno-exceptions -fno-rtti"
#endif

int main() {
  neardup::pigeonhole_index<64, 3> index;
  index.insert(neardup::simhash<64>{42}, 1);
  if (index.search(neardup::simhash<64>{43}).size() != 1) return 1;

  neardup::set_failure_handler([](const char* message) {
    std::printf("handled: %s\n", message);
    std::exit(0);
  });
  (void)index.search(neardup::simhash<64>{43}, 4);  // more than K
  return 2;
}
