// The interface of the indexes that grow and shrink.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "../../simhash.hpp"
#include "engine.hpp"
#include "searchable.hpp"

namespace neardup::inline v0 {

/// A searchable set of (fingerprint, id) pairs to insert into and erase from.
///
/// Not used by this name: pigeonhole_index, dynamic_index and flat_index are this interface over different tables.
/// Guarantee: what throws leaves the index unchanged.
/// `Shape` only keeps indexes of different layouts apart as types.
template <std::size_t Bits, class Id, class Offset, class Tables, class Shape>
class basic_index : public searchable<Bits, Id, detail::engine<detail::words_for(Bits), Id, Offset, Tables>> {
  static_assert(std::unsigned_integral<Offset> && !std::same_as<Offset, bool>,
                "neardup: Offset numbers the stored fingerprints; write an unsigned integer such as std::uint32_t");

  using engine_type = detail::engine<detail::words_for(Bits), Id, Offset, Tables>;
  using base = searchable<Bits, Id, engine_type>;
  using base::engine;

 public:
  using fingerprint_type = simhash<Bits>;
  using offset_type = Offset;

  /// The most distinct fingerprints that the index can hold.
  [[nodiscard]] static constexpr std::size_t max_distinct_size() noexcept { return engine_type::store_type::max_slots; }

  /// Stores a pair.
  /// Returns: false if that pair is there already.
  /// Throws: std::length_error if there are max_distinct_size() fingerprints and this is another, or if this or one of
  /// the eight before it share a key with 2^26 - 1 others; std::bad_alloc.
  /// Complexity: amortised O(tables), and O(log n) for n ids of one fingerprint.
  bool insert(const fingerprint_type& fingerprint, const Id& id) { return engine().insert(fingerprint.to_words(), id); }

  /// Removes a pair.
  /// Returns: whether it was there.
  /// Complexity: O(log n) for n ids of one fingerprint; with the last of them O(tables), and a look through the bucket
  /// in each, sixteen entries at a time, as a search has it.
  bool erase(const fingerprint_type& fingerprint, const Id& id) noexcept {
    return engine().erase(fingerprint.to_words(), id);
  }

  /// Removes a fingerprint with all its ids.
  /// Returns: the number of ids that it had.
  std::size_t erase(const fingerprint_type& fingerprint) noexcept { return engine().erase(fingerprint.to_words()); }

  /// Removes everything; memory is kept for reuse.
  void clear() noexcept { engine().clear(); }

  /// Makes room for `count` different fingerprints in all.
  /// Throws: std::length_error if count > max_distinct_size(); std::bad_alloc.
  void reserve(std::size_t count) { engine().reserve(count); }

  void swap(basic_index& other) noexcept { engine().swap(other.engine()); }

  /// Whether both hold the same pairs.
  friend bool operator==(const basic_index& a, const basic_index& b) {
    return a.engine().store() == b.engine().store();
  }

 protected:
  explicit basic_index(Tables tables) noexcept : base(engine_type(std::move(tables))) {}
  basic_index(const basic_index&) = default;
  basic_index(basic_index&&) noexcept = default;
  basic_index& operator=(const basic_index&) = default;
  basic_index& operator=(basic_index&&) noexcept = default;
  ~basic_index() = default;

  [[nodiscard]] const Tables& tables() const noexcept { return engine().tables(); }
};

}  // namespace neardup::inline v0
