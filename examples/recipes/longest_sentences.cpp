// Finds copied pages by their three longest sentences. A copy has these sentences, whatever surrounds the copied text.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <neardup/neardup.hpp>
#include <string>
#include <string_view>
#include <vector>

int main() {
  using namespace neardup;
  const std::string article =
      "本文介绍分布式数据库的备份方法。备份前，请先确认集群中所有节点的版本一致，并且磁盘空间至少是数据量的两倍！"
      "恢复时，先停止所有写入，再按照备份的时间顺序逐个导入，最后检查每张表的行数。"
      "如果导入中断，可以从上一个检查点继续，不需要重新开始，但是要保证检查点文件没有被修改过。完。";
  const std::vector<std::string> pages = {
      article,
      "网站首页 > 技术文章\n作者：佚名\n" + article + "\n上一篇 下一篇\n版权所有。",
      "天气预报：明天多云转晴，最高气温二十五度，最低气温十三度，东南风三到四级。出行请注意防晒。",
  };

  // Copies have the same hash of the three sentences.
  const longest signature{3, sentences{}};
  const xxh3<64> hash;
  std::map<std::uint64_t, std::vector<std::size_t>> copies;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    std::string all;
    signature(pages[i], [&](std::string_view sentence) { all.append(sentence).append("\n"); });
    copies[hash(all)].push_back(i);
  }
  for (const auto& [number, members] : copies) {
    if (members.size() > 1) std::cout << "pages " << members[0] << " and " << members[1] << " are copies\n";
  }

  // The features of a fingerprint can be the three sentences, or the pairs of characters of these sentences. Pairs are
  // better, because the change of a single comma changes a third of the sentences, but few pairs.
  std::string edited = pages[1];
  edited.replace(edited.find("两倍"), std::string_view("两倍").size(), "三倍");
  const simhasher whole{signature};
  const auto pairs = [&](std::string_view text, auto&& sink) {
    signature(text, [&](std::string_view sentence) { normalised{code_point_ngrams{2}}(sentence, sink); });
  };
  const simhasher fine{pairs};
  const int by_sentences = hamming_distance(*whole(pages[0]), *whole(edited));
  const int by_pairs = hamming_distance(*fine(pages[0]), *fine(edited));
  std::cout << "one character changed: " << by_sentences << " bits by sentences, " << by_pairs << " by pairs\n";
  return copies.size() == 2 && by_pairs < by_sentences ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: pages 0 and 1 are copies
// prints: one character changed:
