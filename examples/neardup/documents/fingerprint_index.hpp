// Indexes of fingerprints, in files and in memory. The width and the kind are chosen at run time, so that code that
// uses these indexes is compiled once.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <neardup/index/layout.hpp>
#include <neardup/storage/composition.hpp>
#include <neardup/storage/mapped_file.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../describe/fingerprints.hpp"

namespace command {

/// A document close to a given fingerprint. Results are sorted by distance, then by id.
struct near_number {
  int distance;
  std::uint32_t id;

  friend auto operator<=>(const near_number&, const near_number&) = default;
};

/// An index of fingerprints, with functions for searches.
/// Thread safety: several threads may search at once.
class fingerprint_search {
 public:
  fingerprint_search() = default;
  fingerprint_search(const fingerprint_search&) = delete;
  fingerprint_search& operator=(const fingerprint_search&) = delete;
  virtual ~fingerprint_search() = default;

  /// Returns the documents within k bits of `fingerprint`, sorted by distance, then by id.
  [[nodiscard]] virtual std::vector<near_number> search(const any_fingerprint& fingerprint, int k) const = 0;
};

/// Makes an index in memory. `ids`: the id of each fingerprint, by its position.
std::unique_ptr<const fingerprint_search> make_fingerprint_search(int distance, int blocks,
                                                                  const fingerprint_vector& fingerprints,
                                                                  std::span<const std::uint32_t> ids, unsigned threads);

/// An index of fingerprints in a file, of any width and kind. This class has the functions of neardup::index_view.
class fingerprint_view : public fingerprint_search {
 public:
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Returns the width of the stored fingerprints; see stored_bits().
  [[nodiscard]] virtual std::size_t bits() const = 0;
  [[nodiscard]] virtual const neardup::fingerprint_composition& made_of() const = 0;
  [[nodiscard]] virtual std::span<const std::byte> attachment(std::size_t i) const = 0;
  [[nodiscard]] virtual bool is_flat() const = 0;
  /// Precondition: is_flat() is false.
  [[nodiscard]] virtual int blocks() const = 0;
  [[nodiscard]] virtual int max_distance() const = 0;
  /// Returns the fingerprints in the order of their ids. Returns nullopt if an id is not below size().
  [[nodiscard]] virtual std::optional<fingerprint_vector> by_id() const = 0;
  virtual void check_file() const = 0;
  virtual void verify() const = 0;
};

/// Opens an index. The header of the file names the width and the kind.
/// Throws: the exceptions of neardup::index_view.
std::unique_ptr<const fingerprint_view> open_fingerprint_view(neardup::mapped_file file);

/// Saves an index of fingerprints. The id of a fingerprint is its position. `made_of`: the composition, with the kind.
/// Throws: the exceptions of neardup::save().
void save_fingerprints(const std::string& path, int distance, int blocks, const fingerprint_vector& fingerprints,
                       const neardup::fingerprint_composition& made_of,
                       std::span<const std::span<const std::byte>> attachments, unsigned threads);

}  // namespace command
