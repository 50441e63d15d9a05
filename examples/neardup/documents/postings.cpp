#include "postings.hpp"

#include <utility>

namespace command {

common::posting_columns postings_of(const column<std::uint32_t>& features) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(features.values.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (const std::uint32_t feature : features[i]) pairs.emplace_back(feature, static_cast<std::uint32_t>(i));
  }
  return common::posting_columns(std::move(pairs));
}

common::posting_lists stored_postings(const std::string& path, std::span<const std::byte> features,
                                      std::span<const std::byte> ends, std::span<const std::byte> documents) {
  try {
    return {records_of<std::uint32_t>(path, features), records_of<std::uint64_t>(path, ends),
            records_of<std::uint32_t>(path, documents)};
  } catch (const common::postings_error&) {
    refuse_damage(path);
  }
}

std::uint64_t place_columns::number_of(const std::string& path) {
  const auto [known, is_new] = numbers_.try_emplace(path, numbers_.size());
  if (is_new) paths.append(path) += '\0';
  return known->second;
}

std::optional<document_place> place_of(const placed_document& d) {
  if (d.from->path == "-") return std::nullopt;
  return document_place{d.from->path, d.offset, d.line == 0 ? 0 : d.raw.size()};
}

void place_columns::add(const std::optional<document_place>& place) {
  places.push_back(place ? stored_place{number_of(place->path), place->offset, place->length} : stored_place());
}

stored_places::stored_places(const std::string& path, std::span<const std::byte> paths,
                             std::span<const std::byte> places)
    : places_(records_of<stored_place>(path, places)) {
  std::string_view rest = text_of(paths);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    if (end == rest.npos) refuse_damage(path);
    paths_.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
}

std::optional<document_place> stored_places::operator[](std::size_t document) const {
  if (document >= places_.size() || places_[document].path >= paths_.size()) return std::nullopt;
  const stored_place& place = places_[document];
  return document_place{std::string(paths_[static_cast<std::size_t>(place.path)]), place.offset, place.length};
}

}  // namespace command
