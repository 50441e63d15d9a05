// The ids that one fingerprint stands under.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <utility>

namespace neardup::inline v0::detail {

/// A non-empty ordered set of ids; one id, which is the common case, costs no allocation.
/// Complexity: insert, erase and contains O(log n), so a million copies of one document stay cheap.
template <class Id>
class id_set {
 public:
  explicit id_set(const Id& id) noexcept : smallest_(id) {}
  id_set(const id_set& other)
      : smallest_(other.smallest_), rest_(other.rest_ ? std::make_unique<std::set<Id>>(*other.rest_) : nullptr) {}
  id_set(id_set&&) noexcept = default;
  id_set& operator=(const id_set& other) {
    id_set copy(other);
    return *this = std::move(copy);
  }
  id_set& operator=(id_set&&) noexcept = default;
  ~id_set() = default;

  [[nodiscard]] const Id& smallest() const noexcept { return smallest_; }
  [[nodiscard]] std::size_t size() const noexcept { return 1 + (rest_ ? rest_->size() : 0); }
  [[nodiscard]] bool contains(const Id& id) const { return id == smallest_ || (rest_ && rest_->contains(id)); }

  /// Returns: whether `id` is new. Guarantee: strong.
  bool insert(const Id& id) {
    if (id == smallest_) return false;
    if (!rest_) rest_ = std::make_unique<std::set<Id>>();
    if (id < smallest_) {
      rest_->insert(rest_->begin(), smallest_);
      smallest_ = id;
      return true;
    }
    const std::size_t before = rest_->size();
    rest_->insert(rest_->end(), id);  // Ids mostly come in ascending order; the hint makes that O(1).
    return rest_->size() != before;
  }

  /// Precondition: size() >= 2 and contains(id).
  void erase(const Id& id) noexcept {
    if (id == smallest_) {
      smallest_ = *rest_->begin();
      rest_->erase(rest_->begin());
    } else {
      rest_->erase(id);
    }
    if (rest_->empty()) rest_.reset();
  }

  /// Walks the ids in ascending order; a position past the end is told by done().
  class cursor {
   public:
    cursor() = default;
    explicit cursor(const id_set& ids) noexcept : ids_(&ids) {
      if (ids.rest_) next_ = ids.rest_->begin();
    }
    [[nodiscard]] const Id& operator*() const noexcept { return on_rest_ ? *next_ : ids_->smallest_; }
    [[nodiscard]] bool done() const noexcept { return on_rest_ && (!ids_->rest_ || next_ == ids_->rest_->end()); }
    cursor& operator++() noexcept {
      if (on_rest_) ++next_;
      on_rest_ = true;
      return *this;
    }
    friend bool operator==(const cursor& a, const cursor& b) noexcept = default;

   private:
    const id_set* ids_ = nullptr;
    typename std::set<Id>::const_iterator next_{};
    bool on_rest_ = false;
  };

  friend bool operator==(const id_set& a, const id_set& b) {
    if (a.size() != b.size() || !(a.smallest_ == b.smallest_)) return false;
    return a.size() == 1 || *a.rest_ == *b.rest_;
  }

 private:
  Id smallest_;
  std::unique_ptr<std::set<Id>> rest_;  // All others; null or empty when there are none.
};

}  // namespace neardup::inline v0::detail
