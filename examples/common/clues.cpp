#include "clues.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/words.hpp>
#include <string>
#include <utility>

namespace common {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Calls `visit(hash, begin, end)` for each word. The hash does not depend on the case of letters.
template <class Visit>
void for_each_placed_word(std::string_view text, const Visit& visit) {
  const neardup::xxh3<64> hash;
  neardup::for_each_word(text, [&](std::string_view word, std::string_view bytes) {
    const auto begin = static_cast<std::size_t>(bytes.data() - text.data());
    visit(hash(neardup::normalise(word)), begin, begin + bytes.size());
  });
}

/// Finds the longest common run inside a window of a text. The window only moves forward.
class longest_in_window {
 public:
  explicit longest_in_window(const std::vector<common_run::placed_word>& words) : words_(words) {}

  /// Returns the length of the longest run inside the window of words [begin, end). A run that begins before the window
  /// counts from the beginning of the window. Precondition: neither argument is less than in the previous call.
  /// Complexity: amortised O(1) for each word that enters the window.
  std::size_t in(std::size_t begin, std::size_t end) {
    for (; end_ < end; ++end_) {
      while (!longest_.empty() && words_[longest_.back()].run < words_[end_].run) longest_.pop_back();
      longest_.push_back(end_);
    }
    // A run either is one word longer than the run that ends at the previous word, or begins later than that run. So
    // the beginnings of runs never decrease, and the runs that begin before the window come first.
    while (cut_ < end && begin_of(cut_) < begin) ++cut_;
    while (!longest_.empty() && longest_.front() < cut_) longest_.pop_front();
    const std::size_t whole = longest_.empty() ? 0 : words_[longest_.front()].run;
    return std::max(whole, cut_ > begin ? cut_ - begin : 0);
  }

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t last) const { return last + 1 - words_[last].run; }

  const std::vector<common_run::placed_word>& words_;
  std::deque<std::size_t> longest_;  // ends of runs, ascending; the lengths of the runs decrease
  std::size_t end_ = 0, cut_ = 0;
};

}  // namespace

common_run::common_run(std::string_view clue) {
  for_each_placed_word(clue, [&](std::uint64_t word, std::size_t, std::size_t) { add(word); });
}

void common_run::add(std::uint64_t word) {
  const std::size_t added = states_.size();
  states_.push_back({states_[whole_].length + 1});
  std::size_t at = std::exchange(whole_, added);
  while (states_[at].next.emplace(word, added).second) {
    if (at == 0) return;
    at = states_[at].shorter;
  }
  const std::size_t found = states_[at].next.at(word);
  if (states_[found].length == states_[at].length + 1) {
    states_[added].shorter = found;
    return;
  }
  // The shorter runs of state `found` now also end at the added word, but its longer runs do not. So the shorter runs
  // get a state of their own.
  const std::size_t split = states_.size();
  states_.push_back(states_[found]);
  states_[split].length = states_[at].length + 1;
  states_[found].shorter = states_[added].shorter = split;
  for (auto next = states_[at].next.find(word); next != states_[at].next.end() && next->second == found;
       next = states_[at].next.find(word)) {
    next->second = split;
    if (at == 0) return;
    at = states_[at].shorter;
  }
}

template <class Visit>
void common_run::for_each_word(std::string_view text, const Visit& visit) const {
  std::size_t at = 0, longest = 0;  // state and length of the longest run that ends with the last word
  for_each_placed_word(text, [&](std::uint64_t word, std::size_t begin, std::size_t end) {
    auto next = states_[at].next.find(word);
    while (next == states_[at].next.end() && at != 0) {
      at = states_[at].shorter;
      longest = states_[at].length;
      next = states_[at].next.find(word);
    }
    if (next != states_[at].next.end()) {
      at = next->second;
      ++longest;
    }
    visit(placed_word{word, begin, end, longest});
  });
}

std::size_t common_run::in(std::string_view text) const {
  std::size_t longest = 0;
  for_each_word(text, [&](const placed_word& word) { longest = std::max(longest, word.run); });
  return longest;
}

std::vector<common_run::placed_word> common_run::words_of(std::string_view text) const {
  std::vector<placed_word> words;
  for_each_word(text, [&](const placed_word& word) { words.push_back(word); });
  return words;
}

clue_passages::clue_passages(std::string_view clue) : run_(clue) {
  const placed_words words = run_.words_of(clue);
  longest_ = std::max<std::size_t>(words.size() + words.size() / 4, 2);
  for (const std::size_t at_a_time : {std::size_t{2}, std::size_t{1}}) {
    feature_kind kind{at_a_time, {}};
    for (std::size_t i = 0; i + at_a_time <= words.size(); ++i) {
      kind.wanted.emplace(feature_at(words, i, at_a_time), kind.wanted.size());
    }
    kinds_.push_back(std::move(kind));
  }
}

std::uint64_t clue_passages::feature_at(const placed_words& words, std::size_t i, std::size_t at_a_time) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // any odd number; the order of words then matters
  return at_a_time == 1 ? words[i].hash : words[i].hash * factor ^ words[i + 1].hash;
}

std::vector<std::size_t> clue_passages::features_of(const placed_words& words, const feature_kind& kind) {
  std::vector<std::size_t> features;
  for (std::size_t i = 0; i + kind.words <= words.size(); ++i) {
    const auto found = kind.wanted.find(feature_at(words, i, kind.words));
    features.push_back(found == kind.wanted.end() ? none : found->second);
  }
  return features;
}

clue_passages::window clue_passages::best_window(const placed_words& words, const std::vector<std::size_t>& features,
                                                 const feature_kind& kind) const {
  const std::size_t size = std::min(longest_ + 1 - kind.words, features.size());
  std::vector<std::size_t> inside(kind.wanted.size());  // number of times that each feature is in the window
  longest_in_window runs(words);
  std::size_t common = 0;
  window best;
  for (std::size_t end = 1; end <= features.size(); ++end) {
    if (const std::size_t come = features[end - 1]; come != none && inside[come]++ == 0) ++common;
    if (end < size) continue;
    const std::size_t begin = end - size;
    if (begin > 0) {
      if (const std::size_t gone = features[begin - 1]; gone != none && --inside[gone] == 0) --common;
    }
    const std::size_t run = runs.in(begin, end + kind.words - 1);
    if (common > best.common || (common == best.common && common > 0 && run > best.run))
      best = {common, run, begin, end};
  }
  return best;
}

passage clue_passages::shortened(window best, const placed_words& words, const std::vector<std::size_t>& features,
                                 const feature_kind& kind) {
  std::vector<std::size_t> inside(kind.wanted.size());
  for (std::size_t i = best.begin; i < best.end; ++i) {
    if (features[i] != none) ++inside[features[i]];
  }
  // `last` becomes the last word of the first of the longest runs in the window.
  std::size_t last = best.begin;
  while (std::min(words[last].run, last + 1 - best.begin) < best.run) ++last;
  const std::size_t run_begin = last + 1 - best.run, run_end = last + 2 - kind.words;  // counted in features
  const auto may_go = [&](std::size_t i) {
    if (features[i] == none) return true;
    if (inside[features[i]] == 1) return false;
    --inside[features[i]];
    return true;
  };
  while (best.begin < run_begin && may_go(best.begin)) ++best.begin;
  while (best.end > run_end && may_go(best.end - 1)) --best.end;
  return {words[best.begin].begin, words[best.end + kind.words - 2].end, best.common};
}

std::optional<clue_passages::place> clue_passages::in(const std::vector<std::string_view>& texts) const {
  std::vector<placed_words> words;
  for (const std::string_view text : texts) words.push_back(run_.words_of(text));
  for (const feature_kind& kind : kinds_) {
    window best;
    std::optional<place> found;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::vector<std::size_t> features = features_of(words[i], kind);
      const window here = best_window(words[i], features, kind);
      if (here.common < best.common || (here.common == best.common && here.run <= best.run)) continue;
      best = here;
      found = place{i, shortened(here, words[i], features, kind)};
    }
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace common
