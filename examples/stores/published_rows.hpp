// Makes rows for a database of fingerprints. They equal, byte for byte, the rows that articles about SimHash publish
// (docs/articles.md). A fingerprint of 64 bits is cut into segments, from left to right. With four segments of 16 bits,
// any two fingerprints within 3 bits have at least one segment in common. With five segments of 13, 13, 13, 13 and 12
// bits, they have at least two in common. There is a table for each of the four segments, or for each of the ten pairs
// of segments.
//
// neardup::band_key (check_store.hpp) has shorter rows and supports any distance; new programs should use it. Use these
// rows if you already have such a store.
#pragma once

#include <neardup/simhash.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace published {

using fingerprint = neardup::simhash<64>;

struct match {
  std::uint64_t id;
  int distance;
};

inline std::string bytes_of(std::uint64_t number, int count) {
  std::string result;
  for (int shift = 8 * (count - 1); shift >= 0; shift -= 8)
    result.push_back(static_cast<char>(number >> shift & 0xffU));
  return result;
}

inline std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t result = 0;
  for (const char byte : bytes) result = result << 8 | static_cast<unsigned char>(byte);
  return result;
}

/// The tables: any two fingerprints within 3 bits have the same value in at least one of them.
class tables {
 public:
  /// Makes the tables. `blocks`: the number of segments, 4 or 5.
  explicit tables(int blocks) {
    if (blocks == 4) {
      for (int i = 0; i < 4; ++i) parts_.push_back({{16, 48 - 16 * i}, {0, 0}});
    } else if (blocks == 5) {
      constexpr std::array<segment, 5> all = {{{13, 51}, {13, 38}, {13, 25}, {13, 12}, {12, 0}}};
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = i + 1; j < all.size(); ++j) parts_.push_back({all[i], all[j]});
      }
    } else {
      throw std::invalid_argument("4 or 5 blocks");
    }
  }

  [[nodiscard]] int count() const { return static_cast<int>(parts_.size()); }
  /// Returns the value of a fingerprint in table number `flag`, counted from 1. A value has at most 4 bytes: the bits
  /// of the first segment, then the bits of the second segment.
  [[nodiscard]] std::uint64_t value(const fingerprint& print, int flag) const {
    const auto& [first, second] = parts_[static_cast<std::size_t>(flag) - 1];
    const auto bits = [&](const segment& one) { return print.to_uint64() >> one.shift & ((1U << one.width) - 1); };
    return bits(first) << second.width | bits(second);
  }
  /// Returns true if no table before table `flag` has the same value for `a` and `b`. Then none of them finds the pair.
  [[nodiscard]] bool is_first(const fingerprint& a, const fingerprint& b, int flag) const {
    for (int earlier = 1; earlier < flag; ++earlier) {
      if (value(a, earlier) == value(b, earlier)) return false;
    }
    return true;
  }

 private:
  struct segment {
    int width;
    int shift;
  };
  struct part {
    segment first;
    segment second;  // 0 bits wide if the table has one segment
  };
  std::vector<part> parts_;
};

/// The rows in HBase. A key has 13 bytes: 4 bytes for the value in a table, 1 byte for the flag (the number of the
/// table, counted from 1), and 8 bytes for the fingerprint. Equal fingerprints share a row, whose value lists their ids
/// in 8 bytes each. `Store` has get(key), put(key, value), erase(key), and scan(begin, end, visit), as in the examples
/// beside this file.
template <class Store>
class hbase_rows {
 public:
  hbase_rows(Store& store, int blocks) : store_(store), tables_(blocks) {}

  static std::string prefix(std::uint64_t segment, int flag) { return bytes_of(segment, 4) + static_cast<char>(flag); }

  [[nodiscard]] std::string key_of(const fingerprint& print, int flag) const {
    return prefix(tables_.value(print, flag), flag) + bytes_of(print.to_uint64(), 8);
  }

  void insert(const fingerprint& print, std::uint64_t id) {
    change(print, [&](std::string& ids) { ids += bytes_of(id, 8); });
  }
  void erase(const fingerprint& print, std::uint64_t id) {
    change(print, [&](std::string& ids) {
      for (std::size_t i = 0; i < ids.size(); i += 8) {
        if (number_in(std::string_view(ids).substr(i, 8)) == id) return void(ids.erase(i, 8));
      }
    });
  }

  /// Returns the matches within k bits. Scans, in each table, the rows with the value of `query`. Precondition: k <= 3.
  std::vector<match> search(const fingerprint& query, int k) {
    std::vector<match> found;
    for (int flag = 1; flag <= tables_.count(); ++flag) {
      const std::uint64_t segment = tables_.value(query, flag);
      store_.scan(prefix(segment, flag), prefix(segment, flag + 1), [&](std::string_view key, std::string_view ids) {
        const fingerprint other(number_in(key.substr(5)));
        const int distance = hamming_distance(query, other);
        if (distance > k || !tables_.is_first(query, other, flag)) return;
        for (std::size_t i = 0; i < ids.size(); i += 8) found.push_back({number_in(ids.substr(i, 8)), distance});
      });
    }
    return found;
  }

 private:
  template <class Change>
  void change(const fingerprint& print, const Change& change) {
    for (int flag = 1; flag <= tables_.count(); ++flag) {
      const std::string key = key_of(print, flag);
      std::string ids = store_.get(key);
      change(ids);
      if (ids.empty()) {
        store_.erase(key);
      } else {
        store_.put(key, ids);
      }
    }
  }

  Store& store_;
  tables tables_;
};

/// Four copies of the table of fingerprints, as one of the articles describes them. A fingerprint has the segments A1 to
/// A4 of 2 bytes each. In the first copy, the key is A1, and each entry of the value has A2-A3-A4. In the second copy,
/// the key is A2, and each entry has A1-A3-A4, and so on. A byte with the copy's number precedes the key. An entry ends
/// with an id of 8 bytes.
template <class Store>
class four_copies {
 public:
  explicit four_copies(Store& store) : store_(store) {}

  void insert(const fingerprint& print, std::uint64_t id) {
    for (int copy = 1; copy <= 4; ++copy) {
      const auto [key, rest] = row_of(print, copy);
      store_.put(key, store_.get(key) + rest + bytes_of(id, 8));
    }
  }
  void erase(const fingerprint& print, std::uint64_t id) {
    for (int copy = 1; copy <= 4; ++copy) {
      const auto [key, rest] = row_of(print, copy);
      std::string value = store_.get(key);
      const std::string gone = rest + bytes_of(id, 8);
      for (std::size_t i = 0; i < value.size(); i += entry) {
        if (value.compare(i, entry, gone) == 0) {
          value.erase(i, entry);
          break;
        }
      }
      if (value.empty()) {
        store_.erase(key);
      } else {
        store_.put(key, value);
      }
    }
  }

  /// Returns the matches within k bits, by one look-up in each copy. Precondition: k <= 3.
  std::vector<match> search(const fingerprint& query, int k) {
    std::vector<match> found;
    for (int copy = 1; copy <= 4; ++copy) {
      const auto [key, rest] = row_of(query, copy);
      const std::string value = store_.get(key);
      for (std::size_t i = 0; i < value.size(); i += entry) {
        const std::string_view one = std::string_view(value).substr(i, entry);
        const int distance = hamming_distance(fingerprint(number_in(one.substr(0, 6))), fingerprint(number_in(rest)));
        if (distance <= k && !is_of_earlier_copy(one, rest, copy))
          found.push_back({number_in(one.substr(6)), distance});
      }
    }
    return found;
  }

 private:
  static constexpr std::size_t entry = 14;
  struct row {
    std::string key;
    std::string rest;
  };

  static row row_of(const fingerprint& print, int copy) {
    const std::string all = bytes_of(print.to_uint64(), 8);
    const std::size_t place = 2 * (static_cast<std::size_t>(copy) - 1);
    return {static_cast<char>(copy) + all.substr(place, 2), all.substr(0, place) + all.substr(place + 2)};
  }
  /// Returns true if the two fingerprints also have the same key in an earlier copy of the table. `one` and `other` are
  /// the fingerprints without the key of `copy`. They begin with the segments that are the keys of earlier copies.
  static bool is_of_earlier_copy(std::string_view one, std::string_view other, int copy) {
    for (std::size_t i = 0; i < 2 * (static_cast<std::size_t>(copy) - 1); i += 2) {
      if (one.substr(i, 2) == other.substr(i, 2)) return true;
    }
    return false;
  }

  Store& store_;
};

/// The rows in Redis: a set for each value of each table. The key consists of the flag, counted from 1, and the value.
/// A member consists of the fingerprint and the id, in 8 bytes each. `Sets` has add(key, member), remove(key, member),
/// and members(key), which returns all members.
template <class Sets>
class redis_sets {
 public:
  redis_sets(Sets& sets, int blocks) : sets_(sets), tables_(blocks) {}

  static std::string key(std::uint64_t segment, int flag) {
    return "simhash:" + std::to_string(flag) + ':' + std::to_string(segment);
  }

  void insert(const fingerprint& print, std::uint64_t id) {
    for (int flag = 1; flag <= tables_.count(); ++flag)
      sets_.add(key(tables_.value(print, flag), flag), bytes_of(print.to_uint64(), 8) + bytes_of(id, 8));
  }
  void erase(const fingerprint& print, std::uint64_t id) {
    for (int flag = 1; flag <= tables_.count(); ++flag)
      sets_.remove(key(tables_.value(print, flag), flag), bytes_of(print.to_uint64(), 8) + bytes_of(id, 8));
  }

  /// Finds the fingerprints within k bits of `query`, each once. Reads one set for each of the 4 or 10 tables, and
  /// compares every member.
  /// Precondition: k <= 3.
  std::vector<match> search(const fingerprint& query, int k) {
    std::vector<match> found;
    for (int flag = 1; flag <= tables_.count(); ++flag) {
      for (const std::string& member : sets_.members(key(tables_.value(query, flag), flag))) {
        const fingerprint other(number_in(std::string_view(member).substr(0, 8)));
        const int distance = hamming_distance(query, other);
        if (distance <= k && tables_.is_first(query, other, flag))
          found.push_back({number_in(std::string_view(member).substr(8)), distance});
      }
    }
    return found;
  }

 private:
  Sets& sets_;
  tables tables_;
};

}  // namespace published
