#include "clue_index.hpp"

#include <algorithm>
#include <limits>

namespace docid {

namespace {

// When this number of features is collected, they become a part of the index.
constexpr std::size_t most_recent = std::size_t{1} << 16;
// Two parts are not merged if they have more features than this number together. Merging parts of this size takes a
// tenth of a second, the longest that a request should wait.
constexpr std::size_t most_in_part = std::size_t{1} << 24;

template <class Value>
std::size_t bytes_of(const std::vector<Value>& values) {
  return values.capacity() * sizeof(Value);
}

}  // namespace

void clue_index::retire(doc_number document) {
  if (document >= versions_.size()) versions_.resize(std::size_t{document} + 1);
  version& now = versions_[document];
  ++now.number;
  features_ -= now.features;
  now.features = 0;
}

void clue_index::set(doc_number document, std::span<const std::uint32_t> features) {
  retire(document);
  if (!features.empty()) {
    const auto place = static_cast<std::uint32_t>(recent_entries_.size());
    recent_entries_.push_back({document, versions_[document].number});
    for (const std::uint32_t feature : features) recent_.emplace_back(feature, place);
    versions_[document].features = static_cast<std::uint32_t>(features.size());
    features_ += features.size();
    all_features_ += features.size();
    if (recent_.size() >= most_recent) close_recent();
  }
  give_back();
}

void clue_index::erase(doc_number document) {
  retire(document);
  give_back();
}

/// Removes outdated entries, part by part, while the outdated entries have over `most_recent` more features than the
/// other entries. A call stops once it has read `most_in_part` features.
void clue_index::give_back() {
  const auto is_due = [this] { return all_features_ > 2 * features_ + most_recent; };
  if (features_ == 0) {
    parts_.clear();
    forget_recent();
    all_features_ = 0;
  }
  if (!is_due()) return;
  close_recent();
  std::size_t looked_at = 0;
  for (std::size_t left = parts_.size(); left > 0 && looked_at < most_in_part && is_due(); --left) {
    if (next_part_ >= parts_.size()) next_part_ = 0;
    part& one = parts_[next_part_];
    const std::size_t before = one.postings.documents.size();
    one = merged(one, part());
    looked_at += before;
    all_features_ -= before - one.postings.documents.size();
    if (one.entries.empty()) {
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(next_part_));
    } else {
      ++next_part_;
    }
  }
}

void clue_index::forget_recent() noexcept {
  recent_entries_ = std::vector<entry>();  // assigning {} would keep the memory
  recent_ = std::vector<std::pair<std::uint32_t, std::uint32_t>>();
}

void clue_index::close_recent() {
  if (recent_entries_.empty()) return;
  parts_.push_back({std::move(recent_entries_), common::posting_columns(std::move(recent_))});
  forget_recent();
  while (parts_.size() > 1) {
    const part &before = parts_[parts_.size() - 2], &last = parts_.back();
    const std::size_t size = before.postings.documents.size(), more = last.postings.documents.size();
    if (size > 2 * more || size + more > most_in_part) break;
    part both = merged(before, last);
    all_features_ -= size + more - both.postings.documents.size();
    parts_.pop_back();
    parts_.back() = std::move(both);
  }
}

/// Returns a part with all entries of `a` and `b` that are not outdated.
clue_index::part clue_index::merged(const part& a, const part& b) const {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  part result;
  result.entries.reserve(a.entries.size() + b.entries.size());
  const auto places_of = [&](const part& from) {
    std::vector<std::uint32_t> places;
    places.reserve(from.entries.size());
    for (const entry& one : from.entries) {
      places.push_back(counts(one) ? static_cast<std::uint32_t>(result.entries.size()) : none);
      if (counts(one)) result.entries.push_back(one);
    }
    return places;
  };
  const std::vector<std::uint32_t> places_of_a = places_of(a), places_of_b = places_of(b);
  common::posting_columns& to = result.postings;
  to.documents.reserve(a.postings.documents.size() + b.postings.documents.size());
  const auto take = [&to](const common::posting_columns& from, std::size_t i,
                          const std::vector<std::uint32_t>& places) {
    for (std::uint64_t at = i == 0 ? 0 : from.ends[i - 1]; at < from.ends[i]; ++at) {
      if (const std::uint32_t place = places[from.documents[at]]; place != none) to.documents.push_back(place);
    }
  };
  const auto &own = a.postings.features, &others = b.postings.features;
  for (std::size_t i = 0, j = 0; i < own.size() || j < others.size();) {
    const bool in_a = i < own.size() && (j == others.size() || own[i] <= others[j]);
    const bool in_b = j < others.size() && (i == own.size() || others[j] <= own[i]);
    const std::uint32_t feature = in_a ? own[i] : others[j];
    const std::size_t before = to.documents.size();
    if (in_a) take(a.postings, i++, places_of_a);
    if (in_b) take(b.postings, j++, places_of_b);
    if (to.documents.size() == before) continue;
    to.features.push_back(feature);
    to.ends.push_back(to.documents.size());
  }
  result.entries.shrink_to_fit();
  to.features.shrink_to_fit();
  to.ends.shrink_to_fit();
  to.documents.shrink_to_fit();
  return result;
}

std::vector<clue_index::finding> clue_index::holding(std::span<const std::uint32_t> features, std::size_t least,
                                                     std::size_t most) {
  close_recent();
  std::vector<finding> found;
  for (const part& one : parts_) {
    for (const auto& [place, common] : one.postings.lists().holding(features, least, one.entries.size())) {
      if (counts(one.entries[place])) found.push_back({one.entries[place].document, common});
    }
  }
  std::sort(found.begin(), found.end(), [](const finding& a, const finding& b) {
    return a.common != b.common ? a.common > b.common : a.document < b.document;
  });
  found.resize(std::min(found.size(), most));
  return found;
}

std::size_t clue_index::bytes() const noexcept {
  std::size_t sum = bytes_of(versions_) + bytes_of(recent_entries_) + bytes_of(recent_);
  for (const part& one : parts_) {
    sum += bytes_of(one.entries) + bytes_of(one.postings.features) + bytes_of(one.postings.ends) +
           bytes_of(one.postings.documents);
  }
  return sum;
}

}  // namespace docid
