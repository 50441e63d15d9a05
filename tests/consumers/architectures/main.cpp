#include <cstdio>

#include "part.hpp"

int main() {
  const auto a = first();
  const auto b = second();
  std::printf("%zu values\n", a.size());
  return !a.empty() && a == b ? 0 : 1;
}
