// What becomes of the documents of each source: --by.
#pragma once

#include <functional>
#include <unordered_map>

#include "../documents/documents.hpp"
#include "settings.hpp"

namespace command {

/// How many documents of a source there are, and how many of them are dropped: those of a group but the one that stands
/// for it.
struct source_count {
  struct group {
    std::uint64_t number;   ///< as drop() had it
    std::uint64_t dropped;  ///< of this source
  };

  std::string name;
  std::uint64_t in = 0, dropped = 0;
  std::vector<group> largest;  ///< the groups that most of it goes to, at most three
};

/// Counts documents by their source. Memory: that of the names, and 16 bytes for each document that is dropped.
class source_tally {
 public:
  explicit source_tally(const source_setting& how) : how_(how) {}

  /// Takes a document of the input. Returns: the number of its source.
  std::uint32_t come(const placed_document& d);
  /// Takes one of them that is dropped, by the number of its source, and of the group that it is in: of the document that
  /// stands for it.
  void drop(std::uint32_t source, std::uint64_t group) { dropped_.push_back({source, group}); }

  /// Those that lose most first.
  [[nodiscard]] std::vector<source_count> counts() const;
  /// The group that most of all goes to, and how much. Precondition: something was dropped.
  [[nodiscard]] source_count::group largest_group() const;
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.size(); }
  [[nodiscard]] const source_setting& how() const noexcept { return how_; }

 private:
  struct loss {
    std::uint32_t source;
    std::uint64_t group;
  };

  source_setting how_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // by name
  std::vector<std::uint64_t> in_;
  std::vector<loss> dropped_;
};

/// The name of a group, by its number: that of the document that stands for it.
using group_namer = std::function<std::string(std::uint64_t)>;

/// What is odd: a source of ten documents or more that loses more than half; a group that stands for more than a tenth of
/// ten documents or more that are dropped.
std::vector<std::string> source_warnings(const source_tally& tally, const group_namer& name);

/// Says the counts on standard error, unless `quiet`, and the warnings in any case.
void say_sources(const source_tally& tally, const group_namer& name, bool quiet);

/// "66.7 %"
std::string share_text(std::uint64_t part, std::uint64_t all);

}  // namespace command
