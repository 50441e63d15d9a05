#include "generator.hpp"

#include <neardup/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "../mixing.hpp"

namespace scale {

namespace {

constexpr std::size_t block_size = 1000;
constexpr std::uint64_t template_size = 500;

/// The kind of a record, by its position among 1,000 consecutive records.
struct slot {
  role kind = role::single;
  std::uint16_t base = 0;
  bool exact = false;
};

constexpr std::array<slot, block_size> slots = [] {
  std::array<slot, block_size> result{};
  std::size_t next = 0;
  for (int i = 0; i < 30; ++i) result[next++].kind = role::templated;
  const auto add_clusters = [&](std::size_t count, std::size_t size, bool exact) {
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t base = next;
      for (std::size_t i = 0; i < size; ++i) {
        result[next++] = {i == 0 ? role::base : role::copy, static_cast<std::uint16_t>(base), exact};
      }
    }
  };
  add_clusters(15, 2, true);
  add_clusters(1, 10, true);
  add_clusters(50, 2, false);
  add_clusters(20, 3, false);
  add_clusters(6, 5, false);
  add_clusters(1, 10, false);
  add_clusters(1, 30, false);
  return result;
}();

}  // namespace

void base_text::end_word(std::size_t begin) {
  if (bytes_.size() == begin) return;
  words_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(bytes_.size() - begin)});
}

void base_text::add(std::string_view text) {
  if (bytes_.size() + 2 * text.size() >= 0xffffffffU) throw std::length_error("base texts of more than 4 GiB");
  std::size_t begin = bytes_.size();
  bool has_letters = false;
  bool space = true;
  neardup::for_each_code_point(text, [&](char32_t c, std::string_view bytes) {
    if (c <= 0x20 || c == 0x7f || c == 0x3000) {
      space = true;
    } else if (c == '"' || c == '\\' || c == neardup::replacement_character) {
      return;
    } else {
      const bool stands_alone = c >= 0x2e80 && c < 0xac00;
      if (space || stands_alone) {
        if (has_letters) end_word(begin);
        begin = bytes_.size();
        if (space) bytes_ += ' ';
      }
      has_letters = true;
      space = false;
      bytes_ += bytes;
    }
  });
  if (has_letters) end_word(begin);
}

std::string record::id() const {
  std::string result(1, static_cast<char>(kind));
  result += std::to_string(number);
  if (kind == role::copy) result += '.' + std::to_string(base);
  return result;
}

generator::generator(const base_text& base, std::uint64_t records, std::size_t bytes, std::uint64_t seed)
    : base_(base),
      records_(records),
      bytes_(bytes),
      seed_(seed),
      half_bits_((std::max)(1, static_cast<int>((std::bit_width(records) + 1) / 2))) {
  if (base.size() < 10'000) throw std::invalid_argument("the base texts have fewer than 10,000 words");
}

generator::random_source generator::source(char what, std::uint64_t number) const {
  using neardup_bench::mix;
  return random_source(mix(mix(seed_ + static_cast<unsigned char>(what)) + number));
}

/// Permutes the record numbers: applies a Feistel network until the result is below the number of records.
std::uint64_t generator::place(std::uint64_t position) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = position >> half_bits_;
    std::uint64_t right = position & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (neardup_bench::mix(seed_ + (round << 56U) + right) & mask);
      left = right;
      right = next;
    }
    position = left << half_bits_ | right;
  } while (position >= records_);
  return position;
}

/// Appends `count` consecutive words from a random position of the base texts.
void generator::append_run(words& out, random_source& random, std::size_t count) const {
  const std::uint64_t begin = random.below(base_.size() - count);
  for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<std::uint32_t>(begin + i));
}

/// Appends runs of 5 to 20 words until they have `bytes` bytes.
void generator::write(words& out, random_source& random, std::size_t bytes) const {
  for (std::size_t written = 0; written < bytes;) {
    std::size_t i = out.size();
    append_run(out, random, 5 + random.below(16));
    for (; i < out.size() && written < bytes; ++i) written += base_[out[i]].size();
    out.resize(i);
  }
}

std::size_t generator::text_bytes(random_source& random) const { return bytes_ / 2 + random.below(bytes_ + 1); }

/// Adds words of the template before and after the record's own words.
void generator::write_templated(words& out, std::uint64_t number, std::uint64_t pattern) {
  random_source shared = source('T', pattern);
  const std::size_t bytes = text_bytes(shared);
  const std::size_t percent = 20 + shared.below(51);
  random_source own = source('t', number);
  write(out, shared, bytes * percent / 200);
  write(out, own, bytes * (100 - percent) / 100);
  write(out, shared, bytes * percent / 200);
}

/// Makes a copy with about this similarity in words_. The effect of each edit is estimated as if it were the only edit.
/// The actual similarity is later computed from the features of both texts.
void generator::edit(const words& original, double similarity, random_source& random) {
  words_ = original;
  const auto pairs = static_cast<double>(original.size()) - 1;
  double lost = 0;
  double added = 0;
  for (int refused = 0; refused < 8 && words_.size() > 2;) {
    const std::size_t at = random.below(words_.size() - 1);
    const auto place = words_.begin() + static_cast<std::ptrdiff_t>(at);
    const std::uint64_t kind = random.below(12);
    // A run is edited only if a whole run is left.
    const std::size_t run = 2 + random.below(9);
    double loses = 0;
    double adds = 0;
    if (kind < 5) {  // replace a word
      loses = adds = at == 0 ? 1 : 2;
    } else if (kind == 5) {  // delete a word
      loses = 2, adds = 1;
    } else if (kind == 6) {  // insert a word
      loses = 1, adds = 2;
    } else if (kind == 7) {  // replace a run
      loses = adds = static_cast<double>(run) + 1;
    } else if (kind == 8) {  // insert a run
      loses = 1, adds = static_cast<double>(run) + 1;
    } else if (kind == 9) {  // delete a run
      loses = static_cast<double>(run) + 1, adds = 1;
    } else if (kind == 10) {  // append a word
      adds = 1;
    } else {  // drop the last word
      loses = 1;
    }
    const bool fits = at + run < words_.size();
    if ((pairs - lost - loses) / (pairs + added + adds) < similarity || (!fits && (kind == 7 || kind == 9))) {
      ++refused;
      continue;
    }
    refused = 0;
    lost += loses;
    added += adds;
    const auto any_word = [&] { return static_cast<std::uint32_t>(random.below(base_.size())); };
    words fresh;
    switch (kind) {
      case 5: words_.erase(place); break;
      case 6: words_.insert(place + 1, any_word()); break;
      case 7:
      case 8:
        append_run(fresh, random, run);
        if (kind == 7) {
          std::copy(fresh.begin(), fresh.end(), place);
        } else {
          words_.insert(place + 1, fresh.begin(), fresh.end());
        }
        break;
      case 9: words_.erase(place, place + static_cast<std::ptrdiff_t>(run)); break;
      case 10: words_.push_back(any_word()); break;
      case 11: words_.pop_back(); break;
      default: *place = any_word();
    }
  }
}

void generator::join(const words& from, std::string& text) const {
  text.clear();
  for (const std::uint32_t word : from) text += base_[word];
  if (text.starts_with(' ')) text.erase(0, 1);
}

const record& generator::at(std::uint64_t position) {
  const std::uint64_t number = place(position);
  const std::uint64_t block = number / block_size;
  const slot& what = slots[number % block_size];
  record_.kind = what.kind;
  record_.number = number;
  record_.common = record_.all = 0;
  words_.clear();
  if (what.kind == role::templated) {
    constexpr std::uint64_t each = 30;
    record_.base = (block * each + number % block_size) / template_size;
    write_templated(words_, number, record_.base);
    join(words_, record_.text);
    return record_;
  }
  record_.base = what.kind == role::single ? number : block * block_size + what.base;
  random_source random = source('s', record_.base);
  const std::size_t bytes = text_bytes(random);
  write(words_, random, bytes);
  if (what.kind == role::copy) {
    original_.swap(words_);
    join(original_, original_text_);
    random_source edits = source('m', number);
    if (what.exact) {
      words_ = original_;
    } else {
      // Edits of the same words undo each other. With this range, the actual similarities are evenly distributed from
      // .5 on.
      edit(original_, 0.42 + 0.58 * edits.uniform(), edits);
    }
  }
  join(words_, record_.text);
  if (what.kind == role::copy) {
    const auto a = features_of_(original_text_, first_);
    const auto b = features_of_(record_.text, second_);
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      record_.common += a[i] == b[j] ? 1 : 0;
      const bool in_a = a[i] <= b[j];
      const bool in_b = b[j] <= a[i];
      i += in_a ? 1 : 0;
      j += in_b ? 1 : 0;
    }
    record_.all = a.size() + b.size() - record_.common;
  }
  return record_;
}

}  // namespace scale
