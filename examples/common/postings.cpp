#include "postings.hpp"

#include <algorithm>

namespace common {

posting_lists::posting_lists(std::span<const std::uint32_t> features, std::span<const std::uint64_t> ends,
                             std::span<const std::uint32_t> documents)
    : features_(features), ends_(ends), documents_(documents) {
  if (ends_.size() != features_.size() || (ends_.empty() ? 0 : ends_.back()) != documents_.size()) {
    throw postings_error();
  }
}

std::span<const std::uint32_t> posting_lists::documents_with(std::uint32_t feature) const {
  const auto found = std::lower_bound(features_.begin(), features_.end(), feature);
  if (found == features_.end() || *found != feature) return {};
  const auto i = static_cast<std::size_t>(found - features_.begin());
  const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1], end = ends_[i];
  if (begin > end || end > documents_.size()) throw postings_error();
  return documents_.subspan(begin, end - begin);
}

std::vector<posting_lists::finding> posting_lists::holding(std::span<const std::uint32_t> features, std::size_t least,
                                                           std::size_t number_of_documents) const {
  std::vector<std::span<const std::uint32_t>> lists;
  for (const std::uint32_t feature : features) lists.push_back(documents_with(feature));
  std::sort(lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::size_t prefix = lists.size() - least + 1;
  std::vector<std::uint32_t> met;
  for (std::size_t i = 0; i < prefix; ++i) met.insert(met.end(), lists[i].begin(), lists[i].end());
  std::sort(met.begin(), met.end());
  if (!met.empty() && met.back() >= number_of_documents) throw postings_error();
  std::vector<finding> found;
  for (std::size_t i = 0; i < met.size();) {
    finding one{met[i], 0};
    for (; i < met.size() && met[i] == one.document; ++i) ++one.common;
    for (std::size_t rest = prefix; rest < lists.size() && one.common + (lists.size() - rest) >= least; ++rest) {
      one.common += std::binary_search(lists[rest].begin(), lists[rest].end(), one.document) ? 1 : 0;
    }
    if (one.common >= least) found.push_back(one);
  }
  std::stable_sort(found.begin(), found.end(), [](const finding& a, const finding& b) { return a.common > b.common; });
  return found;
}

posting_columns::posting_columns(std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  documents.reserve(pairs.size());
  for (const auto& [feature, document] : pairs) {
    if (features.empty() || features.back() != feature) {
      features.push_back(feature);
      ends.push_back(documents.size());
    }
    documents.push_back(document);
    ends.back() = documents.size();
  }
}

std::size_t least_of(std::size_t features, double share) {
  std::size_t least = 1;
  while (least < features && static_cast<double>(least) / static_cast<double>(features) < share) ++least;
  return least;
}

}  // namespace common
