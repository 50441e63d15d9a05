#include "clues.hpp"

#include <algorithm>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/words.hpp>

namespace common {

namespace {

/// Calls `visit` with a hash of each word, whatever its case.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  static const neardup::normalised<neardup::words> tokenize{};
  tokenize(text, [&, hash = neardup::xxh3<64>{}](std::string_view word) { visit(hash(word)); });
}

}  // namespace

common_run::common_run(std::string_view clue) {
  for_each_word(clue, [&](std::uint64_t word) { places_[word].push_back(++size_); });
}

std::size_t common_run::in(std::string_view text) const {
  std::size_t longest = 0;
  std::vector<std::size_t> before, now;  // places of the clue that the last word stands at, and runs that end there
  std::vector<std::size_t> runs(size_ + 1), ended(size_ + 1);
  for_each_word(text, [&](std::uint64_t word) {
    now.clear();
    if (const auto found = places_.find(word); found != places_.end()) {
      for (const std::size_t place : found->second) {
        ended[place] = runs[place - 1] + 1;
        longest = std::max(longest, ended[place]);
        now.push_back(place);
      }
    }
    for (const std::size_t place : before) runs[place] = 0;
    for (const std::size_t place : now) runs[place] = ended[place];
    std::swap(before, now);
  });
  return longest;
}

clue_passages::clue_passages(std::string_view clue) {
  for (const words_at_a_time words : {words_at_a_time::two, words_at_a_time::one}) {
    pairs_.emplace_back(words, word_pairs_of({clue}, words));
  }
  std::size_t words = 0;
  neardup::words{}(clue, [&](std::string_view) { ++words; });
  longest_ = std::max<std::size_t>(words + words / 4, 2) - 1;
}

std::optional<clue_passages::place> clue_passages::in(const std::vector<std::string_view>& texts) const {
  // Half of what a changed word takes: clues are found with every fourth character changed.
  constexpr double miss = -0.5;
  for (const auto& [words, pairs] : pairs_) {
    std::optional<place> best;
    const std::size_t longest = words == words_at_a_time::two ? longest_ : longest_ + 1;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (const passage& one : passage_finder(texts[i], words).passages_of(pairs, miss, longest)) {
        if (!best || one.common > best->where.common) best = place{i, one};
      }
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace common
