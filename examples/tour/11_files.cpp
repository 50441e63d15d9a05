// Groups near-duplicate files. The first file of a group represents the group: the feature sets of the first file and
// of each other file have a Jaccard similarity of at least .8.
// Arguments: names of files. Without arguments the program groups three texts of its own.

#include <neardup/dedup/group_sets.hpp>
#include <neardup/fingerprint/defaults.hpp>
#include <neardup/fingerprint/feature_extractor.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  std::vector<std::string> names(arguments + 1, arguments + count);
  neardup::feature_extractor<neardup::default_tokenizer> extract;
  neardup::feature_sets<> sets;
  for (const std::string& name : names) {
    std::ifstream file(name, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) {
      std::cerr << "cannot read " << name << '\n';
      return EXIT_FAILURE;
    }
    sets.add(extract(text));
  }
  if (names.empty()) {
    for (const char* name : {"first", "second", "third"}) names.emplace_back(name);
    sets.add(extract("The ferry leaves the north pier at seven in the morning and returns at noon, except on Sunday."));
    sets.add(
        extract("A good stock begins with cold water, two carrots, an onion, and enough time to reduce by a third."));
    sets.add(
        extract("the ferry leaves the north pier at seven in the morning, and returns at noon (except on Sunday)"));
  }

  const std::vector<std::uint32_t> label = neardup::group(sets, neardup::jaccard{0.8});
  std::map<std::uint32_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < label.size(); ++i) groups[label[i]].push_back(i);
  for (const auto& [first, members] : groups) {
    if (members.size() < 2) continue;
    std::cout << members.size() << " files:";
    for (const std::size_t member : members) std::cout << ' ' << names[member];
    std::cout << '\n';
  }
}
// prints: 2 files: first third
