// The pipeline that articles describe for Chinese pages: segmentation, TF-IDF, the top keywords, a 64-bit fingerprint,
// distance 3. A real program loads jieba's files dict.txt, finalseg/ and idf.txt. This program has a few words and
// their frequencies in strings instead.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <neardup/neardup.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <string>
#include <vector>

int main() {
  using namespace neardup;
  const auto dictionary = std::make_shared<const word_dictionary>(
      word_dictionary::parse("数据库 500\n分布式 300\n事务 200\n集群 150\n部署 120\n支持 400\n系统 600\n关系型 "
                             "90\n数据 900\n开源 80\n的 9000\n是 9000\n"));
  const idf_table rarity =
      idf_table::parse("数据库 7.5\n分布式 9.25\n事务 8\n集群 9\n部署 8.75\n支持 4\n系统 4.5\n开源 10\n");

  // Keywords are words of at least two characters that are not stop words, as in jieba's extract_tags.
  chinese_words words{dictionary};
  words.keep_symbols = true;
  const keywords best{5, without{stop_words({"支持"}), words, 2}, rarity};
  const simhasher hash{best, tf_idf{rarity}};

  const std::vector<std::string> pages = {
      "分布式数据库支持事务。集群的部署：开源的关系型数据库系统，是分布式系统。",
      "首页 | 登录\n分布式数据库支持事务。集群的部署：开源的关系型数据库系统，是分布式系统。",
      "今天的天气很好，系统支持部署。",
  };
  for (const keyword& word : best.rank(pages[0])) std::cout << word.text << ' ' << word.count << '\n';

  pigeonhole_index<64, 3> index;  // 4 blocks of 16 bits, 4 tables
  int repeated = 0;
  for (std::uint32_t i = 0; i < pages.size(); ++i) {
    const auto fingerprint = hash(pages[i]);
    if (!fingerprint) continue;  // no keyword
    if (const auto original = index.nearest(*fingerprint)) {
      std::cout << "page " << i << " repeats page " << original->id << '\n';
      ++repeated;
    } else {
      index.insert(*fingerprint, i);
    }
  }
  return repeated == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: 分布式 2
// prints: 数据库 2
// prints: 开源 1
// prints: page 1 repeats page 0
