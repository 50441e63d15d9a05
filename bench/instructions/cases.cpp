// SPDX-License-Identifier: MIT
// Cases whose instructions tools/instructions counts with qemu. `cases NAME TIMES` runs a case that many times, and
// `cases` prints the names. The results are stored only so that the compiler does not remove the work.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/index.hpp>
#include <neardup/sets/engine/common_elements.hpp>
#include <neardup/sets/pairs.hpp>
#include <neardup/text.hpp>

namespace {

using namespace neardup;

volatile std::uint64_t kept;

/// Returns a text of about `size` bytes, with punctuation. Its words have 1 to 12 letters, and the mean length of
/// English words.
std::string english(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr std::string_view lengths = "11222223333333334444444445555555666666777778888999ab c";
  std::string text;
  while (text.size() < size) {
    const char digit = lengths[random() % lengths.size()];
    std::size_t length = digit == ' ' ? 12 : static_cast<std::size_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    const bool is_name = random() % 12 == 0;
    for (std::size_t i = 0; i < length; ++i) {
      text += static_cast<char>((i == 0 && is_name ? 'A' : 'a') + static_cast<int>(random() % 26));
    }
    text += random() % 9 == 0 ? ", " : " ";
  }
  return text;
}

/// A Chinese text of about `size` bytes, with punctuation and a few Latin words.
std::string chinese(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < size) {
    char bytes[4];
    const std::size_t length = encode(static_cast<char32_t>(0x4e00 + random() % 0x1000), bytes);
    text.append(bytes, length);
    if (random() % 10 == 0) text += "\xef\xbc\x8c";
    if (random() % 60 == 0) text += " Linux ";
  }
  return text;
}

template <class Filter>
std::vector<Filter> random_filters(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Filter> result(count);
  for (Filter& filter : result) {
    if constexpr (std::is_integral_v<Filter>) {
      filter = static_cast<Filter>(random());
    } else {
      for (std::uint64_t& word : filter) word = random();
    }
  }
  return result;
}

template <class Filter>
std::function<void()> joins(int k) {
  return [k, filters = random_filters<Filter>(400)] {
    std::vector<detail::filter_pair> found(256);
    for (auto job = detail::filter_join::within(0, filters.size(), filters.size()); !job.is_done();) {
      kept = kept +
             detail::join_filters(filters.data(), filters.data(), job, k, std::span(found), active_instruction_set());
    }
  };
}

std::vector<simhash<64>> fingerprints(std::size_t count) {
  std::mt19937_64 random(2);
  std::vector<simhash<64>> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(random());
  return result;
}

template <class Index>
std::function<void()> searches(Index index) {
  return [index = std::move(index), queries = fingerprints(400)] {
    for (simhash<64> query : queries) {
      query.flip(7);
      kept = kept + index.search(query, index.default_distance()).size();
    }
  };
}

std::vector<std::vector<std::uint32_t>> sets(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint32_t>> result(count);
  for (auto& set : result) {
    const std::size_t size = 60 + random() % 120;
    // Some features are far more frequent than others, like words of texts.
    while (set.size() < size) {
      const std::uint64_t rank = std::uint64_t{1} << random() % 14;
      set.push_back(static_cast<std::uint32_t>(detail::mix(rank + random() % rank)));
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  for (std::size_t i = 1; i < count; i += 10) {
    result[i] = result[i - 1];
    result[i].pop_back();
  }
  return result;
}

template <class Hasher>
std::function<void()> hashes(Hasher hash, std::string text) {
  return [hash = std::move(hash), text = std::move(text)] { kept = kept + (hash(text) ? 1 : 0); };
}

struct named_case {
  std::string_view name;
  std::function<std::function<void()>()> make;
};

const std::vector<named_case>& cases() {
  static const std::vector<named_case> all = {
      {"join/32", [] { return joins<std::uint32_t>(3); }},
      {"join/64", [] { return joins<std::uint64_t>(3); }},
      {"join/128", [] { return joins<std::array<std::uint64_t, 2>>(12); }},
      {"join/256", [] { return joins<std::array<std::uint64_t, 4>>(24); }},
      {"search/flat",
       [] {
         flat_index<64> index;
         for (const auto& one : fingerprints(10000)) index.insert(one, static_cast<std::uint32_t>(index.size()));
         return searches(std::move(index));
       }},
      {"search/pigeonhole",
       [] {
         pigeonhole_index<64, 3, 4> index;
         for (const auto& one : fingerprints(600000)) index.insert(one, static_cast<std::uint32_t>(index.size()));
         return searches(std::move(index));
       }},
      {"search/pigeonhole/k8",
       [] {
         pigeonhole_index<64, 8, 10> index;
         for (const auto& one : fingerprints(60000)) index.insert(one, static_cast<std::uint32_t>(index.size()));
         return searches(std::move(index));
       }},
      {"search/lines", [] { return searches(frozen_index<64>(3, 4, fingerprints((std::size_t{1} << 17) + 10))); }},
      {"pairs/fingerprints", [] { return [all = fingerprints(20000)] { kept = kept + pairs(all, bits{3}).size(); }; }},
      {"sets/pairs", [] { return [all = sets(1500, 3)] { kept = kept + pairs(all, jaccard{0.7}).size(); }; }},
      {"sets/common",
       [] {
         return [all = sets(200, 4)] {
           for (const auto& a : all) {
             for (const auto& b : all) {
               kept =
                   kept + detail::count_common(std::span<const std::uint32_t>(a), std::span<const std::uint32_t>(b), 0);
             }
           }
         };
       }},
      {"default", [] { return hashes(simhasher{default_tokenizer{}}, english(20000, 5)); }},
      {"default/short", [] { return hashes(simhasher{default_tokenizer{}}, english(500, 5)); }},
      {"default/128", [] { return hashes(simhasher<default_tokenizer, unit, xxh3<128>, 128>{}, english(20000, 5)); }},
      {"default/zh", [] { return hashes(simhasher{default_tokenizer{}}, chinese(20000, 5)); }},
      {"words/tf",
       [] {
         return hashes(simhasher{words{}, tf{}}, english(20000, 5));
       }},
      {"words/log_tf",
       [] {
         return hashes(simhasher{normalised{words{}}, log_tf{}}, english(20000, 5));
       }},
      {"minwise", [] { return hashes(minwise_hasher{default_tokenizer{}}, english(20000, 5)); }},
      {"minwise/short", [] { return hashes(minwise_hasher{default_tokenizer{}}, english(500, 5)); }},
      {"bytes/8",
       [] {
         return hashes(simhasher{byte_ngrams{8}, tf{}}, english(20000, 5));
       }},
      {"characters/2",
       [] {
         return hashes(simhasher{code_point_ngrams{2}, tf{}}, chinese(20000, 5));
       }},
      {"utf8/en",
       [] {
         return [text = english(20000, 6)] {
           kept = kept + (detail::is_well_formed(text, active_instruction_set()) ? 1 : 0);
         };
       }},
      {"utf8/zh",
       [] {
         return [text = chinese(20000, 6)] {
           kept = kept + (detail::is_well_formed(text, active_instruction_set()) ? 1 : 0);
         };
       }},
      {"normalise/en", [] { return [text = english(20000, 7)] { kept = kept + normalise(text).size(); }; }},
      {"normalise/zh", [] { return [text = chinese(20000, 7)] { kept = kept + normalise(text).size(); }; }},
  };
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    for (const auto& one : cases()) std::printf("%.*s\n", static_cast<int>(one.name.size()), one.name.data());
    return count == 1 ? 0 : 2;
  }
  for (const auto& one : cases()) {
    if (one.name != arguments[1]) continue;
    const auto work = one.make();
    for (int times = std::atoi(arguments[2]); times > 0; --times) work();
    return 0;
  }
  return 2;
}
