#include "record_editor.hpp"

#include <algorithm>
#include <neardup/text/utf8.hpp>

#include "../ground/errors.hpp"
#include "input.hpp"
#include "json_record.hpp"

namespace command {

namespace {

/// Converts ascending offsets in the text of `bytes`, repaired with U+FFFD, to offsets in `bytes`.
void move_into_ill_formed(std::string_view bytes, std::span<std::size_t> offsets) {
  auto next = offsets.begin();
  std::size_t repaired = 0, begin = 0;
  neardup::for_each_code_point(bytes, [&](char32_t code_point, std::string_view own) {
    for (; next != offsets.end() && *next <= repaired; ++next) *next = begin;
    char encoded[4];
    repaired += neardup::encode(code_point, encoded);
    begin += own.size();
  });
  for (; next != offsets.end(); ++next) *next = begin;
}

}  // namespace

const std::vector<std::string_view>& record_editor::texts_of(const source& from, std::uint64_t line,
                                                             std::string_view raw) {
  raw_ = raw;
  where_ = from.where(line);
  const std::string_view all = content_of_record(from, raw_, line <= 1);
  begin_ = static_cast<std::size_t>(all.data() - raw_.data());
  is_json_ = from.unit == unit_of_input::json_lines || from.unit == unit_of_input::json_array;
  is_repaired_ = is_json_ && !is_utf8(all);
  buffer_ = is_repaired_ ? repaired(all) : std::string(all);
  size_ = buffer_.size();
  buffer_.append(padding, ' ');
  if (const auto wrong = read_(from, content(), record_)) throw input_error({where_, *wrong});
  if (fold_ == nullptr) return record_.fields;
  folded_.resize(record_.fields.size());
  compared_.clear();
  for (std::size_t f = 0; f < folded_.size(); ++f) {
    folded_[f].clear();
    fold_->append(record_.fields[f], folded_[f]);
    compared_.push_back(folded_[f]);
  }
  return compared_;
}

std::string record_editor::name_of(std::size_t text) const {
  if (!record_.names.empty()) return std::string(record_.names[text]);
  return settings_.text_fields.size() > 1 ? settings_.text_fields[text] : "";
}

std::string record_editor::without(const std::vector<std::vector<text_range>>& removed) const {
  std::vector<std::size_t> places;  // begin and end of each range in turn, as positions in the content
  std::vector<std::pair<const char*, std::size_t>> order;
  for (std::size_t f = 0; f < removed.size(); ++f) {
    if (removed[f].empty()) continue;
    const std::string_view stands = is_json_ ? record_.quoted[f] : record_.fields[f];
    if (stands.data() == nullptr) {
      throw input_error({where_, "the text is an array of strings: nothing can be taken out of it; make it a string"});
    }
    order.emplace_back(stands.data(), f);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [at, f] : order) {
    std::vector<std::size_t> own;
    for (const text_range& range : removed[f]) own.insert(own.end(), {range.begin, range.end});
    if (is_json_) move_into_quoted(record_.quoted[f], own);
    for (const std::size_t place : own) places.push_back(place + static_cast<std::size_t>(at - buffer_.data()));
  }
  if (is_repaired_) move_into_ill_formed(std::string_view(raw_).substr(begin_), places);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < places.size(); i += 2) {
    out.append(raw_, copied, begin_ + places[i] - copied);
    copied = begin_ + places[i + 1];
  }
  return out.append(raw_, copied, std::string::npos);
}

}  // namespace command
