// A program with one deduplicator. ./dev bench compile measures how long it takes to compile.
#include <neardup/dedup/deduplicator.hpp>

#include <iostream>

int main() {
  neardup::deduplicator dedup{neardup::jaccard{0.8}};
  std::cout << dedup.add("the ferry leaves at seven in the morning").is_new() << '\n';
}
