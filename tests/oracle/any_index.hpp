// An interface for indexes of any type. So the tests of the indexes' promises are written and compiled once.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neardup/index.hpp>
#include <neardup/storage.hpp>

namespace oracle {

/// A fingerprint of up to 256 bits, highest word first, so that arrays compare like numbers.
using code = std::array<std::uint64_t, 4>;

template <class Fingerprint>
Fingerprint to_fingerprint(const code& number) {
  typename Fingerprint::words_type words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = number[3 - i];
  return Fingerprint(words);
}
template <class Fingerprint>
code to_code(const Fingerprint& fingerprint) {
  code number{};
  for (std::size_t i = 0; i < fingerprint.to_words().size(); ++i) number[3 - i] = fingerprint.to_words()[i];
  return number;
}

/// An id of 16 bytes.
struct wide_id {
  std::uint64_t shard = 0, number = 0;
  friend auto operator<=>(const wide_id&, const wide_id&) = default;
};

/// Maps small numbers to ids of any type, preserving their order.
template <class Id>
Id to_id(unsigned number) {
  if constexpr (std::same_as<Id, wide_id>) {
    return {number / 7, number % 7};
  } else {
    return static_cast<Id>(number);
  }
}
template <class Id>
unsigned to_number(const Id& id) {
  if constexpr (std::same_as<Id, wide_id>) {
    return static_cast<unsigned>(id.shard * 7 + id.number);
  } else {
    return static_cast<unsigned>(id);
  }
}

struct stored_pair {
  code fingerprint;
  unsigned id;
  friend auto operator<=>(const stored_pair&, const stored_pair&) = default;
};
/// A match, whose members are in the order by which searches sort.
struct found_pair {
  int distance;
  unsigned id;
  code fingerprint;
  friend auto operator<=>(const found_pair&, const found_pair&) = default;
};

class any_index {
 public:
  any_index() = default;
  any_index(const any_index&) = delete;
  any_index& operator=(const any_index&) = delete;
  virtual ~any_index() = default;

  // Properties of the type.
  virtual bool can_change() const = 0;
  virtual bool has_equality() const = 0;
  virtual std::size_t max_distinct_size() const = 0;

  // Value semantics; `other` has the same type.
  virtual std::unique_ptr<any_index> copy() const = 0;
  virtual std::unique_ptr<any_index> move() = 0;
  virtual void assign(const any_index& other) = 0;
  virtual void take(any_index& other) = 0;
  virtual void swap(any_index& other) = 0;
  virtual bool equals(const any_index& other) const = 0;

  // Changes, if can_change().
  virtual bool insert(const stored_pair& pair) = 0;
  virtual bool erase(const stored_pair& pair) = 0;
  virtual std::size_t erase(const code& fingerprint) = 0;
  virtual void clear() = 0;
  virtual void reserve(std::size_t count) = 0;

  // Content.
  virtual std::vector<stored_pair> pairs() const = 0;
  virtual bool contains(const stored_pair& pair) const = 0;
  virtual bool contains(const code& fingerprint) const = 0;
  virtual std::size_t size() const = 0;
  virtual bool empty() const = 0;
  virtual std::size_t distinct_size() const = 0;
  virtual std::size_t memory_usage() const = 0;

  // Searches.
  virtual int max_distance() const = 0;
  virtual int default_distance() const = 0;
  virtual std::vector<found_pair> search(const code& query, std::optional<int> k) const = 0;
  virtual std::vector<std::vector<found_pair>> search_batch(const std::vector<code>& queries,
                                                            std::optional<int> k) const = 0;
  virtual std::vector<found_pair> visited(const code& query, int k, std::size_t most) const = 0;
  virtual bool any_within(const code& query, std::optional<int> k) const = 0;
  virtual std::optional<found_pair> nearest(const code& query, std::optional<int> k) const = 0;
  virtual std::size_t count_compared(const code& query, std::optional<int> k) const = 0;

  // Files and frozen copies, whose searches other products test.
  virtual void save(const std::string& path) const = 0;
  virtual std::unique_ptr<any_index> load(const std::string& path) const = 0;
  virtual std::vector<stored_pair> verified_pairs(const std::string& path) const = 0;
  virtual std::vector<stored_pair> frozen_pairs() const = 0;
};

template <class Index>
class any_index_of final : public any_index {
 public:
  using fingerprint_type = typename Index::fingerprint_type;
  using id_type = typename Index::id_type;
  using view_type = neardup::index_view<Index::bits, id_type, typename Index::offset_type, fingerprint_type>;

  explicit any_index_of(Index index) : index_(std::move(index)) {}

  bool can_change() const override { return changes; }
  bool has_equality() const override { return std::equality_comparable<Index>; }
  std::size_t max_distinct_size() const override { return Index::max_distinct_size(); }

  std::unique_ptr<any_index> copy() const override { return std::make_unique<any_index_of>(Index(index_)); }
  std::unique_ptr<any_index> move() override { return std::make_unique<any_index_of>(std::move(index_)); }
  void assign(const any_index& other) override { index_ = of(other); }
  void take(any_index& other) override { index_ = std::move(static_cast<any_index_of&>(other).index_); }
  void swap(any_index& other) override {
    using std::swap;
    swap(index_, static_cast<any_index_of&>(other).index_);
  }
  bool equals(const any_index& other) const override {
    if constexpr (std::equality_comparable<Index>) return index_ == of(other) && !(index_ != of(other));
    return false;
  }

  bool insert(const stored_pair& pair) override {
    if constexpr (changes) return index_.insert(to_fingerprint<fingerprint_type>(pair.fingerprint), id_of(pair));
    return false;
  }
  bool erase(const stored_pair& pair) override {
    if constexpr (changes) return index_.erase(to_fingerprint<fingerprint_type>(pair.fingerprint), id_of(pair));
    return false;
  }
  std::size_t erase(const code& fingerprint) override {
    if constexpr (changes) return index_.erase(to_fingerprint<fingerprint_type>(fingerprint));
    return 0;
  }
  void clear() override {
    if constexpr (changes) index_.clear();
  }
  void reserve(std::size_t count) override {
    if constexpr (changes) index_.reserve(count);
  }

  std::vector<stored_pair> pairs() const override { return pairs_of(index_); }
  bool contains(const stored_pair& pair) const override {
    return index_.contains(to_fingerprint<fingerprint_type>(pair.fingerprint), id_of(pair));
  }
  bool contains(const code& fingerprint) const override {
    return index_.contains(to_fingerprint<fingerprint_type>(fingerprint));
  }
  std::size_t size() const override { return index_.size(); }
  bool empty() const override { return index_.empty(); }
  std::size_t distinct_size() const override { return index_.distinct_size(); }
  std::size_t memory_usage() const override {
    if constexpr (requires { index_.memory_usage(); }) return index_.memory_usage();
    return 1;
  }

  int max_distance() const override { return index_.max_distance(); }
  int default_distance() const override { return index_.default_distance(); }
  std::vector<found_pair> search(const code& query, std::optional<int> k) const override {
    const auto value = to_fingerprint<fingerprint_type>(query);
    std::vector<found_pair> result;
    for (const auto& match : k ? index_.search(value, *k) : index_.search(value)) result.push_back(found(match));
    return result;
  }
  std::vector<std::vector<found_pair>> search_batch(const std::vector<code>& queries,
                                                    std::optional<int> k) const override {
    std::vector<fingerprint_type> values;
    for (const code& query : queries) values.push_back(to_fingerprint<fingerprint_type>(query));
    const auto batch = k ? index_.search_batch(values, *k) : index_.search_batch(values);
    std::vector<std::vector<found_pair>> result(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const auto& match : batch[i]) result[i].push_back(found(match));
    }
    return result;
  }
  std::vector<found_pair> visited(const code& query, int k, std::size_t most) const override {
    std::vector<found_pair> result;
    index_.for_each_match(to_fingerprint<fingerprint_type>(query), k, [&](const typename Index::match_type& match) {
      result.push_back(found(match));
      return result.size() < most;
    });
    std::sort(result.begin(), result.end());
    return result;
  }
  bool any_within(const code& query, std::optional<int> k) const override {
    return index_.any_within(to_fingerprint<fingerprint_type>(query), k);
  }
  std::optional<found_pair> nearest(const code& query, std::optional<int> k) const override {
    const auto match = index_.nearest(to_fingerprint<fingerprint_type>(query), k);
    return match ? std::optional(found(*match)) : std::nullopt;
  }

  std::size_t count_compared(const code& query, std::optional<int> k) const override {
    return index_.count_compared(to_fingerprint<fingerprint_type>(query), k);
  }

  void save(const std::string& path) const override { neardup::save(path, index_, made_of()); }
  std::unique_ptr<any_index> load(const std::string& path) const override {
    if constexpr (std::same_as<Index, view_type>) {
      return std::make_unique<any_index_of>(view_type{neardup::mapped_file(path)});
    } else {
      return std::make_unique<any_index_of>(neardup::load<Index>(path, made_of()));
    }
  }
  std::vector<stored_pair> verified_pairs(const std::string& path) const override {
    const view_type view{neardup::mapped_file(path)};
    view.verify();
    return pairs_of(view);
  }
  std::vector<stored_pair> frozen_pairs() const override {
    if constexpr (requires { index_.shape(); }) {
      return pairs_of(neardup::freeze(index_));
    } else {
      return pairs_of(neardup::freeze(index_, 3, 2));
    }
  }

  static neardup::fingerprint_composition made_of() { return {.kind = fingerprint_type::kind, .tokenizer = "any"}; }

 private:
  static constexpr bool changes = requires(Index & index) { index.clear(); };

  template <class Some>
  static std::vector<stored_pair> pairs_of(const Some& index) {
    std::vector<stored_pair> result;
    for (const auto& pair : index) result.push_back({to_code(pair.fingerprint), to_number(pair.id)});
    std::sort(result.begin(), result.end());
    return result;
  }
  static const Index& of(const any_index& other) { return static_cast<const any_index_of&>(other).index_; }
  static id_type id_of(const stored_pair& pair) { return to_id<id_type>(pair.id); }
  static found_pair found(const typename Index::match_type& match) {
    return {match.distance, to_number(match.id), to_code(match.fingerprint)};
  }

  Index index_;
};

}  // namespace oracle
