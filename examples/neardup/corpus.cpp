#include "corpus.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "errors.hpp"

namespace command {

std::uint64_t string_pool::add(std::string_view text) {
  const std::uint64_t position = size_;
  const std::uint64_t length = text.size();
  std::array<char, sizeof length> prefix{};
  std::memcpy(prefix.data(), &length, sizeof length);
  // Most are short: one byte of length then, else 255 and all of it.
  if (length < 255) {
    const char one_byte = static_cast<char>(length);
    put({&one_byte, 1});
  } else {
    put("\xff");
    put({prefix.data(), prefix.size()});
  }
  put(text);
  return position;
}

std::string string_pool::at(std::uint64_t position) const {
  unsigned char first = 0;
  get(position, reinterpret_cast<char*>(&first), 1);
  ++position;
  std::uint64_t length = first;
  if (first == 255) {
    get(position, reinterpret_cast<char*>(&length), sizeof length);
    position += sizeof length;
  }
  std::string text(length, '\0');
  get(position, text.data(), text.size());
  return text;
}

void string_pool::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t used = size_ % block_size;
    if (used == 0) blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size));
    const std::size_t count = std::min(bytes.size(), block_size - used);
    std::memcpy(blocks_.back().get() + used, bytes.data(), count);
    size_ += count;
    bytes.remove_prefix(count);
  }
}

void string_pool::get(std::uint64_t position, char* to, std::size_t size) const {
  while (size > 0) {
    const std::size_t used = position % block_size;
    const std::size_t count = std::min(size, block_size - used);
    std::memcpy(to, blocks_[position / block_size].get() + used, count);
    to += count;
    position += count;
    size -= count;
  }
}

std::string default_id(const source& from, std::uint64_t line) {
  return line == 0 ? from.path : from.path + ':' + std::to_string(line);
}

void document_table::add(const std::shared_ptr<source>& from, std::uint64_t line,
                         const std::optional<std::string_view>& id, std::uint64_t offset, std::uint64_t length) {
  if (size_ == max_size) throw input_error({from->name(), "more than 4,294,967,295 documents"});
  if (runs_.empty() || runs_.back().from != from) {
    runs_.push_back({static_cast<std::uint32_t>(size_), from});
  }
  names_.push_back(id ? 2 * ids_.add(*id) + 1 : 2 * line);
  if (keeps_places_) extents_.push_back({offset, length});
  ++size_;
}

const document_table::run& document_table::run_of(std::size_t i) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), i,
                                      [](std::size_t number, const run& r) { return number < r.first; });
  return *std::prev(after);
}

std::string document_table::id(std::size_t i) const {
  const std::uint64_t name = names_[i];
  if (name % 2 == 1) return ids_.at(name / 2);
  return default_id(*run_of(i).from, name / 2);
}

place document_table::where(std::size_t i) const { return {run_of(i).from, extents_[i].offset, extents_[i].length}; }

}  // namespace command
