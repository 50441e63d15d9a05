// README.md's first program: four texts in groups, by their features.
#include <iostream>
#include <neardup/dedup/texts.hpp>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> texts = {
      "The ferry leaves the north pier at seven in the morning and returns at noon, every day but Sunday, from May on.",
      "A good stock begins with cold water, roasted bones, two carrots, an onion and enough time to reduce by a third.",
      "The ferry leaves the north pier at eight in the morning and returns at noon, every day but Sunday, from May on.",
      "the ferry leaves the north pier at seven in the morning and returns at noon (every day but Sunday) from May "
      "on!"};
  const auto label = neardup::group(texts, neardup::jaccard{0.8});
  for (std::size_t i = 0; i < texts.size(); ++i) std::cout << "text " << i << " -> text " << label[i] << '\n';
}
