#include "corpus.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <system_error>

#include "errors.hpp"

namespace command {

void fail_changed(const source& from) { throw input_error({from.name(), "was changed while it was being read"}); }

std::string_view record_rereader::at(const place& where) {
  try {
    if (source_ != where.from) {
      file_.emplace(*where.from, false);
      source_ = where.from;
      buffer_.resize(0);
    }
    if (where.offset < begin_ || where.offset + where.length > begin_ + buffer_.size()) {
      begin_ = where.offset;
      const std::size_t wanted = std::max<std::size_t>(where.length, ahead_);
      buffer_.resize(0);
      buffer_.reserve(wanted);
      buffer_.resize(file_->read_at(begin_, buffer_.data(), wanted));
    }
  } catch (const std::system_error& error) {
    throw input_error({where.from->name(), error.code().message()});
  }
  if (where.offset + where.length > begin_ + buffer_.size()) fail_changed(*where.from);
  return buffer_.view().substr(where.offset - begin_, where.length);
}

std::uint64_t string_pool::add(std::string_view text) {
  const std::uint64_t position = bytes_.size();
  std::array<char, sizeof(std::uint32_t)> length{};  // ids stand in lines of less than 4 GB
  const auto size = static_cast<std::uint32_t>(text.size());
  std::memcpy(length.data(), &size, sizeof size);
  bytes_.insert(bytes_.end(), length.begin(), length.end());
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  return position;
}

std::string string_pool::at(std::uint64_t position) const {
  auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(position);
  std::array<char, sizeof(std::uint32_t)> length{};
  std::copy_n(from, length.size(), length.begin());
  std::uint32_t size = 0;
  std::memcpy(&size, length.data(), sizeof size);
  from += static_cast<std::ptrdiff_t>(length.size());
  return {from, from + static_cast<std::ptrdiff_t>(size)};
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
