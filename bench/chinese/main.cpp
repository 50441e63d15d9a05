// neardup_bench_chinese: compares how well several recipes find near-duplicates among Chinese texts. Prints tables in
// Markdown.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <neardup/neardup.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../accuracy/documents.hpp"
#include "../accuracy/features.hpp"
#include "../accuracy/fingerprints.hpp"
#include "../accuracy/retrieval.hpp"
#include "../accuracy/set_join.hpp"

namespace {

using namespace neardup;
using accuracy::documents;
using accuracy::pair_check;
using fingerprint_of = std::function<std::optional<simhash<64>>(std::string_view)>;

constexpr int max_distance = 20;
constexpr double alike = 0.7;  // least Jaccard similarity of the truth's features

struct jieba_files {
  std::shared_ptr<const word_dictionary> dictionary;
  std::shared_ptr<const unknown_word_model> model;
  std::shared_ptr<const idf_table> rarity;
};

jieba_files load_jieba(const std::string& folder) {
  return {std::make_shared<const word_dictionary>(word_dictionary::load(folder + "/dict.txt")),
          std::make_shared<const unknown_word_model>(unknown_word_model::load(folder + "/finalseg")),
          std::make_shared<const idf_table>(idf_table::load(folder + "/analyse/idf.txt"))};
}

std::size_t length_of(std::string_view text) {
  std::size_t length = 0;
  for_each_code_point(text, [&](char32_t, std::string_view) { ++length; });
  return length;
}

/// The first `length` code points of a text.
std::string beginning(std::string_view text, std::size_t length) {
  std::size_t bytes = 0;
  for_each_code_point(text, [&](char32_t, std::string_view encoded) {
    if (length == 0) return;
    bytes += encoded.size();
    --length;
  });
  return std::string(text.substr(0, bytes));
}

pair_check truth_of(const documents& input, const accuracy::feature_choice& features, unsigned threads) {
  std::vector<std::vector<std::uint64_t>> hashes(input.texts.size());
  accuracy::in_parallel(hashes.size(), threads,
                        [&](std::size_t i) { hashes[i] = accuracy::truth_features(features, input.texts[i]); });
  return accuracy::make_check("truth", input, accuracy::feature_sets(hashes), alike, threads);
}

/// Counts the pairs within max_distance bits by their distance: all pairs, and true pairs.
accuracy::distance_counts count_pairs(const documents& input, const pair_check& truth, const fingerprint_of& hash,
                                      unsigned threads) {
  std::vector<std::optional<simhash<64>>> all(input.texts.size());
  accuracy::in_parallel(all.size(), threads, [&](std::size_t i) { all[i] = hash(input.texts[i]); });
  std::vector<simhash<64>> known;
  std::vector<std::uint32_t> document;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    known.push_back(*all[i]);
    document.push_back(i);
  }
  accuracy::distance_counts counts(max_distance + 1);
  visit_pairs(known, neardup::bits{max_distance},
              [&](std::size_t i, std::size_t j, int distance) {
                const auto d = static_cast<std::size_t>(distance);
                const std::uint32_t a = (std::min)(document[i], document[j]), b = (std::max)(document[i], document[j]);
                ++counts.found[d];
                counts.found_true[d] += accuracy::contains(truth, a, b) ? 1 : 0;
                counts.found_labelled[d] += input.same_label(a, b) ? 1 : 0;
              },
              {.run = neardup::threads{threads}});
  return counts;
}

accuracy::score within(const accuracy::distance_counts& counts, int k, std::uint64_t all) {
  std::uint64_t found = 0, found_true = 0;
  for (int d = 0; d <= k; ++d) {
    found += counts.found[static_cast<std::size_t>(d)];
    found_true += counts.found_true[static_cast<std::size_t>(d)];
  }
  return accuracy::score_of(found, found_true, all);
}

/// Prints a row. First the fingerprints alone, at k = 3 and at the best k. Then the pairs that remain after an exact
/// check by the truth's features, at k = 10 and k = 14.
void print_row(const char* name, const accuracy::distance_counts& counts, std::uint64_t all) {
  int best = 0;
  for (int k = 1; k <= max_distance; ++k) {
    if (within(counts, k, all).f1 > within(counts, best, all).f1) best = k;
  }
  const auto strict = within(counts, 3, all), at_best = within(counts, best, all);
  std::printf("| %s | %.3f / %.3f | %.3f / %.3f (%d) | %.3f |", name, strict.precision, strict.recall,
              at_best.precision, at_best.recall, best, at_best.f1);
  for (const int k : {10, 14}) {
    const auto loose = within(counts, k, all);
    std::printf(" %.3f, %.1f |", 2 * loose.recall / (1 + loose.recall),
                static_cast<double>(loose.found) / static_cast<double>((std::max)(loose.found_true, std::uint64_t{1})));
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// Counts texts as near-duplicates if their signatures, which are made of their longest sentences, are equal.
void print_signatures(const documents& input, const pair_check& truth, std::size_t n) {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < input.texts.size(); ++i) {
    std::string signature;
    longest{n, sentences{}}(input.texts[i], [&](std::string_view s) { signature.append(normalise(s)).append("\n"); });
    if (!signature.empty()) groups[signature].push_back(i);
  }
  std::uint64_t found = 0, found_true = 0;
  for (const auto& [signature, members] : groups) {
    for (std::size_t j = 1; j < members.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        ++found;
        found_true += accuracy::contains(truth, members[i], members[j]) ? 1 : 0;
      }
    }
  }
  const auto score = accuracy::score_of(found, found_true, truth.pairs.size());
  std::printf("\nEqual signatures of the %zu longest sentences: precision %.3f, recall %.3f, F1 %.3f\n", n,
              score.precision, score.recall, score.f1);
}

void print_recipes(const documents& input, const pair_check& truth, const std::optional<jieba_files>& jieba,
                   unsigned threads) {
  std::printf(
      "| features, weights | k = 3: precision / recall | best k alone: precision / recall (k) | F1 alone "
      "| checked, k = 10: F1, candidates a pair | checked, k = 14 |\n|---|---|---|---|---|---|\n");
  const auto row = [&](const char* name, const auto& hash) {
    const fingerprint_of call = [&](std::string_view text) { return hash(text); };
    print_row(name, count_pairs(input, truth, call, threads), truth.pairs.size());
  };
  row("characters", simhasher{normalised{words{}}});
  row("characters, log tf", simhasher{normalised{words{}}, log_tf{}});
  row("characters, tf", simhasher{normalised{words{}}, tf{}});
  row("pairs of characters", simhasher{normalised{code_point_ngrams{2}}});
  row("3 characters", simhasher{normalised{code_point_ngrams{3}}});
  row("pairs of words (the default)", default_simhasher<>{});
  if (jieba) {
    chinese_words cut{jieba->dictionary, jieba->model};
    row("dictionary words", simhasher{cut});
    row("dictionary words, tf-idf", simhasher{cut, tf_idf{jieba->rarity}});
    cut.keep_symbols = true;
    const without candidates{stop_words{}, cut, 2};
    row("keywords, tf-idf, all", simhasher{candidates, tf_idf{jieba->rarity}});
    for (const auto& [name, n] :
         {std::pair{"keywords, tf-idf, top 50", 50}, std::pair{"keywords, tf-idf, top 20", 20}}) {
      const keywords best{static_cast<std::size_t>(n), candidates, jieba->rarity};
      row(name, simhasher{best, tf_idf{jieba->rarity}});
    }
    const keywords best{20, candidates, jieba->rarity};
    row("keywords, top 20, each once", simhasher{best, unit{}});
    row("keywords, tf-idf, top 20, levels 1 to 5", simhasher{best, levels{5, tf_idf{jieba->rarity}}});
  }
  row("the 3 longest sentences", simhasher{normalised{longest{3, sentences{}}}});
  const auto pairs_of_longest = [](std::string_view text, auto&& sink) {
    longest{3, sentences{}}(text, [&](std::string_view s) { normalised{code_point_ngrams{2}}(s, sink); });
  };
  row("pairs of characters of the 3 longest", simhasher{pairs_of_longest});
  print_signatures(input, truth, 3);
}

/// Returns the texts of `least` to `most` characters. If `cut` is set, longer texts are cut to `most` characters, and
/// otherwise left out.
documents slice(const documents& input, std::size_t least, std::size_t most, bool cut) {
  documents result;
  for (std::size_t i = 0; i < input.texts.size(); ++i) {
    const std::size_t length = length_of(input.texts[i]);
    if (length < least || (length > most && !cut)) continue;
    result.texts.push_back(length > most ? beginning(input.texts[i], most) : input.texts[i]);
    result.labels.push_back(input.labels[i]);
  }
  result.labelled = input.labelled;
  return result;
}

/// Compares the pairs that each measure accepts with the labels, which say which texts are versions of one text.
void print_lengths(const documents& input, unsigned threads) {
  std::printf(
      "\n| texts | number | k | candidates: precision / recall | edit >= .6 | cosine >= .7 | Jaccard >= .5 |\n"
      "|---|---|---|---|---|---|---|\n");
  const simhasher hash{normalised{code_point_ngrams{2}}};
  const simhasher characters{normalised{words{}}, log_tf{}};
  struct range {
    const char* name;
    std::size_t least, most;
    bool cut;
  };
  for (const auto& [name, least, most, cut] :
       {range{"up to 140 characters", 10, 140, false}, range{"the first 140 characters", 141, 140, true},
        range{"141 to 500", 141, 500, false}, range{"the first 500", 501, 500, true},
        range{"above 500", 501, ~std::size_t{0}, false}}) {
    const documents part = slice(input, least, most, cut);
    if (part.texts.size() < 100) continue;
    std::vector<simhash<64>> prints;
    for (const auto& fingerprint : fingerprint_all(hash, part.texts, neardup::threads{threads})) {
      prints.push_back(fingerprint.value_or(simhash<64>{}));
    }
    const std::uint64_t all = accuracy::count_equal_pairs(part.labels, accuracy::no_label);
    if (all == 0) continue;
    for (const int k : {3, 10, 16}) {
      struct pair {
        std::size_t a, b;
      };
      std::vector<pair> candidates;
      visit_pairs(prints, bits{k},
                  [&](std::size_t i, std::size_t j, int) {
                    candidates.push_back({i, j});
                  },
                  {.run = neardup::threads{threads}});
      std::uint64_t labelled = 0, kept[3] = {}, kept_true[3] = {};
      for (const auto& [i, j] : candidates) {
        const bool same = part.same_label(i, j);
        labelled += same ? 1 : 0;
        const std::string a = normalise(part.texts[i]), b = normalise(part.texts[j]);
        const auto most_edits =
            static_cast<std::size_t>(.4 * static_cast<double>((std::max)(length_of(a), length_of(b))));
        const bool accepted[3] = {
            edit_distance(a, b, most_edits).has_value(),
            weighted_cosine(characters.weighted_features(a), characters.weighted_features(b)) >= .7,
            jaccard_similarity(hash.features(a), hash.features(b)) >= .5};
        for (int m = 0; m < 3; ++m) {
          kept[m] += accepted[m] ? 1 : 0;
          kept_true[m] += accepted[m] && same ? 1 : 0;
        }
      }
      const auto filter = accuracy::score_of(candidates.size(), labelled, all);
      std::printf("| %s | %zu | %d | %.3f / %.3f |", name, part.texts.size(), k, filter.precision, filter.recall);
      for (int m = 0; m < 3; ++m) {
        const auto score = accuracy::score_of(kept[m], kept_true[m], all);
        std::printf(" %.3f / %.3f |", score.precision, score.recall);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
}

/// Replaces `changes` characters of a clue, at different positions, by random Chinese characters.
std::string with_changes(const std::string& clue, int changes, std::mt19937& random) {
  std::vector<std::string> characters;
  for_each_code_point(clue, [&](char32_t, std::string_view bytes) { characters.emplace_back(bytes); });
  std::vector<std::size_t> places(characters.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::shuffle(places.begin(), places.end(), random);
  for (int i = 0; i < changes; ++i) {
    char bytes[4];
    const std::size_t size = encode(U'\u4e00' + static_cast<char32_t>(random() % 5000), bytes);
    characters[places[static_cast<std::size_t>(i)]].assign(bytes, size);
  }
  std::string result;
  for (const std::string& c : characters) result += c;
  return result;
}

/// Replaces `changes` words of a clue, at different positions, by words of other sentences.
std::string with_changed_words(const std::string& clue, int changes, const std::vector<std::string>& known,
                               const chinese_words& cut, std::mt19937& random) {
  const auto words_of = [&](const std::string& text) {
    std::vector<std::string> words;
    cut.segment(text, [&](std::string_view word) { words.emplace_back(word); });
    return words;
  };
  const auto is_word = [&](const std::string& piece) {
    bool result = false;
    cut(piece, [&](std::string_view /*word*/) { result = true; });
    return result;
  };
  std::vector<std::string> words = words_of(clue);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_word(words[i])) places.push_back(i);
  }
  std::shuffle(places.begin(), places.end(), random);
  places.resize((std::min)(places.size(), static_cast<std::size_t>(changes)));
  for (const std::size_t place : places) {
    std::string other = words[place];
    while (other == words[place] || !is_word(other)) {
      const std::vector<std::string> others = words_of(known[random() % known.size()]);
      other = others[random() % others.size()];
    }
    words[place] = other;
  }
  std::string result;
  for (const std::string& word : words) result += word;
  return result;
}

/// Counts the clues for which the document with the original sentence is found first, or among the first ten. A clue is
/// a sentence of at least 12 characters, some of which are changed.
void print_clues(const documents& input, std::size_t clues, const std::optional<jieba_files>& jieba) {
  const simhasher hash{normalised{words{}}};
  constexpr int k = 12;
  pigeonhole_index<64, k> index;
  std::vector<std::string> known;
  for (std::uint32_t i = 0; i < input.texts.size(); ++i) {
    sentences{}(input.texts[i], [&](std::string_view sentence) {
      const auto fingerprint = hash(sentence);
      if (!fingerprint) return;
      index.insert(*fingerprint, i);
      if (length_of(sentence) >= 12) known.emplace_back(sentence);
    });
  }
  std::printf(
      "\n%zu sentences are indexed. Of %zu clues, sentences of 12 characters and more, find a document "
      "that holds them:\n\n"
      "| changed | first within %d bits | among the first 10 |\n|---|---|---|\n",
      index.size(), clues, k);
  const auto print_changed = [&](int changes, const char* what, const auto& change) {
    std::mt19937 random(1);
    std::size_t first = 0, among_ten = 0;
    for (std::size_t c = 0; c < clues; ++c) {
      const std::string& sentence = known[random() % known.size()];
      const auto fingerprint = hash(change(sentence, changes, random));
      if (!fingerprint) continue;
      std::vector<std::uint32_t> ranked;
      for (const auto& match : index.search(*fingerprint)) {
        if (std::find(ranked.begin(), ranked.end(), match.id) == ranked.end()) ranked.push_back(match.id);
      }
      const auto is_it = [&](std::uint32_t d) { return input.texts[d].find(sentence) != std::string::npos; };
      if (!ranked.empty() && is_it(ranked.front())) ++first;
      ranked.resize((std::min)(ranked.size(), std::size_t{10}));
      if (std::any_of(ranked.begin(), ranked.end(), is_it)) ++among_ten;
    }
    const auto share = [&](std::size_t n) { return static_cast<double>(n) / static_cast<double>(clues); };
    std::printf("| %d %s | %.3f | %.3f |\n", changes, what, share(first), share(among_ten));
    std::fflush(stdout);
  };
  for (const int changes : {0, 1, 3}) print_changed(changes, "characters", with_changes);
  if (!jieba) return;
  const chinese_words cut(jieba->dictionary, jieba->model);
  for (const int changes : {0, 1, 3}) {
    print_changed(changes, "words", [&](const std::string& clue, int number, std::mt19937& random) {
      return with_changed_words(clue, number, known, cut, random);
    });
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::string input_file, truth = "chars:2", jieba_folder = "/usr/lib/python3/dist-packages/jieba";
  std::size_t limit = 0, clues = 2000;
  unsigned threads = 1;
  bool no_dictionary = false;
  CLI::App app("Which recipe finds the near-duplicates among Chinese texts?", "neardup_bench_chinese");
  app.add_option("input", input_file, "JSON Lines with text and cluster")->required();
  app.add_option("--truth", truth, "features that define the truth, as in chars:2")->capture_default_str();
  app.add_option("--jieba", jieba_folder, "where dict.txt, finalseg/ and analyse/ are")->capture_default_str();
  app.add_flag("--no-dictionary", no_dictionary, "leave out what needs these");
  app.add_option("--limit", limit, "the first N documents only; 0: all");
  app.add_option("--clues", clues, "for the search by a sentence")->capture_default_str();
  app.add_option("--threads", threads, "do not change the figures")->check(CLI::Range(1, 1024));
  CLI11_PARSE(app, count, arguments);
  try {
    const documents input = accuracy::read_documents(input_file, limit);
    const pair_check pairs = truth_of(input, accuracy::parse_features(truth), threads);
    std::printf("%zu texts, %zu pairs of Jaccard similarity %.1f and more by %s.\n\n", input.texts.size(),
                pairs.pairs.size(), alike, truth.c_str());
    std::optional<jieba_files> jieba;
    if (!no_dictionary) jieba = load_jieba(jieba_folder);
    print_recipes(input, pairs, jieba, threads);
    print_lengths(input, threads);
    print_clues(input, clues, jieba);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neardup_bench_chinese: %s\n", error.what());
    return 2;
  }
}
