// Promise: the index in memory finds what a plain list finds, through commits, rollbacks, erasures and early searches.
// After many commits of one document each, a search takes no longer than after one commit of all documents.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stores/memory_index.hpp"

namespace {

using docid::doc_number, docid::fingerprint, docid::memory_index, docid::query_group;
using entry = std::pair<fingerprint, doc_number>;
using result = std::vector<std::pair<int, doc_number>>;

constexpr int distance = 7;
std::mt19937_64 make(7);  // NOLINT: the same cases each time

void expect(bool is_met, const std::string& what) {
  if (!is_met) throw std::runtime_error(what);
}

std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(make); }

/// Returns a fingerprint near one of few centres, so that most searches find something.
fingerprint some_print() {
  std::uint64_t word = 0x9e3779b97f4a7c15U * (1 + below(20));
  for (std::size_t flips = below(6); flips > 0; --flips) word ^= std::uint64_t{1} << below(64);
  return fingerprint(word);
}

result found_by(memory_index& index, std::size_t query) {
  result found;
  for (const auto& one : index.near(query)) found.emplace_back(one.distance, one.document);
  return found;
}

result found_in(const std::set<entry>& all, const fingerprint& query) {
  result found;
  for (const auto& [print, document] : all) {
    const int bits = neardup::hamming_distance(print, query);
    if (bits <= distance) found.emplace_back(bits, document);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Queries of an early search, and the documents that were erased after this search.
struct early_group {
  query_group queries;
  std::set<doc_number> erased;
};

query_group some_queries(std::size_t count) {
  query_group made;
  for (std::size_t i = 0; i < count; ++i)
    made.prints.push_back(below(10) == 0 ? std::nullopt : std::optional(some_print()));
  return made;
}

/// Compares the index with a list. Transactions have random sizes, and are committed or rolled back at random.
void finds_what_a_list_finds() {
  constexpr std::size_t max_waiting = 60;  // so that documents move to the main index often
  memory_index index(distance, max_waiting);
  std::set<entry> committed;
  std::vector<early_group> early;
  doc_number next = 1;
  std::uint64_t known = 0;
  std::size_t found = 0, old = 0;
  for (int transaction = 0; transaction < 500; ++transaction) {
    if (below(3) == 0) {
      early.push_back({some_queries(32 + below(300)), {}});
      index.search_early(early.back().queries);
      expect(early.back().queries.early != nullptr, "a large group is searched early");
    }
    // Some early groups wait for one transaction, and some for many.
    std::vector<early_group> now;
    while (!early.empty() && (below(3) == 0 || early.size() > 3)) {
      const auto one = early.begin() + static_cast<std::ptrdiff_t>(below(early.size()));
      old += one->erased.empty() ? 0 : 1;
      now.push_back(std::move(*one));
      early.erase(one);
    }
    now.push_back({some_queries(1 + below(4)), {}});
    std::vector<const query_group*> groups;
    for (const early_group& one : now) groups.push_back(&one.queries);
    index.prepare(groups);

    std::set<entry> all = committed;
    std::vector<doc_number> erased;
    const auto compare = [&] {
      std::size_t query = 0;
      for (const early_group& group : now) {
        for (const auto& print : group.queries.prints) {
          result there = found_by(index, query++);
          const bool is_compared = !group.queries.early || below(20) == 0;
          if (!is_compared) continue;
          // An early search may find documents that a later transaction has erased. The service leaves these out.
          std::erase_if(there, [&](const auto& one) { return group.erased.contains(one.second); });
          const result wanted = print ? found_in(all, *print) : result();
          expect(there == wanted, "a search finds other documents in transaction " + std::to_string(transaction));
          found += wanted.size();
        }
      }
    };
    compare();
    for (std::size_t changes = below(4) == 0 ? below(100) : below(3); changes > 0; --changes) {
      if (below(4) == 0 && !all.empty()) {
        auto gone = all.lower_bound({some_print(), 0});
        if (gone == all.end()) gone = all.begin();
        index.erase(gone->first, gone->second);
        if (below(3) == 0) {
          index.insert(gone->first, gone->second);  // erased and added again in one transaction
        } else {
          erased.push_back(gone->second);
          all.erase(gone);
        }
      } else {
        const entry added{some_print(), next++};
        index.insert(added.first, added.second);
        all.insert(added);
      }
    }
    compare();
    if (below(8) == 0) {
      index.rollback();
      continue;
    }
    known = next;
    index.commit(known);
    committed = std::move(all);
    for (early_group& group : early) group.erased.insert(erased.begin(), erased.end());
  }
  expect(index.known() == known, "known() is not that of the last commit");
  expect(found > 10'000 && old > 10, "the cases are not what they should be");
}

/// Searches for 2,000 fingerprints, one by one, in each of three rounds. Returns the CPU seconds of the fastest round.
double time_of_searches(memory_index& index) {
  double least = 1e9;
  for (int round = 0; round < 3; ++round) {
    timespec begin{}, end{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (int i = 0; i < 2000; ++i) {
      query_group one;
      one.prints.emplace_back(fingerprint(make()));
      const query_group* const group = &one;
      index.prepare({&group, 1});
      expect(index.near(0).empty(), "a random fingerprint is near another one");
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    least = std::min(
        least, static_cast<double>(end.tv_sec - begin.tv_sec) + static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e9);
  }
  return least;
}

void many_commits_cost_no_more_than_one() {
  constexpr doc_number count = 7500;
  memory_index one_by_one(distance), at_once(distance);
  for (doc_number document = 1; document <= count; ++document) {
    const fingerprint print(make());
    at_once.insert(print, document);
    one_by_one.insert(print, document);
    one_by_one.commit(document);
  }
  at_once.commit(count);
  const double least = time_of_searches(at_once), time = time_of_searches(one_by_one);
  std::cout << count << " documents, 2,000 searches: " << least << " s after one commit, " << time
            << " s after as many\n";
  expect(time < 5 * least, "many commits make searches slow");
}

}  // namespace

int main() {
  try {
    finds_what_a_list_finds();
    many_commits_cost_no_more_than_one();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
