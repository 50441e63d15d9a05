#include "stored_documents.hpp"

#include <algorithm>

namespace command {

namespace {

[[noreturn]] void refuse_parts(const std::string& path, const std::string& what) { throw input_error({path, what}); }

}  // namespace

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

named_values parse_values(const std::string& path, std::span<const std::byte> bytes) {
  named_values values;
  for (std::string_view text = text_of(bytes); !text.empty();) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    if (space == line.npos) refuse_parts(path, "damaged, or not written by the command neardup");
    values.emplace(line.substr(0, space), line.substr(space + 1));
  }
  return values;
}

stored_documents::stored_documents(const std::string& path, std::size_t size, std::span<const std::byte> name_ends,
                                   std::span<const std::byte> names, std::span<const std::byte> feature_ends,
                                   std::span<const std::byte> features, bool looks_first)
    : path_(path),
      name_ends_(records_of<std::uint64_t>(path, name_ends)),
      feature_ends_(records_of<std::uint64_t>(path, feature_ends)),
      names_(text_of(names)),
      features_(records_of<std::uint32_t>(path, features)) {
  const auto fit = [&](std::span<const std::uint64_t> ends, std::size_t all) {
    return (!looks_first || std::is_sorted(ends.begin(), ends.end())) && (ends.empty() ? 0 : ends.back()) == all;
  };
  if (name_ends_.size() != size || !(feature_ends_.empty() || feature_ends_.size() == size) ||
      !fit(name_ends_, names_.size()) || !fit(feature_ends_, features_.size())) {
    refuse();
  }
}

void stored_documents::refuse() const { refuse_parts(path_, "its parts do not fit each other"); }

}  // namespace command
