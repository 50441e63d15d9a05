// The fingerprints with which the index is measured, queries, and the right answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>

#include "index_baselines.hpp"
#include "synthetic.hpp"

namespace neardup_bench {

using fingerprint = neardup::simhash<64>;
using fingerprints = std::vector<fingerprint>;

/// Fingerprints of real texts from a file: some to store, others to search for.
struct real_texts {
  std::string name;
  fingerprints stored;
  fingerprints queries;
};

/// The data that is stored: U, S2, or real texts.
struct data_set {
  enum kinds { uniform, skewed, real } kind = uniform;
  std::size_t size = 0;
  const real_texts* texts = nullptr;

  /// The end of a benchmark's name: "/n1000000", "/n1000000/s2", "/n18000/bible".
  [[nodiscard]] std::string suffix() const {
    const std::string n = "/n" + std::to_string(size);
    return kind == uniform ? n : kind == skewed ? n + "/s2" : n + "/" + texts->name;
  }

  friend bool operator==(const data_set&, const data_set&) = default;
};

/// Returns the fingerprints of a data set. Keeps the fingerprints of the last generated data set only. So register
/// benchmarks of one data set one after the other.
inline const fingerprints& stored_in(const data_set& wanted) {
  static data_set cached;
  static fingerprints made;
  if (wanted.kind == data_set::real) return wanted.texts->stored;
  if (!(cached == wanted) || made.size() != wanted.size) {
    made = {};
    made = wanted.kind == data_set::uniform ? uniform_fingerprints(wanted.size) : skewed_fingerprints(wanted.size);
    cached = wanted;
  }
  return made;
}

/// Returns queries for a data set. For real texts, these are texts that are not stored. Otherwise every second query is
/// a stored fingerprint with 0 to k bits flipped.
inline fingerprints queries_in(const data_set& data, std::size_t count, int k) {
  if (data.kind != data_set::real) return queries_for(stored_in(data), count, k);
  const fingerprints& all = data.texts->queries;
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>((std::min)(count, all.size()))};
}

/// Returns all matches of a query, by a scan. If the fast scan is used, the first fingerprints are also compared by a
/// plain loop.
inline std::vector<found> scanned(const fingerprints& stored, fingerprint query, int k) {
  const std::span<const std::uint64_t> words = words_of(stored);
  std::vector<found> matches;
  if (!has_avx512_popcount()) {
    scan_plainly(words, query.to_uint64(), k, matches);
  } else {
    scan_avx512(words, query.to_uint64(), k, matches);
    const std::size_t sample = (std::min)(words.size(), std::size_t{100'003});
    std::vector<found> plainly;
    scan_plainly(words.first(sample), query.to_uint64(), k, plainly);
    const auto end = std::find_if(matches.begin(), matches.end(), [&](const found& m) { return m.id >= sample; });
    if (!std::equal(matches.begin(), end, plainly.begin(), plainly.end())) {
      throw std::logic_error("the scans disagree");
    }
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

constexpr std::size_t checked_queries = 32;

/// Returns the answers to the first queries. Only the last answers are kept.
inline const std::vector<std::vector<found>>& right_answers(const data_set& data, int k, const fingerprints& queries) {
  static data_set cached;
  static int cached_k = -1;
  static std::vector<std::vector<found>> answers;
  if (!(cached == data) || cached_k != k) {
    answers.clear();
    for (std::size_t q = 0; q < (std::min)(checked_queries, queries.size()); ++q) {
      answers.push_back(scanned(stored_in(data), queries[q], k));
    }
    cached = data;
    cached_k = k;
  }
  return answers;
}

/// Reads a file and makes a fingerprint of each line: the default fingerprint of a text, or 16 hexadecimal digits at
/// the beginning of the line, as `neardup hash` prints them. Every tenth fingerprint becomes a query and is not stored.
/// Throws: std::runtime_error if the file cannot be read or has too few lines.
inline real_texts read_real_texts(const std::string& path, bool is_hexadecimal) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  real_texts result;
  const std::size_t slash = path.find_last_of('/');
  const std::string file_name = slash == std::string::npos ? path : path.substr(slash + 1);
  result.name = file_name.substr(0, file_name.find('.'));
  const neardup::default_simhasher<> hash;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    if (is_hexadecimal && (line.empty() || line[0] == '-')) continue;
    const auto value = is_hexadecimal ? fingerprint::from_hex(std::string_view(line).substr(0, 16)) : hash(line);
    if (!value && is_hexadecimal) throw std::runtime_error(path + ": not a fingerprint: " + line.substr(0, 16));
    if (!value) continue;
    (number++ % 10 == 9 ? result.queries : result.stored).push_back(*value);
  }
  if (result.queries.size() < 8) throw std::runtime_error(path + ": too few texts");
  return result;
}

}  // namespace neardup_bench
