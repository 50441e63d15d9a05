// A program with one index. ./dev bench compile measures how long it takes to compile.
#include <neardup/index/pigeonhole_index.hpp>

#include <iostream>

int main() {
  neardup::pigeonhole_index<64> index;
  index.insert(neardup::simhash<64>(7), 1);
  for (const auto& match : index.search(neardup::simhash<64>(6))) std::cout << match.id << '\n';
}
