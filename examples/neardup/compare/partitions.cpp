#include "partitions.hpp"

#include <algorithm>
#include <neardup/dedup/pair_groups.hpp>
#include <neardup/sets/shuffle.hpp>
#include <neardup/threads.hpp>
#include <numeric>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "groups.hpp"
#include "sorted_pairs.hpp"

namespace command {

namespace {

using checked_feature = feature_set::value_type;

/// The blobs of a scatter in a temporary file.
class filed_partitions {
 public:
  explicit filed_partitions(std::uint32_t partitions) : blobs_(partitions) {}

  void add(std::uint32_t partition, const std::vector<std::byte>& blob) {
    if (blob.empty()) return;
    blobs_[partition].push_back({file_.append({reinterpret_cast<const char*>(blob.data()), blob.size()}), blob.size()});
  }

  /// The blobs of a partition, one after the other. The spans are valid until the next call.
  std::vector<std::span<const std::byte>> read(std::uint32_t partition) {
    std::size_t words = 0;
    for (const place& blob : blobs_[partition]) words += words_of(blob);
    bytes_.resize(words);
    std::vector<std::span<const std::byte>> result;
    std::size_t at = 0;
    for (const place& blob : blobs_[partition]) {
      char* const to = reinterpret_cast<char*>(bytes_.data() + at);
      for (std::size_t done = 0; done < blob.size;) {
        const std::size_t count = file_.read_at(blob.offset + done, to + done, blob.size - done);
        if (count == 0) throw output_error("a temporary file was cut off");
        done += count;
      }
      result.push_back(std::as_bytes(std::span(bytes_).subspan(at)).first(blob.size));
      at += words_of(blob);
    }
    return result;
  }

 private:
  struct place {
    std::uint64_t offset;
    std::size_t size;
  };
  static std::size_t words_of(const place& blob) { return (blob.size + 7) / 8; }

  temporary_file file_;
  std::vector<std::vector<place>> blobs_;
  std::vector<std::uint64_t> bytes_;
};

/// Documents in the form that a scatter takes, some at a time.
class flat_documents {
 public:
  flat_documents(const document_check& check, const partitioned_documents& documents)
      : check_(check), documents_(documents) {}

  /// Calls `take(numbers, features, offsets)` with all documents.
  template <class Take>
  void visit(const Take& take) {
    constexpr std::size_t most = std::size_t{1} << 18;  // features
    for (std::size_t i = documents_.first; i < documents_.end; ++i) {
      const feature_set set = check_[documents_.order.empty() ? i : documents_.order[i]];
      numbers_.push_back(i);
      features_.insert(features_.end(), set.begin(), set.end());
      offsets_.push_back(features_.size());
      if (features_.size() < most && i + 1 < documents_.end) continue;
      take(std::span<const std::uint64_t>(numbers_), std::span<const checked_feature>(features_),
           std::span<const std::uint64_t>(offsets_));
      numbers_.clear();
      features_.clear();
      offsets_.assign(1, 0);
    }
  }

 private:
  const document_check& check_;
  const partitioned_documents& documents_;
  std::vector<std::uint64_t> numbers_, offsets_{0};
  std::vector<checked_feature> features_;
};

/// So many partitions that one of them takes a small part of the memory: of the bytes of a partition, some are in its
/// blobs, and as many again in the rows that gather_pairs() makes of them.
std::uint32_t partitions_for(std::uint64_t memory, std::uint64_t documents, std::uint64_t features) {
  constexpr std::uint64_t copies = 3, bytes_a_record = 200, least = 2, most = 1024, share = 4;
  const std::uint64_t bytes = copies * (features * sizeof(checked_feature) + documents * bytes_a_record);
  return static_cast<std::uint32_t>(std::clamp(bytes / (std::max<std::uint64_t>(memory, share) / share), least, most));
}

}  // namespace

void visit_by_partitions(const context& c, const document_check& check, const partitioned_documents& documents,
                         const std::function<void(const partition_pair&)>& visit) {
  const std::uint64_t memory = c.settings.grouping.memory;
  // The counts take half a byte for each feature: at most an eighth of the memory.
  neardup::feature_counts<checked_feature> counts(std::min(check.feature_count(), memory / 4));
  flat_documents flat(check, documents);
  flat.visit([&](const auto&, std::span<const checked_feature> features, const auto&) { counts.add(features); });
  const neardup::shuffle_settings settings{
      .similarity = *c.settings.comparison.min_similarity,
      .measure = set_measure_of(c.settings.comparison),
      .partitions = partitions_for(memory, documents.end - documents.first, check.feature_count()),
      .all_counted = true,
      .copies_once = documents.copies_once,
      .second_from = documents.second_from};
  neardup::set_scatter<checked_feature> scatter(settings, counts);
  filed_partitions partitions(settings.partitions);
  const auto file_all = [&] {
    for (std::uint32_t i = 0; i < settings.partitions; ++i) partitions.add(i, scatter.take(i));
  };
  const std::uint64_t waiting = std::max<std::uint64_t>(memory / 8, std::uint64_t{1} << 22);
  flat.visit([&](const auto& numbers, const auto& features, const auto& offsets) {
    scatter.add(numbers, features, offsets);
    if (scatter.size() > waiting) file_all();
  });
  file_all();
  for (std::uint32_t i = 0; i < settings.partitions; ++i) {
    neardup::gather_pairs<checked_feature>(
        partitions.read(i), settings, i,
        [&](const neardup::gathered_pairs& some) {
          for (std::size_t p = 0; p < some.size(); ++p) {
            visit({static_cast<std::uint32_t>(some.first[p]), static_cast<std::uint32_t>(some.second[p]),
                   some.common[p], some.similarity[p]});
          }
        },
        neardup::threads{c.settings.threads});
  }
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
