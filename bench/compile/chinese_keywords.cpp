// Keywords of Chinese text in an index. ./dev bench compile measures how long it takes to compile.
#include <neardup/neardup.hpp>
#include <neardup/text/chinese/chinese_words.hpp>

#include <iostream>
#include <memory>
#include <string>

int main(int count, char** arguments) {
  using namespace neardup;
  if (count < 2) return 2;
  const std::string folder = arguments[1];  // the folder of jieba
  const auto dictionary = std::make_shared<const word_dictionary>(word_dictionary::load(folder + "/dict.txt"));
  const auto model = std::make_shared<const unknown_word_model>(unknown_word_model::load(folder + "/finalseg"));
  const idf_table table = idf_table::load(folder + "/analyse/idf.txt");
  const without candidates{stop_words{}, chinese_words{dictionary, model}, 2};
  const simhasher hash{keywords{20, candidates, table}, tf_idf{table}};
  pigeonhole_index<64, 3, 5> index;
  for (int i = 2; i < count; ++i) {
    if (const auto fingerprint = hash(arguments[i])) index.insert(*fingerprint, static_cast<std::uint32_t>(i));
  }
  std::cout << index.size() << '\n';
}
