// Counts kept and dropped documents by source (--by).
#pragma once

#include <functional>
#include <unordered_map>

#include "../documents/documents.hpp"
#include "settings.hpp"

namespace command {

/// The number of documents of a source, and how many of them a run drops because another document represents them.
struct source_count {
  struct group {
    std::uint64_t number;   ///< the number that was passed to drop()
    std::uint64_t dropped;  ///< number of dropped documents of this source
  };

  std::string name;
  std::uint64_t in = 0, dropped = 0;
  std::vector<group> largest;  ///< at most three groups: the groups with most dropped documents of this source
};

/// Counts documents by source.
/// Memory: the names, and 16 bytes for each dropped document.
class source_tally {
 public:
  explicit source_tally(const source_setting& setting) : setting_(setting) {}

  /// Counts a document of the input.
  /// Returns: the number of its source.
  std::uint32_t come(const placed_document& d);
  /// Counts a dropped document. `source` is the number of its source. `group` is the number of its group, which is the
  /// number of its representative.
  void drop(std::uint32_t source, std::uint64_t group) { dropped_.push_back({source, group}); }

  /// Returns the counts of all sources, by descending number of dropped documents.
  [[nodiscard]] std::vector<source_count> counts() const;
  /// Returns the group with the most dropped documents, and their number.
  /// Precondition: dropped() > 0.
  [[nodiscard]] source_count::group largest_group() const;
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.size(); }
  [[nodiscard]] const source_setting& setting() const noexcept { return setting_; }

 private:
  struct loss {
    std::uint32_t source;
    std::uint64_t group;
  };

  source_setting setting_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // numbers of sources, by name
  std::vector<std::uint64_t> in_;
  std::vector<loss> dropped_;
};

/// A function that returns the name of a group, which is the name of its representative. Its argument is the group's
/// number.
using group_namer = std::function<std::string(std::uint64_t)>;

/// Returns a warning for each source with ten or more documents that loses more than half of its documents. After five
/// such warnings, one warning counts the remaining sources of this kind. There is also a warning about the largest
/// group if ten or more documents are dropped, and the largest group has more than a tenth of them.
std::vector<std::string> source_warnings(const source_tally& tally, const group_namer& name);

/// Prints the counts on standard error, unless `quiet`. The warnings are always printed.
void say_sources(const source_tally& tally, const group_namer& name, bool quiet);

std::string share_text(std::uint64_t part, std::uint64_t all);

}  // namespace command
