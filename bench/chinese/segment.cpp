// neardup_bench_segment: prints the words and the keywords of texts, so that against_jieba.py can compare them with
// another program. Also prints the speed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <neardup/neardup.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <string>
#include <string_view>
#include <vector>
#ifdef NEARDUP_BENCH_CPPJIEBA
#include <cppjieba/Jieba.hpp>
#endif

#include "../accuracy/documents.hpp"

namespace {

using namespace neardup;

const std::vector<std::string> stopped{"the", "of",   "is",   "and",   "to",  "in",  "that", "we",
                                       "for", "an",   "are",  "by",    "be",  "as",  "on",   "with",
                                       "can", "if",   "from", "which", "you", "it",  "this", "then",
                                       "at",  "have", "all",  "not",   "one", "has", "or",   "that"};  // stop words of
                                                                                                       // jieba

struct recipes {
  chinese_words plain, with_model;
  std::shared_ptr<const idf_table> rarity;

  explicit recipes(const std::string& folder)
      : plain(std::make_shared<const word_dictionary>(word_dictionary::load(folder + "/dict.txt"))),
        with_model(std::shared_ptr<const word_dictionary>(std::shared_ptr<void>(), &plain.dictionary()),
                   std::make_shared<const unknown_word_model>(unknown_word_model::load(folder + "/finalseg"))),
        rarity(std::make_shared<const idf_table>(idf_table::load(folder + "/analyse/idf.txt"))) {}

  [[nodiscard]] auto keywords_of(std::size_t n) const {
    chinese_words cut = with_model;
    cut.keep_symbols = true;  // as jieba does
    return keywords{n, without{stop_words{stopped}, cut, 2}, rarity};
  }
};

template <class Take>
void for_each_input(const Take& take) {
  for (std::string text; std::getline(std::cin, text, '\0');) take(text);
}

void print_words(const chinese_words& cut) {
  for_each_input([&](const std::string& text) {
    cut.segment(text, [&](std::string_view word) { std::cout << word.size() << ' '; });
    std::cout << '\n';
  });
}

void print_keywords(const recipes& all) {
  const auto best = all.keywords_of((std::numeric_limits<std::size_t>::max)());
  for_each_input([&](const std::string& text) {
    for (const keyword& word : best.rank(text)) std::cout << word.text << '\t' << word.score << '\t';
    std::cout << '\n';
  });
}

/// Prints the speeds of several ways to process the same texts, in MB per second of CPU time. The ways take turns.
/// Prints the medians, and their ratio to the first way.
void print_speeds(const recipes& all, const std::vector<std::string>& texts, int rounds, const std::string& folder) {
  struct way {
    std::string name;
    std::function<std::size_t(std::string_view)> run;
    std::vector<double> seconds;
  };
  const auto words_by = [](const chinese_words& cut) {
    return [&cut](std::string_view text) {
      std::size_t count = 0;
      cut.segment(text, [&](std::string_view) { ++count; });
      return count;
    };
  };
  const auto fingerprints_by = [](const auto& hash) {
    auto memory = std::make_shared<typename std::decay_t<decltype(hash)>::workspace>();
    return [hash, memory](std::string_view text) -> std::size_t { return hash(text, *memory) ? 1 : 0; };
  };
  const auto top = [&](std::size_t n) { return fingerprints_by(simhasher{all.keywords_of(n), tf_idf{all.rarity}}); };
  std::vector<way> ways{{"words", words_by(all.with_model), {}},
                        {"words without the model", words_by(all.plain), {}},
                        {"fingerprints of the top 20", top(20), {}},
                        {"fingerprints of the top 50", top(50), {}},
                        {"fingerprints of all keywords", top((std::numeric_limits<std::size_t>::max)()), {}},
                        {"the default composition", fingerprints_by(default_simhasher<>{}), {}}};
#ifdef NEARDUP_BENCH_CPPJIEBA
  const std::string theirs = NEARDUP_BENCH_CPPJIEBA;
  cppjieba::Jieba jieba(folder + "/dict.txt", theirs + "/hmm_model.utf8", theirs + "/user.dict.utf8",
                        theirs + "/idf.utf8", theirs + "/stop_words.utf8");
  std::vector<std::string> found;
  for (const bool model : {true, false}) {
    const auto run = [&jieba, &found, model](std::string_view text) {
      jieba.Cut(std::string(text), found, model);
      return found.size();
    };
    ways.push_back({std::string("words of cppjieba") + (model ? "" : " without the model"), run, {}});
  }
#else
  static_cast<void>(folder);
#endif
  double bytes = 0;
  for (const std::string& text : texts) bytes += static_cast<double>(text.size());
  std::size_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (way& each : ways) {
      const std::clock_t begin = std::clock();
      for (const std::string& text : texts) sum += each.run(text);
      each.seconds.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
  }
  std::printf("%.1f MB in %zu texts, the median of %d rounds (%zu)\n\n| | MB/s | of words |\n|---|---|---|\n",
              bytes / 1e6, texts.size(), rounds, sum % 10);
  for (way& each : ways) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < each.seconds.size(); ++i) {
      shares.push_back(ways.front().seconds[i] / each.seconds[i]);
    }
    const auto median = [](std::vector<double> values) {
      std::sort(values.begin(), values.end());
      return values[values.size() / 2];
    };
    std::printf("| %s | %.1f | %.3f |\n", each.name.c_str(), bytes / 1e6 / median(each.seconds), median(shares));
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::string input, folder = "/usr/lib/python3/dist-packages/jieba";
  int rounds = 9;
  bool no_model = false;
  CLI::App app("The words of texts that end in a byte of 0 each, from standard input, or how fast they are found.",
               "neardup_bench_segment");
  app.require_subcommand(1);
  app.add_option("--jieba", folder, "where dict.txt, finalseg/ and analyse/ are")->capture_default_str();
  CLI::App* const as_words = app.add_subcommand("words", "the sizes of the words of each, in bytes");
  as_words->add_flag("--no-hmm", no_model, "without the model of unknown words");
  CLI::App* const as_keywords = app.add_subcommand("keywords", "all keywords of each, with their scores");
  CLI::App* const speed = app.add_subcommand("speed", "MB a second");
  speed->add_option("input", input, "JSON Lines with text")->required();
  speed->add_option("--rounds", rounds)->capture_default_str()->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, count, arguments);
  try {
    std::ios::sync_with_stdio(false);
    const recipes all(folder);
    if (as_words->parsed()) print_words(no_model ? all.plain : all.with_model);
    if (as_keywords->parsed()) print_keywords(all);
    if (speed->parsed()) print_speeds(all, accuracy::read_documents(input, 0).texts, rounds, folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neardup_bench_segment: %s\n", error.what());
    return 2;
  }
}
