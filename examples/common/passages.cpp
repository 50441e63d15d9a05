#include "passages.hpp"

#include <algorithm>
#include <limits>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/words.hpp>

namespace common {

namespace {

/// Calls `visit(pair, begin, end)` for each pair of consecutive words.
template <class Visit>
void for_each_word_pair(std::string_view text, const Visit& visit) {
  const neardup::xxh3<64> hash;
  std::uint64_t last = 0;
  std::size_t begin_of_last = 0;
  bool has_last = false;
  std::string folded;
  neardup::for_each_word(text, [&](std::string_view word, std::string_view bytes) {
    folded = neardup::normalise(word);
    const std::uint64_t current = hash(folded);
    const auto begin = static_cast<std::size_t>(bytes.data() - text.data());
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // any odd number; the order of words then matters
    if (has_last) visit(static_cast<word_pair>((last * factor ^ current) >> 32), begin_of_last, begin + bytes.size());
    last = current;
    begin_of_last = begin;
    has_last = true;
  });
}

/// A run of pairs. `before`: the sum of all scores before the run. `after`: the sum of all scores up to its end.
struct scored_run {
  double before, after;
  std::size_t first, last;
  std::size_t lower;  // index of the nearest earlier run whose `before` is less
};
constexpr std::size_t no_run = std::numeric_limits<std::size_t>::max();

std::string_view cut_front(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text.remove_prefix(text.size() - most);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0U) == 0x80) text.remove_prefix(1);
  return text;
}

std::string_view cut_back(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace

std::vector<word_pair> word_pairs_of(const std::vector<std::string_view>& texts) {
  std::vector<word_pair> pairs;
  for (const std::string_view text : texts) {
    for_each_word_pair(text, [&](word_pair pair, std::size_t, std::size_t) { pairs.push_back(pair); });
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

passage_finder::passage_finder(std::string_view text, bool is_for_many) {
  for_each_word_pair(text, [&](word_pair pair, std::size_t begin, std::size_t end) {
    pairs_.push_back({pair, begin, end});
  });
  if (!is_for_many) return;
  sorted_.reserve(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) sorted_.emplace_back(pairs_[i].pair, i);
  std::sort(sorted_.begin(), sorted_.end());
}

std::vector<std::size_t> passage_finder::common_with(std::span<const word_pair> pairs) const {
  std::vector<std::size_t> places;
  if (sorted_.empty() || pairs.size() > pairs_.size()) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (std::binary_search(pairs.begin(), pairs.end(), pairs_[i].pair)) places.push_back(i);
    }
    return places;
  }
  for (const word_pair pair : pairs) {
    auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(pair, std::size_t{0}));
    for (; found != sorted_.end() && found->first == pair; ++found) places.push_back(found->second);
  }
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<passage> passage_finder::passages_of(std::span<const word_pair> pairs) const {
  const std::vector<std::size_t> places = common_with(pairs);
  std::vector<scored_run> runs;
  double sum = 0;  // sum of the scores so far: 1 for a common pair, -1 for any other pair
  std::size_t seen = 0;
  for (const std::size_t i : places) {
    sum -= static_cast<double>(i - seen);
    seen = i + 1;
    scored_run next{sum, sum + 1, i, i, no_run};
    ++sum;
    while (true) {
      std::size_t before = runs.empty() ? no_run : runs.size() - 1;
      while (before != no_run && runs[before].before >= next.before) before = runs[before].lower;
      next.lower = before;
      if (before == no_run || runs[before].after >= next.after) break;
      // Merges `next` with all runs from runs[before] on, because the merged run has a larger sum.
      next.before = runs[before].before;
      next.first = runs[before].first;
      runs.resize(before);
    }
    runs.push_back(next);
  }
  std::vector<passage> result;
  std::vector<word_pair> common;
  auto place = places.begin();
  for (const scored_run& run : runs) {
    common.clear();
    place = std::lower_bound(place, places.end(), run.first);
    for (; place != places.end() && *place <= run.last; ++place) common.push_back(pairs_[*place].pair);
    std::sort(common.begin(), common.end());
    const auto end = std::unique(common.begin(), common.end());
    result.push_back({pairs_[run.first].begin, pairs_[run.last].end, static_cast<std::size_t>(end - common.begin())});
  }
  return result;
}

passage_words passage_in_context(std::string_view text, const passage& where) {
  const std::string_view before = text.substr(0, where.begin),
                         inside = text.substr(where.begin, where.end - where.begin), behind = text.substr(where.end);
  const auto add = [](std::string& shown, std::string_view piece, bool may_begin_with_space) {
    for (const char c : piece) {
      const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
      if (!is_space) {
        shown += c;
      } else if (shown.empty() ? may_begin_with_space : shown.back() != ' ') {
        shown += ' ';
      }
    }
  };
  passage_words shown;
  if (before.size() > shown_around_passage) shown.before += "…";
  add(shown.before, cut_front(before, shown_around_passage), false);
  if (inside.size() <= max_shown_passage) {
    add(shown.inside, inside, true);
  } else {
    add(shown.inside, cut_back(inside, max_shown_passage / 2), true);
    shown.inside += " … ";
    add(shown.inside, cut_front(inside, max_shown_passage / 2), true);
  }
  add(shown.behind, cut_back(behind, shown_around_passage), true);
  if (behind.size() > shown_around_passage) shown.behind += "…";
  return shown;
}

}  // namespace common
