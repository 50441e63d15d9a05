// SPDX-License-Identifier: MIT
// The weighters idf and tf_idf, in which rare tokens weigh most. Also any_weighter, for programs that choose a weighter
// at run time.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/compiled.hpp"
#include "../detail/large_array.hpp"
#include "../detail/mutex.hpp"
#include "../error.hpp"
#include "hashers.hpp"
#include "idf_table.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The values of an IDF table, looked up by hash. The hash of a term is its 64-bit XXH3 with one seed. The texts of the
/// terms are not stored. Objects are immutable.
///
/// The values are in a hash table with open addressing, at most half full. Entries are stored in the hash table itself,
/// which saves a cache miss per lookup compared with distinct_hashes and feature_bag. If several terms have the same
/// hash, the greatest value is kept. One IDF table of 100,000 terms in 3.7 * 10^9 has such a collision.
class hashed_idf {
 public:
  /// Makes a table. If `exact` is true, a value is a number in units of 10^-11; otherwise it is a weight in units of
  /// 1/256.
  hashed_idf(const idf_table& table, std::uint64_t seed, bool exact = false);

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// Returns a digest of all hashes and values. Different tables almost surely have different digests.
  [[nodiscard]] std::uint64_t identity() const noexcept {
    std::uint64_t sum = mix(median_);
    for (const entry& e : entries_.span()) {
      if (e.value_and_1 != 0) sum += mix(e.hash + mix(e.value_and_1));
    }
    return sum;
  }

  /// Prefetches the entry that value(hash) reads.
  void prefetch(std::uint64_t hash) const noexcept { detail::prefetch(&entries_[home_slot(hash)]); }

  /// Returns the value of the term with this hash, or the median value if the table has no such term.
  [[nodiscard]] std::uint64_t value(std::uint64_t hash) const noexcept {
    std::size_t slot = home_slot(hash);
    while (entries_[slot].value_and_1 != 0 && entries_[slot].hash != hash) slot = next(slot);
    return entries_[slot].value_and_1 != 0 ? entries_[slot].value_and_1 - 1 : median_;
  }

 private:
  struct entry {
    std::uint64_t hash;
    std::uint64_t value_and_1;  // value + 1; 0: a free entry
  };

  // The highest bits of a hash are its index in entries_, because XXH3 distributes these bits uniformly.
  [[nodiscard]] std::size_t home_slot(std::uint64_t hash) const noexcept {
    return shift_ == 64 ? 0 : detail::to_size(hash >> shift_);
  }
  [[nodiscard]] std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & (entries_.size() - 1); }

  std::uint64_t seed_;
  std::uint64_t median_;
  large_array<entry> entries_;  // size: a power of two
  int shift_ = 0;               // 64 - log2(size)
};

/// The IDF table of a weighter. The object also has a hashed_idf of this table for each seed that was requested. Copies
/// share the tables.
/// Thread safety: several threads may call all members at once.
class shared_idf_table {
 public:
  explicit shared_idf_table(idf_table table) : shared_idf_table(std::make_shared<const idf_table>(std::move(table))) {}
  /// Makes an object from a table that several weighters share.
  /// Throws: std::invalid_argument if the pointer is null.
  explicit shared_idf_table(std::shared_ptr<const idf_table> table)
      : table_(std::move(table)), hashed_(std::make_shared<hashed_tables>()) {
    if (table_ == nullptr) fail<std::invalid_argument>("a weighter by rarity needs an idf table");
  }

  [[nodiscard]] const idf_table& table() const noexcept { return *table_; }

  /// Returns the hashed_idf for this seed. The first call for a seed makes it from the IDF table.
  [[nodiscard]] const hashed_idf& by_hash(std::uint64_t seed) const;

 private:
  struct node {
    hashed_idf table;
    const node* next;
  };
  // A linked list that grows only at its front. So readers need no lock.
  struct hashed_tables {
    hashed_tables() = default;
    hashed_tables(const hashed_tables&) = delete;
    hashed_tables& operator=(const hashed_tables&) = delete;
    ~hashed_tables() {
      for (const node* n = first.load(std::memory_order_relaxed); n != nullptr;) delete std::exchange(n, n->next);
    }

    /// Returns the node of the list with the table for a seed, or nullptr.
    [[nodiscard]] const node* find(std::uint64_t seed) const noexcept {
      const node* n = first.load(std::memory_order_acquire);
      while (n != nullptr && n->table.seed() != seed) n = n->next;
      return n;
    }

    std::atomic<const node*> first = nullptr;
    detail::mutex_type growing;
  };

  std::shared_ptr<const idf_table> table_;
  std::shared_ptr<hashed_tables> hashed_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE hashed_idf::hashed_idf(const idf_table& table, std::uint64_t seed, bool exact)
    : seed_(seed),
      median_(exact ? table.median_exact() : table.median().raw()),
      entries_(std::bit_ceil(2 * table.size() + 1)) {
  std::fill_n(entries_.data(), entries_.size(), entry{0, 0});
  shift_ = 64 - bit_width(entries_.size() - 1);
  table.for_each_exact([&](std::string_view term, std::uint64_t value) {
    const std::uint64_t hash = XXH3_64bits_withSeed(term.data(), term.size(), seed);
    std::size_t slot = home_slot(hash);
    while (entries_[slot].value_and_1 != 0 && entries_[slot].hash != hash) slot = next(slot);
    const std::uint64_t kept = (exact ? value : weight_of_exact(value).raw()) + 1;
    entries_[slot] = {hash, (std::max)(entries_[slot].value_and_1, kept)};
  });
}

NEARDUP_INLINE const hashed_idf& shared_idf_table::by_hash(std::uint64_t seed) const {
  const node* found = hashed_->find(seed);
  if (found != nullptr) return found->table;
  const std::lock_guard guard(hashed_->growing);
  found = hashed_->find(seed);
  if (found == nullptr) {
    found = new node{hashed_idf(*table_, seed), hashed_->first.load(std::memory_order_relaxed)};
    hashed_->first.store(found, std::memory_order_release);
  }
  return found->table;
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// Gives each distinct token its inverse document frequency as weight, whatever its count.
class idf : public detail::shared_idf_table {
 public:
  using shared_idf_table::shared_idf_table;
  weight operator()(std::string_view token, std::uint64_t /*count*/) const { return table().lookup(token); }
};

/// Gives each occurrence of a token the inverse document frequency of the token as weight.
class tf_idf : public detail::shared_idf_table {
 public:
  using shared_idf_table::shared_idf_table;
  [[nodiscard]] weight per_occurrence(std::string_view token) const { return table().lookup(token); }
};

namespace detail {

template <>
inline constexpr bool asks_idf_table<idf> = true;
template <>
inline constexpr bool asks_idf_table<tf_idf> = true;

}  // namespace detail

namespace detail {

/// The weighters that any_weighter can choose. Levels may replace their weights afterwards.
enum class weight_kind { unit, tf, log_tf, idf, tf_idf };
inline constexpr std::string_view weight_kind_names[] = {"unit", "tf", "logtf", "idf", "tfidf"};

/// Returns the weight of a token that occurs `count` times, in units of 1/256. `value()` returns the value of the token
/// in an IDF table.
template <weight_kind Kind, class Value>
std::uint64_t units_of_kind(std::uint64_t count, const Value& value) {
  if constexpr (Kind == weight_kind::tf) {
    return units_of_all(weight::one, count);
  } else if constexpr (Kind == weight_kind::log_tf) {
    return log_tf{}(count).raw();
  } else if constexpr (Kind == weight_kind::idf) {
    return value();
  } else if constexpr (Kind == weight_kind::tf_idf) {
    return units_of_all(value(), count);
  } else {
    return weight::one;
  }
}

/// Calls `use` with the kind `kind` as a compile-time constant.
template <class Use>
decltype(auto) with_weight_kind(weight_kind kind, const Use& use) {
  switch (kind) {
    case weight_kind::tf: return use(std::integral_constant<weight_kind, weight_kind::tf>{});
    case weight_kind::log_tf: return use(std::integral_constant<weight_kind, weight_kind::log_tf>{});
    case weight_kind::idf: return use(std::integral_constant<weight_kind, weight_kind::idf>{});
    case weight_kind::tf_idf: return use(std::integral_constant<weight_kind, weight_kind::tf_idf>{});
    case weight_kind::unit: break;
  }
  return use(std::integral_constant<weight_kind, weight_kind::unit>{});
}

/// The weights of a weighter that was chosen at run time. Levels may replace the weights afterwards.
class chosen_weights {
  /// Computes the weight of a token from its hash and its count.
  template <weight_kind Kind>
  struct hashed {
    const hashed_idf* table;  // nullptr if the kind needs no table

    void prefetch([[maybe_unused]] std::uint64_t hash) const noexcept {
      if constexpr (Kind == weight_kind::idf || Kind == weight_kind::tf_idf) table->prefetch(hash);
    }
    [[nodiscard]] std::uint64_t units(std::uint64_t hash, std::uint64_t count) const {
      return units_of_kind<Kind>(count, [&] { return table->value(hash); });
    }
  };

 public:
  chosen_weights(weight_kind kind, std::optional<shared_idf_table> table) : kind_(kind), table_(std::move(table)) {}

  /// Returns the weight of a token that occurs `count` times, in units of 1/256.
  [[nodiscard]] std::uint64_t units(std::string_view token, std::uint64_t count) const {
    return units_by(count, [&] { return table_->table().lookup(token).raw(); });
  }
  /// Returns the weight of a token that occurs `count` times, in units of 1/256. `value()` returns the value of the
  /// token in the table.
  template <class Value>
  [[nodiscard]] std::uint64_t units_by(std::uint64_t count, const Value& value) const {
    return with_weight_kind(kind_, [&](auto kind) { return units_of_kind<kind()>(count, value); });
  }

  /// Calls `use(table)`. table.units(hash, count) is the weight of the token whose XXH3 is `hash`. Each kind has its
  /// own type of table. If the kind were looked up for each token, a fingerprint with log_tf would take 11 % more time.
  template <class Use>
  void with_table(std::uint64_t seed, const Use& use) const {
    with_weight_kind(kind_, [&](auto kind) { use(hashed<kind()>{table_ ? &table_->by_hash(seed) : nullptr}); });
  }

  [[nodiscard]] weight_kind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::optional<shared_idf_table>& table() const noexcept { return table_; }

 private:
  weight_kind kind_;
  std::optional<shared_idf_table> table_;
};

template <>
inline constexpr bool asks_idf_table<chosen_weights> = true;

}  // namespace detail

/// A weighter that is chosen at run time, as one type for all choices. The fingerprints are the same as with the chosen
/// weighter's own type. The hasher has to be xxh3. Code that is generic over the weighter is compiled once, not once
/// for each kind and rule of levels.
/// Thread safety: several threads may call const members at once.
/// Example: `simhasher hash{words{}, any_weighter{any_weighter::parse("levels:5:tf")}};`
class any_weighter {
 public:
  using kinds = detail::weight_kind;

  /// A choice of weights: a kind, and the number n of levels if levels replace the weights.
  struct choice {
    kinds kind = kinds::unit;
    std::size_t levels = 0;  ///< the number of levels; 0 if the weights stay as they are
    bool by_rank = false;    ///< true for quantile_levels, false for neardup::levels

    /// Returns true if the weights need an IDF table.
    [[nodiscard]] constexpr bool needs_table() const noexcept { return kind == kinds::idf || kind == kinds::tf_idf; }
    /// Returns the name of the choice, such as "logtf" or "levels:5:tf". parse() can parse the name.
    [[nodiscard]] std::string name() const {
      const std::string of_kind(detail::weight_kind_names[static_cast<std::size_t>(kind)]);
      if (levels == 0) return of_kind;
      return (by_rank ? "quantiles:" : "levels:") + std::to_string(levels) + ":" + of_kind;
    }

    friend constexpr bool operator==(const choice&, const choice&) = default;
  };

  /// Parses the name of a choice. A name is "unit", "tf", "logtf", "idf" or "tfidf", or one of these names except
  /// "unit" after "levels:N:" or "quantiles:N:". N is a number from 1 to 65535. "levels:N" is short for "levels:N:tf",
  /// and "quantiles:N" is short for "quantiles:N:tf".
  /// Throws: std::invalid_argument for any other name.
  [[nodiscard]] static choice parse(std::string_view name);

  /// Makes the weighter that `wanted` names.
  /// Throws: std::invalid_argument if `wanted` needs an IDF table and `table` is null.
  explicit any_weighter(const choice& wanted, const std::shared_ptr<const idf_table>& table = nullptr)
      : chosen(wanted),
        inner(wanted.kind, wanted.needs_table() ? std::optional<detail::shared_idf_table>(table) : std::nullopt) {}

  template <std::size_t Words>
  void adjust(std::vector<weighted_token<Words>>& tokens) const {
    if (chosen.levels == 0) return;
    if (chosen.by_rank) return quantile_levels<unit>{chosen.levels, {}}.adjust(tokens);
    levels<unit>{chosen.levels, {}}.adjust(tokens);
  }

  /// Calls `use(weighter)` with the weighter that `wanted` names. Its type is unit or tf for these two kinds without
  /// levels, because they need no counts of tokens, and otherwise any_weighter. So `use` is compiled for three types.
  /// Throws: std::invalid_argument if `wanted` needs an IDF table and `table` is null.
  /// Returns: the result of `use`.
  template <class Use>
  static decltype(auto) with(const choice& wanted, const std::shared_ptr<const idf_table>& table, Use&& use) {
    if (wanted == choice{}) return std::forward<Use>(use)(unit{});
    if (wanted == choice{kinds::tf}) return std::forward<Use>(use)(tf{});
    return std::forward<Use>(use)(any_weighter(wanted, table));
  }

  choice chosen;
  detail::chosen_weights inner;  ///< gives the weights that adjust() changes
};

#if NEARDUP_BODIES

NEARDUP_INLINE any_weighter::choice any_weighter::parse(std::string_view name) {
  constexpr std::size_t max_levels = 65535;
  choice result;
  std::string_view kind = name;
  bool is_right = true;
  for (const std::string_view prefix : {std::string_view("levels:"), std::string_view("quantiles:")}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view number = name.substr(prefix.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), result.levels);
    kind = number.substr(static_cast<std::size_t>(end - number.data()));
    is_right = error == std::errc{} && result.levels >= 1 && result.levels <= max_levels &&
               (kind.empty() || kind.front() == ':') && kind != ":unit";
    kind = kind.empty() ? "tf" : kind.substr(1);
    result.by_rank = prefix.front() == 'q';
  }
  const auto* const found = std::find(std::begin(detail::weight_kind_names), std::end(detail::weight_kind_names), kind);
  if (!is_right || found == std::end(detail::weight_kind_names)) {
    detail::fail<std::invalid_argument>(
        {"'", name,
         "': weights are unit, tf, logtf, idf or tfidf, or levels:N or quantiles:N of tf, levels:N:W or quantiles:N:W "
         "of W, N from 1 to 65535"});
  }
  result.kind = static_cast<kinds>(found - std::begin(detail::weight_kind_names));
  return result;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
