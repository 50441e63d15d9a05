// An index with a model: each call goes to both, and their answers must agree.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "index_check.hpp"
#include "index_model.hpp"

namespace oracle {

template <class Index>
class checked_index {
 public:
  using fingerprint_type = typename Index::fingerprint_type;
  using id_type = typename Index::id_type;
  using model_type = index_model<Index::bits, id_type>;

  explicit checked_index(Index index) : index_(std::move(index)) {}
  checked_index(const checked_index&) = default;
  checked_index(checked_index&&) = default;
  checked_index& operator=(const checked_index&) = default;
  checked_index& operator=(checked_index&&) = default;

  void insert(const fingerprint_type& fingerprint, const id_type& id) {
    expect(index_.insert(fingerprint, id) == model_.insert(fingerprint, id), "insert");
    expect_sizes();
  }
  void erase(const fingerprint_type& fingerprint, const id_type& id) {
    expect(index_.erase(fingerprint, id) == model_.erase(fingerprint, id), "erase of a pair");
    expect_sizes();
  }
  void erase(const fingerprint_type& fingerprint) {
    expect(index_.erase(fingerprint) == model_.erase(fingerprint), "erase of a fingerprint");
    expect_sizes();
  }
  void contains(const fingerprint_type& fingerprint, const id_type& id) const {
    expect(index_.contains(fingerprint, id) == model_.contains(fingerprint, id), "contains of a pair");
    expect(index_.contains(fingerprint) == model_.contains(fingerprint), "contains of a fingerprint");
  }
  void search(const fingerprint_type& query, int k) const {
    const auto expected = model_.search(query, k);
    expect(index_.search(query, k) == expected, "search");
    expect(index_.any_within(query, k) == !expected.empty(), "any_within");
    const auto nearest = index_.nearest(query, k);
    expect(nearest.has_value() == !expected.empty() && (!nearest || *nearest == expected.front()), "nearest");
  }
  void clear() {
    index_.clear();
    model_.clear();
    expect_sizes();
  }
  void reserve(std::size_t count) {
    index_.reserve(count);
    expect_sizes();
  }
  void swap(checked_index& other) {
    index_.swap(other.index_);
    std::swap(model_, other.model_);
    expect_sizes();
    other.expect_sizes();
  }
  /// Moves from `other`, which must be empty and usable afterwards.
  void take(checked_index& other) {
    index_ = std::move(other.index_);
    model_ = std::exchange(other.model_, {});
    expect_sizes();
    other.expect_sizes();
  }
  void compare(const checked_index& other) const {
    expect((index_ == other.index_) == (model_.pairs() == other.model_.pairs()), "==");
    expect((index_ != other.index_) == (model_.pairs() != other.model_.pairs()), "!=");
  }
  /// Compares the whole content of the index with the model.
  void walk() const {
    const auto pairs = pairs_of(index_);
    expect(std::equal(pairs.begin(), pairs.end(), model_.pairs().begin(), model_.pairs().end()), "iteration");
    expect(model_.distinct_size() == index_.distinct_size(), "distinct_size");
  }

  const model_type& model() const { return model_; }
  const Index& index() const { return index_; }

 private:
  static void expect(bool holds, const char* what) {
    if (!holds) throw mismatch(what);
  }
  void expect_sizes() const {
    expect(index_.size() == model_.size(), "size");
    expect(index_.empty() == (model_.size() == 0), "empty");
  }

  Index index_;
  model_type model_;
};

}  // namespace oracle
