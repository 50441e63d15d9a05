#include "fingerprint_index.hpp"

#include <algorithm>
#include <neardup/index/frozen_index.hpp>
#include <neardup/storage/index_file.hpp>
#include <neardup/storage/index_view.hpp>
#include <neardup/threads.hpp>
#include <string_view>
#include <utility>

#include "../read/file_header.hpp"
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

}  // namespace

std::unique_ptr<const fingerprint_search> make_fingerprint_search(int distance, int blocks,
                                                                  const fingerprint_vector& fingerprints,
                                                                  std::span<const std::uint32_t> ids,
                                                                  unsigned threads) {
  return with_bits(fingerprints.bits(), [&](auto bits) -> std::unique_ptr<const fingerprint_search> {
    return std::make_unique<search_of<bits>>(
        index_of<neardup::simhash<bits>>(distance, blocks, fingerprints.of<bits>(), ids, neardup::threads{threads}));
  });
}

std::unique_ptr<const fingerprint_view> open_fingerprint_view(neardup::mapped_file file) {
  const std::span<const std::byte> bytes = file.bytes();
  const auto header =
      parse_header({reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 64)});
  // The constructor of index_view refuses a file without a readable header, and names the reason.
  const std::size_t bits = header ? header->bits : 64;
  const neardup::fingerprint_kind kind = header ? header->kind : neardup::fingerprint_kind::simhash;
  return with_fingerprint(bits, kind, [&]<class Fingerprint>(Fingerprint) -> std::unique_ptr<const fingerprint_view> {
    return std::make_unique<view_of<Fingerprint>>(std::move(file));
  });
}

void save_fingerprints(const std::string& path, int distance, int blocks, const fingerprint_vector& fingerprints,
                       const neardup::fingerprint_composition& made_of,
                       std::span<const std::span<const std::byte>> attachments, unsigned threads) {
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
