// Makes fingerprints of four texts, and groups within 10 of 64 bits. ./dev bench compile measures how long it takes to
// compile.
#include <neardup/dedup/cluster.hpp>
#include <neardup/fingerprint/defaults.hpp>

#include <iostream>
#include <map>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> documents = {
      "The ferry leaves the north pier at seven in the morning and returns at noon, every day but Sunday, from May on.",
      "A good stock begins with cold water, roasted bones, two carrots, an onion and enough time to reduce by a third.",
      "The ferry leaves the north pier at eight in the morning and returns at noon, every day but Sunday, from May on.",
      "the ferry leaves the north pier at seven in the morning and returns at noon (every day but Sunday) from May on!",
  };
  std::vector<neardup::simhash<64>> fingerprints;
  for (const std::string& document : documents) fingerprints.push_back(neardup::simhash_of(document).value());

  const auto label = neardup::cluster(fingerprints, neardup::bits{10});
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < label.size(); ++i) groups[label[i]].push_back(i);
  for (const auto& [first, members] : groups) {
    std::cout << members.size() << " of a kind:";
    for (const std::size_t member : members) std::cout << ' ' << member;
    std::cout << '\n';
  }
}
