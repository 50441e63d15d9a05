#include <cstdio>
#include <neardup/neardup.hpp>

int main() {
  const auto fingerprint = neardup::simhash_of("a package of near duplicates");
  if (!fingerprint) return 1;
  neardup::pigeonhole_index<64> index;
  index.insert(*fingerprint, 7);
  const auto matches = index.search(*fingerprint);
  std::printf("neardup %s: %s\n", NEARDUP_VERSION_STRING, fingerprint->to_hex().c_str());
  return matches.size() == 1 && matches.front().id == 7 ? 0 : 1;
}
