// Remembers which sets of features occurred before, by hashes of the sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <neardup/fingerprint/hashers.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "../compare/check.hpp"

namespace command {

/// Remembers a hash of 128 bits of each set. This takes 20 to 27 bytes per set; the set itself would take 4 bytes per
/// feature. The probability that two of n different sets have the same hash is n^2 / 2^129. For a billion sets it is
/// 1.5e-21.
class seen_sets {
 public:
  /// Inserts a set.
  /// Returns: true if the set did not occur before.
  /// Precondition: the set is not empty.
  bool insert(feature_set set) {
    hash_type hash = hasher_({reinterpret_cast<const char*>(set.data()), set.size_bytes()});
    if (hash == none) hash[0] = 1;
    return tables_[hash[1] % tables_.size()].insert(hash);
  }

 private:
  using hash_type = std::array<std::uint64_t, 2>;
  static constexpr hash_type none{};

  /// A hash table with open addressing. When four fifths of it are full, it grows by a third.
  class table {
   public:
    bool insert(const hash_type& hash) {
      if (5 * size_ >= 4 * hashes_.size()) grow();
      hash_type& place = place_of(hash);
      if (place == hash) return false;
      place = hash;
      ++size_;
      return true;
    }

   private:
    /// Returns the place of a hash. If the table does not have the hash, returns the first free place at or after the
    /// home place of the hash.
    hash_type& place_of(const hash_type& hash) {
      auto at = static_cast<std::size_t>((hash[0] >> 32) * hashes_.size() >> 32);
      while (hashes_[at] != none && hashes_[at] != hash) at = at + 1 == hashes_.size() ? 0 : at + 1;
      return hashes_[at];
    }

    void grow() {
      std::vector<hash_type> old(hashes_.size() + hashes_.size() / 3 + 16);
      hashes_.swap(old);
      for (const hash_type& hash : old) {
        if (hash != none) place_of(hash) = hash;
      }
    }

    std::vector<hash_type> hashes_;
    std::size_t size_ = 0;
  };

  neardup::xxh3<128> hasher_;
  std::array<table, 256> tables_;  // while a table grows, only this table exists twice
};

}  // namespace command
