// What of the command line is about documents together: groups, and another corpus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace command {

/// Which document of a group is kept, and stands for it.
enum class preference { first, longest, highest, lowest };

struct grouping_settings {
  bool by_components = false;  ///< else by representatives, see neardup::grouping
  preference keep = preference::first;
  std::uint64_t memory = 0;  ///< bytes of a run; features for which it has no room lie in a temporary file
};

/// By what documents are counted apart.
enum class source_kind { none, field, folder, file, host };

struct source_setting {
  source_kind kind = source_kind::none;
  std::string field;  ///< of a record, for `field`, and for `host`, where it is empty if the host is that of the id
  std::string text;   ///< as it was typed
};

/// The other corpus that the input is compared with.
struct against_settings {
  std::vector<std::string> paths;    ///< texts, or with --fingerprints lists
  std::vector<std::string> indexes;  ///< and files of indexes
  bool keeps_texts = false;          ///< of its documents that are texts these are handed over, too
  std::string grown_index;           ///< and one that what is kept is added to; empty: there is none
  bool also_within = false;          ///< near-duplicates within the input, too
  std::string without_features;      ///< an index of which there are fingerprints and no more; empty: there is none

  [[nodiscard]] bool any() const { return !paths.empty() || !indexes.empty() || !grown_index.empty(); }
};

}  // namespace command
