// Finds the long documents that contain a clue of one or two sentences, or a variant of the clue. Each sentence of a
// document is indexed, with the number of the document as id. (The command `neardup find` compares whole texts, or uses
// an index of their pairs of words, and finds more.) `find_by_clue DOCUMENTS CLUES` reads documents and clues from
// files, in which each text ends with a zero byte. For each clue, it prints the numbers of at most ten documents.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <neardup/neardup.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

class sentence_index {
 public:
  void add(std::uint32_t document, std::string_view text) {
    for_each_fingerprint(text, [&](const neardup::simhash<64>& sentence) { index_.insert(sentence, document); });
  }

  // Returns the documents with sentences near those of `clue`: most such sentences first, then least sum of distances.
  [[nodiscard]] std::vector<std::uint32_t> find(std::string_view clue, int k) const {
    std::map<std::uint32_t, std::pair<int, int>> found;  // (minus number of sentences, sum of distances)
    for_each_fingerprint(clue, [&](const neardup::simhash<64>& sentence) {
      std::map<std::uint32_t, int> nearest;
      for (const auto& match : index_.search(sentence, k)) nearest.emplace(match.id, match.distance);
      for (const auto& [document, distance] : nearest) {
        --found[document].first;
        found[document].second += distance;
      }
    });
    std::vector<std::uint32_t> ranked;
    for (const auto& [document, score] : found) ranked.push_back(document);
    std::stable_sort(ranked.begin(), ranked.end(), [&](auto a, auto b) { return found.at(a) < found.at(b); });
    return ranked;
  }

 private:
  template <class Visit>
  void for_each_fingerprint(std::string_view text, const Visit& visit) const {
    neardup::sentences{}(text, [&](std::string_view sentence) {
      if (const auto fingerprint = hash_(sentence)) visit(*fingerprint);
    });
  }

  neardup::simhasher<neardup::normalised<neardup::words>> hash_;  // features of single characters tolerate changes best
  neardup::pigeonhole_index<64, 12> index_;
};

std::vector<std::string> texts_in(const char* path) {
  std::vector<std::string> texts;
  std::ifstream file(path, std::ios::binary);
  for (std::string text; std::getline(file, text, '\0');) texts.push_back(text);
  return texts;
}

void print_found(const sentence_index& index, std::string_view clue, std::size_t most) {
  for (const std::uint32_t document : index.find(clue, 12)) {
    if (most-- == 0) break;
    std::cout << ' ' << document;
  }
  std::cout << '\n';
}

}  // namespace

int main(int count, char** words) {
  sentence_index index;
  if (count == 3) {
    std::uint32_t number = 0;
    for (const std::string& text : texts_in(words[1])) index.add(number++, text);
    for (const std::string& clue : texts_in(words[2])) print_found(index, clue, 10);
    return EXIT_SUCCESS;
  }
  index.add(0,
            "北冥有鱼，其名为鲲。鲲之大，不知其几千里也；化而为鸟，其名为鹏。鹏之背，不知其几千里也。怒而飞，其翼若垂天"
            "之云。");
  index.add(1,
            "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？吾日三省吾身，为人谋而不忠乎？");
  index.add(
      2,
      "天下皆知美之为美，斯恶已。皆知善之为善，斯不善已。有无相生，难易相成，长短相形，高下相盈，音声相和，前后相随。");

  bool all_found = true;
  const auto ask = [&](std::string_view clue, std::uint32_t expected) {
    const std::vector<std::uint32_t> found = index.find(clue, 12);
    std::cout << clue << " ->";
    for (const std::uint32_t document : found) std::cout << ' ' << document;
    std::cout << '\n';
    all_found = all_found && !found.empty() && found.front() == expected;
  };
  ask("有朋自远方来，不亦乐乎？", 1);                                    // unchanged
  ask("有无相生，难易相成，长短相较，高下相倾，音声相和，前后相随", 2);  // two characters changed
  ask("鲲之大，不知几千里也", 0);                                        // one character left out
  return all_found ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: -> 1
// prints: -> 2
// prints: -> 0
