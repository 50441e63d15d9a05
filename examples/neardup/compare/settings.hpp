// Settings for the comparison of documents: the groups, the sources that are counted, and the other corpus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The rule that chooses the representative of a group (--keep).
enum class preference { first, longest, highest, lowest };

/// The pairs of documents that may be near-duplicates: all pairs, pairs with equal values in a field (--within), or
/// pairs with different values (--across).
enum class pairing { all, within, across };

struct grouping_settings {
  pairing paired = pairing::all;
  bool by_components = false;  ///< true if groups are components; see neardup::grouping
  preference keep = preference::first;
  std::uint64_t memory = 0;  ///< bytes that a run may use; more features go to a temporary file

  /// Returns true if two documents with the values `a` and `b` of the field may be a pair.
  [[nodiscard]] bool lets_pair(std::string_view a, std::string_view b) const {
    return paired == pairing::all || (a == b) == (paired == pairing::within);
  }
};

/// The property of a document that names its source, for counts by source (--by).
enum class source_kind { none, field, folder, file, host };

struct source_setting {
  source_kind kind = source_kind::none;
  std::string field;  ///< a field of the record, for `field` and `host`; if empty, `host` uses the id
  std::string text;   ///< the value as typed
};

/// The other corpus, with which the input is compared.
struct against_settings {
  std::vector<std::string> paths;    ///< files of texts, or with --fingerprints lists
  std::vector<std::string> indexes;  ///< index files
  bool keeps_texts = false;          ///< true if the texts of its documents are needed, too
  std::string grown_index;           ///< an index that kept documents are added to; empty if there is none
  bool also_within = false;          ///< true if the input's documents are also compared with each other
  std::string without_features;      ///< an index that has only fingerprints; empty if there is none

  [[nodiscard]] bool any() const { return !paths.empty() || !indexes.empty() || !grown_index.empty(); }
};

}  // namespace command
