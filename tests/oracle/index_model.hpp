// The simplest model of an index: a set of pairs, searched by a loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <neardup/index/match.hpp>
#include <neardup/simhash.hpp>

#include "hamming.hpp"

namespace oracle {

template <std::size_t Bits, class Id>
bool comes_before(const neardup::match<Bits, Id>& a, const neardup::match<Bits, Id>& b) {
  if (a.distance != b.distance) return a.distance < b.distance;
  if (a.id != b.id) return a.id < b.id;
  for (std::size_t i = a.fingerprint.to_words().size(); i-- > 0;) {
    const std::uint64_t x = a.fingerprint.to_words()[i];
    const std::uint64_t y = b.fingerprint.to_words()[i];
    if (x != y) return x < y;
  }
  return false;
}

template <std::size_t Bits, class Id>
class index_model {
 public:
  using fingerprint_type = neardup::simhash<Bits>;
  using words_type = typename fingerprint_type::words_type;
  using match_type = neardup::match<Bits, Id>;
  using pairs_type = std::set<std::pair<words_type, Id>>;

  bool insert(const fingerprint_type& fingerprint, const Id& id) {
    return pairs_.emplace(fingerprint.to_words(), id).second;
  }
  bool erase(const fingerprint_type& fingerprint, const Id& id) {
    return pairs_.erase({fingerprint.to_words(), id}) == 1;
  }
  std::size_t erase(const fingerprint_type& fingerprint) {
    return std::erase_if(pairs_, [&](const auto& pair) { return pair.first == fingerprint.to_words(); });
  }
  bool contains(const fingerprint_type& fingerprint, const Id& id) const {
    return pairs_.count({fingerprint.to_words(), id}) == 1;
  }
  bool contains(const fingerprint_type& fingerprint) const {
    return std::any_of(pairs_.begin(), pairs_.end(),
                       [&](const auto& pair) { return pair.first == fingerprint.to_words(); });
  }
  std::vector<match_type> search(const fingerprint_type& query, int k) const {
    std::vector<match_type> matches;
    for (const auto& [words, id] : pairs_) {
      const fingerprint_type fingerprint(words);
      const int bits = distance(query, fingerprint);
      if (bits <= k) matches.push_back({id, bits, fingerprint});
    }
    std::sort(matches.begin(), matches.end(), comes_before<Bits, Id>);
    return matches;
  }
  std::size_t size() const { return pairs_.size(); }
  std::size_t distinct_size() const {
    std::set<words_type> fingerprints;
    for (const auto& pair : pairs_) fingerprints.insert(pair.first);
    return fingerprints.size();
  }
  void clear() { pairs_.clear(); }
  const pairs_type& pairs() const { return pairs_; }

 private:
  pairs_type pairs_;
};

/// The pairs of an index, by iterating over it.
template <class Index>
auto pairs_of(const Index& index) {
  std::vector<std::pair<typename Index::fingerprint_type::words_type, typename Index::id_type>> pairs;
  for (const auto& entry : index) pairs.emplace_back(entry.fingerprint.to_words(), entry.id);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace oracle
