#include "fingerprint_index.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <neardup/index/frozen_index.hpp>
#include <neardup/storage/index_file.hpp>
#include <neardup/storage/index_view.hpp>
#include <neardup/threads.hpp>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "../read/file_header.hpp"
#include "code_index.hpp"
#include "lists.hpp"

namespace command {

namespace {

template <class Fingerprint>
using index_of = neardup::frozen_index<Fingerprint::bits, std::uint32_t, std::uint32_t, Fingerprint>;

template <class Index>
std::vector<near_number> search_in(const Index& index, const any_fingerprint& fingerprint, int k) {
  std::vector<near_number> found;
  index.for_each_match(fingerprint.as<typename Index::fingerprint_type>(), k, [&](const auto& match) {
    found.push_back({match.distance, match.id});
  });
  std::sort(found.begin(), found.end());
  return found;
}

template <std::size_t Bits>
class search_of final : public fingerprint_search {
 public:
  explicit search_of(index_of<neardup::simhash<Bits>> index) : index_(std::move(index)) {}

  [[nodiscard]] std::vector<near_number> search(const any_fingerprint& fingerprint, int k) const override {
    return search_in(index_, fingerprint, k);
  }

 private:
  index_of<neardup::simhash<Bits>> index_;
};

template <class Fingerprint>
class view_of final : public fingerprint_view {
 public:
  explicit view_of(neardup::mapped_file file) : view_(std::move(file)) {}

  [[nodiscard]] std::vector<near_number> search(const any_fingerprint& fingerprint, int k) const override {
    return search_in(view_, fingerprint, k);
  }
  [[nodiscard]] std::size_t size() const override { return view_.size(); }
  [[nodiscard]] std::size_t bits() const override { return Fingerprint::bits; }
  [[nodiscard]] const neardup::fingerprint_composition& made_of() const override { return view_.made_of(); }
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const override { return view_.attachment(i); }
  [[nodiscard]] bool is_flat() const override { return view_.is_flat(); }
  [[nodiscard]] int blocks() const override { return view_.shape().blocks(); }
  [[nodiscard]] int max_distance() const override { return view_.max_distance(); }
  [[nodiscard]] std::optional<fingerprint_vector> by_id() const override {
    std::vector<neardup::simhash<Fingerprint::bits>> all(view_.size());
    for (const auto& [fingerprint, id] : view_) {
      if (id >= all.size()) return std::nullopt;
      all[id] = neardup::simhash<Fingerprint::bits>(fingerprint.to_words());
    }
    return fingerprint_vector(std::move(all));
  }
  void check_file() const override { view_.check_file(); }
  void verify() const override { view_.verify(); }

 private:
  neardup::index_view<Fingerprint::bits, std::uint32_t, std::uint32_t, Fingerprint> view_;
};

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

class code_search final : public fingerprint_search {
 public:
  /// Makes an index. `ids`: the ids of the codes, by position.
  code_search(int distance, wide_codes codes, std::vector<std::uint32_t> ids)
      : distance_(distance), codes_(std::move(codes)), ids_(std::move(ids)), numbers_(numbers_below(codes_.size())) {}

  [[nodiscard]] std::vector<near_number> search(const any_fingerprint& fingerprint, int k) const override {
    // The first searches compare with all codes, because making tables takes longer than a few searches.
    constexpr std::uint64_t few = 100, many = 100'000;
    if (++searches_ == few) {
      std::call_once(is_made_, [&] { tables_.emplace(codes_, numbers_, distance_, many); });
      has_tables_ = true;
    }
    const code_index& index = has_tables_ ? *tables_ : all_;
    std::vector<near_number> found;
    index.for_each(wide_code(fingerprint.words().first(codes_.words())), k, std::numeric_limits<std::uint32_t>::max(),
                   [&](std::uint32_t number, int distance) {
                     found.push_back({distance, ids_[number]});
                   });
    std::sort(found.begin(), found.end());
    return found;
  }

  [[nodiscard]] const wide_codes& codes() const noexcept { return codes_; }
  [[nodiscard]] int distance() const noexcept { return distance_; }

 private:
  int distance_;
  wide_codes codes_;
  std::vector<std::uint32_t> ids_, numbers_;
  code_index all_{codes_, numbers_, distance_, 0};
  mutable std::atomic<std::uint64_t> searches_ = 0;
  mutable std::atomic<bool> has_tables_ = false;
  mutable std::once_flag is_made_;
  mutable std::optional<code_index> tables_;
};

constexpr std::size_t part_with_codes = 3;

class view_of_codes final : public fingerprint_view {
 public:
  /// Reads the codes of `base`, the index in the file `path`.
  /// Throws: std::runtime_error if the codes are damaged; the message names `path`.
  view_of_codes(const std::string& path, std::unique_ptr<const view_of<neardup::simhash<64>>> base)
      : base_(std::move(base)), codes_(codes_in(path, *base_)) {}

  /// Returns true if a file with the composition `made_of` has wide codes.
  static bool is_in(const neardup::fingerprint_composition& made_of) { return made_of.tokenizer.starts_with("codes("); }

  [[nodiscard]] std::vector<near_number> search(const any_fingerprint& fingerprint, int k) const override {
    return codes_.search(fingerprint, k);
  }
  [[nodiscard]] std::size_t size() const override { return base_->size(); }
  [[nodiscard]] std::size_t bits() const override { return codes_.codes().bits(); }
  [[nodiscard]] const neardup::fingerprint_composition& made_of() const override { return base_->made_of(); }
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const override { return base_->attachment(i); }
  [[nodiscard]] bool is_flat() const override { return base_->is_flat(); }
  [[nodiscard]] int blocks() const override { return 0; }
  [[nodiscard]] int max_distance() const override { return codes_.distance(); }
  [[nodiscard]] std::optional<fingerprint_vector> by_id() const override { return fingerprint_vector(codes_.codes()); }
  void check_file() const override { base_->check_file(); }
  void verify() const override { base_->verify(); }

 private:
  static code_search codes_in(const std::string& path, const view_of<neardup::simhash<64>>& base) {
    const std::span<const std::byte> part = base.attachment(part_with_codes);
    std::vector<std::uint64_t> numbers(part.size() / sizeof(std::uint64_t));
    std::memcpy(numbers.data(), part.data(), numbers.size() * sizeof(std::uint64_t));
    const std::uint64_t bits = numbers.size() < 2 ? 0 : numbers[0], distance = bits == 0 ? 0 : numbers[1];
    const std::uint64_t words = (bits + 63) / 64;
    const bool is_right = bits > 0 && bits % 8 == 0 && bits <= most_code_bits && !has_type(bits) && distance < bits &&
                          part.size() == (2 + words * base.size()) * sizeof(std::uint64_t) &&
                          base.made_of().tokenizer == tokenizer_of_codes(bits);
    if (!is_right) refuse_damage(path, "its codes do not fit its settings");
    wide_codes codes(bits);
    for (std::size_t i = 2; i < numbers.size(); i += words) codes.push_back(std::span(numbers).subspan(i, words));
    return {static_cast<int>(distance), std::move(codes), numbers_below(base.size())};
  }

  std::unique_ptr<const view_of<neardup::simhash<64>>> base_;
  code_search codes_;
};

void save_codes(const std::string& path, int distance, const wide_codes& codes,
                const neardup::fingerprint_composition& made_of,
                std::span<const std::span<const std::byte>> attachments, unsigned threads) {
  std::vector<std::uint64_t> numbers{codes.bits(), static_cast<std::uint64_t>(distance)};
  numbers.insert(numbers.end(), codes.all().begin(), codes.all().end());
  std::vector<std::span<const std::byte>> parts(attachments.begin(), attachments.end());
  parts.resize(std::max(parts.size(), part_with_codes + 1));
  parts[part_with_codes] = std::as_bytes(std::span(numbers));
  using base = neardup::simhash<64>;
  const auto entry_of = [&](std::size_t i) {
    return index_of<base>::value_type{base(codes[i].to_words().front()), static_cast<std::uint32_t>(i)};
  };
  neardup::save(path, index_of<base>(0, 1, codes.size(), entry_of, neardup::threads{threads}), made_of, parts);
}

}  // namespace

std::unique_ptr<const fingerprint_search> make_fingerprint_search(int distance, int blocks,
                                                                  const fingerprint_vector& fingerprints,
                                                                  std::span<const std::uint32_t> ids,
                                                                  unsigned threads) {
  if (const wide_codes* const codes = fingerprints.wide()) {
    return std::make_unique<code_search>(distance, *codes, std::vector<std::uint32_t>(ids.begin(), ids.end()));
  }
  return with_bits(fingerprints.bits(), [&](auto bits) -> std::unique_ptr<const fingerprint_search> {
    return std::make_unique<search_of<bits>>(
        index_of<neardup::simhash<bits>>(distance, blocks, fingerprints.of<bits>(), ids, neardup::threads{threads}));
  });
}

std::unique_ptr<const fingerprint_view> open_fingerprint_view(neardup::mapped_file file) {
  const std::span<const std::byte> bytes = file.bytes();
  const auto header =
      parse_header({reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 64)});
  const std::string path = file.path();
  // The constructor of index_view refuses a file without a readable header, and names the reason.
  const std::size_t bits = header ? header->bits : 64;
  const neardup::fingerprint_kind kind = header ? header->kind : neardup::fingerprint_kind::simhash;
  return with_fingerprint(bits, kind, [&]<class Fingerprint>(Fingerprint) -> std::unique_ptr<const fingerprint_view> {
    auto view = std::make_unique<view_of<Fingerprint>>(std::move(file));
    if constexpr (std::is_same_v<Fingerprint, neardup::simhash<64>>) {
      if (view_of_codes::is_in(view->made_of())) return std::make_unique<view_of_codes>(path, std::move(view));
    }
    return view;
  });
}

void save_fingerprints(const std::string& path, int distance, int blocks, const fingerprint_vector& fingerprints,
                       const neardup::fingerprint_composition& made_of,
                       std::span<const std::span<const std::byte>> attachments, unsigned threads) {
  if (const wide_codes* const codes = fingerprints.wide()) {
    return save_codes(path, distance, *codes, made_of, attachments, threads);
  }
  with_fingerprint(fingerprints.bits(), made_of.kind, [&]<class Fingerprint>(Fingerprint) {
    const auto& all = fingerprints.of<Fingerprint::bits>();
    const auto entry_of = [&](std::size_t i) {
      return typename index_of<Fingerprint>::value_type{Fingerprint(all[i].to_words()), static_cast<std::uint32_t>(i)};
    };
    const index_of<Fingerprint> index(distance, blocks, all.size(), entry_of, neardup::threads{threads});
    neardup::save(path, index, made_of, attachments);
  });
}

}  // namespace command
