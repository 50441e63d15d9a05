#include "postings.hpp"

#include <algorithm>

namespace command {

namespace {

[[noreturn]] void refuse_postings(const std::string& path) {
  throw input_error({path, "damaged: its parts do not fit each other"});
}

}  // namespace

posting_columns::posting_columns(const document_columns& all) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(all.features.size());
  for (std::size_t i = 0; i < all.feature_ends.size(); ++i) {
    for (const std::uint32_t feature : all.features_of(i)) pairs.emplace_back(feature, static_cast<std::uint32_t>(i));
  }
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

stored_postings::stored_postings(const std::string& path, std::span<const std::byte> features,
                                 std::span<const std::byte> ends, std::span<const std::byte> documents)
    : path_(path),
      features_(records_of<std::uint32_t>(path, features)),
      ends_(records_of<std::uint64_t>(path, ends)),
      documents_(records_of<std::uint32_t>(path, documents)) {
  if (ends_.size() != features_.size() || (ends_.empty() ? 0 : ends_.back()) != documents_.size())
    refuse_postings(path);
}

std::span<const std::uint32_t> stored_postings::documents_with(std::uint32_t feature) const {
  const auto found = std::lower_bound(features_.begin(), features_.end(), feature);
  if (found == features_.end() || *found != feature) return {};
  const auto i = static_cast<std::size_t>(found - features_.begin());
  const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1], end = ends_[i];
  if (begin > end || end > documents_.size()) refuse_postings(path_);
  return documents_.subspan(begin, end - begin);
}

std::vector<stored_postings::finding> stored_postings::holding(std::span<const std::uint32_t> features,
                                                               std::size_t least,
                                                               std::size_t number_of_documents) const {
  std::vector<std::span<const std::uint32_t>> lists;
  for (const std::uint32_t feature : features) lists.push_back(documents_with(feature));
  std::sort(lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::size_t prefix = lists.size() - least + 1;
  std::vector<std::uint32_t> met;
  for (std::size_t i = 0; i < prefix; ++i) met.insert(met.end(), lists[i].begin(), lists[i].end());
  std::sort(met.begin(), met.end());
  if (!met.empty() && met.back() >= number_of_documents) refuse_postings(path_);
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

std::uint64_t place_columns::number_of(const std::string& path) {
  const auto [known, is_new] = numbers_.try_emplace(path, numbers_.size());
  if (is_new) paths.append(path) += '\0';
  return known->second;
}

void place_columns::add(const placed_document& d) {
  if (d.from->path == "-") return add(stored_place(), "");
  add({0, d.offset, d.line == 0 ? 0 : d.raw.size()}, d.from->path);
}

void place_columns::add(const stored_place& place, const std::string& path) {
  places.push_back(place);
  if (!path.empty()) places.back().path = number_of(path);
}

stored_places::stored_places(const std::string& path, std::span<const std::byte> paths,
                             std::span<const std::byte> places)
    : places_(records_of<stored_place>(path, places)) {
  std::string_view rest = text_of(paths);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    if (end == rest.npos) refuse_postings(path);
    paths_.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
}

}  // namespace command
