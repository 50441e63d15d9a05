#include "partitions.hpp"

#include <algorithm>
#include <neardup/dedup/pair_groups.hpp>
#include <neardup/sets/partitioned_pairs.hpp>
#include <neardup/threads.hpp>
#include <numeric>
#include <utility>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "groups.hpp"
#include "sorted_pairs.hpp"

namespace command {

namespace {

/// The partitions of a join, in memory as far as there is room, then in a temporary file.
class stored_partitions {
 public:
  explicit stored_partitions(std::uint64_t room) : room_(room) {}

  void append(std::uint32_t partition, std::span<const std::byte> bytes) {
    if (partition >= partitions_.size()) partitions_.resize(partition + 1);
    pieces& to = partitions_[partition];
    if (to.filed.empty() && bytes.size() <= room_) {
      room_ -= bytes.size();
      to.held.emplace_back(bytes.begin(), bytes.end());
      return;
    }
    const std::uint64_t offset = file_.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    to.filed.push_back({offset, bytes.size()});
  }

  /// Each partition is read once.
  void read(std::uint32_t partition, std::span<std::byte> to) {
    const pieces from = std::exchange(partitions_[partition], {});
    for (const std::vector<std::byte>& bytes : from.held) {
      std::copy(bytes.begin(), bytes.end(), to.begin());
      to = to.subspan(bytes.size());
    }
    for (const piece& one : from.filed) {
      for (std::size_t done = 0; done < one.size;) {
        const std::size_t count =
            file_.read_at(one.offset + done, reinterpret_cast<char*>(to.data()) + done, one.size - done);
        if (count == 0) throw output_error("a temporary file was cut off");
        done += count;
      }
      to = to.subspan(one.size);
    }
  }

 private:
  struct piece {
    std::uint64_t offset;
    std::size_t size;
  };
  struct pieces {
    std::vector<std::vector<std::byte>> held;
    std::vector<piece> filed;
  };

  std::uint64_t room_;  // bytes that memory may still hold
  temporary_file file_;
  std::vector<pieces> partitions_;
};

/// The sets of some documents, in their order.
class ordered_sets {
 public:
  ordered_sets(const document_check& check, const partitioned_documents& documents)
      : check_(check), documents_(documents) {}

  [[nodiscard]] std::size_t size() const noexcept { return documents_.end - documents_.first; }
  [[nodiscard]] feature_set operator[](std::size_t i) const {
    const std::size_t place = documents_.first + i;
    return check_[documents_.order.empty() ? place : documents_.order[place]];
  }

 private:
  const document_check& check_;
  const partitioned_documents& documents_;
};

}  // namespace

bool joins_by_partitions(const document_check& check) {
  constexpr std::size_t many = std::size_t{1} << 21;
  return !check.is_in_memory() || check.size() >= many;
}

void visit_by_partitions(const context& c, const document_check& check, const partitioned_documents& documents,
                         const std::function<void(const partition_pair&)>& visit) {
  const double least = *c.settings.comparison.min_similarity;
  const neardup::partitioned_join_options how{.measure = set_measure_of(c.settings.comparison),
                                              .copies_once = documents.copies_once,
                                              .run = neardup::threads{c.settings.threads},
                                              .memory = c.settings.grouping.memory};
  const std::uint64_t features = check.feature_count() * sizeof(feature_set::value_type);
  const bool has_room = check.is_in_memory() && features < how.memory;
  stored_partitions partitions(has_room ? how.memory - features : how.memory / 8);
  using pair = neardup::similar_pair<std::size_t>;
  const auto take = [&](std::size_t first, std::size_t second, const pair& p) {
    visit({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second), static_cast<std::uint32_t>(p.common),
           p.similarity});
  };
  if (!documents.second_from) {
    const ordered_sets sets(check, documents);
    const auto add = [&](const pair& p) { take(documents.first + p.first, documents.first + p.second, p); };
    return neardup::visit_pairs_by_partitions(sets, least, partitions, add, how);
  }
  partitioned_documents first = documents, second = documents;
  first.end = second.first = *documents.second_from;
  const ordered_sets a(check, first), b(check, second);
  const auto add = [&](const pair& p) { take(first.first + p.first, second.first + p.second, p); };
  neardup::visit_pairs_by_partitions(a, b, least, partitions, add, how);
}

std::vector<std::uint32_t> group_by_partitions(const context& c, const document_check& check,
                                               std::span<const double> preference) {
  const auto count = static_cast<std::uint32_t>(check.size());
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::uint32_t> size_of(count);
  for (std::uint32_t i = 0; i < count; ++i) size_of[i] = static_cast<std::uint32_t>(check[i].size());
  if (!preference.empty()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return preference[a] > preference[b]; });
  } else if (c.settings.comparison.checks_containment()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return size_of[a] > size_of[b]; });
  }
  const partitioned_documents documents{.end = count, .order = order, .copies_once = true};
  std::vector<std::uint32_t> label;
  if (c.settings.grouping.by_components) {
    neardup::pair_components<std::uint32_t> components(count);
    visit_by_partitions(c, check, documents, [&](const partition_pair& p) { components.add(p.first, p.second); });
    label = components.finish();
  } else {
    neardup::pair_groups<std::uint32_t> groups(count);
    sorted_pairs pairs(c.settings.grouping.memory);
    visit_by_partitions(c, check, documents, [&](const partition_pair& p) {
      if (p.common == size_of[order[p.first]] && p.common == size_of[order[p.second]]) {
        groups.add_copy(p.second, p.first);
      } else {
        pairs.add({p.second, p.first, p.similarity});
      }
    });
    pairs.visit_all([&](std::span<const checked_pair> some) {
      for (const checked_pair& p : some) groups.add(p.a, p.b, [&] { return p.similarity; });
    });
    label = groups.finish();
  }
  std::vector<std::uint32_t> result(count);
  for (std::uint32_t place = 0; place < count; ++place) result[order[place]] = order[label[place]];
  return result;
}

}  // namespace command
