#include "index_file.hpp"

#include <bit>

namespace command {

namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw input_error({path, "damaged, or not written by the command neardup"});
}

template <class Number>
std::vector<Number> read_numbers(std::span<const std::byte> bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t byte = sizeof(Number); byte-- > 0;) {
      numbers[i] = static_cast<Number>(numbers[i] << 8 | std::to_integer<Number>(bytes[i * sizeof(Number) + byte]));
    }
  }
  return numbers;
}

template <class Number>
std::string write_numbers(const std::vector<Number>& numbers) {
  std::string bytes;
  bytes.reserve(numbers.size() * sizeof(Number));
  for (const Number number : numbers) {
    for (std::size_t byte = 0; byte < sizeof(Number); ++byte) bytes += static_cast<char>(number >> (8 * byte) & 0xff);
  }
  return bytes;
}

/// Whether numbers are ends of stretches of so many elements.
bool are_ends(const std::vector<std::uint64_t>& ends, std::size_t size) {
  return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == size;
}

template <std::size_t Bits>
index_settings settings_of(const std::string& path) {
  const neardup::index_view<Bits> view{neardup::mapped_file(path)};
  if (view.is_flat()) refuse(path);
  index_settings found;
  found.bits = Bits;
  found.distance = view.shape().k();
  found.blocks = view.shape().blocks();
  const auto bytes = view.attachment(0);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    if (space == line.npos) refuse(path);
    const std::string_view name = line.substr(0, space);
    const std::string value(line.substr(space + 1));
    (name == "features"  ? found.features
     : name == "weights" ? found.weights
     : name == "kind"    ? found.kind
                         : found.check_features) = value;
  }
  if (found.features.empty() || found.weights.empty() || found.kind.empty()) refuse(path);
  return found;
}

}  // namespace

index_settings read_index_settings(const std::string& path) {
  const std::size_t bits = read_header(path).bits;
  try {
    switch (bits) {
      case 32: return settings_of<32>(path);
      case 64: return settings_of<64>(path);
      case 128: return settings_of<128>(path);
      case 256: return settings_of<256>(path);
      default: refuse(path);
    }
  } catch (const input_error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw input_error({"", error.what()});
  }
}

std::string encode_settings(const options& settings) {
  constexpr const char* weights[] = {"unit", "tf", "logtf", "idf", "tfidf"};
  std::string text = "features " + to_string(settings.features) + "\nweights " +
                     weights[static_cast<std::size_t>(settings.weights)] + "\nkind " +
                     std::string(to_string(settings.kind)) + "\n";
  if (settings.keeps_features) text += "check " + to_string(settings.check_features) + "\n";
  return text;
}

indexed_documents::indexed_documents(const std::string& path, std::size_t size, std::span<const std::byte> name_ends,
                                     std::span<const std::byte> names, std::span<const std::byte> feature_ends,
                                     std::span<const std::byte> features)
    : name_ends_(read_numbers<std::uint64_t>(name_ends)),
      feature_ends_(read_numbers<std::uint64_t>(feature_ends)),
      names_(reinterpret_cast<const char*>(names.data()), names.size()),
      features_(read_numbers<std::uint32_t>(features)) {
  if (name_ends_.size() != size || !are_ends(name_ends_, names_.size())) refuse(path);
  if (!(feature_ends_.empty() || feature_ends_.size() == size) || !are_ends(feature_ends_, features_.size())) {
    refuse(path);
  }
}

void indexed_documents::add(std::string_view name, const feature_set& features, bool keeps_features) {
  names_ += name;
  name_ends_.push_back(names_.size());
  if (!keeps_features) return;
  features_.insert(features_.end(), features.begin(), features.end());
  feature_ends_.push_back(features_.size());
}

std::vector<std::string> indexed_documents::attachments() const {
  return {write_numbers(name_ends_), names_, write_numbers(feature_ends_), write_numbers(features_)};
}

}  // namespace command
