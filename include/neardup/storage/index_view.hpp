// An index in a file, searched where it lies.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "../index/engine/searches.hpp"
#include "../index/layout.hpp"
#include "../index/match.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "engine/index_sections.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// What save() has written of an index, in a file or in memory, answering without a copy.
///
/// Opening checks the header, and that the sections fit each other: its time does not depend on how many fingerprints
/// there are. Searches check the bounds of what they read, so that no bytes whatever make one read beyond the file; but
/// of bytes that are damaged they may give wrong matches, any number of them, or throw. verify() tells whether they are
/// not: then all searches are exact.
/// Only for machines that store the lowest byte first; on others load() the index.
/// The bytes must stay as they are while the view is used. Copies of a view share them.
/// All members but those about the file are as those of frozen_index.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class index_view {
  static_assert(detail::check_index_types<Id, Offset>());
  static_assert(detail::check_fingerprint_type<Fingerprint, Bits>());

  using engine_type = detail::view_engine<detail::words_for(Bits), Id, Offset>;

 public:
  static constexpr std::size_t bits = Bits;
  using fingerprint_type = Fingerprint;
  using id_type = Id;
  using offset_type = Offset;
  using value_type = entry<Bits, Id, Fingerprint>;
  using match_type = match<Bits, Id, Fingerprint>;
  using batch_type = batch_result<Bits, Id, Fingerprint>;
  using const_iterator = detail::entry_iterator<fingerprint_type, Id, typename engine_type::store_type>;
  using iterator = const_iterator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  /// Of a file, which the view keeps open.
  /// Throws: std::runtime_error naming the file, if it is damaged, of another version, or of another Bits, Id,
  /// Offset or kind of fingerprints; std::bad_alloc.
  explicit index_view(mapped_file file) : index_view(std::make_shared<const mapped_file>(std::move(file))) {}

  /// Of bytes that somebody else keeps. Throws: besides, std::invalid_argument unless they begin at a multiple of 64.
  explicit index_view(std::span<const std::byte> bytes)
      : file_(checked(bytes), "the bytes", content), engine_(file_, Bits, Fingerprint::kind) {}

  /// What the fingerprints are made of.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return file_.header().made_of; }

  /// Attachment i of save(), which begins at a multiple of 64; empty if there is none. verify() checks that it is as it
  /// was written.
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const noexcept {
    return file_.find(detail::attachment_tag(i));
  }

  /// Throws: std::runtime_error unless the checksums are right, and the tables hold exactly the stored fingerprints.
  /// Complexity: O(tables * n).
  void verify() const {
    file_.check_sections();
    engine_.check(file_);
  }

  /// Whether it is that of a flat_index, which answers every k from 0 to Bits and has no layout.
  [[nodiscard]] bool is_flat() const noexcept { return engine_.is_flat(); }
  /// How the fingerprints are cut into blocks. Precondition: not is_flat().
  [[nodiscard]] const layout& shape() const noexcept { return engine_.engine().shape(); }

  [[nodiscard]] bool contains(const fingerprint_type& fingerprint, const Id& id) const noexcept {
    return detail::contains(engine_.store(), fingerprint.to_words(), id);
  }
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint) const noexcept {
    return engine_.store().find(fingerprint.to_words()) != engine_type::store_type::none;
  }

  [[nodiscard]] std::size_t size() const noexcept { return engine_.store().pairs(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t distinct_size() const noexcept { return engine_.store().slots(); }
  [[nodiscard]] static constexpr std::size_t max_distinct_size() noexcept { return engine_type::store_type::max_slots; }
  [[nodiscard]] const_iterator begin() const noexcept { return {engine_.store(), 0}; }
  [[nodiscard]] const_iterator end() const noexcept { return {engine_.store(), distinct_size()}; }

  [[nodiscard]] int max_distance() const noexcept { return engine_.max_distance(); }
  [[nodiscard]] int default_distance() const noexcept { return is_flat() ? 3 : max_distance(); }
  [[nodiscard]] std::vector<match_type> search(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::search(engine_, query, k.value_or(default_distance()));
  }
  [[nodiscard]] batch_type search_batch(std::span<const fingerprint_type> queries, std::optional<int> k = {},
                                        const any_runner& run = {}) const {
    return detail::search_batch(engine_, queries, k.value_or(default_distance()), run);
  }
  template <std::invocable<match_type> Visit>
  void for_each_match(const fingerprint_type& query, int k, Visit&& visit) const {
    detail::visit_matches(engine_, query, k, visit);
  }
  [[nodiscard]] bool any_within(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::any_within(engine_, query, k.value_or(default_distance()));
  }
  [[nodiscard]] std::optional<match_type> nearest(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::nearest(engine_, query, k.value_or(default_distance()));
  }
  [[nodiscard]] std::size_t count_compared(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::count_compared(engine_, query, k.value_or(default_distance()));
  }

 private:
  static constexpr detail::file_content content = detail::file_content::index;

  explicit index_view(std::shared_ptr<const mapped_file> file)
      : owned_(std::move(file)),
        file_(checked(owned_->bytes()), owned_->path(), content),
        engine_(file_, Bits, Fingerprint::kind) {}

  static std::span<const std::byte> checked(std::span<const std::byte> bytes) {
    if constexpr (std::endian::native != std::endian::little) {
      detail::fail<std::runtime_error>(
          "an index_view is for machines that store the lowest byte first; load the index");
    }
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % detail::section_alignment != 0) {
      detail::fail<std::invalid_argument>("the bytes of an index_view begin at a multiple of 64");
    }
    return bytes;
  }

  std::shared_ptr<const mapped_file> owned_;  // or nothing
  detail::container file_;
  engine_type engine_;
};

}  // namespace neardup::inline v0
