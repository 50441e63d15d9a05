// SPDX-License-Identifier: MIT
// Saves an index to a file, and loads an index from a file.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>

#include "../detail/file_operations.hpp"
#include "../detail/large_array.hpp"
#include "../index/engine/frozen_engine.hpp"
#include "../index/flat_index.hpp"
#include "../index/frozen_index.hpp"
#include "../index/pigeonhole_index.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "engine/index_sections.hpp"
#include "index_view.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

namespace detail {

template <std::size_t Bits, class Id, class Offset, class Fingerprint>
void take_flat_index(const flat_index<Bits, Id, Offset, Fingerprint>&);

/// A flat_index, or a class derived from flat_index. Such an index has no layout. save() writes the pairs that its
/// iterators return.
template <class Index>
concept flat_form = requires(const Index& index) {
  take_flat_index(index);
};

// True for frozen_index and index_view themselves. False for a derived class, because its iterators may return other
// pairs than the base class has.
template <class Index>
inline constexpr bool is_frozen_index = false;
template <std::size_t Bits, class Id, class Offset, class Fingerprint>
inline constexpr bool is_frozen_index<frozen_index<Bits, Id, Offset, Fingerprint>> = true;
template <class Index>
inline constexpr bool is_index_view = false;
template <std::size_t Bits, class Id, class Offset, class Fingerprint>
inline constexpr bool is_index_view<index_view<Bits, Id, Offset, Fingerprint>> = true;

/// An index with a layout. save() writes its fingerprints and ids as a frozen_index with the same layout.
template <class Index>
concept has_layout = requires(const Index& index) {
  { index.shape() } -> std::convertible_to<layout>;
  { *index.begin() } -> std::convertible_to<typename Index::value_type>;
  index.end();
};

template <class Index>
void save_flat_index(file_operations& files, const std::string& path, const Index& index,
                     const fingerprint_composition& made_of, std::span<const byte_span> attachments) {
  // A flat_index is saved as a frozen_index with one table, for k = 0, which finds equal fingerprints.
  write_index(files, path, frozen_access::engine(freeze(index, 0, 1)), Index::bits, true, made_of, attachments);
}

template <class Index>
void save_index(file_operations& files, const std::string& path, const Index& index,
                const fingerprint_composition& made_of, std::span<const byte_span> attachments) {
  if constexpr (flat_form<Index>) {
    save_flat_index(files, path, index, made_of, attachments);
  } else if constexpr (is_frozen_index<Index>) {
    // A moved-from index has no tables. So a moved-from index is saved as an empty index.
    const layout& shape = index.shape();
    if (frozen_access::engine(index).tables().empty()) {
      const entries_source<typename Index::value_type> nothing{nullptr};
      return save_index(files, path, Index(shape.k(), shape.blocks(), 0, nothing), made_of, attachments);
    }
    write_index(files, path, frozen_access::engine(index), Index::bits, false, made_of, attachments);
  } else if constexpr (is_index_view<Index>) {
    if (index.is_flat()) return save_flat_index(files, path, index, made_of, attachments);
    save_index(files, path, freeze(index), made_of, attachments);
  } else {
    static_assert(has_layout<Index>,
                  "neardup: save() writes a pigeonhole_index, flat_index, frozen_index or index_view; of a "
                  "guarded one, save what read() gives: guarded.read([&](const auto& index) { save(path, index, "
                  "made_of); }); of a class of your own, save the index that it keeps");
    if constexpr (has_layout<Index>) save_index(files, path, freeze(index), made_of, attachments);
  }
}

/// Makes an empty index. If `Index` has no fixed layout, the index gets the layout (`k`, `blocks`) of the file.
template <class Index>
[[nodiscard]] Index make_index(int k, int blocks) {
  if constexpr (std::constructible_from<Index, int, int>) {
    return Index(k, blocks);
  } else {
    return Index();
  }
}

/// A mutable index. load() inserts the pairs of a file into it.
template <class Index>
concept fillable_index = requires(Index& index, const typename Index::fingerprint_type& fingerprint,
                                  const typename Index::id_type& id) {
  { index.insert(fingerprint, id) } -> std::same_as<bool>;
  index.reserve(std::size_t{});
};

template <class Index>
[[nodiscard]] Index load_index(const std::string& path, const fingerprint_composition* made_of) {
  constexpr bool is_loaded = is_frozen_index<Index> || fillable_index<Index>;
  static_assert(!is_index_view<Index>,
                "neardup: an index_view is not loaded, it looks into the file: write neardup::index_view<64> "
                "view(neardup::mapped_file(path))");
  static_assert(is_loaded || is_index_view<Index>,
                "neardup: load() gives a pigeonhole_index, flat_index or frozen_index; restore() gives a "
                "deduplicator");
  if constexpr (is_loaded) {
    using id_type = typename Index::id_type;
    using offset_type = typename Index::offset_type;
    const index_view<Index::bits, id_type, offset_type, typename Index::fingerprint_type> view{mapped_file(path)};
    view.verify();
    const container& file = view_access::file(view);
    if (made_of != nullptr) file.check_composition(*made_of);
    if constexpr (is_frozen_index<Index>) {
      if (view.is_flat()) file.refuse("holds a flat_index, which has no layout; load that and freeze it");
      return frozen_access::make<Index>(read_engine<words_for(Index::bits), id_type, offset_type, large_array>(file));
    } else {
      Index index = view.is_flat() ? make_index<Index>(3, default_blocks(Index::bits, 3))
                                   : make_index<Index>(view.shape().k(), view.shape().blocks());
      index.reserve(view.distinct_size());
      for (const auto& pair : view) index.insert(pair.fingerprint, pair.id);
      return index;
    }
  }
}

}  // namespace detail

/// Writes an index to a file, atomically and durably. After a crash, there is either the old file or the new one. When
/// the function returns, the new file is on the disk. docs/format.md specifies the format. An index that is not a
/// frozen_index is frozen first.
///
/// `made_of` is the composition of the fingerprints, which composition_of() returns for the hasher. `attachments` are
/// byte strings of your own, such as the names of documents. They are stored in the same file, and
/// index_view::attachment() returns them.
/// Throws: std::runtime_error if the file cannot be written; the message names the file. std::invalid_argument if
/// `made_of` is for another kind of fingerprints; std::bad_alloc.
template <class Index>
void save(const std::string& path, const Index& index, const fingerprint_composition& made_of,
          std::span<const std::span<const std::byte>> attachments = {}) {
  if constexpr (requires { Index::fingerprint_type::kind; }) {
    detail::check_kind(path, made_of, Index::fingerprint_type::kind);
  }
  detail::save_index(detail::system_files(), path, index, made_of, attachments);
}

/// Loads an index from a file. The whole file is checked first. `Index` is an index in memory with the Bits, Id, Offset
/// and kind of fingerprints of the file. If `Index` has no fixed layout, the result has the layout of the file. A saved
/// flat_index has no layout: a pigeonhole_index gets the default layout for K = 3, and a frozen_index is refused.
/// Throws: std::runtime_error if the file is damaged or does not fit Index; the message names the file. std::bad_alloc.
/// Example: `auto index = load<pigeonhole_index<64>>("pages.neardup", composition_of(hash));`
template <class Index>
[[nodiscard]] Index load(const std::string& path) {
  return detail::load_index<Index>(path, nullptr);
}

/// Loads an index, and checks its composition.
/// Throws: the exceptions of load() without a composition; std::invalid_argument if the composition differs from
/// `made_of`.
template <class Index>
[[nodiscard]] Index load(const std::string& path, const fingerprint_composition& made_of) {
  return detail::load_index<Index>(path, &made_of);
}

}  // namespace neardup::inline v0
